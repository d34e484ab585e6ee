// SPDX-License-Identifier: BSD-3-Clause
// The switch receives frames: it handles the frames that are not forwarded, looks up the way of the
// others, admits them to the buffer, and puts them into egress queues.
#include "int.h"

#include "base/hint.h"

// The reason of a drop, by the buffer's verdict.
static const uint8_t drop_of[] = {
	[MMU_DROP_SHARED] = SW_DROP_SHARED,
	[MMU_DROP_HEADROOM] = SW_DROP_HEADROOM,
	[MMU_DROP_BUFFER] = SW_DROP_BUFFER,
	[MMU_DROP_QUEUE] = SW_DROP_TAIL,
	[SW_REFUSED] = SW_DROP_PFCWD,
};

static void learn_from(struct sw *sw, struct sw_port *in, const struct sw_port *o,
	const struct pkt *p, tstamp at, tstamp now)
{
	uint8_t hooks = o->set->cls[p->cls].hooks;

	if (hooks & SW_HOOK_CNP && SW_DATA_KINDS >> p->kind & 1)
		iqcn_data(sw->iqcn, p->hdr, at);
	if (hooks & SW_HOOK_CNP && p->kind == PKT_CNP)
		sw_iqcn_cnp(sw, in, p, now);
	if (hooks & SW_HOOK_ACK && p->kind == PKT_ACK)
		sw_fast_cnp_ack(sw, in, p, now);
}

// Follows when a frame has joined its queue. QCN may sample the frame. iQCN looks at the length of
// the queue. iQCN and Fast CNP learn from a frame that this shard received. Then the switch may
// forget the frame's header.
static void after_queued(struct sw *sw, struct sw_port *in, struct sw_port *o, struct pkt *p,
	enum sw_origin from, tstamp now)
{
	unsigned cls = p->cls;

	sw_joined(sw, o, cls, now);
	if (from == SW_RECEIVED)
		learn_from(sw, in, o, p, now, now);
	if (o->out[cls].cp)
		sw_qcn_frames(sw, o, p, p->len + sw->queue_extra, now);
	if (o->set->cls[cls].hooks & SW_HOOK_FORGET && from == SW_RECEIVED)
		p->hdr = NULL;
}

// Charges a frame to the buffer. False: the buffer has refused it, and it is dropped.
INLINE bool hold(struct sw *sw, struct sw_port *in, struct sw_port *o, struct pkt *p, tstamp now)
{
	unsigned v = sw_admit(sw, in, o, p, p->cls, p->len + sw->queue_extra);

	if (UNLIKELY(v != MMU_ADMIT)) {
		if (v != MMU_ADMIT_XOFF) {
			sw_drop(sw, p, drop_of[v], o->index, sw->mmu.used, now);
			return false;
		}
		sw_xoff(sw, in, sw_pg(sw, p), now);
	}
	return true;
}

// Charges a frame that another shard has admitted to the egress side of the buffer. False: it is
// dropped.
static bool hold_crossed(struct sw *sw, struct sw_port *o, struct pkt *p, tstamp now)
{
	if (sw_buffer_takes_crossed(sw, o, p))
		return true;
	sw_drop(sw, p, SW_DROP_TAIL, o->index, o->e.q[p->cls].bytes, now);
	return false;
}

// Charges a frame to the buffer and queues it, marked if `mark`; or drops it.
INLINE void admit(struct sw *sw, struct sw_port *in, struct sw_port *o, struct pkt *p,
	uint32_t qlen, bool mark, enum sw_origin from, tstamp now)
{
	unsigned cls = p->cls;

	if (from != SW_CROSSED && !hold(sw, in, o, p, now))
		return;
	if (from == SW_CROSSED && UNLIKELY(sw->two_sided) && !hold_crossed(sw, o, p, now))
		return;
	if (mark)
		sw_mark(sw, o, p, qlen, now);
	eport_put(&o->e, cls, p, now);
	sw_queue_ready(sw, o, cls);
	if (UNLIKELY(o->set->cls[cls].hooks))
		after_queued(sw, in, o, p, from, now);
}

