// SPDX-License-Identifier: BSD-3-Clause
// A device's own PFC and PAUSE.
#pragma once

#include "dev.h"

#pragma GCC visibility push(hidden)

// PFC is ours: the device neither obeys nor eats pause frames. Many devices have no such thing.
// What it answered is in d->asked, what it had before in d->fc.
void dev_pause_off(struct dev *d);
// Puts back what it had before.
void dev_pause_back(struct dev *d);

#pragma GCC visibility pop
