// SPDX-License-Identifier: BSD-3-Clause
// Room scene has the built description: a scenario file with every name resolved and every value
// compiled, as nodes, links and flows, and the questions that others ask of it. It needs the nodes'
// parameters.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "transport/rc.h"
#include "rp/rp.h"
#include "load/load.h"
#include "nic/nic.h"
#include "contract/contract.h"
#include "fault/fault.h"
#include "sw/sw.h"
#include "tester/tester.h"
#include "cap/cap.h"
#include "conf/conf.h"
#include "guest/guest.h"

// Whether a device sends frames before the run, to itself or to another device of the scene.
enum scene_selftest { SCENE_SELFTEST_NONE, SCENE_SELFTEST_LOOP, SCENE_SELFTEST_PEER };

// What dates the frames that a device receives.
enum scene_stamps {
	SCENE_STAMPS_AUTO, // its stamps, unless it reads a file
	SCENE_STAMPS_NONE, // the loop that reads them
	SCENE_STAMPS_DEVICE,
};

#define SCENE_LANES   32   // of a host at most
#define SCENE_RING    1024 // frames that the receive ring of a device keeps
#define SCENE_SHORT   512  // bytes of a frame that may be kept in less memory than the longest
#define SCENE_TX_RING 64   // and the one to send: few, so that the queue builds where it is marked

// On the real clock a serializer lets frames leave up to this time ahead of the wire.
#define SCENE_TX_AHEAD (20 * PS_PER_US)

enum scene_kind { SCENE_SW, SCENE_NIC, SCENE_REPLAY, SCENE_TESTER };

// One end of a link, or a port bound to a DPDK device.
struct scene_port {
	char name[64]; // "s1:h3": node:peer; a second link to the same peer: "s1:h3.2"
	uint8_t mac[6];
	rate_t rate;
	uint32_t mtu;        // longest frame without FCS
	uint8_t lanes;       // of its host that send by it; 0: one
	uint8_t rx_queues;   // of its device, read by as many shards of its switch; 0, 1: one
	uint8_t tags;        // bytes of mtu that auto adds for VLAN tags
	tstamp late_loop;    // of a switch: how late a loop headroom holds on the real clock
	uint64_t late_bytes; // bytes for that of each group with headroom: auto; else 0
	uint64_t held_bytes; // of these, what is for frames that devices have taken
	// Of a switch: the most bytes on the wire from a peer that stops in time, after XOFF was
	// due, if no loop is late and no device holds frames.
	uint64_t obeyed_bytes;
	int32_t peer_node; // -1: a device is the other side
	uint16_t peer_port;
	const struct scene_port *far; // where another process runs the peer: its port; else NULL
	tstamp delay;                 // one way
	char *device;                 // DPDK device argument or name; NULL: link in memory
	int lcore;                    // -1: the driver decides
	enum scene_stamps rx_stamps;
	enum scene_selftest selftest;
	bool capture;    // write its frames, both directions, to capture.pcapng
	bool capture_ps; // with timestamps in ps, not ns
	bool observe;    // measure the nodes behind its link
	// With observe: the interval by which CNPs of notification points there are judged. 0: it
	// is not known.
	tstamp np_interval;
	char *share[PKT_CLASSES]; // of a switch: "50% queue" where XOFF is a share, else NULL
};

// A capture that a host sends: with flows from its NIC, else by itself.
struct scene_replay {
	struct cap_play_params play;
	const struct cap_scan *scan;
	struct player_params player; // its ring is the driver's to make
	uint8_t cls;                 // of a NIC
};

