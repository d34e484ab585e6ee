// SPDX-License-Identifier: BSD-3-Clause
// Groups of a burst that has been sorted (sort.c): they join their queues together, as far as
// nothing has to be decided about each of their frames. In the sorted order, which counts as the
// order of arrival, all that is decided comes out as for one frame after the other.
#include "group.h"

#include "base/hint.h"

#define TRAIN_LEAST 16 // of fewer frames it is less work to touch each

// What the queue decides about frames that join it together, which stand in `burst`.
struct joining {
	struct pkt *const *burst;
	struct pkt *room[SW_BURST];
	struct sw_choice choice;
};

// What the queue is with the group.
static uint32_t queue_with(const struct sw *sw, const struct sw_port *o, const struct group *g)
{
	return o->e.q[g->cls].bytes + bytes_of(sw, g);
}

// Whether the queue decides about frames that join it: marker, average, drop curve, tail limit.
// `qlen`: with all of them.
static bool queue_decides(const struct sw_cls *k, uint32_t qlen)
{
	return UNLIKELY(qlen > k->rx_calm_bytes);
}

// Whether each frame that joins moves an average that H3C's third zone looks at.
static bool is_seen_by_zone(const struct sw_cls *k)
{
	return k->hooks & SW_HOOK_ZONE && k->wred_exponent;
}

// Whether it may decide that a frame of a group does not join, or not together with the others.
static bool queue_parts(const struct sw_cls *k, const struct group *g, uint32_t qlen)
{
	unsigned drops;

	if (!queue_decides(k, qlen))
		return false;
	// Fast CNP may make a CNP of a mark.
	if (qlen > k->tail_limit || (k->hooks & SW_HOOK_MARK && k->mark == SW_MARK_ENQUEUE))
		return true;
	if (is_seen_by_zone(k))
		return true;
	// The drop curve, of the frames that it is for.
	drops = sw_drops_ecn(k);
	if (!(drops & ~(1u << ECN_NOT_ECT)) && !(drops && sw_frames_with(g->by_ecn, ECN_NOT_ECT)))
		return false;
	return k->wred_exponent || qlen > k->wred_drop.kmin_bytes;
}

// How many frames may join the queue together: none behind QCN's next sample, which may be the last
// of them.
static unsigned calm_frames(const struct sw *sw, const struct sw_port *o, const struct group *g)
{
	const struct sw_cp *cp = o->out[g->cls].cp;
	unsigned all = frames_of(g), n;

	if (!cp || o->away || LIKELY(bytes_of(sw, g) <= (uint64_t)cp->cp.sample))
		return all;
	n = group_within(sw, g, (uint64_t)cp->cp.sample);
	return n + (n < all);
}

// Whether the watchdog of one of the ports has shut a class.
ASIDE bool is_shut(const struct sw_port *in, const struct sw_port *o, unsigned cls)
{
	return (in->wd && in->wd->shut >> cls & 1) || (o->wd && o->wd->shut >> cls & 1);
}

// Whether the group may make its queue heavily congested.
ASIDE bool becomes_heavy(const struct sw *sw, const struct sw_port *o, const struct group *g)
{
	const struct sw_cls *k = &sw->cls[g->cls];

	return k->hooks & SW_HOOK_HEAVY && !o->away && !(o->heavy >> g->cls & 1) &&
	       queue_with(sw, o, g) >= k->heavy_bytes;
}

