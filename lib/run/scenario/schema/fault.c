// SPDX-License-Identifier: BSD-3-Clause
// Option tables of faults: the frames that a record names, and what is done to them.
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

static const struct opt action_rows[] = {
	{ROW(spec_action, delay, "delay", OPT_TIME), .min = 1, .max = S, .example = "10us",
		.help = "it goes on later by this time"},
	{ROW(spec_action, reorder, "reorder", OPT_MAP), .sub = &reorder_table,
		.flags = OPT_F_OPTIONAL, .help = "it goes on behind later ones"},
	{ROW(spec_action, duplicate, "duplicate", OPT_UINT), .min = 1, .max = 1000, .example = "1",
		.help = "copies that follow it at once"},
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
		.help = "drop, ecn (CE), delay, reorder, duplicate; with values as in {delay: "
			"10us}, {reorder: 3}"},
	{ROW(spec_fault, optional, "optional", OPT_BOOL), .example = "false",
		.help = "the run may pass although no frame was hit; default: true where chance "
			"decides, else false"},
};
const struct opt_table scene_opts_fault = {"fault", fault_rows, N(fault_rows), true};
