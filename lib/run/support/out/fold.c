// SPDX-License-Identifier: BSD-3-Clause
// Text that is wider than a terminal, made to fit.
#include "fold.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WIDEST 1024 // columns of a table as it came; what is wider is broken line by line
#define CELLS  64   // columns of one table
#define APART  2    // blanks between columns
#define WORDS  24   // columns that a broken text needs at least

struct line {
	const char *at;
	unsigned n;
};

struct cell {
	unsigned from, to; // columns of the text as it came: the first, and the one behind the last
	unsigned width;    // of its widest entry
	bool right;        // entries end in the same column, or do not begin in the same
};

struct table {
	const struct line *line;
	unsigned n_lines, n_cells;
	struct cell cell[CELLS];
	bool heading;
	bool ink[WIDEST]; // where a line has no blank
};

static unsigned blanks(const char *at, unsigned n)
{
	unsigned i = 0;

	while (i < n && at[i] == ' ')
		i++;
	return i;
}

static unsigned trimmed(const char *at, unsigned n)
{
	while (n && at[n - 1] == ' ')
		n--;
	return n;
}

// How well a text is broken at a blank: between parts that a gap or a comma parts, or anywhere.
static unsigned merit(const char *at, unsigned n, unsigned i, unsigned room)
{
	if (i + 1 < n && at[i + 1] == ' ')
		return i >= room / 2 ? 2 : 0;
	return strchr(",;:", at[i - 1]) && i >= room * 2 / 3;
}

// Returns where to break a text of n bytes so that its first part fits into `room` columns.
static unsigned break_at(const char *at, unsigned n, unsigned room)
{
	unsigned best = 0, best_merit = 0;

	if (n <= room)
		return n;
	for (unsigned i = 1; i <= room; i++) {
		if (at[i] != ' ' || at[i - 1] == ' ' || merit(at, n, i, room) < best_merit)
			continue;
		best = i;
		best_merit = merit(at, n, i, room);
	}
	for (best = best ? best : room; best < n && at[best] != ' ';) // one long word
		best++;
	return best;
}

// Writes a text in lines of `room` columns, from the second on after `indent` blanks. It ends
// without a line feed.
static void wrap_words(const char *at, unsigned n, unsigned room, unsigned indent, FILE *f)
{
	for (;;) {
		unsigned part = break_at(at, n, room), skip = part + blanks(at + part, n - part);

		fwrite(at, 1, trimmed(at, part), f);
		at += skip;
		n -= skip;
		if (!n)
			return;
		fprintf(f, "\n%*s", (int)indent, "");
	}
}

// Parts of a line that gaps part.
static unsigned parts(const struct line *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n;) {
		unsigned gap = blanks(l->at + i, l->n - i);

		n += !n || gap >= APART;
		for (i += gap; i < l->n && l->at[i] != ' ';)
			i++;
	}
	return n;
}

// The indent of the part that is broken off a line: below the text behind its label, if the label
// is short. In a table, whose later entries may begin anywhere, two blanks behind the first entry.
static unsigned hang(const struct line *l, unsigned columns)
{
	unsigned indent = blanks(l->at, l->n);

	for (unsigned i = indent; i + APART < l->n && i < columns / 2; i++) {
		unsigned gap = blanks(l->at + i, l->n - i);

		if (gap >= APART && parts(l) > 2)
			gap = APART;
		if (gap >= APART)
			return i + gap <= columns / 2 ? i + gap : indent + APART;
	}
	return indent + APART < columns / 2 ? indent + APART : APART;
}

// The piece that is broken off a line, with its gaps as narrow as possible. Freed by the caller;
// NULL: no memory.
static char *squeezed(const char *at, unsigned n, unsigned *length)
{
	char *text = malloc(n + 1), *to = text;

	for (unsigned i = 0; text && i < n; i++)
		if (i < APART || memcmp(at + i - APART, "   ", APART + 1) != 0)
			*to++ = at[i];
	*length = text ? (unsigned)(to - text) : 0;
	return text;
}

