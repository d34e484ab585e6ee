// SPDX-License-Identifier: BSD-3-Clause
// The parts of a command's help, as --help and its manual page have them.
#include <stdarg.h>
#include <string.h>

#include "args.h"

#define WIDTH 80 // of a line of help

// snprintf at the end of what buf holds; stops growing where buf ends.
__attribute__((format(printf, 3, 4))) static void append(
	char *buf, size_t size, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
}

char *args_title(const struct args_command *c, char *buf, size_t size)
{
	snprintf(buf, size, "quench%s%s", c->name ? " " : "", c->name ? c->name : "");
	return buf;
}

static char *value_name(const struct args_option *o, char *buf, size_t size)
{
	snprintf(buf, size, "%s", o->value ? o->value : "");
	for (unsigned i = 0; !o->value && o->words && o->words[i]; i++)
		append(buf, size, "%s%s", i ? "|" : "", o->words[i]);
	return buf;
}

char *args_option_left(const struct args_option *o, char *buf, size_t size)
{
	char value[64], letter[8] = "";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	value_name(o, value, sizeof(value));
	snprintf(buf, size, "%s--%s%s%s", letter, o->name, *value ? " " : "", value);
	return buf;
}

char *args_option_help(const struct args_option *o, char *buf, size_t size)
{
	snprintf(buf, size, "%s", o->help);
	if (o->def)
		append(buf, size, " The default is %s.", o->def);
	return buf;
}

static void add_operands(const struct args_command *c, unsigned n, char *buf, size_t size)
{
	for (unsigned i = 0; i < n && c->operands && c->operands[i].name; i++) {
		const struct args_operand *o = &c->operands[i];

		append(buf, size, o->optional ? " [%s%s]" : " %s%s", o->name, o->many ? "..." : "");
	}
}

// The options of one verb, or "[options]" for those that are of the command.
static void add_options(const struct args_command *c, const char *verb, char *buf, size_t size)
{
	bool some = false;

	for (const struct args_option *const *o = c->options; *o; o++) {
		if (verb && (*o)->verb && !strcmp((*o)->verb, verb))
			append(buf, size, " [--%s]", (*o)->name);
		some |= !(*o)->verb && !(*o)->alone;
	}
	if (some)
		append(buf, size, " [options]");
	if (c->behind)
		append(buf, size, " [-- %s]", c->behind);
}

// A line for each verb; without verbs one line, and one for each option that stands alone.
bool args_synopsis(const struct args_command *c, unsigned i, char *buf, size_t size)
{
	const struct args_option *const *o = c->options;
	char value[64];

	args_title(c, buf, size);
	if (c->verbs) {
		for (unsigned k = 0; k <= i; k++)
			if (!c->verbs[k].name)
				return false;
		append(buf, size, " %s", c->verbs[i].name);
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
	append(buf, size, " --%s%s%s", (*o)->name, *value ? " " : "", value);
	return true;
}

char *args_example(const char *text, char *buf, size_t size)
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
			append(buf, size, " \\\n   ");
			column = 4;
		}
		append(buf, size, "%.*s", (int)(end - text), text);
		column += (size_t)(end - text);
		text = end;
	}
	return buf;
}

const char *args_status(const struct args_command *c, unsigned i, const char **meaning)
{
	static const struct {
		unsigned flag;
		const char *status, *meaning;
	} row[] = {
		{0, "0", "All is done."},
		{ARGS_VERDICT, "1",
			"A verdict failed, firmware crashed, or what was run did not do its part."},
		{0, "2",
			"The input is bad, or output cannot be written; a line says which and "
			"why."},
		{ARGS_STRICT, "3", "With --strict: the instrument broke its own timing."},
		{ARGS_SIGNAL, "129, 130, 143",
			"SIGHUP, SIGINT or SIGTERM ended it. What was done until then is shown "
			"and written; a second signal ends it at once."},
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
