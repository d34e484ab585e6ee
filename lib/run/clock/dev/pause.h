// SPDX-License-Identifier: BSD-3-Clause
// A device's own PFC and PAUSE.
#pragma once

#include "dev.h"

#pragma GCC visibility push(hidden)

// PFC is handled by quench: the device must neither obey nor consume pause frames. Many devices
// have no such setting. d->asked gets the device's answer, and d->fc its setting before.
void dev_pause_off(struct dev *d);
// Restores the device's setting before.
void dev_pause_back(struct dev *d);

#pragma GCC visibility pop
