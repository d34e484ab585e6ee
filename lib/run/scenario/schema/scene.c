// SPDX-License-Identifier: BSD-3-Clause
// The option tables of a scenario: every key there is, with its unit, range, default and meaning.
#include "profile.h"
#include "rows.h"

static const char *const np_names[] = {"window", "next_marked", "per_packet", "off", NULL};
static const char *const np_key_names[] = {"qp", "ip_pair", "dst_ip", "port", NULL};
static const char *const scope_names[] = {"qp", "priority", NULL};
static const char *const host_trust_names[] = {"auto", "dscp", "pcp", NULL};
static const char *const turn_names[] = {"last", "next", NULL};
static const char *const responder_names[] = {"sink", "echo", NULL};
static const char *const cn_names[] = {"interior_ready", "interior", "edge", "disabled", NULL};
static const char *const resolution_names[] = {"ns", "ps", NULL};
static const char *const selftest_names[] = {"none", "loop", "peer", NULL};
static const char *const pairs_names[] = {"all", "same_index", NULL};
static const char *const to_names[] = {"all", "same_index", "ring", "permutation", "random",
	"all_to_all", "incast()", "rack", NULL};
static const char *const arrivals_names[] = {"poisson", "every", "on_off", "closed()", NULL};
static const char *const size_names[] = {"imix", NULL};
static const char *const qps_names[] = {"per_message", NULL};
static const char *const verb_names[] = {"write", "send", "write_imm", "send_imm", "read", NULL};
static const char *const ecn_names[] = {"auto", "not_ect", "ect1", "ect0", "ce", NULL};
// In the order of the codepoints' values.
static const char *const codepoint_names[] = {"not_ect", "ect1", "ect0", "ce", NULL};
static const char *const mac_names[] = {"pfc", "pause", "pfc_wrong_da", NULL};
const char *const scene_honour_names[] = {"auto", "true", "false", NULL};
static const char *const number_names[] = {"ordinal", NULL};
static const char *const framing_names[] = {"ethernet", "hpcc_sim", NULL};
static const char *const format_names[] = {"csv", "binary", NULL};
static const char *const compress_names[] = {"zstd", "none", NULL};
static const char *const poll_names[] = {"busy", "yield", NULL};
static const char *const link_loss_names[] = {"go_on", "fail", NULL};
static const char *const cut_names[] = {"leave_out", "pad", NULL};
static const char *const rewrite_names[] = {
	"mac", "src_mac", "dst_mac", "ip", "src_ip", "dst_ip", "vlan", "dscp", "dst_qpn", NULL};
static const char *const host_names[] = {"host", NULL};

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

static const struct opt link_rows[] = {
	{ROW(spec_link, between, "between", OPT_NODE), .flags = OPT_F_REQUIRED,
		.example = "[h1..2, s1]",
		.help = "its two ends; ranges and lists pair all with all"},
	{ROW(spec_link, pairs, "pairs", OPT_ENUM), .names = pairs_names, .def = "all",
		.help = "same_index: first with first, second with second"},
	{ROW(spec_link, rate, "rate", OPT_RATE), .min = 10000000, .max = 800 * GBPS,
		.def = "100Gbps", .help = "of each direction"},
	{ROW(spec_link, delay, "delay", OPT_TIME), .max = S, .def = "1us",
		.help = "propagation, one way"},
	{ROW(spec_link, mtu, "mtu", OPT_UINT), .min = 60, .max = PKT_MAX_LEN, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "longest frame without FCS; auto: 1514, or the scenario's longest if that "
			"is more, and on the real clock 8 bytes for two VLAN tags where a port "
			"of the scenario has a device"},
};
const struct opt_table scene_opts_link = {"link", link_rows, N(link_rows), true};