struct scene_node {
	enum scene_kind kind;
	char name[32];
	uint16_t number; // as the scenario is read; a part has its own nodes first
	unsigned n_ports;
	struct scene_port *port;
	tstamp latency; // added to every frame that leaves
	int lcore;      // -1: the driver decides
	union {
		struct sw_params sw;
		struct nic_params nic;
		struct replay_params replay;
		struct tester_params tester;
	} u;
	uint8_t mac[6]; // host: its address; switch: of its CPU
	uint8_t ip[16]; // host; IPv4 in the first four bytes
	bool ipv6;
	uint64_t late_bytes;   // of u.sw.buffer_bytes, what is for late loops alone (real clock)
	uint64_t shared_bytes; // switch: its ingress pool without what its groups own
	bool external;         // on the real clock it is not quench's
	// Switch, by set and class: "55% and 90% of the queue" where Kmin and Kmax are shares; else
	// NULL.
	char ***wred_share;
	// Host: its queue pairs, whose numbers are 1..n_qps, and whether the scenario says its
	// u.nic.qpn_base and first_psn. Of a lane, what holds for the host.
	uint32_t n_qps, first_psn;
	bool qpn_given, psn_given;
	// QPNs that the scenario gives single queue pairs of it, and open-loop sources to it,
	// rising
	uint32_t *qpn, n_qpns;
	const struct scene_replay *replay; // NULL: it sends no capture
	const char *side;    // host: of a split capture, "client" or "server"; NULL: there are none
	uint16_t other_side; // host: the node that has the other side, plus one; 0: none
	char *fw_file, *fw_args; // host: its firmware; NULL: none
	// A host on n lcores is n nodes, its lanes. Lane 0 is the host itself and has the device.
	// The other lanes send through the same device; they follow all other nodes. A queue pair
	// is in the lane of its number modulo n_lanes.
	uint8_t n_lanes;  // 0: it is no such host
	uint8_t lane;     // number of this lane
	uint16_t lane_of; // the node of lane 0, of the others
	uint16_t lane_at; // the node of lane 1, of lane 0; the others follow it
};

// Ranges of message sizes: the first from 0, each other one from above the one before, up to and
// including its bound, and no message is larger than the last.
#define SCENE_BINS 64 // of a group at most, and one more for the messages beyond given bounds

struct scene_bins {
	unsigned n;
	uint32_t bound[]; // bytes, rising
};

// The parameters of a queue pair of ours whose other end is an external host.
struct scene_peer {
	struct hdr_region data; // a requester's frames have it in place of hdr_data
	struct nic_peer_params p;
	uint32_t qpn;  // of the external end; 0: RDMA-CM brings it
	uint32_t ours; // QPN of our end
};

// An end of ours that reaches the other one, which is ours, too, by its gateway.
struct scene_way {
	struct hdr_region data; // as in scene_peer, of the end that asks
	struct nic_peer_params p;
};

// One queue pair of one flow: a requester in node `from`, a responder in node `to`.
struct scene_flow {
	char name[64];           // "incast[h3>r.0]"
	char group[32];          // as the scenario says, or its flow's name
	bool pooled;             // its group is one of several names or destinations
	uint16_t from, to;       // nodes
	uint32_t src_qp, dst_qp; // numbers of its ends, from 1 in each node; req and rsp have QPNs
	uint32_t src_qpn; // QPN that the scenario gives its sender; 0: it follows from src_qp
	uint8_t cls;
	uint16_t told_dport;                   // the port that fct.txt tells; 0: the header's
	struct hdr hdr_data, hdr_ack, hdr_cnp; // ids set
	const struct rc_cfg *rc; // one for all that follow each other with the same values
	const struct rp_cfg *rp; // NULL: control: none
	char control[32];
	const struct scene_bins *bins; // of its group; NULL: it has none
	struct nic_qp_params req, rsp; // refer to the fields above
	uint8_t room;                  // messages that its ring has room for, as the run began
	bool psn_given;                // the scenario says their PSN
	struct scene_peer *peer;       // one end is an external host; NULL: both are ours
	struct scene_way *way[2];      // of `from` and `to`; NULL: it knows the address
};

// Hosts between which messages of a load go, by its numbers.
struct scene_load_pair {
	uint32_t from, to;
};

// A stream of messages: of one sender, or of one receiver to which several send (incast).
struct scene_load {
	char name[64];    // "web[h1]"
	const char *flow; // "web"
	struct arrivals_cfg arrivals;
	bool stopped; // until an event says flow_start
	// Its queue pairs are scene.flow[first ..], `each` for a pair of hosts. No pairs: each
	// message has a queue pair of its own, as if the scenario listed it.
	struct scene_load_pair *pair;
	unsigned n_pairs, first;
	uint32_t each;
};

#define SCENE_NO_FLOW UINT32_MAX // of two ranks on one host

// The messages of one rank to another one by one NIC number of the graph.
struct scene_job_pair {
	uint32_t from, to; // ranks
	uint32_t flow;     // in scene.flow, or SCENE_NO_FLOW
	uint8_t nic;
};

