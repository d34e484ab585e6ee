// SPDX-License-Identifier: BSD-3-Clause
// Shapers of the switch's egress ports: which queues they hold, which are served first.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "egress.h"

int sw_shape_init(struct sw *sw, struct sw_port *o, const struct sw_port_params *p)
{
	struct shaper_params sp = {
		.port = p->shaper_rate,
		.burst_bytes = p->shaper_burst,
		.least_ps = p->shaper_auto ? o->e.cfg->tolerance_ps : 0,
		.wire_extra = o->e.cfg->framing.wire_extra,
	};
	struct shaper_cfg cfg;
	int rc;

	memcpy(sp.max, p->max_rate, sizeof(sp.max));
	memcpy(sp.min, p->min_rate, sizeof(sp.min));
	rc = shaper_cfg_init(&cfg, &sp);
	if (rc || !cfg.on)
		return rc;
	o->shape = calloc(1, sizeof(*o->shape));
	if (!o->shape)
		return -ENOMEM;
	o->shape->cfg = cfg;
	shaper_init(&o->shape->s, &o->shape->cfg);
	sw_blocked(sw, o);
	return 0;
}

// Classes that no pause stops.
static uint8_t may_send(const struct sw *sw, const struct sw_port *o)
{
	return (uint8_t)~sw_paused(sw, o);
}

void sw_shape_look(struct sw *sw, struct sw_port *o, tstamp now)
{
	shaper_look(&o->shape->s, now);
	sw_blocked(sw, o);
	sw_timer_changed(sw, o);
}

void sw_shape_asked(struct sw *sw, struct sw_port *o, tstamp now)
{
	shaper_asked(&o->shape->s, may_send(sw, o), now);
	shaper_look(&o->shape->s, now);
	sw_blocked(sw, o);
}

void sw_shape_left(struct sw *sw, struct sw_port *o)
{
	shaper_left(&o->shape->s, (uint8_t)(o->e.nonempty & may_send(sw, o)));
	sw_timer_changed(sw, o);
}

// Guarantees have turns and credit of their own: the round that they break into goes on as if
// nothing had been.
static void swap_turns(struct sw_port *o)
{
	struct sw_shape *s = o->shape;
	uint8_t turn = o->e.turn;

	o->e.turn = s->turn;
	s->turn = turn;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		int32_t keep = o->e.nonempty >> c & 1 ? -1 : 0; // an emptied queue starts anew
		int32_t deficit = o->e.q[c].deficit;

		o->e.q[c].deficit = s->deficit[c] & keep;
		s->deficit[c] = deficit & keep;
	}
	s->out_of_turn = !s->out_of_turn;
}

// Queues below their guaranteed rate before all others, among them as the scheduler has it: the
// others are blocked until what was picked has left.
int sw_shape_pick(struct sw_port *o)
{
	uint8_t first = o->shape->s.first & (uint8_t)~o->blocked, others = 0;

	if (o->e.nonempty & first) {
		others = (uint8_t)~first;
		swap_turns(o);
	}
	return eport_pick(&o->e, o->blocked | others);
}

// Back to the turns of all. Whether the wire starves is asked of all that may send.
static void in_turn(struct sw_port *o)
{
	if (!o->shape->out_of_turn)
		return;
	swap_turns(o);
	o->e.blocked = o->blocked;
	o->e.starved = !(o->e.nonempty & ~(unsigned)o->blocked);
}

void sw_shape_sent(struct sw *sw, struct sw_port *o, int cls, uint32_t len, tstamp now)
{
	in_turn(o);
	if (cls == EPORT_CTL)
		return;
	shaper_sent(&o->shape->s, (unsigned)cls, len, now);
	sw_blocked(sw, o);
}

_Static_assert(EPORT_GATES == SHAPER_GATES && SHAPER_OF_PORT == 0, "the buckets that frames pass");

// Whether no other class may send, and no frame is of a train.
static bool is_alone(const struct sw_port *o, int cls)
{
	return !(o->e.nonempty & ~(unsigned)o->blocked & ~(1u << cls)) &&
	       o->e.q[cls].head->kind != EPORT_TRAIN;
}

