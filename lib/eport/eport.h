// SPDX-License-Identifier: BSD-3-Clause
// Egress port: eight class queues and a control queue, strict priority and DWRR, and the
// serializer.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hint.h"
#include "base/hist.h"
#include "base/rate.h"
#include "base/tstamp.h"
#include "wire/pkt.h"

#define EPORT_CTL PKT_CLASSES // the control queue: PFC and PAUSE, before every class, never paused

#define EPORT_WEIGHT_MAX 1000

// How bytes are counted. Ethernet: 4 and 24. Framing hpcc_sim counts none and cuts wire times to
// whole ns.
struct eport_framing {
	uint8_t queue_extra; // added to len in queues, thresholds, byte counters
	uint8_t wire_extra;  // added to len on the link
	uint8_t whole_ns;    // wire time truncated to ns
	uint8_t resv;
};

struct eport_params {
	rate_t rate;
	uint8_t strict;               // bitmap of classes served by strict priority, 7 first
	uint16_t weight[PKT_CLASSES]; // DWRR of the others, 1..1000; 0 counts as 1
	uint32_t mtu;                 // longest frame: about the DWRR quantum of the largest weight
	struct eport_framing framing;
	tstamp tolerance_ps; // GCRA: 0 in virtual time
};

struct eport_cfg {
	rate_t rate;
	byte_ps ps; // on the wire
	tstamp tolerance_ps;
	struct eport_framing framing;
	uint16_t strict;              // bitmap, with EPORT_CTL
	int32_t quantum[PKT_CLASSES]; // bytes per DWRR round
	uint16_t weight[PKT_CLASSES]; // 1..1000
	uint32_t longest;             // bytes of a longest frame, as counted
};

// One class queue: all that a frame touches of it, in one cache line.
struct eport_q {
	struct pkt *head;
	struct pkt *tail;
	uint32_t bytes; // as counted (len + queue_extra)
	uint32_t frames;
	int32_t deficit; // DWRR
	uint32_t max_bytes;
	tstamp max_at;
	tstamp changed;               // of the last change of `bytes`, for the histogram
	uint64_t tx_frames, tx_bytes; // sent; bytes: len + FCS
};

#define EPORT_LINE 64 // bytes of a cache line
#define EPORT_HEAD 32 // of a port before its queues

// The port begins EPORT_HEAD bytes before a cache line, so that each queue is one line. The rest of
// the first line is the owner's.
struct eport {
	const struct eport_cfg *cfg;
	tstamp tat;        // GCRA theoretical arrival time: the wire is free at tat - tolerance
	struct hist *hist; // of the classes; NULL: not monitored
	uint16_t nonempty; // bitmap of q
	uint8_t turn;      // DWRR: the class whose turn it is
	// bitmap, written by the owner: classes whose next frame it makes when they are picked
	uint8_t pull;
	uint8_t blocked; // as of the last eport_pick
	bool starved;    // nothing could have been sent since the last frame: idle wire is not lost
	uint8_t used;    // bitmap: classes whose queue has held a frame
	struct eport_q q[PKT_CLASSES + 1]; // the classes and EPORT_CTL
	uint64_t lost_ps;                  // wire time given up beyond the tolerance (real time)
	uint64_t idle_ps;                  // without a frame on the wire, until `tat`
	uint32_t pull_bytes
		[PKT_CLASSES]; // DWRR: what a frame of `pull` is taken for until it is made
};

_Static_assert(sizeof(struct eport_q) == EPORT_LINE && offsetof(struct eport, q) == EPORT_HEAD,
	"a queue is one line, and the port has half a line before them");

// The length that a class queue has had over time (measuring.md M6); NULL: not monitored. Who
// samples takes its max (hist_take_max).
static inline struct hist *eport_hist(const struct eport *e, unsigned cls)
{
	return e->hist ? e->hist + cls : NULL;
}

// Frames that the port has sent, and their bytes with FCS.
static inline uint64_t eport_tx_frames(const struct eport *e)
{
	uint64_t n = 0;

	for (unsigned i = 0; i <= PKT_CLASSES; i++)
		n += e->q[i].tx_frames;
	return n;
}

static inline uint64_t eport_tx_bytes(const struct eport *e)
{
	uint64_t n = 0;

	for (unsigned i = 0; i <= PKT_CLASSES; i++)
		n += e->q[i].tx_bytes;
	return n;
}

// -EINVAL: rate 0, weight over 1000, mtu 0.
int eport_cfg_init(struct eport_cfg *cfg, const struct eport_params *params);

