// SPDX-License-Identifier: BSD-3-Clause
// Rows that search: their files, the bisection, and its result in search.json.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "saved/saved.h"
#include "suite.h"

#define MOST_STEPS 1000000000

const char *suite_scenario(const struct suite_row *r)
{
	return r->step ? NULL : r->search ? r->search->scenario : r->path;
}

// The last part of a setting's path: "size" of "flows.load.open_loop.size".
static const char *last_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static int read_case(
	struct suite_case *c, struct arena *a, const struct yamldoc_node *n, struct err *err)
{
	char name[SUITE_TEXT] = "";

	if (n->type != YAMLDOC_MAP || !n->n)
		return yamldoc_err(err, n, "a case has settings: {flows.load.open_loop.size: 64}");
	c->set = arena_get(a, n->n * sizeof(*c->set));
	for (c->n = 0; c->set && c->n < n->n; c->n++) {
		const char *key = n->item[c->n].key->text;
		const struct yamldoc_node *v = n->item[c->n].value;

		if (v->type != YAMLDOC_SCALAR)
			return yamldoc_err(err, v, "'%s' of a case has one value", key);
		append_text(name, sizeof(name), "%s%s=%s", *name ? " " : "", last_of(key), v->text);
		c->set[c->n] = arena_format(a, "%s=%s", key, v->text);
	}
	c->name = arena_text(a, name, strlen(name));
	return c->set && c->name ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static int read_cases(
	struct suite_search *to, struct arena *a, const struct yamldoc_node *cases, struct err *err)
{
	int rc = 0;

