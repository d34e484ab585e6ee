// SPDX-License-Identifier: BSD-3-Clause
// The option tables of generated topologies.
#include "rows.h"

// The most hops of a path in reports.
#define CHAIN 15

#define COUNT(member, low, high, what)                                                             \
	{                                                                                          \
		ROW(spec_net, member, #member, OPT_UINT), .min = (low), .max = (high),             \
							  .flags = OPT_F_REQUIRED, .example = "4", \
							  .help = (what)                           \
	}
#define HOST_LINKS                                                                     \
	{ROW(spec_net, rate, "rate", OPT_RATE), .min = 10000000, .max = 800 * GBPS,    \
		.example = "100Gbps",                                                  \
		.help = "of the hosts' links; default: as defaults.links says"},       \
	{                                                                              \
		ROW(spec_net, delay, "delay", OPT_TIME),                               \
			.max = S, .example = "1us",                                    \
			.help = "of the hosts' links; default: as defaults.links says" \
	}
#define TRUNKS                                                                                  \
	{ROW(spec_net, trunk_rate, "trunk_rate", OPT_RATE), .min = 10000000, .max = 800 * GBPS, \
		.example = "100Gbps", .help = "of links between switches; default: rate"},      \
	{                                                                                       \
		ROW(spec_net, trunk_delay, "trunk_delay", OPT_TIME),                            \
			.max = S, .example = "1us",                                             \
			.help = "of links between switches; default: delay"                     \
	}

static const struct opt star_rows[] = {
	COUNT(hosts, 1, 512, "h1.. at switch s1"),
	HOST_LINKS,
};
static const struct opt_table star_table = {"star", star_rows, N(star_rows), false};

static const struct opt dumbbell_rows[] = {
	COUNT(hosts, 1, 511, "of each side: a1.. at s1, b1.. at s2"),
	HOST_LINKS,
	TRUNKS,
};
static const struct opt_table dumbbell_table = {"dumbbell", dumbbell_rows, N(dumbbell_rows), false};

static const struct opt parking_lot_rows[] = {
	COUNT(switches, 2, CHAIN, "s1.. in a row"),
	COUNT(hosts, 1, 510, "of each switch: h1.. from s1 on"),
	HOST_LINKS,
	TRUNKS,
};
static const struct opt_table parking_lot_table = {
	"parking_lot", parking_lot_rows, N(parking_lot_rows), false};

static const struct opt leaf_spine_rows[] = {
	COUNT(leaves, 1, 512, "leaf1.., each with a link to every spine"),
	COUNT(spines, 1, 511, "spine1.."),
	COUNT(hosts, 1, 511, "of each leaf: h1.. from leaf1 on"),
	HOST_LINKS,
	TRUNKS,
};
static const struct opt_table leaf_spine_table = {
	"leaf_spine", leaf_spine_rows, N(leaf_spine_rows), false};

static const struct opt ring_rows[] = {
	COUNT(switches, 3, CHAIN,
		"s1.. in a ring; every way goes up in number, from the last to s1"),
	COUNT(hosts, 1, 510, "of each switch: h1.. from s1 on"),
	HOST_LINKS,
	TRUNKS,
};
static const struct opt_table ring_table = {"ring", ring_rows, N(ring_rows), false};

#define SHAPE(kind, shape, what)                                                       \
	{                                                                              \
		ROW(spec_topology, net[kind], #shape, OPT_MAP),                        \
			.sub = &shape##_table, .flags = OPT_F_OPTIONAL, .help = (what) \
	}

static const struct opt topology_rows[] = {
	SHAPE(SPEC_STAR, star, "hosts around one switch"),
	SHAPE(SPEC_DUMBBELL, dumbbell, "two switches with a trunk between them"),
	SHAPE(SPEC_PARKING_LOT, parking_lot, "a row of switches"),
	SHAPE(SPEC_LEAF_SPINE, leaf_spine, "two tiers with equal ways"),
	SHAPE(SPEC_RING, ring, "a ring that goes one way, so that lossless classes can deadlock"),
};
const struct opt_table scene_opts_topology = {"topology", topology_rows, N(topology_rows), false};
