// SPDX-License-Identifier: BSD-3-Clause
// A running switch adopts other values: the check of two sets of parameters, the compiled change,
// and its execution at one instant.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// The compiled values are in a second switch, which never sees a frame. A port that was not shaped
// takes its shaper object.
struct sw_change {
	struct sw *twin;
	uint32_t number, what;            // of its event
	uint8_t markers, pauses, weights; // bitmaps: classes that differ
	bool thresholds;
	struct pkt_stack stack;
	struct ev_ring events;
	struct { // by port: the kinds of values that differ
		bool shapers, watchdog;
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

static bool ports_differ(const struct sw_port_params *a, const struct sw_port_params *b)
{
	bool same = same_shapers(a, b) && same_watchdog(&a->wd, &b->wd);

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

int sw_change_check(
	const struct sw_params *from, const struct sw_params *to, char *why, unsigned size)
{
	const char *what = NULL;
	bool differs = false;

	if (from->n_ports != to->n_ports || from->shards != to->shards ||
		from->buffer_bytes != to->buffer_bytes || from->cell_bytes != to->cell_bytes ||
		from->headroom_pool_bytes != to->headroom_pool_bytes ||
		from->ingress_bytes != to->ingress_bytes ||
		memcmp(from->egress_bytes, to->egress_bytes, sizeof(to->egress_bytes)))
		what = "buffer or pools";
	for (unsigned c = 0; !what && c < PKT_CLASSES; c++) {
		const struct sw_class_params *a = &from->cls[c], *b = &to->cls[c];

		what = fixed_of_class(a, b);
		if (what)
			return snprintf(why, size, "class %u (%s)", c, what), -EINVAL;
		differs |= !same_marker(a, b) || (b->pfc && !same_pause(a, b)) ||
			   (!b->strict && a->weight != b->weight);
	}
	for (unsigned i = 0; !what && i < to->n_ports; i++) {
		what = fixed_of_port(&from->port[i], &to->port[i]);
		if (what)
			return snprintf(why, size, "port %s (%s)", to->port[i].name, what), -EINVAL;
		differs |= ports_differ(&from->port[i], &to->port[i]);
	}
	return what ? (snprintf(why, size, "%s", what), -EINVAL) : differs;
}

// A switch with these values and as little else as possible. It has the tolerance of the switch
// that adopts, which no command changes.
static int make_twin(struct sw_change *c, const struct sw *sw, const struct sw_params *to)
{
	struct sw_params p = *to;

	p.tolerance_ps = sw->ecfg[0].tolerance_ps;
	p.shards = 0;
	p.monitor = p.iqcn_on = p.fast_cnp_on = false;
	p.fdb_entries = 1;
	p.shared_hdrs = 1;
	p.fdb = NULL;
	p.n_fdb = p.n_ecmp = 0;
	p.ecmp = NULL;
	p.fixed = NULL;
	p.large = NULL;
	for (unsigned k = 0; k < PKT_CLASSES; k++) {
		p.cls[k].qcn.on = false;
		p.cls[k].fast_cnp = SW_FAST_CNP_OFF;
		p.cls[k].heavy_bytes = 0;
	}
	return sw_init(&c->twin, &p, &c->stack, &c->events);
}

int sw_change_new(struct sw_change **out, const struct sw *sw, const struct sw_params *from,
	const struct sw_params *to, uint32_t number)
{
	struct sw_change *c = calloc(1, sizeof(*c) + to->n_ports * sizeof(c->port[0]));
	int rc = c ? make_twin(c, sw, to) : -ENOMEM;

	if (rc) {
		free(c);
		return rc;
	}
	c->number = number;
	for (unsigned k = 0; k < PKT_CLASSES; k++) {
		const struct sw_class_params *a = &from->cls[k], *b = &to->cls[k];

		c->markers |= (uint8_t)(!same_marker(a, b) << k);
		c->pauses |= (uint8_t)((b->pfc && !same_pause(a, b)) << k);
		c->weights |= (uint8_t)((!b->strict && a->weight != b->weight) << k);
	}
	c->what = (c->markers ? EV_SET_WRED : 0) | (c->weights ? EV_SET_WEIGHTS : 0) |
		  (c->pauses ? EV_SET_PFC : 0);
	for (unsigned i = 0; i < to->n_ports; i++) {
		const struct sw_port_params *a = &from->port[i], *b = &to->port[i];

		c->port[i].shapers = !same_shapers(a, b);
		c->port[i].watchdog = b->wd_classes && !same_watchdog(&a->wd, &b->wd);
		for (unsigned k = 0; k < MMU_PGS; k++)
			c->thresholds |= !same_thresholds(&a->pg[k], &b->pg[k]);
		c->what |= (c->port[i].shapers ? EV_SET_SHAPERS : 0) |
			   (c->port[i].watchdog ? EV_SET_WATCHDOG : 0) |
			   (c->thresholds ? EV_SET_PFC : 0);
	}
	*out = c;
	return 0;
}

void sw_change_free(struct sw_change *c)
{
	if (c)
		sw_fini(c->twin);
	free(c);
}

// Averages go on. The marking curve is about one configuration, so it begins anew.
static void adopt_marker(struct sw *sw, unsigned cls, const struct sw_cls *to)
{
	struct sw_cls *k = &sw->cls[cls];

	k->red = to->red;
	k->wred_drop = to->wred_drop;
	k->wred_exponent = to->wred_exponent;
	k->look_bytes = to->look_bytes;
	k->rx_calm_bytes = to->rx_calm_bytes;
	for (unsigned i = 0; i < sw->n_ports; i++) {
		struct sw_out *o = &sw->port[i].out[cls];

		if (o->curve && !sw->port[i].away)
			red_curve_restart(o->curve, sw_out_ect(o), o->ecn_marked_frames);
	}
}

static void adopt_classes(struct sw *sw, const struct sw_change *c)
{
	for (unsigned k = 0; k < PKT_CLASSES; k++) {
		const struct sw_cls *to = &c->twin->cls[k];

		if (c->markers >> k & 1)
			adopt_marker(sw, k, to);
		if (c->pauses >> k & 1) {
			sw->cls[k].quanta = to->quanta;
			sw->cls[k].refresh_permille = to->refresh_permille;
		}
	}
}

static void adopt_port(struct sw *sw, const struct sw_change *c, unsigned i, tstamp now)
{
	struct sw_port *o = &sw->port[i], *to = &c->twin->port[i];

	if (c->pauses)
		sw_pause_adopt(sw, o, c->pauses, now);
	for (unsigned left = c->weights; left; left &= left - 1) {
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
	adopt_classes(sw, c);
	for (unsigned i = 0; i < sw->n_ports; i++)
		if (!sw->port[i].away)
			adopt_port(sw, c, i, now);
	if (c->thresholds)
		sw_buffer_adopt(sw, c->twin, now);
}
