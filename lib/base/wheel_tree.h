// SPDX-License-Identifier: BSD-3-Clause
// Inside a timing wheel with few numbers: a winner tree. If only one item has an instant, it is not
// in the tree.
#pragma once

#include "base/wheel.h"

#pragma GCC visibility push(hidden)

// Makes a tree with room for `ids` numbers, with the contents of the old one. 0 or -ENOMEM.
int wheel_tree_grow(struct wheel *w, uint32_t ids);

// The tree becomes too small for the numbers: moves all items to the wheel, whose memory is there
// already.
void wheel_tree_leave(struct wheel *w);

// Adds an item to the others.
void wheel_tree_put(struct wheel *w, uint32_t id, tstamp at);

// Gives one of several items another instant, or takes its instant away (TSTAMP_NEVER).
void wheel_tree_move(struct wheel *w, uint32_t id, tstamp at);

#pragma GCC visibility pop
