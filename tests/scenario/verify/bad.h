// SPDX-License-Identifier: BSD-3-Clause
// Faults that are planted into the switch of a test program, one at a time. QUENCH_BAD names the
// fault; without it the switch is as it is in quench.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "port/port.h"

// A copy of a switch's parameters that a fault may change.
struct bad_params {
	struct sw_params sw;
	struct sw_port_params *port;
	struct sw_set_params *set;
};

// A fault. Its functions are called for the switch only, never for a host; NULL: not at all.
struct bad {
	const char *name;
	// Before the switch is made.
	void (*make)(struct bad_params *p);
	// A frame has arrived at a port, and the switch has not seen it yet.
	void (*came)(struct sw *sw, unsigned port, struct pkt *p, tstamp now);
	// A frame leaves by a port.
	void (*left)(struct sw *sw, unsigned port, struct pkt *p);
	// A port obeys PFC; the fault may change the enable vector and the eight quanta.
	void (*obeys)(uint8_t *enable, uint16_t *quanta);
	// A port is about to send PFC.
	void (*tells)(uint8_t *enable, uint16_t *quanta);
	// The port that a group of port `in` stops. NULL: it stops none.
	struct sw_port *(*stops)(struct sw *sw, struct sw_port *in);
	// The port that a group of port `in` lets go on. NULL: it lets none go on.
	struct sw_port *(*frees)(struct sw *sw, struct sw_port *in);
	// A port counts PFC that it received.
	void (*counts)(uint8_t *enable, uint16_t *quanta);
	// The counters of a port are read.
	void (*tells_counters)(struct sw_port_stats *s);
	// The watchdog looks at a queue.
	void (*watches)(struct pfcwd_sample *s);
};

// The faults, by the file that has them; the last one has no name.
extern const struct bad bad_values[]; // of a switch that differs from its configuration
extern const struct bad bad_pauses[]; // of PFC and PAUSE
extern const struct bad bad_frames[]; // of data frames
