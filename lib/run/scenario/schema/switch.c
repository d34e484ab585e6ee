// SPDX-License-Identifier: BSD-3-Clause
// The option tables of switches: buffer, classes, thresholds, marker, maps.
#include "rows.h"

static const char *const mark_names[] = {"enqueue", "dequeue", NULL};
static const char *const not_ect_names[] = {"auto", "forward", "drop", "h3c", NULL};
static const char *const flow_control_names[] = {"pfc", "pause", NULL};
const char *const scene_trust_names[] = {"dscp", "pcp", NULL};

static const char *const action_names[] = {"drop", "forward", "alert", NULL};
static const char *const rule_names[] = {"mellanox", "broadcom", NULL};
static const char *const headroom_names[] = {"sonic", NULL};

static const struct opt pfc_rows[] = {
	{ROW(spec_pfc, xoff, "xoff", OPT_SIZE_SHARE), .max = GIB, .def = "none",
		.flags = OPT_F_LIVE | OPT_F_NONE | OPT_F_ASIDE, .excludes = "dynamic_th",
		.example = "100KB",
		.help = "shared bytes of a port's class at which XOFF is sent; % of the class's "
			"queue there (queue.reserved and queue.limit) where that has a limit in "
			"bytes, else of the buffer"},
	{ROW(spec_pfc, dynamic_th, "dynamic_th", OPT_INT), .flags = OPT_F_LIVE, .min = -8, .max = 7,
		.def = "-3", .excludes = "xoff",
		.help = "XOFF at 2^n times the free shared buffer"},
	{ROW(spec_pfc, xon, "xon", OPT_SIZE_SHARE), .max = GIB, .def = "none",
		.flags = OPT_F_LIVE | OPT_F_NONE,
		.help = "XON at or below this number of shared bytes, if that is above XOFF - "
			"xon_offset; % as xoff"},
	{ROW(spec_pfc, xon_offset, "xon_offset", OPT_SIZE), .max = GIB, .def = "auto",
		.flags = OPT_F_LIVE | OPT_F_AUTO,
		.help = "XON this number of bytes below XOFF; auto: 3KB, or a number with which "
			"xon decides if it and xoff are given"},
	{ROW(spec_pfc, reserved, "reserved", OPT_SIZE), .max = GIB, .def = "0",
		.help = "bytes of each port's own, taken before the shared buffer"},
	{ROW(spec_pfc, headroom, "headroom", OPT_SIZE), .max = GIB, .def = "auto",
		.flags = OPT_F_AUTO, .names = headroom_names,
		.help = "bytes of each port for the frame that crosses XOFF and what still comes "
			"after it; auto: from rate, delay and MTU; sonic: its formula"},
	{ROW(spec_pfc, enable, "enable", OPT_BOOL), .def = "true",
		.help = "send XOFF and XON, obey received PFC"},
	{ROW(spec_pfc, quanta, "quanta", OPT_UINT), .flags = OPT_F_LIVE, .min = 1, .max = 65535,
		.def = "65535", .help = "pause time of an XOFF, in 512 bit times of the link"},
	{ROW(spec_pfc, refresh, "refresh", OPT_SHARE), .flags = OPT_F_LIVE, .def = "50%",
		.help = "XOFF is sent again after this share of its pause time; 0%: never"},
};
static const struct opt_table pfc_table = {"pfc", pfc_rows, N(pfc_rows), false};

static const struct opt drop_rows[] = {
	{ROW(spec_drop, limit, "limit", OPT_SIZE_SHARE), .max = GIB, .def = "none",
		.flags = OPT_F_NONE | OPT_F_ASIDE, .excludes = "dynamic_th", .example = "200KB",
		.help = "shared bytes of a port's lossy class above which frames are dropped; % "
			"of the buffer"},
	{ROW(spec_drop, dynamic_th, "dynamic_th", OPT_INT), .min = -8, .max = 7, .def = "0",
		.excludes = "limit", .help = "the limit is 2^n times the free shared buffer"},
	{ROW(spec_drop, reserved, "reserved", OPT_SIZE), .max = GIB, .def = "0",
		.help = "bytes of each port's own, taken before the shared buffer"},
};
static const struct opt_table drop_table = {"drop", drop_rows, N(drop_rows), false};

