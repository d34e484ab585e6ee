// SPDX-License-Identifier: BSD-3-Clause
// The manual page of a command, from its table.
#include <ctype.h>
#include <string.h>

#include "args.h"

void args_roff(const char *text, FILE *f)
{
	bool bold = false, begins = true;

	for (; *text; begins = *text++ == '\n') {
		if (begins && (*text == '.' || *text == '\''))
			fputs("\\&", f);
		if (*text == '`')
			fputs((bold = !bold) ? "\\fB" : "\\fP", f);
		else if (*text == '\\')
			fputs("\\e", f);
		else if (*text == '-')
			fputs("\\-", f);
		else if (*text == '\'')
			fputs("\\(aq", f);
		else if (*text == '^')
			fputs("\\(ha", f);
		else if (*text == '~')
			fputs("\\(ti", f);
		else
			fputc(*text, f);
	}
}

void args_man_head(const char *page, const char *section, const char *summary, FILE *f)
{
	fputs(".\\\" SPDX-License-Identifier: BSD-3-Clause\n.TH \"", f);
	for (const char *c = page; *c; c++)
		fputc(toupper((unsigned char)*c), f);
	fprintf(f, "\" %s \"\" \"quench " QUENCH_VERSION "\" \"quench\"\n.SH NAME\n%s \\- ",
		section, page);
	args_roff(summary, f);
	fputc('\n', f);
}

void args_man_entry(const char *term, const char *text, FILE *f)
{
	fputs(".TP\n\\fB", f);
	args_roff(term, f);
	fputs("\\fP\n", f);
	args_roff(text, f);
	fputc('\n', f);
}

static void synopsis(const struct args_command *c, FILE *f)
{
	char line[1024];

	fputs(".SH SYNOPSIS\n.nf\n", f);
	for (unsigned i = 0; args_synopsis(c, i, line, sizeof(line)); i++) {
		args_roff(line, f);
		fputc('\n', f);
	}
	fputs(".fi\n", f);
}

// Paragraphs, which an empty line parts.
static void about(const char *text, FILE *f)
{
	fputs(".SH DESCRIPTION\n", f);
	for (const char *end; *text; text = end + strspn(end, "\n")) {
		char part[2048];

		end = strstr(text, "\n\n");
		end = end ? end : text + strlen(text);
		snprintf(part, sizeof(part), "%.*s", (int)(end - text), text);
		fputs(".PP\n", f);
		args_roff(part, f);
		fputc('\n', f);
	}
}

static void option(const struct args_option *o, FILE *f)
{
	char left[96], text[1024];

	args_man_entry(args_option_left(o, left, sizeof(left)),
		args_option_help(o, text, sizeof(text)), f);
}

static void examples(const struct args_command *c, FILE *f)
{
	char text[1024];

	fputs(".SH EXAMPLES\n.nf\n", f);
	for (const char *const *e = c->examples; *e; e++) {
		args_roff(args_example(*e, text, sizeof(text)), f);
		fputc('\n', f);
	}
	fputs(".fi\n", f);
}

// The other pages, all of which quench(1) names.
static void see_also(const struct args_command *c, const struct args_command *quench, FILE *f)
{
	fputs(".SH SEE ALSO\n", f);
	if (c != quench)
		fputs(".BR quench (1),\n", f);
	for (const struct args_command *const *o = quench->commands; *o; o++)
		if (*o != c)
			fprintf(f, ".BR quench\\-%s (1),\n", (*o)->name);
	fputs(".BR quench\\-scenario (5)\n", f);
}

void args_man(const struct args_command *c, const struct args_command *quench, FILE *f)
{
	const char *status, *meaning;
	char page[64];

	snprintf(page, sizeof(page), "quench%s%s", c->name ? "-" : "", c->name ? c->name : "");
	args_man_head(page, "1", c->summary, f);
	synopsis(c, f);
	about(c->about, f);
	if (c->verbs || c->commands)
		fputs(".SH COMMANDS\n", f);
	for (const struct args_command *const *k = c->commands; k && *k; k++)
		args_man_entry((*k)->name, (*k)->summary, f);
	for (const struct args_verb *v = c->verbs; v && v->name; v++)
		args_man_entry(v->name, v->help, f);
	fputs(".SH OPTIONS\n", f);
	for (const struct args_option *const *o = c->options; *o; o++)
		option(*o, f);
	option(&args_help_option, f);
	fputs(".SH EXIT STATUS\n", f);
	for (unsigned i = 0; (status = args_status(c, i, &meaning)); i++)
		args_man_entry(status, meaning, f);
	examples(c, f);
	see_also(c, quench, f);
}