// The queue decides about the frame: tail limit, marker, drop curve.
static void admit_looked(struct sw *sw, struct sw_port *in, struct sw_port *o, struct pkt *p,
	uint32_t qlen, enum sw_origin from, tstamp now)
{
	enum sw_verdict v = sw_joins(sw, o, p, &qlen, now);

	if (v >= SW_ABOVE)
		sw_refuse(sw, o, p, v, qlen, now);
	else
		admit(sw, in, o, p, qlen, v == SW_MARK, from, now);
}

// Sends a frame to the shard of its egress port. This shard admits the frame to the buffer; the
// other one decides about its queue. iQCN and Fast CNP learn from a received frame here, because
// another lcore would have to fetch its header. Then the switch may forget the header.
static void cross(struct sw *sw, struct sw_port *in, struct sw_port *o, struct pkt *p,
	bool untagged, enum sw_origin from, tstamp now)
{
	if (!hold(sw, in, o, p, now))
		return;
	if (from == SW_RECEIVED)
		learn_from(sw, in, o, p, sw_fabric_at(sw, now), now);
	if (from == SW_RECEIVED && o->set->cls[p->cls].hooks & SW_HOOK_FORGET)
		p->hdr = NULL;
	sw_fabric_frame(sw, o, p, untagged, now);
}

// Queues a frame at port `out`, or drops it. The queue decides before the buffer does. So a frame
// that the queue refuses never holds buffer, and a frame that the buffer refuses was never queued.
INLINE void queue_or_drop(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out,
	enum sw_origin from, tstamp now)
{
	struct sw_port *o = &sw->port[out];
	unsigned cls = p->cls;
	const struct sw_cls *k = &o->set->cls[cls];
	const struct eport_q *q = &o->e.q[cls];

	bool untagged = UNLIKELY(k->hooks & SW_HOOK_UNTAG) && from != SW_CROSSED && sw_untag(o, p);

	uint32_t qlen = q->bytes + p->len + sw->queue_extra;

	if (UNLIKELY(p->len > o->max_len)) {
		if (o->away) {
			cross(sw, in, o, p, untagged, from, now);
			return;
		}
		sw_drop(sw, p, o->max_len ? SW_DROP_TOO_LONG : SW_DROP_LINK_DOWN, out, q->bytes,
			now);
		return;
	}
	if (UNLIKELY(qlen > k->look_bytes)) {
		admit_looked(sw, in, o, p, qlen, from, now);
		return;
	}
	admit(sw, in, o, p, qlen, false, from, now);
}

void sw_arrived(struct sw *sw, struct pkt *p, unsigned out, bool untagged, tstamp now)
{
	struct sw_port *o = &sw->port[out];

	o->rare->stats.cn_untagged_frames += untagged;
	if (o->wd && o->wd->shut >> p->cls & 1) {
		o->wd->stats[p->cls].tx_dropped_frames++;
		sw_drop(sw, p, SW_DROP_PFCWD, out, o->e.q[p->cls].bytes, now);
		return;
	}
	queue_or_drop(sw, &sw->port[p->in_port], p, out, SW_CROSSED, now);
}

void sw_refuse(struct sw *sw, const struct sw_port *o, struct pkt *p, enum sw_verdict v,
	uint32_t held, tstamp now)
{
	sw_drop(sw, p, v == SW_ABOVE ? SW_DROP_TAIL : SW_DROP_WRED, o->index, held, now);
}

// The same, not inlined, for callers that need not be fast.
static void queue(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now)
{
	queue_or_drop(sw, in, p, out, SW_RECEIVED, now);
}

// Queues a frame that this switch made, charged to `in`; its class is set. Headroom is reserved for
// frames that the peer sends until XOFF takes effect, so a frame that finds room only there is
// dropped.
void sw_originate(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now)
{
	p->in_port = in->index;
	if (sw->mapped)
		p->cls = (uint8_t)sw_map(in, &sw->port[out], p, p->cls);
	if (sw->pause)
		p->pg = in->set->own_pg;
	in->rare->cls[p->cls].originated_frames++;
	if (sw_buffer_has_room(sw, in, p))
		queue_or_drop(sw, in, p, out, SW_OWN, now);
	else
		sw_drop_own(sw, p, out, now);
}

