// SPDX-License-Identifier: BSD-3-Clause
// A running switch adopts other values: the check of two sets of parameters, the compiled change,
// and its execution at one instant.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/have.h"
#include "int.h"

// Sets that a shard exchanges with its own.
struct own_sets {
	struct sw_set *set;
	void *mem;
};

// The compiled values are in a second switch, which never sees a frame. A port that was not shaped
// takes its shaper object.
struct sw_change {
	struct sw *twin;
	struct own_sets *sets; // by shard
	unsigned shards;
	uint32_t number, what; // of its event
	bool thresholds;
	struct pkt_stack stack;
	struct ev_ring events;
	struct { // by port: the kinds of values that differ
		bool shapers, watchdog;
		uint8_t markers, pauses, weights; // bitmaps of classes
	} port[];
};

static bool same_red(const struct red_params *a, const struct red_params *b)
{
	return a->kmin_bytes == b->kmin_bytes && a->kmax_bytes == b->kmax_bytes &&
	       a->pmax == b->pmax;
}

static bool same_marker(const struct sw_class_params *a, const struct sw_class_params *b)
{
	return same_red(&a->red, &b->red) && same_red(&a->wred_drop, &b->wred_drop) &&
	       a->wred_exponent == b->wred_exponent;
}

static bool same_pause(const struct sw_class_params *a, const struct sw_class_params *b)
{
	return a->quanta == b->quanta && a->refresh_permille == b->refresh_permille;
}

static bool same_thresholds(const struct mmu_pg_params *a, const struct mmu_pg_params *b)
{
	return a->threshold == b->threshold && a->static_bytes == b->static_bytes &&
	       a->dynamic_th == b->dynamic_th && a->xon_bytes == b->xon_bytes &&
	       a->xon_offset_bytes == b->xon_offset_bytes;
}

static bool same_shapers(const struct sw_port_params *a, const struct sw_port_params *b)
{
	return a->shaper_rate == b->shaper_rate &&
	       !memcmp(a->max_rate, b->max_rate, sizeof(a->max_rate)) &&
	       !memcmp(a->min_rate, b->min_rate, sizeof(a->min_rate));
}

static bool same_watchdog(const struct pfcwd_params *a, const struct pfcwd_params *b)
{
	return a->poll == b->poll && a->detection == b->detection &&
	       a->restoration == b->restoration && a->action == b->action;
}

static const struct sw_class_params *classes_of(const struct sw_params *p, unsigned port)
{
	return p->set[p->port[port].set].cls;
}

// Bitmaps of the classes of a port that differ in a kind of values.
struct classes_differ {
	uint8_t markers, pauses, weights;
};

static struct classes_differ classes_differ(
	const struct sw_params *from, const struct sw_params *to, unsigned port)
{
	struct classes_differ d = {0};

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct sw_class_params *a = &classes_of(from, port)[c],
					     *b = &classes_of(to, port)[c];

		d.markers |= (uint8_t)(!same_marker(a, b) << c);
		d.pauses |= (uint8_t)((b->pfc && !same_pause(a, b)) << c);
		d.weights |= (uint8_t)((!b->strict && a->weight != b->weight) << c);
	}
	return d;
}

static bool ports_differ(const struct sw_params *from, const struct sw_params *to, unsigned port)
{
	const struct sw_port_params *a = &from->port[port], *b = &to->port[port];
	struct classes_differ d = classes_differ(from, to, port);
	bool same = same_shapers(a, b) && same_watchdog(&a->wd, &b->wd) && !d.markers &&
		    !d.pauses && !d.weights;

	for (unsigned c = 0; c < MMU_PGS; c++)
		same &= same_thresholds(&a->pg[c], &b->pg[c]);
	return !same;
}

// Words for a difference of two classes that cannot change; NULL: there is none.
static const char *fixed_of_class(const struct sw_class_params *a, const struct sw_class_params *b)
{
	if (a->mark != b->mark || a->mark_any != b->mark_any || a->force_ce != b->force_ce ||
		a->red_excludes_frame != b->red_excludes_frame)
		return "whether and where it marks";
	if (a->wred != b->wred)
		return "which frames its drop curve is for";
	if (!a->wred_exponent != !b->wred_exponent)
		return "whether it averages the queue";
	if (a->tail_limit_bytes != b->tail_limit_bytes)
		return "tail_limit";
	if (a->strict != b->strict || a->pfc != b->pfc)
		return "strict or lossless";
	if (a->heavy_bytes != b->heavy_bytes || a->heavy_off_bytes != b->heavy_off_bytes)
		return "heavy of iqcn, which follows from wred";
	return a->qcn.on != b->qcn.on || a->fast_cnp != b->fast_cnp ? "qcn or fast_cnp" : NULL;
}

static const char *fixed_of_group(const struct mmu_pg_params *a, const struct mmu_pg_params *b)
{
	if (a->headroom_bytes != b->headroom_bytes)
		return "headroom";
	return a->lossless != b->lossless || a->reserved_bytes != b->reserved_bytes ? "reserved"
										    : NULL;
}

