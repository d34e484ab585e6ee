// SPDX-License-Identifier: BSD-3-Clause
// What the files of the real clock share: clock, links, devices, lcores and the run itself.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "base/fixed.h"
#include "base/hist.h"
#include "base/rate.h"
#include "world/world.h"
#include "rt.h"

#pragma GCC visibility push(hidden)

#define RT_BURST     64
#define RT_NONE      UINT16_MAX
#define RT_LINE      64 // of cache, bytes
#define RT_SWEEP     16 // loops between two looks at events, the main lcore's word and captures
#define RT_TOLERANCE (20 * PS_PER_US)

// ---- clock: scene time from the TSC (rt_clock.c)

struct rt_instant {
	uint64_t tsc, raw_ns; // CLOCK_MONOTONIC_RAW
};

struct rt_clock {
	uint64_t tsc0;       // scene time 0
	uint64_t ps_per_tsc; // Q32, of scene time: divided by the dilation
	unsigned dilate;
};

// The two clocks read as close together as a few tries allow.
struct rt_instant rt_instant_get(void);

// Scene clock from two instants at least some ms apart; -EINVAL where the TSC stands still.
int rt_clock_init(struct rt_clock *c, const struct rt_instant *a, const struct rt_instant *b,
	unsigned dilate);

static inline tstamp rt_clock_ps(const struct rt_clock *c, uint64_t tsc)
{
	return fixed_mul(tsc - c->tsc0, c->ps_per_tsc, 32);
}

// Wall time of a span of TSC ticks, ps.
static inline tstamp rt_clock_wall(const struct rt_clock *c, uint64_t ticks)
{
	return fixed_mul(ticks, c->ps_per_tsc, 32) * c->dilate;
}

// How far the TSC has run from the calibration between two instants, parts per million.
double rt_clock_error_ppm(
	const struct rt_clock *c, const struct rt_instant *a, const struct rt_instant *b);

// ---- links in memory (rt_link.c)

// Single producer, single consumer: packets that cross from one lcore to another.
struct rt_ring {
	_Alignas(RT_LINE) _Atomic uint32_t head; // written by the sender
	uint32_t tail_seen;
	_Alignas(RT_LINE) _Atomic uint32_t tail; // written by the receiver
	uint32_t head_seen;
	_Alignas(RT_LINE) uint32_t mask;
	struct pkt *slot[];
};

// One direction of a link, kept at its receiver. Packets stand in order of arrival with p->when
// set; the list belongs to the receiving lcore and has no limit, the ring only bridges two lcores.
struct rt_link {
	struct pkt *head;
	struct pkt *tail;
	uint32_t n;
	struct rt_ring *ring; // NULL: both ends on one lcore
};

struct rt_ring *rt_ring_new(uint32_t slots); // a power of two; NULL: no memory
unsigned rt_ring_put(struct rt_ring *r, struct pkt **p, unsigned n);
unsigned rt_ring_get(struct rt_ring *r, struct pkt **p, unsigned max);
uint32_t rt_ring_count(const struct rt_ring *r); // exact only while both ends stand still
// The i-th from the oldest, while both ends stand still.
const struct pkt *rt_ring_at(const struct rt_ring *r, uint32_t i);

static inline void rt_link_put(struct rt_link *l, struct pkt *p)
{
	p->next = NULL;
	if (l->head)
		l->tail->next = p;
	else
		l->head = p;
	l->tail = p;
	l->n++;
}

// Takes what has arrived by `now`, at most `max`.
static inline unsigned rt_link_get(struct rt_link *l, struct pkt **out, unsigned max, tstamp now)
{
	struct pkt *p = l->head;
	unsigned n = 0;

	while (p && p->when <= now && n < max) {
		out[n++] = p;
		p = p->next;
	}
	l->head = p;
	l->n -= n;
	return n;
}

static inline tstamp rt_link_next(const struct rt_link *l)
{
	return l->head ? l->head->when : TSTAMP_NEVER;
}

