// SPDX-License-Identifier: BSD-3-Clause
// The loop of one lcore: gives received frames to the nodes, and sends the frames that are due.
#include <assert.h>
#include <sys/prctl.h>
#include <time.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_pause.h>
#include <rte_prefetch.h>

#include "lcore.h"
#include "carrier.h"
#include "injector.h"
#include "lane.h"
#include "observer.h"
#include "order.h"
#include "query.h"
#include "stash.h"
#include "base/hint.h"
#include "guest/guest.h"

#define FAR_BURSTS  1024 // of devices, from one time that the memory of one is timed to the next
#define YIELD_LEAST (5 * PS_PER_US) // a shorter sleep is not worth the call

// Fills the stack with n packets of the pool. The pool gives mbufs and the stack holds the
// descriptors in them, so the same memory holds first the ones and then the others. False: the pool
// has not n left.
static bool fill_stack(struct pkt_stack *s, struct rte_mempool *pool, uint32_t n)
{
	void **obj = (void **)&s->slot[s->n];

	if (rte_mempool_get_bulk(pool, obj, n) != 0)
		return false;
	for (uint32_t i = 0; i < n; i++)
		obj[i] = eal_pkt(obj[i]);
	s->n += n;
	return true;
}

// Gives n mbufs back, each to its own pool; they come in runs of one.
static void give_back(struct rte_mbuf **m, uint32_t n)
{
	for (uint32_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && m[to]->pool == m[from]->pool; to++)
			;
		rte_mempool_put_bulk(m[from]->pool, (void **)(m + from), to - from);
	}
}

static void stack_drain(struct rt_lcore *lc, uint32_t n)
{
	struct pkt_stack *s = &lc->stack;
	void **obj = (void **)&s->slot[s->n - n];

	for (uint32_t i = 0; i < n; i++)
		obj[i] = eal_mbuf(obj[i]);
	if (unlikely(lc->apart || lc->longer.slot))
		give_back((struct rte_mbuf **)obj, n);
	else
		rte_mempool_put_bulk(lc->pool, obj, n);
	s->n -= n;
}

void rt_lcore_level(struct rt_lcore *lc)
{
	uint32_t want = lc->low + lc->span / 2, have = lc->stack.n;

	if (!lc->pool)
		return;
	if (have > want)
		stack_drain(lc, have - want);
	else if (!fill_stack(&lc->stack, lc->pool, want - have))
		fill_stack(&lc->stack, lc->pool, EAL_BURST);
}

// Packets for copies of long frames; without one the copy is dropped, and counted.
ASIDE void fill_longer(struct rt_lcore *lc)
{
	struct pkt_stack *s = &lc->longer;

	fill_stack(s, lc->longer_pool, s->cap - s->n);
}

static inline void level(struct rt_lcore *lc)
{
	if (unlikely(lc->stack.n - lc->low > lc->span)) // also where n is below low
		rt_lcore_level(lc);
	if (unlikely(lc->stack.longer && lc->longer.n < lc->longer.cap))
		fill_longer(lc);
}

// Frees the mbufs of a device that a host has consumed; they are on top of the stack. If they
// stayed there, they would be used for frames of our own, whose payload is kept in buffers of
// another pool.
ASIDE void part(struct rt_lcore *lc)
{
	struct pkt_stack *s = &lc->stack;
	struct rte_mbuf *m[EAL_BURST];
	uint32_t n = 0;

	while (n < EAL_BURST && s->n && s->slot[s->n - 1]->flags & PKT_F_FOREIGN)
		m[n++] = eal_mbuf(s->slot[--s->n]);
	give_back(m, n);
}

static inline void refresh(struct rt_lcore *lc, const struct rt_node *node)
{
	uint64_t *word = node->net->touched->word;

	for (unsigned w = 0; w < node->words; w++)
		for (; word[w]; word[w] &= word[w] - 1) {
			unsigned port = w * 64 + (unsigned)__builtin_ctzll(word[w]);

			lc->due[node->first + port] = net_deadline(node->net, port);
		}
}

// If the clock never waits, the main lcore is the recorder: wake it to read the rings.
static inline void wake(struct rt_lcore *lc)
{
	if (lc->timing.slip_limit == TSTAMP_NEVER)
		rt_bell_ring(lc->bell);
}

