// SPDX-License-Identifier: BSD-3-Clause
// The small files of a folder as tables of text.
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// The columns of files without a header.
static const char fct_columns[] = "sip dip sport dport size start fct standalone_fct";

struct filling {
	struct saved *s;
	const char **cell;
	size_t n, room;
	unsigned columns;
};

static bool add(struct filling *f, char *const *cell)
{
	if (f->n + f->columns > f->room) {
		size_t room = f->room ? 2 * f->room : 1024;
		const char **more = realloc(f->cell, room * sizeof(*more));

		if (!more)
			return false;
		f->cell = more;
		f->room = room;
	}
	for (unsigned i = 0; i < f->columns; i++) {
		f->cell[f->n] = arena_text(&f->s->arena, cell[i], strlen(cell[i]));
		if (!f->cell[f->n++])
			return false;
	}
	return true;
}

// Reads the rows of the file; broken rows count as missing.
static void read_rows(struct filling *f, struct csv *c)
{
	struct bad bad = {0};
	enum csv_got got;

	while ((got = csv_next(c)) == CSV_ROW)
		if (c->n != f->columns || !add(f, c->cell))
			if (!bad.n++)
				bad.first = c->number;
	if (got == CSV_CUT)
		saved_miss(
			f->s, "%s ends within line %llu.", c->file, (unsigned long long)c->number);
	saved_miss_lines(f->s, c->file, &bad);
}

static bool header(struct filling *f, struct csv *c, struct saved_table *t)
{
	char *names = arena_text(&f->s->arena, fct_columns, sizeof(fct_columns) - 1);
	char *cell[CSV_COLUMNS];
	const char **name;

	if (!names)
		return false;
	if (c->apart == ' ') {
		f->columns = csv_split(names, ' ', cell);
	} else {
		if (csv_next(c) != CSV_ROW)
			return false;
		f->columns = c->n;
		memcpy(cell, c->cell, c->n * sizeof(*cell));
	}
	name = arena_get(&f->s->arena, f->columns * sizeof(*name));
	if (!name)
		return false;
	for (unsigned i = 0; i < f->columns; i++) {
		name[i] = arena_text(&f->s->arena, cell[i], strlen(cell[i]));
		if (!name[i])
			return false;
	}
	t->name = name;
	t->columns = f->columns;
	return true;
}

const struct saved_table *saved_table(struct saved *s, const char *file)
{
	struct filling f = {.s = s};
	struct tables *t = s->tables;
	struct csv c;
	size_t len = strlen(file);

	while (t && strcmp(t->file, file) != 0)
		t = t->next;
	if (t)
		return t->whole ? &t->t : NULL;
	t = arena_get(&s->arena, sizeof(*t));
	if (!t)
		return NULL;
	t->file = arena_text(&s->arena, file, len);
	if (!t->file || csv_open(&c, s->dir, t->file, strcmp(file + len - 4, ".txt") ? ',' : ' '))
		return NULL;
	t->next = s->tables;
	s->tables = t;
	if (header(&f, &c, &t->t)) {
		const char **cell;

		read_rows(&f, &c);
		cell = arena_get(&s->arena, (f.n + 1) * sizeof(*cell));
		if (cell) {
			if (f.n)
				memcpy(cell, f.cell, f.n * sizeof(*cell));
			t->t.cell = cell;
			t->t.rows = (unsigned)(f.n / f.columns);
			t->whole = true;
		}
	} else {
		saved_miss(s, "%s does not begin with the names of its columns.", file);
	}
	free(f.cell);
	csv_close(&c);
	return t->whole ? &t->t : NULL;
}

int saved_column(const struct saved_table *t, const char *name)
{
	return csv_find((char *const *)t->name, t->columns, name);
}