// Another DWRR weight for a class, 1..1000, from the next round on; credit that it has stays.
// -EINVAL: out of range, or the class is strict.
int eport_cfg_weight(struct eport_cfg *cfg, unsigned cls, uint16_t weight);

// `hist`: time-weighted histograms of the lengths of the PKT_CLASSES queues (measuring.md M6), all
// zero, which last as long as the port. NULL: nobody keeps any.
void eport_init(struct eport *e, const struct eport_cfg *cfg, struct hist *hist);

// Whether the wire is free at `now`, and the instant it will be.
static inline bool eport_free(const struct eport *e, tstamp now)
{
	return now + e->cfg->tolerance_ps >= e->tat;
}

static inline tstamp eport_free_at(const struct eport *e)
{
	return e->tat > e->cfg->tolerance_ps ? e->tat - e->cfg->tolerance_ps : 0;
}

// Wire time of a frame of `len` bytes without FCS, ps.
static inline tstamp eport_wire_time(const struct eport_cfg *c, uint32_t len)
{
	uint32_t bytes = len + c->framing.wire_extra;

	return c->framing.whole_ns ? rate_simulator_time(c->rate, bytes) : rate_time(c->ps, bytes);
}

// Queued frames could not be sent (all paused, link down): the time until now does not count as
// lost. eport_pick() calls this itself when it returns -1; a node that does not ask while blocked
// calls it when the block ends.
static inline void eport_starve(struct eport *e)
{
	e->starved = true;
}

// A frame of `len` bytes was made for class `cls` (pull) instead of taken from its queue; `more`:
// the class can make another now. If not, and it cannot when the next frame is picked either,
// eport_lapse says so.
static inline void eport_pulled(struct eport *e, unsigned cls, uint32_t len, bool more)
{
	struct eport_q *q = &e->q[cls];

	if (!(e->cfg->strict >> cls & 1))
		q->deficit -= (int32_t)(len + e->cfg->framing.queue_extra);
	if (!more)
		e->pull &= (uint8_t) ~(1u << cls);
}

// Classes of `classes` (bitmap) that have no frame have left the round: their DWRR credit is gone.
static inline void eport_lapse(struct eport *e, uint8_t classes)
{
	for (unsigned left = classes & ~(unsigned)(e->nonempty | e->pull); left; left &= left - 1)
		e->q[__builtin_ctz(left)].deficit = 0;
}

// Brings the histograms up to `now`, for a report. The histogram of a queue that has never held a
// frame stays empty.
void eport_account(struct eport *e, tstamp now);

// Like eport_put() for each of `frames` packets, `bytes` in all, linked by next from `first` to
// `last`.
void eport_put_burst(struct eport *e, unsigned cls, struct pkt *first, struct pkt *last,
	uint32_t frames, uint32_t bytes, tstamp now);

// Gates that hold frames besides the wire: one gate for all classes, and gates of each class. A
// frame passes the common gate first, then the gates of its class.
#define EPORT_OWN_GATES 2
struct eport_gates {
	struct rate_gate all, own[PKT_CLASSES][EPORT_OWN_GATES];
	uint8_t passed; // bitmap: classes of the frames that left through these gates
};

// Each frame of a queue, the oldest first.
void eport_q_each(const struct eport_q *q, void (*fn)(void *arg, const struct pkt *p), void *arg);

// The steps below run once or more for each frame: they are inline.

// Books the length that the queue has had since its last change (measuring.md M6).
static inline void eport_q_account(struct eport *e, unsigned cls, tstamp now)
{
	struct eport_q *q = &e->q[cls];

	if (e->hist && now > q->changed) {
		hist_add(&e->hist[cls], q->bytes, now - q->changed);
		q->changed = now;
	}
}

static inline void eport_q_append(struct eport_q *q, struct pkt *p)
{
	p->next = NULL;
	if (q->head)
		q->tail->next = p;
	else
		q->head = p;
	q->tail = p;
	q->frames++;
}

// A queue has got `bytes` more.
static inline void eport_q_grew(struct eport *e, unsigned cls, uint32_t bytes, tstamp now)
{
	struct eport_q *q = &e->q[cls];

	q->bytes += bytes;
	e->nonempty |= (uint16_t)(1u << cls);
	if (q->bytes > q->max_bytes) {
		q->max_bytes = q->bytes;
		q->max_at = now;
		e->used |= (uint8_t)(1u << cls);
	}
}

