// SPDX-License-Identifier: BSD-3-Clause
// The sections of a scenario as structs that the option tables fill; internal.
#pragma once

#include "algo/dcqcn_np.h"
#include "transport/irn.h"
#include "rp/rp.h"
#include "fault/fault.h"
#include "sw/sw.h"
#include "conf/conf.h"

// The first member of each is opt_src: where its values came from.

struct spec_pfc {
	struct opt_src src;
	struct opt_amount xoff; // OPT_NONE: dynamic
	int dynamic_th;
	struct opt_amount xon; // OPT_NONE: xon_offset alone
	uint64_t xon_offset;   // OPT_AUTO
	uint64_t reserved;
	uint64_t headroom; // OPT_AUTO, OPT_WORD(0): sonic
	bool enable;
	uint16_t quanta;
	unsigned refresh; // permille, 0: none
};

struct spec_drop {
	struct opt_src src;
	struct opt_amount limit; // OPT_NONE: dynamic
	int dynamic_th;
	uint64_t reserved;
};

struct spec_queue {
	struct opt_src src;
	struct opt_amount limit; // OPT_NONE: dynamic where that is given, else none
	int dynamic_th;
	uint64_t reserved;
	struct opt_amount min_rate, max_rate; // OPT_NONE
};

struct spec_wred {
	struct opt_src src;
	struct opt_amount min, max; // OPT_NONE: no marker
	double probability;
	const struct yamldoc_node *by_rate; // NULL: min and max are for every rate
	unsigned mark;                      // enum spec_mark
	bool ecn;
	unsigned not_ect;                     // enum spec_not_ect
	struct opt_amount drop_min, drop_max; // OPT_NONE: as min and max
	double drop_probability;              // where it is given, else as probability
	uint8_t weight;
};

#define SPEC_WRED_MAX (2ll << 30) // most bytes of a threshold

enum spec_mark { SPEC_ENQUEUE, SPEC_DEQUEUE };
enum spec_not_ect { SPEC_NOT_ECT_AUTO, SPEC_NOT_ECT_FORWARD, SPEC_NOT_ECT_DROP, SPEC_NOT_ECT_H3C };

struct spec_qcn {
	struct opt_src src;
	uint64_t set_point;
	int weight;
	uint64_t sample_base;
	uint64_t sample_table[QCN_CP_LEVELS];
	unsigned randomise; // permille
	enum qcn_cp_quant quant;
	uint8_t cnm_class, alternate_class, min_header_octets;
};

struct spec_iqcn {
	struct opt_src src;
	struct opt_amount heavy, heavy_off; // OPT_AUTO
	tstamp rpg_time_reset;
	double margin;
	tstamp path_delay, entry_gap, age, np_age; // age: OPT_AUTO
	uint32_t entries;
	uint64_t port_rate; // OPT_AUTO, OPT_NONE
	uint32_t port_burst;
};

struct spec_fast_cnp {
	struct opt_src src;
	tstamp interval, age;
	bool ce;
	uint8_t cnp_class;
	uint64_t cnp_dscp; // OPT_AUTO
	uint32_t entries;
};

struct spec_class {
	struct opt_src src;
	struct spec_pfc pfc;
	struct spec_drop drop;
	struct spec_queue queue;
	bool lossless;
	struct spec_wred wred;
	struct opt_amount tail_limit;
	uint16_t weight;
	bool strict;
	bool force_ce;
	struct spec_qcn qcn;
	struct spec_iqcn iqcn;
	struct spec_fast_cnp fast_cnp;
};

struct spec_fdb {
	struct opt_src src;
	uint8_t mac[6];
	uint64_t vlan; // OPT_NONE: untagged
	const char *port;
};

struct spec_wd {
	struct opt_src src;
	tstamp poll, detection, restoration;
	enum pfcwd_action action;
	enum pfcwd_rule rule;
	bool enable;
};

struct spec_pools {
	struct opt_src src;
	struct opt_amount ingress, egress, egress_lossless, egress_lossy,
		headroom; // OPT_NONE: as the buffer
};

enum spec_flow_control { SPEC_PFC, SPEC_PAUSE };
enum spec_honour { SPEC_HONOUR_AUTO, SPEC_HONOUR, SPEC_HONOUR_NOT };