// A copy for flooding; NULL: there is no descriptor, or no room for the bytes.
static struct pkt *copy_of(struct pkt_stack *s, const struct pkt *p)
{
	struct pkt *c;

	if (p->data_off && p->len > s->room && !s->longer)
		return NULL;
	c = pkt_get_like(s, p);
	if (c)
		pkt_clone(c, p, s->data_off);
	return c;
}

// A frame with no egress queue yet gets the queue that its class has at port `o`.
static void give_queue(const struct sw *sw, const struct sw_port *in, const struct sw_port *o,
	struct pkt *p, unsigned cls)
{
	if (sw->mapped)
		p->cls = (uint8_t)sw_map(in, o, p, cls);
}

// Drops a frame that goes to no port. Its class counts as at its own port.
static void drop_here(
	struct sw *sw, struct sw_port *in, struct pkt *p, enum sw_drop why, tstamp now)
{
	give_queue(sw, in, in, p, p->cls);
	sw_count_in(sw, in, p);
	sw_drop(sw, p, why, PKT_NO_PORT, 0, now);
}

// Floods a frame to every port except its own: the last port gets the frame itself, the others get
// copies. Each of them counts in its own queue.
static void flood(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now)
{
	unsigned last = PKT_NO_PORT, cls = p->cls;

	for (unsigned w = 0; w * 64 < sw->n_ports; w++) {
		uint64_t ports = sw->up[w];

		if (in->index / 64 == w)
			ports &= ~(1ull << in->index % 64);
		for (; ports; ports &= ports - 1) {
			unsigned out = w * 64 + (unsigned)__builtin_ctzll(ports);

			if (last != PKT_NO_PORT) {
				struct pkt *c;

				give_queue(sw, in, &sw->port[last], p, cls);
				c = copy_of(sw->stack, p);
				in->rare->stats.copied_frames++;
				in->rare->cls[p->cls].copied_frames++;
				if (c)
					queue(sw, in, c, last, now);
				else
					sw_count_drop(sw, p, SW_DROP_NO_DESC, last, 0, now);
			}
			last = out;
		}
	}
	if (last == PKT_NO_PORT) {
		drop_here(sw, in, p, SW_DROP_NO_ROUTE, now);
		return;
	}
	give_queue(sw, in, &sw->port[last], p, cls);
	sw_count_in(sw, in, p);
	in->rare->stats.flooded_frames++;
	queue(sw, in, p, last, now);
}

void sw_count_in(struct sw *sw, const struct sw_port *in, const struct pkt *p)
{
	uint64_t *count = sw_in(sw, in, p->cls);

	count[SW_IN_FRAMES]++;
	count[SW_IN_BYTES] += p->len + PKT_FCS;
	count[SW_IN_CE] += pkt_ecn(p) == ECN_CE;
}

void sw_rx_to(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now)
{
	sw_count_in(sw, in, p);
	queue(sw, in, p, out, now);
}

// Handles a frame that does not go to exactly one port. Its class has not been mapped to a queue.
void sw_rx_no_port(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now)
{
	if (out == SW_OUT_FLOOD)
		flood(sw, in, p, now);
	else
		drop_here(
			sw, in, p, out == SW_OUT_SAME ? SW_DROP_SAME_PORT : SW_DROP_RESERVED, now);
}

// MAC control: the switch obeys or ignores the frame, and never forwards it (802.3 cl. 31, 802.1Q
// cl. 36). `when` still is the instant of its arrival.
static void rx_control(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now)
{
	const struct pkt_pfc *f = &p->u.pfc;

	in->rare->stats.consumed_frames++;
	in->rare->consumed_bytes += p->len + PKT_FCS;
	if (in->rare->stats.knows_far && p->kind != PKT_MACCTL)
		in->rare->stats.pause_stranger_frames +=
			memcmp(p->hdr->src, in->rare->far_mac, sizeof(in->rare->far_mac)) != 0;
	if (p->kind == PKT_PAUSE) {
		uint16_t quanta[PAUSE_PRIOS];

		for (unsigned c = 0; c < PAUSE_PRIOS; c++)
			quanta[c] = f->quanta[0];
		in->rare->stats.pause_rx_frames++;
		if (in->rare->pause_honour)
			sw_pause(sw, in, 0xff, quanta, p->when, now);
	} else if (p->kind == PKT_PFC && f->enable) {
		in->rare->stats.pfc_disabled_frames += (f->enable & ~in->rare->pfc_mask) != 0;
		pause_rx_count(&in->rare->prx, f->enable, f->quanta, now);
		sw_pause(sw, in, f->enable & in->rare->pfc_mask, f->quanta, p->when, now);
	} else {
		in->rare->stats.pfc_invalid_frames++;
	}
	pkt_put(sw->stack, p);
}

