// SPDX-License-Identifier: BSD-3-Clause
// Output from the table of a command: --help, and its manual page.
#include "args.h"

#include <ctype.h>
#include <string.h>

#define WIDTH 80 // of a line of help

char *args_title(const struct args_command *c, char *buf, size_t size)
{
	snprintf(buf, size, "quench%s%s", c->name ? " " : "", c->name ? c->name : "");
	return buf;
}

static char *value_name(const struct args_option *o, char *buf, size_t size)
{
	snprintf(buf, size, "%s", o->value ? o->value : "");
	for (unsigned i = 0; !o->value && o->words && o->words[i]; i++)
		append_text(buf, size, "%s%s", i ? "|" : "", o->words[i]);
	return buf;
}

// "--clock virtual|real|both", "-c, --count N".
static char *option_left(const struct args_option *o, char *buf, size_t size)
{
	char value[64], letter[8] = "";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	value_name(o, value, sizeof(value));
	snprintf(buf, size, "%s--%s%s%s", letter, o->name, *value ? " " : "", value);
	return buf;
}

// The help text of an option, with its default.
static char *option_help(const struct args_option *o, char *buf, size_t size)
{
	snprintf(buf, size, "%s", o->help);
	if (o->def)
		append_text(buf, size, " The default is %s.", o->def);
	return buf;
}

static void add_operands(const struct args_command *c, unsigned n, char *buf, size_t size)
{
	for (unsigned i = 0; i < n && c->operands && c->operands[i].name; i++) {
		const struct args_operand *o = &c->operands[i];

		append_text(buf, size, o->optional ? " [%s%s]" : " %s%s", o->name,
			o->many ? "..." : "");
	}
}

// Adds the options of one verb, or "[options]" for the command's own.
static void add_options(const struct args_command *c, const char *verb, char *buf, size_t size)
{
	bool some = false;

	for (const struct args_option *const *o = c->options; *o; o++) {
		if (verb && (*o)->verb && !strcmp((*o)->verb, verb))
			append_text(buf, size, " [--%s]", (*o)->name);
		some |= !(*o)->verb && !(*o)->alone;
	}
	if (some)
		append_text(buf, size, " [options]");
	if (c->behind)
		append_text(buf, size, " [-- %s]", c->behind);
}

// Writes the i-th form of a command: "quench run SCENARIO [options]"; false: there are no more. A
// command with verbs has a line for each verb. Other commands have one line, and another for each
// option that is used alone.
static bool synopsis(const struct args_command *c, unsigned i, char *buf, size_t size)
{
	const struct args_option *const *o = c->options;
	char value[64];

	args_title(c, buf, size);
	if (c->verbs) {
		for (unsigned k = 0; k <= i; k++)
			if (!c->verbs[k].name)
				return false;
		append_text(buf, size, " %s", c->verbs[i].name);
		add_operands(c, c->verbs[i].n, buf, size);
		add_options(c, c->verbs[i].name, buf, size);
		return true;
	}
	if (!i) {
		add_operands(c, UINT32_MAX, buf, size);
		add_options(c, NULL, buf, size);
		return true;
	}
	for (; *o; o++)
		if ((*o)->alone && !--i)
			break;
	if (!*o)
		return false;
	value_name(*o, value, sizeof(value));
	append_text(buf, size, " --%s%s%s", (*o)->name, *value ? " " : "", value);
	return true;
}

// Writes an example in lines of at most 78 characters that can be pasted into a shell.
static char *example(const char *text, char *buf, size_t size)
{
	const size_t most = WIDTH - 4;
	size_t column = 0;

	*buf = 0;
	while (*text) {
		// A piece ends before the next option or the next command of a pipe, not within
		// quotes.
		const char *end = text;
		bool quoted = false;

		do
			quoted ^= *end++ == '\'';
		while (*end && (quoted || (strncmp(end, " --", 3) && strncmp(end, " | ", 3))));
		if (column && column + (size_t)(end - text) > most) {
			append_text(buf, size, " \\\n   ");
			column = 4;
		}
		append_text(buf, size, "%.*s", (int)(end - text), text);
		column += (size_t)(end - text);
		text = end;
	}
	return buf;
}

// The i-th exit status of a command and its meaning; NULL: there are no more.
static const char *status_row(const struct args_command *c, unsigned i, const char **meaning)
{
	static const struct {
		unsigned flag;
		const char *status, *meaning;
	} row[] = {
		{0, "0", "All is done."},
		{ARGS_VERDICT, "1",
			"A verdict failed, firmware or a plug-in crashed, a loop hung, a job waits "
			"for ever, or a command did not do its part."},
		{0, "2", "The input is bad, or output cannot be written; a line says why."},
		{ARGS_STRICT, "3",
			"With --strict: the instrument broke its own timing, lost frames itself or "
			"events that a criterion asks for, a device was gone for good, a port had "
			"no link for a time, or only the device could judge a criterion."},
		{ARGS_SIGNAL, "129, 130, 143",
			"SIGHUP, SIGINT or SIGTERM ended it; another signal that ends a process "
			"gives 128 and its number. The results so far are shown and written; "
			"a second signal ends it at once."},
	};

	for (unsigned k = 0; k < sizeof(row) / sizeof(row[0]); k++) {
		if (row[k].flag && !(c->statuses & row[k].flag))
			continue;
		if (!i--) {
			*meaning = row[k].meaning;
			return row[k].status;
		}
	}
	return NULL;
}

