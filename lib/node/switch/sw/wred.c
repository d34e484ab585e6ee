// SPDX-License-Identifier: BSD-3-Clause
// WRED of the switch's queues beyond the plain marker: a drop curve of its own, averages, the third
// zone of standards.md 6.3.
#include <errno.h>
#include <stdlib.h>

#include "base/hint.h"
#include "marker.h"

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

// Sets two queue lengths of a class, in bytes. Up to rx_calm_bytes nothing is decided about a frame
// that joins: this is the tail limit, or the least Kmin of the curves at enqueue. Above look_bytes
// the switch looks at each frame that joins. The two lengths are the same, but look_bytes is 0 with
// a marker at enqueue, which counts each frame, and both are 0 with an average, which learns from
// each frame.
static void calm(struct sw_cls *k)
{
	k->rx_calm_bytes = k->tail_limit;
	if (k->wred != SW_WRED_OFF)
		k->rx_calm_bytes = least(k->rx_calm_bytes, k->wred_drop.kmin_bytes);
	k->look_bytes = k->mark == SW_MARK_ENQUEUE ? 0 : k->rx_calm_bytes;
	if (k->mark == SW_MARK_ENQUEUE)
		k->rx_calm_bytes = least(k->rx_calm_bytes, k->red.kmin_bytes);
	if (k->wred_exponent)
		k->look_bytes = k->rx_calm_bytes = 0;
}

// Compiles the drop curve and the average of a class. With force_ce the drop curve drops every
// frame that it is for, as the marker marks every frame that it is for.
int sw_wred_class(struct sw_cls *k, const struct sw_class_params *p)
{
	struct red_params drop = p->wred_drop;

	if (p->wred_exponent > RED_EXPONENT_MAX)
		return -EINVAL;
	k->wred = p->mark_any ? SW_WRED_OFF : (uint8_t)p->wred;
	k->wred_exponent = p->wred_exponent;
	if (p->force_ce) {
		drop.kmin_bytes = drop.kmax_bytes = 0;
		k->wred_exponent = 0;
	}
	if (k->wred != SW_WRED_OFF) {
		int rc = red_cfg_init(&k->wred_drop, &drop);

		if (rc)
			return rc;
	} else if (k->mark == SW_MARK_NONE) {
		k->wred_exponent = 0;
	}
	if (k->mark == SW_MARK_ENQUEUE)
		k->rx_look = SW_LOOK_PLAIN;
	if (k->mark == SW_MARK_DEQUEUE)
		k->tx_look = SW_LOOK_PLAIN;
	if (k->wred_exponent || k->wred != SW_WRED_OFF)
		k->rx_look = SW_LOOK_WRED;
	if (k->wred_exponent)
		k->tx_look = SW_LOOK_WRED; // it learns when the queue becomes empty
	if (k->wred == SW_WRED_H3C && k->mark != SW_MARK_NONE) {
		k->hooks |= SW_HOOK_ZONE;
		k->tx_look = SW_LOOK_WRED;
	}
	calm(k);
	return 0;
}

int sw_wred_port(struct sw_port *o)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct sw_cls *k = &o->set->cls[c];

		if (k->hooks & SW_HOOK_ZONE && !o->zone_left)
			o->zone_left = calloc(PKT_CLASSES, sizeof(*o->zone_left));
		if (k->hooks & SW_HOOK_ZONE && !o->zone_left)
			return -ENOMEM;
		if (!k->wred_exponent)
			continue;
		o->out[c].avg = calloc(1, sizeof(*o->out[c].avg));
		if (!o->out[c].avg)
			return -ENOMEM;
	}
	return 0;
}

void sw_wred_fini(struct sw_port *o)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		free(o->out[c].avg);
	free(o->zone_left);
}

void sw_zone_joined(struct sw_port *o, unsigned cls)
{
	const struct red_avg *a = o->out[cls].avg;
	uint32_t bytes = o->e.q[cls].bytes;

	if ((a ? red_avg_bytes(a) : bytes) <= o->set->cls[cls].red.kmax_bytes)
		return;
	o->zone |= (uint8_t)(1u << cls);
	o->zone_left[cls] = bytes;
}

// A frame leaves that stood in the queue while that was above Kmax. False: it has CE already, or no
// IP header that could have it.
static bool leaves_as_ce(const struct sw *sw, struct sw_port *o, const struct pkt *p)
{
	unsigned ecn = pkt_ecn(p);

	o->zone_left[p->cls] -= p->len + sw->queue_extra;
	if (!o->zone_left[p->cls])
		o->zone &= (uint8_t) ~(1u << p->cls);
	return ecn != ECN_CE && (ecn != ECN_NOT_ECT || pkt_is_ip(p));
}

static bool drops(const struct sw_cls *k, struct sw_port *o, const struct pkt *p, uint32_t qlen)
{
	return sw_drops_ecn(k) >> pkt_ecn(p) & 1 && sw_curve_drops(k, &o->rng, qlen);
}

void sw_learn(const struct sw_cls *k, const struct sw_port *o, const struct pkt *p, uint32_t qlen,
	uint32_t bytes, unsigned n, tstamp now)
{
	struct red_avg *a = o->out[p->cls].avg;

	if (UNLIKELY(red_avg_is_idle(a))) // what it makes of the time in which the queue was empty
		red_avg_idle(
			a, k->wred_exponent, tstamp_max(eport_wire_time(o->e.cfg, p->len), 1), now);
	red_avg_learn(a, k->wred_exponent, qlen - (k->excludes_frame ? bytes : 0), bytes, n);
}

enum sw_verdict sw_wred_rx(struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes, tstamp now)
{
	const struct sw_cls *k = &o->set->cls[p->cls];

	if (k->wred_exponent) {
		sw_learn(k, o, p, qlen_bytes, 0, 1, now);
		qlen_bytes = red_avg_bytes(o->out[p->cls].avg);
	}
	if (drops(k, o, p, qlen_bytes))
		return SW_DROP;
	if (k->mark != SW_MARK_ENQUEUE)
		return SW_PASS;
	return sw_marker(k, o, p, qlen_bytes) ? SW_MARK : SW_PASS;
}

bool sw_wred_tx(struct sw *sw, struct sw_port *o, struct pkt *p, uint32_t qlen_bytes, tstamp now)
{
	const struct sw_cls *k = &o->set->cls[p->cls];
	bool marks;

	if (k->wred_exponent) {
		struct red_avg *a = o->out[p->cls].avg;

		qlen_bytes = red_avg_bytes(a);
		if (!o->e.q[p->cls].head)
			red_avg_empty(a, now);
	}
	marks = k->mark == SW_MARK_DEQUEUE && sw_marker(k, o, p, qlen_bytes);
	if (UNLIKELY(o->zone >> p->cls & 1) && leaves_as_ce(sw, o, p) && !marks)
		sw_mark_ce(sw, o, p, qlen_bytes, now);
	return marks;
}
