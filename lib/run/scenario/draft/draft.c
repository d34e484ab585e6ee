// SPDX-License-Identifier: BSD-3-Clause
// The working state of a scene that is being made: its memory, its warnings, the places at which
// values were given, and the numbers of amounts.
#include "draft.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "guest/guest.h"

void *draft_get(struct draft *b, size_t size)
{
	void *p = arena_get(b->a, size);

	if (!p)
		err_set(b->err, -ENOMEM, "out of memory");
	return p;
}

void *draft_scrap(struct draft *b, size_t size)
{
	void *p = arena_get(b->scrap, size);

	if (!p)
		err_set(b->err, -ENOMEM, "out of memory");
	return p;
}

void **draft_push(struct draft *b, void *array, unsigned *n)
{
	void ***list = array;

	if ((*n & (*n - 1)) == 0) {
		void **more = draft_get(b, (*n ? *n * 2 : 1) * sizeof(*more));

		if (!more)
			return NULL;
		if (*n)
			memcpy(more, *list, *n * sizeof(*more));
		*list = more;
	}
	return &(*list)[(*n)++];
}

// The line in the scenario's file; for a line of a list of flows, the line of the key that names
// the list.
static uint32_t line_of(const struct draft *b, const struct yamldoc_node *at)
{
	if (at && at->line && b->listed && strcmp(at->where, b->s->path) != 0)
		at = opt_source(&scene_opts_scene, &b->top, "flows_from");
	return at ? at->line : 0;
}

void draft_warn(struct draft *b, const struct yamldoc_node *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	scene_vwarn(b->s, line_of(b, at), NULL, fmt, ap);
	va_end(ap);
}

void draft_warn_of(
	struct draft *b, const struct yamldoc_node *at, const char *kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	scene_vwarn(b->s, line_of(b, at), kind, fmt, ap);
	va_end(ap);
}

uint64_t draft_amount(const struct opt_amount *a, uint64_t whole)
{
	if (!a->is_share)
		return a->value;
	return (uint64_t)((unsigned __int128)whole * a->share_ppb / 1000000000);
}

int draft_rate(struct draft *b, rate_t *rate, const struct opt_amount *a, rate_t line,
	const struct yamldoc_node *at)
{
	char low[32], whole[32];

	*rate = draft_amount(a, line);
	if (*rate >= RATE_MIN)
		return 0;
	return yamldoc_err(b->err, at, "%s of %s is slower than %s, the least that is paced",
		at->text, units_format(UNITS_RATE, line, whole, sizeof(whole)),
		units_format(UNITS_RATE, RATE_MIN, low, sizeof(low)));
}

char *draft_said(const struct opt_table *t, const void *base, const char *key, uint64_t bytes,
	char *buf, size_t size)
{
	const struct yamldoc_node *n = opt_source(t, base, key);
	bool is_number = n && n->type == YAMLDOC_SCALAR && *n->text >= '0' && *n->text <= '9';
	char is[32];

	units_format(UNITS_SIZE, bytes, is, sizeof(is));
	if (!is_number)
		snprintf(buf, size, "%s", is);
	else if (strpbrk(n->text, "%/"))
		snprintf(buf, size, "%.40s (%s)", n->text, is);
	else
		snprintf(buf, size, "%.40s", n->text);
	return buf;
}

const struct yamldoc_node *draft_given(const struct opt_table *t, const void *base, const char *key,
	const struct yamldoc_node *otherwise)
{
	const struct yamldoc_node *n = opt_source(t, base, key);

	return n ? n : otherwise;
}

int draft_trust(const struct draft *b, const struct yamldoc_node *at)
{
	if (!b->distrust || b->s->trusts || strcmp(at->where, b->s->path) != 0)
		return 0;
	yamldoc_err(b->err, at, "%s" TRUST_HINT, b->distrust);
	return -EPERM;
}
