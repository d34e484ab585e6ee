// SPDX-License-Identifier: BSD-3-Clause
// Makes text of others safe for a script: gnuplot shows it as it is, whatever characters it has.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define DOTS "..."

static bool begins_character(char c)
{
	return (c & 0xc0) != 0x80;
}

unsigned paper_width(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += begins_character(*text);
	return n;
}

// The character with this number.
static char *character_at(char *text, unsigned number)
{
	for (; *text; text++)
		if (begins_character(*text) && !number--)
			return text;
	return text;
}

// Cuts the middle out of a text: two thirds of the kept characters stand before the dots.
static void cut_middle(char *text, unsigned most)
{
	unsigned n = paper_width(text), kept = most - (unsigned)strlen(DOTS), head = kept * 2 / 3;
	char *to, *from;

	if (n <= most)
		return;
	to = character_at(text, head);
	from = character_at(text, n - (kept - head));
	memmove(to + strlen(DOTS), from, strlen(from) + 1);
	memcpy(to, DOTS, strlen(DOTS));
}

// printable() doubles backslashes for readers who undo its escapes. Nobody does so here.
static void single_backslashes(char *text)
{
	char *to = text;

	for (; *text; text++) {
		*to++ = *text;
		if (text[0] == '\\' && text[1] == '\\')
			text++;
	}
	*to = '\0';
}

char *paper_plain(const char *text, unsigned most)
{
	size_t size = PRINTABLE_SIZE(strlen(text));
	char *plain = malloc(size);

	if (!plain)
		return NULL;
	printable(plain, size, text);
	single_backslashes(plain);
	if (most)
		cut_middle(plain, most);
	return plain;
}

// Within single quotes no character but the closing quote has a meaning. Not every release of
// gnuplot lets it be doubled there, so a text with a single quote stands in double quotes, and
// characters that have a meaning within those are written by their numbers.
static void put_quoted(struct out *o, const char *text)
{
	bool single = !strchr(text, '\'');

	out_str(o, single ? "'" : "\"");
	for (; *text; text++) {
		if (!single && strchr("\\\"'`@", *text))
			out_printf(o, "\\%03o", (unsigned char)*text);
		else
			out_put(o, text, 1);
	}
	out_str(o, single ? "'" : "\"");
}

void paper_quote(struct out *o, const char *text, unsigned most, bool lines)
{
	do {
		size_t n = lines ? strcspn(text, "\n") : strlen(text);
		char *one = strndup(text, n), *plain = one ? paper_plain(one, most) : NULL;

		if (plain)
			put_quoted(o, plain);
		else
			o->error = o->error ? o->error : ENOMEM;
		free(plain);
		free(one);
		text += n;
		if (*text)
			out_str(o, ".\"\\n\".");
	} while (*text++);
}
