// SPDX-License-Identifier: BSD-3-Clause
// The contents of a record: the objects that it watches, their counters at the window's start, its
// files.
#pragma once

#include "base/hist.h"
#include "base/index.h"
#include "cap/cap.h"
#include "evf/evf.h"
#include "outside/outside.h"
#include "tap/tap.h"
#include "world/world.h"
#include "out/out.h"

#define REC_FILES      16 // of a run folder
#define REC_LABEL      80
#define REC_NOTE       160               // a line about what was not recorded
#define REC_SPREAD     4096              // bins of a rec_spread
#define REC_SPREAD_FEW 64                // values that it keeps before it has bins
#define REC_EPISODES   (2 * PAUSE_PRIOS) // received by priority, then sent by priority
#define REC_CNP_KEYS   (NP_KEY_PORT + 1)
#define REC_NO_LATENCY UINT32_MAX
#define REC_SAMPLES    512 // of a flow that wait at most, a power of two
#define REC_CNP_QPS    64  // with more flows, queue pairs have no distributions of their own
#define REC_SUM_POINTS 256 // of a rec_sum at most, a power of two
#define REC_STEADY     500 // intervals whose values show whether the run has settled
#define REC_FINER      4   // intervals of a first pass are a 4th as long until they are folded

// The counters of a port at one instant.
struct rec_port_mark {
	tstamp idle_ps; // without a frame on the wire
	tstamp lost_ps; // wire time given up
	tstamp refused_ps;
	struct pause_stats rx[PAUSE_PRIOS], tx[PAUSE_PRIOS];
	uint64_t pause_tx, pfc_tx; // frames
	struct sw_port_stats sw;
};

// One port of a node.
struct rec_port {
	uint16_t node, port;
	const struct scene_port *scene;
	struct fmt_text label;
	const struct eport *e;       // NULL: a replay's
	const struct eport *wire;    // its serializer, a replay's too
	const struct net_node *lane; // nodes that share the wire of a host on several lcores
	unsigned n_lanes;            // of them; 0: the port's node has its wire to itself
	const struct pause_rx *rx;
	const struct pause_tx *tx;
	const uint64_t *pause_tx, *pause_rx; // frames of 802.3x
	const struct sw *sw;                 // NULL: not a switch's
	const struct replay_stats *replay;   // NULL: not a replay's
	const struct tester_stats *tester;   // NULL: not a tester's
	const tstamp *refused_ps;            // lent by the driver; NULL: nobody refuses frames
	// Frames that came by a device, dated by its stamps and by the loop; NULL: no device
	const uint64_t *stamped, *unstamped;
	struct rec_queue *queue;          // PKT_CLASSES of them; NULL: a replay's
	const struct rec_port_mark *warm; // never NULL
	struct rec_episodes *episodes;    // [REC_EPISODES]; NULL before the first
	uint64_t pfc_seen[PAUSE_PRIOS];   // XOFF and XON sent, by events of the whole run
	uint64_t sampled_bytes;           // of its queues, at the sample being taken
	uint32_t *bin;                    // qlen.txt: samples of the window by KB
	uint32_t bins;
	bool live;             // one of its queues is in timeseries.csv
	int capture;           // interface in capture.pcapng; -1: none
	struct tap_hits *hits; // of its frames there; NULL: no faults are expected
	uint32_t marks;        // record.marks at its last frame there
};

// The traffic of a priority that a peer of a switch sends between the switch's XOFF and XON.
struct rec_answer {
	bool asked;
	uint32_t bytes, frames; // received when the last XOFF of the pause left, low bits
	// received from its first XOFF to its last, with FCS; with preamble and gap
	uint64_t came_bytes, came_wire;
	uint64_t n, max_bytes; // ended in the window; most, with FCS
	struct hist *wire;     // bytes with preamble and gap
};

// A sum that grows over time: its value at some instants, in order. Between two it grows evenly.
struct rec_sum_point {
	tstamp t;
	double sum;
};

