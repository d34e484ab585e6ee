// SPDX-License-Identifier: BSD-3-Clause
// A row of a suite as its file says it: the sentence at its top, and the criteria of a step.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#define ROWS_FIRST 32

// The first sentence of the comment at the top of a file, without the SPDX line.
static const char *stimulus_of(struct arena *a, const char *path)
{
	char line[256], text[512] = "", *end = NULL;
	FILE *f = fopen(path, "r");

	while (f && !end && fgets(line, sizeof(line), f) && line[0] == '#') {
		if (strstr(line, "SPDX"))
			continue;
		line[strcspn(line, "\n")] = 0;
		append_text(text, sizeof(text), "%s%s", *text ? " " : "",
			line + 1 + strspn(line + 1, " "));
		end = strstr(text, ". ");
	}
	if (f)
		fclose(f);
	if (!end && *text && text[strlen(text) - 1] == '.')
		end = text + strlen(text) - 1;
	return arena_text(a, text, end ? (size_t)(end - text) : strlen(text));
}

static const char *name_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return arena_text(a, name, dot ? (size_t)(dot - name) : strlen(name));
}

static struct suite_row *new_row(struct suite_sheet *s)
{
	if (s->n == s->room) {
		unsigned room = s->room ? 2 * s->room : ROWS_FIRST;
		struct suite_row *row = arena_get(&s->arena, room * sizeof(*row));

		if (!row)
			return NULL;
		if (s->n)
			memcpy(row, s->row, s->n * sizeof(*row));
		s->row = row;
		s->room = room;
	}
	return &s->row[s->n];
}

int suite_number(double *to, const struct yamldoc_node *n, const char *what, struct err *err)
{
	char *end = NULL;

	if (n->type == YAMLDOC_SCALAR)
		*to = strtod(n->text, &end);
	if (!end || end == n->text || *end)
		return yamldoc_err(err, n, "%s", what);
	return 0;
}

static int take_limit(struct suite_line *l, const struct yamldoc_item *item, struct err *err)
{
	static const char number[] = "a limit is a number in the unit of the figure";
	const char *key = item->key->text;
	int rc = 0;

	if (item->value->type != YAMLDOC_SCALAR)
		return yamldoc_err(err, item->value, "'%s' of a criterion has one value", key);
	if (!strcmp(key, "figure"))
		l->figure = item->value->text;
	else if ((l->never = !strcmp(key, "not")) || !strcmp(key, "is"))
		l->seen = item->value->text;
	else if (!strcmp(key, "below"))
		l->why = item->value->text;
	else if (!strcmp(key, "min"))
		rc = suite_number(&l->min, item->value, number, err);
	else if (!strcmp(key, "max"))
		rc = suite_number(&l->max, item->value, number, err);
	else
		rc = yamldoc_err(err, item->key,
			"unknown key '%s'; a criterion has figure, min, max, below, is, not", key);
	return rc;
}

// A criterion of a step: of a figure of `quench probe`, by limits, or by the configuration that the
// probe is given. `seen` keeps the word of `is`, `why` the figure of `below`.
static int take_want(struct suite_line *l, const struct yamldoc_node *n, struct err *err)
{
	*l = (struct suite_line){.min = -INFINITY, .max = INFINITY, .half = NAN};
	if (n->type != YAMLDOC_MAP)
		return yamldoc_err(err, n, "a criterion is {figure: NAME, max: 5}");
	for (unsigned i = 0; i < n->n; i++)
		if (take_limit(l, &n->item[i], err))
			return -EINVAL;
	if (!l->figure)
		return yamldoc_err(err, n, "a criterion names its figure");
	l->any = isinf(l->min) && isinf(l->max) && !l->seen && !l->why;
	return 0;
}

int suite_wants(struct suite_sheet *s, struct suite_row *r, const struct yamldoc_node *root,
	struct err *err)
{
	const struct yamldoc_node *expect = yamldoc_get(root, "expect");

	if (!expect || expect->type != YAMLDOC_LIST || !expect->n)
		return err_set(
			err, -EINVAL, "%s: `expect` lists the figures that are judged", r->path);
	r->want = arena_get(&s->arena, expect->n * sizeof(*r->want));
	if (!r->want)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < expect->n; i++)
		if (take_want(&r->want[r->n_want++], expect->item[i].value, err))
			return -EINVAL;
	return 0;
}

static int read_step(struct suite_sheet *s, struct suite_row *r, const struct yamldoc_node *root,
	struct err *err)
{
	const struct yamldoc_node *step = yamldoc_get(root, "step");

	if (!step || step->type != YAMLDOC_SCALAR)
		return err_set(err, -EINVAL, "%s: `step` names a step of `quench probe`", r->path);
	for (unsigned i = 0; i < root->n; i++)
		if (root->item[i].value != step && strcmp(root->item[i].key->text, "expect") != 0)
			return yamldoc_err(err, root->item[i].key,
				"unknown key '%s'; a step has `step` and `expect`",
				root->item[i].key->text);
	r->step = step->text;
	return suite_wants(s, r, root, err);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), e = strlen(end);

	return n > e && !strcmp(text + n - e, end);
}

int suite_row_add(struct suite_sheet *s, const char *suite, const char *path, struct err *err)
{
	struct suite_row *r = new_row(s);
	struct yamldoc_node *root = NULL;
	int rc = 0;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	*r = (struct suite_row){.suite = arena_text(&s->arena, suite, strlen(suite)),
		.name = name_of(&s->arena, path),
		.path = arena_text(&s->arena, path, strlen(path)),
		.stimulus = stimulus_of(&s->arena, path),
		.verdict = SUITE_NOT_RUN,
		.wall_s = NAN,
		.scene_s = NAN};
	if (!r->suite || !r->name || !r->path || !r->stimulus)
		return err_set(err, -ENOMEM, "out of memory");
	if (ends_with(path, SUITE_STEP) || ends_with(path, SUITE_SEARCH)) {
		rc = yamldoc_read(&s->arena, &root, r->path, err);
		if (!rc && ends_with(path, SUITE_STEP))
			rc = read_step(s, r, root, err);
		else if (!rc)
			rc = suite_read_search(s, r, root, err);
	}
	if (!rc)
		s->n++;
	return rc;
}
