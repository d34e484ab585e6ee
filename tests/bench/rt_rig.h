// SPDX-License-Identifier: BSD-3-Clause
// What rt_bench measures: a switch between two ports, its lcores, and the frames that go round.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rt/run.h"
#include "rt_flow.h"
#include "rt_macswap.h"
#include "rt_mixed.h"
#include "rt_part.h"
#include "rt_stand.h"

#define LANES       2   // lcores at most
#define LANE_APART  128 // bytes: a processor may fetch a line's neighbour with it
#define ROUNDS_MOST 9

struct bench;

// An lcore and its part of the switch.
struct lane {
	struct bench *b;
	struct rt_lcore *lc;
	unsigned index;
	uint64_t swapped, steps; // frames of macswap; turns of the switch's loop
	struct stand stand;      // the queues here, where they stand
	volatile tstamp looked;  // at the clock, where they do
	// As of the last instant that lane 0 has asked for.
	double ns;
	uint64_t frames;
	_Atomic unsigned noted; // number of that instant
	struct stand_pace pace __attribute__((aligned(LANE_APART)));
} __attribute__((aligned(LANE_APART)));

typedef void turn_fn(struct lane *l);

// A measurement.
struct bench {
	// what is asked for
	struct flow_traffic traffic;
	const char *scenario;
	enum { DEV_RING, DEV_NULL, DEV_PCAP } device;
	const char *folder; // of the captures that net_pcap reads
	unsigned lanes;
	bool stands; // the queue stands between Kmin and Kmax
	bool no_huge;
	bool latency; // of single frames, not what many cost
	double seconds;
	unsigned rounds;
	// the world
	struct scene *scene;
	struct rt_world world;
	struct rt_clock clock;
	struct lane lane[LANES];
	turn_fn *_Atomic turn_of; // what the lanes do; NULL: nothing
	atomic_bool apart;        // no lane waits for another one
	_Atomic unsigned instant; // that lanes are to note
	atomic_bool quit;
	struct mixed mixed;
	unsigned ports; // 2, or where frames are mixed one that they come in at and their ways
	struct dev dev[STAND_PORTS];
	struct rte_mempool *pool[2]; // frames of either direction
	struct rte_mempool *own;     // frames that the switch makes
	// To the port of this number, NULL without rings, and where frames go out of it: the other
	// one, or its own.
	struct rte_ring *way[STAND_PORTS], *left[STAND_PORTS];
	struct macswap macswap;
	unsigned in_flight;         // each way
	struct rte_mbuf **frame[2]; // in flight
	// what comes of it
	double switch_ns[ROUNDS_MOST], macswap_ns[ROUNDS_MOST];
	double fetching_ns[ROUNDS_MOST]; // macswap that fetches ahead, on one lcore
	double part_ns[PARTS], parts_ns; // of a last round, and all of that; with a part_timer
	double waited_percent;           // in the switch's last round, of all lanes' work
	uint64_t frames;                 // of the switch's last round
	// Frames of the switch's rounds without readings.
	uint64_t counted, flooded, marked;
};

// Ends the program with a line unless rc is 0. It is a negative errno, and the line has its text,
// or `why` if that is not NULL.
void rig_must(int rc, const char *what, const char *why);
// Builds the world that is asked for. Where there are too few hugepages it takes ordinary ones,
// and no_huge says so.
void rig_open(struct bench *b);
// All frames are again as their hosts sent them.
void rig_renew(struct bench *b);
// The switch's frames leave it, so that all are in the rings; no lane runs. Ends the program where
// frames were lost.
void rig_empty(struct bench *b);
// Frames that the switch has flooded, and marked in the class of rt_stand.h.
uint64_t rig_flooded(const struct bench *b);
uint64_t rig_marked(const struct bench *b);