// Hands events and captured frames over to the recorder. The events of a frame are never later than
// the frame. Returns true if a ring is full to 1 / RT_CROWDED.
static bool hand_over(struct rt_lcore *lc)
{
	struct rt_seen_ring *seen = atomic_load_explicit(&lc->seen, memory_order_relaxed);
	bool crowded = false;

	for (unsigned i = 0; i < lc->n_nodes; i++) {
		struct rt_node *n = &lc->node[i];
		struct ev_ring *r = &n->net->events;

		if (r->head == r->tail)
			continue;
		atomic_store_explicit(&n->ev_given, r->head, memory_order_release);
		r->tail = atomic_load_explicit(&n->ev_taken, memory_order_acquire);
		crowded |= r->head - r->tail > r->mask / RT_CROWDED;
	}
	if (unlikely(seen != NULL)) {
		rt_seen_give(seen);
		crowded |= rt_seen_waiting(seen) > RT_SEEN / RT_CROWDED;
	}
	return crowded;
}

// The ring for frames of a captured port, which is there before the port is captured. The loops
// between two calls of rt_lcore_publish() can fill it, so a crowded one is handed over at once.
static struct rt_seen_ring *ring_of_seen(struct rt_lcore *lc)
{
	struct rt_seen_ring *r = atomic_load_explicit(&lc->seen, memory_order_acquire);

	if (unlikely(rt_seen_waiting(r) >= RT_SEEN / RT_CROWDED)) {
		hand_over(lc);
		wake(lc);
	}
	return r;
}

// A copy of a frame for the recorder. NULL: there is no room, and the frame is counted as unseen.
static struct rt_seen *see_frame(
	struct rt_seen_ring *r, struct rt_end *e, uint16_t dir, const struct pkt *p, tstamp t)
{
	struct rt_seen *s = rt_seen_copy(r, p);

	if (!s) {
		atomic_store_explicit(&e->unseen,
			atomic_load_explicit(&e->unseen, memory_order_relaxed) + 1,
			memory_order_relaxed);
		return NULL;
	}
	s->t = t;
	s->node = e->node->index;
	s->port = e->port;
	s->dir = dir;
	return s;
}

// Captures the frames that arrived at a port.
ASIDE void see_each(struct rt_lcore *lc, struct rt_end *e, struct pkt *const *burst, unsigned n)
{
	struct rt_seen_ring *r = ring_of_seen(lc);

	for (unsigned i = 0; i < n; i++)
		if (see_frame(r, e, 0, burst[i], burst[i]->when))
			rt_seen_put(r);
}

// Bytes of a frame in its queue; 0: PFC and PAUSE come from none.
static inline uint32_t queued_bytes(const struct rt_end *e, const struct pkt *p)
{
	return p->kind == PKT_PFC || p->kind == PKT_PAUSE ? 0 : p->len + e->queue_extra;
}

// Notes what a switch's frame has left behind in its queue: the bytes there now, and `left` that
// were sent right after it; and of a marked frame the marker.
static void see_queue(struct rt_seen *s, const struct sw *sw, uint32_t left)
{
	const struct red_cfg *red = sw_red(sw, s->port, s->pkt.cls);

	s->has_queue = true;
	s->queue_bytes = sw_eport(sw, s->port)->q[s->pkt.cls].bytes + left;
	if (red && s->pkt.flags & PKT_F_CE)
		s->red = *red;
}

// Captures the frames that a port sends, with the length of the queue that each leaves behind and
// the marker that it has passed.
ASIDE void see_sent(
	struct rt_lcore *lc, struct rt_end *e, struct pkt *const *burst, unsigned n, tstamp now)
{
	const struct net_node *net = e->node->net;
	const struct sw *sw = net->kind == SCENE_SW ? net->u.sw : NULL;
	struct rt_seen_ring *r = ring_of_seen(lc);
	uint32_t left[PKT_CLASSES] = {0}; // sent with the frame or behind it

	for (unsigned i = 0; i < n; i++)
		left[burst[i]->cls] += queued_bytes(e, burst[i]);
	for (unsigned i = 0; i < n; i++) {
		const struct pkt *p = burst[i];
		struct rt_seen *s = see_frame(r, e, 1, p, now);

		left[p->cls] -= queued_bytes(e, p);
		if (s && sw && queued_bytes(e, p))
			see_queue(s, sw, left[p->cls]);
		if (s)
			rt_seen_put(r);
	}
}