static bool same_queue(const struct mmu_queue_params *a, const struct mmu_queue_params *b)
{
	return a->lossless == b->lossless && a->one_pool == b->one_pool &&
	       a->limited == b->limited && a->threshold == b->threshold &&
	       a->reserved_bytes == b->reserved_bytes && a->static_bytes == b->static_bytes &&
	       a->dynamic_th == b->dynamic_th;
}

static const char *fixed_of_port(const struct sw_port_params *a, const struct sw_port_params *b)
{
	const char *what = NULL;

	if (a->wd_classes != b->wd_classes || a->wd_off != b->wd_off || a->wd.rule != b->wd.rule)
		return "whether pfc_watchdog watches";
	if (a->shaper_burst != b->shaper_burst || a->shaper_auto != b->shaper_auto)
		return "shaper_burst";
	if (a->rate != b->rate || a->mtu != b->mtu || a->pfc_response != b->pfc_response ||
		a->pause_honour != b->pause_honour || a->pfc_asym != b->pfc_asym || a->cn != b->cn)
		return "its link";
	for (unsigned c = 0; !what && c < MMU_PGS; c++) {
		what = fixed_of_group(&a->pg[c], &b->pg[c]);
		if (!what && !same_queue(&a->queue[c], &b->queue[c]))
			what = "the limit of an egress queue";
	}
	return what;
}

static bool same_maps(const struct sw_set_params *a, const struct sw_set_params *b)
{
	return !memcmp(a->dscp_to_class, b->dscp_to_class, sizeof(a->dscp_to_class)) &&
	       !memcmp(a->pcp_to_class, b->pcp_to_class, sizeof(a->pcp_to_class)) &&
	       !memcmp(a->queue_map, b->queue_map, sizeof(a->queue_map)) &&
	       !memcmp(a->pg_map, b->pg_map, sizeof(a->pg_map));
}

// Words for a difference of a port's classes that cannot change; NULL: there is none. *cls: of it.
static const char *fixed_of_classes(
	const struct sw_params *from, const struct sw_params *to, unsigned port, unsigned *cls)
{
	const char *what = NULL;

	for (unsigned c = 0; !what && c < PKT_CLASSES; c++) {
		what = fixed_of_class(&classes_of(from, port)[c], &classes_of(to, port)[c]);
		*cls = c;
	}
	return what;
}

// Checks what cannot change at a port: 0, or -EINVAL with words for it in `why`.
static int check_port(const struct sw_params *from, const struct sw_params *to, unsigned port,
	char *why, unsigned size)
{
	const struct sw_port_params *o = &to->port[port];
	unsigned cls;
	const char *what = fixed_of_classes(from, to, port, &cls);

	if (what && to->n_sets == 1)
		return snprintf(why, size, "class %u (%s)", cls, what), -EINVAL;
	if (what)
		return snprintf(why, size, "class %u of port %s (%s)", cls, o->name, what), -EINVAL;
	what = fixed_of_port(&from->port[port], o);
	if (!what && !same_maps(&from->set[from->port[port].set], &to->set[o->set]))
		what = "its maps";
	return what ? (snprintf(why, size, "port %s (%s)", o->name, what), -EINVAL) : 0;
}

int sw_change_check(
	const struct sw_params *from, const struct sw_params *to, char *why, unsigned size)
{
	bool differs = false;

	if (from->n_ports != to->n_ports || from->shards != to->shards ||
		from->buffer_bytes != to->buffer_bytes || from->cell_bytes != to->cell_bytes ||
		from->headroom_pool_bytes != to->headroom_pool_bytes ||
		from->ingress_bytes != to->ingress_bytes ||
		memcmp(from->egress_bytes, to->egress_bytes, sizeof(to->egress_bytes)))
		return snprintf(why, size, "buffer or pools"), -EINVAL;
	for (unsigned i = 0; i < to->n_ports; i++) {
		int rc = check_port(from, to, i, why, size);

		if (rc)
			return rc;
		differs |= ports_differ(from, to, i);
	}
	return differs;
}

// A switch with these values, with tables as small as possible. It has the tolerance of the switch
// that adopts, which no command changes.
static int make_twin(struct sw_change *c, const struct sw *sw, const struct sw_params *to)
{
	struct sw_params p = *to;

	p.tolerance_ps = sw->ecfg[0].tolerance_ps;
	p.shards = 0;
	p.monitor = false;
	p.fdb_entries = p.iqcn.entries = p.fast_cnp.table.entries = 1;
	p.shared_hdrs = 1;
	p.fdb = NULL;
	p.n_fdb = p.n_ecmp = 0;
	p.ecmp = NULL;
	p.fixed = NULL;
	p.large = NULL;
	return sw_init(&c->twin, &p, &c->stack, &c->events);
}