// Of n frames of a class that is alone the first k, `had` bytes of the queue, have left for its
// guarantee. The others, `more` bytes, have left in the class's own turn, as they do where it is
// picked again. It has a credit for each of the two: they were `credit` and `then` before. `empty`:
// these frames were all that the queue had. (Frames of the switch's own may have joined it since.)
static void share_credit(struct sw_port *o, int cls, struct pkt *const *burst, unsigned k,
	unsigned n, uint32_t had, uint32_t more, int32_t credit, int32_t then, bool empty)
{
	int32_t left = eport_credit_behind(&o->e, cls, then, burst + k, n - k, more);

	in_turn(o);
	o->shape->deficit[cls] = eport_credit_behind(&o->e, cls, credit, burst, k, had);
	o->e.q[cls].deficit = empty ? 0 : left;
	o->e.starved = empty;
	if (!(o->e.cfg->strict >> cls & 1))
		o->e.turn = (uint8_t)cls;
}

// How many of n frames, `len` octets in all, pass a gate that is open. The gate is then as the last
// of them leaves it. Where they are not all, *had are their octets.
static unsigned pass_gate(struct rate_gate *g, struct pkt *const *burst, unsigned n, uint32_t len,
	uint32_t wire_extra, uint32_t *had)
{
	tstamp all = (len + n * wire_extra) * rate_time(g->ps, 1); // may be longer than 64 KiB
	unsigned k;

	*had = 0;
	if (!(g->ps & RATE_FRACTION) && g->at + all <= g->until) {
		g->at += all;
		return n;
	}
	for (k = 0; k < n && g->at <= g->until; k++) {
		g->at += rate_time(g->ps, burst[k]->len + wire_extra);
		*had += burst[k]->len;
	}
	return k;
}

// A class that is served for its guarantee and is alone sends on when it has had what it is
// guaranteed. So the gate of the guarantee ends no burst: the frames that pass it are only counted.
static unsigned beyond_guarantee(struct sw *sw, struct sw_port *o, int cls, struct pkt **burst,
	unsigned max, struct rate_gate gate[EPORT_GATES], tstamp now)
{
	struct rate_gate *own = &gate[SHAPER_OF_GUARANTEE], guarantee = *own;
	const struct eport_q *q = &o->e.q[cls];
	int32_t credit = q->deficit, then = o->shape->deficit[cls];
	uint64_t sent = q->tx_bytes;
	uint32_t bytes = q->bytes, extra = sw->queue_extra, len, had;
	unsigned n, k;

	*own = (struct rate_gate){0, now, TSTAMP_NEVER};
	n = sw_tx_burst(sw, o, cls, burst, max, gate, now);
	*own = guarantee;
	len = (uint32_t)(q->tx_bytes - sent) - n * PKT_FCS;
	k = pass_gate(own, burst, n, len, o->shape->cfg.wire_extra, &had);
	if (k < n)
		share_credit(o, cls, burst, k, n, had + k * extra, len - had + (n - k) * extra,
			credit, then, bytes == len + n * extra);
	return n;
}

static unsigned one_class(
	struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max, tstamp now)
{
	struct shaper *s = &o->shape->s;
	struct rate_gate gate[EPORT_GATES];
	unsigned n;

	shaper_gates(s, (unsigned)cls, gate, now);
	n = o->shape->out_of_turn && is_alone(o, cls)
		    ? beyond_guarantee(sw, o, cls, burst, max, gate, now)
		    : sw_tx_burst(sw, o, cls, burst, max, gate, now);
	if (n)
		shaper_passed(s, (unsigned)cls, gate, now);
	return n;
}

static unsigned in_a_round(struct sw *sw, struct sw_port *o, int cls, uint8_t classes,
	struct pkt **burst, unsigned max, tstamp now)
{
	struct shaper *s = &o->shape->s;
	struct eport_gates gates;
	unsigned n;

	shaper_round_gates(s, classes, &gates.all, gates.own, now);
	n = sw_tx_round(sw, o, cls, classes, burst, max, &gates, now);
	if (n)
		shaper_round_passed(s, gates.passed, &gates.all, gates.own, now);
	return n;
}

unsigned sw_shape_burst(
	struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max, tstamp now)
{
	uint8_t classes = sw_tx_turns(o, cls);
	unsigned n = 0;

	if (classes)
		n = in_a_round(sw, o, cls, classes, burst, max, now);
	if (!n)
		n = one_class(sw, o, cls, burst, max, now);
	if (!n)
		return 0;
	in_turn(o);
	sw_blocked(sw, o);
	return n;
}
