// SPDX-License-Identifier: BSD-3-Clause
// Option tables of flows: queue pairs, open loops, loads, other ends that quench does not run.
#include "rows.h"

static const char *const to_names[] = {"all", "same_index", "ring", "permutation", "random",
	"all_to_all", "incast()", "rack", NULL};
static const char *const arrivals_names[] = {"poisson", "every", "on_off", "closed()", NULL};
static const char *const size_names[] = {"imix", NULL};
static const char *const qps_names[] = {"per_message", NULL};
static const char *const verb_names[] = {"write", "send", "write_imm", "send_imm", "read", NULL};
const char *const scene_ecn_names[] = {"auto", "not_ect", "ect1", "ect0", "ce", NULL};
// In the order of the codepoints' values.
const char *const scene_codepoint_names[] = {"not_ect", "ect1", "ect0", "ce", NULL};
const char *const scene_host_names[] = {"host", NULL};
const char *const scene_rto_names[] = {"adaptive", NULL};
const char *const scene_recovery_names[] = {"go_back_n", "irn", "skip", NULL};

static const char *const open_verb_names[] = {"send", "write", NULL};

static const struct opt open_roce_rows[] = {
	{ROW(spec_open_roce, qpn, "qpn", OPT_UINT), .min = 2, .max = 0xfffffe, .def = "auto",
		.flags = OPT_F_AUTO, .example = "100",
		.help = "destination QPN of the first source, and the next ones for the others; "
			"auto: from 8388608 on, in the order of the file"},
	{ROW(spec_open_roce, psn, "psn", OPT_UINT), .max = 0xffffff, .def = "0",
		.help = "PSN of the first frame of each source"},
	{ROW(spec_open_roce, verb, "verb", OPT_ENUM), .names = open_verb_names, .def = "send",
		.help = "each frame is a SEND or WRITE of one packet; a WRITE has a RETH"},
};
static const struct opt_table open_roce_table = {"roce", open_roce_rows, N(open_roce_rows), false};

static const struct opt open_item_rows[] = {
	{ROW(spec_open_item, count, "count", OPT_UINT), .min = 1, .max = INT64_MAX, .def = "1",
		.help = "number of frames"},
	{ROW(spec_open_item, gap, "gap", OPT_TIME), .min = 1, .max = 1000 * S, .def = "none",
		.flags = OPT_F_NONE, .example = "2us",
		.help = "time from the first bit of a frame to the first bit of the next; none: "
			"the frames leave back to back"},
	{ROW(spec_open_item, after, "after", OPT_TIME), .max = 1000 * S, .def = "0us",
		.help = "time from the end of the frame before, with its gap, to the first frame"},
	{ROW(spec_open_item, size, "size", OPT_RANGE), .min = 64, .max = PKT_MAX_LEN + 4,
		.def = "auto", .flags = OPT_F_AUTO, .example = "512",
		.help = "bytes of a frame with FCS; a range is uniform; auto: size of open_loop"},
};
const struct opt_table scene_opts_open_item = {"list", open_item_rows, N(open_item_rows), false};

static const struct opt open_loop_rows[] = {
	{ROW(spec_open_loop, size, "size", OPT_RANGE), .flags = OPT_F_LIVE, .min = 64,
		.max = PKT_MAX_LEN + 4, .def = "1024", .example = "64..1518", .names = size_names,
		.help = "bytes of a frame with FCS; a range is uniform; imix: of 12 frames 7 have "
			"64 bytes, 4 have 594, and 1 has 1518"},
	{ROW(spec_open_loop, rate, "rate", OPT_RATE_PPS), .flags = OPT_F_LIVE, .min = 100000,
		.max = 800 * GBPS, .def = "10%", .excludes = "list",
		.help = "on the wire, with preamble and gap; % of the sender's link; 2Mpps: this "
			"number of frames per second"},
	{ROW(spec_open_loop, burst, "burst", OPT_UINT), .flags = OPT_F_LIVE, .min = 1, .max = 65535,
		.def = "1", .excludes = "list", .help = "frames back to back; the mean rate holds"},
	{ROW(spec_open_loop, count, "count", OPT_UINT), .min = 1, .max = INT64_MAX, .def = "none",
		.flags = OPT_F_NONE, .excludes = "list", .help = "frames in all"},
	{ROW(spec_open_loop, list, "list", OPT_LIST), .sub = &scene_opts_open_item,
		.flags = OPT_F_ASIDE,
		.help = "frames one by one, instead of rate, burst and count: a number of frames, "
			"back to back or with a gap, then the next row"},
	{ROW(spec_open_loop, repeat, "repeat", OPT_UINT), .min = 1, .max = INT64_MAX, .def = "1",
		.flags = OPT_F_NONE | OPT_F_ASIDE,
		.help = "how often the list is sent; none: without end"},
	{ROW(spec_open_loop, dscp, "dscp", OPT_WORDS), .flags = OPT_F_ASIDE, .example = "0..63",
		.help = "DSCPs that the frames have in turn, instead of the flow's dscp: a range, "
			"or a list of numbers and ranges"},
	{ROW(spec_open_loop, after, "after", OPT_TEXT), .flags = OPT_F_ASIDE, .example = "fill",
		.help = "start counts from the end of the last frame of this open loop, "
			"which stands before this one in the file"},
	{ROW(spec_open_loop, sources, "sources", OPT_UINT), .min = 1, .max = 65535, .def = "1",
		.help = "sources of each pair of hosts, each with this rate and a UDP source port"},
	{ROW(spec_open_loop, raw, "raw", OPT_BOOL), .def = "false", .help = "Ethernet without IP"},
	{ROW(spec_open_loop, roce, "roce", OPT_MAP), .sub = &open_roce_table,
		.flags = OPT_F_OPTIONAL,
		.help = "the frames are RoCEv2 requests, with BTH and ICRC, that nobody answers; "
			"their receiver counts them by PSN"},
	{ROW(spec_open_loop, rtt_max, "rtt_max", OPT_TIME), .min = US, .max = 1000 * S,
		.def = "auto", .flags = OPT_F_AUTO, .example = "10ms",
		.help = "to a host that echoes: longest round trip that is timed; the sender keeps "
			"the instants of its last frames for this, 2097152 at most; later frames "
			"count as late; auto: 10ms"},
};
static const struct opt_table open_loop_table = {
	"open_loop", open_loop_rows, N(open_loop_rows), false};

