// SPDX-License-Identifier: BSD-3-Clause
// The reference of a scenario: every option with its meaning, as a scenario that loads.
#include <stdlib.h>
#include <string.h>

#include "schema.h"
#include "text.h"

#define WIDTH 100 // of a line, at most

struct ref {
	FILE *f;
	unsigned indent; // levels
	bool aside;      // commented out
	bool dash;       // the next key begins a list's item
};

static void begin_line(struct ref *r)
{
	fprintf(r->f, "%*s%s%s", (int)(2 * r->indent), "", r->aside ? "# " : "",
		r->dash ? "- " : "");
	if (r->dash)
		r->indent++;
	r->dash = false;
}

// A comment at the indentation, in lines of at most WIDTH columns.
static void comment(const struct ref *r, const char *text)
{
	const int left = (int)(2 * r->indent) + 1; // up to the #
	int column = left;

	fprintf(r->f, "%*s", left, "#");
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column > left && column + 1 + n > WIDTH) {
			fprintf(r->f, "\n%*s", left, "#");
			column = left;
		}
		column += fprintf(r->f, " %.*s", n, text);
		text += n + (text[n] == ' ');
	}
	fputc('\n', r->f);
}

static void help(const struct ref *r, const struct opt *row)
{
	char wants[ERR_HINT], limits[80], text[2 * ERR_HINT + 1024];
	bool single = row->type != OPT_MAP && row->type != OPT_KEYED && row->type != OPT_SECTION &&
		      row->type != OPT_LIST;
	int n = snprintf(text, sizeof(text), "%s", row->help);

	opt_wants(row, wants, sizeof(wants));
	opt_limits(row, limits, sizeof(limits));
	if (single)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " (%s%s%s%s%s%s%s)", wants,
			*limits ? "; " : "", limits,
			row->flags & OPT_F_REQUIRED ? "; required" : "",
			row->def ? "; default " : "", row->def ? row->def : "",
			row->flags & OPT_F_LIVE ? "; live" : "");
	if (row->excludes)
		snprintf(text + n, sizeof(text) - (size_t)n, "; not beside %s", row->excludes);
	comment(r, text);
}

static void table(struct ref *r, const struct opt_table *t);

static void nested(struct ref *r, const struct opt *row)
{
	begin_line(r);
	fprintf(r->f, "%s:\n", row->key);
	r->indent++;
	if (row->type == OPT_KEYED || row->type == OPT_SECTION) {
		begin_line(r);
		fprintf(r->f, strchr(row->example, ':') ? "\"%s\":\n" : "%s:\n", row->example);
		r->indent++;
	}
	r->dash = row->type == OPT_LIST;
	table(r, row->sub);
	for (const struct opt_variant *v = row->variants; v && v->example; v++) {
		r->indent--;
		begin_line(r);
		fprintf(r->f, "%s:\n", v->example);
		r->indent++;
		table(r, v->table);
	}
	r->indent -= row->type == OPT_MAP ? 1 : 2;
}

static void row_text(struct ref *r, const struct opt *row)
{
	bool outside = r->aside;

	// The help of a list's first key goes before its dash.
	help(r, row);
	r->aside |= (row->flags & OPT_F_ASIDE) != 0;
	if (row->sub && row->type != OPT_ANY && (row->type != OPT_SECTION || row->example)) {
		nested(r, row);
	} else if (!row->sub || row->type == OPT_ANY) {
		begin_line(r);
		fprintf(r->f, "%s: %s\n", row->key, row->example ? row->example : row->def);
	}
	r->aside = outside;
}

static void table(struct ref *r, const struct opt_table *t)
{
	for (unsigned i = 0; i < t->n; i++)
		row_text(r, &t->row[i]);
}

char *scene_reference(void)
{
	struct ref r = {0};
	char *text = NULL;
	size_t size = 0;

	r.f = open_memstream(&text, &size);
	if (!r.f)
		return NULL;
	fputs("# SPDX-License-Identifier: BSD-3-Clause\n"
	      "# Every option of a scenario, with its meaning, values and default. Written by\n"
	      "# `quench check --reference`; a test compares. Options that exclude others are\n"
	      "# commented out. `live`: an event `set` may change it while the scene runs.\n",
		r.f);
	for (unsigned i = 0; i < scene_opts_scene.n; i++) {
		fputc('\n', r.f);
		row_text(&r, &scene_opts_scene.row[i]);
	}
	if (fclose(r.f) == 0)
		return text;
	free(text);
	return NULL;
}
