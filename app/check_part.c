// SPDX-License-Identifier: BSD-3-Clause
// A part of what `quench check` prints: whole where it is short, else its first lines and how many
// there are more.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define LONG  64 // lines from which on a part is cut
#define FIRST 24 // lines that are left of it

// Where the n-th line ends; the end of the text where there are fewer.
static const char *behind(const char *text, unsigned n)
{
	while (n-- && (text = strchr(text, '\n')))
		text++;
	return text;
}

static unsigned lines(const char *text)
{
	unsigned n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

void check_part(const struct scene *s, bool full, void (*print)(const struct scene *s, FILE *f))
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = full ? NULL : open_memstream(&text, &size);
	unsigned n;

	if (!f) {
		print(s, stdout);
		return;
	}
	print(s, f);
	if (fclose(f) || !text) {
		free(text);
		print(s, stdout);
		return;
	}
	n = lines(text);
	if (n > LONG)
		printf("%.*s%u lines more; --full prints them\n", (int)(behind(text, FIRST) - text),
			text, n - FIRST);
	else
		fputs(text, stdout);
	free(text);
}
