// SPDX-License-Identifier: BSD-3-Clause
// Pause frames that the MAC of a device counts, where the kernel has an interface that tells.
#pragma once

#include "dev.h"

#pragma GCC visibility push(hidden)

// Finds the interface, behind count_init(). d->lost.mac_interface gets its name; "": none tells.
void dev_mac_find(struct dev *d);
// The run begins: earlier counts do not count.
void dev_mac_begin(struct dev *d);
// Writes the counts since dev_mac_begin() into d->lost.mac.
void dev_mac_take(struct dev *d);

#pragma GCC visibility pop