// A job: a graph of operations, and the hosts of its ranks.
struct scene_job {
	const char *name, *what; // "allreduce", "all_reduce, ring"
	unsigned line;
	const struct graph *graph;   // the scene owns its files
	uint16_t *node;              // [graph->n_ranks] the host of each rank
	struct scene_job_pair *pair; // by from, to, nic: all that the graph has
	uint32_t n_pairs;
	uint32_t rank_at;        // number of its first rank among those of all jobs, for events
	unsigned first, n_flows; // its queue pairs are scene.flow[first ..]
	uint32_t iterations;
	tstamp start, gap;
	bool sent; // a SEND ends with its last bit, else with its last ACK
	// Of a collective: the bytes of nccl-tests, and the factor of the bus bandwidth. 0: it is
	// none.
	uint64_t bytes;
	double bus;
};

struct scene_source { // open loop
	char name[64];
	uint16_t from, to;
	struct hdr hdr;
	struct hdr *ask; // it, where the hardware address of an external host is asked for; NULL
	// The receiver sends the source's frames back, with this header if the receiver is ours.
	// The sender times the round trips of its last `trips` frames.
	bool echoes;
	struct hdr back;
	uint32_t trips;
	// Sources after whose end it starts, by `offset`; n 0: none, gen.start is an instant. Else
	// gen.start is the planned instant. `look`: how often it looks at their ends.
	struct {
		uint32_t first, n;
		tstamp offset, look;
	} after;
	struct gen_params gen;
};

#define SCENE_FAULT_GIVEN UINT32_MAX // its queue pair is given by address and QPN

// Frames to one end of a queue pair.
struct scene_fault_pair {
	uint32_t flow; // in scene.flow, or SCENE_FAULT_GIVEN
	bool back;     // frames to the sender of the data: ACK, NAK, CNP, READ request
	// SCENE_FAULT_GIVEN, as fault_target has them
	bool ipv6;
	uint8_t daddr[16];
	uint32_t qpn, psn;
};

#define SCENE_FORGED 128 // bytes of a forged frame at most

// A frame that FAULT_FORGE sends; scene_number() gives it its numbers and writes its bytes.
struct scene_forge {
	struct pkt pkt;
	struct hdr hdr;
	uint32_t flow; // in scene.flow, to whose sender it goes; SCENE_FAULT_GIVEN: none
	uint32_t psn;  // from the first of the flow
	uint8_t bytes[SCENE_FORGED];
};

// One record of `faults`, or of an event `fault`.
struct scene_fault {
	uint16_t node, port; // frames are hit where they come in; a node of ours or elsewhere
	struct fault_record record;
	struct scene_fault_pair *pair;
	unsigned n_pairs;          // 0: every frame of the port, or it forges frames
	struct scene_forge *forge; // FAULT_FORGE
	uint32_t held;             // frames that may wait at a time because of it
	const char *where;         // its place, as messages begin: "file:line:column"
	uint32_t line;             // of the scenario file; 0: it came while the run went on
	const char *text;          // as the scenario has it, on one line
	bool optional;             // the run may pass although no frame was hit
};

struct scene_event {
	tstamp at;
	uint16_t node;
	struct ctl ctl;
	uint32_t line; // of the scenario file
};

// The scenario's range for a figure of the run, both ends included.
struct scene_expect {
	const char *name, *figure;
	double min, max;       // in the figure's unit; infinite: no limit
	const char *at;        // where the scenario names the figure: "file:line:column"
	uint32_t line, column; // the same; 0: not in the file
};

struct scene_control {
	char name[32];
	char profile[32];
	rate_t line_rate; // a control is compiled once for each line rate that uses it
	struct rp_cfg cfg;
};

// Which flows have lines of their own in a run's files.
enum scene_flows {
	SCENE_FLOWS_ALL,
	SCENE_FLOWS_SUMMARY, // none
	SCENE_FLOWS_TOP,     // the n fastest, slowest and most cut, which only the end shows
	SCENE_FLOWS_ONE_IN,  // every n-th by number, from 0 on
};

// The lines and series that a run's files hold.
struct scene_record {
	uint64_t events;         // bitmap of enum ev_type
	uint32_t rate[EV_TYPES]; // most lines in a second of scene time; 0: any number
	bool series;
	enum scene_flows flows;
	unsigned flows_n; // of TOP and ONE_IN
	uint64_t limit;   // bytes of files that grow with the run; UINT64_MAX: none
	bool binary;      // events and time series; else CSV
	bool zstd;        // compresses them where they are binary
};

#define SCENE_PROBE_PORTS 64
#define SCENE_NO_DSCP     0xff
#define SCENE_NO_PCP      TESTER_UNTAGGED