struct rec_sum {
	struct rec_sum_point *point;
	unsigned n, room;
};

// The causes of a message's completion time, which sum to it.
enum rec_cause {
	REC_WIRE,   // it would have taken so long alone
	REC_PAUSE,  // its class was paused at its sender
	REC_CUT,    // its reaction point held it back
	REC_RESEND, // frames were sent again, or its sender waited for a timeout
	REC_QUEUE,  // all else
	REC_CAUSES
};

// Messages acknowledged in the window whose ideal time is known, and their causes.
struct rec_split {
	uint64_t messages;
	double ps[REC_CAUSES];
};

// The losses of a flow by its sender.
struct rec_loss {
	struct rec_sum resent; // wire time of frames sent again, ps
	struct rec_sum waited; // time without a frame before timeouts, ps
	// in the window
	uint64_t resent_frames, timeouts;
	double resent_ps, waited_ps;
};

// Pauses that ended in the window, of one priority and direction.
struct rec_episodes {
	tstamp began;   // of the running pause; TSTAMP_NEVER: none
	tstamp until;   // the last XOFF that was sent asked until then; TSTAMP_NEVER: until XON
	tstamp longest; // most time in the window of a pause that has ended
	struct hist *length;
	struct rec_sum ended;     // received ones of a host, of the whole run, ps
	struct rec_answer answer; // sent ones
};

// The counters of a queue at one instant.
struct rec_queue_mark {
	struct sw_class_stats cls;
	struct sw_wd_stats wd;
};

// Mean length of a queue, interval by interval.
struct rec_lengths {
	const struct eport_q *q; // of the queue, as is `hist`
	const struct hist *hist;
	unsigned __int128 byte_ps; // at the end of the last interval
	float bytes[];             // rec_steady.room
};

// A port whose queues may be the bottleneck.
struct rec_steady_port {
	const struct eport *e;
	struct rec_queue *queue; // PKT_CLASSES of them
	uint8_t used;            // bitmap: classes that have lengths
};

// The intervals of a run, up to its drain, that show whether it has settled, and what its main
// group received in each. Queues have their own values.
struct rec_steady {
	tstamp step;    // of an interval
	unsigned room;  // intervals up to the drain, at most REC_STEADY
	unsigned n;     // intervals that have ended
	unsigned takes; // looks by which their values are known; on the real clock one for several
	tstamp taken;   // the last look
	unsigned group; // the main group: the one with most flows, of equals the first
	uint64_t rx_bytes; // of it at the last look
	float bytes[REC_STEADY];
	struct rec_steady_port *port;
	struct rec_lengths **lengths; // of each queue that has held a frame
	unsigned n_ports, n_lengths;
};

// One egress queue.
struct rec_queue {
	struct rec_port *port;
	const struct eport_q *q;
	const struct sw *sw;           // NULL: a NIC's
	const struct red_curve *curve; // NULL: no marker
	uint8_t cls;
	bool used;          // has carried a frame out, or dropped one that came in
	uint64_t max_bytes; // in the window
	struct hist_early *warm_hist;
	const struct sw_wd_stats *wd;      // NULL: the watchdog does not watch it
	const struct rec_queue_mark *warm; // never NULL
	struct red_curve *warm_curve;      // NULL: nothing was decided by then
	tstamp first_mark, last_mark;      // in the window; TSTAMP_NEVER: none
	struct rec_lengths *lengths;       // NULL: it has held no frame, or can be no bottleneck
	// as of the last sample
	unsigned __int128 byte_ps;
	uint64_t tx_bytes, marks, drops;
	tstamp paused_ps;
};

// Distribution of rates in thousandths of the fair share; the last bin has all larger ones. Most
// distributions have few values, so bins are made only for more than REC_SPREAD_FEW.
struct rec_spread {
	uint64_t n, sum;
	uint32_t *bin; // NULL: `few` has the values, as they came
	uint16_t few[REC_SPREAD_FEW];
};

