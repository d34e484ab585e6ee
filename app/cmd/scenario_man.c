// SPDX-License-Identifier: BSD-3-Clause
// quench-scenario(5): every option of a scenario by its path, from the option tables.
#include "scenario_man.h"

#include <string.h>

#include "cli/cli.h"
#include "schema/schema.h"

#define PATH_SIZE 256

static const char about[] =
	".SH DESCRIPTION\n"
	"A scenario is a YAML file that says what is simulated and measured, on both clocks.\n"
	"An option stands in it by its path: the keys from the outermost map on, with dots "
	"between them\n"
	"where it is written on a command line, as in\n"
	".BR \"\\-\\-set switches.s1.buffer=8MB\" .\n"
	"NAME stands for the name of a thing, or for a range of names as in h1..8;\n"
	"N stands for a number: of a class, or of a line of a list, of which the first has 0.\n"
	".PP\n"
	"An unknown option is an error. A value that a thing does not have comes from\n"
	".B defaults\n"
	"and, where it does not stand there, from the default below.\n"
	".B quench check\n"
	"shows each value and where it comes from.\n"
	"An option marked\n"
	".B live\n"
	"may change while the scene runs, by an event\n"
	".BR set .\n"
	".SH OPTIONS\n";

static bool is_nested(const struct opt *row)
{
	return row->type == OPT_MAP || row->type == OPT_KEYED || row->type == OPT_SECTION ||
	       row->type == OPT_LIST;
}

// The meaning, the values and the default of a row.
static void row_help(const struct opt *row, char *buf, size_t size)
{
	char wants[ERR_HINT], limits[80];

	opt_wants(row, wants, sizeof(wants));
	opt_limits(row, limits, sizeof(limits));
	if (is_nested(row))
		snprintf(buf, size, "%s%s%s", row->help, row->excludes ? "; not beside " : "",
			row->excludes ? row->excludes : "");
	else
		snprintf(buf, size, "%s (%s%s%s%s%s%s%s%s%s)", row->help, wants,
			*limits ? "; " : "", limits,
			row->flags & OPT_F_REQUIRED ? "; required" : "",
			row->def ? "; default " : "", row->def ? row->def : "",
			row->excludes ? "; not beside " : "", row->excludes ? row->excludes : "",
			row->flags & OPT_F_LIVE ? "; live" : "");
}

static void man_table(const struct opt_table *t, const char *under, FILE *f);

static void nested(const struct opt *row, const char *path, FILE *f)
{
	char under[PATH_SIZE + 8];

	snprintf(under, sizeof(under), "%s%s", path,
		row->type == OPT_MAP || row->type == OPT_ANY ? "."
		: row->type == OPT_SECTION                   ? ".NAME."
							     : ".N.");
	man_table(row->sub, under, f);
	for (const struct opt_variant *v = row->variants; v && v->example; v++) {
		fputs(".PP\nA ", f);
		args_roff(v->table->name, f);
		fputs(" has these instead:\n", f);
		man_table(v->table, under, f);
	}
}

// defaults.hosts and the like have what the thing itself has: the example is missing there.
static void row_text(const struct opt *row, const char *under, FILE *f)
{
	char path[PATH_SIZE], text[2 * ERR_HINT];

	snprintf(path, sizeof(path), "%s%s", under, row->key);
	row_help(row, text, sizeof(text));
	args_man_entry(path, text, f);
	if (row->sub && (row->type != OPT_SECTION || row->example))
		nested(row, path, f);
}

static void man_table(const struct opt_table *t, const char *under, FILE *f)
{
	for (unsigned i = 0; i < t->n; i++)
		row_text(&t->row[i], under, f);
}

void scenario_man(FILE *f)
{
	args_man_head("quench-scenario", "5", "the scenario file of quench", f);
	fputs(about, f);
	for (unsigned i = 0; i < scene_opts_scene.n; i++) {
		const struct opt *row = &scene_opts_scene.row[i];

		if (is_nested(row))
			fprintf(f, ".SS %s\n", row->key);
		row_text(row, "", f);
	}
	fputs(".SH SEE ALSO\n.BR quench (1),\n.BR quench\\-run (1),\n.BR quench\\-check (1)\n", f);
}
