// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room: ports, queues, XOFFs with the queues that held them, shares of
// roots.
#pragma once

#include "base/fixed.h"
#include "base/index.h"
#include "tell.h"

#pragma GCC visibility push(hidden)

#define CLASSES       8
#define HOLDERS       4            // that an XOFF tells of
#define WHOLE         (1ull << 48) // a share of all
#define BYTES_MOST    (1ull << 60) // that a holder or a group may have
#define ACCOUNT_ROOTS 256          // that an account tells apart
#define IN_FLIGHT     64           // XOFFs of a queue that are on their way at most
#define PARTS_LOOKED  8            // newest parts of a pause that another one may be added to
#define ROOT_UNSAID   0            // the record does not say
#define ROOT_OTHER    1

// Times by root, which sum to the time that the account has run. Whoever names an account holds a
// reference. An account with several references does not change any more: a later account starts
// with the same roots in the same order.
struct account {
	uint32_t refs;
	uint32_t n, room;
	struct account_time {
		uint32_t root;
		tstamp ps;
	} time[];
};

// A vertex waits for another vertex, or for a root.
struct edge {
	uint64_t share;       // of WHOLE
	struct vertex *to;    // NULL: a root
	uint32_t root;        // where `to` is NULL
	struct account *seen; // of `to`, as of the instant of the vertex that waits
};

// A queue, or a ring of queues, that is paused for a time. Each instant of this time is divided
// among its edges by their shares, and then among the edges of those. No path along edges leads
// back.
struct vertex {
	tstamp at;           // its account is up to here
	struct account *sum; // NULL: nothing yet
	unsigned n;
	struct edge *edge;
};

// Queues that wait for each other all round: one vertex.
struct ring {
	struct vertex v;
	uint32_t n;
	uint32_t member[];
};

// The holder of a part of the ingress group: a queue of the switch, or a root.
struct held {
	uint64_t share; // of WHOLE; bytes until all holders are told
	uint32_t queue; // LINEAGE_NONE: a root
	uint32_t root;
};

// An XOFF of one class, and what held its bytes at that instant. Whoever names it holds a
// reference.
struct xoff {
	struct xoff *next; // of XOFFs in flight
	tstamp t;
	uint32_t refs;
	uint32_t episode;
	uint64_t group_bytes;
	unsigned n;
	struct held held[HOLDERS + 1]; // the last one may be ROOT_OTHER
};

// A port and a class: what it is stopped by, and how it stops its peer.
struct queue {
	struct vertex v;
	struct edge edge[HOLDERS + 1];
	struct ring *ring; // that it is in; NULL: none
	uint32_t number;
	uint32_t root; // as a congested egress; LINEAGE_NONE: not asked for yet
	tstamp ps;     // paused in all, but for the pause that it is in

	uint32_t pause;        // that it is in; LINEAGE_NONE: it may send
	uint32_t newest;       // its newest pause; LINEAGE_NONE: none
	struct account *begun; // its account when the pause began
	struct xoff *cause;    // of the pause, the newest
	uint32_t episode;      // of the peer, that the cause belongs to; 0: no XOFF is known of

	// Direct parts of the pause.
	tstamp since;                // parts are made up to here
	tstamp held_ps[HOLDERS + 1]; // pause time of each holder by then
	uint32_t last_part;          // of the pause
	uint32_t look_part;          // where its newest parts begin
	unsigned n_look;             // parts from there on

	// The state of the port as sender of XOFF.
	bool in_xoff;
	uint32_t in_flight;
	uint32_t sent_episode; // counted from 1
	struct xoff *sent;     // the newest of the episode
	struct xoff *flight;   // first XOFFs of episodes that no pause was seen of, oldest first

	// While a ring is looked for.
	uint32_t search;
	uint32_t step; // next of its holders
	uint32_t came; // first of the edges that come to it, in a list
	bool member;
};

struct port {
	const char *name;
	uint32_t node, peer;
	tstamp least; // that an XOFF from here took to stop the peer; TSTAMP_NEVER: none did
};

struct node {
	const char *name;
	bool host;
	uint32_t root; // LINEAGE_NONE: not asked for yet
};

// Sums of times by two numbers.
struct tally {
	struct index index;
	uint32_t n, room;
	struct tally_sum {
		uint32_t a, b;
		tstamp ps;
	} * sum;
};

// A list that grows.
struct list {
	void *at;
	uint32_t n, room;
};

struct lineage {
	bool failed, holders;
	struct arena arena;
	uint64_t odd;
	tstamp now;                // of the newest event
	struct list ports, nodes;  // struct port, node
	struct list queues;        // struct queue *
	struct list roots;         // struct lineage_root
	struct list pauses, parts; // struct lineage_pause, lineage_part
	struct list rows;          // struct lineage_row
	struct index port_by_name, node_by_name, root_by_name;
	struct tally bills, edges; // queue and root; queue and queue or root + TO_ROOT
	struct lineage_bill *bill;
	struct lineage_edge *edge;
	tstamp ps;
	const char *lacks[4];
	unsigned n_lacks;

