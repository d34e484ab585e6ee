// SPDX-License-Identifier: BSD-3-Clause
// Figures by path, "queue.s1:r.3.p99_bytes": a kind's word, an object's name, a figure's name.
// After a run this gives their values; before it, whether there can be such a path, and the nearest
// name for a wrong part.
#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "conf/conf.h"
#include "int.h"

// Words for one object of a kind: the group with the most flows, the deepest queue of the busiest
// link.
static int main_group(const struct summary *s)
{
	return s->set[KIND_GROUP].n ? (int)s->main_group : -1;
}

static int deepest(const struct summary *s)
{
	const struct rec_port *p = fabric_bottleneck(s);

	return p ? fabric_deepest(s, p) : -1;
}

static const struct alias {
	const char *word;
	enum kind_id kind;
	int (*object)(const struct summary *s); // its number; -1: there is none
} aliases[] = {{"main", KIND_GROUP, main_group}, {"bottleneck", KIND_QUEUE, deepest}};

static_assert(sizeof(aliases) / sizeof(aliases[0]) == SUMMARY_WORDS - KINDS, "each has a number");

static double jain(const struct summary *s)
{
	return summary_at(s, KIND_GROUP, s->main_group, "jain");
}

static double deadlocks(const struct summary *s)
{
	return s->set[KIND_DEADLOCK].n;
}

static double utilization(const struct summary *s)
{
	return s->bottleneck < 0
		       ? NAN
		       : summary_at(s, KIND_LINK, (unsigned)s->bottleneck, "utilization_percent");
}

static double warnings(const struct summary *s)
{
	return s->rec->scene->n_warnings;
}

// Paths of one word besides the figures of `total`, and the figures that they stand for.
static const struct {
	const char *path;
	double (*value)(const struct summary *s);
	enum kind_id kind;
	const char *figure; // NULL: none
} alone[] = {{"jain", jain, KIND_GROUP, "jain"}, {"deadlocks", deadlocks, KIND_TOTAL, NULL},
	{"utilization", utilization, KIND_LINK, "utilization_percent"},
	{"warnings", warnings, KIND_TOTAL, NULL}};

#define ALONE (sizeof(alone) / sizeof(alone[0]))

static const struct alias *alias_of(unsigned word)
{
	return word < KINDS ? NULL : &aliases[word - KINDS];
}

static enum kind_id kind_of(unsigned word)
{
	return word < KINDS ? (enum kind_id)word : aliases[word - KINDS].kind;
}

const char *summary_path_word(unsigned word)
{
	return word < KINDS ? summary_kind[word]->path : alias_of(word)->word;
}

static bool is_word(unsigned word, const char *text)
{
	const char *own = summary_path_word(word);

	return own && !strcmp(own, text);
}

const char *summary_path_alone(unsigned i)
{
	return i < ALONE ? alone[i].path : NULL;
}

const char *summary_path_name(unsigned word, unsigned i)
{
	const struct kind *k = summary_kind[kind_of(word)];
	struct figure f;

	for (unsigned m = 0; kind_member(k, m, &f); m++)
		if (figure_is_number(&f) && !i--)
			return f.name;
	return NULL;
}

bool summary_path_has_objects(unsigned word)
{
	return !alias_of(word) && !summary_kind[word]->single;
}

bool summary_path_objects(unsigned word, const struct scene *s, figure_see *see, void *arg)
{
	struct kind_look l = {.s = s, .see = see, .arg = arg};

	if (summary_path_has_objects(word) && summary_kind[word]->could)
		summary_kind[word]->could(&l);
	return l.enough;
}

static bool is_same(void *arg, const char *name)
{
	return !strcmp(arg, name);
}

// The path taken apart; object "": it has none.
struct parts {
	const char *path;
	char kind[32], object[KIND_NAME];
	const char *figure;
};

static void take_apart(struct parts *p, const char *path)
{
	const char *dot = strchr(path, '.'), *last = strrchr(path, '.');

	*p = (struct parts){.path = path, .figure = last ? last + 1 : path};
	if (dot)
		snprintf(p->kind, sizeof(p->kind), "%.*s", (int)(dot - path), path);
	if (dot != last)
		snprintf(p->object, sizeof(p->object), "%.*s", (int)(last - dot - 1), dot + 1);
}

