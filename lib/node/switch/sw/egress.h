// SPDX-License-Identifier: BSD-3-Clause
// Egress queues of a switch: frames that leave, shapers, the PFC watchdog.
#pragma once

#include "port/port.h"

#pragma GCC visibility push(hidden)

// flush.c: drops all frames of a queue
void sw_flush(struct sw *sw, struct sw_port *o, unsigned cls, enum sw_drop why, tstamp now);

// The classes (bitmap) that take turns with `cls`, which eport_pick chose: all ready classes of
// DWRR, or a class of strict priority alone.
INLINE unsigned sw_turns(const struct sw_port *o, int cls)
{
	unsigned one = 1u << cls;

	return o->e.cfg->strict & one ? one : o->e.nonempty & ~(unsigned)o->e.blocked & 0xff;
}

// serve.c: gives at least one and at most `max` frames of `cls` and of `classes` (sw_turns), while
// the wire is free and the gates are open. `gates`: NULL, or gates that it updates, with the bitmap
// of classes that have passed. It may end early: then the caller picks again.
unsigned sw_serve(struct sw *sw, struct sw_port *o, unsigned cls, unsigned classes,
	struct pkt **burst, unsigned max, struct eport_gates *gates, tstamp now);

// wd.c
// 0, -EINVAL or -ENOMEM.
int sw_wd_init(struct sw_port *o, const struct sw_port_params *p);
// Polls all queues that are watched, at the nominal instants.
void sw_wd_poll(struct sw *sw, struct sw_port *o, tstamp now);
// Start and stop by command.
void sw_wd_start(struct sw *sw, struct sw_port *o, tstamp now);
void sw_wd_stop(struct sw *sw, struct sw_port *o, tstamp now);
// Other times and another action hold from now on; a storm ends as it began.
void sw_wd_adopt(struct sw *sw, struct sw_port *o, const struct sw_wd *to, tstamp now);

// shape.c
// 0, -EINVAL or -ENOMEM; o->shape stays NULL if nothing is shaped.
int sw_shape_init(struct sw *sw, struct sw_port *o, const struct sw_port_params *p);
// The port has other rates from now on. *to: the shapers of another switch, with which the port may
// exchange its own.
void sw_shape_adopt(struct sw *sw, struct sw_port *o, struct sw_shape **to, tstamp now);
// Finds which queues the shapers hold at `now`.
void sw_shape_look(struct sw *sw, struct sw_port *o, tstamp now);
// Called before and after a driver asks the port for frames. sw_shape_left sets the next timer.
void sw_shape_asked(struct sw *sw, struct sw_port *o, tstamp now);
void sw_shape_left(struct sw *sw, struct sw_port *o);
// The queue that sends next, as eport_pick returns it; queues below their guaranteed rate come
// first. The caller must send from it next, and make one of the calls below.
int sw_shape_pick(struct sw_port *o);
// A frame of `len` bytes of the class, or of EPORT_CTL, has left.
void sw_shape_sent(struct sw *sw, struct sw_port *o, int cls, uint32_t len, tstamp now);
// Gives frames as sw_serve does, within the limits of the shapers.
unsigned sw_shape_serve(
	struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max, tstamp now);

#pragma GCC visibility pop
