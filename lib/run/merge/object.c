// SPDX-License-Identifier: BSD-3-Clause
// Objects of summary.json that several parts tell of: a flow, whose ends two of them run, a group
// of flows, totals. What one part knows is taken from it; what several count is added up; a
// distribution of which several have a share has number, mean and extremes, and no quantiles.
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// Objects of these lists are one where these members of theirs are the same. Of other lists each
// object is that of the part that runs its node.
static const struct shared {
	const char *key, *member[2];
	bool adds; // several parts may count the same figure
} shared[] = {
	{"flows", {"flow_name"}, false},
	{"sources", {"source"}, false},
	{"groups", {"group", "to"}, true},
	{"messages_by_size", {"from_bytes", "to_bytes"}, true},
	{"plugins", {"control"}, true},
};

enum how { SUM, LEAST, MOST, MEAN, NOT };

// How a figure that several parts know becomes one, by its name; the first row that fits. NOT: it
// cannot be told from what they know.
static const struct rule {
	const char *name;
	enum how how;
} rules[] = {
	{"loop_gap_*", MOST},
	{"*_mean_us", MEAN},
	{"*_max*", MOST},
	{"*_min*", LEAST},
	{"*_p[0-9]*", NOT},
	{"min_gbps", LEAST},
	{"max_gbps", MOST},
	{"goodput_gbps", SUM},
	{"lost_tx_us", SUM},
	{"*_gbps", NOT},
	{"*_us", NOT},
	{"*_us_total", NOT},
	{"*_percent", NOT},
	{"*_ratio", NOT},
	{"*_per_*", NOT},
	{"jain", NOT},
	{"osc*", NOT},
	{"converged", NOT},
};

static const struct shared *shared_of(const char *key)
{
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (!strcmp(shared[i].key, key))
			return &shared[i];
	return NULL;
}

const char *object_name(const char *key)
{
	const struct shared *s = shared_of(key);

	return s && strcmp(key, "messages_by_size") != 0 ? s->member[0] : NULL;
}

static enum how how_of(const char *name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!fnmatch(rules[i].name, name, 0))
			return rules[i].how;
	return SUM;
}

