// SPDX-License-Identifier: BSD-3-Clause
// The sets of a switch: the classes, with marker and drop curve, and the maps of its ports. Ports
// that are alike share one.
#include <errno.h>
#include <string.h>

#include "int.h"
#include "speed.h"

// The sets that a switch has so far.
struct sets {
	struct sw_set_params **set;
	char ***share; // of each set, by class: scene_node.wred_share
	unsigned n, n_shares;
	struct index by_content;
};

// Returns where the class's wred is given in the file.
static const struct yamldoc_node *wred_place(const struct draft_port *p, const struct spec_class *c)
{
	return draft_given(&scene_opts_class, c, "wred", hardware_port_place(p));
}

// Whether an entry of `ports` gives a class of the port this key of wred.
static bool is_own(const struct draft_port *p, unsigned cls, const char *key)
{
	const struct opt_table *t = hardware_class_table("wred");
	const struct spec_switch *sw = draft_port_node(p)->sw;

	return opt_source(t, &p->spec->cls[cls].wred, key) !=
	       opt_source(t, &sw->cls[cls].wred, key);
}

// The two thresholds of a curve; `none`: neither is given.
struct curve {
	uint64_t min, max;
	bool none;
};

// The error is at the threshold that the port has of its own.
static int check_order(struct draft *b, const struct curve *c, const struct draft_port *p,
	const struct spec_class *k, unsigned cls, const char *key_min, const char *key_max)
{
	const struct opt_table *t = hardware_class_table("wred");
	const struct spec_wred *w = &k->wred;
	bool at_max = is_own(p, cls, key_max) && !is_own(p, cls, key_min);
	char low[DRAFT_SAID], high[DRAFT_SAID];

	if (c->min <= c->max)
		return 0;
	draft_said(t, w, key_min, c->min, low, sizeof(low));
	draft_said(t, w, key_max, c->max, high, sizeof(high));
	if (at_max)
		return yamldoc_err(b->err, draft_given(t, w, key_max, wred_place(p, k)),
			"wred %s %s is below %s %s; it must be at or above it", key_max, high,
			key_min, low);
	return yamldoc_err(b->err, draft_given(t, w, key_min, wred_place(p, k)),
		"wred %s %s is above %s %s; it must be at or below it", key_min, low, key_max,
		high);
}

static int thresholds(struct draft *b, struct curve *c, const struct draft_port *p,
	const struct spec_class *k, unsigned cls, bool drop)
{
	const struct spec_wred *w = &k->wred;
	const struct opt_amount *min = drop ? &w->drop_min : &w->min;
	const struct opt_amount *max = drop ? &w->drop_max : &w->max;
	const char *key_min = drop ? "drop_min" : "min", *key_max = drop ? "drop_max" : "max";
	uint64_t whole = hardware_queue_whole(p, &k->queue);

	*c = (struct curve){draft_amount(min, whole), draft_amount(max, whole), false};
	c->none = c->min == OPT_NONE && c->max == OPT_NONE;
	if (c->none)
		return 0;
	if (c->min == OPT_NONE || c->max == OPT_NONE)
		return yamldoc_err(b->err, wred_place(p, k),
			"wred has no %s; it wants both, as in {%s: 100KB, %s: 400KB}",
			c->min == OPT_NONE ? key_min : key_max, key_min, key_max);
	return check_order(b, c, p, k, cls, key_min, key_max);
}

// Finds which frames the drop curve is for, from `ecn` and `not_ect` of the file.
static int drops(struct draft *b, enum sw_wred *to, const struct draft_port *p,
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
		draft_given(hardware_class_table("wred"), w, "not_ect", wred_place(p, c)),
		"not_ect: %s does not go with %s, which say what is dropped; leave it out",
		w->not_ect == SPEC_NOT_ECT_H3C ? "h3c" : "forward",
		w->ecn ? "drop thresholds" : "ecn: false");
}