struct spec_switch {
	struct opt_src src;
	enum spec_flow_control flow_control;
	uint64_t buffer;
	uint64_t cell;
	struct spec_pools pools;
	struct spec_wd wd;
	enum sw_trust trust;
	uint8_t dscp_map[64];
	uint8_t pcp_map[8];
	uint8_t queue_map[PKT_CLASSES], pg_map[PKT_CLASSES];
	uint64_t shaper_burst; // OPT_AUTO
	uint8_t default_class;
	enum spec_honour pause_honour;
	uint64_t pfc_response; // OPT_AUTO
	uint64_t late_loop;    // OPT_AUTO
	tstamp latency;
	tstamp fdb_age;
	uint64_t fdb_entries;
	const struct yamldoc_node *fdb;
	bool ecmp;
	const char *default_port;
	uint64_t lcore;
	uint32_t lcores, shards;
	struct spec_class cls[PKT_CLASSES];
};

struct spec_np {
	struct opt_src src;
	tstamp interval;
	unsigned mode; // enum np_mode, then off
	enum np_key key;
	uint64_t cnps_per_s; // OPT_NONE
	bool with_nak;
};

#define SPEC_NP_OFF 3

struct spec_rx_buffer {
	struct opt_src src;
	struct opt_amount drain_rate;
	uint64_t size;
	uint64_t xoff, xon; // OPT_NONE: no PFC
};

enum spec_replay_cut { SPEC_CUT_LEAVE_OUT, SPEC_CUT_PAD };

enum spec_side { SPEC_SIDE_CLIENT, SPEC_SIDE_SERVER };

struct spec_replay {
	struct opt_src src;
	const char *file;
	const struct yamldoc_node *merge;
	const char *split, *other_side_of;
	enum spec_side side;
	const char *speed;
	uint32_t loops;
	tstamp start, gap;
	enum spec_replay_cut cut;
	uint8_t cls;
	const struct yamldoc_node *rewrite;
};

// In the order of enum rewrite_field.
struct spec_rewrite {
	struct opt_src src;
	unsigned field;
	const char *from, *to;
};

struct spec_firmware {
	struct opt_src src;
	const char *file, *args;
};

struct spec_gateway {
	struct opt_src src;
	struct opt_ip ip;
	uint64_t prefix; // OPT_AUTO
};

enum spec_rp_scope { SPEC_RP_QP, SPEC_RP_PRIORITY };
enum spec_host_trust { SPEC_HOST_TRUST_AUTO, SPEC_HOST_TRUST_DSCP, SPEC_HOST_TRUST_PCP };
enum spec_turn { SPEC_TURN_LAST, SPEC_TURN_NEXT };
enum spec_responder { SPEC_RESPONDER_SINK, SPEC_RESPONDER_ECHO };

struct spec_host {
	struct opt_src src;
	uint8_t mac[6];
	struct opt_ip ip;
	struct spec_gateway gateway;
	bool external;
	struct spec_np np;
	uint8_t cnp_class;
	uint64_t cnp_dscp; // OPT_AUTO
	struct spec_rx_buffer rx_buffer;
	uint16_t weights[PKT_CLASSES];
	uint8_t strict;
	uint8_t queue_map[PKT_CLASSES], dscp_map[64], pcp_map[8];
	enum spec_host_trust trust;
	struct opt_amount max_rate; // OPT_NONE
	uint64_t pfc_response;      // OPT_AUTO
	tstamp catch_up;            // OPT_AUTO
	tstamp latency;
	uint64_t lcore;
	uint32_t lcores;
	uint32_t streams;
	uint64_t live_pairs;          // OPT_NONE
	uint64_t qpn_base, first_psn; // OPT_AUTO
	struct spec_replay replay;
	struct spec_firmware firmware;
	bool pfc_honour, check_icrc, check_payload, peer_check;
	enum spec_honour pause_honour;
	enum spec_rp_scope rp_scope;
	enum spec_responder responder;
	enum spec_turn new_pairs;
};

enum spec_pairs { SPEC_PAIRS_ALL, SPEC_PAIRS_SAME_INDEX };

// The receivers of a flow's senders.
enum spec_receivers {
	SPEC_TO_ALL,
	SPEC_TO_SAME_INDEX,
	SPEC_TO_RING,
	SPEC_TO_PERMUTATION,
	// of a load only
	SPEC_TO_RANDOM,
	SPEC_TO_ALL_IN_TURN,
	SPEC_TO_INCAST,
	SPEC_TO_RACK,
};

