// SPDX-License-Identifier: BSD-3-Clause
// Words of older versions in a scenario: they mean what they are called now, and the file can be
// rewritten.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "conf/conf.h"

static const char *keep(struct scene *s, const char *text)
{
	return arena_text(scene_arena(s), text, strlen(text));
}

// The list is in the order of the file.
static int list_old(struct scene *s, const struct scene_old *old)
{
	struct scene_old *more = arena_get(scene_arena(s), (s->n_old + 1) * sizeof(*more));
	unsigned i = s->n_old;

	if (!more)
		return -ENOMEM;
	if (i)
		memcpy(more, s->old, i * sizeof(*more));
	for (; i && (more[i - 1].line > old->line ||
			    (more[i - 1].line == old->line && more[i - 1].column > old->column));
		i--)
		more[i] = more[i - 1];
	more[i] = *old;
	s->old = more;
	s->n_old++;
	return 0;
}

const char *scene_renamed(struct scene *s, uint32_t line, uint32_t column, const char *what,
	const char *was, const char *now)
{
	struct scene_old old = {line, column, keep(s, was), keep(s, now)};
	struct build b = {.s = s, .a = scene_arena(s)};

	if (!old.was || !old.now || (line && list_old(s, &old)))
		return NULL;
	scene_warn(&b, &(struct yamldoc_node){.line = line}, "%s '%s' is called '%s' now%s", what,
		was, now, line ? "; `quench check --migrate FILE` rewrites it" : "");
	return old.now;
}

// The value of `key` where it is `was`: from here on it is `now`.
static int rename_value(struct build *b, const struct yamldoc_node *map, const char *key,
	const char *was, const char *now)
{
	const struct yamldoc_item *item = yamldoc_find(map, key);
	struct yamldoc_node *value = item ? item->value : NULL;
	char what[32];

	if (!value || value->type != YAMLDOC_SCALAR || strcmp(value->text, was) != 0)
		return 0;
	snprintf(what, sizeof(what), "%s:", key);
	value->text = scene_renamed(b->s, value->line, value->column, what, was, now);
	return value->text ? 0 : err_set(b->err, -ENOMEM, "out of memory");
}

int scene_old_words(struct build *b)
{
	const struct yamldoc_node *controls = yamldoc_get(b->doc, "controls");
	int rc = rename_value(b, b->doc, "framing", "hpcc", "hpcc_sim");

	for (unsigned i = 0; controls && controls->type == YAMLDOC_MAP && i < controls->n && !rc;
		i++)
		rc = rename_value(b, controls->item[i].value, "profile", "hpcc", "hpcc_sim_dcqcn");
	return rc;
}

static size_t put(char *to, size_t at, const char *text, size_t n)
{
	memcpy(to + at, text, n);
	return at + n;
}

// Writes the text to `to`, which has room, with all old words rewritten.
static int rewrite(const struct scene *s, const char *text, size_t size, char *to, size_t *to_size,
	struct err *err)
{
	size_t from = 0, n = 0, at;

	for (unsigned i = 0; i < s->n_old; i++) {
		const struct scene_old *o = &s->old[i];

		// The text may be another one than was loaded.
		if (!yamldoc_spelled(text, size, o->line, o->column, o->was, &at) || at < from)
			return err_set(err, -EINVAL,
				"%s:%u:%u: '%.80s' does not stand here letter by letter; write "
				"'%.80s' by hand",
				s->path, o->line, o->column, o->was, o->now);
		n = put(to, n, text + from, at - from);
		n = put(to, n, o->now, strlen(o->now));
		from = at + strlen(o->was);
	}
	*to_size = put(to, n, text + from, size - from);
	return 0;
}

int scene_migrate(const struct scene *s, const char *text, size_t size, char **out,
	size_t *out_size, struct err *err)
{
	size_t most = size + 1;
	char *to;
	int rc;

	for (unsigned i = 0; i < s->n_old; i++)
		most += strlen(s->old[i].now);
	to = malloc(most);
	if (!to)
		return err_set(err, -ENOMEM, "out of memory");
	rc = rewrite(s, text, size, to, out_size, err);
	if (rc)
		free(to);
	else
		*out = to;
	return rc;
}
