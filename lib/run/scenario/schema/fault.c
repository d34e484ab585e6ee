// SPDX-License-Identifier: BSD-3-Clause
// Option tables of faults: the frames that a record names, chance, and actions.
#include "rows.h"

#define REORDER_MOST 65536 // frames that one may stand behind

static const struct opt pair_rows[] = {
	{ROW(spec_pair, dst, "dst", OPT_IP), .flags = OPT_F_REQUIRED, .example = "10.0.0.2",
		.help = "address that its frames go to"},
	{ROW(spec_pair, qpn, "qpn", OPT_UINT), .min = 1, .max = 0xffffff, .flags = OPT_F_REQUIRED,
		.example = "0x11", .help = "destination QPN of its frames"},
	{ROW(spec_pair, first_psn, "first_psn", OPT_UINT), .max = 0xffffff, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "PSN from which `psn` counts; auto: as RDMA-CM has told it, or else the "
			"first that is seen"},
};
const struct opt_table scene_opts_pair = {"queue pair", pair_rows, N(pair_rows), true};

static const struct opt gilbert_rows[] = {
	{ROW(spec_gilbert, to_bad, "to_bad", OPT_PERCENT), .max = 1000000, .flags = OPT_F_REQUIRED,
		.example = "0.1%",
		.help = "chance that a frame in the good state is the first of a bad one"},
	{ROW(spec_gilbert, to_good, "to_good", OPT_PERCENT), .max = 1000000,
		.flags = OPT_F_REQUIRED, .example = "20%",
		.help = "chance that a frame in the bad state is the first of a good one"},
	{ROW(spec_gilbert, bad, "bad", OPT_PERCENT), .max = 1000000, .def = "100%",
		.help = "share of frames that are hit in the bad state"},
	{ROW(spec_gilbert, good, "good", OPT_PERCENT), .max = 1000000, .def = "0%",
		.help = "the same in the good state"},
};
static const struct opt_table gilbert_table = {"gilbert", gilbert_rows, N(gilbert_rows), false};

static const struct opt reorder_rows[] = {
	{ROW(spec_reorder, behind, "behind", OPT_UINT), .min = 1, .max = REORDER_MOST, .def = "1",
		.help = "frames of its queue pair that it lets pass; of its port where the record "
			"names no queue pair"},
	{ROW(spec_reorder, within, "within", OPT_TIME), .min = 1, .max = S, .def = "100us",
		.help = "it goes on then, though fewer have come"},
};
static const struct opt_table reorder_table = {"reorder", reorder_rows, N(reorder_rows), false};

static const struct opt corrupt_rows[] = {
	{ROW(spec_corrupt, bit, "bit", OPT_UINT), .max = 8 * PKT_MAX_LEN - 1, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "of the frame; 0 is the highest of its first byte; auto: the last of the "
			"payload, or of the ICRC where there is none"},
};
static const struct opt_table corrupt_table = {"corrupt", corrupt_rows, N(corrupt_rows), false};