// Whether each frame has to be seen alone, whatever joins the queue with it.
static bool each_alone(const struct sw *sw, const struct sw_port *in, const struct sw_port *o,
	const struct group *g)
{
	const struct sw_cls *k = &sw->cls[g->cls];

	if (UNLIKELY(sw->shut >> g->cls & 1) && is_shut(in, o, g->cls))
		return true;
	if (UNLIKELY(g->longest > o->max_len) && !o->away) // the shard that has the port drops it
		return true;
	if (LIKELY(!k->hooks))
		return false;
	// An ACK may tell of the sender of a frame behind it, whose mark makes a CNP then. iQCN
	// records that CNP, and those that are forwarded, in the order of their frames.
	if (k->hooks & SW_HOOK_MARK && k->mark == SW_MARK_ENQUEUE &&
		g->kinds & (SW_KIND(PKT_ACK) | (k->hooks & SW_HOOK_CNP ? SW_KIND(PKT_CNP) : 0)))
		return true;
	// A CNP is recorded before its queue becomes heavily congested or behind that.
	if (UNLIKELY(g->kinds & SW_KIND(PKT_CNP)) && becomes_heavy(sw, o, g))
		return true;
	return (o->untag >> g->cls & 1) || (o->out[g->cls].cp && g->kinds & SW_KIND(PKT_CNM));
}

// The same as buffer_takes where the buffer has one side; no frame has fewer than `least` bytes.
INLINE bool mmu_takes(
	struct sw *sw, const struct sw_port *in, unsigned pg, uint32_t bytes, uint32_t least)
{
	return mmu_admit_burst(&sw->mmu, in->index, pg, bytes) ||
	       mmu_admit_headroom(&sw->mmu, in->index, pg, bytes, least);
}

// Whether the buffer takes `bytes`, or `held` where it has two sides, of a group's frames without a
// threshold being reached, or all of them into headroom; then it has.
static bool buffer_takes(struct sw *sw, const struct sw_port *in, const struct sw_port *o,
	const struct group *g, uint32_t bytes, uint32_t held)
{
	unsigned pg = sw->mapped ? g->pg : g->cls;
	uint32_t least = g->shortest + sw->queue_extra;

	if (UNLIKELY(sw->two_sided)) {
		least = mmu_cells(&sw->pools_cfg, least);
		return o->away ? mmu_enter_group_burst(&sw->pools, in->index, pg, held, least)
			       : mmu_enter_burst(
					 &sw->pools, in->index, pg, o->index, g->cls, held, least);
	}
	if (UNLIKELY(sw->fabric))
		sw_buffer_lease(sw, in->index, pg, bytes, true);
	return mmu_takes(sw, in, pg, bytes, least);
}

// The same of all frames of a group that are of several priority groups.
ASIDE bool groups_take(
	struct sw *sw, const struct sw_port *in, const struct sw_port *o, const struct group *g)
{
	uint32_t bytes[MMU_PGS] = {0};
	const struct pkt *p = g->head;

	for (unsigned n = frames_of(g); n; n--, p = p->next)
		bytes[p->pg] += sw->two_sided ? held_by(sw, p) : p->len + sw->queue_extra;
	return sw_buffer_takes_groups(sw, in, bytes, o, g->cls);
}

// The same of a group that another shard has admitted: the queue's side is asked, where there is
// one.
static bool queue_takes(struct sw *sw, const struct sw_port *o, const struct group *g)
{
	return !sw->two_sided || mmu_enter_queue_burst(&sw->pools, o->index, g->cls, g->held);
}

// Whether the buffer takes all of a group as buffer_takes has it; then it has.
static bool takes_all(
	struct sw *sw, const struct sw_port *in, const struct sw_port *o, const struct group *g)
{
	uint32_t bytes = bytes_of(sw, g);

	if (LIKELY(sw->mmu_alone))
		return mmu_takes(sw, in, g->cls, bytes, g->shortest + sw->queue_extra);
	if (UNLIKELY(g->crossed))
		return queue_takes(sw, o, g);
	if (UNLIKELY(g->mixed))
		return groups_take(sw, in, o, g);
	return buffer_takes(sw, in, o, g, bytes, g->held);
}

// How many of a group's first frames the buffer takes, and has, but not all of them. What it takes
// of some is what it would take of each, so halves find them.
static unsigned take_by_halves(
	struct sw *sw, const struct sw_port *in, const struct sw_port *o, const struct group *g)
{
	uint32_t bytes[SW_BURST], held[SW_BURST]; // of the first frames
	const struct pkt *p = g->head;
	unsigned n = frames_of(g), taken = 0;

