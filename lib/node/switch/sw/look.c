// SPDX-License-Identifier: BSD-3-Clause
// Read access to the switch for others: its parts, its counters, the conservation check.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

// Received frames are counted by class, or as consumed; sent frames are counted by queue.
struct sw_port_stats sw_port_stats(const struct sw *sw, unsigned port)
{
	const struct sw *at = sw_of(sw, port);
	const struct sw_port *o = &at->port[port];
	struct sw_port_stats s = o->rare->stats;

	s.rx_frames = s.consumed_frames;
	s.rx_bytes = o->rare->consumed_bytes;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const uint64_t *count = at->mmu.pg[port * MMU_PGS + c].own;

		s.rx_frames += count[SW_IN_FRAMES];
		s.rx_bytes += count[SW_IN_BYTES];
	}
	s.tx_frames = eport_tx_frames(&o->e);
	s.tx_bytes = eport_tx_bytes(&o->e);
	return s;
}

struct sw_class_stats sw_class_stats(const struct sw *sw, unsigned port, unsigned cls)
{
	const struct sw *at = sw_of(sw, port);
	const struct sw_port *o = &at->port[port];
	const uint64_t *count = at->mmu.pg[port * MMU_PGS + cls].own;
	struct sw_class_stats s = o->rare->cls[cls];

	s.rx_frames = count[SW_IN_FRAMES];
	s.rx_bytes = count[SW_IN_BYTES];
	s.ecn_ce_rx_frames = count[SW_IN_CE];
	s.forwarded_frames = count[SW_IN_FORWARDED];
	s.tx_frames = o->e.q[cls].tx_frames;
	s.tx_bytes = o->e.q[cls].tx_bytes;
	memcpy(s.seen_frames, o->out[cls].seen_frames, sizeof(s.seen_frames));
	s.ecn_marked_frames = o->out[cls].ecn_marked_frames;
	return s;
}

const struct sw_port_stats *sw_port_rare_stats(const struct sw *sw, unsigned port)
{
	return &sw_of(sw, port)->rare[port].stats;
}

const struct sw_class_stats *sw_class_rare_stats(const struct sw *sw, unsigned port, unsigned cls)
{
	return &sw_of(sw, port)->rare[port].cls[cls];
}

const struct red_cfg *sw_red(const struct sw *sw, unsigned port, unsigned cls)
{
	const struct red_cfg *red = &sw_of(sw, port)->port[port].set->cls[cls].red;

	return red->on ? red : NULL;
}

const struct red_curve *sw_curve(const struct sw *sw, unsigned port, unsigned cls)
{
	return sw_of(sw, port)->port[port].out[cls].curve;
}

const struct eport *sw_eport(const struct sw *sw, unsigned port)
{
	return &sw_of(sw, port)->port[port].e;
}

tstamp sw_shaper_lost(const struct sw *sw, unsigned port)
{
	const struct sw_shape *shape = sw_of(sw, port)->port[port].shape;

	return shape ? shape->s.lost_ps : 0;
}

const struct mmu *sw_mmu_of(const struct sw *sw, unsigned port)
{
	return &sw_of(sw, port)->mmu;
}

struct sw_buffer sw_buffer(const struct sw *sw)
{
	struct sw_buffer b = {.size = sw->mmu_cfg.buffer};

	for (unsigned k = 0; k < sw_shards(sw); k++) {
		const struct mmu *m = &sw_shard_at(sw, k)->mmu;

		b.used += m->used;
		b.max_used += m->max_used;
	}
	return b;
}

const struct mmu_pools *sw_sides_of(const struct sw *sw, unsigned port)
{
	return sw->two_sided ? &sw_of(sw, port)->pools : NULL;
}

struct sw_buffer sw_pool(const struct sw *sw, enum mmu_pool pool)
{
	struct sw_buffer b = {.size = sw->pools_cfg.size[pool]};

	for (unsigned k = 0; k < sw_shards(sw); k++) {
		const struct sw *shard = sw_shard_at(sw, k);

		b.size += k && pool == MMU_HEADROOM ? shard->pools_cfg.size[pool] : 0;
		b.used += shard->pools.used[pool];
		b.max_used += shard->pools.max_used[pool];
	}
	return b;
}

const struct sw_wd_stats *sw_wd_stats(const struct sw *sw, unsigned port, unsigned cls)
{
	const struct sw_wd *wd = sw_of(sw, port)->port[port].wd;

	return wd && wd->classes >> cls & 1 ? &wd->stats[cls] : NULL;
}