#define FIELD(field, name, text, what)                                                    \
	{                                                                                 \
		ROW(spec_field, value[FAULT_##field], name, OPT_TEXT), .example = (text), \
								       .help = (what)     \
	}

static const char *const icrc_names[] = {"mend", "keep", NULL};

static const struct opt rewrite_rows[] = {
	FIELD(DST_MAC, "dst_mac", "02:00:00:00:00:01", "Ethernet destination"),
	FIELD(SRC_MAC, "src_mac", "02:00:00:00:00:01", "Ethernet source"),
	FIELD(ETHERTYPE, "ethertype", "0x88b5", "EtherType behind the tags"),
	FIELD(VLAN, "vlan", "100", "VLAN ID of the outer tag"),
	FIELD(PCP, "pcp", "3", "priority of the outer tag"),
	FIELD(SRC_IP, "src_ip", "10.0.0.9", "IP source"),
	FIELD(DST_IP, "dst_ip", "10.0.0.9", "IP destination"),
	FIELD(DSCP, "dscp", "0", "DSCP"),
	FIELD(IP_ECN, "ecn", "3", "ECN codepoint: 0 is not-ECT, 1 ECT(1), 2 ECT(0), 3 CE"),
	FIELD(TTL, "ttl", "1", "TTL or hop limit"),
	FIELD(IP_ID, "ip_id", "7", "identification of IPv4"),
	FIELD(UDP_SPORT, "udp_sport", "49152", "UDP source port"),
	FIELD(UDP_DPORT, "udp_dport", "4791", "UDP destination port"),
	FIELD(OPCODE, "opcode", "0x04", "BTH opcode"),
	FIELD(SE, "se", "1", "solicited event of the BTH"),
	FIELD(MIGREQ, "migreq", "0", "MigReq of the BTH"),
	FIELD(PKEY, "pkey", "0x7fff", "P_Key"),
	FIELD(QPN, "qpn", "0x11", "destination QPN"),
	FIELD(ACKREQ, "ackreq", "1", "AckReq of the BTH"),
	FIELD(PSN, "psn", "+8388608", "PSN on the wire"),
	FIELD(SYNDROME, "syndrome", "0x60", "syndrome of the AETH"),
	FIELD(MSN, "msn", "0", "MSN of the AETH"),
	{ROW(spec_field, icrc, "icrc", OPT_ENUM), .names = icrc_names, .def = "mend",
		.help = "mend: as right as it was; keep: as the sender computed it"},
};
static const struct opt_table rewrite_table = {"rewrite", rewrite_rows, N(rewrite_rows), false};

static const char *const forged_names[] = {"cnp", "nak", "cnm", "pfc", NULL};

static const struct opt forge_rows[] = {
	{ROW(spec_forge, frame, "frame", OPT_ENUM), .names = forged_names, .def = "cnp",
		.help = "cnp, nak or cnm to the sender of the record's queue pair, or pfc"},
	{ROW(spec_forge, start, "start", OPT_TIME), .max = 100000 * S, .def = "0us",
		.help = "instant of the first; in an event from its instant on"},
	{ROW(spec_forge, every, "every", OPT_TIME), .min = 1, .max = 1000 * S, .def = "none",
		.flags = OPT_F_NONE, .help = "time from one to the next"},
	{ROW(spec_forge, count, "count", OPT_UINT), .min = 1, .max = INT64_MAX, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_NONE,
		.help = "frames in all; auto: one, or without end where `every` is given"},
	{ROW(spec_forge, psn, "psn", OPT_UINT), .max = 0xffffff, .def = "0",
		.help = "nak: PSN, from the first of the queue pair"},
	{ROW(spec_forge, msn, "msn", OPT_UINT), .max = 0xffffff, .def = "0", .help = "nak: MSN"},
	{ROW(spec_forge, syndrome, "syndrome", OPT_UINT), .max = 255, .def = "96",
		.help = "nak: syndrome of the AETH; 0x60: PSN sequence error"},
	{ROW(spec_forge, qntzfb, "qntzfb", OPT_UINT), .max = 63, .def = "63",
		.help = "cnm: quantized feedback"},
	{ROW(spec_forge, qoffset, "qoffset", OPT_INT), .min = INT16_MIN, .max = INT16_MAX,
		.def = "0", .help = "cnm: QOffset, in units of 64 bytes"},
	{ROW(spec_forge, qdelta, "qdelta", OPT_INT), .min = INT16_MIN, .max = INT16_MAX, .def = "0",
		.help = "cnm: QDelta, in units of 64 bytes"},
	{ROW(spec_forge, classes, "classes", OPT_BITS), .flags = OPT_F_NONE, .def = "3",
		.help = "pfc: class-enable vector"},
	{ROW(spec_forge, quanta, "quanta", OPT_UINT), .max = 65535, .def = "65535",
		.help = "pfc: pause time of each class"},
};
static const struct opt_table forge_table = {"forge", forge_rows, N(forge_rows), false};

static const struct opt action_rows[] = {
	{ROW(spec_action, delay, "delay", OPT_TIME), .min = 1, .max = S, .example = "10us",
		.help = "it goes on later by this time"},
	{ROW(spec_action, reorder, "reorder", OPT_MAP), .sub = &reorder_table,
		.flags = OPT_F_OPTIONAL, .help = "it goes on behind later ones"},
	{ROW(spec_action, duplicate, "duplicate", OPT_UINT), .min = 1, .max = 1000, .example = "1",
		.help = "copies that follow it at once"},
	{ROW(spec_action, corrupt, "corrupt", OPT_MAP), .sub = &corrupt_table,
		.flags = OPT_F_OPTIONAL, .help = "one bit is flipped"},
	{ROW(spec_action, rewrite, "rewrite", OPT_MAP), .sub = &rewrite_table,
		.flags = OPT_F_OPTIONAL, .help = "one field has another value: N, or +N more"},
	{ROW(spec_action, forge, "forge", OPT_MAP), .sub = &forge_table, .flags = OPT_F_OPTIONAL,
		.help = "frames come in that nobody has sent"},
};
const struct opt_table scene_opts_action = {"fault action", action_rows, N(action_rows), true};

static const struct opt fault_rows[] = {
	{ROW(spec_fault, flow, "flow", OPT_WORDS), .example = "incast",
		.help = "flows: all their queue pairs"},
	{ROW(spec_fault, qp, "qp", OPT_ANY), .sub = &scene_opts_pair, .excludes = "flow",
		.flags = OPT_F_ASIDE, .example = "\"incast[h1>h2.0]\"",
		.help = "queue pairs: a name as in figures, a list of names, {dst: 10.0.0.2, qpn: "
			"0x11} of frames to a queue pair that is no flow's, or any: all that pass"},
	{ROW(spec_fault, group, "group", OPT_WORDS), .flags = OPT_F_ASIDE, .excludes = "flow",
		.example = "all", .help = "groups: all their queue pairs"},
	{ROW(spec_fault, dst, "dst", OPT_TEXT), .flags = OPT_F_ASIDE, .excludes = "flow",
		.example = "h2",
		.help = "a host or an address: all queue pairs whose frames go to it"},
	{ROW(spec_fault, dir, "dir", OPT_WORDS), .example = "data",
		.help = "kinds of frames: data, ack, nak, cnp, read_request, read_response, a list "
			"of them, or all; data are SEND and WRITE packets and READ responses; "
			"default: data where a queue pair or a PSN is named, else all"},
	{ROW(spec_fault, cls, "class", OPT_BITS), .example = "[0..7]",
		.help = "classes that the port maps them to; default: all"},
	{ROW(spec_fault, psn, "psn", OPT_TEXT), .example = "100",
		.help = "PSNs, from 0 at the first of the queue pair: 100, 100..104, every 100 "
			"(0, 100, 200 ...), last (of each message), or any; of CNPs their number; "
			"default: any"},
	{ROW(spec_fault, nth, "nth", OPT_TEXT), .example = "1",
		.help = "transmissions of that PSN: 1 (the first), 2.., 2..3, or any; default: 1 "
			"where PSNs are named, else any"},
	{ROW(spec_fault, pass, "pass", OPT_TEXT), .example = "any",
		.help = "Lumina's iter: a counter of the queue pair, one more where a PSN does not "
			"follow the one before: 1, 2.., 2..3, or any; default: any"},
	{ROW(spec_fault, at, "at", OPT_TEXT), .example = "s1:h1",
		.help = "the port where they come in, of a switch or host; default: where the link "
			"of the host leads that sends them"},
	{ROW(spec_fault, share, "share", OPT_PERCENT), .max = 1000000, .flags = OPT_F_ASIDE,
		.example = "0.1%", .help = "only this share of them is hit, by chance"},
	{ROW(spec_fault, gilbert, "gilbert", OPT_MAP), .sub = &gilbert_table,
		.flags = OPT_F_ASIDE | OPT_F_OPTIONAL, .excludes = "share",
		.help = "they are hit in bursts, by the model of Gilbert and Elliott"},
	{ROW(spec_fault, bit_error_rate, "bit_error_rate", OPT_TEXT), .flags = OPT_F_ASIDE,
		.excludes = "share", .example = "1e-12",
		.help = "each bit of a frame, with FCS, is wrong with this chance; one wrong bit "
			"is a hit"},
	{ROW(spec_fault, action, "do", OPT_ANY), .sub = &scene_opts_action, .flags = OPT_F_REQUIRED,
		.example = "drop",
		.help = "drop, ecn (CE), delay, reorder, duplicate, corrupt, rewrite or forge; "
			"with values as in {delay: 10us}, {reorder: 3}, {rewrite: {migreq: 0}}"},
	{ROW(spec_fault, optional, "optional", OPT_BOOL), .example = "false",
		.help = "the run may pass although no frame was hit; default: true where chance "
			"decides, else false"},
};
const struct opt_table scene_opts_fault = {"fault", fault_rows, N(fault_rows), true};
