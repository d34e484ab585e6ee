// SPDX-License-Identifier: BSD-3-Clause
// The WRED profile of a switch's class: marker and drop curve compiled, each with its thresholds.
#include <errno.h>

#include "int.h"

typedef unsigned long long ull; // of messages

// Where the profile stands in the file.
static const struct yamldoc_node *place(const struct build_node *n, const struct spec_class *c)
{
	return scene_given(&scene_opts_class, c, "wred", n->key);
}

// The two thresholds of a curve; `none`: neither is given.
struct curve {
	uint64_t min, max;
	bool none;
};

static int thresholds(struct build *b, struct curve *c, const struct build_node *n,
	const struct spec_class *k, bool drop)
{
	const struct opt_table *t = scene_class_table("wred");
	const struct spec_wred *w = &k->wred;
	const struct opt_amount *min = drop ? &w->drop_min : &w->min;
	const struct opt_amount *max = drop ? &w->drop_max : &w->max;
	const char *prefix = drop ? "drop_" : "";

	*c = (struct curve){
		scene_amount(min, n->sw->buffer), scene_amount(max, n->sw->buffer), false};
	c->none = c->min == OPT_NONE && c->max == OPT_NONE;
	if (c->none)
		return 0;
	if (c->min == OPT_NONE || c->max == OPT_NONE)
		return yamldoc_err(b->err, place(n, k),
			"wred has no %s%s; it wants both, as in {%smin: 100KB, %smax: 400KB}",
			prefix, c->min == OPT_NONE ? "min" : "max", prefix, prefix);
	if (c->min > c->max)
		return yamldoc_err(b->err,
			scene_given(t, w, drop ? "drop_min" : "min", place(n, k)),
			"wred %smin %llu is above %smax %llu; it must be at or below it", prefix,
			(ull)c->min, prefix, (ull)c->max);
	return 0;
}

// What is dropped, by what the file says of ECN and of Not-ECT.
static int drops(struct build *b, enum sw_wred *to, const struct build_node *n,
	const struct spec_class *c, bool apart)
{
	const struct spec_wred *w = &c->wred;

	if (!w->ecn)
		*to = SW_WRED_ALL;
	else if (apart || w->not_ect == SPEC_NOT_ECT_DROP)
		*to = SW_WRED_NOT_ECT;
	else
		*to = w->not_ect == SPEC_NOT_ECT_H3C ? SW_WRED_H3C : SW_WRED_OFF;
	if ((w->ecn && !apart) || w->not_ect == SPEC_NOT_ECT_AUTO ||
		w->not_ect == SPEC_NOT_ECT_DROP)
		return 0;
	return yamldoc_err(b->err,
		scene_given(scene_class_table("wred"), w, "not_ect", place(n, c)),
		"not_ect: %s does not go with %s, which say what is dropped; leave it out",
		w->not_ect == SPEC_NOT_ECT_H3C ? "h3c" : "forward",
		w->ecn ? "drop thresholds" : "ecn: false");
}

int scene_wred(struct build *b, struct sw_class_params *to, const struct build_node *n,
	const struct spec_class *c)
{
	const struct opt_table *t = scene_class_table("wred");
	const struct spec_wred *w = &c->wred;
	bool hpcc_sim = b->top.framing == SPEC_HPCC_SIM;
	struct curve marks, drop;
	int rc = thresholds(b, &marks, n, c, false);

	if (!rc)
		rc = thresholds(b, &drop, n, c, true);
	if (rc || (marks.none && drop.none && !opt_source(&scene_opts_class, c, "wred")))
		return rc;
	if (marks.none && (w->ecn || drop.none))
		return yamldoc_err(b->err, place(n, c),
			"wred has neither min nor max; the marker wants both, as in {min: 100KB, "
			"max: "
			"400KB}");
	rc = drops(b, &to->wred, n, c, !drop.none);
	if (rc)
		return rc;
	if (w->ecn)
		to->mark = w->mark == SPEC_ENQUEUE ? SW_MARK_ENQUEUE : SW_MARK_DEQUEUE;
	to->red = (struct red_params){marks.min, marks.max, w->probability};
	to->wred_drop = to->red;
	if (!drop.none) {
		to->wred_drop.kmin_bytes = drop.min;
		to->wred_drop.kmax_bytes = drop.max;
	}
	if (opt_source(t, w, "drop_probability"))
		to->wred_drop.pmax = w->drop_probability;
	to->wred_exponent = w->weight;
	to->red_excludes_frame = hpcc_sim;
	to->mark_any = hpcc_sim;
	return 0;
}