enum spec_arrivals { SPEC_POISSON, SPEC_EVERY, SPEC_ON_OFF, SPEC_CLOSED };

// What `sizes` may be besides a word: {pareto: {...}}.
struct spec_pareto {
	struct opt_src src;
	double shape;
	uint64_t min, max;
};

struct spec_on_off {
	struct opt_src src;
	tstamp on, off;
};

// The adaptive retransmission timeout.
struct spec_adaptive {
	struct opt_src src;
	tstamp time_base;
	uint32_t init_low, init_size;
	const struct yamldoc_node *ranges; // NULL: 9..12
};

struct spec_link {
	struct opt_src src;
	const struct yamldoc_node *between;
	enum spec_pairs pairs;
	rate_t rate;
	tstamp delay;
	uint64_t mtu; // OPT_AUTO
};

struct spec_port {
	struct opt_src src;
	const char *device;
	uint8_t mac[6];
	struct opt_ip ip;
	uint64_t mtu; // OPT_AUTO
	uint64_t lcore;
	uint32_t rx_queues;
	bool capture;
	enum spec_observe { SPEC_OBSERVE_AUTO, SPEC_OBSERVE_YES, SPEC_OBSERVE_NO } observe;
	enum spec_resolution { SPEC_NS, SPEC_PS } resolution;
	enum spec_stamps { SPEC_STAMPS_AUTO, SPEC_STAMPS_NONE, SPEC_STAMPS_DEVICE } rx_stamps;
	enum spec_selftest { SPEC_SELFTEST_NONE, SPEC_SELFTEST_LOOP, SPEC_SELFTEST_PEER } selftest;
	// Of a switch's port: the switch's, with the values that differ here.
	struct spec_class cls[PKT_CLASSES];
	enum sw_trust trust;
	uint8_t dscp_map[64], pcp_map[8];
	uint8_t queue_map[PKT_CLASSES], pg_map[PKT_CLASSES];
	uint8_t default_class;
	struct opt_amount max_rate; // OPT_NONE
	struct spec_wd wd;
	enum sw_cn_mode cn_mode;
	bool pfc_asym;
};

struct spec_qcn_rp {
	struct opt_src src;
	struct qcn_rp_params p; // but max_rate, and the members below
	unsigned randomise;     // permille
	unsigned min_dec_fac;   // permille
	bool cn_tag;
	uint64_t max_rps; // OPT_NONE
};

struct spec_control {
	struct opt_src src;
	unsigned profile;   // of scene_opts_profiles, below SCHEMA_DCQCN_PROFILES
	const char *plugin; // its file; only so that the key is known
	struct dcqcn_rp_params p;
	struct spec_qcn_rp qcn;
};

struct spec_connectx {
	struct opt_src src;
	unsigned profile;
	tstamp rpg_time_reset;
	uint32_t rpg_byte_reset, rpg_threshold;
	rate_t rpg_ai_rate, rpg_hai_rate, rpg_min_rate;
	rate_t initial_rate; // OPT_AUTO
	uint32_t rpg_gd, rpg_min_dec_fac;
	rate_t rate_to_set_on_first_cnp;
	uint32_t dce_tcp_g;
	tstamp dce_tcp_rtt;
	uint32_t initial_alpha_value;
	tstamp rate_reduce_monitor_period;
	bool clamp_tgt_rate, clamp_tgt_rate_after_time_inc;
};

struct spec_rdma_ip {
	struct opt_src src;
	unsigned profile;
	uint64_t clock;
	uint32_t scheme;
	enum rdma_ip_limiter limiter;
	enum rdma_ip_rp_merge merge;
	bool merged_restart;
	uint32_t alpha_bits, byte_unit;
	enum rp_clamp_target clamp_target;
	enum rp_fr_convention fr_convention;
	bool hai_progressive;
	tstamp nocnp_timer_th;
	uint32_t byte_cnt_th;
	tstamp alpha_timer_th, rx_cnp_merge_period;
	rate_t max_rate; // OPT_AUTO
	rate_t min_rate, rate_ai, rate_hai;
	uint32_t upd_alpha_g, alpha_rate_shift, phase_threshold, min_dec_fac;
	tstamp cnp_timer_thrd;
	unsigned cnp_timer_unit; // 1: us
	bool cnp_int_en;
	rate_t initial_rate; // OPT_AUTO
	uint32_t initial_alpha;
	const struct yamldoc_node *registers;
};

