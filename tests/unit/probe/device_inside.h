// SPDX-License-Identifier: BSD-3-Clause
// The inside of the switch of unit tests and of its testers.
#pragma once

#include "device.h"

#define PORTS 8
#define ITEMS 4096

enum event_kind { SEND, ARRIVE, EGRESS, DELIVER, PAUSE, RESUME, REFRESH, POLL, TALK, RESTART, CUT };

struct parcel {
	struct parcel *next;
	enum tester_frame kind;
	unsigned in, to, cls, cost, step;
	uint16_t source, len;
	uint32_t number;
	uint8_t tos, pcp;
	struct tester_control control;
	tstamp ready;
};

struct event {
	tstamp at;
	uint64_t order;
	enum event_kind kind;
	unsigned port, cls;
	uint64_t arg; // PAUSE: until when; REFRESH: which XOFF
	struct parcel *f;
};

struct item_state {
	tstamp due, end;
	uint32_t left;
	bool is_over;
};

struct hold {
	struct tester_item item;
	tstamp next;
};

struct tester {
	const struct tester_item *item;
	unsigned n;
	struct item_state state[ITEMS];
	struct hold hold[16];
	unsigned holds;
	tstamp free_at, wake;
	tstamp stopped[PKT_CLASSES]; // where our own port obeys PFC
	struct tester_seen *seen;
	uint32_t n_seen, room;
	struct tester_control *control;
	uint32_t n_control, control_room;
};

struct queue {
	struct parcel *head, **tail;
	uint64_t bytes;
	double average;
	tstamp empty; // since when, for the average
};

struct egress {
	struct queue q[PKT_CLASSES];
	struct parcel *control, **control_tail;
	tstamp free_at, until[PKT_CLASSES], since[PKT_CLASSES]; // paused until, from
	uint64_t asked[PKT_CLASSES], let[PKT_CLASSES];          // order of the last XOFF and XON
	bool shut[PKT_CLASSES];
	double credit[PKT_CLASSES];
	unsigned turn;
	bool visited;
};

struct group {
	uint64_t base, headroom;
	bool off;
	uint64_t xoffs;
};

struct device {
	struct lab lab;
	struct device_params p;
	struct prng rng;
	byte_ps ps;
	tstamp now, start, quantum;
	struct event *heap;
	unsigned n, space;
	uint64_t order;
	struct tester tester[PORTS];
	struct egress egress[PORTS];
	struct group group[PORTS][PKT_CLASSES];
	uint64_t shared, pooled;
	int64_t shift;                // of thresholds in this step, where they vary
	tstamp hang_from, hang_until; // of its next hang, or of the one that lasts
	tstamp *turn;                 // of our loops
	uint32_t turns, turn_space;
	uint32_t number[65536];
	tstamp gone[PORTS]; // until then frames of a port are lost, and its link may be down
	uint8_t unlearnt;   // bitmap: ports whose addresses the device does not know
	bool down;          // a link was lost in this step
	tstamp link_up;     // it is up again then
};

// device.c

void device_event(struct device *d, struct event e);
// The instant at which our loop sees a frame that came at t.
tstamp device_turn_at(struct device *d, tstamp t);

static inline tstamp device_wire(const struct device *d, unsigned len)
{
	return rate_time(d->ps, len + PKT_WIRE);
}

// The egress of a port looks for a frame at this instant.
static inline void device_kick(struct device *d, unsigned port, tstamp at)
{
	device_event(d, (struct event){.at = at, .kind = EGRESS, .port = port});
}

// device_tester.c

void device_tester_send(struct device *d, unsigned port);
// A frame comes to a tester, which frees it.
void device_tester_gets(struct device *d, unsigned port, struct parcel *f);
void device_lists_begin(struct device *d, const struct lab_step *step);
// The last bit of the last finite item; TSTAMP_NEVER: one is still to come.
tstamp device_lists_end(const struct device *d);

// device_buffer.c

void device_tell_xoff(struct device *d, unsigned port, unsigned cls);
// Whether the buffer takes a frame of a group.
bool device_admit(struct device *d, unsigned in, unsigned cls, unsigned cost);
// A frame leaves the buffer.
void device_give_back(struct device *d, const struct parcel *f);

// device_fault.c

void device_forget(struct device *d);
void device_lose_link(struct device *d, unsigned port, tstamp until);
// Whether a frame from or to a port is lost, and freed.
bool device_loses(struct device *d, unsigned port, struct parcel *f);

// device_queue.c

// Puts a frame into its queue, or drops and frees it.
void device_enqueue(struct device *d, unsigned port, struct parcel *f);
void device_egress_send(struct device *d, unsigned port);
void device_watchdog_poll(struct device *d);