// Appends to a class queue; p belongs to the queue.
static inline void eport_put(struct eport *e, unsigned cls, struct pkt *p, tstamp now)
{
	struct eport_q *q = &e->q[cls];

	eport_q_account(e, cls, now);
	eport_q_append(q, p);
	eport_q_grew(e, cls, p->len + e->cfg->framing.queue_extra, now);
}

// Appends to the control queue.
static inline void eport_put_ctl(struct eport *e, struct pkt *p)
{
	eport_put(e, EPORT_CTL, p, 0);
}

// Bytes of the next frame of a class, as counted.
static inline int32_t eport_next_bytes(const struct eport *e, unsigned cls)
{
	const struct eport_q *q = &e->q[cls];

	if (e->pull >> cls & 1)
		return (int32_t)e->pull_bytes[cls];
	return q->head->len + e->cfg->framing.queue_extra;
}

// Gives the turn to a class: it gets its quantum if its credit is not enough. Returns whether the
// credit is enough then.
static inline bool eport_take_turn(struct eport *e, unsigned cls)
{
	struct eport_q *q = &e->q[cls];
	int32_t next = eport_next_bytes(e, cls);
	int32_t missing = -(int32_t)(q->deficit < next); // all ones or none

	e->turn = (uint8_t)cls;
	q->deficit += e->cfg->quantum[cls] & missing;
	return q->deficit >= next;
}

// Like eport_take_turn() for a class that is alone in the round: rounds without other classes cost
// nothing. Returns the class.
static inline int eport_alone(struct eport *e, unsigned cls)
{
	if (!eport_take_turn(e, cls))
		e->q[cls].deficit = eport_next_bytes(e, cls);
	return (int)cls;
}

// The class of `ready` (bitmap, not 0) whose turn follows the turn of class t.
static inline unsigned eport_next_turn(unsigned ready, unsigned t)
{
	t++;
	return (t + (unsigned)__builtin_ctz((ready | ready << 8) >> t)) % PKT_CLASSES;
}

// DWRR among several classes (bitmap).
int eport_pick_dwrr(struct eport *e, unsigned ready);

// The class to serve next among those not in `blocked` that are non-empty or in `pull`, EPORT_CTL
// before all; -1: none. Strict classes first, highest number first; then DWRR by bytes. Changes
// DWRR state.
static inline int eport_pick(struct eport *e, uint8_t blocked)
{
	unsigned ready = (e->nonempty | e->pull) & ~(unsigned)blocked;
	unsigned strict = ready & e->cfg->strict;

	e->blocked = blocked;
	if (strict)
		return 31 - __builtin_clz(strict);
	if (!ready) {
		e->starved = true;
		return -1;
	}
	if (ready & (ready - 1))
		return eport_pick_dwrr(e, ready);
	return eport_alone(e, (unsigned)__builtin_ctz(ready));
}

// The head of what eport_pick gave has left.
static inline void eport_q_shrank(struct eport *e, int cls, uint32_t bytes)
{
	struct eport_q *q = &e->q[cls];

	q->bytes -= bytes;
	q->frames--;
	if (!(e->cfg->strict >> cls & 1))
		q->deficit -= (int32_t)bytes;
	if (!q->head) {
		e->nonempty &= (uint16_t) ~(1u << cls);
		q->deficit = e->pull >> cls & 1 ? q->deficit : 0;
	}
}

// Takes the head of what eport_pick gave.
static inline struct pkt *eport_get(struct eport *e, int cls, tstamp now)
{
	struct eport_q *q = &e->q[cls];
	struct pkt *p = q->head;
	uint32_t bytes = p->len + e->cfg->framing.queue_extra;

	assert(p);
	eport_q_account(e, (unsigned)cls, now);
	q->head = p->next;
	eport_q_shrank(e, cls, bytes);
	return p;
}

// A frame leaves at `now`, behind the time in which the wire was idle.
static inline void eport_idled(struct eport *e, tstamp now)
{
	e->idle_ps += now - e->tat;
	if (!e->starved)
		e->lost_ps += now - e->tat;
}

// Books the wire for a frame of a class, or EPORT_CTL, that leaves at `now`. Where frames stood
// ready and the wire was idle, the idle time counts as lost: it is 0 in virtual time.
static inline void eport_sent(struct eport *e, int cls, uint32_t len, tstamp now)
{
	if (now > e->tat) { // a branch: these times stand in another line
		eport_idled(e, now);
		e->tat = now;
	}
	e->tat += eport_wire_time(e->cfg, len);
	e->starved = !((e->nonempty | e->pull) & ~(unsigned)e->blocked);
	e->q[cls].tx_frames++;
	e->q[cls].tx_bytes += len + PKT_FCS;
}