// Handles MAC control frames, frames that this port does not forward, and malformed frames.
bool sw_rx_odd(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now)
{
	enum sw_drop why;

	if (in->max_len && p->len <= in->max_len && p->kind != PKT_BAD) {
		rx_control(sw, in, p, now);
		return false;
	}
	p->in_port = in->index;
	p->when = now;
	if (!in->max_len) {
		why = SW_DROP_LINK_DOWN;
	} else if (p->len > in->max_len || (p->kind == PKT_BAD && p->u.bad == FRAME_TOO_LONG)) {
		why = SW_DROP_TOO_LONG;
	} else {
		why = SW_DROP_MALFORMED;
		in->rare->stats.malformed[p->u.bad < FRAME_ERRORS ? p->u.bad : FRAME_OK]++;
		if (frame_error_is_above_l2((enum frame_error)p->u.bad)) {
			in->rare->stats.malformed_forwarded_frames++;
			return true;
		}
	}
	p->cls = in->default_class;
	p->pg = in->set->pg_of[p->cls];
	sw_count_in(sw, in, p);
	sw_drop(sw, p, why, PKT_NO_PORT, 0, now);
	return false;
}

// Not inlined: the registers that it needs would slow down switches without a map.
ASIDE unsigned map_class(
	const struct sw_port *in, const struct sw_port *o, struct pkt *p, unsigned cls)
{
	return sw_map(in, o, p, cls);
}

static void rx_one(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now)
{
	struct sw_way w;
	uint8_t cls;

	if (UNLIKELY(sw_is_odd(in, p)) && !sw_rx_odd(sw, in, p, now))
		return;
	p->in_port = in->index;
	p->when = now;
	if (LIKELY(p->hdr->id - 1 < sw->n_ids)) {
		const struct sw_fwd *f = sw_fwd_fresh(sw, p->hdr, in->index, now);

		w = (struct sw_way){f->out, f->cls, 0};
	} else {
		w = sw_way(sw, in, p->hdr, now);
	}
	if (sw->forgets)
		p->hdr = NULL;
	cls = w.cls;
	if (cls == SW_CLS_BY_DSCP)
		cls = in->set->dscp_to_class[p->tos >> 2];
	p->cls = cls;
	if (UNLIKELY(w.out >= SW_OUT_ODD)) {
		sw_rx_no_port(sw, in, p, w.out, now);
		return;
	}
	if (UNLIKELY(sw->mapped))
		p->cls = (uint8_t)map_class(in, &sw->port[w.out], p, cls);
	sw_count_in(sw, in, p);
	queue_or_drop(sw, in, p, w.out, SW_RECEIVED, now);
}

// Takes more than SW_BURST frames, or none.
ASIDE void rx_bursts(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n, tstamp now)
{
	for (; n > SW_BURST; n -= SW_BURST, burst += SW_BURST)
		sw_rx(sw, in->index, burst, SW_BURST, now);
	if (n)
		sw_rx(sw, in->index, burst, n, now);
}

// Without the empty asm gcc takes the function for one without effect.
void sw_fetch(const struct sw *sw, const struct hdr *hdr)
{
	if (LIKELY(hdr->id - 1 < sw->n_ids))
		__builtin_prefetch(sw_fwd_place(sw, hdr->id));
	__asm__ volatile("");
}

// A single frame takes the path for one frame, as always in virtual time. More frames are taken as
// bursts of at most SW_BURST.
void sw_rx(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	struct sw_port *in = &sw->port[port];

	if (n == 1)
		rx_one(sw, in, burst[0], now);
	else if (LIKELY(n - 1 < SW_BURST))
		sw_rx_burst(sw, in, burst, NULL, n, now);
	else
		rx_bursts(sw, in, burst, n, now);
}
