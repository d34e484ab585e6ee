// SPDX-License-Identifier: BSD-3-Clause
// The warm-up `auto`: a first pass, and the proposal that MSER-5 makes of it.
#include "warmup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "scenario.h"
#include "summary/summary.h"
#include "vt/vt.h"

// The host or switch that is not ours on the real clock; NULL: all are ours.
static const char *not_ours(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes + s->n_elsewhere; i++)
		if (s->node[i].external)
			return s->node[i].name;
	return NULL;
}

// Loads the whole scenario for virtual time, with this warm-up.
static int load_pass(struct scene **scene, const char *name, const struct scene_opts *opts,
	tstamp warmup, struct err *err)
{
	struct scene_set *set = calloc(opts->n_set + 1ul, sizeof(*set));
	struct scene_opts o = *opts;
	char text[32];
	int rc;

	if (!set)
		return err_set(err, -ENOMEM, "out of memory");
	if (o.n_set)
		memcpy(set, o.set, o.n_set * sizeof(*set));
	units_format(UNITS_TIME, warmup, text, sizeof(text));
	set[o.n_set++] = (struct scene_set){"warmup", text};
	o.set = set;
	o.real = o.one_clock = false;
	o.nodes = NULL;
	rc = scenario_load(scene, name, &o, err);
	free(set);
	return rc;
}

// A first pass that may end early.
struct pass {
	bool early;
	tstamp lasted;
};

// Callback of vt_run().
static bool has_enough(void *arg, const struct record *r, tstamp now)
{
	struct pass *p = arg;

	p->early = summary_steady_pass(r, now);
	p->lasted = now;
	return p->early;
}

static void set_value(struct warmup *w, double us)
{
	units_format(UNITS_TIME, (tstamp)ceil(us) * PS_PER_US, w->value, sizeof(w->value));
}

// The first quarter of a pass that has ended early.
static void propose_early(struct warmup *w, tstamp lasted)
{
	char pass[32];

	w->doubt = false;
	set_value(w, (double)lasted / 4 / PS_PER_US);
	units_format(UNITS_TIME, lasted, pass, sizeof(pass));
	snprintf(w->said, sizeof(w->said),
		"warmup: auto is %s, by a first pass of %s in virtual time", w->value, pass);
}

static void propose(struct warmup *w, const struct summary *s, tstamp half)
{
	char room[2][KIND_NAME];
	double us = summary_at(s, KIND_STEADY, 0, "warmup_us");
	bool judged = strcmp(summary_label(s, KIND_STEADY, 0, "verdict", room[0]), "not judged");
	const char *why = summary_label(s, KIND_STEADY, 0, "why", room[1]);

	w->doubt = !judged || isnan(us);
	set_value(w, !judged ? 0 : isnan(us) ? (double)half / PS_PER_US : us);
	if (!judged)
		snprintf(w->said, sizeof(w->said),
			"warning: warmup: auto is %s, because no run of this scenario settles: %s",
			w->value, why);
	else if (isnan(us))
		snprintf(w->said, sizeof(w->said),
			"warning: warmup: auto is half of the run, %s, because no part of it is "
			"steady: %s",
			w->value, why);
	else
		snprintf(w->said, sizeof(w->said),
			"warmup: auto is %s, by a first pass of the whole run in virtual time",
			w->value);
}

// The window of a whole first pass is the second half of the run: a change of the load in the first
// half belongs to the start.
int warmup_find(struct warmup *w, const struct scene *scene, const char *name,
	const struct scene_opts *opts, struct err *err)
{
	struct pass p = {0};
	const struct vt_opts vo = {.record = {.no_files = true, .first_pass = true},
		.stop = stop_catch(false),
		.enough = has_enough,
		.arg = &p};
	const char *other = opts->real || !opts->one_clock ? not_ours(scene) : NULL;
	tstamp half = (scene->duration - scene->drain) / 2;
	struct report *rec = NULL;
	struct scene *pass;
	int rc;

	if (other)
		return err_set(err, -EINVAL,
			"warmup: auto needs a first pass in virtual time, which tells nothing of "
			"%s: it is external; say a time, as in --set warmup=10ms",
			other);
	rc = load_pass(&pass, name, opts, half, err);
	if (rc)
		return rc;
	rc = vt_run(pass, &vo, &rec, err);
	if (!rc && p.early)
		propose_early(w, p.lasted);
	else if (!rc && report_interrupted(rec))
		rc = err_set(err, -EINTR, "interrupted in the first pass of warmup: auto");
	else if (!rc)
		propose(w, report_summary(rec), half);
	report_free(rec);
	scene_free(pass);
	return rc;
}
