// SPDX-License-Identifier: BSD-3-Clause
// Words of older versions in a scenario: reads them as the present words, and can rewrite the file.
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
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

__attribute__((format(printf, 4, 5))) static void warn(
	struct scene *s, uint32_t line, const char *kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	scene_vwarn(s, line, kind, fmt, ap);
	va_end(ap);
}

const char *scene_renamed(struct scene *s, uint32_t line, uint32_t column, const char *what,
	const char *was, const char *now, const char *note)
{
	struct scene_old old = {line, column, keep(s, was), keep(s, now)};
	char kind[128];

	if (!old.was || !old.now || (line && list_old(s, &old)))
		return NULL;
	snprintf(kind, sizeof(kind), "%s '%s'", what, was); // each word is one of its own
	warn(s, line, kind, "%s '%s' is called '%s' now%s%s", what, was, now, note,
		line ? "; `quench check --migrate FILE` rewrites it" : "");
	return old.now;
}

static size_t copy_text(char *to, size_t at, const char *text, size_t n)
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
				"%s:%u:%u: '%.80s' does not stand here letter by letter; "
				"write '%.80s' by hand",
				s->path, o->line, o->column, o->was, o->now);
		n = copy_text(to, n, text + from, at - from);
		n = copy_text(to, n, o->now, strlen(o->now));
		from = at + strlen(o->was);
	}
	*to_size = copy_text(to, n, text + from, size - from);
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
