// SPDX-License-Identifier: BSD-3-Clause
// Reads the words of a command line by the table of its command.
#include "args.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tell.h"
#include "conf/conf.h"

// The values that an option takes: "1..256" or "virtual, real or both".
static char *wants(const struct args_option *o, char *buf, size_t size)
{
	*buf = 0;
	switch (o->kind) {
	case ARGS_WORD:
		for (unsigned i = 0; o->words[i]; i++)
			append_text(buf, size, "%s%s",
				!i                ? ""
				: o->words[i + 1] ? ", "
						  : " or ",
				o->words[i]);
		break;
	case ARGS_NUMBER:
		if (o->max)
			snprintf(buf, size, "%llu..%llu", (unsigned long long)o->min,
				(unsigned long long)o->max);
		else
			snprintf(buf, size, "a whole number from %llu", (unsigned long long)o->min);
		break;
	case ARGS_TIME:
		snprintf(buf, size, "a time above zero, as in 20ms or 2s");
		break;
	case ARGS_RATE:
		snprintf(buf, size, "%s", units_example(UNITS_RATE));
		break;
	default:
		snprintf(buf, size, "%s", o->value);
	}
	return buf;
}

static bool read_word(const struct args_option *o, const char *value, uint64_t *v)
{
	for (*v = 0; o->words[*v]; (*v)++)
		if (!strcmp(o->words[*v], value))
			return true;
	return false;
}

static bool read_number(const struct args_option *o, const char *value, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && !errno && *v >= o->min &&
	       (!o->max || *v <= o->max);
}

static bool read_units(enum units_kind kind, const char *value, uint64_t *v)
{
	return units_parse(kind, value, v) == UNITS_OK && *v;
}

// Reads a value into the field of its option. -EINVAL and a line.
static int read_value(const struct args_option *o, void *to, const char *value, struct err *err)
{
	char *at = (char *)to + o->at, wanted[256];
	uint64_t v = 0;
	uint32_t narrow;
	bool good = true;

	switch (o->kind) {
	case ARGS_FLAG:
		*(bool *)at = true;
		return 0;
	case ARGS_TEXT:
		*(const char **)at = value;
		return 0;
	case ARGS_CALL:
		return o->take(to, value, err);
	case ARGS_WORD:
		good = read_word(o, value, &v);
		break;
	case ARGS_NUMBER:
		good = read_number(o, value, &v);
		break;
	case ARGS_TIME:
		good = read_units(UNITS_TIME, value, &v);
		break;
	case ARGS_RATE:
		good = read_units(UNITS_RATE, value, &v);
		break;
	}
	if (!good)
		return err_set(err, -EINVAL, "--%s '%s': %s", o->name, value,
			wants(o, wanted, sizeof(wanted)));
	narrow = (uint32_t)v;
	memcpy(at, o->size == sizeof(narrow) ? (void *)&narrow : (void *)&v, o->size);
	return 0;
}

// A line on stderr behind the command's title. Returns ARGS_WRONG.
static int args_error(const struct args_command *c, const char *text)
{
	char title[64];

	tell("%s: %s", args_title(c, title, sizeof(title)), text);
	return ARGS_WRONG;
}

// Sets how many operands may follow the options, the verb included.
static void bounds(const struct args_command *c, const char *verb, unsigned *min, unsigned *max)
{
	const struct args_verb *v = c->verbs;

	*min = *max = 0;
	while (v && v->name && (!verb || strcmp(v->name, verb) != 0))
		v++;
	if (v) {
		*min = *max = v->name ? v->n + 1 : 1;
		return;
	}
	for (const struct args_operand *o = c->operands; o && o->name; o++) {
		*min += !o->optional;
		*max = o->many ? UINT32_MAX : *max + 1;
	}
}

static bool is_verb(const struct args_command *c, const char *word)
{
	for (const struct args_verb *v = c->verbs; v && v->name; v++)
		if (!strcmp(v->name, word))
			return true;
	return !c->verbs;
}

