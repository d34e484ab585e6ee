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

// A port that was not shaped takes the object; one that no longer is has one without buckets.
void sw_shape_adopt(struct sw *sw, struct sw_port *o, struct sw_shape **to, tstamp now)
{
	static const struct shaper_cfg none;

	if (o->shape) {
		shaper_adopt(&o->shape->s, &o->shape->cfg, *to ? &(*to)->cfg : &none, now);
	} else {
		o->shape = *to;
		*to = NULL;
		o->flags |= o->shape ? SW_PORT_SHAPED : 0;
	}
	sw_blocked(sw, o);
	sw_timer_changed(sw, o);
	sw_port_changed(sw, o);
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

// Guarantees have their own turn and credits, so that the round that they interrupt continues
// unchanged.
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

// Queues below their guaranteed rate come before all others, and the scheduler chooses among them.
// The others are blocked until the picked frames have left.
int sw_shape_pick(struct sw_port *o)
{
	uint8_t first = o->shape->s.first & (uint8_t)~o->blocked, others = 0;

	if (o->e.nonempty & first) {
		others = (uint8_t)~first;
		swap_turns(o);
	}
	return eport_pick(&o->e, o->blocked | others);
}

// Returns to the turns of all queues. The port is starved if no queue that may send has frames.
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

_Static_assert(EPORT_OWN_GATES == SHAPER_OWN_GATES, "the buckets that frames pass");

unsigned sw_shape_serve(
	struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned classes = sw_turns(o, cls), n;
	struct shaper *s = &o->shape->s;
	struct eport_gates gates;

	gates.passed = 0;
	shaper_gates(s, classes, &gates.all, gates.own, now);
	n = sw_serve(sw, o, (unsigned)cls, classes, burst, max, &gates, now);
	shaper_passed(s, gates.passed, &gates.all, gates.own, now);
	in_turn(o);
	sw_blocked(sw, o);
	return n;
}