// Links that flows connect, with these flows.
struct rec_component {
	tstamp onset, until; // its last flow starts, its first one ends
	bool loaded;         // a load is among its flows, and nobody knows what is fair
};

// How the flows of a group came to their fair shares.
struct rec_share {
	unsigned component;                // in record.component
	tstamp settled;                    // since when no flow of the group has been off its share
	tstamp judged;                     // end of the last period that counts; 0: none
	bool off;                          // in the period at hand
	uint64_t periods, periods_off;     // of all flows together, in the window
	struct rec_spread *window, *since; // goodput of the periods: in the window, since `settled`
};

// The counters of a flow at one instant.
struct rec_sample {
	tstamp t;
	uint64_t wire_bytes; // that its data frames have taken of the link
	bool waits;          // messages are not yet acknowledged
};

// Samples of a flow, oldest first, that wait because the reaction point may still report a reaction
// from before them.
struct rec_samples {
	unsigned first, end;               // of the samples that are left; numbers go on counting
	struct rec_sample at[REC_SAMPLES]; // n at n modulo REC_SAMPLES
};

// The counters of a flow's two ends when the window began.
struct rec_flow_mark {
	struct nic_qp_stats tx, rx;
};

// CNPs and CNMs that switches made for a flow in the window, by the hop of `back` where they began.
struct rec_made {
	uint64_t cnps[ROUTE_HOPS], cnms[ROUTE_HOPS];
};

// A reaction point that several flows share: each of its events is recorded once and applies to all
// of them.
struct rec_limiter {
	unsigned *flow; // flows that share it, in the order of their lines in the files
	unsigned n;
	unsigned n_sampled, *sampled; // of them those with samples, all of which are of one time
	bool kept;                    // one of them may have lines of its own
	struct rp_book book;
};

// One flow: a requester and a responder.
struct rec_flow {
	const struct scene_flow *scene;
	const struct nic_qp_stats *tx,
		*rx;                // zeros of an end that is not ours; NULL: its NIC has them
	const struct nic *nic, *to; // of the sender, of the receiver; NULL: not ours
	unsigned qp, to_qp;         // their numbers there
	bool rp;                    // it has a reaction point
	uint8_t wire_extra;         // bytes of a frame on the link besides its length
	const struct nic *asks;     // of who posts messages; NULL: not ours
	unsigned asks_qp;           // its number there
	unsigned group, size;
	unsigned latency; // in record.latency, of its group and receiver; REC_NO_LATENCY: not ours
	const struct rec_flow_mark *warm; // never NULL
	struct route route, back;
	const struct ideal *ideal; // of its messages, in record.ideal; NULL: no way is known
	tstamp travel_ps;          // of these ways
	tstamp standalone_ps;      // of its own message size; 0: no way is known
	tstamp packet_ps;          // the same of a message of one full packet
	rate_t slowest;            // of the links on its way; 0: no way is known
	bool used;
	struct fmt_text label;
	// as of the last sample
	uint64_t rx_bytes, cnp_rx;
	// max-min fairness: payload where every flow has its share, and the link that sets it
	double fair_gbps; // 0: no way
	struct route_hop tightest;
	unsigned component;
	// as of the last period of rec_share
	uint64_t share_bytes;
	double part; // goodput in it over the fair share
	bool off, over;
	// from events
	struct rec_limiter *limiter; // NULL: its reaction point is its own, or it has none
	struct rp_book book;         // see rec_flow_book
	bool lent;                   // the NIC has the book, and tells no event of its entries
	unsigned cnp[REC_CNP_KEYS];  // its row of record.cnp for each key
	uint8_t cnp_own;             // bitmap of the keys whose rows are not alike a narrower one
	struct rec_made *made;       // NULL: none
	uint64_t in_flight, in_flight_warm; // data frames in queues and on links, as last told
	uint64_t messages;                  // acknowledged in the whole run
	uint64_t numbered;                  // of them, in the order of the files
	struct rec_split split;
	struct rec_loss *loss;  // NULL: it has sent nothing again
	struct rec_sum allowed; // by its own reaction point in the window, bits
	tstamp done_at;         // of the last one
	tstamp posted_at;       // of the first one
	// record_rate: as of its last sample
	tstamp wire_at;
	uint64_t wire_bytes;
	unsigned __int128 wire_rc_ps;
	struct rec_samples *samples; // NULL: it is not sampled
};