// The objects that were looked at: the nearest to the wanted name, and the first.
struct objects {
	struct near near;
	char first[KIND_NAME];
};

static bool see_object(void *arg, const char *name)
{
	struct objects *o = arg;

	if (!*o->first)
		snprintf(o->first, sizeof(o->first), "%s", name);
	near_see(&o->near, name);
	return false;
}

static bool has_figure(unsigned word, const char *name)
{
	struct figure f;

	return kind_figure(summary_kind[kind_of(word)], name, &f);
}

static bool is_alone(const char *name)
{
	for (unsigned i = 0; i < ALONE; i++)
		if (!strcmp(alone[i].path, name))
			return true;
	return false;
}

// Finds the figure with this old name, of a kind that the word stands for; false: no figure had the
// name.
static bool was_figure(const char *word, const char *name, struct figure *out)
{
	bool found = false;

	for (unsigned k = 0; k < SUMMARY_WORDS; k++) {
		if (!is_word(k, word))
			continue;
		if (has_figure(k, name))
			return false;
		found = found || kind_figure_was(summary_kind[kind_of(k)], name, out);
	}
	return found;
}

const char *summary_path_now(const char *path, char *buf, size_t size)
{
	struct figure f;
	struct parts p;

	take_apart(&p, path);
	if (!was_figure(*p.kind ? p.kind : kind_total.path, p.figure, &f))
		return NULL;
	snprintf(buf, size, "%.*s%s", (int)(p.figure - path), path, f.name);
	return buf;
}

static int wrong_word(const struct parts *p, struct err *err)
{
	struct near n = near_to(p->figure);
	const char *one;

	for (unsigned i = 0; i < ALONE; i++)
		near_see(&n, alone[i].path);
	for (unsigned i = 0; (one = summary_path_name(KIND_TOTAL, i)); i++)
		near_see(&n, one);
	if (*n.name)
		return err_set(err, -EINVAL, "there is no figure '%.120s'; did you mean '%s'?",
			p->path, n.name);
	return err_set(err, -EINVAL,
		"there is no figure '%.120s'; "
		"a path is as in drops, total.drops or queue.s1:r.3.p99_bytes",
		p->path);
}

// Takes a name that there is: into the list, and if it is the nearest to the wanted one.
static void see_name(struct near *n, char list[static ERR_HINT], const char *name)
{
	size_t len = strlen(list);

	near_see(n, name);
	snprintf(list + len, ERR_HINT - len, "%s%s", len ? ", " : "", name);
}

static int wrong_kind(const struct parts *p, struct err *err)
{
	struct near n = near_to(p->kind);
	char list[ERR_HINT] = "";
	const char *last = "";

	for (unsigned k = 0; k < SUMMARY_WORDS; k++) {
		const char *word = summary_path_word(k);

		if (!word || !strcmp(word, last))
			continue;
		see_name(&n, list, word);
		last = word;
	}
	if (*n.name)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': no kind is '%s'; did you mean '%s'?", p->path,
			p->kind, n.name);
	return err_set(err, -EINVAL, "there is no figure '%.120s': no kind is '%s'; kinds are %s",
		p->path, p->kind, list);
}

static int wrong_object(const struct scene *s, const struct parts *p, struct err *err)
{
	struct objects o = {.near = near_to(p->object)};
	unsigned own = 0;

	while (!is_word(own, p->kind))
		own++;
	if (!summary_path_has_objects(own))
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': %s has no objects; write %s.%s", p->path,
			p->kind, p->kind, p->figure);
	for (unsigned k = own; k < KINDS; k++)
		if (is_word(k, p->kind))
			summary_path_objects(k, s, see_object, &o);
	if (!*o.first)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': nothing in this scenario is of kind '%s'",
			p->path, p->kind);
	if (!*p->object)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': %s wants a name and a figure, as in %s.%s.%s",
			p->path, p->kind, p->kind, o.first, summary_path_name(own, 0));
	if (*o.near.name)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': no %s is '%s'; did you mean '%s'?", p->path,
			p->kind, p->object, o.near.name);
	return err_set(err, -EINVAL,
		"there is no figure '%.120s': no %s is '%s'; the first is '%s'", p->path, p->kind,
		p->object, o.first);
}

