// SPDX-License-Identifier: BSD-3-Clause
// What --help prints, from the table of a command.
#include <string.h>

#include "args.h"

#define WIDTH 80
#define TEXT  24 // column of what an option does

// Words of a text, of which `column` columns of the line are taken; each line after the first
// begins at `indent`.
static void fold(FILE *f, const char *text, size_t column, size_t indent)
{
	while (*text) {
		size_t n = strcspn(text, " \n");

		if (column > indent && column + 1 + n > WIDTH) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', f);
			column++;
		}
		fwrite(text, 1, n, f);
		column += n;
		text += n;
		if (!strncmp(text, "\n\n", 2)) {
			fprintf(f, "\n\n%*s", (int)indent, "");
			column = indent;
		}
		text += strspn(text, " \n");
	}
	fputc('\n', f);
}

// Two columns, the second one folded.
static void entry(FILE *f, const char *left, const char *text)
{
	int n = fprintf(f, "  %s", left);

	if (n > TEXT - 2)
		fprintf(f, "\n%*s", TEXT, "");
	else
		fprintf(f, "%*s", TEXT - n, "");
	fold(f, text, TEXT, TEXT);
}

static void option(FILE *f, const struct args_option *o)
{
	char left[96], text[1024];

	entry(f, args_option_left(o, left, sizeof(left)), args_option_help(o, text, sizeof(text)));
}

void args_help(const struct args_command *c, FILE *f)
{
	char line[1024], title[64];
	const char *status, *meaning;

	fprintf(f, "%s: %s\n\n", args_title(c, title, sizeof(title)), c->summary);
	for (unsigned i = 0; args_synopsis(c, i, line, sizeof(line)); i++)
		fprintf(f, "%s %s\n", i ? "      " : "usage:", line);
	fputc('\n', f);
	fold(f, c->about, 0, 0);
	fputc('\n', f);
	for (const struct args_command *const *k = c->commands; k && *k; k++)
		fprintf(f, "  %-8s %s\n", (*k)->name, (*k)->summary);
	for (const struct args_verb *v = c->verbs; v && v->name; v++)
		entry(f, v->name, v->help);
	fputs(c->verbs || c->commands ? "\noptions:\n" : "options:\n", f);
	for (const struct args_option *const *o = c->options; *o; o++)
		option(f, *o);
	option(f, &args_help_option);
	fputs("\nexamples:\n", f);
	for (const char *const *e = c->examples; *e; e++)
		fprintf(f, "  %s\n", args_example(*e, line, sizeof(line)));
	fputs("\nexit status:\n", f);
	for (unsigned i = 0; (status = args_status(c, i, &meaning)); i++)
		entry(f, status, meaning);
}
