// SPDX-License-Identifier: BSD-3-Clause
// Egress queues of a switch: frames that leave together, shapers, the PFC watchdog.
#pragma once

#include "port/port.h"

// flush.c: drops all that waits in a queue
void sw_flush(struct sw *sw, struct sw_port *o, unsigned cls, enum sw_drop why, tstamp now);

// leave.c: what frames that leave a queue together have in common is done once.
// Gives frames of a class that eport_pick chose, as long as it would choose that again and nothing
// is to be decided about each; 0: the next one goes alone. `gate`: what else they pass
// (eport_get_burst), or NULL.
unsigned sw_tx_burst(struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max,
	struct rate_gate *gate, tstamp now);

// round.c: the same of the queues of several classes, which DWRR serves in turn.
// The classes (bitmap) that take turns, one of which is `cls`, which eport_pick chose; 0: no other
// one does. None of strict priority can send then, for it would have been chosen.
INLINE uint8_t sw_tx_turns(const struct sw_port *o, int cls)
{
	uint8_t classes = (uint8_t)(o->e.nonempty & ~(unsigned)o->e.blocked);
	bool turns = classes & (classes - 1) && !(o->e.cfg->strict >> cls & 1);

	return turns && o->e.cfg->tolerance_ps ? classes : 0;
}

// Gives frames of these classes. 0: a queue of theirs is heavily congested, or the first frame is
// of a train; then one class sends alone. `gates`: what else they pass (eport_see_round), or NULL.
unsigned sw_tx_round(struct sw *sw, struct sw_port *o, int cls, uint8_t classes, struct pkt **burst,
	unsigned max, struct eport_gates *gates, tstamp now);

// wd.c
// 0, -EINVAL or -ENOMEM.
int sw_wd_init(struct sw_port *o, const struct sw_port_params *p);
// Looks at all queues that are watched, at the nominal instants.
void sw_wd_poll(struct sw *sw, struct sw_port *o, tstamp now);
// By command.
void sw_wd_start(struct sw *sw, struct sw_port *o, tstamp now);
void sw_wd_stop(struct sw *sw, struct sw_port *o, tstamp now);

// shape.c
// 0, -EINVAL or -ENOMEM; o->shape stays NULL where nothing is shaped.
int sw_shape_init(struct sw *sw, struct sw_port *o, const struct sw_port_params *p);
// Finds which queues the shapers hold at `now`.
void sw_shape_look(struct sw *sw, struct sw_port *o, tstamp now);
// The port is asked for frames, and has been asked: it has its next timer then.
void sw_shape_asked(struct sw *sw, struct sw_port *o, tstamp now);
void sw_shape_left(struct sw *sw, struct sw_port *o);
// The queue that sends next, as eport_pick says it; those below their guaranteed rate come first.
// Something of it has to be sent next, by one of the calls below.
int sw_shape_pick(struct sw_port *o);
// A frame of `len` bytes of the class, or of EPORT_CTL, has left.
void sw_shape_sent(struct sw *sw, struct sw_port *o, int cls, uint32_t len, tstamp now);
// Gives frames as sw_tx_round does, or as sw_tx_burst does of the class alone, as far as shapers
// let them; 0: the next one goes alone.
unsigned sw_shape_burst(
	struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max, tstamp now);
