// SPDX-License-Identifier: BSD-3-Clause
// The figures of a run, computed once at its end: what summary.json, the table and the tests read.
#pragma once

#include "out/out.h"
#include "record/record.h"
#include "report.h"

// Distribution of times or ratios; n 0: nothing was seen and the rest means nothing.
struct summary_dist {
	uint64_t n;
	double mean, min, p1, p50, p95, p99, max;
};

// Messages acknowledged in the window. `fct` counts from when a message could be sent: posted, and
// its flow's last one gone; `fct_posted` from posting; `slowdown` is fct over the time that it
// would have taken alone.
struct summary_messages {
	struct summary_dist fct_us, fct_posted_us, slowdown;
};

// What a limiter sent against what it allowed while it could send, on the wire in the window. NAN:
// there is no limiter.
struct summary_pace {
	double percent; // of what it allowed
	double frames;  // of the mean length sent
};

struct summary_flow {
	const struct rec_flow *rec;
	struct nic_qp_stats tx, rx; // in the window; instants and extremes of the whole run
	double goodput_gbps;        // payload that arrived in order
	double data_tx_gbps;        // payload sent, repetitions too
	double latency_avg_ns;
	rate_t rc, rt; // at the end; 0: no reaction point
	double alpha;
	double rc_mean_gbps;              // over time
	double stage_percent[REC_STAGES]; // of the window
	struct summary_pace pace;
};

struct summary_group {
	const struct rec_group *rec;
	double goodput_gbps, mean_gbps, min_gbps, max_gbps;
	double jain;                       // NAN: a single flow
	double rc_mean_gbps;               // of the flows that have a reaction point; NAN: none
	double stage_percent[REC_STAGES];  // mean over these flows; NAN: none
	double fair_gbps;                  // mean of their fair shares; NAN: a flow has no way
	const struct scene_port *tightest; // the port that sets all of them; NULL: several do
	double converged;                  // 1, 0; NAN: no time in which all flows were there
	double t_conv_us;                  // INFINITY: not converged; NAN: as above
	double off_percent;                // of the window's ms of its flows: off the fair share
	double osc,
		// (p95 - p5) / mean of their goodput: in the window, since it converged; NAN
		osc_since;
	uint64_t ce, cnp_tx, cnp_rx, cuts, retransmitted, sequence_errors, nak, failed;
	struct summary_messages messages;
	struct summary_dist cnp_gap_us;
	double rate_err_p1, rate_err_p50, rate_err_p99; // (wire rate - Rc) / Rc; NAN
	struct summary_dist cut_us; // CNP in until the first frame that the cut holds back
	struct summary_dist rtt_us; // of the frames that are timed
	unsigned off_pace;          // of its flows: PACE_OFF_PERCENT and more
	const struct summary_flow *worst_pace; // of these; NULL: none
};

#define PACE_OFF_PERCENT 0.5 // from here on the table says so

// Messages of some sizes, of all flows together.
struct summary_size {
	uint64_t from_bytes, to_bytes;
	double up_to_percent; // of all messages have these sizes or smaller ones
	struct summary_messages messages;
};

// One priority and direction of a port (measures.md M1).
struct summary_pause {
	const struct rec_port *port;
	uint8_t prio;
	bool sent; // false: received
	struct pause_stats w;
	double effective_percent; // of the window
	tstamp longest_ps;        // of the whole run
	struct summary_dist episode_us;
	// sent by a switch: how the peer obeyed; n of t_resp_us 0: not known
	struct summary_dist after_bytes, t_resp_us; // on the link; less the way there and back
	uint64_t after_max_bytes;                   // in the buffer
	double quanta_resp, quanta_limit;           // of the slowest; NAN: no limit for this rate
	uint64_t headroom_needed_bytes;
	double running_us; // of a pause that goes on at the end, since its begin; 0: none
};