struct scene_probe_ports {
	const char *name[SCENE_PROBE_PORTS]; // of hosts
	unsigned n;
};

// The settings of `quench probe` (docs/probe.md).
struct scene_probe {
	const char *device; // name of the switch that all ports are at
	struct scene_probe_ports in, out;
	uint8_t dscp[PKT_CLASSES]; // one of each class; SCENE_NO_DSCP: not told
	bool dscp_auto;
	uint8_t pcp[PKT_CLASSES]; // one of each class; SCENE_NO_PCP: not told
	bool has_pcp;             // PCPs are asked for
	uint8_t classes;          // bitmap; 0: each that obeys PFC
	double accuracy;          // 0..1
	// real clock: the device's clock is so many times slower than ours
	uint64_t device_dilate;
	tstamp hold, step, time;
	uint64_t frames, buffer, seed;
	uint32_t line; // of the scenario file
};

// A plug-in that a control names.
struct scene_plugin {
	const char *control;
	struct guest *guest;
};

// A distribution of message sizes.
struct scene_sizes {
	struct dist dist;
	const char *file; // NULL: it has none, or that of a distribution before
	char sha256[65];  // of the file, in hexadecimal digits
};

// The sections of a scenario that all parts must have alike.
enum scene_section {
	SCENE_SECTION_TIMES, // duration, warm-up, drain, seed, qp_numbers, framing
	SCENE_SECTION_CONTROLS,
	SCENE_SECTION_SWITCHES,
	SCENE_SECTION_HOSTS,
	SCENE_SECTION_LINKS,
	SCENE_SECTION_PORTS,
	SCENE_SECTION_FLOWS,
	SCENE_SECTION_EVENTS,    // and faults
	SCENE_SECTION_ADDRESSES, // and numbers of queue pairs and headers, as they are compiled
	SCENE_SECTION_WIRE,      // what parts say to each other, by the version of the hello
	SCENE_SECTIONS
};

#define SCENE_DIGEST 16 // bytes, the first of a SHA-256

// "flows"; what follows them.
extern const char *const scene_section_name[SCENE_SECTIONS];

struct scene {
	char *name;
	char *path; // of the file
	tstamp duration, warmup;
	bool finds_warmup; // the warm-up is `auto`: somebody has to find it, and `warmup` is 0
	uint64_t seed;
	uint64_t qp_numbers;   // what QPNs and first PSNs are drawn from; 0: they are ordinal
	bool draws_qp_numbers; // real clock: another one is drawn when a run begins
	tstamp sample;         // sampling period of timeseries.csv, 10 us .. ; 0: none
	struct scene_record record;
	const struct scene_probe *probe; // NULL: the scenario has no such section
	tstamp drain;     // senders stop at duration - drain and queues empty; 0: cut at duration
	tstamp wait_link; // real clock: longest wait for the links of devices, wall time
	bool fail_on_link_loss;
	bool fail_on_silent_peer;
	bool yields; // real clock: loops sleep while nothing is due
	struct eport_framing framing;
	bool hpcc_sim; // its framing: virtual only
	unsigned n_nodes, n_flows, n_sources, n_loads, n_jobs, n_events, n_controls, n_expects,
		n_plugins;
	unsigned n_sizes, n_faults;
	const struct scene_origin *origin; // NULL: it cannot be compiled again
	struct scene_change *change;       // by time
	unsigned n_changes;
	// The nodes: first the n_nodes that this process runs, then the n_elsewhere that others
	// run. Flows are those of all nodes, events only those of our nodes.
	struct scene_node *node;
	uint16_t *tester; // nodes that are testers, in the order of their numbers
	unsigned n_testers;
	unsigned n_elsewhere;
	bool trusts;      // code is loaded, whoever could have written it
	const char *part; // the list of ours, as scene_opts has it; NULL: all are
	// Of a part: digests of the whole scenario. Equal digests mean equal sections, except for
	// devices, lcores, paths and records.
	uint8_t digest[SCENE_SECTIONS][SCENE_DIGEST];
	struct scene_flow **flow;
	struct scene_source **source;
	struct scene_load **load;
	struct scene_job **job;
	struct scene_event *event;  // by time
	struct scene_fault **fault; // record number i + 1 is fault[i]
	struct scene_expect *expect;
	struct scene_control **control;
	struct scene_plugin **plugin;
	struct scene_sizes **sizes;    // one for each flow that has some
	const struct payload *payload; // by hdr.payload
	uint32_t n_hdrs;               // shared header ids are 1..n_hdrs
	// Hardware addresses of headers that have changed while the run went on; NULL: none can.
	uint32_t *readdressed;
	uint32_t max_frame;   // longest frame without FCS that can occur
	uint64_t max_packets; // bound on packets alive at once: buffers, links, windows
	uint64_t max_long; // of these, on frames longer than SCENE_SHORT that have come by devices
	bool needs_hdrs; // a switch makes CNMs or CNPs: packets have room for a header of their own
	// a replay, a device or a capture of foreign frames: packets have room for bytes
	bool needs_bytes;
	bool until_replayed; // it may end once all captures were sent
	bool until_alone;    // it ends once no external host that it sends to has answered
	struct scene_warning {
		uint32_t line;
		const char *kind; // warnings of a kind differ in names and numbers only
		char text[256];
	} * warning;
	unsigned n_warnings;
	// words of the file that are called something else now, in its order; each is warned of
	struct scene_old {
		uint32_t line, column;
		const char *was, *now;
	} * old;
	unsigned n_old;
	// every option with its value, unit and source, as YAML text for manifest and check
	char *resolved;
	// The switch that is judged by our ports alone, and the files of its own counters before
	// and after the run; NULL: none.
	const char *dut, *counters[2];
};