static const struct opt peer_rows[] = {
	{ROW(spec_peer, port, "port", OPT_UINT), .min = 1, .max = 65535, .def = "none",
		.flags = OPT_F_NONE, .example = "18515",
		.help = "RDMA-CM's: the flow connects there, or waits for a connection if the "
			"external host sends; the numbers that the two exchange replace those "
			"below"},
	{ROW(spec_peer, qpn, "qpn", OPT_UINT), .min = 2, .max = 0xffffff, .def = "none",
		.flags = OPT_F_NONE, .example = "0x11", .help = "number of its queue pair"},
	{ROW(spec_peer, psn, "psn", OPT_UINT), .max = 0xffffff, .def = "0",
		.help = "PSN of the flow's first packet"},
	{ROW(spec_peer, rkey, "rkey", OPT_UINT), .max = UINT32_MAX, .def = "none",
		.flags = OPT_F_NONE, .example = "0x1c00",
		.help = "remote key of the memory that messages go to, or come from; with port it "
			"is in the private data of the side that is asked"},
	{ROW(spec_peer, va, "va", OPT_UINT), .max = INT64_MAX, .def = "none", .flags = OPT_F_NONE,
		.example = "0x7f0000001000", .help = "its address there"},
	{ROW(spec_peer, length, "length", OPT_SIZE), .max = INT32_MAX, .def = "2147483647B",
		.help = "where the external host asks, its bytes: requests for memory beyond them, "
			"or with another key, are refused"},
	{ROW(spec_peer, mtu, "mtu", OPT_UINT), .min = 256, .max = 4096, .def = "none",
		.flags = OPT_F_NONE, .example = "1024",
		.help = "path MTU of its queue pair, which the flow has then, too"},
};
static const struct opt_table peer_table = {"peer", peer_rows, N(peer_rows), false};

static const struct opt pareto_rows[] = {
	{ROW(spec_pareto, shape, "shape", OPT_REAL), .min = 10000, .max = 100000000,
		.flags = OPT_F_REQUIRED, .example = "1.05",
		.help = "of the share above a size: (min/size)^shape"},
	{ROW(spec_pareto, min, "min", OPT_SIZE), .min = 1, .max = 2 * GIB, .flags = OPT_F_REQUIRED,
		.example = "1KB", .help = "least size"},
	{ROW(spec_pareto, max, "max", OPT_SIZE), .min = 1, .max = 2 * GIB, .flags = OPT_F_REQUIRED,
		.example = "10MB", .help = "largest size"},
};
static const struct opt_table pareto_table = {"pareto", pareto_rows, N(pareto_rows), false};

static const struct opt sizes_rows[] = {
	{.key = "pareto",
		.type = OPT_MAP,
		.sub = &pareto_table,
		.help = "Pareto's distribution between two sizes"},
};
const struct opt_table scene_opts_sizes = {"sizes", sizes_rows, N(sizes_rows), false};

static const struct opt adaptive_rows[] = {
	{ROW(spec_adaptive, time_base, "time_base", OPT_TIME), .min = 4 * US, .max = S,
		.def = "4us", .help = "base of the timeouts: 4 us times a power of two"},
	{ROW(spec_adaptive, init_low, "init_low", OPT_UINT), .max = RC_ADAPTIVE_MAX, .def = "9",
		.help = "least value of the first timeout"},
	{ROW(spec_adaptive, init_size, "init_size", OPT_UINT), .min = 1, .max = RC_ADAPTIVE_MAX + 1,
		.def = "1",
		.help = "number of values from init_low on, one of which is drawn for each queue "
			"pair"},
	{ROW(spec_adaptive, ranges, "ranges", OPT_WORDS), .example = "[9..12, 14..15x2]",
		.help = "values of the timeouts after the first: up to 4 ranges that rise; x2: "
			"each value twice; default: 9..12"},
};
const struct opt_table scene_opts_adaptive = {
	"rto_adaptive", adaptive_rows, N(adaptive_rows), false};

static const struct opt on_off_rows[] = {
	{ROW(spec_on_off, on, "on", OPT_TIME), .min = 1000, .max = 1000 * S,
		.flags = OPT_F_REQUIRED, .example = "100us",
		.help = "mean time in which its messages follow each other at the link's rate"},
	{ROW(spec_on_off, off, "off", OPT_TIME), .min = 1000, .max = 1000 * S,
		.flags = OPT_F_REQUIRED, .example = "300us",
		.help = "mean time without messages; both are exponential"},
};
static const struct opt_table on_off_table = {"on_off", on_off_rows, N(on_off_rows), false};

#define ROWS_OF_FLOWS
static const struct opt flow_rows[] = {
#include "flow_rows.inc"
};
const struct opt_table scene_opts_flow = {"flow", flow_rows, N(flow_rows), true};
