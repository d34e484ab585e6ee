// SPDX-License-Identifier: BSD-3-Clause
// Pauses of the switch: PFC and PAUSE obeyed and sent, storms by command.
#pragma once

#include "port/port.h"

// Whether ports of a set can send PAUSE: their classes agree in group, pfc, quanta and
// refresh_permille.
bool sw_pause_can(const struct sw_set *set);
// Prepares a port that obeys a pause with a delay. 0 or -ENOMEM.
int sw_response_init(struct sw_port *o, const struct sw_port_params *p);
void sw_response_fini(struct sw_port *o);

// A PFC or PAUSE frame arrived at port `o` at the instant `came`, and the switch sees it now.
// `enable` is a bitmap of priorities, quanta[8] theirs.
void sw_pause(struct sw *sw, struct sw_port *o, uint8_t enable, const uint16_t *quanta, tstamp came,
	tstamp now);
// Ends pauses and storms that are over by `now`; the caller finds the port's next timer.
void sw_pause_timers(struct sw *sw, struct sw_port *o, tstamp now);
// Makes the PFC or PAUSE frame that is due; it leaves next. Without a descriptor it is tried again
// when a frame of that size could have left.
void sw_put_pfc(struct sw *sw, struct sw_port *o, tstamp now);
// The link went down or came up (max_len says which): the peer's pauses are void, and the port
// sends its own again.
void sw_pfc_link(struct sw *sw, struct sw_port *o, tstamp now);
// Keeps one class in XOFF, refreshed, until ctl->a, independent of the buffer. -EINVAL: no such
// port, class, time or number of quanta, or the ports send PAUSE.
int sw_storm(struct sw *sw, const struct ctl *ctl, tstamp now);

// Some classes (bitmap) have other quanta or another refresh. A peer that stands still for one of
// them is told again.
void sw_pause_adopt(struct sw *sw, struct sw_port *o, uint8_t classes, tstamp now);

// A group of port `in` reaches XOFF, or comes back to XON.
void sw_xoff(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
void sw_xon(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