#define REC_FEW         4
#define REC_NO_SLOWDOWN UINT64_MAX

// Completion times of a message: from its first frame and from its posting, ps, and how many
// thousandths of its ideal time the first is; REC_NO_SLOWDOWN: that is not known.
struct rec_times {
	uint64_t fct, posted, slowdown;
};

// A list of messages, the latest first.
struct rec_few {
	struct rec_few *next;
	unsigned n;
	struct rec_times of[REC_FEW];
};

// Messages of one size (size.c).
struct rec_size {
	uint64_t bytes;
	struct hist *fct, *fct_posted, *slowdown; // as a group's; NULL: all messages are in `few`
	struct rec_few *few;
	unsigned n_few; // messages in it
};

// Messages of a group whose sizes are in one of its bins, and that were posted in the window of
// posting.
struct rec_bin {
	uint64_t unfinished;   // lost by a failure, or not ended when the run did
	struct hist *fct;      // ps from posting, of messages that ended; NULL: none has
	struct hist *slowdown; // thousandths, by these times
};

// CNPs of one notification point for one queue pair, pair of addresses, destination or all of them
// (enum np_key), beside the CNPs that its mode requires for the CE frames that came. Until the end
// counts, and distributions except the gaps', belong to the narrowest key only: then the rows of
// wider keys are made of them.
struct rec_cnp {
	enum np_key key;
	unsigned first; // a flow of it
	unsigned flows; // that it has
	bool alike; // its flows are those of one row of the next narrower key, which stands for it
	bool drawn; // `gap` is made, of this row or for one that it stands for
	struct np_due due;                       // CNPs that the mode asks for
	tstamp last;                             // CNP; TSTAMP_NEVER: none
	uint64_t ce, naks, cnps, nak_cnps, made; // in the window of the figures; made: by switches
	uint64_t close_gaps;                     // under 95 % of the interval
	tstamp gap_min;
	struct hist *gap, *np_delay, *way; // ps; NULL: none, or too many queue pairs
};

// Flows that compete: of one group of the scenario, or of one name and one destination.
struct rec_group {
	char name[64];           // "incast", or "incast>r" where the name has several destinations
	unsigned first, n;       // flows; first is the lowest number
	uint16_t to;             // destination of the first
	bool several;            // others have other destinations
	struct hist *cnp_gap;    // ps
	struct hist *fct;        // ps, messages acknowledged in the window
	struct hist *fct_posted; // the same, with the time that they waited behind their flow's own
	struct hist *slowdown;   // thousandths
	struct rec_split split;
	struct hist *cut;     // ps
	struct hist *rtt;     // ps, of ACKs in the window; NULL: none was timed
	struct hist *latency; // ps, of data that came in the window; NULL: none, or the run goes on
	struct rec_spread *wire; // of Rc, sample by sample in the window
	struct rec_share share;
	const struct scene_bins *bins; // sizes of messages; NULL: it has none
	struct rec_bin *bin;           // one for each
};

struct rec_source {
	const struct scene_source *scene;
	const struct gen *gen;          // NULL: none
	const struct nic_gen_stats *rx; // never NULL
	uint64_t tx_frames_warm, tx_bytes_warm, lost_warm;
	uint64_t in_flight; // in queues and on links, as last told
	uint64_t gone_warm; // lost by then
	bool counted;       // its receiver is ours
	unsigned latency;   // in record.latency; REC_NO_LATENCY: its receiver is not ours
	// how far its latencies may be off, for its sender has another clock; 0: it has not
	tstamp latency_bound;
	struct nic_gen_stats rx_warm;
	struct route route;
	struct fmt_text label;
	// Of a source whose frames come back to us.
	const struct trip_stats *trips; // NULL: none do
	struct trip_stats trips_warm;
	uint64_t echo_in_flight; // on their way back, as last told
	uint64_t echo_gone_warm;
	unsigned rtt;      // as latency
	struct route back; // of returning frames
};

