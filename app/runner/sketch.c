// SPDX-License-Identifier: BSD-3-Clause
// A scenario that a command writes from its options.
#include "sketch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

// Whether a shell takes the word as it is.
static bool is_plain(const char *word)
{
	return *word && !strpbrk(word, " \t'\"\\$`&|;<>()*?[]{}!#~");
}

int sketch_begin(struct sketch *k, int argc, char **argv)
{
	*k = (struct sketch){.command = argv[0]};
	k->f = open_memstream(&k->text, &k->size);
	if (!k->f) {
		tell("quench %s: no memory", argv[0]);
		return -ENOMEM;
	}
	fprintf(k->f, "# quench");
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--show") != 0)
			fprintf(k->f, is_plain(argv[i]) ? " %s" : " '%s'", argv[i]);
	fprintf(k->f, "\n# The same again: quench run FILE --clock real\nname: %s\n", argv[0]);
	return 0;
}

void sketch_port(struct sketch *k, const char *name, const struct device *d, unsigned mtu)
{
	fprintf(k->f, "  %s: {device: \"%s\"", name, d->text);
	if (mtu)
		fprintf(k->f, ", mtu: %u", mtu);
	fprintf(k->f, "}\n");
}

void sketch_mark(struct sketch *k, const char *option, const char *value)
{
	assert(k->n_marks < SKETCH_MARKS);
	k->mark[k->n_marks++] = (struct sketch_mark){option, value, ftell(k->f)};
}

// The option whose value stands at a line and column, both from 1; NULL: none does.
static const struct sketch_mark *mark_at(const struct sketch *k, unsigned line, unsigned column)
{
	for (unsigned i = 0; i < k->n_marks; i++) {
		unsigned l = 1, c = 1;

		for (long at = 0; at < k->mark[i].at; at++) {
			c = k->text[at] == '\n' ? 1 : c + 1;
			l += k->text[at] == '\n';
		}
		if (l == line && c == column)
			return &k->mark[i];
	}
	return NULL;
}

// Tells an error of the scenario. "WHERE:19:23: size: 10 is out of range" becomes "--size 10: 10 is
// out of range" where an option has this place.
static void tell_error(const struct sketch *k, const char *where, const char *text)
{
	const struct sketch_mark *m = NULL;
	unsigned line, column;
	size_t key;
	int n = 0;

	if (!strncmp(text, where, strlen(where)) &&
		sscanf(text + strlen(where), ":%u:%u: %n", &line, &column, &n) == 2 && n)
		m = mark_at(k, line, column);
	if (!m) {
		tell("quench %s: %s", k->command, text);
		return;
	}
	text += strlen(where) + (size_t)n;
	key = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
	if (key && !strncmp(text + key, ": ", 2))
		text += key + 2;
	tell("quench %s: --%s%s%s: %s", k->command, m->option, m->value ? " " : "",
		m->value ? m->value : "", text);
}

// Reads the scenario as a run would. False: it is wrong, and a line says why.
static bool check(const struct sketch *k, const struct session *s, const char *where)
{
	struct scene_opts o = {.set = s->set, .n_set = s->n_set, .real = true, .one_clock = true};
	struct scene *scene = NULL;
	struct err err;
	int rc = scenario_load(&scene, s->path, &o, &err);

	scene_free(scene);
	if (rc)
		tell_error(k, where, err.text);
	return !rc;
}

int sketch_end(struct sketch *k, struct session *s, const char *where, bool show)
{
	int status = EXIT_DONE;

	if (fclose(k->f)) {
		tell("%s: no memory", where);
		session_free(s);
		free(k->text);
		return EXIT_INPUT;
	}
	s->clock = CLOCK_REAL_TIME;
	s->path = scenario_text(where, k->text, k->size);
	if (!check(k, s, where))
		status = EXIT_INPUT;
	else if (!show)
		return session_run(s);
	else
		fputs(k->text, stdout);
	session_free(s);
	free(k->text);
	return status;
}
