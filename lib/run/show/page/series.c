// SPDX-License-Identifier: BSD-3-Clause
// Queues and rates over time, in at most PAGE_POINTS bins. The file of samples is read twice: once
// to see what is worth a plot, once for the plots, so that memory does not grow with the run.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

enum {
	QUEUES = 8, // that get a plot, those with the longest queue
	SHORT = 50, // a queue shorter than this part of the longest gets none
	RATES = 16, // flows that get lines of their own; where there are more, groups get them
};

// A mean with its bounds.
struct mean {
	double sum, min, max;
	unsigned n;
};

struct bin {
	struct mean value[4];
};

enum { GOODPUT, RC, RT, ALPHA };

static const enum saved_col rate_col[] = {
	[GOODPUT] = SAVED_GOODPUT_GBPS,
	[RC] = SAVED_RC_GBPS,
	[RT] = SAVED_RT_GBPS,
	[ALPHA] = SAVED_ALPHA,
};

// An object of the samples, by its number.
struct seen {
	double most; // of a queue bytes, of a flow Gb/s
	enum saved_kind kind;
	int plot; // place among the plots; -1: none
};

struct plot {
	const char *name; // stays while the folder is open
	size_t len;
	unsigned flows; // number of flows in the mean
	bool queue;
	struct bin *bin;
};

struct series {
	struct saved *s;
	struct seen *seen;
	unsigned n_seen, periods, per_bin, n_bins, n_flows;
	unsigned n_queues, n_rates; // that there are
	double *t;                  // end of each bin, us
	struct plot *plot;
	unsigned n_plots;
};

static void mean_add(struct mean *m, double value, double min, double max)
{
	if (!isfinite(value))
		return;
	m->min = m->n ? fmin(m->min, min) : min;
	m->max = m->n ? fmax(m->max, max) : max;
	m->sum += value;
	m->n++;
}

static bool see_object(struct series *r, const struct saved_sample *v)
{
	struct seen *o;

	if (v->object >= r->n_seen) {
		unsigned n = 2 * v->object + 64;
		struct seen *more = realloc(r->seen, n * sizeof(*more));

		if (!more)
			return false;
		memset(more + r->n_seen, 0, (n - r->n_seen) * sizeof(*more));
		for (unsigned i = r->n_seen; i < n; i++)
			more[i] = (struct seen){.most = -1, .plot = -1};
		r->seen = more;
		r->n_seen = n;
	}
	o = &r->seen[v->object];
	if (o->most < 0) {
		o->most = 0;
		r->n_flows += v->kind == SAVED_FLOW;
	}
	o->kind = v->kind;
	o->most = fmax(o->most, v->kind == SAVED_FLOW    ? v->value[SAVED_GOODPUT_GBPS]
				: v->kind == SAVED_QUEUE ? v->value[SAVED_QLEN_MAX]
							 : v->value[SAVED_QLEN]);
	return true;
}

// Reads all samples once to find the objects and the number of periods.
static bool survey(struct series *r)
{
	const struct saved_sample *v;
	tstamp t = TSTAMP_NEVER;

	if (!saved_series(r->s))
		return false;
	while ((v = saved_sample(r->s)) != NULL) {
		if (!see_object(r, v))
			return false;
		r->periods += v->t != t;
		t = v->t;
	}
	r->per_bin = (r->periods + PAGE_POINTS - 1) / PAGE_POINTS;
	r->n_bins = r->periods ? (r->periods + r->per_bin - 1) / r->per_bin : 0;
	return r->n_bins > 0;
}

static bool plot_add(struct series *r, const char *name, size_t len, bool queue)
{
	struct plot *more = realloc(r->plot, (r->n_plots + 1) * sizeof(*more));

	if (!more)
		return false;
	r->plot = more;
	more += r->n_plots;
	*more = (struct plot){.name = name, .len = len, .queue = queue};
	more->bin = calloc(r->n_bins, sizeof(*more->bin));
	r->n_plots += more->bin != NULL;
	return more->bin;
}

// Chooses the queues and receive buffers that were longest, the longest first.
static bool choose_queues(struct series *r)
{
	double least = 0;

	for (unsigned i = 0; i < r->n_seen; i++)
		r->n_queues += r->seen[i].kind != SAVED_FLOW && r->seen[i].most > 0;
	for (unsigned k = 0; k < QUEUES; k++) {
		int best = -1;

		for (unsigned i = 0; i < r->n_seen; i++)
			if (r->seen[i].kind != SAVED_FLOW && r->seen[i].plot < 0 &&
				r->seen[i].most > (best < 0 ? least : r->seen[best].most))
				best = (int)i;
		if (best < 0)
			break;
		if (!k)
			least = r->seen[best].most / SHORT;
		r->seen[best].plot = (int)r->n_plots;
		if (!plot_add(r, saved_line(r->s, (unsigned)best),
			    strlen(saved_line(r->s, (unsigned)best)), true))
			return false;
	}
	return true;
}