struct summary_queue {
	const struct rec_queue *rec;
	struct sw_class_stats w; // switches only
	bool lossless;           // the class is, at every port
	double mean_bytes;       // NAN: not monitored
	double std_bytes;
	uint64_t p50, p95, p99, max;
	tstamp max_at;             // of the maximum of the whole run
	const struct red_cfg *red; // NULL: no marker
	double above_kmin_percent, above_kmax_percent, empty_percent;
	double delay_p99_us; // what the p99 takes at the port's rate
	bool two_sided;      // the switch's buffer has two sides: what follows is known
	uint64_t buffer_max, shared_max, limit; // bytes of whole cells; limit: at the end
	bool held; // it has held a frame; else it stands for what came in by its port and class
};

// What the marker of a queue did by the length that it saw (measures.md M3).
struct summary_marking {
	const struct rec_queue *rec;
	struct red_cfg red;
	bool at_dequeue;                    // else at enqueue
	struct red_bin bin[RED_CURVE_BINS]; // of the window; bin 0 has its frames too
	uint64_t ect, marked;               // decisions, those to mark
	double pmax, fitted;  // on the slope; NAN: there is none; fitted: or no frame saw it
	double sigma_percent; // standard error to expect of the fit, percent of Pmax
	double chi_square;    // of the slope's bins that expect enough frames
	unsigned chi_bins;
	double chi_p;                                // how often chance alone gives as much
	double worst_sigmas;                         // the bin that is off most; NAN: none
	uint64_t first_total, last_total, ect_total; // numbers of ECT frames; 0: no mark
};

// One of its bins, with what the formula says: all lengths from..to.
struct summary_bin {
	uint64_t from, to, ect, marked;
	double expected;      // marks: sum of the probabilities of its very frames
	double ratio, theory; // marked and expected of ect; NAN: no frame
	double low, high;     // Wilson's 95 % interval of the ratio
};

// A lossless ingress group that has held frames: how near it came to XOFF.
struct summary_pg {
	const struct rec_port *port;
	uint8_t pg;
	uint64_t max_bytes, xoff_bytes, headroom_bytes, max_headroom_bytes;
	double xoff_percent; // share of the window in which it kept its sender paused
	uint64_t dropped_frames;
	bool two_sided; // the switch's buffer has two sides: what follows is known
	uint64_t max_shared_bytes;
};

// A queue that the PFC watchdog watches, over the window.
struct summary_wd {
	const struct rec_queue *rec;
	struct sw_wd_stats w;
	bool storm; // at the end
};

// A congestion point of QCN whose queue has carried frames.
struct summary_cp {
	const struct rec_queue *rec;
	uint64_t set_point;
	double mean_ratio, std_ratio; // of the queue, over the set point
	uint64_t cnms, discarded;
	double cnms_per_s;
	uint64_t samples;          // whole run
	uint64_t by_fb[QCN_CP_FB]; // of these, by QntzFb
	double fb_mean;            // QntzFb of the CNMs of the whole run; NAN: none
	struct qcn_cp_spacing spacing[QCN_CP_LEVELS]; // whole run, by the level of the feedback
	double base[QCN_CP_LEVELS];                   // bytes between samples, mean of the draws
	// bytes that were between samples over those to expect; NAN: no two samples
	double spacing_ratio;
	// the level that is off most, in standard errors; NAN: none has enough
	double spacing_sigmas;
};

// A port of a switch with iQCN.
struct summary_iqcn {
	const struct rec_port *port;
	uint64_t rx_cnp, foreign_cnp, tx_cnp;
	double rx_per_s, tx_per_s;
	double heavy_percent;
	uint32_t flows; // at the end
};

// A switch with iQCN: its flow table over the whole run, its CNPs in the window.
struct summary_iqcn_table {
	const struct scene_node *node;
	unsigned number; // of the node
	struct iqcn_stats st;
	uint32_t flows; // at the end
	uint32_t entries;
	uint64_t tx_cnp, foreign_cnp;
	double tx_per_s;
};

