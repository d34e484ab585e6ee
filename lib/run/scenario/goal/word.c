// SPDX-License-Identifier: BSD-3-Clause
// The words of a line of GOAL text.
#include <string.h>

#include "int.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Makes blanks of comments. A word may end at a comment.
static void blank_comments(struct goal_line *l, char *text)
{
	for (char *c = text; *c; c++) {
		if (l->inside) {
			l->comment = true;
			l->inside = c[0] != '*' || c[1] != '/';
			if (!l->inside)
				*c++ = ' ';
			*c = ' ';
		} else if (c[0] == '/' && c[1] == '*') {
			l->inside = true;
			*c++ = ' ';
			*c = ' ';
		} else if (c[0] == '/' && c[1] == '/') {
			l->comment = true;
			*c = '\0';
			return;
		}
	}
	l->comment |= l->inside;
}

void goal_line_split(struct goal_line *l, char *text, bool inside)
{
	*l = (struct goal_line){.inside = inside};
	blank_comments(l, text);
	for (char *c = text; *c;) {
		while (is_blank(*c))
			*c++ = '\0';
		if (!*c)
			return;
		if (l->n < GOAL_WORDS)
			l->word[l->n] = c;
		l->n++;
		while (*c && !is_blank(*c))
			c++;
	}
}

bool goal_number(const char *word, const char *unit, uint64_t most, uint64_t *to)
{
	uint64_t n = 0;
	const char *c = word;

	for (; *c >= '0' && *c <= '9'; c++) {
		if (n > most / 10)
			return false;
		n = 10 * n + (uint64_t)(*c - '0');
	}
	if (c == word || n > most || strcmp(c, unit))
		return false;
	*to = n;
	return true;
}
