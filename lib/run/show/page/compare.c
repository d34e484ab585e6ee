// SPDX-License-Identifier: BSD-3-Clause
// Several runs side by side: which of them differ in the seed only, and how the others differ.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

static void flatten(void *arg, const char *path, const json_t *value)
{
	char text[2048];

	json_object_set_new(arg, path, json_string(config_text(text, sizeof(text), value)));
}

json_t *page_config(const struct saved *s)
{
	json_t *o = json_object();

	config_each(s, flatten, o);
	json_object_del(o, "seed");
	return o;
}

static const char *clock_of(const struct saved *s)
{
	return saved_text(saved_manifest(s), "clock");
}

// The nodes of this folder, if it is a part's; NULL: it has all nodes.
static const json_t *nodes_of(const struct saved *s)
{
	return json_object_get(saved_manifest(s), "part_nodes");
}

static bool same_nodes(const struct saved *a, const struct saved *b)
{
	const json_t *one = nodes_of(a), *other = nodes_of(b);

	return one && other ? json_equal(one, other) : !one && !other;
}

bool page_alike(const struct saved *a, const struct saved *b)
{
	return strcmp(clock_of(a), clock_of(b)) == 0 && same_nodes(a, b) &&
	       strcmp(saved_name(a), saved_name(b)) == 0;
}

static json_int_t seed_of(const struct saved *s)
{
	return json_integer_value(json_object_get(saved_manifest(s), "seed"));
}

// The last two words of a path: "wred.min".
static const char *tail(const char *path)
{
	unsigned points = 0;

	for (const char *p = path + strlen(path); p > path; p--)
		if (p[-1] == '.' && ++points == 2)
			return p;
	return path;
}

// Up to two options that the runs differ in, with the values of each run: "wred.min 5KB".
struct options {
	json_t **config;
	unsigned n_paths;
	const char *path[2];
};

static void find_options(struct options *o, struct saved *const *run, unsigned n)
{
	const char *path;
	json_t *value;

	*o = (struct options){.config = calloc(n, sizeof(json_t *))};
	if (!o->config)
		return;
	for (unsigned i = 0; i < n; i++)
		o->config[i] = page_config(run[i]);
	json_object_foreach(o->config[0], path, value)
	{
		bool same = true;

		for (unsigned i = 1; i < n && same; i++)
			same = strcmp(saved_text(o->config[i], path),
				       saved_text(o->config[0], path)) == 0;
		if (!same && o->n_paths < 2 && strcmp(path, "name") != 0)
			o->path[o->n_paths++] = path;
	}
}

static void free_options(struct options *o, unsigned n)
{
	for (unsigned i = 0; o->config && i < n; i++)
		json_decref(o->config[i]);
	free(o->config);
}

// Adds words to a label, a blank between them.
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *fmt, ...)
{
	size_t at = strlen(text);
	va_list ap;

	if (at && at + 1 < size)
		text[at++] = ' ';
	va_start(ap, fmt);
	vsnprintf(text + at, size - at, fmt, ap);
	va_end(ap);
}

// The properties in which the runs differ at all.
struct differs {
	bool names, clocks, parts, seeds;
	struct options options;
};

static void put_label(char *text, size_t size, const struct differs *d, struct saved *const *run,
	unsigned i, unsigned n)
{
	*text = '\0';
	if (d->names || n == 1)
		add(text, size, "%s", saved_name(run[i]));
	if (d->clocks)
		add(text, size, "%s", clock_of(run[i]));
	if (d->parts && nodes_of(run[i]))
		add(text, size, "part %s", saved_text(saved_manifest(run[i]), "part"));
	else if (d->parts)
		add(text, size, "all parts");
	for (unsigned k = 0; k < d->options.n_paths; k++)
		add(text, size, "%s %s", tail(d->options.path[k]),
			saved_text(d->options.config[i], d->options.path[k]));
	if (d->seeds)
		add(text, size, "seed %lld", (long long)seed_of(run[i]));
}

