// SPDX-License-Identifier: BSD-3-Clause
// Texts as numbers: each once, from 0 on, in the order in which they were met.
#pragma once

#include "base/index.h"
#include "conf/conf.h"

#pragma GCC visibility push(hidden)

struct words { // {0}: none
	const char **text;
	uint32_t n, room;
	struct index by_text;
	struct arena arena;
};

// The number of a text of `len` characters, which is added if it is new; -1: no memory.
int words_number(struct words *w, const char *text, size_t len);
// The number of a text that is there; -1: it is not.
int words_find(const struct words *w, const char *text, size_t len);
void words_fini(struct words *w);

#pragma GCC visibility pop