static const struct opt queue_rows[] = {
	{ROW(spec_queue, limit, "limit", OPT_SIZE_SHARE), .max = GIB, .def = "none",
		.flags = OPT_F_NONE | OPT_F_ASIDE, .excludes = "dynamic_th", .example = "200KB",
		.help = "shared bytes of a port's egress queue above which frames are dropped; % "
			"of the buffer"},
	{ROW(spec_queue, dynamic_th, "dynamic_th", OPT_INT), .min = -8, .max = 7,
		.flags = OPT_F_ASIDE, .excludes = "limit", .example = "1",
		.help = "the limit is 2^n times the free bytes of its egress pool; without it and "
			"limit there is none"},
	{ROW(spec_queue, reserved, "reserved", OPT_SIZE), .max = GIB, .def = "0",
		.help = "bytes of each queue's own, taken before its egress pool"},
	{ROW(spec_queue, min_rate, "min_rate", OPT_RATE_SHARE), .min = 100000, .max = 800 * GBPS,
		.def = "none", .flags = OPT_F_LIVE | OPT_F_NONE,
		.help = "below it the queue is served before all others; % of the port's link"},
	{ROW(spec_queue, max_rate, "max_rate", OPT_RATE_SHARE), .min = 100000, .max = 800 * GBPS,
		.def = "none", .flags = OPT_F_LIVE | OPT_F_NONE,
		.help = "the queue sends no faster; % of the port's link"},
};
static const struct opt_table queue_table = {"queue", queue_rows, N(queue_rows), true};

// Keys of a row of by_rate. They are the first keys of wred, in the same order.
static const struct opt by_rate_rows[] = {
	{ROW(spec_wred, min, "min", OPT_SIZE_SPEED), .max = SPEC_WRED_MAX,
		.flags = OPT_F_LIVE | OPT_F_REQUIRED, .example = "100KB",
		.help = "Kmin at links of this rate"},
	{ROW(spec_wred, max, "max", OPT_SIZE_SPEED), .max = SPEC_WRED_MAX,
		.flags = OPT_F_LIVE | OPT_F_REQUIRED, .example = "400KB",
		.help = "Kmax at links of this rate"},
	{ROW(spec_wred, probability, "probability", OPT_PERCENT), .flags = OPT_F_LIVE,
		.max = 1000000, .example = "1%",
		.help = "Pmax at links of this rate; without it the probability of wred"},
};
static const struct opt_table by_rate_table = {
	"row of by_rate", by_rate_rows, N(by_rate_rows), true};

static const struct opt wred_rows[] = {
	{ROW(spec_wred, min, "min", OPT_SIZE_SPEED), .max = SPEC_WRED_MAX, .def = "none",
		.flags = OPT_F_LIVE | OPT_F_NONE, .excludes = "by_rate", .example = "100KB",
		.help = "Kmin: egress queue bytes (with FCS) up to which nothing is marked; % of "
			"the queue's limit, or of the buffer if it has none"},
	{ROW(spec_wred, max, "max", OPT_SIZE_SPEED), .max = SPEC_WRED_MAX, .def = "none",
		.flags = OPT_F_LIVE | OPT_F_NONE, .excludes = "by_rate", .example = "400KB",
		.help = "Kmax: queue bytes above which everything is marked; % as of min"},
	{ROW(spec_wred, probability, "probability", OPT_PERCENT), .flags = OPT_F_LIVE,
		.max = 1000000, .def = "1%", .help = "Pmax: marking probability at Kmax"},
	{ROW(spec_wred, by_rate, "by_rate", OPT_SECTION), .sub = &by_rate_table,
		.flags = OPT_F_ASIDE, .excludes = "min", .example = "25G",
		.help = "thresholds by the rate of the egress link: each rate that a port of the "
			"switch has needs a row"},
	{ROW(spec_wred, ecn, "ecn", OPT_BOOL), .def = "true",
		.help = "ECT is marked; false (ecn_none): frames of every codepoint are dropped "
			"instead"},
	{ROW(spec_wred, mark, "mark", OPT_ENUM), .names = mark_names, .def = "dequeue",
		.help = "where marks are decided; drops are when a frame joins the queue"},
	{ROW(spec_wred, not_ect, "not_ect", OPT_ENUM), .names = not_ect_names, .def = "auto",
		.help = "Not-ECT frames; h3c: dropped up to Kmax, above it the whole queue leaves "
			"as CE; auto: drop where drop_min is given, else forward"},
	{ROW(spec_wred, drop_min, "drop_min", OPT_SIZE_SPEED), .max = SPEC_WRED_MAX, .def = "none",
		.flags = OPT_F_LIVE | OPT_F_NONE | OPT_F_ASIDE, .example = "200KB",
		.help = "queue bytes up to which nothing is dropped; none: as min"},
	{ROW(spec_wred, drop_max, "drop_max", OPT_SIZE_SPEED), .max = SPEC_WRED_MAX, .def = "none",
		.flags = OPT_F_LIVE | OPT_F_NONE | OPT_F_ASIDE, .example = "800KB",
		.help = "queue bytes above which each droppable frame is dropped; none: as max"},
	{ROW(spec_wred, drop_probability, "drop_probability", OPT_PERCENT), .max = 1000000,
		.flags = OPT_F_LIVE | OPT_F_ASIDE, .example = "10%",
		.help = "drop probability at drop_max; default: as probability"},
	{ROW(spec_wred, weight, "weight", OPT_UINT), .flags = OPT_F_LIVE, .max = RED_EXPONENT_MAX,
		.def = "0",
		.help = "n: the queue is averaged by 2^-n at each arrival; 0: not averaged"},
};
static const struct opt_table wred_table = {"wred", wred_rows, N(wred_rows), false};