	bytes[0] = held[0] = 0;
	for (unsigned i = 1; i < n && g->run; i++) {
		bytes[i] = i * (p->len + sw->queue_extra);
		held[i] = i * held_by(sw, p);
	}
	for (unsigned i = 1; i < n && !g->run; i++, p = p->next) {
		bytes[i] = bytes[i - 1] + p->len + sw->queue_extra;
		held[i] = held[i - 1] + held_by(sw, p);
	}
	for (unsigned step = SW_BURST / 2; step; step /= 2) {
		unsigned to = taken + step;

		if (to < n && buffer_takes(sw, in, o, g, bytes[to] - bytes[taken],
				      held[to] - held[taken]))
			taken = to;
	}
	return taken;
}

// The sums of the first frames of a group.
struct part {
	unsigned n;
	uint32_t bytes, held;
};

// Those that have no more than `room` bytes of the buffer, but not all of them.
static struct part part_within(const struct sw *sw, const struct group *g, uint64_t room)
{
	struct pkt *const *row = group_row(g);
	const struct pkt *p = g->head;
	struct part x = {0};

	for (unsigned most = frames_of(g) - 1; x.n < most; x.n++) {
		uint32_t bytes = x.bytes + p->len + sw->queue_extra, held = x.held + held_by(sw, p);

		if ((sw->two_sided ? held : bytes) > room)
			break;
		x.bytes = bytes;
		x.held = held;
		p = row ? row[x.n + 1] : p->next;
	}
	return x;
}

// The buffer does not take all of a group: how many of its first frames it takes, and has. Nearly
// always these are the ones before the group's threshold.
static unsigned buffer_takes_first(
	struct sw *sw, const struct sw_port *in, const struct sw_port *o, const struct group *g)
{
	unsigned pg = sw->mapped ? g->pg : g->cls;
	struct part x = part_within(sw, g, mmu_room(&sw->mmu, in->index, pg));

	if (x.n ? buffer_takes(sw, in, o, g, x.bytes, x.held)
		: !sw->mmu.pg[in->index * MMU_PGS + pg].xoff)
		return x.n;
	return take_by_halves(sw, in, o, g);
}

// What the queue decides about the first n frames of a group. Returns about how many of them it has
// decided.
ASIDE unsigned choose(const struct sw *sw, const struct sw_port *o, const struct group *g,
	unsigned n, struct joining *j, tstamp now)
{
	j->burst = group_first(g, n, j->room);
	return sw_choose_joining(
		sw, o, g->cls, j->burst, n, g->run ? 0 : UINT64_MAX, &j->choice, now);
}

// Decides about a group all of which joins.
ASIDE void decide(struct sw *sw, struct sw_port *o, const struct group *g, tstamp now)
{
	struct joining j;

	choose(sw, o, g, frames_of(g), &j, now);
	assert(!j.choice.refused);
	sw_choice_joined(sw, o, g->cls, j.burst, g->by_ecn, &j.choice, now);
}

// The average alone learns of each frame that joins. Nobody asks it before all of them have.
static void learn_average(struct sw *sw, struct sw_port *o, const struct group *g, tstamp now)
{
	const struct sw_cls *k = &sw->cls[g->cls];
	const struct pkt *p = g->head;
	struct red_avg avg = *o->out[g->cls].avg;
	unsigned n = frames_of(g);
	uint32_t qlen = o->e.q[g->cls].bytes, bytes = p->len + sw->queue_extra;

	sw_avg_wake(k, o, &avg, p, now);
	if (LIKELY(g->longest == g->shortest)) {
		qlen += k->excludes_frame ? 0 : bytes;
		red_avg_learn_alike(&avg, k->wred_exponent, qlen, bytes, n);
		n = 0;
	}
	for (; n; n--, p = p->next) {
		bytes = p->len + sw->queue_extra;
		qlen += bytes;
		red_avg_learn(&avg, k->wred_exponent, qlen - (k->excludes_frame ? bytes : 0));
	}
	*o->out[g->cls].avg = avg;
}

