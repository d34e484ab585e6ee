// SPDX-License-Identifier: BSD-3-Clause
// The words that a word being typed can become, from the tables of the commands and of options, and
// from the names of a scenario.
#include "complete.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "session/session.h"
#include "schema/schema.h"
#include "summary/summary.h"
#include "sweep/sweep.h"
#include "rp/rp.h"
#include "compile/compile.h"

#define HEAD_SIZE 512

// The word that is completed, and where the candidates go.
struct complete {
	FILE *f;
	const char *word;                // what they begin with
	char head[HEAD_SIZE];            // what stands before each: "--clock=", "queue."
	const char *scenario;            // of the command line; NULL: none
	const struct yamldoc_node *root; // of its file, where settings are seen; NULL: none
	bool live;                       // only settings that may change while a scene runs
};

// Prints a candidate, followed by `end`, if it begins with the word.
static void see_word(const struct complete *c, const char *candidate, const char *end)
{
	if (!strncmp(candidate, c->word, strlen(c->word)))
		fprintf(c->f, "%s%s%s\n", c->head, candidate, end);
}

// Takes the part of the word up to `end` into the head.
static void pass_to(struct complete *c, const char *end)
{
	size_t n = strlen(c->head);

	snprintf(c->head + n, sizeof(c->head) - n, "%.*s", (int)(end - c->word), c->word);
	c->word = end;
}

static void see_table(
	const struct complete *c, const struct opt_table *t, const struct yamldoc_node *n);

static bool has_own_names(const struct opt *row)
{
	return row->type == OPT_SECTION && row->example;
}

// Lists the names in the scenario that an option can have as value.
static void see_names_for(const struct complete *c, const struct opt *row)
{
	static const struct {
		const char *key;
		enum opt_type type;
		const char *section;
	} named[] = {{"control", OPT_TEXT, "controls"}, {"from", OPT_NODE, "hosts"},
		{"to", OPT_NODE, "hosts"}};
	const struct yamldoc_node *things = NULL;

	for (unsigned i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (c->root && row->type == named[i].type && !strcmp(row->key, named[i].key))
			things = yamldoc_get(c->root, named[i].section);
	for (unsigned i = 0; things && things->type == YAMLDOC_MAP && i < things->n; i++)
		see_word(c, things->item[i].key->text, "");
}

// Prints the words that the value of an option can be, besides numbers. In a list the last word is
// the one being typed.
static void see_values(const struct complete *all, const struct opt *row)
{
	static const char *const truth[] = {"true", "false", NULL};
	const char *const *w = row->type == OPT_BOOL ? truth : row->names;
	struct complete c = *all;
	const char *comma = strrchr(c.word, ',');

	if (comma)
		pass_to(&c, comma + 1);
	for (; w && *w; w++)
		see_word(&c, *w, "");
	see_names_for(&c, row);
	if (row->type == OPT_TEXT && row->def && isalpha((unsigned char)*row->def))
		see_word(&c, row->def, "");
	if (row->flags & OPT_F_AUTO)
		see_word(&c, "auto", "");
	if (row->flags & OPT_F_NONE)
		see_word(&c, "none", "");
}

// A control has the keys of its profile.
static const struct opt_table *table_of(const struct opt *row, const struct yamldoc_node *thing)
{
	const struct yamldoc_node *profile =
		thing && thing->type == YAMLDOC_MAP ? yamldoc_get(thing, "profile") : NULL;

	for (const struct opt_variant *v = row->variants; v && v->example && profile; v++) {
		const struct opt *own = opt_row(v->table, "profile");

		if (own && profile->type == YAMLDOC_SCALAR && !strcmp(own->example, profile->text))
			return v->table;
	}
	return row->sub;
}

// Prints one of several things: its name, or its options if the word goes on behind its dot.
// Returns whether the word does.
static bool see_thing(const struct complete *all, const struct opt *row, const char *name,
	const struct yamldoc_node *thing)
{
	struct complete c = *all;
	size_t n = strlen(name);

	if (strncmp(c.word, name, n) != 0 || c.word[n] != '.' || c.word[n + 1] == '.') {
		see_word(&c, name, ".");
		return false;
	}
	pass_to(&c, c.word + n + 1);
	see_table(&c, table_of(row, thing), thing);
	return true;
}

// The dot behind the name that a path begins with, "h1..8."; NULL: there is none yet.
static const char *end_of_name(const char *path)
{
	const char *dot = strchr(path, '.');

	while (dot && dot[1] == '.')
		dot = strchr(dot + 2, '.');
	return dot;
}

// Named things: the file's, and a thing that the word itself names, as from a range or a topology.
static void see_named(const struct complete *c, const struct opt *row, const struct yamldoc_node *n)
{
	const char *dot = end_of_name(c->word);
	char name[64];
	bool passed = false;

	for (unsigned i = 0; n && n->type == YAMLDOC_MAP && i < n->n; i++)
		passed |= see_thing(c, row, n->item[i].key->text, n->item[i].value);
	if (!n)
		passed |= see_thing(c, row, row->example, NULL);
	if (passed || !dot)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(dot - c->word), c->word);
	see_thing(c, row, name, NULL);
}

