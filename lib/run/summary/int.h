// SPDX-License-Identifier: BSD-3-Clause
// The kinds of the run as a whole.
#pragma once

#include "summary.h"

#pragma GCC visibility push(hidden)

extern const struct kind kind_total, kind_drop, kind_nic_drop, kind_recon, kind_instrument;

#pragma GCC visibility pop