// What the queue has to say of frames that join; none is dropped.
static void look(struct sw *sw, struct sw_port *o, const struct group *g, tstamp now)
{
	const struct sw_cls *k = &sw->cls[g->cls];
	uint32_t qlen = queue_with(sw, o, g);

	if (!queue_decides(k, qlen)) {
		if (k->mark == SW_MARK_ENQUEUE)
			sw_seen(&o->out[g->cls], g->by_ecn);
		return;
	}
	if (k->mark == SW_MARK_ENQUEUE || queue_parts(k, g, qlen))
		decide(sw, o, g, now);
	else if (k->wred_exponent)
		learn_average(sw, o, g, now);
}

ASIDE void learn_from_each(struct sw *sw, struct sw_port *in, struct pkt *const *burst, unsigned n,
	tstamp at, tstamp now)
{
	for (unsigned i = 0; i < n; i++)
		sw_learn_from(sw, in, burst[i], at, now);
}

// iQCN and Fast CNP learn from a group that this shard has received, and that is queued, here or at
// another shard, at the instant `at`.
static void learn_from_group(struct sw *sw, struct sw_port *in, const struct group *g,
	struct pkt *const *burst, tstamp at, tstamp now)
{
	unsigned hooks = sw->cls[g->cls].hooks, n = frames_of(g), learns = 0;

	if (hooks & SW_HOOK_CNP)
		learns |= SW_DATA_KINDS | SW_KIND(PKT_CNP);
	if (hooks & SW_HOOK_ACK)
		learns |= SW_KIND(PKT_ACK);
	if (!(g->kinds & learns))
		return;
	if (!(g->kinds & ~SW_DATA_KINDS)) {
		iqcn_data_burst(sw->iqcn, burst, n, at);
		return;
	}
	learn_from_each(sw, in, burst, n, at, now);
}

// All that its headers have to say has been read.
static void forget_group(const struct sw *sw, const struct group *g, struct pkt *const *burst)
{
	if (sw->cls[g->cls].hooks & SW_HOOK_FORGET)
#pragma GCC unroll 4
		for (unsigned n = frames_of(g); n; n--)
			(*burst++)->hdr = NULL;
}

// The queue has got the group, whose last frame is QCN's sample if one of them is. If one of them
// has made it heavily congested, it does not matter which, for no CNP is among them then.
static void after_group(
	struct sw *sw, struct sw_port *in, struct sw_port *o, const struct group *g, tstamp now)
{
	struct pkt *room[SW_BURST], *const *burst = g->crossed ? NULL : group_frames(g, room);

	sw_joined(sw, o, g->cls, now);
	if (!g->crossed)
		learn_from_group(sw, in, g, burst, now, now);
	if (o->out[g->cls].cp)
		sw_qcn_frames(sw, o, g->tail, bytes_of(sw, g), now);
	if (!g->crossed)
		forget_group(sw, g, burst);
}

ASIDE void take_each(struct sw *sw, struct sw_port *in, const struct group *g, tstamp now)
{
	struct pkt *p = g->head, *next;

	for (unsigned n = frames_of(g); n; n--, p = next) {
		next = p->next;
		if (UNLIKELY(g->crossed))
			sw_arrived(sw, p, g->out, false, now);
		else
			sw_queue(sw, in, p, g->out, now);
	}
}

// The buffer has taken a group whose queue is another shard's.
static void cross(struct sw *sw, struct sw_port *in, const struct group *g, tstamp now)
{
	const struct sw_port *o = &sw->port[g->out];
	struct pkt *room[SW_BURST], *const *burst = group_frames(g, room);
	unsigned n = frames_of(g);
	struct sw_msg *m;

	if (UNLIKELY(sw->cls[g->cls].hooks)) {
		learn_from_group(sw, in, g, burst, sw_fabric_at(sw, now), now);
		forget_group(sw, g, burst);
	}
	if (n == 1) {
		sw_fabric_frame(sw, o, g->head, false, now);
		return;
	}
	m = group_message(sw, o, g, in, SW_MSG_BURST, now);
	if (n >= TRAIN_LEAST && !g->mixed && eport_cars(sw_msg_word(m), burst, n, g->run))
		m->kind = SW_MSG_TRAIN;
	else
		group_addresses(burst, n, sw_msg_word(m));
}

