// SPDX-License-Identifier: BSD-3-Clause
// Figures of a running instance as tables for people: one of each kind, with a row for each object.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tstamp.h"
#include "live/live.h"
#include "summary/summary.h"
#include "stats.h"

#define COLUMNS_MAX 160 // figures of a kind
#define CELL        48

// One figure of one object; m NULL: it is not known.
struct cell {
	const struct metric *m, *before;
};

struct column {
	struct summary_row row;
	bool rated; // with another one behind it, by second
};

// The figures of one kind, as they stand one behind the other in the list.
struct kind_table {
	const char *word;
	struct column column[COLUMNS_MAX];
	unsigned columns, rows;
	struct cell *cell;      // [rows][columns]
	struct summary_row *of; // by row, one of its object's
	double elapsed_s;       // of the scene since the look before; 0: there was none
};

// Returns whether a figure's name ends with a unit. Counts need none.
static bool tells_unit(const struct summary_row *row)
{
	static const char *const end[] = {
		"_us", "_ns", "_ps", "_gbps", "_bps", "_percent", "_per_s", "_bytes", "_frames"};
	const char *total = strstr(row->figure, "_total");
	size_t n = total ? (size_t)(total - row->figure) : strlen(row->figure);

	for (unsigned i = 0; i < sizeof(end) / sizeof(end[0]); i++) {
		size_t m = strlen(end[i]);

		if (n > m && !strncmp(row->figure + n - m, end[i], m))
			return true;
	}
	return !*row->unit || !strcmp(row->unit, "frames") || !strcmp(row->unit, "events") ||
	       !strcmp(row->unit, row->figure);
}

static const char *head_of(const struct column *c, char buf[static CELL])
{
	snprintf(buf, CELL, tells_unit(&c->row) ? "%s" : "%s, %s", c->row.figure, c->row.unit);
	return buf;
}

static const char *cell_text(const struct cell *c, char buf[static CELL])
{
	if (c->m)
		snprintf(buf, CELL, "%.*f", (int)c->m->decimals, c->m->value);
	return c->m ? buf : "-";
}

// A counter's growth by second; it begins anew where warm-up ends.
static const char *growth_of(const struct cell *c, double elapsed_s, char buf[static CELL])
{
	double grown = c->m && c->before ? c->m->value - c->before->value : -1;

	if (grown < 0 || elapsed_s <= 0)
		return "-";
	snprintf(buf, CELL, "%.*f", grown / elapsed_s < 100 ? 1 : 0, grown / elapsed_s);
	return buf;
}

static bool is_same_object(const struct summary_row *a, const struct summary_row *b)
{
	return a->object_len == b->object_len &&
	       (!a->object || !memcmp(a->object, b->object, a->object_len));
}

// Returns the column of a figure, and adds it if it is new.
static unsigned column_of(struct kind_table *t, const struct summary_row *row)
{
	unsigned i = 0;

	while (i < t->columns && strcmp(t->column[i].row.figure, row->figure) != 0)
		i++;
	if (i == t->columns && i < COLUMNS_MAX) {
		t->column[i] = (struct column){*row, t->elapsed_s > 0 && live_counts(row)};
		t->columns++;
	}
	return i;
}

// Returns the same figure in the earlier snapshot. The lists of two snapshots are mostly equal, so
// it is looked for at the same place first.
static const struct metric *earlier(const struct metrics *before, unsigned at, const char *path)
{
	if (!before)
		return NULL;
	if (at < before->n && !strcmp(before->list[at].path, path))
		return &before->list[at];
	for (unsigned i = 0; i < before->n; i++)
		if (!strcmp(before->list[i].path, path))
			return &before->list[i];
	return NULL;
}

// Rows and columns of figures from..to.
static void lay_out(struct kind_table *t, const struct metrics *m, const struct metrics *before,
	unsigned from, unsigned to)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		t->rows = 0;
		for (unsigned i = from; i < to; i++) {
			struct summary_row row;
			unsigned c;

			summary_row(m->list[i].path, &row);
			c = column_of(t, &row);
			if (!t->rows || !is_same_object(&row, &t->of[t->rows - 1]))
				t->of[t->rows++] = row;
			if (pass && c < COLUMNS_MAX)
				t->cell[(size_t)(t->rows - 1) * t->columns + c] = (struct cell){
					&m->list[i], earlier(before, i, m->list[i].path)};
		}
		if (!pass)
			t->cell = calloc((size_t)t->rows * t->columns + 1, sizeof(*t->cell));
		if (!t->cell)
			return;
	}
}

