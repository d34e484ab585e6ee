// SPDX-License-Identifier: BSD-3-Clause
// Colours for the things that a reader must not miss: verdicts, warnings, errors.
#include "look.h"

#include <stdbool.h>
#include <string.h>

#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define RED    "\033[1;31m"
#define END    "\033[0m"

struct look {
	const char *text, *colour;
};

// The beginnings of lines, after blanks.
static const struct look labels[] = {
	{"conserved  ", GREEN},
	{"lossless  ", GREEN},
	{"the clocks agree", GREEN},
	{"the clocks DISAGREE", RED},
	{"NOT CONSERVED", RED},
	{"NOT LOSSLESS", RED},
	{"NOT RECONCILED", RED},
	{"NOT REPLAYED", RED},
	{"NOT AS EXPECTED", RED},
	{"NOT JUDGED", YELLOW},
	{"NOT DRAINED", YELLOW},
	{"UNSETTLED", YELLOW},
	{"INVALID", YELLOW},
	{"LOST  ", RED},
	{"QP failed", RED},
	{"QP stands", YELLOW},
	{"QP waits", YELLOW},
	{"QP lost", YELLOW},
	{"CNPs lost", YELLOW},
	{"DEADLOCK", RED},
	{"LEAK", RED},
	{"FILES", RED},
	{"ENDED EARLY", RED},
	{"TIMING BROKEN", RED},
	{"DEVICE GONE", RED},
	{"NO LINK", RED},
	{"INSTRUMENT LOST FRAMES", RED},
	{"EVENTS LOST", YELLOW},
	{"CAPTURE INCOMPLETE", YELLOW},
	{"warning:", YELLOW},
};

// Words that stand alone in a column of a table.
static const struct look entries[] = {
	{"FAILED", RED},
	{"error", RED},
	{"stopped", YELLOW},
	{"BAD", RED},
};

#define N(looks) (sizeof(looks) / sizeof((looks)[0]))

static const struct look *find_label(const char *at, size_t n)
{
	for (size_t i = 0; i < N(labels); i++) {
		size_t length = strlen(labels[i].text);

		if (length <= n && !memcmp(labels[i].text, at, length))
			return &labels[i];
	}
	return NULL;
}

// Returns whether a word stands alone: two blanks, or an end of the line, are on both sides of it.
// A comma may follow, as in "FAILED, unsettled".
static bool is_alone(const char *line, size_t n, size_t at, size_t length)
{
	bool before = at < 2 || (line[at - 1] == ' ' && line[at - 2] == ' ');
	bool behind =
		at + length == n || line[at + length] == ',' ||
		(at + length + 1 < n && line[at + length] == ' ' && line[at + length + 1] == ' ');

	return before && behind;
}

static const struct look *find_entry(const char *line, size_t n, size_t at)
{
	for (size_t i = 0; i < N(entries); i++) {
		size_t length = strlen(entries[i].text);

		if (at + length <= n && !memcmp(entries[i].text, line + at, length) &&
			is_alone(line, n, at, length))
			return &entries[i];
	}
	return NULL;
}

static size_t put_coloured(const char *text, size_t n, const char *colour, FILE *f)
{
	fprintf(f, "%s%.*s%s", colour, (int)n, text, END);
	return n;
}

static void put_coloured_line(const char *line, size_t n, FILE *f)
{
	size_t at = 0;
	const struct look *look;

	while (at < n && line[at] == ' ')
		putc(line[at++], f);
	look = find_label(line + at, n - at);
	if (look)
		at += put_coloured(line + at, strlen(look->text), look->colour, f);
	while (at < n) {
		look = find_entry(line, n, at);
		if (look)
			at += put_coloured(line + at, strlen(look->text), look->colour, f);
		else
			putc(line[at++], f);
	}
}

void look_put(const char *text, size_t n, FILE *f)
{
	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t length = end ? (size_t)(end - text) : n;

		put_coloured_line(text, length, f);
		if (end)
			putc('\n', f);
		length += end != NULL;
		text += length;
		n -= length;
	}
}

// Letters up to the first colon that a space or the end of a folded line follows; 0: there is none.
static size_t head_of(const char *text, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (text[i] == ':' && (text[i + 1] == ' ' || text[i + 1] == '\n'))
			return i;
	return 0;
}

void look_put_message(const char *text, size_t n, FILE *f)
{
	bool warns = n > 7 && !memcmp(text, "warning", 7);
	size_t head = head_of(text, n) + warns; // the colon of "warning:" is coloured, too

	if (head)
		put_coloured(text, head, warns ? YELLOW : RED, f);
	fwrite(text + head, 1, n - head, f);
}