static inline bool is_captured(const struct rt_end *e)
{
	return atomic_load_explicit(&e->captures, memory_order_relaxed) & (RT_OBSERVER - 1);
}

// Whether frames are captured or observed, or go to an injector before the node.
static inline bool is_aside(const struct rt_end *e)
{
	return atomic_load_explicit(&e->captures, memory_order_relaxed);
}

static inline void give_at_once(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now)
{
	level(lc);
	if (unlikely(e->lane != NULL))
		n = rt_lane_spread(lc, e, burst, n, now);
	lc->hops += n;
	lc->busy = e->node->index;
	net_rx(e->node->net, e->port, burst, n, now);
	refresh(lc, e->node);
}

void rt_lcore_give(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now)
{
	give_at_once(lc, e, burst, n, now);
}

// Frames leave a port with captures or an observer.
ASIDE void leave_aside(
	struct rt_lcore *lc, struct rt_end *e, struct pkt *const *burst, unsigned n, tstamp now)
{
	if (is_captured(e))
		see_sent(lc, e, burst, n, now);
	rt_observer_left(e, burst, n, now);
}

// Takes frames that arrived at a port with captures, an observer or an injector. Frames that a lane
// of a host got from lane 0 were captured there.
ASIDE void arrive_aside(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now)
{
	if (is_captured(e) && !e->node->net->scene->lane)
		see_each(lc, e, burst, n);
	rt_observer_came(e, burst, n);
	if (net_fault(e->node->net, e->port))
		rt_injector_put(lc, e, burst, n, now);
	else
		give_at_once(lc, e, burst, n, now);
}

static inline void give_node(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now)
{
	if (unlikely(is_aside(e)))
		arrive_aside(lc, e, burst, n, now);
	else
		give_at_once(lc, e, burst, n, now);
}

// Takes the frames that arrived over an in-memory link.
ASIDE void arrive(struct rt_lcore *lc, unsigned slot, tstamp now)
{
	struct pkt *burst[EAL_BURST];
	struct rt_end *e = &lc->end[slot];
	unsigned n = rt_link_get(&e->in, burst, EAL_BURST, now);

	lc->arrive[slot] = rt_link_next(&e->in);
	give_node(lc, e, burst, n, now);
	if (unlikely(lc->apart)) // of another lane's device
		part(lc);
}

static void arrivals(struct rt_lcore *lc, tstamp now)
{
	for (unsigned i = 0; i < lc->n_pull; i++) {
		unsigned slot = lc->pull[i];

		rt_link_pull(&lc->end[slot].in);
		lc->arrive[slot] = rt_link_next(&lc->end[slot].in);
	}
	for (unsigned slot = 0; slot < lc->n_ends; slot++)
		if (lc->arrive[slot] <= now)
			arrive(lc, slot, now);
}

int rt_lcore_ctl(struct rt_lcore *lc, const struct rt_node *n, const struct ctl *ctl, tstamp now)
{
	int rc;

	level(lc);
	lc->busy = n->index;
	rc = net_ctl(n->net, ctl, now);
	refresh(lc, n);
	return rc;
}

// Carries out commands of the scenario that are due, and then an order of another thread.
static void commands(struct rt_lcore *lc, tstamp now)
{
	while (lc->next_cmd < lc->n_cmds && lc->cmd[lc->next_cmd].at <= now)
		rt_carrier_ctl(lc, &lc->cmd[lc->next_cmd++], now);
	if (lc->holds)
		rt_order_run(lc, now);
	lc->next_ctl = lc->holds                   ? 0
		       : lc->next_cmd < lc->n_cmds ? lc->cmd[lc->next_cmd].at
						   : TSTAMP_NEVER;
}

// Offers frames to the device or ring. Frames that it does not take wait in the stash.
static inline void offer(struct rt_lcore *lc, struct rt_end *e, void **item, unsigned n, tstamp now)
{
	unsigned sent;

	if (unlikely(e->n_stash)) {
		rt_stash_join(lc, e, item, n, now);
		return;
	}
	sent = rt_end_put(e, item, n);
	if (unlikely(sent < n))
		rt_stash_refused(lc, e, item + sent, n - sent, now);
}