// Sets of its own for each shard. 0 or -ENOMEM.
static int make_sets(struct sw_change *c, const struct sw *sw)
{
	size_t bytes = c->twin->n_sets * sizeof(*c->twin->set);

	c->sets = calloc(sw_shards(sw), sizeof(*c->sets));
	while (c->sets && c->shards < sw_shards(sw)) {
		struct own_sets *own = &c->sets[c->shards++];

		own->set = have_zeroed(bytes, &own->mem);
		if (!own->set)
			return -ENOMEM;
		memcpy(own->set, c->twin->set, bytes);
	}
	return c->sets ? 0 : -ENOMEM;
}

// Notes which kinds of values differ at a port.
static void note_port(
	struct sw_change *c, const struct sw_params *from, const struct sw_params *to, unsigned i)
{
	const struct sw_port_params *a = &from->port[i], *b = &to->port[i];
	struct classes_differ d = classes_differ(from, to, i);

	c->port[i].markers = d.markers;
	c->port[i].pauses = d.pauses;
	c->port[i].weights = d.weights;
	c->port[i].shapers = !same_shapers(a, b);
	c->port[i].watchdog = b->wd_classes && !same_watchdog(&a->wd, &b->wd);
	for (unsigned k = 0; k < MMU_PGS; k++)
		c->thresholds |= !same_thresholds(&a->pg[k], &b->pg[k]);
	c->what |= (d.markers ? EV_SET_WRED : 0) | (d.weights ? EV_SET_WEIGHTS : 0) |
		   (d.pauses || c->thresholds ? EV_SET_PFC : 0) |
		   (c->port[i].shapers ? EV_SET_SHAPERS : 0) |
		   (c->port[i].watchdog ? EV_SET_WATCHDOG : 0);
}

int sw_change_new(struct sw_change **out, const struct sw *sw, const struct sw_params *from,
	const struct sw_params *to, uint32_t number)
{
	struct sw_change *c = calloc(1, sizeof(*c) + to->n_ports * sizeof(c->port[0]));
	int rc = c ? make_twin(c, sw, to) : -ENOMEM;

	if (!rc)
		rc = make_sets(c, sw);
	if (rc) {
		sw_change_free(c);
		return rc;
	}
	c->number = number;
	for (unsigned i = 0; i < to->n_ports; i++)
		note_port(c, from, to, i);
	*out = c;
	return 0;
}

void sw_change_free(struct sw_change *c)
{
	for (unsigned k = 0; c && k < c->shards; k++)
		free(c->sets[k].mem);
	if (c) {
		free(c->sets);
		sw_fini(c->twin);
	}
	free(c);
}

// A shard exchanges its sets for the change's, which forget headers as its own did.
static void adopt_sets(struct sw *sw, const struct sw_change *c)
{
	struct own_sets *own = &c->sets[sw->shard], had = {sw->set, sw->set_mem};
	uint8_t forgets = had.set->cls[0].hooks & SW_HOOK_FORGET;

	sw->set = own->set;
	sw->set_mem = own->mem;
	sw->n_sets = c->twin->n_sets;
	*own = had;
	for (unsigned i = 0; i < sw->n_sets * PKT_CLASSES; i++)
		sw->set[i / PKT_CLASSES].cls[i % PKT_CLASSES].hooks |= forgets;
	for (unsigned i = 0; i < sw->n_ports; i++)
		sw->port[i].set = &sw->set[c->twin->port[i].set - c->twin->set];
}

// Averages go on. A marking curve is about one configuration, so it begins anew.
static void restart_curves(struct sw_port *o, unsigned classes)
{
	for (unsigned left = classes; left; left &= left - 1) {
		struct sw_out *q = &o->out[__builtin_ctz(left)];

		if (q->curve)
			red_curve_restart(q->curve, sw_out_ect(q), q->ecn_marked_frames);
	}
}

static void adopt_port(struct sw *sw, const struct sw_change *c, unsigned i, tstamp now)
{
	struct sw_port *o = &sw->port[i], *to = &c->twin->port[i];

	restart_curves(o, c->port[i].markers);
	if (c->port[i].pauses)
		sw_pause_adopt(sw, o, c->port[i].pauses, now);
	for (unsigned left = c->port[i].weights; left; left &= left - 1) {
		unsigned k = (unsigned)__builtin_ctz(left);

		sw_set_weight(o, k, to->e.cfg->weight[k]);
	}
	if (c->port[i].shapers)
		sw_shape_adopt(sw, o, &to->shape, now);
	if (c->port[i].watchdog)
		sw_wd_adopt(sw, o, to->wd, now);
}

void sw_adopt(struct sw *sw, const struct sw_change *c, tstamp now)
{
	struct ev *ev = sw->shard ? NULL : ev_put(sw->events, EV_SET, now);

	if (ev)
		ev->set = (struct ev_set){c->number, c->what};
	adopt_sets(sw, c);
	for (unsigned i = 0; i < sw->n_ports; i++)
		if (!sw->port[i].away)
			adopt_port(sw, c, i, now);
	if (c->thresholds)
		sw_buffer_adopt(sw, c->twin, now);
}