// Requests of RoCEv2 that nobody answers.
struct spec_open_roce {
	struct opt_src src;
	uint64_t qpn; // OPT_AUTO
	uint32_t psn;
	unsigned verb; // 0: send, 1: write
};

struct spec_open_item {
	struct opt_src src;
	uint64_t count;
	tstamp gap; // OPT_NONE
	tstamp after;
	struct opt_range size; // low: OPT_AUTO
};

struct spec_open_loop {
	struct opt_src src;
	struct opt_range size; // bytes with FCS
	struct opt_amount rate;
	uint32_t burst;
	uint64_t count;                  // OPT_NONE
	const struct yamldoc_node *list; // NULL: none
	uint64_t repeat;                 // OPT_NONE
	const struct yamldoc_node *dscp; // NULL: the flow's
	const char *after;               // NULL: of no flow
	uint32_t sources;
	bool raw;
	struct spec_open_roce roce;
	tstamp rtt_max; // OPT_AUTO
};

enum spec_ecn { SPEC_ECN_AUTO, SPEC_NOT_ECT, SPEC_ECT1, SPEC_ECT0, SPEC_CE };

// The other end of queue pairs, at an external host.
struct spec_peer {
	struct opt_src src;
	uint64_t port; // OPT_NONE
	uint64_t qpn;  // OPT_NONE
	uint64_t psn;
	uint64_t rkey, va; // OPT_NONE
	uint64_t length;
	uint64_t mtu; // OPT_NONE
};

enum spec_recovery { SPEC_GO_BACK_N, SPEC_IRN, SPEC_SKIP };

struct spec_flow {
	struct opt_src src;
	const struct yamldoc_node *from, *to;
	struct opt_choice pairs; // enum spec_receivers
	uint8_t cls;
	struct opt_range start; // of one queue pair or source; low: OPT_AUTO, OPT_NONE
	tstamp stop;            // OPT_NONE
	enum spec_ecn ecn;
	uint64_t dscp, vlan, pcp; // OPT_AUTO, OPT_NONE, OPT_AUTO
	uint8_t ttl;
	struct opt_range udp_sport; // low: OPT_AUTO
	const char *payload;
	struct spec_open_loop open_loop;
	uint64_t qps; // OPT_WORD(0): one for each message of a load
	enum rc_verb verb;
	uint64_t imm; // OPT_AUTO
	uint32_t rd_atomic;
	uint64_t message;
	uint64_t count;       // OPT_NONE
	uint64_t outstanding; // OPT_AUTO
	uint32_t mtu;
	const char *control;
	const char *group;               // NULL: none
	const struct yamldoc_node *bins; // NULL: as the flow's kind has
	struct opt_amount rate;
	tstamp catch_up; // OPT_AUTO, OPT_WORD(0): the host's
	uint32_t window, ack_every;
	tstamp rto; // OPT_NONE, OPT_WORD(0): adaptive
	struct spec_adaptive adaptive;
	enum spec_recovery recovery;
	uint64_t cap;             // OPT_AUTO
	tstamp rto_low, rto_high; // OPT_AUTO
	uint32_t nack_threshold, nack_bytes;
	uint64_t retries;
	uint64_t rnr_retries;
	uint64_t ack_class, ack_dscp; // OPT_AUTO
	unsigned ack_ecn, cnp_ecn;    // ECN_*
	uint64_t src_qpn, psn;        // OPT_AUTO
	struct spec_peer peer;
	// a load
	const struct yamldoc_node *sizes; // NULL: it is none
	struct opt_amount load;           // OPT_NONE
	struct opt_choice arrivals;       // enum spec_arrivals
	struct spec_on_off on_off;
	uint32_t rack; // permille
};

enum spec_send_done { SPEC_ACKED, SPEC_SENT };

// A job has the keys of queue pairs that its messages have, and its own.
struct spec_job {
	struct spec_flow flow;                  // first: rows of both tables have the same places
	const struct yamldoc_node *ranks, *map; // map NULL: rank i is on the i-th host
	uint64_t num_ranks;                     // OPT_AUTO
	const char *goal;
	unsigned collective, pattern, algorithm; // of enum collective_*, pattern_kind
	uint64_t bytes;                          // 0: not given
	uint32_t channels, chunks, micro, buckets, layers, targets;
	tstamp forward, backward;
	double skew;
	const struct yamldoc_node *matrix;
	uint32_t iterations;
	tstamp gap, start;
	enum spec_send_done send_done;
};