static void put_folded_line(const struct line *l, unsigned columns, FILE *f)
{
	unsigned indent = hang(l, columns), own = blanks(l->at, l->n), part, skip, n;
	char *rest;

	if (l->n <= columns) {
		fwrite(l->at, 1, l->n, f);
		putc('\n', f);
		return;
	}
	part = own + break_at(l->at + own, l->n - own, columns > own ? columns - own : 1);
	skip = part + blanks(l->at + part, l->n - part);
	fwrite(l->at, 1, trimmed(l->at, part), f);
	rest = squeezed(l->at + skip, l->n - skip, &n);
	if (skip < l->n) {
		fprintf(f, "\n%*s", (int)indent, "");
		wrap_words(rest ? rest : l->at + skip, rest ? n : l->n - skip, columns - indent,
			indent, f);
	}
	free(rest);
	putc('\n', f);
}

// Finds the columns of a table: they are separated by positions that are blank in all lines. False:
// there are too many columns.
static bool find_cells(struct table *t)
{
	unsigned gap = APART;

	t->n_cells = 0;
	for (unsigned c = 0; c < WIDEST; c++) {
		if (!t->ink[c]) {
			gap++;
			continue;
		}
		if (gap >= APART && t->n_cells == CELLS)
			return false;
		if (gap >= APART)
			t->cell[t->n_cells++] = (struct cell){.from = c};
		t->cell[t->n_cells - 1].to = c + 1;
		gap = 0;
	}
	return true;
}

// Takes the next line into a table. False: it does not belong to it, and the table is as it was.
static bool take_line(struct table *t, unsigned cells)
{
	const struct line *l = &t->line[t->n_lines];
	unsigned has = parts(l), least = has < 3 ? cells : cells > 2 ? cells - 2 : 0;
	struct table with = *t;

	if (has < 2 || l->n > WIDEST)
		return false;
	for (unsigned c = 0; c < l->n; c++)
		with.ink[c] |= l->at[c] != ' ';
	with.n_lines++;
	if (!find_cells(&with) || with.n_cells < 3 || with.n_cells < least)
		return false;
	*t = with;
	return true;
}

// The text of a line in a column.
static struct line entry(const struct table *t, unsigned i, unsigned c)
{
	const struct line *l = &t->line[i];
	const struct cell *cell = &t->cell[c];
	unsigned from = cell->from < l->n ? cell->from : l->n,
		 to = cell->to < l->n ? cell->to : l->n;
	unsigned skip = blanks(l->at + from, to - from);

	return (struct line){l->at + from + skip, trimmed(l->at + from + skip, to - from - skip)};
}

static void measure(struct table *t)
{
	for (unsigned c = 0; c < t->n_cells; c++) {
		struct cell *cell = &t->cell[c];

		bool begin = true, end = true;

		for (unsigned i = 0; i < t->n_lines; i++) {
			struct line e = entry(t, i, c);

			cell->width = e.n > cell->width ? e.n : cell->width;
			begin &= !e.n || e.at == t->line[i].at + cell->from;
			end &= !e.n || e.at + e.n == t->line[i].at + cell->to;
		}
		cell->right = end || !begin;
	}
	t->heading = true;
	for (unsigned c = 0; c < t->n_cells; c++) {
		struct line e = entry(t, 0, c);

		t->heading &= !e.n || *e.at < '0' || *e.at > '9';
	}
}

// How many lines from the first on are one table: each has three parts or more, or few in the
// columns of the lines before, as units below a heading; and together they keep their columns.
static unsigned table_lines(struct table *t, const struct line *line, unsigned n)
{
	unsigned cells = 0;

	*t = (struct table){.line = line};
	while (t->n_lines < n && take_line(t, cells))
		cells = t->n_cells > cells ? t->n_cells : cells;
	if (t->n_lines < 2)
		return 0;
	measure(t);
	return t->n_lines;
}

// Returns the width in characters of the first column and the columns from `first` to before `end`.
static unsigned room_for(const struct table *t, unsigned first, unsigned end)
{
	unsigned sum = t->cell[0].from + t->cell[0].width;

	for (unsigned c = first; c < end; c++)
		sum += APART + t->cell[c].width;
	return sum;
}

