// SPDX-License-Identifier: BSD-3-Clause
// The marker of a switch's queues, and their drop curves: which frames get CE, which are dropped.
#pragma once

#include "port/port.h"

// The codepoint that the marker of a class takes a frame's for.
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

// Asks the marker of a class about a frame at an egress port.
INLINE bool sw_marker(
	const struct sw_cls *k, struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes)
{
	unsigned ecn = sw_marker_ecn(k, p);

	o->out[p->cls].seen_frames[ecn]++;
	return red_mark(&k->red, o->out[p->cls].curve, &o->rng, qlen_bytes, ecn);
}

// The codepoints (bitmap) of the frames that the drop curve of a class is for; 0: it has none.
static inline unsigned sw_drops_ecn(const struct sw_cls *k)
{
	if (k->wred == SW_WRED_OFF)
		return 0;
	return k->wred == SW_WRED_ALL ? ~0u : 1u << ECN_NOT_ECT;
}

// Whether the drop curve drops such a frame.
static inline bool sw_curve_drops(const struct sw_cls *k, struct prng *rng, uint32_t qlen_bytes)
{
	if (k->wred == SW_WRED_H3C && qlen_bytes > k->wred_drop.kmax_bytes)
		return false;
	return red_wants(&k->wred_drop, rng, qlen_bytes);
}

// A frame joins a queue that may have been empty: what its average makes of that time.
static inline void sw_avg_wake(const struct sw_cls *k, const struct sw_port *o, struct red_avg *a,
	const struct pkt *p, tstamp now)
{
	if (UNLIKELY(red_avg_is_idle(a)))
		red_avg_idle(
			a, k->wred_exponent, tstamp_max(eport_wire_time(o->e.cfg, p->len), 1), now);
}

// A frame joins a queue, then qlen_bytes long: the average.
static inline uint32_t sw_avg_arrival(const struct sw_cls *k, struct sw_port *o,
	const struct pkt *p, uint32_t qlen_bytes, tstamp now)
{
	struct red_avg *a = o->out[p->cls].avg;

	sw_avg_wake(k, o, a, p, now);
	return red_avg_learn(a, k->wred_exponent, qlen_bytes);
}

// The marker chose a frame that leaves or will leave by `o`: CE, or what stands in its place.
// `qlen_bytes` is what it saw, where it keeps no average.
void sw_mark(struct sw *sw, struct sw_port *o, struct pkt *p, uint32_t qlen_bytes, tstamp now);

// choice.c: what is decided about frames that leave a queue together, or join it.
struct sw_choice {
	unsigned from, to;                   // all that find more than Kmin stand here
	uint64_t ect, marked;                // bitmaps
	uint64_t refused;                    // of frames that would join: those that are dropped
	uint64_t above;                      // of these, those that the tail limit refuses
	struct prng rng;                     // the port's, behind the decisions
	struct red_avg avg;                  // of frames that join: likewise
	uint32_t sees[SW_BURST];             // the queue, or its average, as each finds it
	struct fast_cnp_said said[SW_BURST]; // of chosen data frames
};
_Static_assert(SW_BURST <= RED_BURST, "sw_choice");
// Decides about n frames, before which the queue had `qlen_bytes`. `differ`: the bits of pkt_word
// in which some of them is not like the first one. Nothing changes but *c.
void sw_choose(const struct sw *sw, const struct sw_port *o, int cls, struct pkt *const *burst,
	unsigned n, uint64_t differ, uint32_t qlen_bytes, struct sw_choice *c);
// Decides the same about n frames of a train, whose cars are given. A queue with trains keeps no
// average. No frame is touched.
void sw_choose_cars(const struct sw *sw, const struct sw_port *o, int cls, const eport_car *car,
	unsigned n, uint32_t qlen_bytes, struct sw_choice *c);