// Whether the operands are as many as the command takes, and its first one is a verb that it has;
// else a line on stderr.
static bool check_operands(const struct args_command *c, int argc, char **argv)
{
	unsigned n = (unsigned)argc, min, max;
	struct near near = near_to(n ? argv[0] : "");
	char hint[NEAR_NAME + 32], title[64];
	struct err err;

	bounds(c, n ? argv[0] : NULL, &min, &max);
	if (n && !is_verb(c, argv[0])) {
		for (const struct args_verb *v = c->verbs; v->name; v++)
			near_see(&near, v->name);
		err_set(&err, 0, "%s: '%.200s' is none of them%s", c->wanted, argv[0],
			near_hint(&near, "", hint, sizeof(hint)));
	} else if (n < min) {
		err_set(&err, 0, "%s; `%s --help` tells more", c->wanted,
			args_title(c, title, sizeof(title)));
	} else if (n > max) {
		err_set(&err, 0, "%s%s'%.200s' is one word too many", c->wanted ? c->wanted : "",
			c->wanted ? ": " : "", argv[max]);
	} else {
		return true;
	}
	args_error(c, err.text);
	return false;
}

const struct args_command *args_command(const struct args_command *quench, const char *name)
{
	char hint[NEAR_NAME + 32], all[256] = "";
	struct near near = near_to(name);
	struct err err;
	size_t n = 0;

	for (const struct args_command *const *c = quench->commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
		near_see(&near, (*c)->name);
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s",
			n ? ", " : "; the commands are ", (*c)->name);
	}
	err_set(&err, 0, "there is no command '%.200s'%s", name,
		near_hint(&near, all, hint, sizeof(hint)));
	args_error(quench, err.text);
	return NULL;
}

#define MOST 32  // options of a command
#define ROWS 256 // getopt_long's values from here on are rows; those below are letters

const struct args_option args_help_option = {
	.name = "help", .letter = 'h', .alone = true, .help = "Shows this text."};

// The rows of a command with --help behind them, for getopt_long.
struct reader {
	const struct args_command *command;
	const struct args_option *row[MOST];
	unsigned n;
	struct option longs[MOST + 1];
	char letters[2 * MOST + 3];
};

static void add_option(struct reader *r, const struct args_option *o)
{
	size_t n = strlen(r->letters);
	bool takes = o->kind != ARGS_FLAG;

	assert(r->n < MOST);
	if (o->letter)
		snprintf(r->letters + n, sizeof(r->letters) - n, "%c%s", o->letter,
			takes ? ":" : "");
	r->longs[r->n] = (struct option){o->name, takes, NULL, (int)(ROWS + r->n)};
	r->row[r->n++] = o;
}

// The words of quench itself end where a command begins.
static void begin_rows(struct reader *r, const struct args_command *c)
{
	*r = (struct reader){.command = c};
	strcpy(r->letters, c->name ? ":" : "+:");
	for (const struct args_option *const *o = c->options; *o; o++)
		add_option(r, *o);
	add_option(r, &args_help_option);
}

// Returns the row of the option that getopt_long() returned or left in optopt; NULL: there is none.
static const struct args_option *row_of(const struct reader *r, int code)
{
	for (unsigned i = 0; i < r->n; i++)
		if (code == (int)(ROWS + i) || (code && code == r->row[i]->letter))
			return r->row[i];
	return NULL;
}

// The word that getopt_long stopped at; letters that stand together are one, which may not be over
// yet.
static const char *typed(int argc, char **argv)
{
	for (int i = optind < argc ? optind : optind - 1; optopt && i >= optind - 1; i--)
		if (argv[i][0] == '-' && argv[i][1] != '-' && strchr(argv[i] + 1, optopt))
			return argv[i];
	return argv[optind - 1];
}

