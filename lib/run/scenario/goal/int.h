// SPDX-License-Identifier: BSD-3-Clause
// Names that the files of this room share.
#pragma once

#include "goal.h"

#pragma GCC visibility push(hidden)

// spill.c
// Adds `bytes` zeroed bytes to the end and returns where they are; NULL and errno: the disk is
// full, or memory is out. All pointers into the array become void.
void *goal_spill_add(struct goal_spill *s, const char *folder, uint64_t bytes);
void goal_spill_forget(const struct goal_spill *s);
void goal_spill_fini(struct goal_spill *s);

// word.c
// A line of GOAL text in words, which end with blanks. A label ends with its colon.
#define GOAL_WORDS 12

struct goal_line {
	char *word[GOAL_WORDS];
	unsigned n;   // words; more than GOAL_WORDS: the rest is not there
	bool comment; // a comment stands on the line
	bool inside;  // a comment of several lines goes on behind the line
};

// Divides `text` into words in its place. `inside`: the line begins within a comment.
void goal_line_split(struct goal_line *l, char *text, bool inside);

// A whole number in decimals with `unit` ("" or "b") right behind it. False: the word is none, or
// it is above `most`.
bool goal_number(const char *word, const char *unit, uint64_t most, uint64_t *to);

#pragma GCC visibility pop