char **data_labels(struct saved *const *run, unsigned n)
{
	enum { SIZE = 256 };
	char **label = calloc(1, n * (sizeof(*label) + SIZE));
	struct differs d = {0};

	if (!label)
		return NULL;
	for (unsigned i = 1; i < n; i++) {
		d.names |= strcmp(saved_name(run[i]), saved_name(run[0])) != 0;
		d.clocks |= strcmp(clock_of(run[i]), clock_of(run[0])) != 0;
		d.parts |= !same_nodes(run[i], run[0]);
		d.seeds |= seed_of(run[i]) != seed_of(run[0]);
	}
	if (n > 1 && !d.names)
		find_options(&d.options, run, n);
	for (unsigned i = 0; i < n; i++) {
		bool alone = true;

		label[i] = (char *)(label + n) + (size_t)i * SIZE;
		put_label(label[i], SIZE, &d, run, i, n);
		for (unsigned k = 0; k < i; k++)
			alone &= strcmp(label[k], label[i]) != 0;
		if (!*label[i] || !alone) // the folder tells them apart
			snprintf(label[i], SIZE, "%s", saved_dir(run[i]));
	}
	free_options(&d.options, n);
	return label;
}

struct set {
	json_t *config;
	const struct saved *first;
	unsigned n;
	unsigned run[PAGE_RUNS];
};

// Runs of one scenario, clock and configuration are a set. A part of a scenario is not in one with
// another part, nor with the whole.
static unsigned make_sets(struct set *set, struct saved *const *run, unsigned n)
{
	unsigned n_sets = 0;

	for (unsigned i = 0; i < n; i++) {
		json_t *config = page_config(run[i]);
		unsigned k = 0;

		while (k < n_sets &&
			!(json_equal(set[k].config, config) && page_alike(set[k].first, run[i])))
			k++;
		if (k == n_sets)
			set[n_sets++] = (struct set){.config = config, .first = run[i]};
		else
			json_decref(config);
		set[k].run[set[k].n++] = i;
	}
	return n_sets;
}