struct spec_storm {
	struct opt_src src;
	const char *port;
	uint8_t cls;
	uint16_t quanta;
	tstamp span;
	tstamp every; // OPT_NONE
	uint32_t count;
};

struct spec_weight {
	struct opt_src src;
	const char *port;
	uint8_t queue;
	uint16_t weight;
};

enum spec_mac { SPEC_MAC_PFC, SPEC_MAC_PAUSE, SPEC_MAC_WRONG_DA };

struct spec_mac_frames {
	struct opt_src src;
	const char *port;
	enum spec_mac frame;
	uint8_t classes;
	uint16_t quanta;
	uint16_t times[PKT_CLASSES];
	uint16_t opcode; // 0: of the kind of frame
	uint8_t reserved;
	uint8_t to[6];
	bool zero_source;
	uint16_t length; // with FCS
	tstamp every;    // OPT_AUTO, OPT_WORD(0): the wire time of a frame
	uint64_t count;
};

struct spec_pulse {
	struct opt_src src;
	const char *port;
	enum spec_mac frame;
	uint8_t classes;
	uint16_t quanta;
	tstamp span;
};

struct spec_reg {
	struct opt_src src;
	const struct yamldoc_node *node;
	uint64_t qp; // OPT_NONE
	const char *name, *value;
};

enum spec_then { SPEC_STOP, SPEC_GO_ON };

struct spec_quiesce {
	struct opt_src src;
	enum spec_then then;
	tstamp within;
};

struct spec_stop {
	struct opt_src src;
};

struct spec_event {
	struct opt_src src;
	tstamp at;
	const char *pause, *resume, *mark;
	struct spec_quiesce quiesce;
	struct spec_stop stop;
	const char *link_down, *link_up, *flow_start, *flow_stop, *fdb_flush;
	const char *pfcwd_start, *pfcwd_stop;
	struct spec_weight dwrr_weight;
	struct spec_storm pfc_storm;
	struct spec_mac_frames mac_frames;
	struct spec_pulse pulse;
	struct spec_reg reg;
	const struct yamldoc_node *set, *fault;
};

// A queue pair by the address of a host and its QPN.
struct spec_pair {
	struct opt_src src;
	struct opt_ip dst;
	uint32_t qpn;
	uint64_t first_psn; // OPT_AUTO
};

struct spec_gilbert {
	struct opt_src src;
	double to_bad, to_good, bad, good;
};

struct spec_reorder {
	struct opt_src src;
	uint32_t behind;
	tstamp within;
};

struct spec_corrupt {
	struct opt_src src;
	uint64_t bit; // OPT_AUTO
};

enum spec_icrc { SPEC_ICRC_MEND, SPEC_ICRC_KEEP };

// One field has a value.
struct spec_field {
	struct opt_src src;
	const char *value[FAULT_FIELDS];
	enum spec_icrc icrc;
};

enum spec_forged { SPEC_FORGE_CNP, SPEC_FORGE_NAK, SPEC_FORGE_CNM, SPEC_FORGE_PFC };

struct spec_forge {
	struct opt_src src;
	enum spec_forged frame;
	tstamp start, every; // every: OPT_NONE
	uint64_t count;      // OPT_AUTO, OPT_NONE
	uint32_t psn, msn;
	uint8_t syndrome, qntzfb, classes;
	int qoffset, qdelta;
	uint16_t quanta;
};

// The values of an action, in the file under its name.
struct spec_action {
	struct opt_src src;
	tstamp delay;
	struct spec_reorder reorder;
	uint32_t duplicate;
	struct spec_corrupt corrupt;
	struct spec_field rewrite;
	struct spec_forge forge;
};

struct spec_fault {
	struct opt_src src;
	const struct yamldoc_node *qp, *flow, *group, *dir; // NULL: not given
	const char *dst, *psn, *nth, *pass, *at, *bit_error_rate;
	uint8_t cls; // bitmap; 0: all
	const struct yamldoc_node *action;
	double share;
	struct spec_gilbert gilbert;
	bool optional;
};