// Wire and delay ahead: the instants at which the last bits arrive. Frames that a late loop sends
// together overlap on the wire; they keep their order.
static inline void stamp(struct rt_end *e, struct pkt **burst, unsigned n, tstamp now)
{
	for (unsigned i = 0; i < n; i++) {
		tstamp at = now + rate_time(e->ps, burst[i]->len + e->wire_extra) + e->far_ps;

		e->last = tstamp_max(e->last, at);
		burst[i]->when = e->last;
	}
}

// Frees frames for a port without a link. A node that knows of it sends none; these are the frames
// that were already being handed over.
ASIDE void leave_nowhere(struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n)
{
	e->unsent += n;
	for (unsigned i = 0; i < n; i++)
		pkt_put(&lc->stack, burst[i]);
}

static void leave_port(
	struct rt_lcore *lc, struct rt_end *e, struct pkt **burst, unsigned n, tstamp now)
{
	if (unlikely(e->link != WATCH_UP)) {
		leave_nowhere(lc, e, burst, n);
		return;
	}
	if (unlikely(is_aside(e)))
		leave_aside(lc, e, burst, n, now);
	if (e->dev) {
		struct rte_mbuf *m[EAL_BURST];

		mbuf_render(&e->dev->told, e->tmpl, burst, m, n, net_as_came(e->node->net));
		offer(lc, e, (void **)m, n, now);
	} else if (likely(e->peer != RT_NONE)) {
		stamp(e, burst, n, now);
		if (!e->out->head)
			lc->arrive[e->peer] = burst[0]->when;
		for (unsigned i = 0; i < n; i++)
			rt_link_put(e->out, burst[i]);
	} else if (e->out) {
		stamp(e, burst, n, now);
		offer(lc, e, (void **)burst, n, now);
	} else { // nothing is plugged in
		for (unsigned i = 0; i < n; i++)
			pkt_put(&lc->stack, burst[i]);
	}
}

static bool has_descriptor(struct rt_lcore *lc)
{
	level(lc);
	return lc->stack.n || lc->stack.n_fresh;
}

// Asks a port whose device or ring has refused frames for a PFC or PAUSE frame that is due; it is
// offered before data. Without room or a free descriptor the port is not asked for a frame, because
// the node would give data instead, and more with each loop. In this case, and if no such frame is
// due, the node only handles its timers, once in each loop: pauses expire, the watchdog polls.
ASIDE void urgent(struct rt_lcore *lc, struct rt_end *e, unsigned slot, tstamp now)
{
	struct net_node *n = e->node->net;
	unsigned max =
		rt_stash_takes_urgent(e) && net_urgent(n, e->port) <= now && has_descriptor(lc);
	struct pkt *p;

	if (!max && e->timed_at == now)
		return;
	e->timed_at = now;
	level(lc);
	lc->busy = e->node->index;
	if (net_tx(n, e->port, &p, max, now))
		leave_port(lc, e, &p, 1, now);
	lc->due[slot] = net_deadline(n, e->port);
	refresh(lc, e->node);
}

// Asks the ports of slots from..to that are due for frames. A port with a stash is asked after all
// devices of the loop have been read, because an XOFF among the received frames holds the frames of
// the stash.
static void departures(
	struct rt_lcore *lc, unsigned from, unsigned to, const bool all_read, tstamp now)
{
	struct pkt *burst[EAL_BURST];

	for (unsigned slot = from; slot < to; slot++) {
		struct rt_end *e = &lc->end[slot];
		unsigned max = EAL_BURST;

		if (lc->due[slot] > now)
			continue;
		if (unlikely(lc->n_stashed) && e->n_stash) {
			if (!all_read)
				continue;
			max = rt_stash_room(lc, e, now);
		}
		if (unlikely(!max)) {
			urgent(lc, e, slot, now);
			continue;
		}
		level(lc);
		lc->busy = e->node->index;
		unsigned n = net_tx(e->node->net, e->port, burst, max, now);

		lc->due[slot] = net_deadline(e->node->net, e->port);
		assert(n == max || lc->due[slot] > now); // design.md 2
		refresh(lc, e->node);
		if (n)
			leave_port(lc, e, burst, n, now);
	}
}

// The device after device i of the lcore. Its frames may be fetched into the cache while device i
// is served. The last device is followed by the first one, in the next loop.
static inline const struct rt_end *next_end(const struct rt_lcore *lc, unsigned i)
{
	return &lc->end[lc->dev[i + 1 < lc->n_dev ? i + 1 : 0]];
}