// Moves what the ring holds to the list.
void rt_link_pull(struct rt_link *l);

// ---- the packet pool (rt_pool.c): a descriptor is the private area of its mbuf

#define RT_PRIV (sizeof(struct pkt) + sizeof(struct hdr))

struct rt_pool_size {
	uint32_t packets;
	uint16_t room;  // bytes for the frame; 0: scenes wholly in memory touch no bytes
	uint64_t bytes; // memory for all of it
};

static inline struct pkt *rt_pkt(struct rte_mbuf *m)
{
	return (struct pkt *)(m + 1);
}

static inline struct rte_mbuf *rt_mbuf(struct pkt *p)
{
	return (struct rte_mbuf *)p - 1;
}

// Packets and room that the scene needs on `lcores` workers, at most `limit` bytes (then fewer
// packets).
void rt_pool_size(
	struct rt_pool_size *size, const struct scene *scene, unsigned lcores, uint64_t limit);
// EAL's heap: hugepages, or what -m gave it; needed where a device masters the bus. Ordinary memory
// is mapped for the pool alone and good for everything else.
enum rt_memory { RT_HEAP, RT_ORDINARY };

struct rte_mempool *rt_pool_new(
	const char *name, const struct rt_pool_size *size, enum rt_memory memory, struct err *err);

// ---- EAL (rt_eal.c)

#define RT_EAL_ARGS 96

struct rt_eal_params {
	const char *program;
	const struct scene *scene;
	bool no_huge; // asked for, or found necessary
	uint64_t need_bytes;
	char **user; // EAL arguments of the user, behind ours
	int n_user;
	const unsigned *cpu; // allowed processors
	unsigned n_cpus;
	unsigned pid;
	bool no_telemetry; // there is no folder for its socket
};

struct rt_eal_args {
	int argc;
	char *argv[RT_EAL_ARGS];
	char text[4096];
	size_t used;
};

// Free hugepage memory, bytes.
uint64_t rt_eal_hugepages(void);
// Processors this process may use, ascending; returns how many.
unsigned rt_eal_cpus(unsigned *cpu, unsigned max);
// The argument vector; -E2BIG where it does not fit.
int rt_eal_compose(struct rt_eal_args *a, const struct rt_eal_params *params);
int rt_eal_start(const struct rt_eal_params *params, struct err *err);
void rt_eal_stop(void);
// Whether DPDK can have its runtime folder, where the socket of telemetry is; its parent into dir.
bool rt_eal_runtime(char *dir, size_t size);
// Removes from there what runs left that were killed.
void rt_eal_sweep(const char *parent);
// Whether `device` names a PCI function ("0000:3b:00.0", "3b:00.0,arg=..."); its full address into
// name.
bool rt_eal_pci(const char *device, char *name, size_t size);
// Collects what DPDK logs from here on; rt_eal_log_end gives the first line of it ("" for none).
void rt_eal_log_begin(void);
const char *rt_eal_log_end(void);

// ---- real ports (rt_port.c)

struct rt_dev {
	uint16_t id; // DPDK's number of the port
	bool open, created, started, promiscuous;
	bool paced;       // reads as fast as it is polled: held to the port's rate
	uint16_t max_len; // longest frame that the port takes
	tstamp rx_free;   // paced: the wire is free again
	byte_ps ps;       // of the port
	struct rt_known *known;
	struct rte_mempool *pool;
	struct rte_eth_fc_conf *fc; // as it was; NULL: the device has none
	uint64_t imissed, rx_nombuf;
	const struct scene_port *port;
};

// Finds or makes the device and fits queues and MTU to the port. One line on error; rt_dev_close
// after it all the same.
int rt_dev_open(
	struct rt_dev *d, const struct scene_port *port, struct rte_mempool *pool, struct err *err);