static const struct opt port_rows[] = {
	{ROW(spec_port, device, "device", OPT_TEXT), .flags = OPT_F_ASIDE | OPT_F_LOCAL,
		.example = "0000:3b:00.0",
		.help = "real clock: the DPDK device (PCI address, vdev or name) that this end is"},
	{ROW(spec_port, mac, "mac", OPT_MAC), .example = "02:01:00:00:00:01",
		.help = "of the port; at a host the same as its own"},
	{ROW(spec_port, ip, "ip", OPT_IP), .flags = OPT_F_ASIDE, .example = "10.0.0.9",
		.help = "at a host the same as its own"},
	{ROW(spec_port, mtu, "mtu", OPT_UINT), .min = 60, .max = PKT_MAX_LEN, .def = "auto",
		.flags = OPT_F_AUTO, .help = "longest frame without FCS; auto: as its link"},
	{ROW(spec_port, lcore, "lcore", OPT_UINT), .max = 1023, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_LOCAL, .help = "real clock: the lcore that polls it"},
	{ROW(spec_port, rx_queues, "rx_queues", OPT_UINT), .flags = OPT_F_LOCAL, .min = 1,
		.max = SW_SHARDS, .def = "1",
		.help = "real clock, switch: receive queues of its device, each read by another of "
			"the switch's lcores (docs/algo/shards.md)"},
	{ROW(spec_port, selftest, "selftest", OPT_ENUM), .flags = OPT_F_LOCAL,
		.names = selftest_names, .def = "none",
		.help = "real clock: before the run the device sends PFC frames and others; loop: "
			"they come back to it; peer: they come to another device port with peer"},
	{ROW(spec_port, capture, "capture", OPT_BOOL), .flags = OPT_F_LOCAL, .def = "false",
		.help = "write its frames, both directions, to capture.pcapng"},
	{ROW(spec_port, resolution, "resolution", OPT_ENUM), .flags = OPT_F_LOCAL,
		.names = resolution_names, .def = "ns",
		.help = "of the timestamps of its capture; tshark 4.0 shows wrong times of ps"},
	{ROW(spec_port, max_rate, "max_rate", OPT_RATE_SHARE), .min = 100000, .max = 800 * GBPS,
		.def = "none", .flags = OPT_F_LIVE | OPT_F_NONE,
		.help = "shaper of this port, all queues together; % of its link; at a host the "
			"same as its own"},
	{ROW(spec_port, wd, "pfc_watchdog", OPT_MAP), .sub = &scene_opts_wd,
		.flags = OPT_F_OPTIONAL, .help = "switch: the PFC watchdog of this port"},
	{ROW(spec_port, cn_mode, "cn_mode", OPT_ENUM), .names = cn_names, .def = "interior_ready",
		.help = "switch, classes with qcn: interior strips CN-TAGs, edge does too and "
			"takes what arrives for alternate_class, disabled has no congestion point"},
	{ROW(spec_port, pfc_asym, "pfc_asym", OPT_BOOL), .def = "false",
		.help = "switch: asymmetric PFC: received PFC stops lossy classes too, PFC is sent "
			"for lossless ones only"},
	{ROW(spec_port, trust, "trust", OPT_ENUM), .names = scene_trust_names, .example = "dscp",
		.help = "switch: as its trust, of frames that come in here; default: the switch's"},
	{ROW(spec_port, dscp_map, "dscp_map", OPT_SLOTS), .count = 64, .max = 7,
		.example = "{26: 3, 48: 6}",
		.help = "switch: DSCP to class, of frames that come in here; slots that are not "
			"given have the switch's class"},
	{ROW(spec_port, pcp_map, "pcp_map", OPT_SLOTS), .count = 8, .max = 7, .example = "{3: 3}",
		.help = "switch: PCP to class, of frames that come in here, likewise"},
	{ROW(spec_port, queue_map, "queue_map", OPT_SLOTS), .count = 8, .max = 7,
		.example = "{4: 4}",
		.help = "switch: class to egress queue, of frames that leave here, likewise"},
	{ROW(spec_port, pg_map, "pg_map", OPT_SLOTS), .count = 8, .max = 7, .example = "{4: 4}",
		.help = "switch: class to priority group, of frames that come in here, likewise"},
	{ROW(spec_port, default_class, "default_class", OPT_UINT), .max = 7, .example = "0",
		.help = "switch: class of frames with neither DSCP nor PCP that come in here; "
			"default: the switch's"},
	{ROW(spec_port, cls, "classes", OPT_KEYED), .count = PKT_CLASSES,
		.sub = &scene_opts_port_class, .example = "3",
		.help = "switch: values of classes that differ here: marker, weight and limits of "
			"this port's egress queues, PFC and thresholds of its ingress groups"},
};
const struct opt_table scene_opts_port = {"port", port_rows, N(port_rows), true};

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

