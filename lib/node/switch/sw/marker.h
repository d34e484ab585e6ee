// SPDX-License-Identifier: BSD-3-Clause
// The marker of a switch's queues, and their drop curves: which frames get CE, which are dropped.
#pragma once

#include "port/port.h"

#pragma GCC visibility push(hidden)

// The codepoint of a frame as the marker of a class sees it.
INLINE unsigned sw_marker_ecn(const struct sw_cls *k, const struct pkt *p)
{
	unsigned ecn = pkt_ecn(p);

	return k->mark_any && ecn == ECN_NOT_ECT ? ECN_ECT0 : ecn;
}

// Counts frames that the marker of a class has looked at; by_ecn: by codepoint, 8 bits each.
INLINE void sw_marker_seen(const struct sw_cls *k, struct sw_out *s, uint32_t by_ecn)
{
	if (UNLIKELY(k->mark_any))
		by_ecn = (by_ecn & ~0xffu) + ((by_ecn & 0xff) << 8 * ECN_ECT0);
	sw_seen(s, by_ecn);
}

// Asks the marker of a class whether to mark a frame at an egress port.
INLINE bool sw_marker(
	const struct sw_cls *k, struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes)
{
	struct sw_out *s = &o->out[p->cls];
	unsigned ecn = sw_marker_ecn(k, p);

	s->seen_frames[ecn]++;
	return red_mark(&k->red, s->curve, &o->rng, qlen_bytes, ecn);
}

// The codepoints (bitmap) of the frames that the drop curve of a class is for; 0: it has none.
static inline unsigned sw_drops_ecn(const struct sw_cls *k)
{
	if (k->wred == SW_WRED_OFF)
		return 0;
	return k->wred == SW_WRED_ALL ? ~0u : 1u << ECN_NOT_ECT;
}

// Returns whether the drop curve drops a frame of a kind that it is for. `qlen_bytes`: the queue
// length to use.
static inline bool sw_curve_drops(const struct sw_cls *k, struct prng *rng, uint32_t qlen_bytes)
{
	if (k->wred == SW_WRED_H3C && qlen_bytes > k->wred_drop.kmax_bytes)
		return false;
	return red_wants(&k->wred_drop, rng, qlen_bytes);
}

// Marks a frame that leaves or will leave by `o`: with CE, a CNP in place of CE, or both.
// `qlen_bytes`: the queue length that the marker saw, if it keeps no average.
void sw_mark(struct sw *sw, struct sw_port *o, struct pkt *p, uint32_t qlen_bytes, tstamp now);

// mark.c: sets CE in the frame, without a Fast CNP.
void sw_mark_ce(struct sw *sw, struct sw_port *o, struct pkt *p, uint64_t seen_bytes, tstamp now);

// wred.c
int sw_wred_class(struct sw_cls *k, const struct sw_class_params *p);
// Frames have joined a queue of a class with SW_HOOK_ZONE. If the queue is above Kmax, all its
// frames, also the new ones, will leave as CE (the third zone of standards.md 6.3).
void sw_zone_joined(struct sw_port *o, unsigned cls);
int sw_wred_port(struct sw_port *o);
void sw_wred_fini(struct sw_port *o);
// SW_LOOK_WRED: what becomes of a frame that joins a queue, then qlen_bytes long, as sw_joins says
// it; whether one is marked that leaves it.
enum sw_verdict { SW_PASS, SW_MARK, SW_ABOVE, SW_DROP };
enum sw_verdict sw_wred_rx(struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes, tstamp now);
bool sw_wred_tx(struct sw *sw, struct sw_port *o, struct pkt *p, uint32_t qlen_bytes, tstamp now);

// Returns whether frames like p that join a queue only change its average: nothing can mark or drop
// them there.
static inline bool sw_only_learns(const struct sw_cls *k, const struct pkt *p)
{
	return k->wred_exponent && k->mark != SW_MARK_ENQUEUE && k->tail_limit == UINT32_MAX &&
	       !(sw_drops_ecn(k) >> pkt_ecn(p) & 1);
}

// Updates the average for n frames like p, each of `bytes`. The first one makes the queue qlen
// bytes long.
void sw_learn(const struct sw_cls *k, const struct sw_port *o, const struct pkt *p, uint32_t qlen,
	uint32_t bytes, unsigned n, tstamp now);

// Decides about a frame that would make a queue *qlen bytes long: it joins, it joins with a mark,
// or it is refused by the tail limit (SW_ABOVE) or the drop curve. Sets *qlen to the queue length
// that it used.
INLINE enum sw_verdict sw_joins(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint32_t *qlen, tstamp now)
{
	const struct sw_cls *k = &o->set->cls[p->cls];
	uint32_t bytes = p->len + sw->queue_extra;

	if (*qlen > k->tail_limit) {
		*qlen -= bytes;
		return SW_ABOVE;
	}
	*qlen -= k->excludes_frame ? bytes : 0;
	if (k->rx_look == SW_LOOK_PLAIN)
		return sw_marker(k, o, p, *qlen) ? SW_MARK : SW_PASS;
	return sw_wred_rx(o, p, *qlen, now);
}

#pragma GCC visibility pop