// Numbered ones: classes, or the lines of a list.
static void see_numbered(
	const struct complete *c, const struct opt *row, const struct yamldoc_node *n)
{
	bool listed = row->type == OPT_LIST && n && n->type == YAMLDOC_LIST;
	unsigned count = row->type == OPT_KEYED ? row->count : listed ? n->n : 1;

	for (unsigned i = 0; i < count; i++) {
		const struct yamldoc_node *thing = listed ? n->item[i].value : NULL;
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		see_thing(c, row, name, thing);
	}
}

// Completes the text after the key of an option and its dot or "=".
static void see_inside(
	const struct complete *c, const struct opt *row, const struct yamldoc_node *n)
{
	if (c->head[strlen(c->head) - 1] == '=')
		see_values(c, row);
	else if (has_own_names(row))
		see_named(c, row, n);
	else if (row->type == OPT_KEYED || row->type == OPT_LIST)
		see_numbered(c, row, n);
	else if (row->sub)
		see_table(c, row->sub, n);
}

static bool has_live(const struct opt_table *t);

static bool is_live(const struct opt *row)
{
	bool live = row->flags & OPT_F_LIVE || (row->sub && has_live(row->sub));

	for (const struct opt_variant *v = row->variants; v && v->example; v++)
		live |= has_live(v->table);
	return live;
}

static bool has_live(const struct opt_table *t)
{
	bool live = false;

	for (unsigned i = 0; i < t->n && !live; i++)
		live = is_live(&t->row[i]);
	return live;
}

static void see_table(
	const struct complete *all, const struct opt_table *t, const struct yamldoc_node *n)
{
	bool is_map = n && n->type == YAMLDOC_MAP;

	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];
		struct complete c = *all;
		size_t len = strlen(row->key);

		if (c.live && !is_live(row))
			continue;
		if (strncmp(c.word, row->key, len) != 0 || !strchr(".=", c.word[len]) ||
			!c.word[len]) {
			see_word(&c, row->key, row->sub && row->type != OPT_ANY ? "." : "=");
			continue;
		}
		pass_to(&c, c.word + len + 1);
		see_inside(&c, row, is_map ? yamldoc_get(n, row->key) : NULL);
	}
}

// The path of an option of the scenario, and behind "=" the values that can be named.
static void see_settings(struct complete *c)
{
	struct yamldoc_node *root = NULL;
	struct arena a = {0};
	char room[PATH_MAX];
	struct err err;

	if (c->scenario &&
		yamldoc_read(&a, &root, scenario_find(c->scenario, room, sizeof(room)), &err))
		root = NULL;
	c->root = root;
	see_table(c, &scene_opts_scene, root);
	arena_free(&a);
}

// An object whose figures are wanted, or that is to be named.
struct object {
	struct complete *c;
	unsigned word; // of the path
};

static void names(const struct complete *c, unsigned word)
{
	const char *name;

	for (unsigned i = 0; (name = summary_path_name(word, i)); i++)
		see_word(c, name, "");
}

// Completes the name of an object in a path. Names may have dots, so the path goes on only after a
// complete name and its dot.
static bool see_object(void *arg, const char *name)
{
	const struct object *o = arg;
	struct complete c = *o->c;
	size_t n = strlen(name);

	if (!strncmp(c.word, name, n) && c.word[n] == '.') {
		pass_to(&c, c.word + n + 1);
		names(&c, o->word);
	} else {
		see_word(&c, name, ".");
	}
	return false;
}

// Completes the text after the word of a kind.
static void see_kind(const struct complete *all, unsigned word, const struct scene *s)
{
	struct complete c = *all;
	struct object o = {&c, word};

	pass_to(&c, strchr(c.word, '.') + 1);
	if (!summary_path_has_objects(word))
		names(&c, word);
	else if (s)
		summary_path_objects(word, s, see_object, &o);
}

