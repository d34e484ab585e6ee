// SPDX-License-Identifier: BSD-3-Clause
// Several captures read as one: their frames in the order of their recorded instants.
#pragma once

#include "in.h"

#pragma GCC visibility push(hidden)

struct cap_join;

// Opens all `n` files. As cap_in_open.
int cap_join_open(struct cap_join **j, const char *const *path, unsigned n, struct err *err);

// Like cap_in_next(). Of frames with the same instant, the frame of the first file comes first.
// Each file keeps its order, so a frame whose instant goes back comes directly after the one before
// it.
int cap_join_next(struct cap_join *j, struct cap_frame *f, struct err *err);

// Goes back to the first frame. As cap_join_open.
int cap_join_rewind(struct cap_join *j, struct err *err);

void cap_join_close(struct cap_join *j);

#pragma GCC visibility pop