// Whether the device after device i is to be timed at its turn, in this loop or in the next one.
// Then its frames must not be fetched before.
static inline bool next_is_timed(const struct rt_lcore *lc, unsigned i)
{
	return i + 1 < lc->n_dev ? !lc->far.left && lc->far.turn == i + 1
				 : lc->far.left == 1 && !lc->far.turn;
}

// Counts loops and decides which devices are "far" (their frames are not in the cache yet). Only a
// far device has a burst that was read ahead. If the device was removed, its burst is freed at the
// end of the run.
static void far_count(struct rt_lcore *lc)
{
	uint32_t loops = lc->n_dev < FAR_BURSTS ? FAR_BURSTS / lc->n_dev : 1;
	bool far = false;

	if (lc->far.left) {
		lc->far.left--;
		return;
	}
	lc->far.turn = lc->far.turn + 1 < lc->n_dev ? lc->far.turn + 1 : 0;
	for (unsigned i = 0; i < lc->n_dev; i++)
		far |= lc->end[lc->dev[i]].dev->far.is && lc->end[lc->dev[i]].link != WATCH_GONE;
	*(far ? &lc->far.left : &lc->far.near_left) = loops;
}

// Takes the burst of device i, which may have been read ahead, and reads that of the next one.
INLINE unsigned read_far(const struct rt_lcore *lc, unsigned i, const struct rt_end *next,
	struct pkt **burst, struct hdr *hdr, tstamp now)
{
	const struct rt_end *e = &lc->end[lc->dev[i]];
	struct rte_mbuf *m[EAL_BURST];
	unsigned n = dev_far_take(e->dev, m, now);

	if (unlikely(!lc->far.left) && i == lc->far.turn)
		dev_far_time(e->dev, m, n);
	if (next->link != WATCH_GONE && likely(!next_is_timed(lc, i)))
		dev_far_read(next->dev);
	dev_far_fetch(next->dev, 0, !next->forgets);
	return n ? dev_rx_parse(e->dev, m, burst, hdr, n, now) : 0;
}

// Frames of a device go through their node and out again before the loop receives frames of the
// next device, so they are still in the nearest cache. If the memory of frames is `far`, the loop
// fetches the burst of the next device into the cache little by little, while it handles the burst
// of this one. Fetched all at once, the burst would delay the lines that the node waits for. No
// frame is later by this: each burst goes to its node at its device's turn, with all frames that
// have arrived until then, and with the time of that turn.
INLINE void devices(struct rt_lcore *lc, const bool far, tstamp now)
{
	_Alignas(EAL_LINE) struct hdr hdr[EAL_BURST]; // for nodes that forget headers
	struct pkt *burst[EAL_BURST];

	for (unsigned i = 0; i < lc->n_dev; i++) {
		struct rt_end *e = &lc->end[lc->dev[i]];
		const struct rt_end *next = far ? next_end(lc, i) : NULL;
		struct hdr *to = e->forgets ? hdr : NULL;
		unsigned n, first = e->node->first;

		if (unlikely(e->link == WATCH_GONE))
			continue;
		n = far ? read_far(lc, i, next, burst, to, now) : dev_rx(e->dev, burst, to, now);
		if (!n)
			continue;
		if (far)
			dev_far_fetch(next->dev, 1, !next->forgets);
		give_node(lc, e, burst, n, now);
		if (unlikely(lc->apart))
			part(lc);
		if (far)
			dev_far_fetch(next->dev, 2, !next->forgets);
		departures(lc, first, first + e->node->net->scene->n_ports, false, now);
	}
}

static void devices_near(struct rt_lcore *lc, tstamp now)
{
	devices(lc, false, now);
}

ASIDE void devices_far(struct rt_lcore *lc, tstamp now)
{
	devices(lc, true, now);
	far_count(lc);
}

