// SPDX-License-Identifier: BSD-3-Clause
// What the switch shows: counter tables, names of drops, views of its parts, the conservation
// check.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contract/contract.h"
#include "int.h"

#define CLASS_ROW(field, unit, help) STAT_ROW(struct sw_class_stats, field, unit, help)
#define SEEN_ROW(name, ecn, help) \
	STAT_NAMED(struct sw_class_stats, name, seen_frames[ecn], "frames", help)
#define PORT_ROW(field, unit, help) STAT_ROW(struct sw_port_stats, field, unit, help)
#define DROP_ROW(name, reason, help) \
	STAT_NAMED(struct sw_port_stats, "drop_" name, drop[reason], "frames", help)
#define WD_ROW(field, unit, help) STAT_ROW(struct sw_wd_stats, field, unit, help)
static const struct stat_row class_rows[] = {
	CLASS_ROW(rx_frames, "frames", "received and given this class"),
	CLASS_ROW(rx_bytes, "bytes", "received and given this class, with FCS"),
	CLASS_ROW(tx_frames, "frames", "sent from this egress queue"),
	CLASS_ROW(tx_bytes, "bytes", "sent from this egress queue, with FCS"),
	CLASS_ROW(ecn_marked_frames, "frames", "CE set at this egress queue"),
	CLASS_ROW(ecn_marked_not_ect_frames, "frames",
		"CE set at this egress queue on frames that came Not-ECT"),
	CLASS_ROW(ecn_ce_rx_frames, "frames", "received with CE"),
	CLASS_ROW(dropped_frames, "frames", "received here and dropped anywhere in the switch"),
	CLASS_ROW(dropped_bytes, "bytes",
		"received here and dropped anywhere in the switch, with FCS"),
	CLASS_ROW(copied_frames, "frames", "copies owed for flooding of what was received here"),
	CLASS_ROW(pfcwd_dropped_frames, "frames", "received here and dropped by the PFC watchdog"),
	CLASS_ROW(forwarded_frames, "frames",
		"received, copied or originated here and sent by some port"),
	CLASS_ROW(originated_frames, "frames", "CNMs and CNPs of the switch, charged here"),
	CLASS_ROW(cnm_tx_frames, "frames", "CNMs about frames of this egress queue"),
	CLASS_ROW(cn_discarded_frames, "frames", "refused by this congestion-controlled queue"),
	CLASS_ROW(heavy_ps, "ps", "this egress queue was heavily congested (iQCN)"),
	SEEN_ROW("ecn_not_ect_seen_frames", ECN_NOT_ECT, "Not-ECT seen by this queue's marker"),
	SEEN_ROW("ecn_ect1_seen_frames", ECN_ECT1, "ECT(1) seen by this queue's marker"),
	SEEN_ROW("ecn_ect0_seen_frames", ECN_ECT0, "ECT(0) seen by this queue's marker"),
	SEEN_ROW("ecn_ce_seen_frames", ECN_CE, "CE seen by this queue's marker: set elsewhere"),
	CLASS_ROW(wred_dropped_frames, "frames", "dropped by WRED before this egress queue"),
	CLASS_ROW(pg_dropped_frames, "frames",
		"received here in the group of this number and dropped, but by the watchdog"),
};