static const struct opt open_loop_rows[] = {
	{ROW(spec_open_loop, size, "size", OPT_RANGE), .flags = OPT_F_LIVE, .min = 64,
		.max = PKT_MAX_LEN + 4, .def = "1024", .example = "64..1518", .names = size_names,
		.help = "bytes of a frame with FCS; a range is uniform; imix: of 12 frames 7 have "
			"64 bytes, 4 have 594, and 1 has 1518"},
	{ROW(spec_open_loop, rate, "rate", OPT_RATE_PPS), .flags = OPT_F_LIVE, .min = 100000,
		.max = 800 * GBPS, .def = "10%",
		.help = "on the wire, with preamble and gap; % of the sender's link; 2Mpps: this "
			"number of frames per second"},
	{ROW(spec_open_loop, burst, "burst", OPT_UINT), .flags = OPT_F_LIVE, .min = 1, .max = 65535,
		.def = "1", .help = "frames back to back; the mean rate holds"},
	{ROW(spec_open_loop, count, "count", OPT_UINT), .min = 1, .max = INT64_MAX, .def = "none",
		.flags = OPT_F_NONE, .help = "frames in all"},
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
		.flags = OPT_F_LIVE | OPT_F_NONE | OPT_F_ROCE, .help = "retransmission timeout"},
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