static void put_table_row(
	const struct table *t, unsigned i, unsigned first, unsigned end, unsigned columns, FILE *f)
{
	unsigned at = t->cell[0].from, owed = at; // blanks

	for (unsigned k = first - 1; k < end; k++) {
		unsigned c = k < first ? 0 : k;
		const struct cell *cell = &t->cell[c];
		struct line e = entry(t, i, c);
		unsigned fill = cell->right && cell->width > e.n ? cell->width - e.n : 0;

		if (k >= first) {
			owed += APART;
			at += APART;
		}
		if (e.n) {
			fprintf(f, "%*s", (int)(owed + fill), "");
			if (at + cell->width > columns)
				wrap_words(e.at, e.n, columns - at, at, f);
			else
				fwrite(e.at, 1, e.n, f);
			owed = cell->width > e.n + fill ? cell->width - e.n - fill : 0;
		} else {
			owed += cell->width;
		}
		at += cell->width;
	}
	putc('\n', f);
}

static bool has_entries(const struct table *t, unsigned i, unsigned first, unsigned end)
{
	bool has = entry(t, i, 0).n != 0;

	for (unsigned c = first; c < end; c++)
		has |= entry(t, i, c).n != 0;
	return has;
}

// The columns from `first` to before `end`, with the first of all.
static void put_columns(
	const struct table *t, unsigned first, unsigned end, unsigned columns, FILE *f)
{
	for (unsigned i = 0; i < t->n_lines; i++)
		if (has_entries(t, i, first, end))
			put_table_row(t, i, first, end, columns, f);
}

// Whether each column fits beside the first; a last one of words can be broken.
static bool fits_in_parts(const struct table *t, unsigned columns)
{
	for (unsigned c = 1; c < t->n_cells; c++) {
		bool words = c + 1 == t->n_cells && !t->cell[c].right;

		if (room_for(t, c, c + 1) > columns &&
			!(words && room_for(t, 1, 1) + APART + WORDS <= columns))
			return false;
	}
	return true;
}

static void put_whole_table(const struct table *t, unsigned columns, FILE *f)
{
	unsigned last = t->n_cells - 1;
	bool words = !t->cell[last].right && room_for(t, 1, last) + APART + WORDS <= columns;

	if (words || room_for(t, 1, t->n_cells) <= columns) {
		put_columns(t, 1, t->n_cells, columns, f);
		return;
	}
	if (!t->heading || !fits_in_parts(t, columns)) {
		for (unsigned i = 0; i < t->n_lines; i++)
			put_folded_line(&t->line[i], columns, f);
		return;
	}
	for (unsigned c = 1; c < t->n_cells;) {
		unsigned end = c + 1;

		while (end < t->n_cells && room_for(t, c, end + 1) <= columns)
			end++;
		if (c > 1)
			putc('\n', f);
		put_columns(t, c, end, columns, f);
		c = end;
	}
}

static bool is_wide(const struct line *line, unsigned n, unsigned columns)
{
	for (unsigned i = 0; i < n; i++)
		if (line[i].n > columns)
			return true;
	return false;
}

static void put_lines(const struct line *line, unsigned n, unsigned columns, FILE *f)
{
	struct table t;

	for (unsigned i = 0; i < n;) {
		unsigned rows = table_lines(&t, line + i, n - i);

		if (rows && is_wide(line + i, rows, columns)) {
			put_whole_table(&t, columns, f);
			i += rows;
		} else {
			for (unsigned end = i + (rows ? rows : 1); i < end; i++)
				put_folded_line(&line[i], columns, f);
		}
	}
}

void fold_text(const char *text, size_t n, unsigned columns, FILE *f)
{
	struct line *line = NULL;
	unsigned n_lines = 0, lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	line = columns >= FOLD_LEAST ? calloc(lines + 1, sizeof(*line)) : NULL;
	for (size_t at = 0; line && at < n;) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t length = end ? (size_t)(end - text) - at : n - at;

		line[n_lines++] = (struct line){text + at, (unsigned)length};
		at += length + 1;
	}
	if (line && is_wide(line, n_lines, columns))
		put_lines(line, n_lines, columns, f);
	else
		fwrite(text, 1, n, f);
	free(line);
}