struct spec_expect {
	struct opt_src src;
	const char *name, *figure, *min, *max, *equals;
};

struct spec_defaults {
	struct opt_src src;
	const struct yamldoc_node *switches, *hosts, *links, *flows;
};

// The keys of a generator. Each generator has some of them.
struct spec_net {
	struct opt_src src;
	uint32_t switches, leaves, spines, hosts;
	rate_t rate, trunk_rate;
	tstamp delay, trunk_delay;
};

// The shapes of a generated topology: indices of spec_topology.net. topology_rows in topology.c has
// a row for each, in this order.
enum spec_shape {
	SPEC_STAR,
	SPEC_DUMBBELL,
	SPEC_PARKING_LOT,
	SPEC_LEAF_SPINE,
	SPEC_RING,
	SPEC_SHAPES
};

struct spec_topology {
	struct opt_src src;
	struct spec_net net[SPEC_SHAPES];
};

enum spec_framing { SPEC_ETHERNET, SPEC_HPCC_SIM };
enum spec_link_loss { SPEC_LINK_LOSS_GO_ON, SPEC_LINK_LOSS_FAIL };
enum spec_poll { SPEC_POLL_BUSY, SPEC_POLL_YIELD };

// In the order of their words.
enum spec_record_format { SPEC_RECORD_CSV, SPEC_RECORD_BINARY };
enum spec_record_compress { SPEC_RECORD_ZSTD, SPEC_RECORD_PLAIN };

struct spec_record {
	struct opt_src src;
	const struct yamldoc_node *events; // NULL: all
	const struct yamldoc_node *rate;   // lines a second, by type
	const char *flows;
	bool series;
	uint64_t limit; // OPT_NONE
	enum spec_record_format format;
	enum spec_record_compress compress;
};

struct spec_probe_most {
	struct opt_src src;
	tstamp hold, step, time;
	uint64_t frames, buffer;
};

struct spec_probe {
	struct opt_src src;
	const struct yamldoc_node *in, *out;
	const struct yamldoc_node *dscp, *classes; // NULL: auto
	const struct yamldoc_node *pcp;            // NULL: frames have no tags
	double accuracy;
	uint64_t device_dilate;
	struct spec_probe_most most;
	uint64_t seed;
};

struct spec_scene {
	struct opt_src src;
	const char *name;
	tstamp duration, warmup;
	uint64_t seed;
	uint64_t qp_numbers; // OPT_AUTO, OPT_WORD(0)
	tstamp sample, drain, wait_link;
	enum spec_link_loss on_link_loss, on_peer_silent;
	enum spec_poll poll;
	enum spec_framing framing;
	const struct yamldoc_node *controls, *switches, *hosts, *links, *ports, *flows, *jobs,
		*events, *faults, *expect;
	const char *flows_from; // NULL: none
	const struct yamldoc_node *flow_nodes;
	struct spec_defaults defaults;
	struct spec_topology topology;
	struct spec_record record;
	struct spec_probe probe;
};

// Every option with its default and meaning, as a scenario; config/reference.yaml. Freed by the
// caller; NULL where memory is out.
char *scene_reference(void);

// The row at the end of a path of a scenario whose document is `doc`; NULL: there is none.
const struct opt *schema_row(const struct yamldoc_node *doc, const char *path);
// Writes which values near a path may change while a scene runs, as in "of wred min and max".
char *schema_live_near(const struct yamldoc_node *doc, const char *path, char *buf, size_t size);

__attribute__((visibility("hidden"))) extern const struct opt_table scene_opts_connectx,
	scene_opts_rdma_ip;

extern const struct opt_table scene_opts_scene, scene_opts_control, scene_opts_switch,
	scene_opts_host, scene_opts_link, scene_opts_port, scene_opts_flow, scene_opts_job,
	scene_opts_event, scene_opts_expect, scene_opts_fault, scene_opts_action, scene_opts_pair,
	scene_opts_class, scene_opts_qcn, scene_opts_iqcn, scene_opts_qcn_rp, scene_opts_fdb,
	scene_opts_rewrite, scene_opts_open_item, scene_opts_wd, scene_opts_topology,
	scene_opts_record, scene_opts_sizes, scene_opts_probe;

#include "profile.h"
#include "reg_name.h"
#include "text.h"
