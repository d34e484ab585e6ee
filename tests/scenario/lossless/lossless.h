// SPDX-License-Identifier: BSD-3-Clause
// Lossless means lossless: cases drawn at random, judged frame by frame, and made small when they
// fail.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LL_SWITCHES 6
#define LL_HOSTS    12
#define LL_TRUNKS   12
#define LL_CLASSES  4
#define LL_FLOWS    12
#define LL_STORMS   3
#define LL_CUTS     3

#define LL_AUTO 65535 // pfc_response: auto, which is the default

struct ll_switch {
	uint32_t shared; // bytes that its groups share, beside reserves and headroom
	uint32_t cell;
	uint32_t latency_ns;
	uint16_t response; // quanta, or LL_AUTO
	bool pool;         // headroom is one pool
	bool honour;       // 802.3x PAUSE stops every class
	bool alert;        // a watchdog that only tells
	uint8_t shards;    // it is cut by port into so many; 0: it is not
};

// Rates are in Gb/s.
struct ll_host {
	uint8_t sw;
	uint16_t rate;
	uint32_t delay_ns, latency_ns;
	uint16_t response;
	uint8_t drain_percent; // of its link; 100: no receive buffer
	uint32_t xoff;         // of the receive buffer
};

struct ll_trunk {
	uint8_t a, b;
	uint16_t rate;
	uint32_t delay_ns;
};

// A class is alike in all switches.
struct ll_class {
	uint8_t cls, weight;
	uint8_t group; // number of the class whose priority group it is in, its own mostly
	bool lossless, dynamic, sonic, strict;
	bool marked, early, qcn, iqcn; // early: at enqueue
	bool fast_cnp, ce_too;         // ce_too: what the switch sends a CNP for gets CE, too
	uint8_t max_percent;           // of the link, by a shaper; 100: none
	int8_t dynamic_th;
	uint32_t xoff, xon_offset, reserved;
	uint16_t quanta;
	uint8_t refresh; // percent
};

struct ll_flow {
	uint8_t from, to, cls; // numbers in the case
	bool open, controlled;
	uint32_t message, start_us, window;
	uint16_t mtu, qps, outstanding, count, ack_every; // count 0: without end
	uint16_t low, high, percent, burst;               // open loop
};

// A host sends XOFF on its own account: for some time, refreshed and with an XON behind it, or so
// many frames whose time runs out.
struct ll_storm {
	uint8_t host, cls;
	uint16_t quanta, frames; // frames 0: a storm
	bool all;                // 802.3x PAUSE
	uint32_t at_us, for_us;
};

// A host's cable is out for a while.
struct ll_cut {
	uint8_t host;
	uint32_t at_us, for_us;
};

struct ll_case {
	uint64_t seed;
	uint32_t duration_us;     // senders stop; what is under way goes on
	uint8_t headroom_percent; // of the computed headroom; 100: the scene computes it
	uint32_t rto_us;          // with lossy classes only; 0: none
	uint32_t fast_cnp_us;     // interval of Fast CNP; 0: a CNP for each marked frame
	uint32_t iqcn_us;         // rpg_time_reset of iQCN
	bool pause;               // switches send 802.3x PAUSE: every class is lossless
	unsigned n_switches, n_hosts, n_trunks, n_classes, n_flows, n_storms, n_cuts;
	struct ll_switch sw[LL_SWITCHES];
	struct ll_host host[LL_HOSTS];
	struct ll_trunk trunk[LL_TRUNKS];
	struct ll_class cls[LL_CLASSES];
	struct ll_flow flow[LL_FLOWS];
	struct ll_storm storm[LL_STORMS];
	struct ll_cut cut[LL_CUTS];
};

enum ll_fault {
	LL_HELD,        // nothing is wrong
	LL_REFUSED,     // no scene: the case itself is wrong
	LL_LOST,        // a frame of a lossless class was dropped, or sent again
	LL_UNBALANCED,  // conservation, packet pool
	LL_ALTERNATION, // XOFF, XON of one port and priority
	LL_QUANTA,      // a pause that is longer, shorter or not kept
	LL_OVERLAP,     // two frames on one wire
	LL_STUCK,       // frames that nothing holds stand still
	LL_MESSAGES,    // not every message came, once
	LL_ORDER,       // one instant at a time, the run is another
	LL_FAULTS,
};

struct ll_verdict {
	enum ll_fault fault;
	char why[300];                   // the first that was seen
	uint64_t pauses, frames, resent; // so that a test can tell whether anything happened
	uint64_t iqcn, fast_cnp;         // CNPs of the switches' own
	uint64_t trace;                  // of every frame at every port and its instant
};

// The case of this seed.
void ll_draw(struct ll_case *c, uint64_t seed);

// The same with 802.3x PAUSE instead of PFC.
void ll_draw_pause(struct ll_case *c, uint64_t seed);

// The same as ll_draw, but all classes may lose, cables come out, and every queue pair has so many
// messages.
void ll_draw_lossy(struct ll_case *c, uint64_t seed);

// The same cases with every switch cut into two or three shards, as far as it has ports for them.
void ll_draw_cut(struct ll_case *c, uint64_t seed);
void ll_draw_pause_cut(struct ll_case *c, uint64_t seed);
void ll_draw_lossy_cut(struct ll_case *c, uint64_t seed);

// As a scenario file; every line of `why` becomes a comment above it.
void ll_print(FILE *f, const struct ll_case *c, const char *why);

// Runs a scenario file in virtual time; lockstep: one instant at a time over all nodes.
struct ll_verdict ll_judge_file(const char *path, bool lockstep);

typedef struct ll_verdict ll_judge_fn(const struct ll_case *c);

ll_judge_fn ll_judge;
ll_judge_fn ll_judge_order; // twice, the second time in lockstep

// Makes `c` smaller while `judge` finds the same fault, in `runs` runs at most.
void ll_shrink(struct ll_case *c, struct ll_verdict *v, ll_judge_fn *judge, unsigned runs);

const char *ll_fault_name(enum ll_fault f);
