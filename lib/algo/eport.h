// SPDX-License-Identifier: BSD-3-Clause
// Egress port: eight class queues and a control queue, strict priority and DWRR, and the serializer.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hist.h"
#include "base/rate.h"
#include "base/tstamp.h"
#include "wire/pkt.h"

// How octets are counted. Ethernet: 4 and 24. Mode hpcc counts none and cuts wire times to whole ns.
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
	uint32_t mtu;                 // longest frame: the DWRR quantum of the smallest weight
	struct eport_framing framing;
	tstamp tolerance_ps; // GCRA: 0 in virtual time
	bool monitor;        // keep the time-weighted histogram of each queue (M6)
};

struct eport_cfg {
	rate_t rate;
	octet_ps ps;                  // on the wire
	int32_t quantum[PKT_CLASSES]; // octets per DWRR round
	tstamp tolerance_ps;
	struct eport_framing framing;
	uint8_t strict;
	bool monitor;
};

// One class queue.
struct eport_q {
	struct pkt *head;
	struct pkt *tail;
	uint32_t bytes; // as counted (len + queue_extra)
	uint32_t frames;
	int32_t deficit; // DWRR
	uint32_t max_bytes;
	tstamp max_at;
	tstamp changed;      // of the last change of `bytes`, for hist
	struct hist *hist;   // NULL: not monitored; who samples takes its max (hist_take_max)
	uint32_t pull_bytes; // DWRR: what a frame of eport.pull is taken for until it is made
};

struct eport {
	const struct eport_cfg *cfg;
	struct eport_q q[PKT_CLASSES];
	struct eport_q ctl; // PFC and PAUSE: first, never paused
	uint8_t nonempty;   // bitmap of q
	uint8_t turn;       // DWRR: the class whose turn it is
	tstamp tat;         // GCRA theoretical arrival time: the wire is free at tat - tolerance
	uint64_t tx_frames, tx_bytes; // bytes: len + FCS
	uint64_t lost_ps;             // wire time given up beyond the tolerance (real time)
	bool starved; // nothing could have been sent since the last frame: idle wire is not lost
	uint8_t pull; // bitmap, written by the owner: classes whose next frame it makes when they are picked
	uint8_t blocked; // as of the last eport_pick
};

// -EINVAL: rate 0, weight over 1000, mtu 0.
int eport_cfg_init(struct eport_cfg *cfg, const struct eport_params *params);

// Allocates the histograms where cfg->monitor; -ENOMEM.
int eport_init(struct eport *e, const struct eport_cfg *cfg);
void eport_fini(struct eport *e);

// Appends to a class queue; p belongs to the queue. `bytes` is len + queue_extra.
void eport_put(struct eport *e, unsigned cls, struct pkt *p, tstamp now);
void eport_put_ctl(struct eport *e, struct pkt *p);

// The class to serve next among those not in `blocked` that are non-empty or in `pull`; -1: none, 8: the
// control queue. Strict classes first, highest number first; then DWRR by octets. Changes DWRR state.
int eport_pick(struct eport *e, uint8_t blocked);

// Takes the head of what eport_pick gave.
struct pkt *eport_get(struct eport *e, int cls, tstamp now);

// Whether the wire is free at `now`, and the instant it will be.
static inline bool eport_free(const struct eport *e, tstamp now)
{
	return now + e->cfg->tolerance_ps >= e->tat;
}

static inline tstamp eport_free_at(const struct eport *e)
{
	return e->tat > e->cfg->tolerance_ps ? e->tat - e->cfg->tolerance_ps : 0;
}

// Wire time of a frame of `len` octets without FCS, ps.
static inline tstamp eport_wire_time(const struct eport_cfg *c, uint32_t len)
{
	tstamp t = rate_time(c->ps, len + c->framing.wire_extra);

	return c->framing.whole_ns ? t - t % PS_PER_NS : t;
}

// Books the wire for a frame that leaves at `now`. Where frames stood ready and the wire was idle, the
// idle time counts as lost: it is 0 in virtual time.
void eport_sent(struct eport *e, uint32_t len, tstamp now);

// What was queued could not be sent (all paused, link down): the time until now is not counted as lost.
// eport_pick says so itself where it gives -1; a node that does not ask while blocked calls this when the
// block ends.
static inline void eport_starve(struct eport *e)
{
	e->starved = true;
}

// A frame of `len` octets was made for class `cls` (pull) instead of taken from its queue; `more`: the
// class can make another.
static inline void eport_pulled(struct eport *e, unsigned cls, uint32_t len, bool more)
{
	struct eport_q *q = &e->q[cls];

	if (!(e->cfg->strict >> cls & 1))
		q->deficit -= (int32_t)(len + e->cfg->framing.queue_extra);
	if (more)
		return;
	e->pull &= (uint8_t) ~(1u << cls);
	q->deficit = q->head ? q->deficit : 0;
}

// Brings the histograms up to `now`, for a report.
void eport_account(struct eport *e, tstamp now);
