// SPDX-License-Identifier: BSD-3-Clause
// The features of the switch that sw_bench prices: each switched on in the parameters of a plain
// one.
#pragma once

#include "sw/sw.h"

#define FEATURE_HOSTS  8
#define FEATURE_PORTS  (FEATURE_HOSTS + 1)
#define FEATURE_IDLE   FEATURE_PORTS // one more port, which only `shut_elsewhere` has
#define FEATURE_LEN    1082          // of the bench's frames
#define FEATURE_QUEUED 200           // of these stand in the queue
#define FEATURE_CLS    3             // that they have, and features are on in

// The parameters of a switch, with the objects that the pointers in `p` refer to.
struct feature_params {
	struct sw_params p;
	struct sw_port_params port[FEATURE_PORTS + 1];
	struct sw_fdb_params fdb[FEATURE_PORTS + 1];
	struct sw_ecmp_group ecmp;
	struct sw_set_params set; // of all ports
	bool own_headers;         // of frames, as in real time
	bool not_ect;             // frames
	bool acks;                // each flow has had one before frames come
	unsigned load_percent;    // of the egress port's rate, at which frames come; 0: 100
	unsigned classes;         // of frames, in turn: FEATURE_CLS and those below; 0: it alone
	bool shut_elsewhere;      // FEATURE_CLS, by the watchdog of FEATURE_IDLE
};

// A descriptor, its own header and the head of its bytes, as in a pool.
struct feature_cell {
	struct pkt p;
	struct hdr own;
	uint8_t room[128];
};

struct feature {
	const char *name, *what;
	void (*on)(struct feature_params *f);
};

extern const struct feature features[];
extern const unsigned n_features;

// Everything off: class 3 lossy, static thresholds, no monitor.
void feature_none(struct feature_params *f);
// The feature of this name; "off", "all" and "bench" (what sw_bench measures without arguments) are
// there, too.
const struct feature *feature_named(const char *name);