static const struct stat_row port_rows[] = {
	PORT_ROW(rx_frames, "frames", "received, control frames too"),
	PORT_ROW(rx_bytes, "bytes", "received with FCS, control frames too"),
	PORT_ROW(tx_frames, "frames", "sent, control frames too"),
	PORT_ROW(tx_bytes, "bytes", "sent with FCS, control frames too"),
	PORT_ROW(flooded_frames, "frames", "received here and flooded"),
	PORT_ROW(copied_frames, "frames", "copies owed for flooding of what was received here"),
	PORT_ROW(consumed_frames, "frames", "PFC, PAUSE and other MAC control received"),
	PORT_ROW(originated_frames, "frames", "PFC and PAUSE frames made for this port"),
	PORT_ROW(pfc_invalid_frames, "frames",
		"MAC control that is not obeyed: enable vector 0, another address or opcode"),
	PORT_ROW(pause_rx_frames, "frames", "802.3x PAUSE received"),
	PORT_ROW(pause_tx_frames, "frames", "802.3x PAUSE sent, time 0 too"),
	PORT_ROW(fdb_learned, "events", "addresses learned at this port"),
	PORT_ROW(fdb_moved, "events", "addresses that moved to this port"),
	DROP_ROW("malformed", SW_DROP_MALFORMED,
		"addresses, tags or MAC control are malformed; malformed_* tells why"),
	DROP_ROW("too_long", SW_DROP_TOO_LONG, "longer than the MTU of ingress or egress"),
	DROP_ROW("reserved", SW_DROP_RESERVED, "to 01-80-C2-00-00-0x, which is not forwarded"),
	DROP_ROW("same_port", SW_DROP_SAME_PORT, "the destination is where the frame came from"),
	DROP_ROW("no_route", SW_DROP_NO_ROUTE, "flooding had no port left"),
	DROP_ROW("shared", SW_DROP_SHARED, "over the limit of shared buffer"),
	DROP_ROW("headroom", SW_DROP_HEADROOM, "headroom full"),
	DROP_ROW("buffer", SW_DROP_BUFFER, "no byte of buffer left"),
	DROP_ROW("tail", SW_DROP_TAIL, "over the limit of the egress queue"),
	DROP_ROW("wred", SW_DROP_WRED, "chosen by WRED"),
	DROP_ROW("link_down", SW_DROP_LINK_DOWN, "the link was down"),
	DROP_ROW("no_desc", SW_DROP_NO_DESC, "no descriptor for a copy"),
	DROP_ROW("pfcwd", SW_DROP_PFCWD, "a queue that the PFC watchdog has shut"),
	PORT_ROW(malformed_forwarded_frames, "frames",
		"malformed above layer 2, and sent on as layer 2 does; malformed_* tells why"),
	PORT_ROW(pfc_no_desc, "events", "a PFC frame had to wait for a descriptor"),
	PORT_ROW(cn_no_desc, "events", "a CNM or CNP was owed, but no descriptor was left"),
	PORT_ROW(cn_untagged_frames, "frames", "CN-TAG stripped from what leaves here"),
	PORT_ROW(iqcn_rx_cnp, "frames", "CNPs that came in here and were recorded (iQCN)"),
	PORT_ROW(iqcn_foreign_cnp, "frames",
		"CNPs that came in here and were not recorded: no data passed to their source, or "
		"it does not live here (iQCN)"),
	PORT_ROW(iqcn_tx_cnp, "frames", "CNPs of the switch for flows that leave here (iQCN)"),
	PORT_ROW(tx_dropped_frames, "frames", "bound for here and dropped, but by the buffer"),
	PORT_ROW(fast_cnp_tx, "frames", "CNPs of the switch for frames marked here (Fast CNP)"),
	PORT_ROW(fast_cnp_suppressed, "frames",
		"marked here, the flow had a Fast CNP within the interval"),
	PORT_ROW(fast_cnp_unknown, "frames", "marked here, the sender's QPN is not known"),
};

static const struct stat_row malformed_rows[] = {MALFORMED_ROWS(struct sw_port_stats)};

static const struct stat_row wd_rows[] = {
	WD_ROW(storms, "events", "storms detected on this queue"),
	WD_ROW(restored, "events", "storms that are over"),
	WD_ROW(tx_dropped_frames, "frames",
		"dropped, bound for the queue while it was shut or waiting in it"),
	WD_ROW(rx_dropped_frames, "frames",
		"dropped, received by the port in the class of the queue meanwhile"),
	WD_ROW(storm_ps, "ps", "in storms that are over"),
};

#define TABLE(name, rows)                                  \
	{                                                  \
		name, rows, sizeof(rows) / sizeof(rows[0]) \
	}

const struct stat_table sw_class_stat_table = TABLE("sw_class", class_rows);
const struct stat_table sw_port_stat_table = TABLE("sw_port", port_rows);
const struct stat_table sw_malformed_stat_table = TABLE("sw_port", malformed_rows);
const struct stat_table sw_wd_stat_table = TABLE("sw_wd", wd_rows);

