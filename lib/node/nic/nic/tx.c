// SPDX-License-Identifier: BSD-3-Clause
// Sending: PFC first, then the class that the scheduler picks, with queued frames or made ones.
#include <assert.h>

#include "int.h"
#include "base/hint.h"
#include "wire/bth.h"

// How many frames ahead the memory of a frame is fetched: its place in the table of queue pairs,
// the requester, and the memory that the requester refers to. Memory takes longer to answer than a
// few frames take.
#define FETCH_PLACE (WHEEL_AHEAD - 1)
#define FETCH_REQ   40
#define FETCH_USE   16

// A source was held up: drops the frames that it does not make up for. `shut`: for how many ps its
// class was paused; no frames were due in this time, so they do not count as lost.
static void slip(struct nic_gen *g, tstamp shut, tstamp now)
{
	tstamp slipped = g->g.slipped_ps;

	gen_slip(&g->g, now);
	slipped = g->g.slipped_ps - slipped;
	g->g.lost_bytes += pacer_bytes(g->g.ps, tstamp_since(slipped, shut));
}

static void park(struct nic *nic, struct nic_cls *c, struct nic_gen *g)
{
	g->parked = true;
	g->shut_ps = nic_shut_until(c, g->g.next);
	g->next_parked = NULL;
	if (c->parked)
		c->parked_tail->next_parked = g;
	else
		c->parked = g;
	c->parked_tail = g;
	wheel_set(&nic->gap, g->id, TSTAMP_NEVER);
}

// A frame of a source left its class: the source that has waited longest goes on.
static void unpark(struct nic *nic, struct nic_cls *c, tstamp now)
{
	struct nic_gen *g = c->parked;

	c->gen_frames--;
	if (!g)
		return;
	c->parked = g->next_parked;
	g->parked = false;
	slip(g, nic_shut_until(c, now) - g->shut_ps, now);
	wheel_set(&nic->gap, g->id, gen_deadline(&g->g));
}

// Puts the next frame of an open-loop source into its class's queue, at its scheduled instant.
// Frames that a pause or a slower wire holds back fill at most NIC_GEN_QUEUE places there; then the
// source slips.
static void source_due(struct nic *nic, struct nic_gen *g, tstamp now)
{
	struct nic_cls *c = &nic->cls[nic->queue_of[g->g.p.cls]];
	struct pkt *p;

	if (c->gen_frames >= NIC_GEN_QUEUE) {
		park(nic, c, g);
		return;
	}
	p = pkt_get(nic->stack);
	if (!p) {
		slip(g, 0, now);
		wheel_set(&nic->gap, g->id, now + nic->frame_ps);
		return;
	}
	gen_next(&g->g, p, now);
	c->gen_frames++;
	nic_queue(nic, g->g.p.cls, p, now);
	wheel_set(&nic->gap, g->id, gen_deadline(&g->g));
}

// Prefetches the memory of the queue pairs that send next, so that their frames do not wait for
// memory one after the other. Always inline, because gcc removes a call of a function that only
// prefetches.
INLINE void fetch_soon(const struct nic *nic)
{
	uint32_t id = wheel_soon(&nic->gap, FETCH_USE);

	if (id >= nic->n_qps)
		return;
	nic_use_fetch(nic->qp[id]);
	id = wheel_soon(&nic->gap, FETCH_REQ);
	if (id >= nic->n_qps)
		return;
	nic_req_fetch(nic->qp[id]);
	id = wheel_soon(&nic->gap, FETCH_PLACE);
	if (id < nic->n_qps)
		__builtin_prefetch(&nic->qp[id]);
}

static void gaps_ended(struct nic *nic, tstamp now)
{
	while (wheel_first(&nic->gap) <= now) {
		uint32_t id = wheel_first_id(&nic->gap);

		fetch_soon(nic);

		// This is the instant at which the gap ended: a rate timer that came first may have
		// moved the end.
		if (id < nic->p.max_qps)
			nic_gap_ended(nic, nic->qp[id], wheel_first(&nic->gap));
		else
			source_due(nic, nic->gen[id - nic->p.max_qps], now);
	}
	if (nic->replay_at <= now)
		nic_replay_due(nic, now);
}

// Makes the PFC frame that is due. It is made when the wire is free, so that it tells the present
// state.
static void put_pfc(struct nic *nic, tstamp now)
{
	struct pkt *p = pkt_get_ctl(nic->stack);
	struct pkt_pfc f = {0};

	if (!p) {
		nic->desc_at = now + nic->frame_ps;
		return;
	}
	if (!pause_tx_get(&nic->pt, &f.enable, f.quanta, now)) {
		pkt_put(nic->stack, p);
		return;
	}
	*p = (struct pkt){
		.hdr = &nic->pfc_hdr,
		.when = now,
		.born = now,
		.len = PKT_MIN_LEN,
		.kind = nic->pt.whole ? PKT_PAUSE : PKT_PFC,
		.in_port = PKT_NO_PORT,
		.u.pfc = f,
	};
	mac_told(nic->events, &f, nic->pt.whole, now);
	nic->s.originated_frames++;
	nic->s.pause_tx_frames += nic->pt.whole;
	eport_put_ctl(&nic->e, p);
}

struct pkt *nic_unqueue(struct nic *nic, unsigned queue, tstamp now)
{
	struct pkt *p = eport_get(&nic->e, (int)queue, now);

	if (p->flags & PKT_F_FOREIGN) { // of any kind
		if (nic_is_echo(p))
			nic->echoes--;
		else if (nic_is_answer(p))
			nic_neigh_unqueued(nic);
		else
			nic_replay_unqueued(nic);
	} else if (p->kind == PKT_GEN || p->kind == PKT_DATA) {
		if (nic_is_echo(p))
			nic->echoes--;
		else
			unpark(nic, &nic->cls[queue], now);
	}
	return p;
}