// The text that says of what Kmin and Kmax are shares, or that they follow the link's rate.
static int wred_share(struct draft *b, char **to, const struct spec_class *c)
{
	const struct opt_table *t = hardware_class_table("wred");
	const struct spec_wred *w = &c->wred;
	bool is_share = w->min.is_share || w->max.is_share;
	char min[40], max[40];

	if (!(is_share || w->min.per_gbps || w->max.per_gbps) ||
		!opt_format(opt_row(t, "min"), w, min, sizeof(min)) ||
		!opt_format(opt_row(t, "max"), w, max, sizeof(max)))
		return 0;
	*to = arena_format(b->a, "%s and %s of the %s", min, max,
		!is_share                            ? "link"
		: hardware_queue_has_size(&c->queue) ? "queue"
						     : "buffer");
	return *to ? 0 : -ENOMEM;
}

// Whether the file says that there is no marker here, where other ports have one.
static bool is_off(const struct spec_wred *w)
{
	const struct opt_table *t = hardware_class_table("wred");

	return opt_source(t, w, "min") && opt_source(t, w, "max");
}

// `c`: the class `cls` as the port has it, without thresholds that follow the link's rate.
static int set_wred(struct draft *b, struct sw_class_params *to, const struct draft_port *p,
	const struct spec_class *c, unsigned cls)
{
	const struct opt_table *t = hardware_class_table("wred");
	const struct spec_wred *w = &c->wred;
	bool hpcc_sim = b->top.framing == SPEC_HPCC_SIM;
	struct curve marks, drop;
	int rc = thresholds(b, &marks, p, c, cls, false);

	if (!rc)
		rc = thresholds(b, &drop, p, c, cls, true);
	if (rc || (marks.none && drop.none &&
			  (!opt_source(&scene_opts_class, c, "wred") || is_off(w))))
		return rc;
	if (marks.none && (w->ecn || drop.none))
		return yamldoc_err(b->err, wred_place(p, c),
			"wred has neither min nor max; the marker wants both, as in {min: 100KB, "
			"max: 400KB}");
	rc = drops(b, &to->wred, p, c, !drop.none);
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

static int set_class(
	struct draft *b, struct sw_class_params *to, const struct draft_port *p, unsigned cls)
{
	const struct spec_class *c = &p->spec->cls[cls];
	const unsigned pg = p->spec->pg_map[cls];
	uint64_t tail = draft_amount(&c->tail_limit, draft_port_node(p)->sw->buffer);
	struct spec_class here = *c;
	int rc = speed_wred(b, &here.wred, p, cls);

	to->strict = c->strict;
	to->weight = c->weight;
	to->force_ce = c->force_ce;
	to->tail_limit_bytes = tail == OPT_NONE ? 0 : tail;
	// PFC is the priority's, as its group has it.
	to->pfc = hardware_pg_has_pfc(p, pg);
	to->quanta = p->spec->cls[pg].pfc.quanta;
	to->refresh_permille = p->spec->cls[pg].pfc.refresh;
	return rc ? rc : set_wred(b, to, p, &here, cls);
}

// The place where an entry of `ports` gives a class of the port this key; NULL: none does.
static const struct yamldoc_node *own_key(const struct draft_port *p, unsigned cls, const char *key)
{
	const struct spec_switch *sw = draft_port_node(p)->sw;
	const struct yamldoc_node *at = opt_source(&scene_opts_class, &p->spec->cls[cls], key);

	return at != opt_source(&scene_opts_class, &sw->cls[cls], key) ? at : NULL;
}

// With PAUSE all frames that come in by a port are in one group, which is lossless.
static int check_pause(struct draft *b, const struct draft_port *p, unsigned cls)
{
	const unsigned pg = p->spec->pg_map[0];
	const struct yamldoc_node *lossless = own_key(p, cls, "lossless");
	const struct yamldoc_node *pfc = cls == pg ? NULL : own_key(p, cls, "pfc");

	if (lossless)
		return yamldoc_err(b->err, lossless,
			"%s class %u: with flow_control: pause all frames of a port are lossless; "
			"leave lossless out (pfc: {enable: false} sends no PAUSE)",
			p->name, cls);
	return pfc ? yamldoc_err(b->err, pfc,
			     "%s class %u: with flow_control: pause a port has one group, class "
			     "%u's; write pfc there",
			     p->name, cls, pg)
		   : 0;
}

// Refuses PFC that an entry of `ports` gives to a class that drops there.
static int check_pfc(struct draft *b, const struct draft_port *p, unsigned cls)
{
	const struct spec_class *c = &p->spec->cls[cls];
	const struct yamldoc_node *at = own_key(p, cls, "pfc");

	if (!at || !c->pfc.enable || c->lossless)
		return 0;
	return yamldoc_err(b->err, at,
		"%s class %u has pfc, but is lossy at this port: it pauses nobody and drops; "
		"write lossless: true, or leave pfc out",
		p->name, cls);
}

// Makes the set of a port. All of its bytes are written, so that equal sets have equal bytes.
static int set_make(struct draft *b, struct sw_set_params *to, const struct draft_port *p)
{
	const struct spec_port *spec = p->spec;
	bool pause = draft_port_node(p)->sw->flow_control == SPEC_PAUSE;
	int rc = 0;

	memset(to, 0, sizeof(*to));
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++)
		rc = pause ? check_pause(b, p, c) : check_pfc(b, p, c);
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++)
		rc = set_class(b, &to->cls[c], p, c);
	memcpy(to->dscp_to_class, spec->dscp_map, sizeof(to->dscp_to_class));
	memcpy(to->pcp_to_class, spec->pcp_map, sizeof(to->pcp_to_class));
	memcpy(to->queue_map, spec->queue_map, sizeof(to->queue_map));
	memcpy(to->pg_map, spec->pg_map, sizeof(to->pg_map));
	return rc;
}