// Reads queues of devices whose port belongs to a shard on another lcore. The shard here looks up
// the frames and hands them over.
ASIDE void asides(struct rt_lcore *lc, tstamp now)
{
	struct pkt *burst[EAL_BURST];

	for (unsigned i = 0; i < lc->n_aside; i++) {
		const struct rt_aside *a = &lc->aside[i];
		struct rt_end *e = &lc->end[a->slot];
		struct sw *sw = e->node->net->u.sw;
		unsigned n;

		if (e->link == WATCH_GONE || !sw_rx_room(sw, e->port, EAL_BURST))
			continue;
		n = dev_rx_aside(a->dev, a->queue, burst, now);
		if (unlikely(is_captured(e)))
			see_each(lc, e, burst, n);
		lc->hops += n;
		lc->busy = e->node->index;
		sw_rx_for(sw, e->port, burst, n, now);
	}
}

// Offers the frames of all stashes again. Call it after all devices have been read, because an XOFF
// among the received frames holds the frames of the stash.
ASIDE void unstash(struct rt_lcore *lc, tstamp now)
{
	for (unsigned slot = 0; slot < lc->n_ends; slot++)
		if (lc->end[slot].n_stash)
			rt_stash_offer(lc, &lc->end[slot], now);
}

// Prefetches the messages that shards on other lcores have sent to the shards here. They arrive in
// the cache while a device's burst is handled.
ASIDE void fabric_ahead(struct rt_lcore *lc)
{
	for (unsigned i = 0; i < lc->n_shards; i++)
		sw_fabric_ahead(lc->shard[i]->net->u.sw);
}

// Takes the frames and credits that other lcores' shards have sent.
ASIDE void fabric_rx(struct rt_lcore *lc, tstamp now)
{
	for (unsigned i = 0; i < lc->n_shards; i++) {
		level(lc);
		lc->busy = lc->shard[i]->index;
		if (sw_fabric_rx(lc->shard[i]->net->u.sw, now))
			refresh(lc, lc->shard[i]);
	}
}

ASIDE void fabric_push(struct rt_lcore *lc)
{
	for (unsigned i = 0; i < lc->n_shards; i++)
		sw_fabric_push(lc->shard[i]->net->u.sw);
}

void rt_lcore_step(struct rt_lcore *lc, tstamp now)
{
	if (unlikely(lc->n_shards))
		fabric_ahead(lc);
	arrivals(lc, now);
	if (unlikely(lc->n_injectors))
		rt_injectors_run(lc, now);
	if (unlikely(lc->next_ctl <= now))
		commands(lc, now);
	if (likely(lc->far.near_left)) {
		lc->far.near_left--;
		devices_near(lc, now);
	} else if (lc->n_dev) {
		devices_far(lc, now);
	}
	if (unlikely(lc->n_aside))
		asides(lc, now);
	if (unlikely(lc->n_shards))
		fabric_rx(lc, now);
	if (unlikely(lc->n_stashed))
		unstash(lc, now);
	departures(lc, 0, lc->n_ends, true, now);
	if (unlikely(lc->n_shards))
		fabric_push(lc);
}

bool rt_lcore_publish(struct rt_lcore *lc, tstamp now)
{
	bool crowded = hand_over(lc);

	atomic_store_explicit(&lc->now, now, memory_order_release);
	if (unlikely(crowded))
		wake(lc);
	return crowded;
}

// Counts a gap. One longer than slip_limit, which only a world wholly on one lcore has, stops the
// scene's clock for the rest of it: nobody in the scene can tell.
static inline void tick(struct rt_lcore *lc, tstamp gap)
{
	hist_add(&lc->timing.gap, gap, 1);
	if (likely(gap <= lc->timing.tolerance))
		return;
	if (gap > lc->timing.slip_limit) {
		lc->timing.slipped += gap - lc->timing.slip_limit;
		lc->timing.slip_max = tstamp_max(lc->timing.slip_max, gap - lc->timing.slip_limit);
		lc->timing.slips++;
	} else {
		lc->timing.over += gap - lc->timing.tolerance;
	}
}

// Lets the recorder take its turn. If the scene's clock may wait, it is set to the exact instant of
// the turn and stands still during the turn. Returns the time to go on with.
static tstamp take_turn(struct rt_lcore *lc, tstamp raw, tstamp now)
{
	bool waits = lc->timing.slip_limit != TSTAMP_NEVER;

	if (waits)
		now = tstamp_min(now, lc->next_turn);
	rt_lcore_publish(lc, now);
	lc->turn(lc, now);
	if (!waits)
		return raw;
	raw = rt_clock_ps(lc->clock, rte_rdtsc());
	lc->timing.slipped = raw - now;
	return raw;
}