static void put_sets(struct jw *w, const struct set *set, unsigned n, char **label)
{
	jw_array(w, "sets", false);
	for (unsigned i = 0; i < n; i++) {
		jw_object(w, NULL, true);
		jw_str(w, "label", label[i]);
		jw_array(w, "runs", true);
		for (unsigned k = 0; k < set[i].n; k++)
			jw_u64(w, NULL, set[i].run[k]);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

// One figure of a set of runs.
struct stat {
	unsigned n;
	double mean, sd;
};

// A figure: a member of an object of summary.json, which is the single one of a key, or one of a
// list, found by the text of a member.
struct place {
	const char *key, *by, *name, *figure;
};

static double place_value(const struct saved *s, const struct place *p)
{
	const json_t *o = json_object_get(saved_summary(s), p->key), *one;
	size_t i;

	if (!p->by)
		return saved_number(o, p->figure);
	json_array_foreach(o, i, one) if (strcmp(saved_text(one, p->by), p->name) ==
					  0) return saved_number(one, p->figure);
	return NAN;
}

static struct stat stat_of(const struct set *set, struct saved *const *run, const struct place *p)
{
	struct stat t = {.sd = NAN};
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < set->n; i++) {
		double v = place_value(run[set->run[i]], p);

		if (isfinite(v)) {
			t.n++;
			sum += v;
		}
	}
	t.mean = t.n ? sum / t.n : NAN;
	for (unsigned i = 0; i < set->n; i++) {
		double v = place_value(run[set->run[i]], p);

		if (isfinite(v))
			squares += (v - t.mean) * (v - t.mean);
	}
	if (t.n > 1)
		t.sd = sqrt(squares / (t.n - 1));
	return t;
}

// Whether chance (of the seeds) does not explain it: the means are further apart than twice the
// standard error of their difference. What chance does to single runs nobody knows; they differ
// where their values are a hundredth apart.
static bool differ(const struct stat *a, const struct stat *b)
{
	double error = 0;

	if (!a->n || !b->n)
		return a->n != b->n;
	if (a->n == 1 && b->n == 1)
		return fabs(a->mean - b->mean) > 0.01 * fmax(fabs(a->mean), fabs(b->mean));
	error += a->n > 1 ? a->sd * a->sd / a->n : 0;
	error += b->n > 1 ? b->sd * b->sd / b->n : 0;
	return fabs(a->mean - b->mean) > 2 * sqrt(error);
}

struct comparison {
	struct jw *w;
	struct saved *const *run;
	const struct set *set;
	unsigned n_sets;
	json_t *schema;
};

static void put_figure(
	struct comparison *c, const struct place *p, const char *word, const json_t *member)
{
	struct stat t[PAGE_RUNS];
	const struct stat *a = &t[0], *b = &t[c->n_sets - 1];
	char path[256];
	bool any = false;

	for (unsigned i = 0; i < c->n_sets; i++) {
		t[i] = stat_of(&c->set[i], c->run, p);
		any |= t[i].n > 0 && t[i].mean != 0;
	}
	if (!any)
		return;
	snprintf(path, sizeof(path), "%s.%s%s%s", word, p->by ? p->name : "", p->by ? "." : "",
		p->figure);
	jw_object(c->w, NULL, true);
	jw_str(c->w, "path", path);
	meaning_put(c->w, member, true);
	jw_array(c->w, "sets", true);
	for (unsigned i = 0; i < c->n_sets; i++) {
		jw_object(c->w, NULL, true);
		jw_u64(c->w, "n", t[i].n);
		put_real(c->w, "mean", t[i].mean);
		put_real(c->w, "sd", t[i].sd);
		jw_end(c->w);
	}
	jw_end(c->w);
	put_real(c->w, "change_percent", a->mean != 0 ? 100 * (b->mean - a->mean) / a->mean : NAN);
	jw_bool(c->w, "differs", c->n_sets > 1 && differ(a, b));
	jw_end(c->w);
}

// All figures of the objects of one key, as the first run has them.
static void put_key(struct comparison *c, const char *key, const char *by, const char *word)
{
	const json_t *top = json_object_get(saved_summary(c->run[0]), key), *o, *v;
	const json_t *members = meaning_members(c->schema, key);
	const char *figure;
	size_t n = by ? json_array_size(top) : 1;

	for (size_t i = 0; i < n && i < 64; i++) {
		o = by ? json_array_get(top, i) : top;
		json_object_foreach((json_t *)o, figure, v)
		{
			struct place p = {key, by, by ? saved_text(o, by) : NULL, figure};

			if (json_is_number(v) || json_is_null(v))
				put_figure(c, &p, word, json_object_get(members, figure));
		}
	}
}

static void put_figures(struct comparison *c)
{
	jw_array(c->w, "figures", false);
	put_key(c, "total", NULL, "total");
	put_key(c, "groups", "group", "group");
	put_key(c, "notification_points", "node", "np");
	put_key(c, "links", "port", "link");
	jw_end(c->w);
}

static void put_config_line(struct comparison *c, const char *path)
{
	bool same = true;

	for (unsigned i = 1; i < c->n_sets && same; i++)
		same = strcmp(saved_text(c->set[i].config, path),
			       saved_text(c->set[0].config, path)) == 0;
	if (same)
		return;
	jw_object(c->w, NULL, true);
	jw_str(c->w, "path", path);
	jw_array(c->w, "values", true);
	for (unsigned i = 0; i < c->n_sets; i++)
		if (json_object_get(c->set[i].config, path))
			jw_str(c->w, NULL, saved_text(c->set[i].config, path));
		else
			jw_null(c->w, NULL);
	jw_end(c->w);
	jw_end(c->w);
}

static void put_config(struct comparison *c)
{
	json_t *all = json_object(), *value;
	const char *path;

	for (unsigned i = 0; i < c->n_sets; i++)
		json_object_update_missing(all, c->set[i].config);
	jw_array(c->w, "config", false);
	json_object_foreach(all, path, value) put_config_line(c, path);
	jw_end(c->w);
	json_decref(all);
}

void data_compare(struct jw *w, struct saved *const *run, unsigned n)
{
	struct set *set = calloc(n, sizeof(*set));
	struct saved **first = calloc(n, sizeof(*first));
	struct comparison c = {w, run, set, 0, meaning_schema()};
	char **label = NULL;

	if (set && first) {
		c.n_sets = make_sets(set, run, n);
		for (unsigned i = 0; i < c.n_sets; i++)
			first[i] = run[set[i].run[0]];
		label = data_labels(first, c.n_sets);
	}
	if (label) {
		jw_object(w, "compare", false);
		put_sets(w, set, c.n_sets, label);
		put_figures(&c);
		put_config(&c);
		jw_end(w);
	} else {
		jw_null(w, "compare");
	}
	for (unsigned i = 0; i < c.n_sets; i++)
		json_decref(set[i].config);
	json_decref(c.schema);
	free(label);
	free(first);
	free(set);
}
