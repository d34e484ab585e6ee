// SPDX-License-Identifier: BSD-3-Clause
// Option tables of hosts: replay, receive buffer, notification point, firmware, gateway.
#include "rows.h"

static const char *const np_names[] = {"window", "next_marked", "per_packet", "off", NULL};
static const char *const np_key_names[] = {"qp", "ip_pair", "dst_ip", "port", NULL};
static const char *const scope_names[] = {"qp", "priority", NULL};
static const char *const host_trust_names[] = {"auto", "dscp", "pcp", NULL};
static const char *const turn_names[] = {"last", "next", NULL};
static const char *const responder_names[] = {"sink", "echo", NULL};
static const char *const cut_names[] = {"leave_out", "pad", NULL};
static const char *const rewrite_names[] = {
	"mac", "src_mac", "dst_mac", "ip", "src_ip", "dst_ip", "vlan", "dscp", "dst_qpn", NULL};
const char *const scene_honour_names[] = {"auto", "true", "false", NULL};

static const struct opt np_rows[] = {
	{ROW(spec_np, interval, "interval", OPT_TIME), .flags = OPT_F_LIVE, .max = 100 * MS,
		.def = "50us",
		.help = "at most one CNP for each key in this time; 0: one for every CE frame"},
	{ROW(spec_np, mode, "mode", OPT_ENUM), .flags = OPT_F_LIVE, .names = np_names,
		.def = "window",
		.help = "window: one at the end of each interval with CE; next_marked: with the "
			"first CE after it; off: none"},
	{ROW(spec_np, key, "key", OPT_ENUM), .names = np_key_names, .def = "qp",
		.help = "who has a CNP interval of its own: each queue pair, IP pair, destination "
			"of CNPs, or the port"},
	{ROW(spec_np, cnps_per_s, "cnps_per_s", OPT_UINT), .min = 1, .max = 1000000000,
		.def = "none", .flags = OPT_F_LIVE | OPT_F_NONE,
		.help = "most CNPs of the host in a second, evenly spaced; those beyond are lost"},
	{ROW(spec_np, with_nak, "with_nak", OPT_BOOL), .flags = OPT_F_LIVE, .def = "false",
		.help = "a NAK for a gap in the sequence counts as a CE frame"},
};
static const struct opt_table np_table = {"np", np_rows, N(np_rows), false};

static const struct opt rx_buffer_rows[] = {
	{ROW(spec_rx_buffer, drain_rate, "drain_rate", OPT_RATE_SHARE), .min = 100000,
		.max = 800 * GBPS, .def = "100%",
		.help = "rate at which the host empties it; % of its link"},
	{ROW(spec_rx_buffer, size, "size", OPT_SIZE), .min = 1000, .max = GIB, .def = "1MB",
		.help = "bytes; what finds no room is dropped"},
	{ROW(spec_rx_buffer, xoff, "xoff", OPT_SIZE), .max = GIB, .def = "none",
		.flags = OPT_F_NONE, .example = "500KB",
		.help = "at or above, the host sends XOFF for its lossless classes"},
	{ROW(spec_rx_buffer, xon, "xon", OPT_SIZE), .max = GIB, .def = "none", .flags = OPT_F_NONE,
		.example = "400KB", .help = "at or below, XON; none: XOFF - 3KB"},
};
static const struct opt_table rx_buffer_table = {
	"rx_buffer", rx_buffer_rows, N(rx_buffer_rows), false};