// Adds a set, with the texts of its thresholds.
static int set_add(struct draft *b, struct sets *s, const struct sw_set_params *set,
	const struct draft_port *p, uint32_t hash)
{
	struct sw_set_params *own = draft_scrap(b, sizeof(*own));
	char **share = draft_get(b, PKT_CLASSES * sizeof(*share));
	void **place = own && share ? draft_push(b, &s->set, &s->n) : NULL;
	void **text = place ? draft_push(b, &s->share, &s->n_shares) : NULL;
	int rc = 0;

	if (!text)
		return -ENOMEM;
	memcpy(own, set, sizeof(*own));
	*place = own;
	*text = share;
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++)
		rc = wred_share(b, &share[c], &p->spec->cls[c]);
	if (!rc && index_add(&s->by_content, hash, s->n - 1))
		rc = err_set(b->err, -ENOMEM, "out of memory");
	return rc;
}

// Finds the number of a port's set, which is a new one if no port before has the same.
static int set_of(struct draft *b, struct sets *s, uint16_t *number, const struct draft_port *p)
{
	struct sw_set_params set;
	uint32_t hash, at, i;
	int rc = set_make(b, &set, p);

	if (rc)
		return rc;
	hash = at = index_hash(0, &set, sizeof(set));
	do
		i = index_next(&s->by_content, hash, &at);
	while (i != INDEX_NONE && memcmp(s->set[i], &set, sizeof(set)) != 0);
	*number = (uint16_t)(i != INDEX_NONE ? i : s->n);
	return i != INDEX_NONE ? 0 : set_add(b, s, &set, p, hash);
}

// Ports with the same settings and the same rate have the same set.
static bool is_like(const struct draft_port *p, const struct draft_port *before)
{
	return before && p->spec == before->spec && p->link->spec.rate == before->link->spec.rate;
}

static int find_sets(
	struct draft *b, struct sets *s, struct sw_port_params *port, const struct draft_node *n)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < n->n_ports; i++)
		if (is_like(n->port[i], i ? n->port[i - 1] : NULL))
			port[i].set = port[i - 1].set;
		else
			rc = set_of(b, s, &port[i].set, n->port[i]);
	index_fini(&s->by_content);
	return rc;
}

int hardware_sets(struct draft *b, struct sw_set_params **set, unsigned *n_sets,
	struct sw_port_params *port, const struct draft_node *n)
{
	struct scene_node *to = &b->s->node[n->index];
	struct sets s = {0};
	int rc = find_sets(b, &s, port, n);

	if (rc)
		return rc;
	*n_sets = s.n;
	*set = draft_get(b, s.n * sizeof(**set));
	if (!*set)
		return -ENOMEM;
	for (unsigned i = 0; i < s.n; i++)
		memcpy(&(*set)[i], s.set[i], sizeof(**set));
	to->wred_share = s.share;
	return 0;
}