static const char *row_object(const struct summary_row *row, char buf[static 2 * CELL])
{
	snprintf(buf, 2 * CELL, "%.*s", row->object ? (int)row->object_len : 3,
		row->object ? row->object : "all");
	return buf;
}

// Pass 0 finds the widths, pass 1 prints.
static void put_cell(FILE *f, bool print, int *width, const char *text, bool left)
{
	int n = (int)strlen(text);

	if (!print)
		*width = n > *width ? n : *width;
	else if (left)
		fprintf(f, "%-*s", *width, text);
	else
		fprintf(f, "  %*s", *width, text);
}

static void put_object_row(FILE *f, bool print, int *width, const struct kind_table *t, int row)
{
	char buf[2 * CELL], head[CELL + 2];

	put_cell(f, print, width, row < 0 ? t->word : row_object(&t->of[row], buf), true);
	for (unsigned c = 0; c < t->columns; c++) {
		const struct cell *cell = row < 0 ? NULL : &t->cell[(unsigned)row * t->columns + c];

		head_of(&t->column[c], head);
		put_cell(f, print, ++width, cell ? cell_text(cell, buf) : head, false);
		if (!t->column[c].rated)
			continue;
		snprintf(head, sizeof(head), "%s/s", t->column[c].row.figure);
		put_cell(
			f, print, ++width, cell ? growth_of(cell, t->elapsed_s, buf) : head, false);
	}
	if (print)
		fputc('\n', f);
}

static void put_kind_table(FILE *f, const struct kind_table *t, unsigned most)
{
	unsigned shown = most && t->rows > most ? most : t->rows;
	int width[2 * COLUMNS_MAX + 1] = {0};

	for (int pass = 0; pass < 2; pass++)
		for (int row = -1; row < (int)shown; row++)
			put_object_row(f, pass, width, t, row);
	fputc('\n', f);
	if (shown < t->rows)
		fprintf(f, "... and %u more; `quench stats %s` shows all of them\n\n",
			t->rows - shown, t->word);
}

// Figures of one kind, from..to of the list.
struct range {
	const char *word;
	unsigned from, to, rank;
};

// Returns the position of a kind among the patterns. A kind that only a wildcard names comes after
// all of them.
static unsigned rank_of(const char *word, const char *patterns)
{
	size_t n = strlen(word);
	const char *at = patterns;

	while ((at = strstr(at, word)) && (at[n] != '.' || (at > patterns && at[-1] != ',')))
		at += n;
	return at ? (unsigned)(at - patterns) : UINT32_MAX;
}

// The kinds of the list, in the order of the patterns. Figures of another version are left out.
static unsigned ranges_of(struct range *r, const struct metrics *m, const char *patterns)
{
	unsigned n = 0, k;

	for (unsigned i = 0; i < m->n; i++) {
		struct summary_row row;

		if (!summary_row(m->list[i].path, &row))
			continue;
		if (n && r[n - 1].to == i && !strcmp(r[n - 1].word, row.word)) {
			r[n - 1].to = i + 1;
			continue;
		}
		r[n++] = (struct range){row.word, i, i + 1, rank_of(row.word, patterns)};
	}
	for (unsigned i = 1; i < n; i++) {
		struct range one = r[i];

		for (k = i; k && r[k - 1].rank > one.rank; k--)
			r[k] = r[k - 1];
		r[k] = one;
	}
	return n;
}

int stats_table(FILE *f, const struct metrics *m, const struct metrics *before,
	const char *patterns, unsigned most, struct err *err)
{
	struct kind_table *t = calloc(1, sizeof(*t));
	struct range *r = calloc(m->n + 1ul, sizeof(*r));
	unsigned n = r ? ranges_of(r, m, patterns) : 0;
	bool good = t && r;

	for (unsigned i = 0; good && i < n; i++) {
		*t = (struct kind_table){.word = r[i].word};
		if (before && m->at_ps > before->at_ps)
			t->elapsed_s = (double)(m->at_ps - before->at_ps) / (double)PS_PER_S;
		t->of = calloc(r[i].to - r[i].from, sizeof(*t->of));
		if (t->of)
			lay_out(t, m, before, r[i].from, r[i].to);
		good = t->cell;
		if (good)
			put_kind_table(f, t, most);
		free(t->cell);
		free(t->of);
	}
	free(r);
	free(t);
	return good ? 0 : err_set(err, -ENOMEM, "no memory for a table");
}
