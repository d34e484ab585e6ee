// SPDX-License-Identifier: BSD-3-Clause
// One record of faults while it is compiled, and the steps that its files have; internal.
#pragma once

#include "int.h"

struct fault_make {
	struct draft *b;
	const struct yamldoc_node *at; // the map of the record
	struct spec_fault spec;
	struct scene_fault *f;
	const struct draft_node *node; // of its port
	unsigned port;
	bool live;   // it comes while the run goes on
	bool forges; // frames that nobody has sent
};

#pragma GCC visibility push(hidden)

// The value of a key, where the record has it; else its map: the place of a message about it.
const struct yamldoc_node *fault_place(const struct fault_make *m, const char *key);

// fault_word.c
// Kinds of frames, PSNs, transmissions and chance. 0, or -EINVAL with a line.
int fault_words(struct fault_make *m);
// "0..1023" or "7", of PSNs. Returns buf.
char *fault_range(uint64_t from, uint64_t to, char *buf, size_t size);

// fault_pair.c
// The queue pairs that it names, and the port where it is.
int fault_pairs(struct fault_make *m);

// fault_action.c
int fault_action(struct fault_make *m);

// fault_field.c
// One field of the frames gets another value.
int fault_rewrite(struct fault_make *m, const struct spec_field *w);

// fault_forge.c
// Frames that nobody has sent.
int fault_forge(struct fault_make *m, const struct spec_forge *g);

// fault_clash.c
// Refuses a record of which an earlier one drops all frames, and ranges that cross. Of the record
// that was made last.
int fault_clash(struct fault_make *m);

#pragma GCC visibility pop