#define REC_JOB_KEPT 64 // iterations that are kept of the first ones of a job, and of its last

// An iteration of a job, from the earliest start to the last end of a RECV or CALC of all ranks.
struct rec_iteration {
	uint32_t number;
	uint32_t told;     // ranks that have ended it
	uint32_t parts;    // of the split of the rank `last` that have come
	uint32_t last;     // the rank with the last end; of several the lowest
	tstamp start;      // the earliest
	tstamp first, end; // the first end of a rank, and the last
	// Of the chain that led to the last end. From the iteration's end on the parts sum to
	// end - start, unless they are unknown: then all are 0.
	struct job_split split;
};

// A job. Ranks whose hosts another part runs are not told of.
struct rec_job {
	const struct scene_job *scene;
	uint32_t here;        // ranks that are ours
	uint32_t over;        // of them those that have ended their last iteration
	uint32_t *next;       // [ranks] the iteration that each ends next
	uint32_t *times_last; // [ranks] iterations that each ended last
	// Iterations that some rank has ended and others have not: those from number `ended` on,
	// each at its number modulo `room`, a power of two.
	struct rec_iteration *open;
	uint32_t room, n_open;
	uint32_t ended; // iterations that all ranks have ended
	// Of these:
	tstamp start, end;      // of the first one; of the last one
	struct job_split split; // parts of end - start; the rest is `between`, or unknown
	tstamp between;         // from the end of an iteration to a later start of the next one
	struct hist *length, *spread; // ps: end - start, end - first. NULL: none has ended
	struct rec_iteration kept[2 * REC_JOB_KEPT]; // the last ones by number modulo their room
};

// A receive buffer that may fill.
struct rec_rxbuf {
	const struct scene_node *scene;
	const struct nic *nic;
	struct fmt_text label; // "r:s1.rxbuf"
};

// Counters of a node that belong to no port.
struct rec_node {
	struct nic_stats nic;
	struct replay_stats replay;
};

// Events of a node in the whole run.
struct rec_seen {
	uint64_t marks, cnp_tx, cnp_rx, drops;
};

// Counters that show whether a queue has come into use.
struct rec_watch {
	const uint32_t *max_bytes;
	const uint64_t *dropped_frames;
};

// Lines of a type of event.
struct rec_rate {
	uint64_t second;   // of scene time
	uint32_t lines;    // in it
	uint64_t left_out; // in the whole run
};

// Memory for distributions, given back with the record.
struct rec_dists {
	struct hist **slab;
	unsigned n_slabs, used; // used: of the last slab
};

struct record;

typedef void record_stat_fn(struct record *r, const struct ev *e);

#define REC_MARKS (1u << 16) // that may come while a run goes on

