// SPDX-License-Identifier: BSD-3-Clause
// Shapers of the switch's egress ports: which queues they hold, which are served first.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node/sw_int.h"

int sw_shape_init(struct sw *sw, struct sw_port *o, const struct sw_port_params *p)
{
	struct shaper_params sp = {
		.port = p->shaper_rate,
		.burst_bytes = p->shaper_burst,
		.wire_extra = o->ecfg.framing.wire_extra,
	};
	struct shaper_cfg cfg;
	int rc;

	memcpy(sp.max, p->max_rate, sizeof(sp.max));
	memcpy(sp.min, p->min_rate, sizeof(sp.min));
	rc = shaper_cfg_init(&cfg, &sp);
	if (rc || !cfg.on)
		return rc;
	o->shape = malloc(sizeof(*o->shape));
	if (!o->shape)
		return -ENOMEM;
	o->shape->cfg = cfg;
	shaper_init(&o->shape->s, &o->shape->cfg);
	sw_blocked(sw, o);
	return 0;
}

void sw_shape_look(struct sw *sw, struct sw_port *o, tstamp now)
{
	shaper_look(&o->shape->s, now);
	sw_blocked(sw, o);
	sw_timer_changed(sw, o);
}

// Queues below their guaranteed rate before all others, among them as the scheduler has it.
int sw_shape_pick(struct sw_port *o)
{
	uint8_t first = o->shape->s.first & (uint8_t)~o->blocked, others = 0;
	int cls;

	if (o->e.nonempty & first)
		others = (uint8_t)~first;
	cls = eport_pick(&o->e, o->blocked | others);
	o->e.blocked = o->blocked;
	return cls;
}

void sw_shape_sent(struct sw *sw, struct sw_port *o, unsigned cls, uint32_t len, tstamp now)
{
	shaper_sent(&o->shape->s, cls, len, now);
	sw_blocked(sw, o);
	sw_timer_changed(sw, o);
}
