// SPDX-License-Identifier: BSD-3-Clause
// Objects of summary.json that several parts tell of: a flow, whose ends two of them run, a group
// of flows, totals. What one part knows is taken from it; what several count is added up; a
// distribution of which several have a share has number, mean and extremes, and no quantiles.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "summary/summary.h"

// The kind of the objects under a key of summary.json that several parts may report; NULL: there is
// none, and each object belongs to the part that runs its node.
static const struct kind *shared_kind(const char *key)
{
	for (unsigned i = 0; i < KINDS; i++) {
		const struct kind *k = summary_kind[i];

		if (k->key && !strcmp(k->key, key) && (k->single || k->one_by[0]))
			return k;
	}
	return NULL;
}

const char *object_name(const char *key)
{
	const struct kind *k = shared_kind(key);

	return k && !k->name ? k->one_by[0] : NULL;
}

// Combines two numbers by the row of their figure; NAN: the result does not follow from them. `to`
// and `from` are the figure's weights.
static double combine(const struct figure *f, double x, double y, double to, double from)
{
	switch ((enum figure_merge)f->merge) {
	case FIGURE_ONE:
		return x;
	case FIGURE_SUM:
		return x + y;
	case FIGURE_LEAST:
		return fmin(x, y);
	case FIGURE_MOST:
		return fmax(x, y);
	case FIGURE_MEAN:
		return (x * to + y * from) / (to + from);
	case FIGURE_SAME:
		return x == y ? x : NAN;
	case FIGURE_NEVER:
		break;
	}
	return NAN;
}

// Returns a mark for a number that cannot be computed from the parts, whatever parts follow. null
// is a number that no part so far knows.
static json_t *lost(void)
{
	return json_true();
}

static bool knows(const json_t *object, const char *name)
{
	const json_t *v = json_object_get(object, name);

	return v && !json_is_null(v);
}

// A member that both objects know.
static json_t *member(const struct figure *f, const json_t *to, const json_t *from)
{
	const json_t *a = json_object_get(to, f->name), *b = json_object_get(from, f->name);
	double v;

	if (f->form == FIGURE_BOOL)
		return json_boolean(json_is_true(a) || json_is_true(b));
	if (f->form == FIGURE_TEXT)
		return json_equal(a, b) ? json_deep_copy(a) : lost();
	if (!figure_is_number(f))
		return json_deep_copy(a);
	v = combine(f, json_number_value(a), json_number_value(b),
		f->weight ? saved_number(to, f->weight) : NAN,
		f->weight ? saved_number(from, f->weight) : NAN);
	if (isnan(v) || !json_is_number(a) || !json_is_number(b))
		return lost();
	return json_is_integer(a) && json_is_integer(b) ? json_integer((json_int_t)v)
							: json_real(v);
}

// Members are joined before any is set: some are weighted by others.
static int join(json_t *to, const json_t *from, const struct kind *k)
{
	json_t *both = json_object();
	struct figure f;
	const json_t *b;
	const char *name;
	int rc = !both;

	for (unsigned i = 0; kind_member(k, i, &f) && !rc; i++)
		if (knows(to, f.name) && knows(from, f.name))
			rc = json_object_set_new(both, f.name, member(&f, to, from));
	json_object_foreach((json_t *)from, name, b) if (!knows(to, name)) rc |=
		json_object_set_new(to, name, json_deep_copy(b));
	rc |= json_object_update(to, both);
	json_decref(both);
	return rc ? -ENOMEM : 0;
}

int object_join(json_t *to, const char *key, const json_t *from)
{
	const struct kind *k = shared_kind(key);

	return k ? join(to, from, k) : 0;
}

static int end_one(json_t *object, const struct kind *k)
{
	struct figure f;
	int rc = 0;

	for (unsigned i = 0; kind_member(k, i, &f); i++)
		if (f.form != FIGURE_BOOL && json_is_true(json_object_get(object, f.name)))
			rc |= json_object_set_new(object, f.name, json_null());
	return rc;
}