// Returns the number of the plot of rates with this name, and adds it if there is room; -1: there
// is none.
static int rate_plot(struct series *r, const char *name, size_t len)
{
	for (unsigned i = 0; i < r->n_plots; i++)
		if (!r->plot[i].queue && r->plot[i].len == len &&
			strncmp(r->plot[i].name, name, len) == 0)
			return (int)i;
	if (r->n_rates++ >= RATES || !plot_add(r, name, len, false))
		return -1;
	return (int)r->n_plots - 1;
}

// Chooses the rates to draw: each flow, or with many flows each group, whose name is the text
// before the bracket.
static void choose_rates(struct series *r)
{
	for (unsigned i = 0; i < r->n_seen; i++) {
		const char *name = saved_line(r->s, i);

		if (r->seen[i].kind != SAVED_FLOW || r->seen[i].most < 0)
			continue;
		r->seen[i].plot =
			rate_plot(r, name, r->n_flows > RATES ? strcspn(name, "[") : strlen(name));
		if (r->seen[i].plot >= 0)
			r->plot[r->seen[i].plot].flows++;
	}
}

static void take_sample(struct plot *p, struct bin *b, const struct saved_sample *v)
{
	if (p->queue) {
		double now = v->value[SAVED_QLEN], mean = v->value[SAVED_QLEN_MEAN];
		double max = v->value[SAVED_QLEN_MAX];

		mean = isfinite(mean) ? mean : now;
		mean_add(&b->value[0], mean, fmin(now, mean), fmax(isfinite(max) ? max : now, now));
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		mean_add(&b->value[i], v->value[rate_col[i]], v->value[rate_col[i]],
			v->value[rate_col[i]]);
}

static void fill_bins(struct series *r)
{
	const struct saved_sample *v;
	tstamp t = TSTAMP_NEVER;
	unsigned period = 0;

	if (!saved_series(r->s))
		return;
	while ((v = saved_sample(r->s)) != NULL) {
		unsigned at;

		period += v->t != t && t != TSTAMP_NEVER;
		t = v->t;
		at = period / r->per_bin;
		if (at >= r->n_bins || v->object >= r->n_seen)
			continue;
		r->t[at] = (double)t / PS_PER_US;
		if (r->seen[v->object].plot >= 0)
			take_sample(&r->plot[r->seen[v->object].plot],
				&r->plot[r->seen[v->object].plot].bin[at], v);
	}
}

enum part { MEAN, MIN, MAX };

// Writes one list of a plot: a value's mean or a bound, bin by bin.
static void put_bin_values(struct jw *w, const char *key, const struct series *r,
	const struct plot *p, unsigned value, enum part part)
{
	double *list = malloc(r->n_bins * sizeof(*list));
	bool any = false;

	for (unsigned i = 0; list && i < r->n_bins; i++) {
		const struct mean *m = &p->bin[i].value[value];

		list[i] = !m->n          ? NAN
			  : part == MEAN ? m->sum / m->n
			  : part == MIN  ? m->min
					 : m->max;
		any |= m->n > 0;
	}
	if (any)
		put_reals(w, key, list, r->n_bins);
	else
		jw_null(w, key);
	free(list);
}

static void put_bin_times(struct jw *w, const struct series *r)
{
	double width = r->n_bins > 1 ? r->t[1] - r->t[0] : r->t[0];

	put_real(w, "bin_us", width);
	put_reals(w, "t", r->t, r->n_bins);
}

static void put_level(struct jw *w, const char *name, double bytes, const char *of)
{
	if (!(bytes > 0))
		return;
	jw_object(w, NULL, true);
	jw_str(w, "name", name);
	put_real(w, "bytes", bytes);
	jw_str(w, "of", of);
	jw_end(w);
}

// Whether an object of summary.json is of a port, or of the node of a port, and of a class.
static bool is_at(const json_t *o, const char *port, size_t n, unsigned cls)
{
	return strncmp(saved_text(o, "port"), port, n) == 0 && saved_number(o, "class") == cls;
}

// XOFF or XON of a group at most; folders of older versions have it as of the end only.
static double most_of(const json_t *group, const char *what)
{
	char name[32];
	double most;

	snprintf(name, sizeof(name), "%s_most_bytes", what);
	most = saved_number(group, name);
	snprintf(name, sizeof(name), "%s_bytes", what);
	return isnan(most) ? saved_number(group, name) : most;
}

// Whether its threshold is dynamic.
static bool moves(const json_t *group)
{
	return most_of(group, "xoff") < saved_number(group, "xoff_bytes") ||
	       most_of(group, "xoff") > saved_number(group, "xoff_bytes");
}

// The thresholds of a queue, and the thresholds of its switch's ingress group of this class that
// came nearest to XOFF.
static void put_lines(struct jw *w, const json_t *summary, const struct plot *p)
{
	const char *point = strrchr(p->name, '.');
	const json_t *one, *best = NULL;
	char *end, name[160];
	unsigned cls = point ? (unsigned)strtoul(point + 1, &end, 10) : 0;
	size_t i, port = point ? (size_t)(point - p->name) : 0;
	size_t node = strcspn(p->name, ":") + 1;
	double nearest = -1;

	jw_array(w, "lines", false);
	json_array_foreach(json_object_get(summary, "queues"), i,
		one) if (port && is_at(one, p->name, port, cls) &&
			 strlen(saved_text(one, "port")) == port)
	{
		put_level(w, "Kmin", saved_number(one, "kmin_bytes"), "queue");
		put_level(w, "Kmax", saved_number(one, "kmax_bytes"), "queue");
	}
	json_array_foreach(json_object_get(summary, "ingress_groups"), i, one)
	{
		double part = saved_number(one, "max_bytes_total") / most_of(one, "xoff");

		if (port && is_at(one, p->name, node, cls) && part > nearest) {
			nearest = part;
			best = one;
		}
	}
	if (best) {
		const char *most = moves(best) ? " at most" : "";

		snprintf(name, sizeof(name), "XOFF of %s%s", saved_text(best, "port"), most);
		put_level(w, name, most_of(best, "xoff"), "group");
		snprintf(name, sizeof(name), "XON of %s%s", saved_text(best, "port"), most);
		put_level(w, name, most_of(best, "xon"), "group");
	}
	jw_end(w);
}

static void put_queue_plot(struct jw *w, const struct series *r, const struct plot *p)
{
	jw_object(w, NULL, false);
	jw_str(w, "name", p->name);
	put_bin_times(w, r);
	put_bin_values(w, "min", r, p, 0, MIN);
	put_bin_values(w, "mean", r, p, 0, MEAN);
	put_bin_values(w, "max", r, p, 0, MAX);
	put_lines(w, saved_summary(r->s), p);
	jw_end(w);
}

static void put_rate(struct jw *w, const struct series *r, const struct plot *p)
{
	char name[160];
	size_t group = strcspn(p->name, "[");
	bool band = p->flows > 1;

	jw_object(w, NULL, false);
	snprintf(name, sizeof(name), "%.*s", (int)p->len, p->name);
	jw_str(w, "name", name);
	snprintf(name, sizeof(name), "%.*s", (int)group, p->name);
	jw_str(w, "group", name);
	jw_u64(w, "flows", p->flows);
	put_bin_times(w, r);
	put_bin_values(w, "goodput", r, p, GOODPUT, MEAN);
	put_bin_values(w, "rc", r, p, RC, MEAN);
	put_bin_values(w, "rt", r, p, RT, MEAN);
	put_bin_values(w, "alpha", r, p, ALPHA, MEAN);
	if (band) {
		put_bin_values(w, "goodput_min", r, p, GOODPUT, MIN);
		put_bin_values(w, "goodput_max", r, p, GOODPUT, MAX);
		put_bin_values(w, "rc_min", r, p, RC, MIN);
		put_bin_values(w, "rc_max", r, p, RC, MAX);
	}
	jw_end(w);
}

static void put_all(struct jw *w, const struct series *r)
{
	unsigned queues = 0, rates = 0;

	jw_array(w, "queues", false);
	for (unsigned i = 0; i < r->n_plots; i++)
		if (r->plot[i].queue) {
			put_queue_plot(w, r, &r->plot[i]);
			queues++;
		}
	jw_end(w);
	jw_u64(w, "more_queues", r->n_queues - queues);
	jw_array(w, "rates", false);
	for (unsigned i = 0; i < r->n_plots; i++)
		if (!r->plot[i].queue) {
			put_rate(w, r, &r->plot[i]);
			rates++;
		}
	jw_end(w);
	jw_u64(w, "more_rates", r->n_rates - rates);
}

void data_series(struct jw *w, struct saved *s)
{
	struct series r = {.s = s};

	if (survey(&r)) {
		r.t = calloc(r.n_bins, sizeof(*r.t));
		if (r.t && choose_queues(&r)) {
			choose_rates(&r);
			fill_bins(&r);
		}
	}
	put_all(w, &r);
	for (unsigned i = 0; i < r.n_plots; i++)
		free(r.plot[i].bin);
	free(r.plot);
	free(r.seen);
	free(r.t);
}
