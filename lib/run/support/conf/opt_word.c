// SPDX-License-Identifier: BSD-3-Clause
// The key that is meant by a word of another tool, or by one that was put too high.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "opt.h"
#include "int.h"
#include "opt_words.h"

// Whether a word of n letters is `key`, apart from capitals, '_' and '-'.
static bool is_word(const char *word, size_t n, const char *key)
{
	const char *end = word + n;

	for (;; word++, key++) {
		while (word < end && (*word == '_' || *word == '-'))
			word++;
		while (*key == '_' || *key == '-')
			key++;
		if (word == end || !*key)
			return word == end && !*key;
		if (*word != tolower((unsigned char)*key))
			return false;
	}
}

static bool has_word(const char *line, const char *key)
{
	for (size_t n; *line; line += n + (line[n] == ' ')) {
		n = strcspn(line, " ");
		if (is_word(line, n, key))
			return true;
	}
	return false;
}

// Finds a row whose key is one of the words, `depth` maps below this table (0: in the table
// itself), and writes its path.
static bool find_row(const struct opt_table *t, const char *words, unsigned depth,
	const char *prefix, char *path, size_t size)
{
	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];
		char below[96];

		if (!depth && has_word(words, row->key)) {
			snprintf(path, size, "%s%s", prefix, row->key);
			return true;
		}
		if (!depth || (row->type != OPT_MAP && row->type != OPT_KEYED))
			continue;
		snprintf(below, sizeof(below), "%s%s.%s%s", prefix, row->key,
			row->type == OPT_KEYED && row->example ? row->example : "",
			row->type == OPT_KEYED && row->example ? "." : "");
		if (find_row(row->sub, words, depth - 1, below, path, size))
			return true;
	}
	return false;
}

#define DEEPEST 2 // maps between a place and the key that is meant: classes.3.wred.min

bool opt_word(const struct opt_table *t, const char *key, char *path, size_t size)
{
	if (strchr(key, ' '))
		return false;
	for (unsigned depth = 0; depth <= DEEPEST; depth++) {
		if (find_row(t, key, depth, "", path, size))
			return true;
		for (unsigned i = 0; i < OPT_MEANINGS; i++)
			if (has_word(opt_meanings[i], key) &&
				find_row(t, opt_meanings[i], depth, "", path, size))
				return true;
	}
	return false;
}