// A port of a switch with Fast CNP.
struct summary_fast_cnp {
	const struct rec_port *port;
	uint64_t tx_cnp, suppressed, unknown;
	double tx_per_s;
};

// A switch with Fast CNP: its flow table over the whole run, its CNPs in the window.
struct summary_fast_cnp_table {
	const struct scene_node *node;
	unsigned number; // of the node
	struct fast_cnp_stats st;
	uint32_t flows; // at the end, those included that have aged and were not met since
	uint32_t entries;
	uint64_t tx_cnp;
	double tx_per_s;
};

// CNPs of one notification point by one key (measures.md M4).
struct summary_cnp {
	const struct rec_cnp *rec;
	const struct scene_node *np;
	char name[REC_LABEL]; // "f[h1>r.0]", "r>h1", "r"
	bool configured;      // the key that its interval speaks of
	uint64_t cnp_rx;
	uint64_t missing, extra; // of those expected
	double pass;             // 1, 0; NAN: nothing to judge
	struct summary_dist gap_us, np_delay_us, way_us;
};

// A notification point that saw CE or sent a CNP.
struct summary_np {
	const struct summary_cnp *all; // its row of NP_KEY_PORT
	uint64_t capped;
	bool paced;        // its mode and interval space CNPs; else each CE is to have one
	bool every_ce;     // not paced: and each had one
	unsigned paced_by; // paced: bitmap of enum np_key: what was seen agrees with them
	double pass;       // of its configured key
};

// One pool of a switch whose buffer has two sides.
struct summary_pool {
	const struct scene_node *node;
	enum mmu_pool pool;
	uint64_t size_bytes, max_bytes; // shared bytes
};

// One direction of a link, from the port that sends: where its capacity went, percent of the
// window.
struct summary_link {
	const struct rec_port *port;
	double tx_gbps;     // frames with FCS, preamble and gap
	double utilization; // share of the window in which frames were on the wire, percent
	double goodput, headers, repeated, control, cnm, open_loop, other;
	double idle_paused, idle_empty;
	double given_up; // the port was not asked in time for a frame that stood there (real time)
};

struct summary_source {
	const struct rec_source *rec;
	uint64_t tx_frames, tx_bytes;
	struct nic_gen_stats rx;
	double tx_gbps, rx_gbps, latency_avg_ns;
	// at the end: in queues, on links; by a way with devices: not seen since sent
	uint64_t in_flight;
	struct summary_pace pace;
};

// A receive buffer that may fill, over the whole run.
struct summary_rxbuf {
	const struct scene_node *node;
	uint64_t max_bytes;
};

struct summary_replay {
	const struct scene_node *node;
	struct replay_stats now, then; // at the end, at the window's start
	struct summary_dist late_us;   // of all frames sent in the whole run
	uint64_t unsent;               // of the whole run
};

// Counters of a switch port and of a NIC: at the end, at the window's start.
struct summary_port {
	const struct rec_port *rec;
	struct sw_port_stats now, then;
};
struct summary_nic {
	const struct scene_node *node;
	struct nic_stats now, then;
};

// One line of the verdict sheet (measures.md M10).
struct summary_criterion {
	const char *name, *figure; // figure "": every run is asked this
	double min, max, value;
	enum criterion_verdict { CRITERION_PASS, CRITERION_FAIL, CRITERION_INVALID } verdict;
	bool interrupted; // the run was, so that what is expected of it cannot be judged
};

// One line of the reconciliation table (measures.md M8).
struct summary_recon {
	const char *counter, *object; // of the port that sends, or the node
	int prio;
	bool events;                    // the truth is counted in events, which may be lost
	double truth, sent, received;   // by the counters of the two ends; NAN: there is none
	double delta, tolerance, own;   // own: of the sender's own counter
	enum criterion_verdict verdict; // INVALID: the truth is not whole
	bool stuck;                     // a counter stands at 0
};

