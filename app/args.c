// SPDX-License-Identifier: BSD-3-Clause
// Reads the words of a command line by the table of its command.
#include "args.h"

#include <assert.h>
#include <getopt.h>
#include <string.h>

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

static void add_row(struct reader *r, const struct args_option *o)
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
static void begin(struct reader *r, const struct args_command *c)
{
	*r = (struct reader){.command = c};
	strcpy(r->letters, c->name ? ":" : "+:");
	for (const struct args_option *const *o = c->options; *o; o++)
		add_row(r, *o);
	add_row(r, &args_help_option);
}

// The row of what getopt_long returned or left in optopt; NULL: it has none.
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

static int unknown(const struct reader *r, int argc, char **argv)
{
	const char *word = typed(argc, argv);
	const struct args_option *taken = row_of(r, optopt);
	char name[NEAR_NAME], title[64], help[128], hint[NEAR_NAME + 32], list[512];
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
		snprintf(help, sizeof(help), "; `%s --help` shows the options",
			args_title(r->command, title, sizeof(title)));
		err_set(&err, 0, "there is no option '%.200s'%s", word,
			near_hint(&n, help, hint, sizeof(hint)));
	}
	return args_complain(r->command, err.text);
}

static int missing(const struct reader *r)
{
	const struct args_option *o = row_of(r, optopt);
	char wants[256];
	struct err err;

	err_set(&err, 0, "--%s: a value is missing; wanted is %s", o->name,
		args_wants(o, wants, sizeof(wants)));
	return args_complain(r->command, err.text);
}

int args_read(const struct args_command *c, void *to, int argc, char **argv)
{
	struct reader r;
	struct err err;

	begin(&r, c);
	for (unsigned i = 0; i < r.n; i++)
		if (r.row[i]->def && args_value(r.row[i], to, r.row[i]->def, &err))
			return args_complain(c, err.text);
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
		if (args_value(o, to, optarg, &err))
			return args_complain(c, err.text);
		if (o->given)
			*((bool *)to + o->given) = true;
		if (o->alone)
			return optind;
	}
	return args_operands(c, argc - optind, argv + optind) ? optind : ARGS_WRONG;
}