static int wrong_figure(const struct kind *k, const struct parts *p, struct err *err)
{
	struct near n = near_to(p->figure);
	char list[ERR_HINT] = "";
	struct figure f;

	for (unsigned i = 0; kind_member(k, i, &f); i++)
		if (figure_is_number(&f))
			see_name(&n, list, f.name);
	if (*n.name)
		return err_set(err, -EINVAL,
			"there is no figure '%.120s': %s has no '%.60s'; did you mean '%s'?",
			p->path, p->kind, p->figure, n.name);
	return err_set(err, -EINVAL, "there is no figure '%.120s': %s has no '%.60s'; it has %s",
		p->path, p->kind, p->figure, list);
}

// A criterion whose figure has an older name gets its present name, with a warning.
static int expect_now(struct scene *s, struct scene_expect *x, struct err *err)
{
	char buf[SUMMARY_PATH];
	const char *now = summary_path_now(x->figure, buf, sizeof(buf));

	if (!now)
		return 0;
	now = scene_renamed(s, x->line, x->column, "expect: the figure", x->figure, now, "");
	if (!now)
		return err_set(err, -ENOMEM, "out of memory");
	if (x->name == x->figure)
		x->name = now;
	x->figure = now;
	return 0;
}

// Whether a path has the name of the device that is judged, or of one of its ports, as its object.
// On the real clock nobody knows which groups and queues the device has.
static bool is_of_dut(const struct scene *s, const char *path)
{
	const char *object = strchr(path, '.');
	size_t n = s->dut ? strlen(s->dut) : 0;

	return n && object && !strncmp(object + 1, s->dut, n) && strchr(":.", object[1 + n]);
}

int summary_expects_check(struct scene *s, struct err *err)
{
	struct scene whole = *s; // with the figures of nodes elsewhere

	whole.n_nodes += whole.n_elsewhere;
	for (unsigned i = 0; i < s->n_expects; i++) {
		struct scene_expect *x = &s->expect[i];
		struct err why;
		int rc;

		if (summary_path_check(&whole, x->figure, &why) && !is_of_dut(s, x->figure))
			return err_set(err, -EINVAL, "%s: %s", x->at, why.text);
		rc = expect_now(s, x, err);
		if (rc)
			return rc;
	}
	return 0;
}

int summary_path_check(const struct scene *s, const char *path, struct err *err)
{
	const struct kind *found = NULL;
	char buf[SUMMARY_PATH];
	const char *now = summary_path_now(path, buf, sizeof(buf));
	bool known = false;
	struct parts p;

	take_apart(&p, now ? now : path);
	p.path = path; // messages say what was written
	if (!*p.kind)
		return is_alone(path) || has_figure(KIND_TOTAL, p.figure) ? 0 : wrong_word(&p, err);
	for (unsigned k = 0; k < SUMMARY_WORDS; k++) {
		if (!is_word(k, p.kind))
			continue;
		known = true;
		if (summary_path_has_objects(k) ? !summary_path_objects(k, s, is_same, p.object)
						: *p.object)
			continue;
		if (has_figure(k, p.figure))
			return 0;
		found = summary_kind[kind_of(k)];
	}
	if (!known)
		return wrong_kind(&p, err);
	return found ? wrong_figure(found, &p, err) : wrong_object(s, &p, err);
}

// Whether a figure is a whole number of things: not of bytes, which queues hold, nor a time.
static bool is_timeless(const struct figure *f)
{
	static const char *const things[] = {"", "frames", "messages", "events"};
	bool whole = f->form != FIGURE_DIST && f->decimals == 0;

	for (unsigned i = 0; i < sizeof(things) / sizeof(things[0]); i++)
		if (whole && !strcmp(f->unit, things[i]))
			return true;
	return f->of_counts;
}

