// SPDX-License-Identifier: BSD-3-Clause
// Option tables of flows: queue pairs, open loops, loads, other ends that quench does not run.
#include "rows.h"

static const char *const to_names[] = {"all", "same_index", "ring", "permutation", "random",
	"all_to_all", "incast()", "rack", NULL};
static const char *const arrivals_names[] = {"poisson", "every", "on_off", "closed()", NULL};
static const char *const size_names[] = {"imix", NULL};
static const char *const qps_names[] = {"per_message", NULL};
static const char *const verb_names[] = {"write", "send", "write_imm", "send_imm", "read", NULL};
static const char *const ecn_names[] = {"auto", "not_ect", "ect1", "ect0", "ce", NULL};
// In the order of the codepoints' values.
static const char *const codepoint_names[] = {"not_ect", "ect1", "ect0", "ce", NULL};
static const char *const host_names[] = {"host", NULL};
static const char *const rto_names[] = {"adaptive", NULL};
static const char *const recovery_names[] = {"go_back_n", "irn", "skip", NULL};

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
static const struct opt_table adaptive_table = {
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

static const struct opt flow_rows[] = {
	{ROW(spec_flow, from, "from", OPT_NODE), .flags = OPT_F_REQUIRED, .example = "h1",
		.help = "senders"},
	{ROW(spec_flow, to, "to", OPT_NODE), .flags = OPT_F_REQUIRED, .example = "h2",
		.help = "receivers; all with all, none with itself"},
	{ROW(spec_flow, pairs, "pairs", OPT_CHOICE), .names = to_names, .min = 1, .max = 65535,
		.def = "all",
		.help = "same_index: first with first, second with second; ring: each sends to the "
			"next of `to`; permutation: each to one, none gets two, as the seed draws; "
			"of a load also random (its default), all_to_all: the receivers in turn, "
			"incast(N): N senders at once, to one receiver, rack: as the key rack "
			"says"},
	{ROW(spec_flow, cls, "class", OPT_UINT), .max = 7, .def = "3", .help = "traffic class"},
	{ROW(spec_flow, start, "start", OPT_TIME_RANGE), .max = 1000000 * S, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_NONE,
		.help = "a range: the seed draws a start for each queue pair or source; auto: 0us, "
			"and the seed spreads the first frames of open-loop sources over one gap; "
			"none: when an event says flow_start"},
	{ROW(spec_flow, stop, "stop", OPT_TIME), .max = 1000000 * S, .def = "none",
		.flags = OPT_F_NONE, .help = "no message (open loop: frame) begins after it"},
	{ROW(spec_flow, ecn, "ecn", OPT_ENUM), .names = ecn_names, .def = "auto",
		.help = "codepoint of its data; auto: ect0 with a control, else not_ect"},
	{ROW(spec_flow, dscp, "dscp", OPT_UINT), .max = 63, .def = "auto", .flags = OPT_F_AUTO,
		.help = "of its data; auto: one that the first switch maps to the class"},
	{ROW(spec_flow, ttl, "ttl", OPT_UINT), .min = 1, .max = 255, .def = "64",
		.help = "TTL (IPv4) or hop limit (IPv6) of its frames in both directions"},
	{ROW(spec_flow, udp_sport, "udp_sport", OPT_RANGE), .min = 1, .max = 65535, .def = "auto",
		.flags = OPT_F_AUTO, .example = "49152..49167",
		.help = "UDP source port of its frames in both directions; a range: its queue "
			"pairs or sources take the ports in turn; auto: from the numbers of both "
			"queue pairs, as Linux does; of open loops 49153 and up"},
	{ROW(spec_flow, vlan, "vlan", OPT_UINT), .max = 4094, .def = "none", .flags = OPT_F_NONE,
		.help = "802.1Q tag with this VID; none: untagged"},
	{ROW(spec_flow, pcp, "pcp", OPT_UINT), .max = 7, .def = "auto", .flags = OPT_F_AUTO,
		.help = "of the tag; auto: one that the first switch maps to the class"},
	{ROW(spec_flow, open_loop, "open_loop", OPT_MAP), .sub = &open_loop_table,
		.flags = OPT_F_ASIDE | OPT_F_OPTIONAL,
		.help = "frames at a rate instead of RoCEv2: numbered, counted at the receiver"},
	{ROW(spec_flow, sizes, "sizes", OPT_ANY), .sub = &scene_opts_sizes,
		.flags = OPT_F_ASIDE | OPT_F_ROCE | OPT_F_LOCAL, .example = "websearch",
		.help = "a load: messages that come by themselves have sizes of this distribution: "
			"websearch, hadoop, alistorage, FILE.cdf, 64KB, or "
			"{pareto: {shape: 1.05, min: 1KB, max: 10MB}}"},
	{ROW(spec_flow, load, "load", OPT_RATE_SHARE), .min = 100000, .max = 800 * GBPS,
		.def = "none", .flags = OPT_F_NONE | OPT_F_ASIDE | OPT_F_ROCE, .example = "50%",
		.help = "of a load: payload that each sender is given; % of its link (incast: "
			"each receiver)"},
	{ROW(spec_flow, arrivals, "arrivals", OPT_CHOICE), .names = arrivals_names, .min = 1,
		.max = 65536, .def = "poisson", .flags = OPT_F_ASIDE | OPT_F_ROCE,
		.help = "of a load: when messages come; every: in equal gaps; on_off: as the key "
			"on_off says; closed(N): N of each sender at a time, the next when one is "
			"done"},
	{ROW(spec_flow, on_off, "on_off", OPT_MAP), .sub = &on_off_table,
		.flags = OPT_F_ASIDE | OPT_F_OPTIONAL | OPT_F_ROCE,
		.help = "of a load: bursts; the load is on / (on + off) of the link"},
	{ROW(spec_flow, rack, "rack", OPT_SHARE), .def = "0%", .flags = OPT_F_ASIDE | OPT_F_ROCE,
		.example = "30%",
		.help = "of a load: this share of messages stays under the sender's switch"},
	{ROW(spec_flow, qps, "qps", OPT_UINT), .min = 1, .max = 1 << 20, .def = "1",
		.names = qps_names, .flags = OPT_F_ROCE,
		.help = "queue pairs of each sender and receiver; messages of a load take turns at "
			"them; per_message: one for each message of a load"},
	{ROW(spec_flow, verb, "verb", OPT_ENUM), .names = verb_names, .def = "write",
		.flags = OPT_F_ROCE,
		.help = "RC WRITE or SEND, without or with immediate data, or READ, whose data "
			"flow from `to` to `from`"},
	{ROW(spec_flow, imm, "imm", OPT_UINT), .max = UINT32_MAX, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_ROCE,
		.help = "immediate data of each message, with verb write_imm or send_imm; auto: "
			"the message's number, from 0"},
	{ROW(spec_flow, rd_atomic, "rd_atomic", OPT_UINT), .min = 1, .max = RC_READS, .def = "16",
		.flags = OPT_F_ROCE,
		.help = "posted READ requests of a queue pair that may be outstanding at a time"},
	{ROW(spec_flow, message, "message", OPT_SIZE), .min = 0, .max = 2 * GIB, .def = "1MB",
		.flags = OPT_F_LIVE | OPT_F_ROCE, .excludes = "sizes",
		.help = "bytes of a message; 0: one packet without payload"},
	{ROW(spec_flow, count, "count", OPT_UINT), .min = 1, .max = INT64_MAX, .def = "none",
		.flags = OPT_F_NONE | OPT_F_ROCE, .excludes = "sizes",
		.help = "messages of each queue pair; none: without end"},
	{ROW(spec_flow, outstanding, "outstanding", OPT_UINT), .min = 1, .max = RC_MESSAGES,
		.def = "auto", .flags = OPT_F_LIVE | OPT_F_AUTO | OPT_F_ROCE, .example = "4",
		.help = "messages posted at a time; auto: 1 where `count` is given, 64 of a load, "
			"else 4"},
	{ROW(spec_flow, mtu, "mtu", OPT_UINT), .min = 1, .max = 9000, .def = "1024",
		.flags = OPT_F_ROCE,
		.help = "path MTU, bytes of payload: InfiniBand's 256, 512, 1024, 2048 or 4096, or "
			"another multiple of 4 from 256 on (framing hpcc_sim: any)"},
	{ROW(spec_flow, payload, "payload", OPT_TEXT), .flags = OPT_F_LOCAL, .def = "zeros",
		.example = "prbs",
		.help = "zeros, 0xa5 (1, 2 or 4 bytes over and over), counter, prbs, or file NAME"},
	{ROW(spec_flow, peer, "peer", OPT_MAP), .sub = &peer_table,
		.flags = OPT_F_ASIDE | OPT_F_OPTIONAL | OPT_F_ROCE,
		.help = "real clock: the other end, where from or to is an external host"},
	{ROW(spec_flow, control, "control", OPT_TEXT), .def = "none", .flags = OPT_F_ROCE,
		.example = "dcqcn",
		.help = "reaction point, by its name in `controls`; none: always at full rate"},
	{ROW(spec_flow, group, "group", OPT_TEXT), .flags = OPT_F_ASIDE | OPT_F_ROCE,
		.example = "all",
		.help = "figures take flows of one group together; without: those of one name and "
			"destination, and all of a load"},
	{ROW(spec_flow, bins, "bins", OPT_WORDS), .flags = OPT_F_ASIDE | OPT_F_ROCE,
		.example = "10",
		.help = "ranges of message sizes in which the slowdown of the group is told: their "
			"upper bounds, as in [1KB, 100KB, 10MB], or how many, 1 to 64, with as "
			"many messages in each; none: without; default: 10 for loads, and for "
			"flows of flows_from that have a group, else none"},
	{ROW(spec_flow, rate, "rate", OPT_RATE_SHARE), .min = 100000, .max = 800 * GBPS,
		.def = "none", .flags = OPT_F_LIVE | OPT_F_NONE | OPT_F_ROCE,
		.help = "ceiling of each queue pair; % of the sender's link"},
	{ROW(spec_flow, catch_up, "catch_up", OPT_TIME), .max = S, .def = "host",
		.names = host_names, .flags = OPT_F_LIVE | OPT_F_AUTO | OPT_F_ROCE,
		.example = "5us",
		.help = "most that its limiters make up for; host: as the sender's catch_up"},
	{ROW(spec_flow, window, "window", OPT_UINT), .min = 1, .max = 1 << 22, .def = "16384",
		.flags = OPT_F_LIVE | OPT_F_ROCE, .help = "packets sent and not yet acknowledged"},
	{ROW(spec_flow, ack_every, "ack_every", OPT_UINT), .min = 1, .max = 65536, .def = "16",
		.flags = OPT_F_LIVE | OPT_F_ROCE,
		.help = "an ACK is asked for on every n-th packet, and on a message's last"},
	{ROW(spec_flow, rto, "rto", OPT_TIME), .min = US, .max = 1000 * S, .def = "67ms",
		.names = rto_names, .flags = OPT_F_LIVE | OPT_F_NONE | OPT_F_ROCE,
		.help = "retransmission timeout; adaptive: longer after each timeout, by "
			"rto_adaptive"},
	{ROW(spec_flow, adaptive, "rto_adaptive", OPT_MAP), .sub = &adaptive_table,
		.flags = OPT_F_ASIDE | OPT_F_OPTIONAL | OPT_F_ROCE,
		.help = "the timeouts of rto: adaptive, time_base * 2^value, by NVIDIA's rule"},
	{ROW(spec_flow, recovery, "recovery", OPT_ENUM), .names = recovery_names,
		.def = "go_back_n", .flags = OPT_F_ROCE,
		.help = "what is sent again after a loss; go_back_n: all from the lost packet on; "
			"irn: only packets that are missing (IRN, SIGCOMM'18); skip: the lost "
			"packet and all later ones that have not come, as in ConWeave's simulator"},
	{ROW(spec_flow, cap, "cap", OPT_UINT), .min = 1, .max = IRN_CAP_MAX, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_ROCE,
		.help = "irn and skip: most packets in flight, in place of `window`; auto: as many "
			"as the shortest way there and back takes at its slowest link (BDP-FC), "
			"and of a READ the responses of a message at least"},
	{ROW(spec_flow, rto_low, "rto_low", OPT_TIME), .min = US, .max = 1000 * S, .def = "auto",
		.flags = OPT_F_LIVE | OPT_F_AUTO | OPT_F_ROCE,
		.help = "irn and skip: timeout with 3 packets or fewer in flight; auto: a third of "
			"rto_high"},
	{ROW(spec_flow, rto_high, "rto_high", OPT_TIME), .min = US, .max = 1000 * S, .def = "auto",
		.flags = OPT_F_LIVE | OPT_F_AUTO | OPT_F_ROCE,
		.help = "irn and skip: timeout with more packets in flight, in place of `rto`; "
			"auto: the way there and back, and the time in which its slowest link "
			"empties the largest buffer of a switch on it"},
	{ROW(spec_flow, nack_threshold, "nack_threshold", OPT_UINT), .min = 1, .max = IRN_CAP_MAX,
		.def = "1", .flags = OPT_F_LIVE | OPT_F_ROCE,
		.help = "irn: a packet counts as lost once one has come that is so many PSNs "
			"behind it; more than 1 where paths reorder"},
	{ROW(spec_flow, nack_bytes, "nack_bytes", OPT_UINT), .min = 62, .max = 66, .def = "66",
		.flags = OPT_F_ROCE,
		.help = "irn and skip: bytes of a NACK over IPv4 without FCS; 66, or 62 to compare "
			"with models in which it is as long as an ACK, in virtual time alone"},
	{ROW(spec_flow, retries, "retries", OPT_UINT), .max = 1000000, .def = "7",
		.flags = OPT_F_LIVE | OPT_F_NONE | OPT_F_ROCE,
		.help = "times that the oldest packet is sent again after a timeout, without "
			"progress, as a verbs retry_cnt counts; at the next one the queue pair "
			"fails"},
	{ROW(spec_flow, rnr_retries, "rnr_retries", OPT_UINT), .max = 7, .def = "7",
		.flags = OPT_F_LIVE | OPT_F_ROCE,
		.help = "times that a packet is sent again because the receiver was not ready "
			"(RNR NAK), without progress, as a verbs rnr_retry counts; at the next RNR "
			"NAK the queue pair fails; 7: never"},
	{ROW(spec_flow, ack_class, "ack_class", OPT_UINT), .max = 7, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_ROCE,
		.help = "class of its ACKs; auto: the receiver's cnp_class"},
	{ROW(spec_flow, ack_dscp, "ack_dscp", OPT_UINT), .max = 63, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_ROCE,
		.help = "DSCP of its ACKs; auto: one that the receiver's switch maps to their "
			"class"},
	{ROW(spec_flow, ack_ecn, "ack_ecn", OPT_ENUM), .names = codepoint_names, .def = "not_ect",
		.flags = OPT_F_ROCE, .help = "codepoint of its ACKs"},
	{ROW(spec_flow, cnp_ecn, "cnp_ecn", OPT_ENUM), .names = codepoint_names, .def = "ect0",
		.flags = OPT_F_ROCE, .help = "codepoint of the CNPs that its receiver sends"},
	{ROW(spec_flow, src_qpn, "src_qpn", OPT_UINT), .min = 2, .max = 0xfffffe, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_ROCE, .example = "0x100",
		.help = "QPN of the data's sender; its further queue pairs of the flow count up "
			"from it; auto: from the host's qpn_base on"},
	{ROW(spec_flow, psn, "psn", OPT_UINT), .max = 0xffffff, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_ROCE, .example = "0xfffff0",
		.help = "PSN of the first packet of each of its queue pairs; auto: the sender's "
			"first_psn"},
};
const struct opt_table scene_opts_flow = {"flow", flow_rows, N(flow_rows), true};
