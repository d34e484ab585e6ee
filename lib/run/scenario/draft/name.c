// SPDX-License-Identifier: BSD-3-Clause
// Names in a scenario: ranges and lists of them, and the nodes they mean.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"

static bool is_name(const char *c, size_t n)
{
	if (!n || n > DRAFT_NAME || (*c >= '0' && *c <= '9') || *c == '-')
		return false;
	for (size_t i = 0; i < n; i++) {
		bool letter = (c[i] >= 'a' && c[i] <= 'z') || (c[i] >= 'A' && c[i] <= 'Z') ||
			      (c[i] >= '0' && c[i] <= '9') || c[i] == '_' || c[i] == '-';

		if (!letter)
			return false;
	}
	return true;
}

static int add_name(
	struct draft *b, struct draft_names *names, const char *name, const struct yamldoc_node *at)
{
	unsigned n = names->n;

	if (n >= SCENE_NODES)
		return yamldoc_err(b->err, at,
			"more than %u names; a scenario has at most so many nodes", SCENE_NODES);

	void **place = draft_push(b, &names->name, &names->n);
	void **where = place ? draft_push(b, &names->at, &n) : NULL;

	if (!where)
		return -ENOMEM;
	*place = (void *)name;
	*where = (void *)at;
	return 0;
}

// "h1..8": the digits before ".." belong to the first number.
static int add_range(
	struct draft *b, struct draft_names *names, const struct yamldoc_node *at, const char *dots)
{
	const char *text = at->text, *digits = dots;

	while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;

	char *end;
	unsigned long first = strtoul(digits, &end, 10);
	bool right = end == dots && is_name(text, (size_t)(digits - text)) && dots[2] >= '0' &&
		     dots[2] <= '9';
	unsigned long last = right ? strtoul(dots + 2, &end, 10) : 0;

	if (!right || *end || last > 1000000)
		return yamldoc_err(b->err, at, "'%.60s' is no range of names; write h1..8", text);
	if (first > last)
		return yamldoc_err(b->err, at, "'%.60s' runs backwards; write %.*s%lu..%lu", text,
			(int)(digits - text), text, last, first);
	for (unsigned long i = first; i <= last; i++) {
		char *name = arena_format(b->a, "%.*s%lu", (int)(digits - text), text, i);
		int rc = name ? add_name(b, names, name, at) : -ENOMEM;

		if (rc)
			return rc;
	}
	return 0;
}

int draft_names(struct draft *b, struct draft_names *names, const struct yamldoc_node *n)
{
	int rc = 0;

	if (n->type == YAMLDOC_MAP)
		return yamldoc_err(
			b->err, n, "names are wanted here, as in h1, h1..8 or [h1..4, r]");
	if (n->type == YAMLDOC_LIST) {
		if (!n->n)
			return yamldoc_err(b->err, n, "the list is empty; name at least one");
		for (unsigned i = 0; !rc && i < n->n; i++)
			rc = draft_names(b, names, n->item[i].value);
		return rc;
	}

	const char *dots = strstr(n->text, "..");

	if (dots)
		return add_range(b, names, n, dots);
	if (!is_name(n->text, strlen(n->text)))
		return yamldoc_err(b->err, n,
			"'%.60s' is no name; it has letters, digits, '_' and '-', begins with a "
			"letter "
			"and is at most %d long",
			n->text, DRAFT_NAME);
	return add_name(b, names, n->text, n);
}

struct draft_node *draft_find(const struct draft *b, const char *name)
{
	uint32_t hash = index_hash(0, name, strlen(name)), at = hash, i;

	while ((i = index_next(&b->by_name, hash, &at)) != INDEX_NONE)
		if (strcmp(b->node[i]->name, name) == 0)
			return b->node[i];
	return NULL;
}

int draft_find_node(
	struct draft *b, struct draft_node **node, const char *name, const struct yamldoc_node *at)
{
	struct near near = near_to(name);
	char hint[NEAR_NAME + 32];

	*node = draft_find(b, name);
	if (*node)
		return 0;
	for (unsigned i = 0; i < b->n_nodes; i++)
		near_see(&near, b->node[i]->name);
	return yamldoc_err(b->err, at, "there is no node '%.60s'%s", name,
		near_hint(&near, "; name it under `hosts` or `switches`", hint, sizeof(hint)));
}
