// SPDX-License-Identifier: BSD-3-Clause
// Links of real ports that go down and come up. The main lcore watches them and tells the lcores
// that have the ports.
#pragma once

#include "lcores/lcores.h"

#pragma GCC visibility push(hidden)

struct rt;

// The link of one device, as the main lcore knows it.
struct rt_carrier_port {
	struct rt_lcore *lcore;
	struct rt_end *end;
	enum watch_link link;
	unsigned losses, said; // times it went down; lines said about it
	tstamp down_at;        // since when its link is down
	// in the window: when it first went down, and for how long it was down in total. Time in
	// which the scenario wanted it down does not count.
	tstamp first_at, without;
	uint32_t mtu; // of its interface; 0: not known
};

struct rt_carrier {
	struct watch *watch; // NULL: no devices
	struct rt_carrier_port *port;
	unsigned ended_by; // device whose link ended the run, at this instant
	tstamp ended_at;
};

// Waits before the run for the links of all devices, for the time that the scenario gives or until
// *stop, and names devices without a link. -ENOLINK: one has none, and the scenario does not go on
// without it.
int rt_carrier_begin(struct rt *rt, struct err *err);
// During the run, from the main lcore: tells the lcores and the user about changes.
void rt_carrier_watch(struct rt *rt, tstamp now);
void rt_carrier_end(struct rt *rt);

#pragma GCC visibility pop