// The queue gets the group, about which it has nothing more to say.
INLINE void join(
	struct sw *sw, struct sw_port *in, struct sw_port *o, const struct group *g, tstamp now)
{
	eport_put_burst(&o->e, g->cls, g->head, g->tail, frames_of(g), bytes_of(sw, g), now);
	sw_queue_ready(sw, o, g->cls);
	if (UNLIKELY(sw->cls[g->cls].hooks))
		after_group(sw, in, o, g, now);
}

// The buffer has taken a group: to its queue, or to the shard that has that.
INLINE void put_group(
	struct sw *sw, struct sw_port *in, struct sw_port *o, const struct group *g, tstamp now)
{
	if (UNLIKELY(o->away)) {
		cross(sw, in, g, now);
		return;
	}
	if (sw->cls[g->cls].rx_look)
		look(sw, o, g, now);
	join(sw, in, o, g, now);
}

static void take(struct sw *sw, struct sw_port *in, struct group *g, tstamp now);

// A group whose frames are of several priority groups: those that stand together and share one go
// as a group of their own.
ASIDE void take_runs(struct sw *sw, struct sw_port *in, struct group *g, tstamp now)
{
	for (unsigned left = frames_of(g), n; left; left -= n) {
		const struct pkt *p = g->head;
		uint8_t pg = p->pg;
		struct group run;

		for (n = 0; n < left && p->pg == pg; n++)
			p = n + 1 < left ? p->next : p;
		run = n < left ? group_split(sw, g, n) : *g;
		run.pg = pg;
		run.mixed = false;
		if (n > 1)
			take(sw, in, &run, now);
		else
			take_each(sw, in, &run, now);
	}
}

// A group that the buffer does not take together. Those before the threshold that it reaches within
// its frames go together, and what comes behind XOFF of a lossless group does again.
ASIDE void take_in_parts(struct sw *sw, struct sw_port *in, struct group *g, tstamp now)
{
	struct sw_port *o = &sw->port[g->out];
	const struct sw_cls *k = &sw->cls[g->cls];
	bool lossless = sw->mmu.pg[in->index * MMU_PGS + sw_pg(sw, g->head)].lossless;
	bool alone = g->crossed;

	if (g->mixed) {
		take_runs(sw, in, g, now);
		return;
	}
	do {
		struct group first;
		unsigned n = 0;

		if (!alone && frames_of(g) > 1)
			n = buffer_takes_first(sw, in, o, g);
		if (n) {
			first = group_split(sw, g, n);
			put_group(sw, in, o, &first, now);
		}
		if (alone || !lossless || frames_of(g) == 1) {
			take_each(sw, in, g, now);
			return;
		}
		first = group_split(sw, g, 1);
		take_each(sw, in, &first, now);
		if (queue_parts(k, g, queue_with(sw, o, g))) { // all is decided anew
			take_each(sw, in, g, now);
			return;
		}
		alone = !n; // twice in a row that is so where headroom is used up
	} while (!buffer_takes(sw, in, o, g, bytes_of(sw, g), g->held));
	put_group(sw, in, o, g, now);
}

// Frames none of which has to be seen alone.
static void take_calm(struct sw *sw, struct sw_port *in, struct group *g, tstamp now)
{
	struct sw_port *o = &sw->port[g->out];

	if (LIKELY(takes_all(sw, in, o, g)))
		put_group(sw, in, o, g, now);
	else
		take_in_parts(sw, in, g, now);
}

// The frames of a group that the queue does not refuse, which are not linked yet.
static struct group those_that_join(
	const struct sw *sw, const struct group *g, const struct joining *j)
{
	struct group own = *g;

	own.run = own.at = NULL;
	for (uint64_t left = j->choice.refused; left; left &= left - 1) {
		const struct pkt *p = j->burst[__builtin_ctzll(left)];

		own.len -= p->len;
		own.held -= held_by(sw, p);
		own.by_ecn -= 1u << 8 * pkt_ecn(p);
	}
	return own;
}

