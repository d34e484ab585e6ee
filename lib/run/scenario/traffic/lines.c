// SPDX-License-Identifier: BSD-3-Clause
// A file of lines and words that a scenario names: what is read of it, and where a word is wrong.
#include <stdio.h>
#include <string.h>

#include "int.h"

char *traffic_lines_next(struct lines *l)
{
	char *first;

	l->n = 0;
	do {
		ssize_t n = getline(&l->text, &l->room, l->file);

		if (n < 0)
			return NULL;
		if (l->sha)
			SHA256Update(l->sha, (const uint8_t *)l->text, (size_t)n);
		l->at.line++;
		for (ssize_t i = 0; i < n; i++) // no byte 0 hides what is behind it
			l->text[i] = l->text[i] ? l->text[i] : '?';
		first = l->text;
		if (l->at.line == 1 && !strncmp(first, "\xef\xbb\xbf", 3)) // byte order mark
			first += 3;
		first += strspn(first, LINES_BLANKS);
	} while (!*first || *first == '#');
	return first;
}

void traffic_lines_word(struct lines *l, char *word)
{
	if (l->n < LINES_WORDS)
		l->word[l->n] = word;
	l->n++;
}

void traffic_lines_split(struct lines *l, char *rest)
{
	while (*rest) {
		char *end = rest + strcspn(rest, LINES_BLANKS);

		traffic_lines_word(l, rest);
		rest = end + strspn(end, LINES_BLANKS);
		*end = 0;
	}
}

void traffic_lines_at(struct lines *l, const char *word)
{
	l->at.column = (uint32_t)(word - l->text) + 1;
}

int traffic_lines_wrong(struct lines *l, const char *word, const char *what)
{
	char plain[41];

	snprintf(plain, sizeof(plain), "%s", word);
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
	traffic_lines_at(l, word);
	return yamldoc_err(l->err, &l->at, "'%s' %s", plain, what);
}