static const struct opt storm_rows[] = {
	{ROW(spec_storm, port, "port", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "h2:s1",
		.help = "port that sends the PFC frames"},
	{ROW(spec_storm, cls, "class", OPT_UINT), .max = 7, .def = "3",
		.help = "priority that they pause"},
	{ROW(spec_storm, quanta, "quanta", OPT_UINT), .min = 1, .max = 65535, .def = "65535",
		.help = "pause time"},
	{ROW(spec_storm, span, "for", OPT_TIME), .min = 1, .max = 1000 * S, .flags = OPT_F_REQUIRED,
		.example = "2ms", .help = "how long the storm lasts"},
	{ROW(spec_storm, every, "every", OPT_TIME), .min = 1, .max = 1000 * S, .def = "none",
		.flags = OPT_F_NONE, .help = "from one storm's begin to the next one's"},
	{ROW(spec_storm, count, "count", OPT_UINT), .min = 1, .max = 10000, .def = "1",
		.help = "storms in all"},
};
static const struct opt_table storm_table = {"pfc_storm", storm_rows, N(storm_rows), false};

static const struct opt weight_rows[] = {
	{ROW(spec_weight, port, "port", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "s1:h2",
		.help = "of a switch; or a switch, at all its ports"},
	{ROW(spec_weight, queue, "queue", OPT_UINT), .max = 7, .def = "3",
		.help = "egress queue: the class's, where no queue_map says otherwise"},
	{ROW(spec_weight, weight, "weight", OPT_UINT), .min = 1, .max = 1000,
		.flags = OPT_F_REQUIRED, .example = "4", .help = "from then on"},
};
static const struct opt_table weight_table = {"dwrr_weight", weight_rows, N(weight_rows), false};

static const struct opt mac_frames_rows[] = {
	{ROW(spec_mac_frames, port, "port", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "h2:s1",
		.help = "host's port that sends them, whatever it does besides"},
	{ROW(spec_mac_frames, frame, "frame", OPT_ENUM), .names = mac_names, .def = "pfc",
		.help = "802.1Qbb, 802.3x, or 802.1Qbb to a unicast address"},
	{ROW(spec_mac_frames, classes, "classes", OPT_BITS), .flags = OPT_F_NONE, .def = "3",
		.example = "[3]", .help = "class-enable vector; every class has the time"},
	{ROW(spec_mac_frames, quanta, "quanta", OPT_UINT), .max = 65535, .def = "65535",
		.help = "pause time; 0 resumes"},
	{ROW(spec_mac_frames, zero_source, "zero_source", OPT_BOOL), .def = "false",
		.help = "source address 00:00:00:00:00:00 instead of the port's"},
	{ROW(spec_mac_frames, every, "every", OPT_TIME), .min = 1000, .max = 1000 * S,
		.def = "auto", .flags = OPT_F_AUTO,
		.help = "period; auto: half the pause time at the link's rate"},
	{ROW(spec_mac_frames, count, "count", OPT_UINT), .min = 1, .max = INT64_MAX, .def = "1",
		.help = "frames in all"},
};
static const struct opt_table mac_frames_table = {
	"mac_frames", mac_frames_rows, N(mac_frames_rows), false};

static const struct opt reg_rows[] = {
	{ROW(spec_reg, node, "node", OPT_NODE), .flags = OPT_F_REQUIRED, .example = "h1",
		.help = "senders whose control has profile rdma_ip"},
	{ROW(spec_reg, qp, "qp", OPT_UINT), .min = 1, .max = RDMA_IP_REG_QPS, .def = "none",
		.flags = OPT_F_NONE,
		.help = "number of the register's queue pair; none: each that sends"},
	{ROW(spec_reg, name, "name", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "dcqcn_rate_ai",
		.help = "register or field, or its address: docs/registers.md"},
	{ROW(spec_reg, value, "value", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "16",
		.help = "a whole number, as in 512 or 0x200"},
};
static const struct opt_table reg_table = {"reg", reg_rows, N(reg_rows), false};

static const char *const then_names[] = {"stop", "go_on", NULL};
static const struct opt quiesce_rows[] = {
	{ROW(spec_quiesce, then, "then", OPT_ENUM), .names = then_names, .def = "stop",
		.help = "when all have ended: the run stops, or senders go on"},
	{ROW(spec_quiesce, within, "within", OPT_TIME), .min = 1, .max = 100000 * S, .def = "5s",
		.help = "it waits no longer; real clock: by the wall"},
};
static const struct opt_table quiesce_table = {"quiesce", quiesce_rows, N(quiesce_rows), false};

static const struct opt_table stop_table = {.name = "stop"};

static const struct opt event_rows[] = {
	{ROW(spec_event, at, "at", OPT_TIME), .max = 1000000 * S, .flags = OPT_F_REQUIRED,
		.example = "5ms", .help = "when"},
	{ROW(spec_event, link_down, "link_down", OPT_TEXT), .flags = OPT_F_ASIDE,
		.example = "s1:h2", .help = "both ends of this port's link lose it"},
	{ROW(spec_event, link_up, "link_up", OPT_TEXT), .flags = OPT_F_ASIDE, .example = "s1:h2",
		.help = "it comes back"},
	{ROW(spec_event, flow_start, "flow_start", OPT_TEXT), .flags = OPT_F_ASIDE,
		.example = "incast", .help = "every queue pair of this flow begins"},
	{ROW(spec_event, flow_stop, "flow_stop", OPT_TEXT), .flags = OPT_F_ASIDE,
		.example = "incast", .help = "no more messages of this flow are posted"},
	{ROW(spec_event, quiesce, "quiesce", OPT_MAP), .sub = &quiesce_table,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "senders begin nothing new; what they have begun ends"},
	{ROW(spec_event, pause, "pause", OPT_TEXT), .flags = OPT_F_ASIDE, .example = "incast",
		.help = "a flow, a group, what a host sends, or all: stands still with its "
			"messages"},
	{ROW(spec_event, resume, "resume", OPT_TEXT), .flags = OPT_F_ASIDE, .example = "incast",
		.help = "it goes on where it was"},
	{ROW(spec_event, mark, "mark", OPT_TEXT), .flags = OPT_F_ASIDE,
		.example = "\"Kmin is 400KB\"", .help = "events.csv has a line with this text"},
	{ROW(spec_event, stop, "stop", OPT_MAP), .sub = &stop_table,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "the run ends here, as at the end of its duration"},
	{ROW(spec_event, fdb_flush, "fdb_flush", OPT_TEXT), .flags = OPT_F_ASIDE, .example = "s1",
		.help = "a switch, or one port of it, forgets the addresses it learned"},
	{ROW(spec_event, pfcwd_start, "pfcwd_start", OPT_TEXT), .flags = OPT_F_ASIDE,
		.example = "s1:h2",
		.help = "a switch's pfc_watchdog, or one port's, begins to watch"},
	{ROW(spec_event, pfcwd_stop, "pfcwd_stop", OPT_TEXT), .flags = OPT_F_ASIDE,
		.example = "s1:h2", .help = "it stops; storms that it has found are over"},
	{ROW(spec_event, dwrr_weight, "dwrr_weight", OPT_MAP), .sub = &weight_table,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "an egress queue gets another share of its link"},
	{ROW(spec_event, pfc_storm, "pfc_storm", OPT_MAP), .sub = &storm_table,
		.flags = OPT_F_OPTIONAL, .help = "a port sends XOFF again and again"},
	{ROW(spec_event, mac_frames, "mac_frames", OPT_MAP), .sub = &mac_frames_table,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "a host sends MAC control frames made to order"},
	{ROW(spec_event, reg, "reg", OPT_MAP), .sub = &reg_table,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "a register of the RDMA IP is written"},
	{ROW(spec_event, set, "set", OPT_ANY), .flags = OPT_F_ASIDE,
		.example = "{switches.s1.classes.3.wred.max: 200KB}",
		.help = "values that may change while the scene runs, by their paths; all of them "
			"begin to hold at once"},
};
const struct opt_table scene_opts_event = {"event", event_rows, N(event_rows), true};

static const struct opt expect_rows[] = {
	{ROW(spec_expect, name, "name", OPT_TEXT), .example = "fair",
		.help = "of the criterion; default: the figure's path"},
	{ROW(spec_expect, figure, "figure", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "jain",
		.help = "its path, as docs/measuring.md has it: queue.s1:r.3.p99_bytes"},
	{ROW(spec_expect, min, "min", OPT_TEXT), .example = "0.97",
		.help = "the least, in the figure's unit, or with a unit where it has one"},
	{ROW(spec_expect, max, "max", OPT_TEXT), .example = "1", .help = "the most"},
	{ROW(spec_expect, equals, "equals", OPT_TEXT), .flags = OPT_F_ASIDE, .example = "0",
		.help = "just this, instead of both"},
};
const struct opt_table scene_opts_expect = {"criterion", expect_rows, N(expect_rows), true};

static const struct opt defaults_rows[] = {
	{ROW(spec_defaults, switches, "switches", OPT_SECTION), .sub = &scene_opts_switch,
		.help = "of every switch"},
	{ROW(spec_defaults, hosts, "hosts", OPT_SECTION), .sub = &scene_opts_host,
		.help = "of every host"},
	{ROW(spec_defaults, links, "links", OPT_SECTION), .sub = &scene_opts_link,
		.help = "of every link"},
	{ROW(spec_defaults, flows, "flows", OPT_SECTION), .sub = &scene_opts_flow,
		.help = "of every flow"},
};
static const struct opt_table defaults_table = {"defaults", defaults_rows, N(defaults_rows), false};

static const struct opt record_rows[] = {
	{ROW(spec_record, events, "events", OPT_WORDS), .example = "all",
		.help = "events that events.csv has: all, none, or a list of types, as in [mark, "
			"drop]; all leaves out rp_alpha and xoff_holder, which stand beside it as "
			"in [all, rp_alpha]; fct.txt needs msg_done, pfc.txt pause_rx and "
			"resume_rx; default: all"},
	{ROW(spec_record, rate, "rate", OPT_SECTION), .example = "{mark: 100000}",
		.help = "most lines of a type in each second of scene time; those beyond are "
			"counted in manifest.json; default: no limit"},
	{ROW(spec_record, series, "series", OPT_BOOL), .def = "true",
		.help = "whether timeseries.csv and qlen.txt are written"},
	{ROW(spec_record, flows, "flows", OPT_TEXT), .def = "auto",
		.help = "flows that have lines of their own: all, summary (none), top N (none in "
			"files of lines), one in N (by number); auto: all of up to 256 queue "
			"pairs, else summary"},
	{ROW(spec_record, limit, "limit", OPT_SIZE), .min = 1000, .max = 1000000000000000,
		.def = "1GB", .flags = OPT_F_NONE,
		.help = "bytes of all files that grow with the run; there recording stops, and "
			"the run goes on"},
	{ROW(spec_record, format, "format", OPT_ENUM), .names = format_names, .def = "csv",
		.help = "of events: events.csv or events.bin"},
	{ROW(spec_record, compress, "compress", OPT_ENUM), .names = compress_names, .def = "zstd",
		.help = "of format binary"},
};
const struct opt_table scene_opts_record = {"record", record_rows, N(record_rows), false};

static const struct opt scene_rows[] = {
	{ROW(spec_scene, name, "name", OPT_TEXT), .flags = OPT_F_LOCAL, .example = "reference",
		.help = "default: the file's name"},
	{ROW(spec_scene, duration, "duration", OPT_TIME), .min = US, .max = 100000 * S,
		.flags = OPT_F_REQUIRED, .example = "20ms", .help = "of the run, in scene time"},
	{ROW(spec_scene, warmup, "warmup", OPT_TIME), .max = 100000 * S, .def = "0us",
		.flags = OPT_F_AUTO,
		.help = "time at the start that the summary leaves out; auto: until the run has "
			"settled, by a first pass in virtual time"},
	{ROW(spec_scene, seed, "seed", OPT_UINT), .max = INT64_MAX, .def = "1",
		.help = "of every random decision"},
	{ROW(spec_scene, qp_numbers, "qp_numbers", OPT_UINT), .min = 1, .max = (1ll << 48) - 1,
		.names = number_names, .def = "auto", .flags = OPT_F_AUTO,
		.help = "qpn_base and first_psn of hosts that do not say them; ordinal: 16 and 0; "
			"a number: drawn from it; auto: on the real clock, where a port has a "
			"device, from a number that is drawn anew for each run, so that strangers "
			"cannot guess them, and else ordinal"},
	{ROW(spec_scene, sample, "sample", OPT_TIME), .min = 10 * US, .max = 1000 * S,
		.def = "100us", .flags = OPT_F_NONE | OPT_F_LOCAL,
		.help = "period of timeseries.csv"},
	{ROW(spec_scene, drain, "drain", OPT_TIME), .max = 100000 * S, .def = "0us",
		.help = "senders start nothing new during this last part of the run, so that "
			"posted messages complete and queues empty"},
	{ROW(spec_scene, wait_link, "wait_link", OPT_TIME), .flags = OPT_F_LOCAL, .max = 1000 * S,
		.def = "5s",
		.help = "real clock: how long to wait for the links of all devices, in wall time, "
			"before the run starts without them"},
	{ROW(spec_scene, on_link_loss, "on_link_loss", OPT_ENUM), .flags = OPT_F_LOCAL,
		.names = link_loss_names, .def = "go_on",
		.help = "real clock: if the link of a device goes down, or is not there after "
			"wait_link; fail: the run ends, and has not passed; go_on: expectations "
			"are not judged then"},
	{ROW(spec_scene, on_peer_silent, "on_peer_silent", OPT_ENUM), .flags = OPT_F_LOCAL,
		.names = link_loss_names, .def = "fail",
		.help = "of a part (--nodes): if a neighbour has been silent for 2 s of wall time; "
			"fail: the run ends, and has not passed"},
	{ROW(spec_scene, poll, "poll", OPT_ENUM), .flags = OPT_F_LOCAL, .names = poll_names,
		.def = "busy",
		.help = "real clock: what an idle loop does; busy: it polls again at once; yield: "
			"it sleeps until something is due, 50us at most, so that others can use "
			"the processor"},
	{ROW(spec_scene, record, "record", OPT_MAP), .sub = &scene_opts_record,
		.help = "which events, samples and flows the run folder has; figures are the same "
			"in any case"},
	{ROW(spec_scene, framing, "framing", OPT_ENUM), .names = framing_names, .def = "ethernet",
		.help = "hpcc_sim: the public HPCC simulator's frames (1048 bytes, ACK for each) "
			"and gaps; virtual clock only"},
	{ROW(spec_scene, defaults, "defaults", OPT_MAP), .sub = &defaults_table,
		.help = "what every switch, host, link and flow has unless it says otherwise"},
	{ROW(spec_scene, topology, "topology", OPT_MAP), .sub = &scene_opts_topology,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "one shape that is made first: its switches, hosts and links come before "
			"those below"},
	{ROW(spec_scene, controls, "controls", OPT_SECTION), .sub = &scene_opts_control,
		.variants = schema_variants, .example = "dcqcn",
		.help = "reaction points (DCQCN), by name"},
	{ROW(spec_scene, switches, "switches", OPT_SECTION), .sub = &scene_opts_switch,
		.example = "s1", .help = "by name; s1..4 is a range"},
	{ROW(spec_scene, hosts, "hosts", OPT_SECTION), .sub = &scene_opts_host, .example = "h1..2",
		.flags = OPT_F_REQUIRED, .help = "by name; h1..8 is a range"},
	{ROW(spec_scene, links, "links", OPT_LIST), .sub = &scene_opts_link,
		.flags = OPT_F_REQUIRED,
		.help = "a host has one, a switch as many as it has ports"},
	{ROW(spec_scene, ports, "ports", OPT_SECTION), .sub = &scene_opts_port, .example = "s1:h2",
		.help = "settings of one end of a link; a second link to the same peer is s1:h2.2; "
			"s1:h1..8 is the ports to a range of peers"},
	{ROW(spec_scene, flows, "flows", OPT_SECTION), .sub = &scene_opts_flow, .example = "incast",
		.help = "who sends what to whom, by name"},
	{ROW(spec_scene, flows_from, "flows_from", OPT_TEXT), .flags = OPT_F_ASIDE | OPT_F_LOCAL,
		.example = "flow.txt",
		.help = "a flow list of the HPCC simulator, or CSV with source, destination, bytes "
			"and start; a path from the scenario's folder: each line is a flow f0, f1 "
			"..., which has all else from defaults.flows (docs/scenario.md)"},
	{ROW(spec_scene, flow_nodes, "flow_nodes", OPT_NODE), .flags = OPT_F_ASIDE | OPT_F_LOCAL,
		.example = "[s1, h1..4]",
		.help = "the nodes that the numbers in flows_from mean, from 0; default: the "
			"hosts, in their order"},
	{ROW(spec_scene, events, "events", OPT_LIST), .sub = &scene_opts_event,
		.help = "what happens in between; each line has one action"},
	{ROW(spec_scene, expect, "expect", OPT_LIST), .sub = &scene_opts_expect,
		.help = "figures that decide whether the run has passed"},
};
const struct opt_table scene_opts_scene = {"scenario", scene_rows, N(scene_rows), true};