// Starts it; waits for its link, some seconds at most or until *stop.
int rt_dev_start(struct rt_dev *d, const atomic_bool *stop, struct err *err);
// Reads its counters, frees what still comes, stops it and puts back what was changed on it.
void rt_dev_stop(struct rt_dev *d);
void rt_dev_close(struct rt_dev *d);
// Up to RT_BURST frames as packets.
unsigned rt_dev_rx(struct rt_dev *d, struct pkt **burst, tstamp now);
// Offers n rendered frames to the port; returns how many it took.
unsigned rt_dev_tx(struct rt_dev *d, struct rte_mbuf **m, unsigned n);

// ---- frames in mbufs (rt_known.c, rt_frame.c)

// What the parser remembers of the frames of one port, for those that are like them. `pool` is
// ours; `wide`: with the widest registers that the processor has. NULL: no memory.
struct rt_known;
struct rt_known *rt_known_new(struct rte_mempool *pool, bool wide);
void rt_known_free(struct rt_known *k);
// Makes packets of n mbufs that came at `now`: what frame_to_pkt makes, but that frames alike share
// a header (its ip_id is the first one's), which lives as long as `known`. Those that are chained,
// shared or not of our pool are copied into it; those that do not fit are freed and counted.
// Returns how many are left.
unsigned rt_frame_parse(struct rt_known *known, struct rte_mbuf **m, struct pkt **burst, unsigned n,
	uint16_t max_len, tstamp now);
uint64_t rt_known_unfit(const struct rt_known *known);
// Turns n packets into frames, in place; m gets their mbufs.
void rt_frame_render(struct pkt **burst, struct rte_mbuf **m, unsigned n);

// ---- lcores (rt_loop.c)

// One port of one node, as its lcore sees it. Its number in the lcore's arrays is its slot.
struct rt_end {
	struct rt_node *node;
	uint16_t port;
	uint16_t peer;    // slot of the other end where that is on this lcore, else RT_NONE
	uint16_t n_stash; // frames that the device or the ring refused: they go first
	struct rt_dev *dev;
	struct rt_link *out; // NULL with a device
	byte_ps ps;          // of the wire
	tstamp far_ps;       // link delay and the node's latency
	tstamp last;         // arrival of the last frame sent: a link keeps its order
	struct rt_link in;
	bool capture;
	uint8_t wire_extra;
	void *stash[RT_BURST]; // mbufs for a device, packets for a ring
};

struct rt_node {
	struct net_node *net;
	uint16_t index;                              // in the scene
	uint16_t first;                              // slot of port 0
	_Alignas(RT_LINE) _Atomic uint32_t ev_given; // events up to here are the recorder's to read
	_Alignas(RT_LINE) _Atomic uint32_t ev_taken; // events up to here have been read
};

struct rt_cmd {
	tstamp at;
	struct rt_node *node;
	const struct ctl *ctl;
};

// A captured frame on its way to the recorder.
struct rt_seen {
	struct pkt *p;
	tstamp t;
	uint16_t node, port;
	uint16_t dir;
};

#define RT_SEEN 4096