struct summary_total {
	double goodput_gbps;
	uint64_t marks, ect, ce_rx; // by switches; ECT that the marker saw; CE at responders
	uint64_t not_ect_marks;     // of marks, those of frames that came Not-ECT
	uint64_t cnp_tx, cnp_rx, cuts;
	uint64_t cnm_tx, cnm_rx;  // QCN: by switches, at reaction points
	uint64_t iqcn_tx_cnp;     // by switches
	uint64_t fast_cnp_tx;     // the same
	uint64_t pauses;          // times that a priority of a port was stopped by its peer
	tstamp pause_ps;          // sum of the time stopped
	uint64_t xoff_tx, xon_tx; // PFC frames, by priority
	uint64_t pause_tx;        // 802.3x frames
	uint64_t drops, lossless_drops;
	uint64_t drops_total; // whole run
	uint64_t filtered;    // discarded for reasons that are no loss
	uint64_t sw_drop[SW_DROPS], nic_drop[NIC_DROPS];
	uint64_t retransmitted, naks, timeouts, failed_qps;
	uint64_t replay_unsent; // whole run
	struct summary_messages messages;
};

// Refers to the record and the scene, not to the nodes: these may be gone when it is read.
struct summary {
	const struct record *rec; // that it is of
	tstamp from, to;          // window
	unsigned n_flows, n_groups, n_pauses, n_queues, n_pgs, n_links, n_sources, n_replays,
		n_rxbufs, n_pools, n_wds, n_markings, n_cps, n_iqcns, n_iqcn_tables, n_fasts,
		n_fast_tables, n_cnps, n_nps, n_ports, n_nics;
	struct summary_flow *flow;
	struct summary_group *group;
	struct summary_recon *recon;
	unsigned n_recons, unreconciled;
	struct summary_criterion *criterion;
	unsigned n_criteria, unexpected; // of the scenario's own, not passed
	struct summary_size *size;       // smallest first
	unsigned n_sizes;
	struct summary_pause *pause;
	struct summary_queue *queue;
	struct red_cfg *red; // that the queues refer to
	struct summary_marking *marking;
	struct summary_pg *pg;
	struct summary_pool *pool;
	struct summary_wd *wd;
	struct summary_cp *cp;
	struct summary_iqcn *iqcn;
	struct summary_iqcn_table *iqcn_table;
	struct summary_fast_cnp *fast;
	struct summary_fast_cnp_table *fast_table;
	struct summary_cnp *cnp;
	struct summary_np *np;
	struct summary_link *link;
	struct summary_source *source;
	struct summary_replay *replay;
	struct summary_rxbuf *rxbuf;
	struct summary_port *port;
	struct summary_nic *nic;
	struct summary_total total;
	unsigned main_group; // the largest; lowest number where several are
	int bottleneck;      // link; -1: none carried a frame
	struct record_run run;
};

#pragma GCC visibility push(hidden)

// -ENOMEM.
int summary_make(struct summary **out, const struct record *r, const struct record_run *run);
void summary_free(struct summary *s);

// Figures of h divided by `unit`. NULL: none.
struct summary_dist summary_dist(const struct hist *h, double unit);
// Of completion times and their ratios as the record keeps them.
struct summary_messages summary_messages(
	const struct hist *fct, const struct hist *posted, const struct hist *slowdown);
// Bytes sent on the wire in `frames` frames against those allowed, 0: no limiter.
struct summary_pace summary_pace(uint64_t sent, uint64_t owed, uint64_t frames);
// Gb/s of bytes in a time.
double summary_gbps(uint64_t bytes, tstamp ps);

