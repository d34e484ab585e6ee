// SPDX-License-Identifier: BSD-3-Clause
// Egress queues of a switch: frames that leave, shapers, the PFC watchdog.
#pragma once

#include "port/port.h"

// flush.c: drops all that waits in a queue
void sw_flush(struct sw *sw, struct sw_port *o, unsigned cls, enum sw_drop why, tstamp now);

// The classes (bitmap) that take turns with `cls`, which eport_pick chose: those of DWRR that are
// ready; or one of strict priority alone.
INLINE unsigned sw_turns(const struct sw_port *o, int cls)
{
	unsigned one = 1u << cls;

	return o->e.cfg->strict & one ? one : o->e.nonempty & ~(unsigned)o->e.blocked & 0xff;
}

// serve.c: gives frames, at least one and at most `max`, of `cls` and of `classes` (sw_turns),
// while the wire is free and, where `gates` is not NULL, they are open; it writes these and says
// which classes have passed. It may end early: then the caller picks again.
unsigned sw_serve(struct sw *sw, struct sw_port *o, unsigned cls, unsigned classes,
	struct pkt **burst, unsigned max, struct eport_gates *gates, tstamp now);

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
// Gives frames as sw_serve does, as far as shapers let them.
unsigned sw_shape_serve(
	struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max, tstamp now);