// Links those of n frames that join.
static void link_those_that_join(struct group *own, const struct joining *j, unsigned n)
{
	struct pkt **next = &own->head;

	for (uint64_t left = ~j->choice.refused & red_frames(n); left; left &= left - 1) {
		own->tail = j->burst[__builtin_ctzll(left)];
		*next = own->tail;
		next = &own->tail->next;
	}
}

// The queue refuses some frames of a group, about which it has decided.
static void take_some_refused(
	struct sw *sw, struct sw_port *in, struct group *g, const struct joining *j, tstamp now)
{
	struct sw_port *o = &sw->port[g->out];
	struct group own = those_that_join(sw, g, j);

	if (g->mixed) {
		take_runs(sw, in, g, now);
		return;
	}
	if (own.by_ecn && !takes_all(sw, in, o, &own)) {
		take_each(sw, in, g, now);
		return;
	}
	if (own.by_ecn)
		link_those_that_join(&own, j, frames_of(g));
	sw_choice_joined(sw, o, g->cls, j->burst, own.by_ecn, &j->choice, now);
	if (own.by_ecn)
		join(sw, in, o, &own, now);
}

// Frames about which the queue has decided.
static void take_decided(
	struct sw *sw, struct sw_port *in, struct group *g, const struct joining *j, tstamp now)
{
	struct sw_port *o = &sw->port[g->out];

	if (j->choice.refused) {
		take_some_refused(sw, in, g, j, now);
		return;
	}
	if (UNLIKELY(!takes_all(sw, in, o, g))) {
		take_in_parts(sw, in, g, now);
		return;
	}
	sw_choice_joined(sw, o, g->cls, j->burst, g->by_ecn, &j->choice, now);
	join(sw, in, o, g, now);
}

// Of the first n frames of a group, which has more than one, those go about which the queue can
// decide together, or the first one alone. True: it had no others.
ASIDE bool take_joining(struct sw *sw, struct sw_port *in, struct group *g, unsigned n, tstamp now)
{
	struct sw_port *o = &sw->port[g->out];
	const struct sw_cls *k = &sw->cls[g->cls];
	bool tells = k->mark == SW_MARK_ENQUEUE && k->hooks & SW_HOOK_MARK;
	unsigned most = tells && n > o->look_ahead ? o->look_ahead : n;
	struct group first;
	struct joining j;

	n = choose(sw, o, g, most, &j, now);
	if (tells)
		sw_look_ahead(o, n < most ? n + 1 : 0);
	if (n == frames_of(g)) {
		take_decided(sw, in, g, &j, now);
		return true;
	}
	first = group_split(sw, g, n ? n : 1);
	if (n)
		take_decided(sw, in, &first, &j, now);
	else
		take_each(sw, in, &first, now);
	return false;
}

// Not all of a group goes at once: those of its first n frames do that may join the queue together,
// then the others.
ASIDE void take_some(struct sw *sw, struct sw_port *in, struct group *g, unsigned n, tstamp now)
{
	const struct sw_port *o = &sw->port[g->out];

	if (o->away) {
		take_calm(sw, in, g, now);
		return;
	}
	if (frames_of(g) == 1 || is_seen_by_zone(&sw->cls[g->cls])) {
		take_each(sw, in, g, now);
		return;
	}
	if (queue_parts(&sw->cls[g->cls], g, queue_with(sw, o, g))) {
		if (take_joining(sw, in, g, n, now))
			return;
	} else {
		struct group first = group_split(sw, g, n);

		take_calm(sw, in, &first, now);
	}
	take(sw, in, g, now);
}