// The first PORT_CLASS_ROWS may differ by port. The others are of the flow tables and congestion
// points of the whole switch.
#define PORT_CLASS_ROWS 9
static const struct opt class_rows[] = {
	{ROW(spec_class, pfc, "pfc", OPT_MAP), .sub = &pfc_table,
		.help = "thresholds of a lossless class"},
	{ROW(spec_class, drop, "drop", OPT_MAP), .sub = &drop_table,
		.help = "thresholds of a lossy class"},
	{ROW(spec_class, queue, "queue", OPT_MAP), .sub = &queue_table,
		.help = "limits of the class's egress queues"},
	{ROW(spec_class, lossless, "lossless", OPT_BOOL), .def = "false", .example = "true",
		.help = "the class has headroom and sends PFC instead of dropping"},
	{ROW(spec_class, wred, "wred", OPT_MAP), .sub = &wred_table, .flags = OPT_F_OPTIONAL,
		.help = "the ECN marker (congestion point)"},
	{ROW(spec_class, tail_limit, "tail_limit", OPT_SIZE_SHARE), .max = GIB, .def = "none",
		.flags = OPT_F_NONE, .help = "longest egress queue of the class; % of the buffer"},
	{ROW(spec_class, weight, "weight", OPT_UINT), .flags = OPT_F_LIVE, .min = 1, .max = 1000,
		.def = "1",
		.help = "share of the link among the classes that are not strict (DWRR)"},
	{ROW(spec_class, strict, "strict", OPT_BOOL), .def = "false",
		.help = "served before all that are not strict; true for class 6 unless the file "
			"says otherwise"},
	{ROW(spec_class, force_ce, "force_ce", OPT_BOOL), .def = "false",
		.help = "mark every ECT frame of the class, whatever its queue"},
	{ROW(spec_class, qcn, "qcn", OPT_MAP), .sub = &scene_opts_qcn, .flags = OPT_F_OPTIONAL,
		.help = "802.1Qau: a congestion point at each port"},
	{ROW(spec_class, iqcn, "iqcn", OPT_MAP), .sub = &scene_opts_iqcn, .flags = OPT_F_OPTIONAL,
		.help = "the switch sends CNPs itself where those of the notification point are "
			"late"},
	{ROW(spec_class, fast_cnp, "fast_cnp", OPT_MAP), .sub = &scene_opts_fast_cnp,
		.flags = OPT_F_OPTIONAL,
		.help = "the switch sends the CNP for a frame that it marks itself"},
};
const struct opt_table scene_opts_class = {"class", class_rows, N(class_rows), true};

const struct opt_table scene_opts_port_class = {"port's class", class_rows, PORT_CLASS_ROWS, true};

