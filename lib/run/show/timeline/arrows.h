// SPDX-License-Identifier: BSD-3-Clause
// Which event caused which: a mark a CNP and the CNP a cut, an XOFF a pause, and an XOFF the next
// one upstream.
#pragma once

#include "found.h"
#include "saved/saved.h"

#pragma GCC visibility push(hidden)

struct arrows;

// Causes are found in the events of `s`, and told as FOUND_ARROW. NULL: no memory.
struct arrows *arrows_new(struct saved *s, struct found *f);
// The next event, by its number.
void arrows_take(struct arrows *a, const struct saved_ev *ev, uint64_t event);
// How many arrows there are.
uint32_t arrows_found(const struct arrows *a);
// Whether XOFF was sent by a node that had a paused class: what it holds may be why.
bool arrows_miss_holders(const struct arrows *a);
void arrows_free(struct arrows *a);

#pragma GCC visibility pop