struct record {
	const struct scene *scene;
	struct net *net;
	char *dir;  // NULL: no files
	int lock;   // of the folder; -1: none
	bool dists; // with distributions in a folder of their own
	bool first_pass;
	unsigned n_ports, n_queues, n_flows, n_groups, n_sizes, n_sources, n_rxbufs, n_jobs;
	struct rec_port *port;
	unsigned *first_port; // by node
	struct rec_queue *queue;
	struct rec_queue **live; // the queues in timeseries.csv; the others are behind them
	struct rec_watch *watch; // of the queues behind the live ones, by the same index
	unsigned n_live, n_watched;
	struct evf_names *names; // of events; its tables of the run are below
	struct evf_lines lines;  // of events.csv
	struct evf_node *node_names;
	struct evf_job *job_names;
	struct fmt_text *mark_texts;       // of `mark`, by number; names->mark has them
	uint32_t n_marks;                  // that have a text; names->mark has room for more
	uint32_t marks, mark;              // marks told so far; number of the last one's text
	struct rec_port_mark *port_warm;   // of ports that had counted something; NULL: none had
	struct rec_queue_mark *queue_warm; // of queues that had counted something; NULL: none had
	struct rec_flow *flow;
	struct rec_flow_mark *flow_warm; // of flows that had counted something; NULL: none had
	struct rec_group *group;
	struct rec_component *component; // by the port of its first link; most stand for none
	struct rec_limiter *limiter;
	unsigned n_limiters;
	unsigned *sharing;     // flows that share a reaction point, by that
	struct rec_size *size; // smallest first
	struct rec_source *source;
	struct rec_job *job;
	bool in_flight_known; // of all sources, at this instant
	struct rec_rxbuf *rxbuf;
	struct rec_cnp *cnp; // NP_KEY_QP first, as the flows are numbered
	unsigned n_cnps;
	struct evf_owner *hdr; // by id
	struct rec_dists dists_room;
	struct hist *latency; // ps: lent to the NICs that receive
	unsigned n_latencies;
	struct deadlocks dead;
	struct rec_node *node_warm;
	struct rec_seen *seen; // by node
	tstamp warm;           // start of the window, as it is planned until `warmed`
	bool warmed;
	tstamp sampled;   // instant of the last sample
	uint64_t samples; // taken in the window
	tstamp share_at;  // end of the last period of rec_share
	struct rec_steady steady;
	tstamp rate_at;  // last sample of record_rate
	unsigned *rated; // flows that record_rate samples
	unsigned n_rated;
	struct ideals ideals;
	bool has_bins;                    // a group has some
	struct rec_samples *rate_samples; // of these flows
	record_stat_fn *take[EV_TYPES];   // takes events into figures; never NULL
	// events for the files that are held back until all that could come before them are here
	struct ev *ev, *ev_room; // events before first_ev have been written
	size_t first_ev, n_ev, ev_cap;
	// what goes into the files; of a run without files nothing
	uint64_t types; // bitmap of enum ev_type
	uint64_t held;  // of them those of which some event may have a line
	bool has_fct, has_pfc;
	bool series;   // samples are taken for timeseries.csv and qlen.txt
	uint64_t room; // bytes that the files may still take
	bool full;     // they had no room for a line at full_at
	tstamp full_at;
	char full_why[128]; // the file that could not grow; "": the scenario's limit was reached
	int kept;           // a file that keeps room for the files of the end; -1: none does
	struct rec_rate rate[EV_TYPES];
	struct out ts, events, fct, pfc, manifest; // events: unless they are binary
	struct evf_writer *events_bin;
	uint64_t begin_ns; // since 1970, of scene time 0; 0: scene time has none, as it is virtual
	struct capw *capw;
	char *missing[REC_FILES]; // files that are not whole, and why
	unsigned n_missing;
	void (*say)(void *arg, const char *line);
	void *say_arg;
	uint8_t *frame; // room for a frame of the capture (frame_shown)
	char *command;
	int error; // of the first step that failed with the run under way
	struct err err;
};

// Returns n if flow 0 and every n-th flow have lines of their own in the files; 0: none has. With
// `top` none has, because the top is known only at the end.
static inline unsigned record_flow_step(const struct record *r)
{
	const struct scene_record *want = &r->scene->record;

	return want->flows == SCENE_FLOWS_ALL      ? 1
	       : want->flows == SCENE_FLOWS_ONE_IN ? want->flows_n
						   : 0;
}

// Whether a flow has lines and objects of its own in the files, by its number.
static inline bool record_flow_kept(const struct record *r, unsigned flow)
{
	unsigned step = record_flow_step(r);

	return step && flow % step == 0;
}

// The counters of a flow's sender and receiver, until the next call of either.
const struct nic_qp_stats *rec_flow_tx(const struct rec_flow *f);
const struct nic_qp_stats *rec_flow_rx(const struct rec_flow *f);
// The part of a flow that posts messages; NULL: it is not ours, or nothing is outstanding.
const struct rc_tx *rec_flow_rc(const struct rec_flow *f);
// The counters of a flow's sender at this moment, with the counters of a shared reaction point.
void rec_flow_sent(const struct rec_flow *f, struct nic_qp_stats *s);