const struct pause_rx *sw_pause_rx(const struct sw *sw, unsigned port)
{
	return &sw_of(sw, port)->port[port].rare->prx;
}

const struct pause_tx *sw_pause_tx(const struct sw *sw, unsigned port)
{
	return &sw_of(sw, port)->port[port].rare->ptx;
}

const struct qcn_cp *sw_cp(const struct sw *sw, unsigned port, unsigned cls)
{
	const struct sw_cp *cp = sw_of(sw, port)->port[port].out[cls].cp;

	return cp ? &cp->cp : NULL;
}

const struct iqcn *sw_iqcn(const struct sw *sw)
{
	return sw->iqcn;
}

const struct fast_cnp *sw_fast_cnp(const struct sw *sw)
{
	return sw->fast_cnp;
}

static void account(struct sw *sw, tstamp now)
{
	for (unsigned i = 0; i < sw->n_ports; i++) {
		struct sw_port *o = &sw->port[i];

		if (o->away)
			continue;
		eport_account(&o->e, now);
		if (now >= o->timer)
			sw_timers(sw, o, now);
		pause_rx_account(&o->rare->prx, now);
		pause_tx_account(&o->rare->ptx, now);
		sw_iqcn_account(o, now);
	}
}

void sw_account(struct sw *sw, tstamp now)
{
	for (unsigned k = 0; k < sw_shards(sw); k++)
		account(sw_shard(sw, k), now);
}

void sw_iqcn_tidy(struct sw *sw, tstamp now)
{
	if (!sw->iqcn)
		return;
	iqcn_tidy(sw->iqcn, now);
	for (unsigned i = 0; i < sw->n_ports; i++)
		if (!sw->port[i].away) {
			sw_timer_changed(sw, &sw->port[i]);
			sw_port_changed(sw, &sw->port[i]);
		}
}

// Sums over the waiting frames that were received at a port: of class n, and the bytes of group n.
// In a cut switch they include frames on the fabric, and frames that have left but whose credit is
// still under way.
struct held {
	uint64_t frames, bytes;
};

struct all_held {
	const struct sw *sw;
	struct held at[NODE_PORTS][PKT_CLASSES];
};

static void add_held(void *arg, const struct pkt *p)
{
	struct all_held *h = arg;
	const struct sw *sw = h->sw;
	uint32_t bytes = p->len + sw->queue_extra;
	struct held *of = h->at[p->in_port];

	of[p->cls].frames++;
	of[sw_pg(sw, p)].bytes += sw->two_sided ? mmu_cells(sw->pools.cfg, bytes) : bytes;
}

static void add_crossing(void *arg, const struct sw_msg *m)
{
	struct all_held *h = arg;

	if (m->kind == SW_MSG_FRAME) {
		add_held(h, m->p);
	} else if (m->kind == SW_MSG_CREDIT) {
		h->at[m->port][m->cls].frames += m->frames;
		h->at[m->port][m->pg].bytes += m->held;
	}
}

static void find_held(struct all_held *h, const struct sw *sw)
{
	h->sw = sw;
	memset(h->at, 0, sw->n_ports * sizeof(h->at[0]));
	for (unsigned i = 0; i < sw->n_ports; i++)
		for (unsigned q = 0; q < PKT_CLASSES; q++)
			eport_q_each(&sw_eport(sw, i)->q[q], add_held, h);
	sw_fabric_each(sw, add_crossing, h);
}

struct queued {
	const struct mmu_pools_cfg *cfg;
	uint32_t extra;
	uint64_t bytes;
};

static void add_queued(void *arg, const struct pkt *p)
{
	struct queued *q = arg;

	q->bytes += mmu_cells(q->cfg, p->len + q->extra);
}

static int wrong(const struct sw *sw, unsigned port, unsigned cls, const char *what, uint64_t a,
	uint64_t b, char *why, unsigned size)
{
	snprintf(why, size, "port %u class %u of %u ports: %s: %" PRIu64 " != %" PRIu64, port, cls,
		sw->n_ports, what, a, b);
	return -EPROTO;
}