int object_end(json_t *summary)
{
	int rc = 0;

	for (unsigned i = 0; i < KINDS; i++) {
		const struct kind *k = summary_kind[i];
		json_t *of = k->key && k == shared_kind(k->key) ? json_object_get(summary, k->key)
								: NULL;
		json_t *object;
		size_t n;

		if (json_is_object(of))
			rc |= end_one(of, k);
		json_array_foreach(of, n, object) rc |= end_one(object, k);
	}
	return rc ? -ENOMEM : 0;
}

// The members that tell an object from the others of its list, as one text; freed by the caller.
// NULL: it has no such members.
static char *object_key(const struct kind *k, const json_t *object)
{
	json_t *members = json_array();
	char *text;

	for (unsigned i = 0; i < 2 && k->one_by[i]; i++)
		if (json_array_append(members, json_object_get(object, k->one_by[i]))) {
			json_decref(members);
			return NULL;
		}
	text = json_dumps(members, JSON_COMPACT);
	json_decref(members);
	return text;
}

// Objects of a list by their keys: there can be as many as there are queue pairs.
static void index_put(json_t *index, const struct kind *k, json_t *object)
{
	char *key = object_key(k, object);

	if (key)
		json_object_set(index, key, object);
	free(key);
}

static json_t *index_get(const json_t *index, const struct kind *k, const json_t *object)
{
	char *key = object_key(k, object);
	json_t *o = key ? json_object_get(index, key) : NULL;

	free(key);
	return o;
}

// Computes the figures of a flow that need both ends, which are known now.
static void settle_flow(json_t *o)
{
	double sent = saved_number(o, "data_frames_tx"),
	       received = saved_number(o, "data_frames_rx");

	if (json_object_get(o, "frame_delta"))
		json_set(o, "frame_delta", sent - received, 0);
	if (json_object_get(o, "cnp_per_ce") && saved_number(o, "ecn_ce_rx") > 0)
		json_set(o, "cnp_per_ce", saved_number(o, "cnp_tx") / saved_number(o, "ecn_ce_rx"),
			6);
}

int object_add(json_t *to, const char *key, const json_t *from)
{
	const struct kind *k = shared_kind(key);
	json_t *index = json_object(), *o;
	const json_t *object;
	int rc = !index;
	size_t i;

	json_array_foreach(to, i, o) if (k) index_put(index, k, o);
	json_array_foreach(from, i, object)
	{
		if (!json_is_object(object))
			continue;
		o = k ? index_get(index, k, object) : NULL;
		if (o) {
			rc |= join(o, object, k);
			settle_flow(o);
		} else {
			rc |= json_array_append_new(to, json_deep_copy(object));
		}
	}
	json_decref(index);
	return rc ? -ENOMEM : 0;
}

enum op { ALL, AVERAGE, LOW, HIGH, P1, P50, P99, JAIN };