static const struct opt fdb_rows[] = {
	{ROW(spec_fdb, mac, "mac", OPT_MAC), .flags = OPT_F_REQUIRED,
		.example = "02:00:00:00:00:aa", .help = "destination"},
	{ROW(spec_fdb, port, "port", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "s1:h2",
		.help = "port that it is behind"},
	{ROW(spec_fdb, vlan, "vlan", OPT_UINT), .min = 1, .max = 4094, .def = "none",
		.flags = OPT_F_NONE, .help = "VLAN of the entry; none: untagged"},
};
const struct opt_table scene_opts_fdb = {"fdb entry", fdb_rows, N(fdb_rows), true};

static const struct opt pools_rows[] = {
	{ROW(spec_pools, ingress, "ingress", OPT_SIZE_SHARE), .min = 1000, .max = GIB,
		.def = "none", .flags = OPT_F_NONE,
		.help = "what ingress groups reserve and share, their own headroom too; none: all "
			"of the buffer but the headroom pool"},
	{ROW(spec_pools, egress, "egress", OPT_SIZE_SHARE), .min = 1000, .max = GIB, .def = "none",
		.flags = OPT_F_NONE,
		.help = "what all queues reserve and share, on a switch with one egress pool; "
			"none: there are two"},
	{ROW(spec_pools, egress_lossless, "egress_lossless", OPT_SIZE_SHARE), .min = 1000,
		.max = GIB, .def = "none", .flags = OPT_F_NONE,
		.help = "what queues of lossless classes reserve and share; none: as much as the "
			"buffer"},
	{ROW(spec_pools, egress_lossy, "egress_lossy", OPT_SIZE_SHARE), .min = 1000, .max = GIB,
		.def = "none", .flags = OPT_F_NONE,
		.help = "what queues of lossy classes reserve and share; none: as much as the "
			"buffer"},
	{ROW(spec_pools, headroom, "headroom", OPT_SIZE_SHARE), .min = 1000, .max = GIB,
		.def = "none", .flags = OPT_F_NONE,
		.help = "headroom shared by all groups, each up to its own; none: not shared"},
};
static const struct opt_table pools_table = {"pools", pools_rows, N(pools_rows), false};

static const struct opt wd_rows[] = {
	{ROW(spec_wd, poll, "poll", OPT_TIME), .flags = OPT_F_LIVE, .min = US, .max = 1000 * S,
		.def = "100ms", .help = "period at which its counters are read"},
	{ROW(spec_wd, detection, "detection", OPT_TIME), .flags = OPT_F_LIVE, .min = US,
		.max = 1000 * S, .def = "200ms",
		.help = "a queue that has stood still for this time, poll by poll, has a storm"},
	{ROW(spec_wd, restoration, "restoration", OPT_TIME), .flags = OPT_F_LIVE, .min = US,
		.max = 1000 * S, .def = "200ms",
		.help = "the storm is over after this time without PFC"},
	{ROW(spec_wd, action, "action", OPT_ENUM), .flags = OPT_F_LIVE, .names = action_names,
		.def = "drop",
		.help = "drop: frames in the queue, for it, and of its class that come in by its "
			"port; forward: do not obey PFC; alert: only report"},
	{ROW(spec_wd, rule, "rule", OPT_ENUM), .names = rule_names, .def = "mellanox",
		.help = "when a poll finds the queue standing still; broadcom: PFC came, none of "
			"it ended a pause"},
	{ROW(spec_wd, enable, "enable", OPT_BOOL), .def = "true",
		.help = "from the start; else when an event says pfcwd_start"},
};
const struct opt_table scene_opts_wd = {"pfc_watchdog", wd_rows, N(wd_rows), false};

static const struct opt switch_rows[] = {
	{ROW(spec_switch, buffer, "buffer", OPT_SIZE), .min = 10000, .max = GIB, .def = "16MB",
		.help = "packet memory that all ports share, with reserved bytes and headroom"},
	{ROW(spec_switch, cell, "cell", OPT_SIZE), .min = 1, .max = 16384, .def = "1",
		.help = "bytes of a cell of the buffer: frames take whole cells"},
	{ROW(spec_switch, flow_control, "flow_control", OPT_ENUM), .names = flow_control_names,
		.def = "pfc",
		.help = "what its ports send: PFC for each lossless class, or 802.3x PAUSE, which "
			"stops the whole link, for all that the port has received"},
	{ROW(spec_switch, pools, "pools", OPT_MAP), .sub = &pools_table,
		.help = "parts of the buffer, as SONiC has them; % of the buffer"},
	{ROW(spec_switch, trust, "trust", OPT_ENUM), .names = scene_trust_names, .def = "dscp",
		.help = "which field gives the class; the other where that one is missing"},
	{ROW(spec_switch, dscp_map, "dscp_map", OPT_SLOTS), .count = 64, .max = 7,
		.example = "{26: 3, 48: 6}", .help = "DSCP to class; default: DSCP / 8"},
	{ROW(spec_switch, pcp_map, "pcp_map", OPT_SLOTS), .count = 8, .max = 7, .example = "{3: 3}",
		.help = "PCP to class; default: the same number"},
	{ROW(spec_switch, queue_map, "queue_map", OPT_SLOTS), .count = 8, .max = 7,
		.example = "{4: 4}",
		.help = "class to egress queue (TC_TO_QUEUE); default: the same number"},
	{ROW(spec_switch, pg_map, "pg_map", OPT_SLOTS), .count = 8, .max = 7, .example = "{4: 4}",
		.help = "class to priority group (TC_TO_PRIORITY_GROUP); default: the same number"},
	{ROW(spec_switch, shaper_burst, "shaper_burst", OPT_SIZE), .min = 64, .max = GIB,
		.def = "auto", .flags = OPT_F_AUTO,
		.help = "bytes that a shaper (min_rate, max_rate) lets pass at once; auto: 8 KiB, "
			"and on the real clock no less than passes it in the time for which "
			"serializers make up there"},
	{ROW(spec_switch, default_class, "default_class", OPT_UINT), .max = 7, .def = "0",
		.help = "class of frames with neither DSCP nor PCP"},
	{ROW(spec_switch, pause_honour, "pause_honour", OPT_ENUM), .names = scene_honour_names,
		.def = "auto",
		.help = "802.3x PAUSE stops every class of a port, else it is only counted; auto: "
			"it does where either end of the link has flow_control: pause"},
	{ROW(spec_switch, pfc_response, "pfc_response", OPT_UINT), .max = 65535, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "quanta (512 bit times) that a port goes on for after PFC has come; auto: "
			"all that 802.3 31B.3.7 allows at its speed, none in framing hpcc_sim; the "
			"real clock's loop comes on top"},
	{ROW(spec_switch, wd, "pfc_watchdog", OPT_MAP), .sub = &scene_opts_wd,
		.flags = OPT_F_OPTIONAL,
		.help = "watches the egress queues of lossless classes with pfc at every port"},
	{ROW(spec_switch, late_loop, "late_loop", OPT_TIME), .max = S, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "real clock: headroom: auto also has room for the bytes that come while "
			"the switch's loop is this late, while its peer's loop is, too, and while "
			"both devices send full rings; this memory is beside the buffer; "
			"auto: 50us at ports with a device, else 0"},
	{ROW(spec_switch, latency, "latency", OPT_TIME), .max = S, .def = "0us",
		.help = "added to every frame that leaves"},
	{ROW(spec_switch, fdb_age, "fdb_age", OPT_TIME), .min = MS, .max = 1000000 * S,
		.def = "300s",
		.help = "a learned address is forgotten after this time without a frame"},
	{ROW(spec_switch, fdb_entries, "fdb_entries", OPT_UINT), .min = 16, .max = 1 << 24,
		.def = "auto", .flags = OPT_F_AUTO,
		.help = "addresses that the FDB has room for, static ones too, in sets of four; in "
			"a full set a new address takes the place of the learned one that was "
			"silent for longest; rounded up to a power of two of sets, and to eight "
			"entries for each static one; auto: 16384, or as many as the scenario "
			"needs"},
	{ROW(spec_switch, fdb, "fdb", OPT_LIST), .sub = &scene_opts_fdb,
		.help = "static entries beside those of the scenario's hosts, which are always "
			"there"},
	{ROW(spec_switch, ecmp, "ecmp", OPT_BOOL), .def = "true",
		.help = "shortest paths of the same length share the flows, by a hash of "
			"addresses and ports; else the lowest port has all"},
	{ROW(spec_switch, default_port, "default_port", OPT_TEXT), .flags = OPT_F_ASIDE,
		.example = "s1:s2",
		.help = "port to every host that has no link to this switch, instead of shortest "
			"paths"},
	{ROW(spec_switch, lcore, "lcore", OPT_UINT), .max = 1023, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_LOCAL, .help = "real clock: the lcore that runs it"},
	{ROW(spec_switch, lcores, "lcores", OPT_UINT), .flags = OPT_F_LOCAL, .min = 1,
		.max = SW_SHARDS, .def = "1",
		.help = "real clock: lcores that share its ports, from `lcore` on: port n is the "
			"n modulo lcores-th one's (docs/algo/shards.md)"},
	{ROW(spec_switch, shards, "shards", OPT_UINT), .min = 1, .max = SW_SHARDS, .def = "1",
		.help = "virtual time: number of shards into which the switch is cut by port, as "
			"several lcores would share it (docs/algo/shards.md)"},
	{ROW(spec_switch, cls, "classes", OPT_KEYED), .count = PKT_CLASSES,
		.sub = &scene_opts_class, .example = "3", .help = "traffic classes 0..7"},
};
const struct opt_table scene_opts_switch = {"switch", switch_rows, N(switch_rows), true};
