// SPDX-License-Identifier: BSD-3-Clause
// Texts as numbers, found by their hash.
#include "lexicon.h"

#include <stdlib.h>
#include <string.h>

static int find_word(const struct lexicon *w, uint32_t hash, const char *text, size_t len)
{
	uint32_t at = hash, i;

	if (!w->n)
		return -1;
	while ((i = index_next(&w->by_text, hash, &at)) != INDEX_NONE)
		if (strncmp(w->text[i], text, len) == 0 && !w->text[i][len])
			return (int)i;
	return -1;
}

int lexicon_find(const struct lexicon *w, const char *text, size_t len)
{
	return find_word(w, index_hash(0, text, len), text, len);
}

int lexicon_number(struct lexicon *w, const char *text, size_t len)
{
	uint32_t hash = index_hash(0, text, len);
	int known = find_word(w, hash, text, len);
	const char *copy;

	if (known >= 0)
		return known;
	if (w->n == w->room) {
		uint32_t room = w->room ? 2 * w->room : 64;
		const char **more = realloc(w->text, room * sizeof(*more));

		if (!more)
			return -1;
		w->text = more;
		w->room = room;
	}
	copy = arena_text(&w->arena, text, len);
	if (!copy || index_add(&w->by_text, hash, w->n))
		return -1;
	w->text[w->n] = copy;
	return (int)w->n++;
}

void lexicon_fini(struct lexicon *w)
{
	free(w->text);
	index_fini(&w->by_text);
	arena_free(&w->arena);
	*w = (struct lexicon){0};
}