	if (cases->type != YAMLDOC_LIST || !cases->n)
		return yamldoc_err(err, cases, "`cases` lists the settings of each case");
	to->each = arena_get(a, cases->n * sizeof(*to->each));
	if (!to->each)
		return err_set(err, -ENOMEM, "out of memory");
	for (to->n = 0; !rc && to->n < cases->n; to->n++)
		rc = read_case(&to->each[to->n], a, cases->item[to->n].value, err);
	return rc;
}

// The path of a scenario beside the row's file.
static const char *beside(struct arena *a, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return arena_format(a, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

static int read_key(struct suite_search *to, struct suite_sheet *s, const struct suite_row *r,
	const struct yamldoc_item *item, struct err *err)
{
	static const char number[] = "from, to and by are numbers in `unit`";
	const struct yamldoc_node *v = item->value;
	const char *key = item->key->text;

	if (!strcmp(key, "expect"))
		return 0;
	if (!strcmp(key, "cases"))
		return read_cases(to, &s->arena, v, err);
	if (!strcmp(key, "from"))
		return suite_number(&to->from, v, number, err);
	if (!strcmp(key, "to"))
		return suite_number(&to->to, v, number, err);
	if (!strcmp(key, "by"))
		return suite_number(&to->by, v, number, err);
	if (v->type != YAMLDOC_SCALAR)
		return yamldoc_err(err, v, "'%s' of a search has one value", key);
	if (!strcmp(key, "search"))
		to->scenario = beside(&s->arena, r->path, v->text);
	else if (!strcmp(key, "path"))
		to->path = v->text;
	else if (!strcmp(key, "unit"))
		to->unit = v->text;
	else
		return yamldoc_err(err, item->key,
			"unknown key '%s'; a search has search, path, from, to, by, unit, cases, "
			"expect",
			key);
	return 0;
}

int suite_read_search(struct suite_sheet *s, struct suite_row *r, const struct yamldoc_node *root,
	struct err *err)
{
	static struct suite_case whole = {.name = ""};
	struct suite_search *to = arena_get(&s->arena, sizeof(*to));
	int rc = 0;

	if (!to)
		return err_set(err, -ENOMEM, "out of memory");
	*to = (struct suite_search){.unit = "", .by = 1, .each = &whole, .n = 1};
	for (unsigned i = 0; !rc && i < root->n; i++)
		rc = read_key(to, s, r, &root->item[i], err);
	if (!rc && (!to->scenario || !to->path))
		rc = err_set(err, -EINVAL,
			"%s: `search` names a scenario, and `path` the setting that is varied",
			r->path);
	if (!rc && (!(to->by > 0) || !(to->to > to->from) ||
			   (to->to - to->from) / to->by > MOST_STEPS))
		rc = err_set(err, -EINVAL,
			"%s: a search goes from a value to a greater one, by steps above 0",
			r->path);
	r->search = to;
	if (!rc)
		rc = suite_wants(s, r, root, err);
	if (!rc && r->n_want != 1)
		rc = err_set(err, -EINVAL, "%s: a search has one criterion", r->path);
	return rc;
}

static long steps_of(const struct suite_search *s)
{
	return lround(floor((s->to - s->from) / s->by + 1e-9));
}

unsigned suite_trials(const struct suite_search *s)
{
	unsigned most = 1;

	for (long n = steps_of(s); n; n /= 2)
		most++;
	return most * s->n;
}

// The result of a case.
struct found {
	double highest; // that passed; NAN: none did
	unsigned trials;
	// PASS: the next value failed, or there is none. INVALID: our ports were at fault there.
	enum suite_verdict verdict;
	const char *why;
};

// Searches the highest value that passes, as if every value above a failed one fails, too. The end
// goes first: most devices pass there.
static struct found seek_case(const struct suite_search *s, unsigned i, suite_try *try, void *arg)
{
	struct found f = {.highest = NAN, .verdict = SUITE_PASS};
	long pass = -1, fail = steps_of(s) + 1, at = fail - 1;

	for (; fail - pass > 1; at = pass + (fail - pass) / 2) {
		enum suite_verdict v;
		const char *why = NULL;
		char value[64];

		snprintf(value, sizeof(value), "%.10g%s", s->from + (double)at * s->by, s->unit);
		v = try(arg, s, i, value, &why);
		f.trials++;
		if (v == SUITE_PASS) {
			pass = at;
			continue;
		}
		fail = at;
		f.verdict = v == SUITE_FAIL ? SUITE_PASS : v;
		f.why = why;
		if (v != SUITE_FAIL && v != SUITE_INVALID)
			return f;
	}
	if (pass >= 0)
		f.highest = s->from + (double)pass * s->by;
	return f;
}

static void put_found(struct jw *w, const struct suite_case *c, const struct found *f)
{
	jw_object(w, NULL, true);
	jw_str(w, "case", c->name);
	jw_num(w, "highest", f->highest, 6);
	jw_u64(w, "trials", f->trials);
	jw_str(w, "verdict", suite_verdict_name[f->verdict]);
	if (f->verdict != SUITE_PASS && f->why)
		jw_str(w, "why", f->why);
	else
		jw_null(w, "why");
	jw_end(w);
}

int suite_seek(const struct suite_search *s, const char *folder, suite_try *try, void *arg,
	struct err *err)
{
	char path[PATH_MAX];
	struct out o;
	struct jw w;
	int rc;

	snprintf(path, sizeof(path), "%s/search.json", folder);
	rc = out_open(&o, path, err);
	if (rc)
		return rc;
	jw_init(&w, &o);
	jw_object(&w, NULL, false);
	jw_u64(&w, "schema", 1);
	jw_array(&w, "cases", false);
	for (unsigned i = 0; !rc && i < s->n; i++) {
		struct found f = seek_case(s, i, try, arg);

		if (f.verdict == SUITE_NOT_RUN)
			rc = err_set(err, -ECANCELED, "the search was ended before its result");
		put_found(&w, &s->each[i], &f);
	}
	jw_end(&w);
	jw_bool(&w, "interrupted", rc != 0);
	jw_end(&w);
	out_str(&o, "\n");
	return rc ? (out_close(&o, &(struct err){0}), rc) : out_close(&o, err);
}

// The criterion of a case, "rate_percent, size=64".
static void take_case(struct suite_sheet *s, struct suite_row *r, const json_t *c)
{
	struct suite_line *l = &r->line[r->n++];
	const char *name = saved_text(c, "case"), *why = saved_text(c, "why");

	*l = *r->want;
	l->figure = *name ? arena_format(&s->arena, "%s, %s", l->figure, name) : l->figure;
	l->value = saved_number(c, "highest");
	l->why = NULL;
	if (strcmp(saved_text(c, "verdict"), suite_verdict_name[SUITE_PASS]) != 0 &&
		!(l->value >= l->min && isinf(l->max))) {
		l->verdict = SUITE_INVALID;
		l->why = arena_format(&s->arena, "%s", *why ? why : "a trial was not judged");
	} else {
		l->verdict = l->value >= l->min && l->value <= l->max ? SUITE_PASS : SUITE_FAIL;
		if (isnan(l->value))
			l->why = arena_format(&s->arena, "not even %.10g%s passed", r->search->from,
				r->search->unit);
	}
}

bool suite_take_search(struct suite_sheet *s, struct suite_row *r, const char *folder)
{
	const json_t *cases, *c;
	char path[PATH_MAX];
	json_t *found;
	bool whole;
	size_t i;

	snprintf(path, sizeof(path), "%s/search.json", folder);
	found = json_load_file(path, 0, NULL);
	cases = json_object_get(found, "cases");
	whole = json_is_false(json_object_get(found, "interrupted")) &&
		suite_make_lines(s, r, json_array_size(cases));
	if (whole) {
		json_array_foreach(cases, i, c) take_case(s, r, c);
		suite_judge(r);
	}
	json_decref(found);
	return whole;
}
