// SPDX-License-Identifier: BSD-3-Clause
// The list of a step: which of its items have begun, when their next frames are due, and which of
// several frames leaves first.
#pragma once

#include "tester.h"

#pragma GCC visibility push(hidden)

struct tester_line;

struct tester_list {
	const struct tester_item *item;
	unsigned n;
	struct tester_line *line; // of each item
	// Items that have begun and have frames left, in the order in which they are served; the
	// first n_mac are MAC control.
	uint16_t *begun;
	unsigned n_begun, n_mac;
	unsigned finite; // finite items with frames left
	tstamp end;      // last bit of the frames of finite items so far
};

int tester_list_init(struct tester_list *l); // -ENOMEM
void tester_list_fini(struct tester_list *l);
void tester_list_begin(
	struct tester_list *l, const struct tester_item *item, unsigned n, tstamp now);
// The first item that has a frame due by `now`; -1: none has. `mac`: only MAC control.
int tester_list_pick(const struct tester_list *l, bool mac, tstamp now);
// The planned instant of the next frame, without the wait for the wire; TSTAMP_NEVER: none.
tstamp tester_list_next(const struct tester_list *l, bool mac);
// The instant for which the next frame of an item was planned; *own: it is its own, and not that of
// a frame before it.
tstamp tester_list_due(const struct tester_list *l, unsigned k, bool *own);
// How many `tos_step` the next frame of an item has.
uint32_t tester_list_sent(const struct tester_list *l, unsigned k);
// A frame of an item has left; its last bit leaves at `end`.
void tester_list_left(struct tester_list *l, unsigned k, tstamp end);

#pragma GCC visibility pop