// Of the n frames those up to the first whose mark makes a CNP of Fast CNP, which the buffer takes
// before the next frame leaves; 0: no mark makes one.
unsigned sw_choice_until_cnp(
	const struct sw *sw, struct pkt *const *burst, unsigned n, struct sw_choice *c, tstamp now);

// Frames whose marks may make CNPs of Fast CNP leave together up to the first CNP, or join together
// before it, and the frames behind it are decided about once more. If these were all that are left
// each time, a burst would cost as much as its frames times its CNPs. So a port decides about
// o->look_ahead frames at most: twice as many as there were up to the last CNP, and twice as many
// again each time that there is none. What is decided about a frame does not depend on it.
// `until_cnp`: frames up to the CNP; 0: there is none.
INLINE void sw_look_ahead(struct sw_port *o, unsigned until_cnp)
{
	unsigned twice = 2 * (until_cnp ? until_cnp : o->look_ahead);

	o->look_ahead = (uint8_t)(twice < SW_BURST ? twice : SW_BURST);
}

// Decides about n frames, 1 to SW_BURST, that are to join the queue as it is, one after the other:
// those that tail limit and drop curve let in join it, and the others are c->refused. It decides
// about the frames before the first one whose mark makes a CNP of Fast CNP, and returns how many
// these are. The buffer has not been asked. Nothing changes but *c.
unsigned sw_choose_joining(const struct sw *sw, const struct sw_port *o, int cls,
	struct pkt *const *burst, unsigned n, uint64_t differ, struct sw_choice *c, tstamp now);
// The buffer has taken those that join: the average learns, the others are dropped, and the
// marker's part is done as in sw_choice_done. `by_ecn` is of those that join.
void sw_choice_joined(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, const struct sw_choice *c, tstamp now);
// They have left: counts them, and marks those that were chosen. `by_ecn`: frames by codepoint, 8
// bits each.
void sw_choice_done(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, const struct sw_choice *c, tstamp now);

// round.c: the same of frames of several classes that leave in turn. The marker draws in the order
// in which they leave.
struct sw_round_choice {
	struct sw_choice all;
	uint64_t of[PKT_CLASSES]; // bitmaps: the frames of each class
	uint64_t told;            // those whose marks Fast CNP is told of: sw_round_until_cnp
};
// Decides about those frames of a round that are of classes `decides` (bitmap). c->told is not
// touched.
void sw_choose_round(const struct sw *sw, const struct sw_port *o, unsigned decides,
	struct pkt *const *burst, const struct eport_round *e, struct sw_round_choice *c);
// As sw_choice_until_cnp, where Fast CNP is told of marks of `classes`, which sets c->told.
unsigned sw_round_until_cnp(const struct sw *sw, unsigned classes, struct pkt *const *burst,
	unsigned n, struct sw_round_choice *c, tstamp now);
// The frames have left: those that are marked get CE or a CNP, and the curves learn of them.
// Whoever calls counts what the markers have looked at (sw_marker_seen).
void sw_round_done(struct sw *sw, struct sw_port *o, unsigned decides, struct pkt *const *burst,
	const struct sw_round_choice *c, tstamp now);

// wred.c: SW_LOOK_WRED. What becomes of a frame that joins a queue, then qlen_bytes long;
// whether one is marked that leaves it.
enum sw_verdict { SW_PASS, SW_MARK, SW_DROP };
int sw_wred_class(struct sw_cls *k, const struct sw_class_params *p);
// Frames have joined a queue of a class with SW_HOOK_ZONE. Above Kmax all frames that stand in it,
// these too, will leave as CE (the third zone of standards.md 6.3).
void sw_zone_joined(const struct sw *sw, struct sw_port *o, unsigned cls);
int sw_wred_port(struct sw_port *o, const struct sw *sw);
void sw_wred_fini(struct sw_port *o);
enum sw_verdict sw_wred_rx(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes, tstamp now);
bool sw_wred_tx(struct sw *sw, struct sw_port *o, struct pkt *p, uint32_t qlen_bytes, tstamp now);