// One --set path=value, applied before anything is compiled; path as in the file:
// "switches.s1.buffer".
struct scene_set {
	const char *path, *value;
};

struct scene_opts {
	// The scenario, `size` bytes of it, which messages call by its path; NULL: it is in that
	// file.
	const char *text;
	size_t size;
	const struct scene_set *set;
	unsigned n_set;
	const char *const *set_by; // who gives each, as messages begin; NULL: "--set" does
	const uint64_t *seed;      // NULL: the file's
	const tstamp *duration;    // NULL: the file's
	bool until_replayed;       // the run may end once all captures were sent
	bool until_alone;          // real clock: it ends once no external host has answered
	// A control that is compiled even if no flow uses it, at this line rate. Rate 0: at the
	// rates of the flows that use it; it only has to exist. NULL: none.
	const char *control;
	rate_t control_rate;
	// The nodes that this process runs, "h1..4,s1"; others run the rest. NULL: all.
	const char *nodes;
	// Hosts that are testers, by whose numbers an experiment knows them. They take part in no
	// flow.
	const char *const *testers;
	unsigned n_testers;
	// Code is loaded, whoever could have written it (lib/run/support/guest/trust.h).
	bool trusts;
	bool real;      // for the real clock: devices and MTU are checked by the driver at start
	bool again;     // it may be compiled again (compile_change); with `real` it always may
	bool one_clock; // it runs on that clock only: options that the clock ignores are warned of
	// The switch that is judged by the ports of its peers alone. On the real clock it is behind
	// their devices; in virtual time it is the model of that device. NULL: none.
	const char *dut;
	const char *counters[2]; // of the device, before and after the run (struct scene)
};

// The text and the options that a scene was compiled from. The sets have the values of the changes
// since then, too. All of it is the scene's own.
struct scene_origin {
	struct scene_opts opts; // with a text
	unsigned n_changes;
	const char *distrust; // why the text may name no code; NULL: it may
};

// An event `set`: the scene with the values of this event and of the events before it.
struct scene_change {
	tstamp at;
	uint32_t line;  // of the scenario file
	const char *by; // its place, as messages begin
	const struct scene_set *set;
	unsigned n_set;
	struct scene *to; // without events
};

// Values that hosts can adopt, and that differ between a scene and one that was compiled from it
// (compile_change): of a queue pair at its sender or at its receiver, of a source, of a host.
bool scene_flow_differs(const struct scene_flow *a, const struct scene_flow *b, bool at_sender);
bool scene_source_differs(const struct scene_source *a, const struct scene_source *b);
bool scene_np_differs(const struct nic_params *a, const struct nic_params *b);
bool scene_weights_differ(const struct nic_params *a, const struct nic_params *b);
bool scene_max_rates_differ(const struct nic_params *a, const struct nic_params *b);
// Notes which hosts have such values: differs[n_nodes] of `from`, false before. 0, or -EINVAL with
// the value and its bound in `why`, where one cannot be adopted.
int scene_hosts_differ(
	const struct scene *from, const struct scene *to, bool *differs, char *why, size_t size);