static void take(struct sw *sw, struct sw_port *in, struct group *g, tstamp now)
{
	struct sw_port *o = &sw->port[g->out];
	const struct sw_cls *k = &sw->cls[g->cls];
	unsigned all = frames_of(g), n;

	if (each_alone(sw, in, o, g)) {
		take_each(sw, in, g, now);
		return;
	}
	n = k->hooks ? calm_frames(sw, o, g) : all;
	if (LIKELY(n == all && !queue_parts(k, g, queue_with(sw, o, g))))
		take_calm(sw, in, g, now);
	else
		take_some(sw, in, g, n, now);
}

// Whether each frame of a group that joins has to be looked at.
static bool is_looked_at(const struct sw_cls *k, const struct group *g, uint32_t qlen)
{
	if (k->hooks & ~SW_HOOK_FORGET || k->wred_exponent || queue_parts(k, g, qlen))
		return true;
	return k->mark == SW_MARK_ENQUEUE && queue_decides(k, qlen);
}

bool sw_arrived_train(struct sw *sw, const struct sw_msg *m, const eport_car *car, tstamp now)
{
	struct group g = group_of_message(m);
	struct sw_port *o = &sw->port[g.out];
	const struct sw_cls *k = &sw->cls[g.cls];
	const struct pkt like = {.in_port = m->in, .cls = g.cls, .pg = g.pg};
	uint32_t bytes = bytes_of(sw, &g);

	if (UNLIKELY(sw->two_sided))
		g.held = sw_buffer_cars(sw, car, m->n);
	if (is_looked_at(k, &g, queue_with(sw, o, &g)) || each_alone(sw, &sw->port[m->in], o, &g) ||
		!queue_takes(sw, o, &g))
		return false;
	if (!eport_put_cars(&o->e, g.cls, &like, car, m->n, bytes, now)) {
		if (UNLIKELY(sw->two_sided))
			mmu_leave_queue(&sw->pools, g.out, g.cls, g.held);
		return false;
	}
	if (k->rx_look && k->mark == SW_MARK_ENQUEUE)
		sw_seen(&o->out[g.cls], g.by_ecn);
	sw_queue_ready(sw, o, g.cls);
	return true;
}

void sw_arrived_burst(struct sw *sw, const struct sw_msg *m, struct pkt **burst, tstamp now)
{
	struct group g = group_of_message(m);

	group_link(sw, &g, burst, m->n);
	g.crossed = true;
	take(sw, &sw->port[m->in], &g, now);
}

void sw_group_hand_over(struct sw *sw, struct sw_port *in, const struct group *g, tstamp now)
{
	struct sw_msg *m = group_message(sw, in, g, in, SW_MSG_RX, now);
	struct pkt *room[SW_BURST];

	if (g->mixed || g->out >= SW_OUT_ODD)
		m->port = PKT_NO_PORT;
	group_addresses(group_frames(g, room), frames_of(g), sw_msg_word(m));
}

void sw_group_received(struct sw *sw, struct sw_port *in, struct group *g, tstamp now)
{
	uint64_t *count = sw_in(sw, in, g->cls);

	if (UNLIKELY(in->away)) {
		sw_group_hand_over(sw, in, g, now);
		return;
	}
	count[SW_IN_FRAMES] += frames_of(g);
	count[SW_IN_BYTES] += g->len + frames_of(g) * (uint64_t)PKT_FCS;
	count[SW_IN_CE] += sw_frames_with(g->by_ecn, ECN_CE);
	take(sw, in, g, now);
}

void sw_handed_over(struct sw *sw, const struct sw_msg *m, struct pkt **burst, tstamp now)
{
	struct sw_port *in = &sw->port[m->in];
	struct group g;

	if (UNLIKELY(m->port == PKT_NO_PORT || m->longest > in->max_len)) {
		sw_rx(sw, m->in, burst, m->n, now);
		return;
	}
	for (unsigned i = 0; m->kinds & SW_KIND(PKT_BAD) && i < m->n; i++)
		if (burst[i]->kind == PKT_BAD)
			sw_rx_odd(sw, in, burst[i], now);
	g = group_of_message(m);
	group_link(sw, &g, burst, m->n);
	sw_group_received(sw, in, &g, now);
}