// The book of the flow's reaction point.
static inline const struct rp_book *rec_flow_book(const struct rec_flow *f)
{
	return f->limiter ? &f->limiter->book : &f->book;
}

// Writes the n_cnps rows of CNPs of a run that still goes on. They include counts that the record
// itself has only at its end: the keys within each row, and the counts of narrower rows.
// Distributions of delays are those of the narrowest key.
void record_cnp_so_far(const struct record *r, struct rec_cnp *rows);

// The record of a port of a node that this process runs.
static inline struct rec_port *record_obj_port(const struct record *r, unsigned node, unsigned port)
{
	return &r->port[r->first_port[scene_here(r->scene, node)] + port];
}

// The counters of a node's replay (net_replay_stats() is not NULL). For a NIC they include the
// frames that it received.
void record_replay(const struct net_node *n, struct replay_stats *s);

// Until now: frames that a port has sent; the time in which its wire was idle, until `now`; wire
// time that it gave up.
uint64_t rec_port_tx_frames(const struct rec_port *p);
tstamp rec_port_idle_ps(const struct rec_port *p, tstamp now);
tstamp rec_port_lost_ps(const struct rec_port *p);

// The bytes that a queue holds, and the most that it has held. For a host on several lcores both
// are the sum over its lanes, so the most is an upper bound.
struct sw_class_stats rec_class_stats(const struct rec_queue *q); // of a switch
uint64_t rec_queue_bytes(const struct rec_queue *q);
uint64_t rec_queue_max(const struct rec_queue *q);
// The histogram of its length. NULL: not monitored, or of a host on several lcores.
struct hist *rec_queue_hist(const struct rec_queue *q);
// Bytes times ps that a queue with this histogram has held, up to now.
unsigned __int128 rec_queue_byte_ps(const struct eport_q *q, const struct hist *h, tstamp now);

// The time in the window, until t, of a pause that is running; 0: none is.
tstamp rec_pause_part(const struct record *r, const struct rec_episodes *e, tstamp t);

// Returns for how long (ps) frames that had left the port waited because the device or ring behind
// it was full.
tstamp rec_port_refused_ps(const struct rec_port *p);

// End of the instants at which messages are posted that count by their size.
tstamp record_posting_end(const struct record *r);

// An iteration of a job that has ended; NULL: it has not, or it is not kept.
const struct rec_iteration *record_job_iteration(const struct rec_job *j, uint32_t number);

// Begin of the window of figures.
static inline tstamp record_window(const struct record *r)
{
	return r->warm;
}

// The instant from which the completion time of a message counts: it could be sent from then on; a
// load's had come.
static inline tstamp rec_message_since(const struct rec_flow *f, const struct ev_message *m)
{
	return f->scene->req.loaded ? m->posted : m->begun;
}

// Thousandths at or below which `permille` lies; s is not empty.
unsigned record_spread_at(const struct rec_spread *s, unsigned permille);

// Bytes on the link that data frames have taken, by their counters.
uint64_t record_rate_wire(const struct rec_flow *f, const struct nic_qp_stats *tx);

// Returns how many data frames of a flow are lost in the window: they were sent, have not come to
// its receiver, and are in no queue and on no link. A copy that came makes up for one. -1: not
// known. sent, came: its counts in the window.
int64_t record_flow_lost(
	const struct record *r, const struct rec_flow *f, uint64_t sent, uint64_t came);
// Returns how many frames of a source are lost so far. *in_flight: frames on their way.
uint64_t record_source_lost(
	const struct record *r, const struct rec_source *s, uint64_t *in_flight);
// Returns how many frames of an echoed source are lost, in both directions. *in_flight: frames on
// their way in both.
uint64_t record_echo_lost(const struct record *r, const struct rec_source *s, uint64_t *in_flight);