struct rt_lcore {
	// Arrays by slot: what the loop looks at each time round.
	tstamp *due;    // next instant that tx could act
	tstamp *arrive; // next arrival on a link whose list is here
	struct rt_end *end;
	uint16_t n_ends;
	uint16_t n_pull, n_dev;
	uint16_t n_stashed; // ends with frames in their stash
	uint16_t *pull;     // slots whose link comes from another lcore
	uint16_t *dev;      // slots with a device
	struct pkt_stack stack;
	uint32_t low, span;       // descriptors kept in the stack: low to low + span
	uint32_t ports_max;       // of a node here
	struct rte_mempool *pool; // NULL: the stack is all there is
	struct rt_node *node;
	unsigned n_nodes;
	unsigned id; // DPDK's lcore
	// Commands of the scenario for the nodes here, by time.
	struct rt_cmd *cmd;
	unsigned n_cmds, next_cmd;
	tstamp next_ctl;
	uint64_t hops;    // packets given to nodes
	uint64_t starved; // times that the pool had too little
	// The clock of this lcore.
	const struct rt_clock *clock;
	tstamp end_at;
	tstamp slip_limit; // most that scene time advances in one loop; TSTAMP_NEVER: no limit
	tstamp slipped, slip_max;
	uint64_t slips;
	tstamp tolerance;
	tstamp over; // time in gaps beyond the tolerance
	// The recorder's turn: at `next_turn`, or when what waits for it grows.
	void (*turn)(struct rt_lcore *lc, tstamp now);
	void *turn_arg;
	tstamp next_turn;
	// Captured frames on their way to the recorder.
	struct rt_seen *seen; // NULL: nothing is captured
	uint64_t seen_lost;
	_Alignas(RT_LINE) _Atomic uint32_t seen_head;
	_Alignas(RT_LINE) _Atomic uint32_t seen_tail;
	// Between this lcore and the main one.
	_Alignas(RT_LINE) _Atomic tstamp now; // events before it have been handed over
	_Atomic uint32_t held; // turns in which this lcore has waited for the main one
	atomic_bool done;
	atomic_bool *quit;
	_Atomic(struct query *) query; // what another thread asks, until it is taken
	tstamp idle_p99;               // loop gap of a loop that does nothing, wall ps
	struct hist gap;               // time between two loops, scene ps
};

// One time round the loop at scene time `now`.
void rt_lcore_step(struct rt_lcore *lc, tstamp now);
// Hands events over to the recorder and publishes `now`. True where much waits for the recorder.
bool rt_lcore_publish(struct rt_lcore *lc, tstamp now);
// The loop from scene time 0 until end_at or *quit; an lcore function of DPDK.
int rt_lcore_run(void *lcore);
// A command to a node of this lcore, from its own thread.
int rt_lcore_ctl(struct rt_lcore *lc, const struct rt_node *n, const struct ctl *ctl, tstamp now);
// Fills the stack from the pool, or gives back what is too much.
void rt_lcore_level(struct rt_lcore *lc);

// ---- the world (rt_world.c): nodes, ends and links spread over lcores

struct rt_world {
	const struct scene *scene;
	struct net *net;
	unsigned n_lcores;
	struct rt_lcore **lcore;
	uint16_t *lcore_of; // of each node
	struct rt_node **node_of;
};

// Lcores with empty stacks of `stack_cap` descriptors; node i lives on lcore lcore_of[i]. -ENOMEM.
int rt_world_init(struct rt_world *w, const struct scene *scene, unsigned n_lcores,
	const uint16_t *lcore_of, uint32_t stack_cap);
// Builds the nodes and joins them by links; devices are the caller's to set. Stacks are filled
// before where a replay is among the nodes. `event_want` and `tolerance` as in net_opts.
int rt_world_build(struct rt_world *w, uint64_t event_want, tstamp tolerance, struct err *err);
// How many descriptors the stack keeps between calls, of `share` that the pool has for this lcore.
void rt_world_levels(struct rt_lcore *lc, uint32_t share);
struct rt_end *rt_world_end(const struct rt_world *w, unsigned node, unsigned port);
// Packets on links and in stashes; only while no lcore runs.
// Each packet that is on a link in memory, while all lcores stand still.
void rt_world_each_in_flight(
	const struct rt_world *w, void (*fn)(void *arg, const struct pkt *p), void *arg);
uint64_t rt_world_in_flight(const struct rt_world *w);
void rt_world_fini(struct rt_world *w);

// ---- questions to a running world (rt_query.c)

// Lets the lcore of q->node answer; from any thread, one at a time. -ETIMEDOUT; -ESHUTDOWN once it
// is done.
int rt_query_ask(struct rt_world *w, struct query *q, unsigned timeout_ms);
// Answers what stands in the lcore's box, on the lcore.
void rt_query_answer(struct rt_lcore *lc, tstamp now);

// ---- what runs where, and how fast (rt_plan.c, rt_rehearse.c)

