// SPDX-License-Identifier: BSD-3-Clause
// Option tables of links, ports, events, criteria and the record, and of the scenario, which has
// them all: every key with its unit, range, default and meaning.
#include "profile.h"
#include "rows.h"
#include "wire/pfc.h"

static const char *const cn_names[] = {"interior_ready", "interior", "edge", "disabled", NULL};
static const char *const resolution_names[] = {"ns", "ps", NULL};
static const char *const observe_names[] = {"auto", "true", "false", NULL};
static const char *const stamps_names[] = {"auto", "none", "device", NULL};
static const char *const selftest_names[] = {"none", "loop", "peer", NULL};
static const char *const pairs_names[] = {"all", "same_index", NULL};
static const char *const mac_names[] = {"pfc", "pause", "pfc_wrong_da", NULL};
static const char *const every_names[] = {"line", NULL};
static const char *const number_names[] = {"ordinal", NULL};
static const char *const framing_names[] = {"ethernet", "hpcc_sim", NULL};
static const char *const format_names[] = {"csv", "binary", NULL};
static const char *const compress_names[] = {"zstd", "none", NULL};
static const char *const poll_names[] = {"busy", "yield", NULL};
static const char *const link_loss_names[] = {"go_on", "fail", NULL};

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
	{ROW(spec_port, rx_stamps, "rx_stamps", OPT_ENUM), .flags = OPT_F_LOCAL,
		.names = stamps_names, .def = "auto",
		.help = "real clock: what dates received frames; device: its stamps, if it gives "
			"any; none: the loop that reads them; auto: device for a host, but not "
			"for a file (docs/real-time.md)"},
	{ROW(spec_port, selftest, "selftest", OPT_ENUM), .flags = OPT_F_LOCAL,
		.names = selftest_names, .def = "none",
		.help = "real clock: before the run the device sends PFC frames and others; loop: "
			"they come back to it; peer: they come to another device port with peer"},
	{ROW(spec_port, capture, "capture", OPT_BOOL), .flags = OPT_F_LOCAL, .def = "false",
		.help = "write its frames, both directions, to capture.pcapng"},
	{ROW(spec_port, resolution, "resolution", OPT_ENUM), .flags = OPT_F_LOCAL,
		.names = resolution_names, .def = "ns",
		.help = "of the timestamps of its capture; tshark 4.0 shows wrong times of ps"},
	{ROW(spec_port, observe, "observe", OPT_ENUM), .flags = OPT_F_LOCAL, .names = observe_names,
		.def = "auto",
		.help = "measure the nodes behind its link by the frames that pass; auto: real "
			"clock, each device whose peer is not quench's"},
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
	{ROW(spec_mac_frames, times, "times", OPT_SLOTS), .count = PKT_CLASSES, .max = 65535,
		.example = "{3: 1000, 4: 0}",
		.help = "pause time of each class, instead of quanta; classes without one have 0"},
	{ROW(spec_mac_frames, opcode, "opcode", OPT_UINT), .max = 65535, .def = "0",
		.help = "opcode of MAC control; 0: the opcode of frame. Peers know 0x0101 (PFC) "
			"and 0x0001 (PAUSE) only"},
	{ROW(spec_mac_frames, reserved, "reserved", OPT_UINT), .max = 255, .def = "0",
		.help = "high byte of the class-enable vector, which receivers ignore"},
	{ROW(spec_mac_frames, to, "to", OPT_MAC), .max = 1, .example = "01:80:c2:00:00:0e",
		.help = "destination address; default: the address of frame"},
	{ROW(spec_mac_frames, zero_source, "zero_source", OPT_BOOL), .def = "false",
		.help = "source address 00:00:00:00:00:00 instead of the port's"},
	{ROW(spec_mac_frames, length, "length", OPT_UINT), .min = 14 + PFC_LEN + PKT_FCS,
		.max = PKT_MAX_LEN + PKT_FCS, .def = "64",
		.help = "bytes of a frame with FCS; a MAC drops frames of fewer than 64"},
	{ROW(spec_mac_frames, every, "every", OPT_TIME), .min = 1000, .max = 1000 * S,
		.def = "auto", .names = every_names, .flags = OPT_F_AUTO,
		.help = "period; auto: half the pause time at the link's rate; line: one behind "
			"the other"},
	{ROW(spec_mac_frames, count, "count", OPT_UINT), .min = 1, .max = INT64_MAX, .def = "1",
		.help = "frames in all"},
};
static const struct opt_table mac_frames_table = {
	"mac_frames", mac_frames_rows, N(mac_frames_rows), false};

static const char *const pulse_names[] = {"pfc", "pause", NULL};

static const struct opt pulse_rows[] = {
	{ROW(spec_pulse, port, "port", OPT_TEXT), .flags = OPT_F_REQUIRED, .example = "h2:s1",
		.help = "host's port that sends it"},
	{ROW(spec_pulse, frame, "frame", OPT_ENUM), .names = pulse_names, .def = "pfc",
		.help = "802.1Qbb or 802.3x"},
	{ROW(spec_pulse, classes, "classes", OPT_BITS), .def = "3", .example = "[3]",
		.help = "classes that a PFC frame stops"},
	{ROW(spec_pulse, quanta, "quanta", OPT_UINT), .min = 1, .max = 65535, .def = "65535",
		.help = "pause time of the XOFF"},
	{ROW(spec_pulse, span, "for", OPT_TIME), .min = 1000, .max = 1000 * S,
		.flags = OPT_F_REQUIRED, .example = "20us", .help = "time from XOFF to XON"},
};
static const struct opt_table pulse_table = {"pulse", pulse_rows, N(pulse_rows), false};

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
	{ROW(spec_event, pulse, "pulse", OPT_MAP), .sub = &pulse_table,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "a host sends one XOFF, and XON after a time"},
	{ROW(spec_event, reg, "reg", OPT_MAP), .sub = &reg_table,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "a register of the RDMA IP is written"},
	{ROW(spec_event, set, "set", OPT_ANY), .flags = OPT_F_ASIDE,
		.example = "{switches.s1.classes.3.wred.max: 200KB}",
		.help = "values that may change while the scene runs, by their paths; all of them "
			"begin to hold at once"},
	{ROW(spec_event, fault, "fault", OPT_ANY), .sub = &scene_opts_fault, .flags = OPT_F_ASIDE,
		.example = "{flow: incast, psn: 100, do: drop}",
		.help = "a fault, as in `faults`, that hits frames from then on"},
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
	{ROW(spec_scene, jobs, "jobs", OPT_SECTION), .sub = &scene_opts_job, .example = "ring",
		.help = "collectives, patterns of training and recorded schedules, by name "
			"(docs/jobs.md)"},
	{ROW(spec_scene, events, "events", OPT_LIST), .sub = &scene_opts_event,
		.help = "what happens in between; each line has one action"},
	{ROW(spec_scene, faults, "faults", OPT_LIST), .sub = &scene_opts_fault,
		.help = "frames that are hit on their way into a port (docs/faults.md)"},
	{ROW(spec_scene, expect, "expect", OPT_LIST), .sub = &scene_opts_expect,
		.help = "figures that decide whether the run has passed"},
	{ROW(spec_scene, probe, "probe", OPT_MAP), .sub = &scene_opts_probe,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE | OPT_F_LOCAL,
		.help = "the ports and the limits of `quench probe`; "
			"`quench run` takes no notice of it (docs/probe.md)"},
};
const struct opt_table scene_opts_scene = {"scenario", scene_rows, N(scene_rows), true};
