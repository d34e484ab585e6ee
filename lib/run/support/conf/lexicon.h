// SPDX-License-Identifier: BSD-3-Clause
// Texts as numbers: each once, from 0 on, in the order in which they were met.
#pragma once

#include <stdint.h>

#include "base/index.h"
#include "arena.h"

struct lexicon { // {0}: none
	const char **text;
	uint32_t n, room;
	struct index by_text;
	struct arena arena;
};

// The number of a text of `len` characters, which is added if it is new; -1: no memory.
int lexicon_number(struct lexicon *w, const char *text, size_t len);
// The number of a text that is there; -1: it is not.
int lexicon_find(const struct lexicon *w, const char *text, size_t len);
void lexicon_fini(struct lexicon *w);