// Figures of a group, or of all flows, that follow from a figure of each flow.
static const struct again {
	const char *name, *of;
	enum op op;
	bool total; // of all flows, too
} again[] = {
	{"goodput_gbps", "goodput_gbps", ALL, true},
	{"mean_gbps", "goodput_gbps", AVERAGE, false},
	{"min_gbps", "goodput_gbps", LOW, false},
	{"max_gbps", "goodput_gbps", HIGH, false},
	{"jain", "rate_gbps", JAIN, false},
	{"goodput_p1_gbps", "goodput_gbps", P1, true},
	{"goodput_p50_gbps", "goodput_gbps", P50, true},
	{"goodput_p99_gbps", "goodput_gbps", P99, true},
	{"rc_p1_gbps", "rc_gbps", P1, true},
	{"rc_p50_gbps", "rc_gbps", P50, true},
	{"rc_p99_gbps", "rc_gbps", P99, true},
	{"alpha_p1", "alpha", P1, true},
	{"alpha_p50", "alpha", P50, true},
	{"alpha_p99", "alpha", P99, true},
	{"rc_mean_gbps", "rc_mean_gbps", AVERAGE, false},
	{"line_rate_percent", "line_rate_percent", AVERAGE, false},
	{"fast_recovery_percent", "fast_recovery_percent", AVERAGE, false},
	{"additive_increase_percent", "additive_increase_percent", AVERAGE, false},
	{"hyper_increase_percent", "hyper_increase_percent", AVERAGE, false},
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// Returns the sum, mean, extreme, Jain's index or a quantile of n sorted values; n is at least 1. A
// quantile is the smallest value that at least this share of them does not exceed.
static double of_values(const double *x, size_t n, enum op op)
{
	static const unsigned percent[] = {[P1] = 1, [P50] = 50, [P99] = 99};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	switch (op) {
	case ALL:
		return sum;
	case AVERAGE:
		return sum / (double)n;
	case LOW:
		return x[0];
	case HIGH:
		return x[n - 1];
	case JAIN:
		return n > 1 && squares > 0 ? sum * sum / ((double)n * squares) : NAN;
	default:
		return x[(n * percent[op] + 99) / 100 - 1];
	}
}

// Whether several parts have this figure of an object, each of its own flows. `of`: the object as
// each of the n parts has it, or NULL.
static bool several_know(const json_t *const *of, unsigned n, const char *name)
{
	unsigned know = 0;

	for (unsigned i = 0; i < n; i++)
		know += !isnan(saved_number(of[i], name));
	return know > 1;
}

// Computes figures of an object of all parts over its flows.
static void of_flows(
	json_t *object, const json_t *const *of, unsigned n_of, const json_t *flows, bool is_total)
{
	double *x = malloc((json_array_size(flows) + 1) * sizeof(*x));
	const json_t *flow;

	for (size_t k = 0; x && k < sizeof(again) / sizeof(again[0]); k++) {
		size_t i, n = 0;

		if ((is_total && !again[k].total) || !several_know(of, n_of, again[k].name))
			continue;
		json_array_foreach(flows, i, flow)
		{
			double v = saved_number(flow, again[k].of);

			if (!isnan(v))
				x[n++] = v;
		}
		qsort(x, n, sizeof(*x), by_value);
		json_set(object, again[k].name, n ? of_values(x, n, again[k].op) : NAN, 6);
	}
	free(x);
}

// The flows of each group, lists by its name.
static json_t *by_group(const json_t *flows)
{
	json_t *by = json_object(), *flow;
	size_t i;

	json_array_foreach(flows, i, flow)
	{
		const char *group = saved_text(flow, "group");

		if (!json_object_get(by, group))
			json_object_set_new(by, group, json_array());
		json_array_append(json_object_get(by, group), flow);
	}
	return by;
}

// Returns the flows of all groups as the groups count them.
static double of_groups(const struct merge *m, json_t *groups, const json_t *flows)
{
	const struct kind *k = shared_kind("groups");
	const json_t *of[MERGE_PARTS];
	json_t *by = by_group(flows), *known[MERGE_PARTS], *group;
	double all = 0;
	size_t i;

	for (unsigned p = 0; p < m->n; p++) {
		known[p] = json_object();
		json_array_foreach(json_object_get(m->part[p].summary, "groups"), i, group)
			index_put(known[p], k, group);
	}
	json_array_foreach(groups, i, group)
	{
		const json_t *own = json_object_get(by, saved_text(group, "group"));

		all += saved_number(group, "flows");
		// record.flows may list some of them only.
		if ((double)json_array_size(own) != saved_number(group, "flows"))
			continue;
		for (unsigned p = 0; p < m->n; p++)
			of[p] = index_get(known[p], k, group);
		of_flows(group, of, m->n, own, false);
	}
	for (unsigned p = 0; p < m->n; p++)
		json_decref(known[p]);
	json_decref(by);
	return all;
}

void object_recompute(const struct merge *m, json_t *summary)
{
	json_t *total = json_object_get(summary, "total");
	const json_t *flows = json_object_get(summary, "flows"), *of[MERGE_PARTS];
	double ect = saved_number(total, "ect_frames");

	for (unsigned p = 0; p < m->n; p++)
		of[p] = json_object_get(m->part[p].summary, "total");
	if ((double)json_array_size(flows) ==
		of_groups(m, json_object_get(summary, "groups"), flows))
		of_flows(total, of, m->n, flows, true);
	if (ect > 0)
		json_set(total, "ecn_marking_ratio",
			(saved_number(total, "marks") - saved_number(total, "not_ect_marks")) / ect,
			6);
}