static bool row_of(enum kind_id kind, const char *figure, struct summary_row *out)
{
	struct figure f;

	if (!figure || !kind_figure(summary_kind[kind], figure, &f))
		return false;
	*out = (struct summary_row){.word = summary_kind[kind]->path,
		.key = summary_kind[kind]->key,
		.single = summary_kind[kind]->single,
		.figure = f.name,
		.unit = f.unit,
		.meaning = f.meaning,
		.title = summary_kind[kind]->title,
		.decimals = f.decimals,
		.counts = f.form == FIGURE_COUNT && f.divisor == 1,
		.timeless = is_timeless(&f),
		.of_events = summary_of_events(kind, f.name)};
	return true;
}

bool summary_row(const char *path, struct summary_row *out)
{
	const char *dot = strchr(path, '.'), *last = strrchr(path, '.');
	struct parts p;

	take_apart(&p, path);
	for (unsigned k = 0; dot && k < KINDS; k++) {
		if (!is_word(k, p.kind) || !row_of((enum kind_id)k, p.figure, out))
			continue;
		if (dot != last) {
			out->object = dot + 1;
			out->object_len = (size_t)(last - dot - 1);
		}
		return true;
	}
	return false;
}

bool summary_figure_row(const char *path, struct summary_row *out)
{
	char buf[SUMMARY_PATH];
	const char *now = summary_path_now(path, buf, sizeof(buf));
	struct parts p;

	take_apart(&p, now ? now : path);
	for (unsigned i = 0; !*p.kind && i < ALONE; i++)
		if (!strcmp(alone[i].path, p.figure))
			return row_of(alone[i].kind, alone[i].figure, out);
	if (!*p.kind)
		return row_of(KIND_TOTAL, p.figure, out);
	for (unsigned k = 0; k < SUMMARY_WORDS; k++)
		if (is_word(k, p.kind) && row_of(kind_of(k), p.figure, out))
			return true;
	return false;
}

// The number of an object by its name; -1: there is none.
static int object_named(const struct summary *s, enum kind_id kind, const char *name, size_t len)
{
	const struct set *set = kind_objects(s, kind);
	char buf[KIND_NAME];

	for (unsigned i = 0; i < set->n; i++) {
		const char *own = kind_name(summary_kind[kind], set_at(set, i), buf);

		if (strlen(own) == len && !memcmp(own, name, len))
			return (int)i;
	}
	return -1;
}

// The figure of an object that is left out because nothing happened there.
static double quiet_value(
	const struct summary *s, const struct kind *k, const char *name, size_t len, const char *of)
{
	_Alignas(max_align_t) char object[k->size];
	struct figure f;

	if (!k->quiet || !kind_figure(k, of, &f) || !k->quiet(s, name, len, object))
		return NAN;
	return figure_value(&f, object);
}

// The value of a path that has no older name.
static double value_at(const struct summary *s, const char *path)
{
	const char *dot = strchr(path, '.'), *last = strrchr(path, '.');
	double value = NAN;
	char word[32];

	for (unsigned i = 0; !dot && i < ALONE; i++)
		if (!strcmp(alone[i].path, path))
			return alone[i].value(s);
	if (!dot)
		return summary_at(s, KIND_TOTAL, 0, path);
	snprintf(word, sizeof(word), "%.*s", (int)(dot - path), path);
	for (unsigned k = 0; isnan(value) && k < SUMMARY_WORDS; k++) {
		const struct alias *a = alias_of(k);
		int i = 0;

		if (!is_word(k, word) || (dot == last) == summary_path_has_objects(k))
			continue;
		if (a)
			i = a->object(s);
		else if (dot != last)
			i = object_named(s, kind_of(k), dot + 1, (size_t)(last - dot - 1));
		if (i >= 0)
			return summary_at(s, kind_of(k), (unsigned)i, last + 1);
		if (dot != last)
			value = quiet_value(s, summary_kind[kind_of(k)], dot + 1,
				(size_t)(last - dot - 1), last + 1);
	}
	return value;
}

double summary_value(const struct summary *s, const char *path)
{
	char buf[SUMMARY_PATH];
	const char *now = summary_path_now(path, buf, sizeof(buf));

	return value_at(s, now ? now : path);
}