static const struct opt rewrite_rows[] = {
	{ROW(spec_rewrite, field, "field", OPT_ENUM), .names = rewrite_names,
		.flags = OPT_F_REQUIRED, .example = "dst_ip",
		.help = "the field to change; mac and ip: at either end"},
	{ROW(spec_rewrite, from, "from", OPT_TEXT), .def = "any",
		.help = "which value of it: an address, a number, of vlan none (no tag); any: "
			"each"},
	{ROW(spec_rewrite, to, "to", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "10.0.0.9",
		.help = "the value in its place; vlan none takes the tag away"},
};
const struct opt_table scene_opts_rewrite = {"rewrite", rewrite_rows, N(rewrite_rows), false};

static const char *const side_names[] = {"client", "server", NULL};

static const struct opt replay_rows[] = {
	{ROW(spec_replay, file, "file", OPT_TEXT), .flags = OPT_F_REQUIRED | OPT_F_LOCAL,
		.example = "capture.pcap",
		.help = "pcap or pcapng, packed by gzip or Zstandard or not, a path from the "
			"scenario's folder; none: a sink that counts what comes"},
	{ROW(spec_replay, merge, "merge", OPT_WORDS), .flags = OPT_F_LOCAL,
		.example = "[second.pcap]",
		.help = "more captures, which are merged with file by the recorded instants of "
			"their frames"},
	{ROW(spec_replay, split, "split", OPT_TEXT), .def = "none",
		.help = "whose frames are sent, by tcpprep's words: auto, mac, mac ADDRESS,... "
			"(the servers), subnet NET,... (the servers), port, client-server; none: "
			"those of all"},
	{ROW(spec_replay, side, "side", OPT_ENUM), .names = side_names, .def = "client",
		.help = "the side of a split that the host sends"},
	{ROW(spec_replay, other_side_of, "other_side_of", OPT_TEXT), .example = "h1",
		.help = "another host: this one sends the other side of the capture that it "
			"replays, and switches find the other side's addresses here; file is none "
			"then"},
	{ROW(spec_replay, speed, "speed", OPT_TEXT), .def = "1x",
		.help = "2x: twice as fast as recorded; 1Mpps: this number of frames per second; "
			"10Gbps: this bit rate on the wire; top: as fast as the port takes them"},
	{ROW(spec_replay, loops, "loops", OPT_UINT), .min = 1, .max = 4294967295, .def = "1",
		.help = "how often it is sent"},
	{ROW(spec_replay, start, "start", OPT_TIME), .max = 1000000 * S, .def = "0us",
		.help = "instant of its first frame"},
	{ROW(spec_replay, gap, "gap", OPT_TIME), .max = 1000000 * S, .def = "1us",
		.help = "from the last frame to the first of the next round, where speed is a "
			"multiple of the recorded one"},
	{ROW(spec_replay, cut, "cut", OPT_ENUM), .names = cut_names, .def = "leave_out",
		.help = "frames that the capture has cut short are left out, or filled up with "
			"zeros"},
	{ROW(spec_replay, cls, "class", OPT_UINT), .max = 7, .def = "0",
		.help = "egress class in which they leave where the host takes part in flows, too"},
	{ROW(spec_replay, rewrite, "rewrite", OPT_LIST), .sub = &scene_opts_rewrite,
		.help = "fields with other values; of several for one field the first that fits "
			"counts"},
};
static const struct opt_table replay_table = {"replay", replay_rows, N(replay_rows), false};

static const struct opt firmware_rows[] = {
	{ROW(spec_firmware, file, "file", OPT_TEXT), .flags = OPT_F_REQUIRED | OPT_F_LOCAL,
		.example = "aimd.so",
		.help = "shared object (quench/fw.h), a path from the scenario's folder"},
	{ROW(spec_firmware, args, "args", OPT_TEXT), .example = "scheme=2",
		.help = "text that it gets at its start"},
};
static const struct opt_table firmware_table = {"firmware", firmware_rows, N(firmware_rows), false};

static const struct opt gateway_rows[] = {
	{ROW(spec_gateway, ip, "ip", OPT_IP), .flags = OPT_F_REQUIRED, .example = "10.0.0.254",
		.help = "address of the router, in the host's own network; of IPv6 also a "
			"link-local one"},
	{ROW(spec_gateway, prefix, "prefix", OPT_UINT), .min = 1, .max = 127, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "length of the prefix of that network; auto: 24, for IPv6 64"},
};
static const struct opt_table gateway_table = {"gateway", gateway_rows, N(gateway_rows), false};

static const struct opt host_rows[] = {
	{ROW(spec_host, mac, "mac", OPT_MAC), .flags = OPT_F_ASIDE | OPT_F_AUTO,
		.example = "02:00:00:00:00:01",
		.help = "auto: 02:00:00:00:xx:xx, numbered in the order of the file; for an "
			"external host the address by which it answers ARP or neighbour discovery"},
	{ROW(spec_host, ip, "ip", OPT_IP), .flags = OPT_F_ASIDE, .example = "10.0.0.1",
		.help = "IPv4 or IPv6; default: 10.0.x.y"},
	{ROW(spec_host, gateway, "gateway", OPT_MAP), .sub = &gateway_table,
		.flags = OPT_F_ASIDE | OPT_F_OPTIONAL,
		.help = "real clock: the router that gets its frames to other networks, at the "
			"hardware address by which it answers ARP or neighbour discovery; virtual "
			"clock: they go there directly"},
	{ROW(spec_host, np, "np", OPT_MAP), .sub = &np_table, .help = "the notification point"},
	{ROW(spec_host, cnp_class, "cnp_class", OPT_UINT), .max = 7, .def = "6",
		.help = "class of its CNPs, and of its ACKs unless the flow says otherwise"},
	{ROW(spec_host, cnp_dscp, "cnp_dscp", OPT_UINT), .max = 63, .def = "auto",
		.flags = OPT_F_AUTO, .help = "DSCP of its CNPs; auto: 8 times cnp_class"},
	{ROW(spec_host, rx_buffer, "rx_buffer", OPT_MAP), .sub = &rx_buffer_table,
		.flags = OPT_F_OPTIONAL,
		.help = "a receiver that may be slow; the default takes all at once"},
	{ROW(spec_host, weights, "weights", OPT_SLOTS), .flags = OPT_F_LIVE, .count = PKT_CLASSES,
		.min = 1, .max = 1000, .example = "{0: 1, 3: 4}",
		.help = "DWRR weight of its egress queues; default: 1 each"},
	{ROW(spec_host, strict, "strict", OPT_BITS), .flags = OPT_F_NONE, .example = "[6]",
		.help = "egress queues served first; default: [6]"},
	{ROW(spec_host, queue_map, "queue_map", OPT_SLOTS), .count = PKT_CLASSES, .max = 7,
		.example = "{4: 3}",
		.help = "class to egress queue (mlnx_qos: prio_tc); PFC of a class stops the queue "
			"that carries it; default: the same number"},
	{ROW(spec_host, trust, "trust", OPT_ENUM), .names = host_trust_names, .def = "auto",
		.help = "which field gives the class of a frame that the rx_buffer takes, and so "
			"the class of its XOFF; the other where that one is missing; auto: dscp "
			"with a dscp_map, pcp with a pcp_map alone, and else the sender's class, "
			"of bytes the PCP or DSCP / 8"},
	{ROW(spec_host, dscp_map, "dscp_map", OPT_SLOTS), .count = 64, .max = 7,
		.example = "{26: 4}",
		.help = "DSCP of received frames to class (mlnx_qos: dscp2prio); default: DSCP / "
			"8"},
	{ROW(spec_host, pcp_map, "pcp_map", OPT_SLOTS), .count = 8, .max = 7, .example = "{3: 4}",
		.help = "PCP of received frames to class; default: the same number"},
	{ROW(spec_host, max_rate, "max_rate", OPT_RATE_SHARE), .min = 100000, .max = 800 * GBPS,
		.def = "none", .flags = OPT_F_LIVE | OPT_F_NONE, .example = "40Gbps",
		.help = "shaper of its port, for all that it sends but PFC and PAUSE; % of its "
			"link"},
	{ROW(spec_host, pfc_response, "pfc_response", OPT_UINT), .max = 65535, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "quanta (512 bit times) that it goes on for after PFC has come; auto: all "
			"that 802.3 31B.3.7 allows at its speed, none in framing hpcc_sim; the "
			"real clock's loop comes on top"},
	{ROW(spec_host, pfc_honour, "pfc_honour", OPT_BOOL), .def = "true",
		.help = "obey PFC; else it is only counted, as traffic generators do"},
	{ROW(spec_host, rp_scope, "rp_scope", OPT_ENUM), .names = scope_names, .def = "qp",
		.help = "whom a CNP slows: its queue pair, or all of the host's queue pairs in "
			"the class"},
	{ROW(spec_host, pause_honour, "pause_honour", OPT_ENUM), .names = scene_honour_names,
		.def = "auto",
		.help = "802.3x PAUSE stops every class, else it is only counted; auto: it does "
			"where the switch in front has flow_control: pause"},
	{ROW(spec_host, check_icrc, "check_icrc", OPT_BOOL), .def = "true",
		.help = "drop RoCEv2 frames that came as bytes (real port, replay) with a wrong "
			"ICRC"},
	{ROW(spec_host, peer_check, "peer_check", OPT_BOOL), .def = "true",
		.help = "drop RoCEv2 frames that came as bytes (real port, replay) for a queue "
			"pair and have other IP addresses or another P_Key than its peer's; no: "
			"they are only counted, for switches that send CNPs under their own "
			"address, rewritten captures and peers with several addresses"},
	{ROW(spec_host, check_payload, "check_payload", OPT_BOOL), .def = "false",
		.help = "count data frames that came by a real port with another payload than "
			"their flow's"},
	{ROW(spec_host, catch_up, "catch_up", OPT_TIME), .max = S, .def = "auto",
		.flags = OPT_F_LIVE | OPT_F_AUTO,
		.help = "most that its limiters make up for after waiting for the wire; auto: 4 "
			"gaps, 20us at least"},
	{ROW(spec_host, new_pairs, "new_pairs", OPT_ENUM), .names = turn_names, .def = "last",
		.help = "the turn of a queue pair that begins to send: last, behind those of its "
			"class that wait for the wire, or next, before them"},
	{ROW(spec_host, live_pairs, "live_pairs", OPT_UINT), .min = 1, .max = 16777215,
		.def = "none", .flags = OPT_F_NONE,
		.help = "virtual time: most queue pairs by which it sends at a time; while as many "
			"have messages outstanding, a message of another one waits; none: no "
			"limit"},
	{ROW(spec_host, qpn_base, "qpn_base", OPT_UINT), .min = 1, .max = 0xfffffd, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "its queue pairs have the QPNs above it, in the order of the file; auto: "
			"as qp_numbers says, and 16 where a flow names its peer by `qpn`"},
	{ROW(spec_host, first_psn, "first_psn", OPT_UINT), .max = 0xffffff, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "PSN of the first packet of each queue pair by which it sends data; auto: "
			"as qp_numbers says; the psn of a peer goes before it"},
	{ROW(spec_host, latency, "latency", OPT_TIME), .max = S, .def = "0us",
		.help = "added to every frame that leaves"},
	{ROW(spec_host, external, "external", OPT_BOOL), .def = "false",
		.help = "real clock: it is not quench's, but another machine or stack behind a "
			"device: its flows want `peer`"},
	{ROW(spec_host, streams, "streams", OPT_UINT), .max = 1024, .def = "0",
		.help = "real clock: streams from outside the scenario that it takes and tells "
			"apart, IP packets to it by sender, protocol and ports; 0: they are "
			"dropped"},
	{ROW(spec_host, responder, "responder", OPT_ENUM), .names = responder_names, .def = "sink",
		.help = "what becomes of open-loop frames for it; sink: they are counted; echo: "
			"then they go back to their sender, which times the round trip, and so do "
			"other datagrams to its address (real port, replay); an external host "
			"does so by its own means"},
	{ROW(spec_host, lcore, "lcore", OPT_UINT), .max = 1023, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_LOCAL, .help = "real clock: the lcore that runs it"},
	{ROW(spec_host, lcores, "lcores", OPT_UINT), .flags = OPT_F_LOCAL, .min = 1, .max = 32,
		.def = "1",
		.help = "real clock: lcores that share its queue pairs and the wire, from `lcore` "
			"on; the port has a device then"},
	{ROW(spec_host, replay, "replay", OPT_MAP), .sub = &replay_table,
		.flags = OPT_F_ASIDE | OPT_F_OPTIONAL, .help = "the host sends a capture"},
	{ROW(spec_host, firmware, "firmware", OPT_MAP), .sub = &firmware_table,
		.flags = OPT_F_ASIDE | OPT_F_OPTIONAL,
		.help = "on the NIC's own processor, where a control has profile rdma_ip"},
};
const struct opt_table scene_opts_host = {"host", host_rows, N(host_rows), true};
