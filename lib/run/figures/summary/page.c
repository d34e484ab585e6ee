// SPDX-License-Identifier: BSD-3-Clause
// The meanings of all figures as a page, from the rows of the kinds.
#include "int.h"

static void put_figure_row(FILE *f, const struct figure *m)
{
	fprintf(f, "| `%s` | %s | %s |\n", m->name, m->unit, m->meaning);
}

// Writes a kind as Markdown: its meaning, its paths, a table.
static void put_kind_section(FILE *f, const struct kind *k)
{
	struct figure m;

	fprintf(f, "## %s\n%s\n\n", k->title, k->about);
	if (k->key)
		fprintf(f, "In summary.json: `%s`. ", k->key);
	if (k->path && k->single)
		fprintf(f, "By path: `%s.FIGURE`.\n", k->path);
	else if (k->path)
		fprintf(f, "By path: `%s.%s.FIGURE`.\n", k->path, k->example);
	else
		fprintf(f, "No path leads to it.\n");
	fprintf(f, "\n| figure | unit | meaning |\n| --- | --- | --- |\n");
	for (unsigned i = 0; kind_member(k, i, &m); i++)
		if (figure_is_number(&m))
			put_figure_row(f, &m);
	for (unsigned i = 0; kind_member(k, i, &m); i++)
		if (!figure_is_number(&m))
			put_figure_row(f, &m);
	fputc('\n', f);
}

void summary_page(FILE *f)
{
	fprintf(f,
		"# Figures\n"
		"Each kind of thing that is reported, and its figures. "
		"Rows below the figures that have no unit and name the object are in summary.json "
		"only.\n\n");
	for (unsigned k = 0; k < KINDS; k++)
		put_kind_section(f, summary_kind[k]);
}

// Text in columns from `indent` on, broken at blanks.
static void put_wrapped(FILE *f, const char *text, unsigned indent, unsigned width)
{
	unsigned room = width > indent + 20 ? width - indent : 20, at = 0;

	while (*text) {
		unsigned n = (unsigned)strcspn(text, " ");

		if (at && at + 1 + n > room) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = 0;
		} else if (at) {
			fputc(' ', f);
			at++;
		}
		fprintf(f, "%.*s", (int)n, text);
		at += n;
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

static void put_figure_line(FILE *f, const struct figure *m, int names, int units, unsigned width)
{
	fprintf(f, "  %-*s  %-*s  ", names, m->name, units, m->unit);
	put_wrapped(f, m->meaning, (unsigned)(names + units) + 6, width);
}

static void put_kind_text(FILE *f, const struct kind *k, unsigned width)
{
	int names = 0, units = 0;
	struct figure m;

	for (unsigned i = 0; kind_member(k, i, &m); i++) {
		if (!figure_is_number(&m))
			continue;
		names = (int)strlen(m.name) > names ? (int)strlen(m.name) : names;
		units = (int)strlen(m.unit) > units ? (int)strlen(m.unit) : units;
	}
	if (k->single)
		fprintf(f, "%s: %s.FIGURE\n", k->title, k->path);
	else
		fprintf(f, "%s: %s.%s.FIGURE\n", k->title, k->path, k->example);
	put_wrapped(f, k->about, 0, width);
	for (unsigned i = 0; kind_member(k, i, &m); i++)
		if (figure_is_number(&m))
			put_figure_line(f, &m, names, units, width);
	fputc('\n', f);
}

bool summary_page_of(FILE *f, const char *word, unsigned width)
{
	bool any = false;

	for (unsigned k = 0; k < KINDS; k++) {
		if (!summary_kind[k]->path || strcmp(summary_kind[k]->path, word) != 0)
			continue;
		put_kind_text(f, summary_kind[k], width);
		any = true;
	}
	return any;
}

void summary_kinds(FILE *f)
{
	for (unsigned k = 0; k < KINDS; k++) {
		const char *path = summary_kind[k]->path;

		if (path && (!k || !summary_kind[k - 1]->path ||
				    strcmp(path, summary_kind[k - 1]->path) != 0))
			fprintf(f, "  %-12s %-22s %s\n", path,
				summary_kind[k]->single ? "" : summary_kind[k]->example,
				summary_kind[k]->title);
	}
}