// The path of a figure of the scenario.
static void see_figures(struct complete *c)
{
	const char *dot = strchr(c->word, '.'), *name, *last = "";
	struct scene_opts opts = {0};
	struct scene *s = NULL;
	char room[PATH_MAX];
	struct err err;

	if (c->scenario &&
		compile_scene(&s, scenario_find(c->scenario, room, sizeof(room)), &opts, &err))
		s = NULL;
	for (unsigned i = 0; !dot && (name = summary_path_alone(i)); i++)
		see_word(c, name, "");
	if (!dot)
		names(c, KIND_TOTAL);
	for (unsigned k = 0; k < SUMMARY_WORDS; k++) {
		name = summary_path_word(k);
		if (!name)
			continue;
		if (dot && strlen(name) == (size_t)(dot - c->word) &&
			!strncmp(name, c->word, strlen(name)))
			see_kind(c, k, s);
		else if (!dot && strcmp(name, last) != 0)
			see_word(c, name, ".");
		last = name;
	}
	scene_free(s);
}

// A figure of a running instance, of all objects of its kind: which these are, it alone knows.
static void see_live(const struct complete *all)
{
	const char *dot = strchr(all->word, '.'), *name, *last = "";
	struct complete c = *all;

	if (!dot)
		names(&c, KIND_TOTAL);
	for (unsigned k = 0; k < KINDS; k++) {
		struct object o = {&c, k};

		name = summary_path_word(k);
		if (!name)
			continue;
		c = *all;
		if (!dot && strcmp(name, last) != 0)
			see_word(&c, name, ".");
		last = name;
		if (!dot || strlen(name) != (size_t)(dot - c.word) ||
			strncmp(name, c.word, strlen(name)) != 0)
			continue;
		pass_to(&c, dot + 1);
		if (summary_path_has_objects(k))
			see_object(&o, "*");
		else
			names(&c, k);
	}
}

// Columns of a sweep's table, "X,Y": each of the two, and the comma behind the first.
static void see_columns(struct complete *c)
{
	const char *comma = strrchr(c->word, ',');
	struct sweep s;

	if (comma)
		pass_to(c, comma + 1);
	sweep_init(&s, NULL, 0);
	for (unsigned i = 0; i < s.n_columns; i++)
		see_word(c, s.column[i].name, comma ? "" : ",");
	sweep_free(&s);
}

static void see_scenario(void *arg, const char *name, const char *path)
{
	(void)path;
	see_word(arg, name, "");
}

static void see_before_colon(void *arg, const char *name, const char *path)
{
	(void)path;
	see_word(arg, name, ":");
}

// SCENARIO:CONTROL: behind the colon the controls that the file names.
static void see_controls(const struct complete *all)
{
	const char *colon = strrchr(all->word, ':');
	struct complete c = *all;
	struct yamldoc_node *root = NULL;
	const struct yamldoc_node *map;
	struct arena a = {0};
	char scenario[PATH_MAX], room[PATH_MAX];
	struct err err;

	if (!colon) {
		scenario_each(see_before_colon, &c);
		return;
	}
	snprintf(scenario, sizeof(scenario), "%.*s", (int)(colon - c.word), c.word);
	pass_to(&c, colon + 1);
	if (yamldoc_read(&a, &root, scenario_find(scenario, room, sizeof(room)), &err))
		root = NULL;
	map = root && root->type == YAMLDOC_MAP ? yamldoc_get(root, "controls") : NULL;
	for (unsigned i = 0; map && map->type == YAMLDOC_MAP && i < map->n; i++)
		see_word(&c, map->item[i].key->text, "");
	arena_free(&a);
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
			see_word(c, path, "");
		else if (!i || strcmp(f->word, f[-1].word) != 0)
			see_word(c, f->word, "");
		if (!dot)
			see_word(c, f->name, "");
	}
}

// Types of events, parted by commas.
static void see_events(const struct complete *all)
{
	const char *comma = strrchr(all->word, ',');
	struct complete c = *all;

	if (comma)
		pass_to(&c, comma + 1);
	for (unsigned i = EV_NONE + 1; i < EV_TYPES; i++)
		see_word(&c, ev_row[i].name, "");
}

static void see_kinds(const struct complete *c)
{
	const char *name, *last = "";

	for (unsigned k = 0; k < SUMMARY_WORDS; k++) {
		name = summary_path_word(k);
		if (name && strcmp(name, last) != 0)
			see_word(c, name, "");
		last = name ? name : last;
	}
}

static const char *files(enum args_fill fill, const char *word)
{
	if (fill == ARGS_FILE || fill == ARGS_SCENARIO ||
		(fill == ARGS_CONTROL && !strchr(word, ':')))
		return "files";
	return fill == ARGS_FOLDER ? "folders" : "none";
}

