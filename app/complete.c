// SPDX-License-Identifier: BSD-3-Clause
// What a word that is being typed can become, from the tables of the commands.
#include "complete.h"

#include <string.h>

#include "algo/rdma_ip_reg.h"
#include "bundled.h"

void complete_see(const struct complete *c, const char *candidate, const char *end)
{
	if (!strncmp(candidate, c->word, strlen(c->word)))
		fprintf(c->f, "%s%s%s\n", c->head, candidate, end);
}

void complete_pass(struct complete *c, const char *end)
{
	size_t n = strlen(c->head);

	snprintf(c->head + n, sizeof(c->head) - n, "%.*s", (int)(end - c->word), c->word);
	c->word = end;
}

static void see_scenario(void *arg, const char *name, const char *path)
{
	(void)path;
	complete_see(arg, name, "");
}

// A register, or behind its dot a field; a field alone, too.
static void registers(struct complete *c)
{
	const char *dot = strchr(c->word, '.');
	char path[128];

	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		snprintf(path, sizeof(path), "%s.%s", f->word, f->name);
		if (dot)
			complete_see(c, path, "");
		else if (!i || strcmp(f->word, f[-1].word) != 0)
			complete_see(c, f->word, "");
		if (!dot)
			complete_see(c, f->name, "");
	}
}

static const char *files(enum args_fill fill)
{
	if (fill == ARGS_FILE || fill == ARGS_SCENARIO)
		return "files";
	return fill == ARGS_FOLDER ? "folders" : "none";
}

static void fill_in(struct complete *c, const struct args_command *quench, enum args_fill fill)
{
	fprintf(c->f, "%s\n", files(fill));
	if (fill == ARGS_SCENARIO) {
		complete_see(c, "-", "");
		bundled_each(see_scenario, c);
	}
	if (fill == ARGS_SETTING)
		complete_setting(c);
	else if (fill == ARGS_FIGURE)
		complete_figure(c);
	else if (fill == ARGS_COLUMNS)
		complete_columns(c);
	else if (fill == ARGS_REGISTER)
		registers(c);
	for (const struct args_command *const *k = quench->commands; fill == ARGS_COMMAND && *k;
		k++)
		complete_see(c, (*k)->name, "");
}

static void value(
	struct complete *c, const struct args_command *quench, const struct args_option *o)
{
	fill_in(c, quench, o->fill);
	for (const char *const *w = o->words; w && *w; w++)
		complete_see(c, *w, "");
}

static void options(struct complete *c, const struct args_command *command)
{
	char name[64];

	fputs("none\n", c->f);
	for (const struct args_option *const *o = command->options; *o; o++) {
		snprintf(name, sizeof(name), "--%s", (*o)->name);
		complete_see(c, name, "");
	}
	complete_see(c, "--help", "");
}

// The option that a word names, "--set" or "--set=x" or "-c"; NULL: none.
static const struct args_option *option_of(const struct args_command *c, const char *word)
{
	size_t n = strcspn(word, "=");

	for (const struct args_option *const *o = c->options; *o; o++) {
		if (n > 2 && strlen((*o)->name) == n - 2 && !strncmp(word, "--", 2) &&
			!strncmp(word + 2, (*o)->name, n - 2))
			return *o;
		if (n == 2 && word[0] == '-' && word[1] && word[1] == (*o)->letter)
			return *o;
	}
	return NULL;
}

// The n-th operand of a command; of one that has verbs the first is the verb.
static void operand(struct complete *c, const struct args_command *quench,
	const struct args_command *command, unsigned n)
{
	const struct args_operand *o = command->operands;

	if (command->verbs && !n) {
		fputs("none\n", c->f);
		for (const struct args_verb *v = command->verbs; v->name; v++)
			complete_see(c, v->name, "");
		return;
	}
	for (n -= command->verbs != NULL; o && o->name && n && !o->many; o++)
		n--;
	fill_in(c, quench, o && o->name ? o->fill : ARGS_NOTHING);
}

// Standard input is not read for the sake of a completion.
static const char *known_scenario(const char *word)
{
	return strcmp(word, "-") ? word : NULL;
}

// The words between the command and the one that is typed: which operand comes next, and which
// option waits for its value.
static unsigned look_back(struct complete *c, const struct args_command *command, int argc,
	char **argv, const struct args_option **waits)
{
	unsigned n = 0;

	*waits = NULL;
	for (int i = 1; i < argc - 1; i++) {
		const struct args_option *o = option_of(command, argv[i]);
		const char *eq = strchr(argv[i], '=');

		*waits = NULL;
		if (o && o->kind != ARGS_FLAG && !(eq && argv[i][1] == '-')) {
			*waits = o;
			if (o->fill == ARGS_SCENARIO && i + 1 < argc - 1)
				c->scenario = known_scenario(argv[i + 1]);
			i++;
		} else if (argv[i][0] != '-' || !argv[i][1]) {
			if (!n++ && command->operands && command->operands->fill == ARGS_SCENARIO)
				c->scenario = known_scenario(argv[i]);
		}
		if (i < argc - 1)
			*waits = NULL;
	}
	return n;
}

void complete(const struct args_command *quench, int argc, char **argv, FILE *f)
{
	const char *word = argc ? argv[argc - 1] : "", *eq = strchr(word, '=');
	struct complete c = {.f = f, .word = word};
	const struct args_command *command = NULL;
	const struct args_option *o;
	unsigned n = 0;

	if (argc < 2) {
		command = quench;
		o = NULL;
	} else {
		for (const struct args_command *const *k = quench->commands; *k; k++)
			if (!strcmp((*k)->name, argv[0]))
				command = *k;
		if (!command)
			return;
		n = look_back(&c, command, argc, argv, &o);
	}
	if (!o && eq && !strncmp(word, "--", 2) && (o = option_of(command, word)))
		complete_pass(&c, eq + 1);
	if (o)
		value(&c, quench, o);
	else if (*word == '-')
		options(&c, command);
	else
		operand(&c, quench, command, n);
}
