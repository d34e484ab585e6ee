// SPDX-License-Identifier: BSD-3-Clause
// The kinds of the run as a whole.
#pragma once

#include "summary.h"

#pragma GCC visibility push(hidden)

// Returns whether a figure comes from events alone.
bool summary_of_events(enum kind_id kind, const char *figure);

extern const struct kind kind_total, kind_drop, kind_nic_drop, kind_recon, kind_instrument,
	kind_steady;

#pragma GCC visibility pop