// What is the same however many tell it.
static bool is_same(const char *name)
{
	static const char *const names[] = {
		"flows", "dilate", "from_bytes", "to_bytes", "up_to_percent", "fair_gbps"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

// Messages of both objects, before any is added to the other.
struct weight {
	double to, from;
};

static json_t *combine(const char *name, const json_t *a, const json_t *b, struct weight w)
{
	double x = json_number_value(a), y = json_number_value(b), v;

	if (is_same(name) || json_is_string(a))
		return json_equal(a, b) ? json_deep_copy(a) : json_null();
	if (json_is_boolean(a))
		return json_boolean(json_is_true(a) || json_is_true(b));
	if (!json_is_number(a) || !json_is_number(b))
		return json_deep_copy(a);
	switch (how_of(name)) {
	case SUM:
		if (json_is_integer(a) && json_is_integer(b))
			return json_integer(json_integer_value(a) + json_integer_value(b));
		v = x + y;
		break;
	case LEAST:
		v = fmin(x, y);
		break;
	case MOST:
		v = fmax(x, y);
		break;
	case MEAN:
		if (!(w.to + w.from > 0))
			return json_null();
		v = (x * w.to + y * w.from) / (w.to + w.from);
		break;
	default:
		return json_null();
	}
	return json_real(v);
}

static int join(json_t *to, const json_t *from, bool adds)
{
	struct weight w = {json_at(to, "messages"), json_at(from, "messages")};
	const json_t *b;
	const char *name;
	int rc = 0;

	json_object_foreach((json_t *)from, name, b)
	{
		const json_t *a = json_object_get(to, name);

		if (!a || json_is_null(a))
			rc |= json_object_set_new(to, name, json_deep_copy(b));
		else if (adds && !json_is_null(b))
			rc |= json_object_set_new(to, name, combine(name, a, b, w));
	}
	return rc ? -ENOMEM : 0;
}

int object_join(json_t *to, const json_t *from)
{
	return join(to, from, true);
}

static bool is_one(const struct shared *s, const json_t *a, const json_t *b)
{
	for (unsigned i = 0; i < 2 && s->member[i]; i++) {
		const json_t *x = json_object_get(a, s->member[i]);
		const json_t *y = json_object_get(b, s->member[i]);

		if (!x || !y || !json_equal(x, y))
			return false;
	}
	return true;
}

static json_t *find(json_t *list, const struct shared *s, const json_t *object)
{
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) if (is_one(s, o, object)) return o;
	return NULL;
}

// What tells an object from the others of its list, as one text; freed by the caller. NULL: it has
// no such members.
static char *key_of(const struct shared *s, const json_t *object)
{
	json_t *members = json_array();
	char *text;

	for (unsigned i = 0; i < 2 && s->member[i]; i++)
		if (json_array_append(members, json_object_get(object, s->member[i]))) {
			json_decref(members);
			return NULL;
		}
	text = json_dumps(members, JSON_COMPACT);
	json_decref(members);
	return text;
}

// Objects of a list by their keys: there can be as many as there are queue pairs.
static void index_put(json_t *index, const struct shared *s, json_t *object)
{
	char *key = key_of(s, object);

	if (key)
		json_object_set(index, key, object);
	free(key);
}

static json_t *index_get(const json_t *index, const struct shared *s, const json_t *object)
{
	char *key = key_of(s, object);
	json_t *o = key ? json_object_get(index, key) : NULL;

	free(key);
	return o;
}

// Both ends of a flow are known now.
static void settle(json_t *o)
{
	double sent = json_at(o, "data_frames_tx"), received = json_at(o, "data_frames_rx");

	if (json_object_get(o, "frame_delta"))
		json_set(o, "frame_delta", sent - received, 0);
	if (json_object_get(o, "cnp_per_ce") && json_at(o, "ecn_ce_rx") > 0)
		json_set(o, "cnp_per_ce", json_at(o, "cnp_tx") / json_at(o, "ecn_ce_rx"), 6);
}

int object_add(json_t *to, const char *key, const json_t *from)
{
	const struct shared *s = shared_of(key);
	json_t *index = json_object(), *o;
	const json_t *object;
	int rc = !index;
	size_t i;

	json_array_foreach(to, i, o) if (s) index_put(index, s, o);
	json_array_foreach(from, i, object)
	{
		if (!json_is_object(object))
			continue;
		o = s ? index_get(index, s, object) : NULL;
		if (o) {
			rc |= join(o, object, s->adds);
			settle(o);
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

// Of n sorted values, n at least 1; a quantile is the least that so many of them do not exceed.
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

// Whether several parts have this figure of an object, each of its own flows.
static bool several_know(
	const struct merge *m, const char *key, const json_t *object, const char *name)
{
	const struct shared *s = shared_of(key);
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		const json_t *of = json_object_get(m->part[i].summary, key);

		if (s)
			of = find((json_t *)of, s, object);
		n += !isnan(json_at(of, name));
	}
	return n > 1;
}

// Of the flows of a group, or of all where `group` is NULL.
static void of_flows(const struct merge *m, const json_t *flows, const char *key, json_t *object,
	const char *group)
{
	double *x = malloc((json_array_size(flows) + 1) * sizeof(*x));
	const json_t *flow;

	for (size_t k = 0; x && k < sizeof(again) / sizeof(again[0]); k++) {
		size_t i, n = 0;

		if ((!group && !again[k].total) || !several_know(m, key, object, again[k].name))
			continue;
		json_array_foreach(flows, i, flow)
		{
			double v = json_at(flow, again[k].of);

			if (!isnan(v) && (!group || !strcmp(json_text(flow, "group"), group)))
				x[n++] = v;
		}
		qsort(x, n, sizeof(*x), by_value);
		json_set(object, again[k].name, n ? of_values(x, n, again[k].op) : NAN, 6);
	}
	free(x);
}

static size_t flows_of(const json_t *flows, const char *group)
{
	const json_t *flow;
	size_t i, n = 0;

	json_array_foreach(flows, i, flow) n += !strcmp(json_text(flow, "group"), group);
	return n;
}

void object_recompute(const struct merge *m, json_t *summary)
{
	json_t *groups = json_object_get(summary, "groups"), *group;
	json_t *total = json_object_get(summary, "total");
	const json_t *flows = json_object_get(summary, "flows");
	double ect = json_at(total, "ect_frames"), all = 0;
	size_t i;

	json_array_foreach(groups, i, group)
	{
		const char *name = json_text(group, "group");

		all += json_at(group, "flows");
		// record.flows may list some of them only.
		if ((double)flows_of(flows, name) == json_at(group, "flows"))
			of_flows(m, flows, "groups", group, name);
	}
	if ((double)json_array_size(flows) == all)
		of_flows(m, flows, "total", total, NULL);
	if (ect > 0)
		json_set(total, "ecn_marking_ratio",
			(json_at(total, "marks") - json_at(total, "not_ect_marks")) / ect, 6);
}