static void fill_in(struct complete *c, const struct args_command *quench, enum args_fill fill)
{
	fprintf(c->f, "%s\n", files(fill, c->word));
	if (fill == ARGS_SCENARIO) {
		see_word(c, "-", "");
		scenario_each(see_scenario, c);
	}
	if (fill == ARGS_KIND)
		see_kinds(c);
	else if (fill == ARGS_SETTING || fill == ARGS_CHANGE) {
		c->live = fill == ARGS_CHANGE;
		see_settings(c);
	} else if (fill == ARGS_FIGURE)
		see_figures(c);
	else if (fill == ARGS_LIVE)
		see_live(c);
	else if (fill == ARGS_COLUMNS)
		see_columns(c);
	else if (fill == ARGS_EVENT)
		see_events(c);
	else if (fill == ARGS_REGISTER)
		registers(c);
	else if (fill == ARGS_CONTROL)
		see_controls(c);
	for (const struct args_command *const *k = quench->commands; fill == ARGS_COMMAND && *k;
		k++)
		see_word(c, (*k)->name, "");
}

static void value(
	struct complete *c, const struct args_command *quench, const struct args_option *o)
{
	fill_in(c, quench, o->fill);
	for (const char *const *w = o->words; w && *w; w++)
		see_word(c, *w, "");
}

static void options(struct complete *c, const struct args_command *command)
{
	char name[64];

	fputs("none\n", c->f);
	for (const struct args_option *const *o = command->options; *o; o++) {
		snprintf(name, sizeof(name), "--%s", (*o)->name);
		see_word(c, name, "");
	}
	see_word(c, "--help", "");
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
			see_word(c, v->name, "");
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

// The scenario that the first operand names; SCENARIO:CONTROL is cut at its colon.
static const char *operand_scenario(const struct args_operand *o, char *word)
{
	char *colon = strrchr(word, ':');

	if (o->fill == ARGS_CONTROL && colon)
		*colon = 0;
	else if (o->fill != ARGS_SCENARIO)
		return NULL;
	return known_scenario(word);
}

// Reads the words between the command and the word being typed. Returns which operand comes next;
// *waits is the option that waits for its value.
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
			if (!n++ && command->operands)
				c->scenario = operand_scenario(command->operands, argv[i]);
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
		pass_to(&c, eq + 1);
	if (o)
		value(&c, quench, o);
	else if (*word == '-')
		options(&c, command);
	else
		operand(&c, quench, command, n);
}

// The line is parted at blanks only: bash parts words at ":" and "=" too, and puts in what follows
// the last of them.
const char complete_bash[] =
	"# SPDX-License-Identifier: BSD-3-Clause\n"
	"# Completion of quench in bash; written by `quench help --completion bash`.\n"
	"# shellcheck shell=bash\n"
	"_quench()\n"
	"{\n"
	"    local line=${COMP_LINE:0:COMP_POINT} breaks=${COMP_WORDBREAKS//[^=:]/}\n"
	"    local kind word part rest head='' quoted='' i\n"
	"    local -a words found=()\n"
	"    read -ra words <<<\"$line\"\n"
	"    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
	"    while [[ ${#words[@]} -gt 1 && ${words[0]} != \"$1\" ]]; do\n"
	"        words=(\"${words[@]:1}\")\n"
	"    done\n"
	"    word=${words[-1]}\n"
	"    if [[ $word == [\\'\\\"]* ]]; then\n"
	"        word=${word:1} quoted=yes\n"
	"    elif [[ $breaks ]]; then\n"
	"        word=${word//\\\\/}\n"
	"        part=${word##*[\"$breaks\"]}\n"
	"        head=${word%\"$part\"}\n"
	"    fi\n"
	"    words[-1]=$word\n"
	"    {\n"
	"        read -r kind\n"
	"        mapfile -t found\n"
	"    } < <(\"${1/#\\~/$HOME}\" help --complete \"${words[@]:1}\" 2>/dev/null)\n"
	"    COMPREPLY=(\"${found[@]#\"$head\"}\")\n"
	"    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[.:=,] ]] &&\n"
	"        compopt -o nospace 2>/dev/null\n"
	"    if [[ $kind != none ]]; then\n"
	"        compopt -o filenames 2>/dev/null\n"
	"        [[ $kind == files ]] && part=-f || part=-d\n"
	"        rest=${word#\"$head\"}\n"
	"        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \"$part\" -- \"$rest\")\n"
	"        return\n"
	"    fi\n"
	"    for i in \"${!COMPREPLY[@]}\"; do\n"
	"        [[ $quoted || ${COMPREPLY[i]} != *[]\\>[]* ]] ||\n"
	"            printf -v \"COMPREPLY[i]\" %q \"${COMPREPLY[i]}\"\n"
	"    done\n"
	"}\n"
	"complete -F _quench quench\n";