static bool turn_is_wanted(const struct rt_lcore *lc)
{
	return lc->turn_wanted &&
	       unlikely(atomic_load_explicit(lc->turn_wanted, memory_order_relaxed));
}

static uint64_t shared_ns(const struct rt_lcore *lc)
{
	return rt_clock_shared(lc->clock, lc->shared_from, rte_rdtsc()) / PS_PER_NS;
}

// Sends the main lcore's hellos to the other parts of the scenario, and takes theirs.
ASIDE void say_hello(struct rt_lcore *lc)
{
	atomic_store_explicit(&lc->hellos, 0, memory_order_relaxed);
	rt_ahead_take(lc);
	for (unsigned i = 0; i < lc->n_dev; i++) {
		struct rt_end *e = &lc->end[lc->dev[i]];
		struct rte_mbuf *m = atomic_exchange(&e->hello, NULL);

		if (m && e->link == WATCH_UP)
			dev_hello_send(e->dev, m, shared_ns(lc));
		else
			rte_pktmbuf_free(m);
	}
}

// Sleeps until something is due, by the wall no longer than a device may wait to be looked at.
ASIDE void yield(const struct rt_lcore *lc, tstamp now)
{
	tstamp next = tstamp_min(tstamp_min(lc->next_ctl, lc->next_turn), lc->end_at), wall;

	for (unsigned slot = 0; slot < lc->n_ends; slot++) {
		if (lc->n_stashed && lc->end[slot].refuses)
			return;
		next = tstamp_min(next, tstamp_min(lc->due[slot], lc->arrive[slot]));
	}
	next = tstamp_min(next, rt_injectors_deadline(lc));
	wall = tstamp_since(next, now);
	wall = wall < RT_YIELD / lc->clock->dilate ? wall * lc->clock->dilate : RT_YIELD;
	if (wall < YIELD_LEAST)
		return;
	nanosleep(&(struct timespec){.tv_nsec = (long)(wall / PS_PER_NS)}, NULL);
}

// From here on the main lcore may watch this thread.
static void enlist(struct rt_lcore *lc)
{
	lc->thread = pthread_self();
	atomic_store(&lc->enlisted, true);
}

int rt_lcore_run(void *lcore)
{
	struct rt_lcore *lc = lcore;
	tstamp raw = 0, now = 0;
	uint64_t hops = 0;
	unsigned loops = 0;

	guard_stack();
	if (lc->yields) // as short as they are asked for
		prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	enlist(lc);
	while (rte_rdtsc() < lc->clock->tsc0)
		rte_pause();
	rt_carrier_take(lc, 0);
	for (;;) {
		tstamp before = raw;

		raw = rt_clock_ps(lc->clock, rte_rdtsc());
		tick(lc, raw - before);
		now = raw - lc->timing.slipped;
		if (unlikely(now >= lc->next_turn)) {
			raw = take_turn(lc, raw, now);
			now = raw - lc->timing.slipped;
		}
		if (unlikely(now >= lc->end_at))
			break;
		rt_lcore_step(lc, now);
		if (unlikely(lc->yields)) {
			if (lc->hops == hops)
				yield(lc, now);
			hops = lc->hops;
		}
		if (++loops % RT_SWEEP)
			continue;
		if (unlikely(atomic_load_explicit(&lc->query, memory_order_relaxed) != NULL))
			rt_query_answer(lc, now);
		if (unlikely(atomic_load_explicit(&lc->order, memory_order_relaxed) != NULL))
			rt_order_take(lc);
		if (unlikely(atomic_load_explicit(&lc->links, memory_order_relaxed) !=
			     lc->links_seen))
			rt_carrier_take(lc, now);
		if (unlikely(atomic_load_explicit(&lc->hellos, memory_order_relaxed)))
			say_hello(lc);
		if ((rt_lcore_publish(lc, now) && lc->timing.slip_limit != TSTAMP_NEVER) ||
			turn_is_wanted(lc))
			raw = take_turn(lc, raw, now);
		if (atomic_load_explicit(lc->quit, memory_order_relaxed))
			break;
	}
	rt_lcore_publish(lc, tstamp_min(now, lc->end_at));
	atomic_store(&lc->done, true);
	rt_bell_ring(lc->bell);
	return 0;
}