const char *sw_drop_name(enum sw_drop d)
{
	static const char *const name[SW_DROPS] = {
		[SW_DROP_MALFORMED] = "malformed",
		[SW_DROP_TOO_LONG] = "too_long",
		[SW_DROP_RESERVED] = "reserved",
		[SW_DROP_SAME_PORT] = "same_port",
		[SW_DROP_NO_ROUTE] = "no_route",
		[SW_DROP_SHARED] = "shared",
		[SW_DROP_HEADROOM] = "headroom",
		[SW_DROP_BUFFER] = "buffer",
		[SW_DROP_TAIL] = "tail",
		[SW_DROP_WRED] = "wred",
		[SW_DROP_LINK_DOWN] = "link_down",
		[SW_DROP_NO_DESC] = "no_desc",
		[SW_DROP_PFCWD] = "pfcwd",
	};

	return (unsigned)d < SW_DROPS ? name[d] : "unknown";
}

// What comes in is counted by class, or consumed; what leaves by queue.
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

const struct red_cfg *sw_red(const struct sw *sw, unsigned cls)
{
	return sw->cls[cls].red.on ? &sw->cls[cls].red : NULL;
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

// What waits of frames that came in at `port`: how many in queues of number `n`, how many bytes of
// group `n`. Of a cut switch: what crosses its fabric, too, and what a credit is under way for.
struct held {
	const struct sw *sw;
	unsigned port, n;
	uint64_t frames, bytes;
};

static void add_held(void *arg, const struct pkt *p)
{
	struct held *h = arg;
	const struct sw *sw = h->sw;
	uint32_t bytes = p->len + sw->queue_extra;

	if (p->in_port != h->port)
		return;
	h->frames += p->cls == h->n;
	if (sw_pg(sw, p) == h->n)
		h->bytes += sw->two_sided ? mmu_cells(sw->pools.cfg, bytes) : bytes;
}

static void add_crossing(void *arg, const struct sw_msg *m)
{
	struct held *h = arg;

	if (m->kind == SW_MSG_FRAME) {
		add_held(h, m->p);
	} else if (m->kind == SW_MSG_CREDIT && m->port == h->port) {
		h->frames += m->cls == h->n ? m->frames : 0;
		h->bytes += m->pg == h->n ? m->held : 0;
	}
}

static struct held held_of(const struct sw *sw, unsigned port, unsigned n)
{
	unsigned first = sw->mapped ? 0 : n, last = sw->mapped ? PKT_CLASSES - 1 : n;
	struct held h = {.sw = sw, .port = port, .n = n};

	for (unsigned i = 0; i < sw->n_ports; i++)
		for (unsigned q = first; q <= last; q++)
			eport_q_each(&sw_eport(sw, i)->q[q], add_held, &h);
	sw_fabric_each(sw, add_crossing, &h);
	return h;
}

static void add_queued(void *arg, const struct pkt *p)
{
	struct held *h = arg;

	h->bytes += mmu_cells(h->sw->pools.cfg, p->len + h->sw->queue_extra);
}

static int wrong(const struct sw *sw, unsigned port, unsigned cls, const char *what, uint64_t a,
	uint64_t b, char *why, unsigned size)
{
	snprintf(why, size, "port %u class %u of %u ports: %s: %" PRIu64 " != %" PRIu64, port, cls,
		sw->n_ports, what, a, b);
	return -EPROTO;
}

static int conserve_class(
	const struct sw *sw, unsigned port, unsigned cls, char *why, unsigned size)
{
	struct sw_class_stats s = sw_class_stats(sw, port, cls);
	struct held h = held_of(sw, port, cls);
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

// What waits in a queue against what the second side of the buffer has of it.
static int conserve_queue(
	const struct sw *sw, unsigned port, unsigned cls, char *why, unsigned size)
{
	const struct mmu_pools *sides = sw_sides_of(sw, port);
	struct held h = {.sw = sw};
	uint32_t held;

	if (!sides)
		return 0;
	eport_q_each(&sw_eport(sw, port)->q[cls], add_queued, &h);
	held = sides->queue[port * MMU_PGS + cls].bytes;
	return h.bytes == held ? 0
			       : wrong(sw, port, cls, "queued bytes against egress buffer", h.bytes,
					 held, why, size);
}

// Sums over the classes of a port against the port's own counters; what it made itself against what
// has left of that.
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

// Frames of a class that have left, and whose own shard does not know yet.
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

int sw_conserve(const struct sw *sw, char *why, unsigned size)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		uint64_t forwarded = gone_of(sw, c), tx = 0;

		for (unsigned i = 0; i < sw->n_ports; i++) {
			int rc = conserve_class(sw, i, c, why, size);

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

unsigned sw_as_came(const struct sw *sw, struct pkt *const *burst)
{
	return (unsigned)(sw->as_came - burst);
}