// The parts of summary_make, in the order in which it calls them; -ENOMEM.
int summary_flows(struct summary *s, const struct record *r); // and groups
int summary_sizes(struct summary *s, const struct record *r);
int summary_queues(struct summary *s, const struct record *r); // and ingress groups
int summary_markings(struct summary *s, const struct record *r);
int summary_pools(struct summary *s, const struct record *r);
int summary_wds(struct summary *s, const struct record *r);
int summary_cn(struct summary *s, const struct record *r);
int summary_cnps(struct summary *s, const struct record *r);
int summary_pauses(struct summary *s, const struct record *r);
int summary_links(struct summary *s, const struct record *r);
int summary_counters(struct summary *s, const struct record *r);
void summary_drops(struct summary_total *t, const struct record *r);
int summary_recons(struct summary *s, const struct record *r); // while the nodes are there
int summary_expects(struct summary *s, const struct record *r);

// Jain's index (sum x)^2 / (n sum x^2); NAN for n 0 or all zero.
double summary_jain(const double *x, unsigned n);

// The queue of a port that was longest; NULL: none was in use.
const struct summary_queue *summary_deepest(const struct summary *s, const struct rec_port *p);
// Whether frames of an ingress group go to a queue of this number, by the switch's maps.
bool summary_queue_of(const struct scene_node *n, unsigned pg, unsigned queue);
const char *summary_pool_name(enum mmu_pool pool);

// How the peer of a switch's port obeyed, into a row of the pause table; a NULL: nothing is known.
void summary_pfc(struct summary_pause *o, const struct record *r, const struct rec_answer *a);
// Response times to PFC that 802.3 allows, in quanta; NAN: none is known for the rate.
double summary_pfc_limit(rate_t rate);

// One bin of a marking curve; all of them as marking.csv.
struct summary_bin summary_bin(const struct summary_marking *m, unsigned i);
int summary_marking_write(const struct summary *s, struct err *err);

// Names of keys: "qp", "ip_pair" ...
const char *summary_cnp_key(enum np_key key);

// A counter over the window, by the name that its table has; NAN: none.
double summary_port_counter(const struct summary_port *p, const char *counter);
double summary_nic_counter(const struct summary_nic *n, const char *counter);

// Whether frames discarded for a reason are lost. What a bridge or a host filters as it should is
// no loss.
bool summary_sw_loss(enum sw_drop reason);
bool summary_nic_loss(enum nic_drop reason);

void summary_recons_put(struct jw *w, const struct summary *s);

// Rates outside of 100 kb/s and the line's that a plug-in asked for, in the whole run.
uint64_t summary_clamped(const struct summary *s, const struct scene_plugin *p);
void summary_plugins_put(struct jw *w, const struct summary *s);

void summary_expects_put(struct jw *w, const struct summary *s);
int summary_junit_write(const struct summary *s, struct err *err);
// A run's criteria as an element `testsuite` of that name.
void summary_junit_put(struct out *o, const struct summary *s, const char *suite);
// The first criterion that does not hold, and how many more; "" where all do. Returns buf.
char *summary_failure(const struct summary *s, char *buf, size_t size);
// "jain is 0.93; at least 0.97 was expected". Returns buf.
char *summary_criterion_text(const struct summary_criterion *c, char *buf, size_t size);

// summary.json.
int summary_write(const struct summary *s, struct err *err);

// Why a lossless queue saw PFC and marks, or did not, as one line. False: not a lossless queue of a
// switch.
#define SUMMARY_LINE 512
bool summary_why(const struct summary *s, const struct summary_queue *q, char *text, size_t size);

// The table for the terminal. The text is the caller's; NULL: no memory.
char *summary_text(const struct summary *s);

// A figure by its path; NAN: there is none.
double summary_value(const struct summary *s, const char *path);

// Whether conservation and the pool hold. Runs that mean to lose lossless frames are asked no more.
bool report_conserved(const struct report *r);

#pragma GCC visibility pop

// The port of a queue of a cycle.
static inline const struct scene_port *deadlock_port(
	const struct record *r, const struct deadlock *d, unsigned i)
{
	return &r->scene->node[d->queue[i].node].port[d->queue[i].port];
}

// A report: the record that it took, its figures, its table.
struct report {
	struct record *rec;
	struct summary *sum;
	char *text; // NULL: no memory
};