// The options that begin with a word of which several do; "" where not.
static char *ambiguous(const struct reader *r, const char *name, char *buf, size_t size)
{
	unsigned found = 0;
	size_t n = 0;

	*buf = 0;
	for (unsigned i = 0; i < r->n && n < size; i++) {
		if (strncmp(r->row[i]->name, name, strlen(name)) != 0)
			continue;
		n += (size_t)snprintf(
			buf + n, size - n, "%s--%s", found ? ", " : "", r->row[i]->name);
		found++;
	}
	if (found < 2)
		*buf = 0;
	return buf;
}

static const struct args_command *const *all_commands; // once quench's own words were read

static bool has_option(const struct args_command *c, const char *name)
{
	for (const struct args_option *const *o = c->options; *o; o++)
		if (!strcmp((*o)->name, name))
			return true;
	return false;
}

// Names the other commands that have an option of this name: "; `quench sweep` has it". "": none
// has.
static char *others(const char *name, char *buf, size_t size)
{
	const struct args_command *const *c = all_commands;
	unsigned n = 0, i = 0;

	*buf = 0;
	for (; c && *c; c++)
		n += has_option(*c, name);
	for (c = all_commands; c && *c; c++)
		if (has_option(*c, name)) {
			append_text(buf, size, "%s`quench %s`",
				!i           ? "; "
				: i + 1 == n ? " and "
					     : ", ",
				(*c)->name);
			i++;
		}
	if (n)
		append_text(buf, size, " %s it", n > 1 ? "have" : "has");
	return buf;
}

static int unknown(const struct reader *r, int argc, char **argv)
{
	const char *word = typed(argc, argv);
	const struct args_option *taken = row_of(r, optopt);
	char name[NEAR_NAME], title[64], help[512], hint[NEAR_NAME + 32], list[512];
	struct near n = near_to(name);
	struct err err;

	snprintf(name, sizeof(name), "%s", word + strspn(word, "-"));
	name[strcspn(name, "=")] = 0;
	if (taken)
		err_set(&err, 0, "--%s takes no value: '%.200s'", taken->name, word);
	else if (!optopt && *ambiguous(r, name, list, sizeof(list)))
		err_set(&err, 0, "'%.200s' can be more than one option: %s", word, list);
	else {
		for (unsigned i = 0; i < r->n; i++)
			near_see(&n, r->row[i]->name);
		if (*n.name) {
			snprintf(list, sizeof(list), "--%s", n.name);
			snprintf(n.name, sizeof(n.name), "%.200s", list);
		}
		if (!*others(name, help, sizeof(help)))
			snprintf(help, sizeof(help), "; `%s --help` shows the options",
				args_title(r->command, title, sizeof(title)));
		err_set(&err, 0, "there is no option '%.200s'%s", word,
			near_hint(&n, help, hint, sizeof(hint)));
	}
	return args_error(r->command, err.text);
}

static int missing(const struct reader *r)
{
	const struct args_option *o = row_of(r, optopt);
	char wanted[256];
	struct err err;

	err_set(&err, 0, "--%s: a value is missing; wanted is %s", o->name,
		wants(o, wanted, sizeof(wanted)));
	return args_error(r->command, err.text);
}

int args_read(const struct args_command *c, void *to, int argc, char **argv)
{
	struct reader r;
	struct err err;

	if (c->commands)
		all_commands = c->commands;
	begin_rows(&r, c);
	for (unsigned i = 0; i < r.n; i++)
		if (r.row[i]->def && read_value(r.row[i], to, r.row[i]->def, &err))
			return args_error(c, err.text);
	opterr = 0;
	optind = 0; // begin anew
	for (int code; (code = getopt_long(argc, argv, r.letters, r.longs, NULL)) != -1;) {
		const struct args_option *o = row_of(&r, code);

		if (code == '?')
			return unknown(&r, argc, argv);
		if (code == ':')
			return missing(&r);
		if (o == &args_help_option) {
			args_help(c, stdout);
			return ARGS_HELPED;
		}
		if (read_value(o, to, optarg, &err))
			return args_error(c, err.text);
		if (o->given)
			*((bool *)to + o->given) = true;
		if (o->alone)
			return optind;
	}
	return check_operands(c, argc - optind, argv + optind) ? optind : ARGS_WRONG;
}