static int32_t bytes(const struct nic *nic, const struct pkt *p)
{
	return p->len + nic->ecfg.framing.queue_extra;
}

// A frame of a source of ours leaves.
static void source_left(struct nic *nic, const struct pkt *p, tstamp now)
{
	bool roce = p->kind == PKT_DATA;
	uint32_t source = roce ? p->u.rc.arg : p->u.gen.source, seq = p->u.gen.seq;
	struct departures *left = source < nic->p.max_sources ? nic->source[source].left : NULL;

	nic->s.gen_tx_frames++;
	if (UNLIKELY(nic->follows != NULL))
		nic_follow_left(nic, p, now);
	if (!left)
		return;
	if (roce)
		seq = departures_near(left, p->u.rc.psn - nic->source[source].psn);
	departures_add(left, seq, now);
}

// A queued frame. Data frames in a queue are a source's, since queue pairs make theirs when they
// leave. It is born here, as a tester stamps it: its own queue is no part of its latency.
static struct pkt *take_queued(struct nic *nic, unsigned cls, tstamp now)
{
	struct pkt *p = nic_unqueue(nic, cls, now);

	if (cls < PKT_CLASSES) {
		struct nic_cls *c = &nic->cls[cls];

		c->lead = c->head ? c->lead + bytes(nic, p) : 0;
	}
	if (p->flags & PKT_F_FOREIGN) {
		if (!nic_is_answer(p)) {
			player_sent(&nic->play, p->len, p->when, now);
			mac_left(&nic->pt, nic->events, &nic->s.pause_tx_frames, p, now);
		}
	} else if (p->kind == PKT_GEN || p->kind == PKT_DATA) {
		if (!nic_is_echo(p))
			source_left(nic, p, now);
	} else if (p->kind == PKT_CNP) { // which is measured from where it was owed
		p->u.rc.arg = (uint32_t)(tstamp_since(now, p->when) / PS_PER_NS);
	}
	p->born = now;
	eport_sent(&nic->e, (int)cls, p->len, now);
	return p;
}

// Within a class, queued frames (ACK, CNP, open loop) and frames that queue pairs make alternate by
// bytes. True: a queue pair makes the next one.
static bool makes(const struct nic *nic, unsigned cls)
{
	return nic->e.pull >> cls & 1 && (!nic->e.q[cls].head || nic->cls[cls].lead > 0);
}

INLINE struct pkt *next_frame(struct nic *nic, bool shaped, tstamp now)
{
	struct pkt *p = NULL;
	int cls;

	gaps_ended(nic, now);
	if (nic->lapsed) {
		eport_lapse(&nic->e, nic->lapsed);
		nic->lapsed = 0;
	}
	if (pause_tx_deadline(&nic->pt) <= now)
		put_pfc(nic, now);
	else if (nic->mac.next <= now)
		nic_mac_put(nic, now);
	while (!p && (cls = eport_pick(&nic->e, nic->blocked)) >= 0)
		p = makes(nic, (unsigned)cls) ? nic_data(nic, (unsigned)cls, now)
					      : take_queued(nic, (unsigned)cls, now);
	if (p) {
		nic->s.tx_frames++;
		nic->s.tx_bytes += p->len + PKT_FCS;
		if (shaped)
			nic_shaper_sent(nic, cls, p->len, now);
	}
	return p;
}

INLINE unsigned send(struct nic *nic, struct pkt **burst, unsigned max, bool shaped, tstamp now)
{
	unsigned n = 0;
	struct pkt *p;

	while (n < max && eport_free(&nic->e, now) && (p = next_frame(nic, shaped, now)))
		burst[n++] = p;
	return n;
}

// A burst of a port with a shaper.
ASIDE unsigned send_shaped(struct nic *nic, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n;

	nic_shaper_asked(nic, now);
	n = send(nic, burst, max, true, now);
	nic_shaper_left(nic);
	return n;
}

// A burst in a piece of the wire that others share: while it is ours, its end is the wire's.
ASIDE unsigned send_in_turn(struct nic *nic, struct pkt **burst, unsigned max, tstamp now)
{
	bool waited = !nic->e.starved;
	struct eport_piece piece;
	unsigned n;

	if (!max)
		return 0;
	if (!eport_wire_take(nic->wire, &piece, &nic->share, max * nic->share.longest, now)) {
		nic->e.tat = piece.from;
		return 0;
	}
	nic->e.tat = piece.from;
	n = send(nic, burst, max, false, now);
	nic->e.lost_ps += n && waited ? piece.idle : 0;
	nic->e.idle_ps += piece.idle;
	eport_wire_settle(nic->wire, &piece, &nic->share, nic->e.tat);
	return n;
}

void nic_share_wire(struct nic *nic, struct eport_wire *wire, unsigned share)
{
	nic->wire = wire;
	nic->apart = true;
	nic->share = (struct eport_share){
		.bit = 1u << share,
		.longest = nic->frame_ps,
		.tolerance = nic->ecfg.tolerance_ps,
	};
}

unsigned nic_tx(struct nic *nic, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n = 0;

	(void)port;
	now = nic_now(nic, now);
	if (now >= nic->timer_at)
		nic_timers(nic, now);
	if (nic->up && LIKELY(!nic->apart))
		n = send(nic, burst, max, false, now);
	else if (nic->up)
		n = nic->wire ? send_in_turn(nic, burst, max, now)
			      : send_shaped(nic, burst, max, now);
	if (nic->held) {
		nic->e.pull |= nic->held;
		nic->held = 0;
		nic->desc_at = now + nic->frame_ps;
	}
	nic_reckon(nic);
	assert(n == max || nic->deadline > now);
	return n;
}
