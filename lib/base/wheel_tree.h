// SPDX-License-Identifier: BSD-3-Clause
// Inside a timing wheel of few numbers: the tree that they stand in. While one item alone has an
// instant it is not in the tree.
#pragma once

#include "base/wheel.h"

#pragma GCC visibility push(hidden)

// Makes a tree with room for `ids` numbers, with the contents of the old one. 0 or -ENOMEM.
int wheel_tree_grow(struct wheel *w, uint32_t ids);

// Numbers become too many for it: all items go to the wheel, which has taken its memory.
void wheel_tree_leave(struct wheel *w);

// Adds an item to the others.
void wheel_tree_put(struct wheel *w, uint32_t id, tstamp at);

// Gives one of several items another instant, or none from here on.
void wheel_tree_move(struct wheel *w, uint32_t id, tstamp at);

#pragma GCC visibility pop