// The memory of the run stays what it was for `from`: later changes are measured by it.
void scene_keep_room(const struct scene *from, struct scene *to);

// The node that a user knows: the host of a lane, else the node itself.
static inline unsigned scene_host_of(const struct scene *s, unsigned node)
{
	return s->node[node].lane ? s->node[node].lane_of : node;
}

void scene_free(struct scene *s);

// The largest QPN. A host's QPNs have 24 bits, and 0xffffff is for multicast.
#define SCENE_QPN_MOST 0xfffffe

// Gives QPNs and first PSNs to all queue pairs: drawn from `numbers`; 0: as they are counted. What
// the scenario says stays.
void scene_number(struct scene *s, uint64_t numbers);
// Returns a seed for these numbers: 48 bits that nobody can guess. 0: the kernel has none.
uint64_t scene_draw_numbers(void);

// Replaces a word of the scenario that has another name now: the scene warns of it, and lists it if
// it stands in the file (line 0: it does not). `what` begins the warning, as in "expect: the
// figure"; `note` follows the present word. Returns `now` as the scene keeps it; NULL: no memory.
const char *scene_renamed(struct scene *s, uint32_t line, uint32_t column, const char *what,
	const char *was, const char *now, const char *note);
// The file's text, `size` bytes of it, with the present names of these words and nothing else
// changed, for free(). -EINVAL with a line if a word stands there in another spelling, for example
// with escapes; -ENOMEM.
int scene_migrate(const struct scene *s, const char *text, size_t size, char **out,
	size_t *out_size, struct err *err);

// Node by name; -1.
int scene_node(const struct scene *s, const char *name);
// Returns the most bytes on the wire that a port's device may have taken and not sent: all of its
// descriptors with longest frames, or the frames that the serializer lets leave ahead, which a
// driver with longer rings holds. `mtu` is without FCS.
uint64_t scene_tx_held(rate_t rate, uint32_t mtu);
// Whether this process runs a node, which a flow may name.
static inline bool scene_is_here(const struct scene *s, unsigned node)
{
	return node < s->n_nodes;
}

// Returns the number of a node that this process runs, for use as an index. Ends the process for
// any other node, so that nobody reads beyond the array.
static inline unsigned scene_here(const struct scene *s, unsigned node)
{
	if (!scene_is_here(s, node))
		abort();
	return node;
}

// Finds node and port of "node:peer"; false: there is no such port.
bool scene_port(const struct scene *s, const char *name, unsigned *node, unsigned *port);

// Returns the bytes of memory that this process may still take: those that the machine has
// available and its control groups allow; UINT64_MAX: neither is known. `root`: prefix of the paths
// in /proc and /sys, "" except in tests.
uint64_t scene_available(const char *root);

// The end of a run that nothing else ends: the duration, or the first `stop`.
tstamp scene_end(const struct scene *s);

// Returns how long an event stops the peer of its node's port: a storm up to its end, a pulse for
// its time, `mac_frames` for all periods and at least for the pause time of a frame. 0: it stops
// nobody.
tstamp scene_storm_span(const struct scene *s, const struct scene_event *e);

// n periods; TSTAMP_NEVER: longer.
tstamp scene_periods(tstamp period, uint64_t n);

// Whether the scene's queue pairs fit into so much: 0, or -ENOMEM with how many do.
int scene_fits(const struct scene *s, uint64_t available, struct err *err);

// The bytes of memory that a run on the virtual clock is likely to take, in all and for packets,
// for nodes and queues, and for queue pairs; 0: there is no memory to find out.
struct scene_memory {
	uint64_t all, packets, nodes, pairs;
};
struct scene_memory scene_memory(const struct scene *s);

// A message whose instant is known before the run.
struct scene_message {
	tstamp at;
	uint32_t bytes;
	uint16_t from, to; // nodes
	uint8_t cls;
	uint16_t dport;
};

// The messages that are known before the run, by time: of queue pairs that send one message, and of
// loads, except for closed loads and loads that an event starts. -ENOMEM.
struct scene_messages;
int scene_messages(struct scene_messages **m, const struct scene *s);
bool scene_message(struct scene_messages *m, struct scene_message *next); // false: no further one
void scene_messages_free(struct scene_messages *m);

// Messages that a stream of a load is expected to bring before `until`; closed: at a time.
double scene_load_messages(const struct scene_load *l, tstamp until);

#include "own.h"