#define TEXT 24 // column of an option's meaning

// Prints the words of a text. `column`: columns of the first line that are already used. Each
// further line begins at `indent`.
static void print_folded(FILE *f, const char *text, size_t column, size_t indent)
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
static void help_entry(FILE *f, const char *left, const char *text)
{
	int n = fprintf(f, "  %s", left);

	if (n > TEXT - 2)
		fprintf(f, "\n%*s", TEXT, "");
	else
		fprintf(f, "%*s", TEXT - n, "");
	print_folded(f, text, TEXT, TEXT);
}

static void help_option(const struct args_option *o, FILE *f)
{
	char left[96], text[1024];

	help_entry(f, option_left(o, left, sizeof(left)), option_help(o, text, sizeof(text)));
}

static const char *const group_title[ARGS_GROUPS] = {"options", "recording", "real clock"};

static bool has_group(const struct args_command *c, enum args_group group)
{
	for (const struct args_option *const *o = c->options; *o; o++)
		if ((*o)->group == group)
			return true;
	return group == ARGS_COMMON; // --help
}

// Calls `print` for each option of a group. --help is the last of the common ones.
static void each_option(const struct args_command *c, enum args_group group, FILE *f,
	void (*print)(const struct args_option *o, FILE *f))
{
	for (const struct args_option *const *o = c->options; *o; o++)
		if ((*o)->group == group)
			print(*o, f);
	if (group == ARGS_COMMON)
		print(&args_help_option, f);
}

void args_help(const struct args_command *c, FILE *f)
{
	char line[1024], title[64];
	const char *status, *meaning;

	fprintf(f, "%s: %s\n\n", args_title(c, title, sizeof(title)), c->summary);
	for (unsigned i = 0; synopsis(c, i, line, sizeof(line)); i++)
		fprintf(f, "%s %s\n", i ? "      " : "usage:", line);
	fputc('\n', f);
	print_folded(f, c->about, 0, 0);
	fputc('\n', f);
	for (const struct args_command *const *k = c->commands; k && *k; k++)
		fprintf(f, "  %-8s %s\n", (*k)->name, (*k)->summary);
	for (const struct args_verb *v = c->verbs; v && v->name; v++)
		help_entry(f, v->name, v->help);
	if (c->verbs || c->commands)
		fputc('\n', f);
	for (enum args_group g = 0; g < ARGS_GROUPS; g++) {
		if (!has_group(c, g))
			continue;
		fprintf(f, "%s:\n", group_title[g]);
		each_option(c, g, f, help_option);
		fputc('\n', f);
	}
	fputs("examples:\n", f);
	for (const char *const *e = c->examples; *e; e++)
		fprintf(f, "  %s\n", example(*e, line, sizeof(line)));
	fputs("\nexit status:\n", f);
	for (unsigned i = 0; (status = status_row(c, i, &meaning)); i++)
		help_entry(f, status, meaning);
}

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

static void man_synopsis(const struct args_command *c, FILE *f)
{
	char line[1024];

	fputs(".SH SYNOPSIS\n.nf\n", f);
	for (unsigned i = 0; synopsis(c, i, line, sizeof(line)); i++) {
		args_roff(line, f);
		fputc('\n', f);
	}
	fputs(".fi\n", f);
}

// Paragraphs, which an empty line parts.
static void man_about(const char *text, FILE *f)
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

static void man_option(const struct args_option *o, FILE *f)
{
	char left[96], text[1024];

	args_man_entry(option_left(o, left, sizeof(left)), option_help(o, text, sizeof(text)), f);
}

static void man_examples(const struct args_command *c, FILE *f)
{
	char text[1024];

	fputs(".SH EXAMPLES\n.nf\n", f);
	for (const char *const *e = c->examples; *e; e++) {
		args_roff(example(*e, text, sizeof(text)), f);
		fputc('\n', f);
	}
	fputs(".fi\n", f);
}

// Names the other manual pages; quench(1) names all of them.
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
	man_synopsis(c, f);
	man_about(c->about, f);
	if (c->verbs || c->commands)
		fputs(".SH COMMANDS\n", f);
	for (const struct args_command *const *k = c->commands; k && *k; k++)
		args_man_entry((*k)->name, (*k)->summary, f);
	for (const struct args_verb *v = c->verbs; v && v->name; v++)
		args_man_entry(v->name, v->help, f);
	fputs(".SH OPTIONS\n", f);
	for (enum args_group g = 0; g < ARGS_GROUPS; g++) {
		if (!has_group(c, g))
			continue;
		if (g != ARGS_COMMON)
			fprintf(f, ".SS \"%s\"\n", group_title[g]);
		each_option(c, g, f, man_option);
	}
	fputs(".SH EXIT STATUS\n", f);
	for (unsigned i = 0; (status = status_row(c, i, &meaning)); i++)
		args_man_entry(status, meaning, f);
	man_examples(c, f);
	see_also(c, quench, f);
}
