// SPDX-License-Identifier: BSD-3-Clause
// The functions that the files of the record share.
#pragma once

#include "record.h"

#pragma GCC visibility push(hidden)

// order.c
void record_ev_finish(struct record *r); // writes all that is held
void record_ev_own(struct record *r, const struct ev *e, unsigned node);

#pragma GCC visibility pop