	// The XOFF frame whose holders are being told, by class.
	struct xoff *fresh[CLASSES];
	uint32_t fresh_port; // LINEAGE_NONE: none

	uint32_t search;
	struct list stack, found, came; // scratch of vertex.c, ring.c and tree.c
};

#define TO_ROOT 0x80000000u

// A zeroed element at the end; NULL: no memory.
void *lineage_grow(struct lineage *l, struct list *list, size_t size);

static inline struct port *port_at(const struct lineage *l, uint32_t i)
{
	return (struct port *)l->ports.at + i;
}

static inline struct queue *queue_at(const struct lineage *l, uint32_t i)
{
	return ((struct queue **)l->queues.at)[i];
}

static inline struct lineage_pause *pause_at(const struct lineage *l, uint32_t i)
{
	return (struct lineage_pause *)l->pauses.at + i;
}

static inline struct lineage_part *part_at(const struct lineage *l, uint32_t i)
{
	return (struct lineage_part *)l->parts.at + i;
}

static inline struct lineage_root *root_at(const struct lineage *l, uint32_t i)
{
	return (struct lineage_root *)l->roots.at + i;
}

// A root by its kind and name, which is copied if it is new. ROOT_UNSAID where memory is out.
uint32_t lineage_root_number(
	struct lineage *l, enum lineage_kind kind, uint32_t queue, const char *name);
// Roots of a congested egress queue, and of a node that sends XOFF.
uint32_t lineage_egress_root(struct lineage *l, uint32_t queue);
uint32_t lineage_node_root(struct lineage *l, uint32_t port);

// Divides `total` among parts of a whole, so that the results sum up to `total` exactly. Returns
// the share of the next part: the rounded sum with it, less the rounded sum before it.
static inline uint64_t carry(uint64_t total, uint64_t *so_far, uint64_t part, uint64_t whole)
{
	uint64_t before = fixed_muldiv(total, *so_far, whole);

	*so_far += part;
	return fixed_muldiv(total, *so_far, whole) - before;
}

// account.c
struct account *account_get(struct account *a);
void account_put(struct account *a);
// Adds time, to a copy where somebody else knows the account.
void account_add(struct lineage *l, struct account **a, uint32_t root, tstamp ps);
// The time that entry i has gained since the account was `before`.
static inline tstamp account_since(
	const struct account *a, const struct account *before, uint32_t i)
{
	return a->time[i].ps - (before && i < before->n ? before->time[i].ps : 0);
}

// vertex.c
// Brings the account of a vertex, and the accounts that it depends on, up to now.
void vertex_run(struct lineage *l, struct vertex *v);
// Sets the edges of a vertex from now on: `n` edges without `seen`, for which v->edge has room.
void vertex_set(struct lineage *l, struct vertex *v, const struct edge *edge, unsigned n);
void vertex_fini(struct vertex *v);

// xoff.c
static inline struct xoff *xoff_get(struct xoff *x)
{
	x->refs++;
	return x;
}

void xoff_put(struct xoff *x);
// All holders of the last XOFF are known: turns their bytes into shares.
void xoff_settle(struct lineage *l);
// The XOFF that stops a queue now, a reference of the caller's, and its episode. NULL: no memory.
struct xoff *xoff_arrived(struct lineage *l, uint32_t queue, uint32_t *episode);

// pause.c
// The queue's pause goes on with another cause.
void pause_renew(struct lineage *l, struct queue *q, struct xoff *cause);
void pause_end(struct lineage *l, struct queue *q, enum lineage_end end);

// ring.c
// Sets the edges of a queue that is in no ring: a paused queue waits for the holders of its XOFF,
// any other queue for the root of its egress port.
void ring_alone(struct lineage *l, struct queue *q);
// Call it when the edges of a queue change: dissolves the queue's ring and returns it with its
// members. NULL: the queue was in no ring.
struct ring *ring_leave(struct lineage *l, struct queue *q);
// Call it after the edges of a queue have changed: looks for a path that leads back to it, or to
// the members of the ring `left`, which is freed.
void ring_join(struct lineage *l, struct queue *q, struct ring *left);
// Ends a ring: its members are in no ring then.
void ring_open(struct lineage *l, const struct ring *r);
void ring_free(struct ring *r);

// bill.c
void tally_add(struct lineage *l, struct tally *t, uint32_t a, uint32_t b, tstamp ps);
void tally_fini(struct tally *t);
int bill_finish(struct lineage *l);

// tree.c
int tree_finish(struct lineage *l);

#pragma GCC visibility pop
