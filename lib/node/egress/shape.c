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

static void look_at_shapers(struct sw *sw, struct sw_port *o, tstamp now)
{
	shaper_look(&o->shape->s, now);
	sw_blocked(sw, o);
	sw_timer_changed(sw, o);
}

void sw_shape_asked(struct sw *sw, struct sw_port *o, tstamp now)
{
	shaper_asked(&o->shape->s, may_send(sw, o), now);
	look_at_shapers(sw, o, now);
}

void sw_shape_look(struct sw *sw, struct sw_port *o, tstamp now)
{
	look_at_shapers(sw, o, now);
}

void sw_shape_left(struct sw *sw, struct sw_port *o)
{
	shaper_left(&o->shape->s, (uint8_t)(o->e.nonempty & may_send(sw, o)));
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

// Queues below their guaranteed rate before all others, among them as the scheduler has it.
int sw_shape_pick(struct sw_port *o)
{
	uint8_t first = o->shape->s.first & (uint8_t)~o->blocked, others = 0;
	int cls;

	if (o->e.nonempty & first) {
		others = (uint8_t)~first;
		swap_turns(o);
	}
	cls = eport_pick(&o->e, o->blocked | others);
	o->e.blocked = o->blocked;
	return cls;
}

void sw_shape_got(struct sw_port *o)
{
	if (o->shape->out_of_turn)
		swap_turns(o);
}

void sw_shape_sent(struct sw *sw, struct sw_port *o, unsigned cls, uint32_t len, tstamp now)
{
	shaper_sent(&o->shape->s, cls, len, now);
	sw_blocked(sw, o);
	sw_timer_changed(sw, o);
}

_Static_assert(EPORT_GATES == SHAPER_GATES, "the buckets that a burst passes");

// A guaranteed rate is looked at before each frame.
unsigned sw_shape_burst(struct sw *sw, struct sw_port *o, unsigned cls, struct pkt **burst,
	unsigned max, tstamp now)
{
	struct sw_shape *s = o->shape;
	struct rate_gate gate[SHAPER_GATES];
	unsigned n;

	if (s->cfg.has_min)
		return 0;
	shaper_gates(&s->s, cls, gate, now);
	n = sw_tx_burst(sw, o, (int)cls, burst, max, gate, now);
	if (!n)
		return 0;
	shaper_passed(&s->s, cls, gate, now);
	sw_blocked(sw, o);
	sw_timer_changed(sw, o);
	return n;
}