static int conserve_class(
	const struct sw *sw, unsigned port, unsigned cls, struct held h, char *why, unsigned size)
{
	struct sw_class_stats s = sw_class_stats(sw, port, cls);
	uint64_t in = s.rx_frames + s.copied_frames + s.originated_frames;
	uint64_t out = s.forwarded_frames + h.frames + s.dropped_frames;
	uint32_t buffered = sw_mmu_of(sw, port)->pg[port * MMU_PGS + cls].bytes;

	if (in != out)
		return wrong(sw, port, cls,
			"rx + copied + originated against forwarded + queued + dropped", in, out,
			why, size);
	if (h.bytes != buffered)
		return wrong(
			sw, port, cls, "queued bytes against buffer", h.bytes, buffered, why, size);
	return 0;
}

// Compares the bytes in a queue with the bytes that the egress side of the buffer counts for it.
static int conserve_queue(
	const struct sw *sw, unsigned port, unsigned cls, char *why, unsigned size)
{
	const struct mmu_pools *sides = sw_sides_of(sw, port);
	struct queued q = {.cfg = sw->pools.cfg, .extra = sw->queue_extra};
	uint32_t held;

	if (!sides)
		return 0;
	eport_q_each(&sw_eport(sw, port)->q[cls], add_queued, &q);
	held = sides->queue[port * MMU_PGS + cls].bytes;
	return q.bytes == held ? 0
			       : wrong(sw, port, cls, "queued bytes against egress buffer", q.bytes,
					 held, why, size);
}

// Compares the sums over the classes of a port with the port's own counters, and the control frames
// that it made with the control frames sent and queued.
static int conserve_port(const struct sw *sw, unsigned port, char *why, unsigned size)
{
	const struct sw_port *o = &sw_of(sw, port)->port[port];
	const struct sw_port_stats *s = &o->rare->stats;
	uint64_t made = o->e.q[EPORT_CTL].tx_frames + o->e.q[EPORT_CTL].frames;
	uint64_t copied = 0, dropped = 0, reasons = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		copied += o->rare->cls[c].copied_frames;
		dropped += o->rare->cls[c].dropped_frames;
	}
	for (unsigned d = 0; d < SW_DROPS; d++)
		reasons += s->drop[d];
	if (made != s->originated_frames)
		return wrong(sw, port, 0, "control frames sent and queued against originated", made,
			s->originated_frames, why, size);
	if (copied != s->copied_frames || dropped != reasons)
		return wrong(sw, port, 0, "copied and dropped by class against by port",
			copied + dropped, s->copied_frames + reasons, why, size);
	return 0;
}

// Frames of a class that have left, but whose credit has not reached the shard that admitted them.
struct gone {
	unsigned cls;
	uint64_t frames;
};

static void add_gone(void *arg, const struct sw_msg *m)
{
	struct gone *g = arg;

	if (m->kind == SW_MSG_CREDIT && m->reason == SW_FORWARDED && m->cls == g->cls)
		g->frames += m->frames;
}

static uint64_t gone_of(const struct sw *sw, unsigned cls)
{
	struct gone g = {.cls = cls};

	sw_fabric_each(sw, add_gone, &g);
	return g.frames;
}

static void add_dropped(void *arg, const struct sw_msg *m)
{
	uint64_t *frames = arg;

	if (m->kind == SW_MSG_CREDIT && m->reason != SW_FORWARDED)
		*frames += m->frames;
}

uint64_t sw_dropped_crossing(const struct sw *sw)
{
	uint64_t frames = 0;

	sw_fabric_each(sw, add_dropped, &frames);
	return frames;
}

int sw_conserve(const struct sw *sw, char *why, unsigned size)
{
	struct all_held held;

	find_held(&held, sw);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		uint64_t forwarded = gone_of(sw, c), tx = 0;

		for (unsigned i = 0; i < sw->n_ports; i++) {
			int rc = conserve_class(sw, i, c, held.at[i][c], why, size);

			rc = rc ? rc : conserve_queue(sw, i, c, why, size);
			if (rc)
				return rc;
			forwarded += sw_class_stats(sw, i, c).forwarded_frames;
			tx += sw_class_stats(sw, i, c).tx_frames;
		}
		if (forwarded != tx)
			return wrong(sw, 0, c, "forwarded against tx, all ports", forwarded, tx,
				why, size);
	}
	for (unsigned i = 0; i < sw->n_ports; i++) {
		int rc = conserve_port(sw, i, why, size);

		if (rc)
			return rc;
	}
	return 0;
}

uint64_t sw_as_came(const struct sw *sw)
{
	return sw->as_came;
}