// The lcore of each node: the scenario's (an lcore number of `id`), else spread by load.
int rt_plan_place(const struct scene *scene, const unsigned *id, unsigned n_lcores,
	uint16_t *lcore_of, struct err *err);
// Wire time of the largest frame on the fastest link: the scene's packet time, ps.
tstamp rt_plan_packet_time(const struct scene *scene);
// Serializer tolerance: two frames or twice the p99 loop gap, at most 20 us.
tstamp rt_plan_tolerance(const struct scene *scene, tstamp gap_p99);
// Longest loop gap that the scene's timers bear, ps: half of the shortest.
tstamp rt_plan_shortest_timer(const struct scene *scene);
// Dilation for a load: wall time that the scene's work takes per scene time on one lcore.
unsigned rt_plan_dilate(double load, unsigned n_lcores);

// What the scene costs on this machine.
struct rt_rehearsal {
	double load; // wall time per scene time on one lcore, in its busiest stretch, with a margin
	uint64_t hops, steps, wall_ns;
	char crash
		// the line about firmware that crashed meanwhile, and was not called again; "":
		// none
		[256];
};

// Runs the scene's beginning on the calling thread as fast as it goes, for `limit_ns` of wall time
// or to its end. Needs no EAL.
int rt_rehearse(
	struct rt_rehearsal *r, const struct scene *scene, uint64_t limit_ns, struct err *err);
// What a loop that does nothing suffers on this lcore, into idle_p99; an lcore function of DPDK.
// The clock is set and undilated.
int rt_warm(void *lcore);

// ---- the recorder's side (rt_record.c): one thread at a time calls it

struct rt_recorder {
	struct record *rec;
	struct rt_world *world;
	struct net net; // as the recorder sees it: the nodes, but event rings that only it reads
	struct rte_mempool *pool; // of captured copies; NULL: they go back to the lcore's stack
	tstamp next_sample, period, warmup;
	bool warm;
};

// `waits`: the scene's clock waits for the recorder, so that any period will do.
int rt_recorder_init(struct rt_recorder *r, struct rt_world *world, const struct record_opts *opts,
	struct rte_mempool *pool, unsigned dilate, bool waits, struct err *err);
// Next instant at which the recorder wants to look.
tstamp rt_recorder_next(const struct rt_recorder *r);
// Takes what has been handed over; events before `safe` are complete. Samples and ends the warm-up
// where that is due at `now`.
void rt_recorder_turn(struct rt_recorder *r, tstamp safe, tstamp now);
// Tells the record what is on its way, while all lcores stand still.
void rt_recorder_in_flight(struct rt_recorder *r);
// Events and captured frames that found no room.
uint64_t rt_recorder_lost(const struct rt_recorder *r);
void rt_recorder_fini(struct rt_recorder *r);

// ---- the run (rt.c, rt_main.c)

struct rt {
	const struct scene *scene;
	const struct rt_opts *opts;
	struct rt_world world;
	struct rt_pool_size size;
	struct rte_mempool *pool;
	struct rt_dev *dev;
	unsigned n_dev;
	bool eal, slips; // slips: the world is on one lcore and in memory, so its clock may wait
	unsigned lcore_id[RTE_MAX_LCORE], n_lcores;
	struct rt_clock clock;
	struct rt_instant boot, begin, end; // of calibration and of the run
	tstamp tolerance;
	struct rt_recorder recorder;
	_Atomic uint32_t released; // turns after which the held lcores go on
	atomic_bool quit;
	struct record_run run;
};

// One line for the user, by opts->say or on stderr.
__attribute__((format(printf, 2, 3))) void rt_say(const struct rt *rt, const char *fmt, ...);
// Runs the lcores to the end of the scene or until opts->stop; fills what of rt->run they know.
int rt_main(struct rt *rt, struct err *err);
// After rt_main: gaps, losses and whether the timing held, into rt->run.
void rt_verdict(struct rt *rt);

#pragma GCC visibility pop
