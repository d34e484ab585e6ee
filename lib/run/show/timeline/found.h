// SPDX-License-Identifier: BSD-3-Clause
// The properties of single events that the first reading of a record finds, for the second reading,
// which writes the events.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum found_what {
	FOUND_ARROW,  // `id` is an arrow that goes through this event
	FOUND_LATE,   // its slice ends within what is shown, whenever it began
	FOUND_NO_END, // its slice does not end
};

struct found_entry {
	uint64_t event; // its number, from 0
	uint32_t what, id;
};

struct found { // {0}: nothing
	struct found_entry *entry;
	size_t n, room, at;
	bool no_memory; // something is missing
};

void found_add(struct found *f, uint64_t event, enum found_what what, uint32_t id);
// Once, when all is found.
void found_sort(struct found *f);
// How many entries there are of an event, and the first of them; arrows come first, by number. It
// is asked in order of events.
size_t found_of(struct found *f, uint64_t event, const struct found_entry **first);
void found_fini(struct found *f);

#pragma GCC visibility pop
