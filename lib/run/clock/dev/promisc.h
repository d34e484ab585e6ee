// SPDX-License-Identifier: BSD-3-Clause
// Promiscuous mode of a real port.
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct dev;

// Returns whether the user has set promiscuous mode at the kernel's interface of this number (0:
// there is none).
bool dev_promisc_user(unsigned kernel);
// Switches promiscuous mode on. Call it after the start of the device, which clears what the user
// has set; `user`: the setting to restore.
void dev_promisc_on(struct dev *d, unsigned kernel, bool user);
void dev_promisc_off(struct dev *d);

#pragma GCC visibility pop
