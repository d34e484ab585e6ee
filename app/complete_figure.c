// SPDX-License-Identifier: BSD-3-Clause
// Paths of figures, and columns of a sweep, that a word can become.
#include "complete.h"

#include <limits.h>
#include <string.h>

#include "report/report.h"
#include "sweep/sweep.h"
#include "session.h"

// An object whose figures are wanted, or that is to be named.
struct object {
	struct complete *c;
	enum figure_kind kind;
};

static void names(const struct complete *c, enum figure_kind kind)
{
	const char *name;

	for (unsigned i = 0; (name = figure_path_name(kind, i)); i++)
		complete_see(c, name, "");
}

// Objects may have dots in their names, so one is left behind only where all of it and its dot are
// there.
static bool see_object(void *arg, const char *name)
{
	const struct object *o = arg;
	struct complete c = *o->c;
	size_t n = strlen(name);

	if (!strncmp(c.word, name, n) && c.word[n] == '.') {
		complete_pass(&c, c.word + n + 1);
		names(&c, o->kind);
	} else {
		complete_see(&c, name, ".");
	}
	return false;
}

// Behind the word of a kind.
static void see_kind(const struct complete *all, enum figure_kind kind, const struct scene *s)
{
	struct complete c = *all;
	struct object o = {&c, kind};

	complete_pass(&c, strchr(c.word, '.') + 1);
	if (kind < FIGURE_GROUP)
		names(&c, kind);
	else if (s)
		figure_path_objects(kind, s, see_object, &o);
}

void complete_figure(struct complete *c)
{
	const char *dot = strchr(c->word, '.'), *name, *last = "";
	struct scene_opts opts = {0};
	struct scene *s = NULL;
	char room[PATH_MAX];
	struct err err;

	if (c->scenario &&
		scene_load(&s, session_find(c->scenario, room, sizeof(room)), &opts, &err))
		s = NULL;
	for (unsigned i = 0; !dot && (name = figure_path_alone(i)); i++)
		complete_see(c, name, "");
	if (!dot)
		names(c, FIGURE_TOTAL);
	for (unsigned k = 0; k < FIGURE_KINDS; k++) {
		enum figure_kind kind = (enum figure_kind)k;

		name = figure_path_kind(kind);
		if (dot && strlen(name) == (size_t)(dot - c->word) &&
			!strncmp(name, c->word, strlen(name)))
			see_kind(c, kind, s);
		else if (!dot && strcmp(name, last) != 0)
			complete_see(c, name, ".");
		last = name;
	}
	scene_free(s);
}

// "X,Y": each of the two, and the comma behind the first.
void complete_columns(struct complete *c)
{
	const char *comma = strrchr(c->word, ',');
	struct sweep s;

	if (comma)
		complete_pass(c, comma + 1);
	sweep_init(&s, NULL, 0);
	for (unsigned i = 0; i < s.n_columns; i++)
		complete_see(c, s.column[i].name, comma ? "" : ",");
	sweep_free(&s);
}
