// SPDX-License-Identifier: BSD-3-Clause
// The stash of a port: which of its frames wait for the device, which are held, and how they leave.
#include "stash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

void **rt_stash_new(void)
{
	return calloc(RT_STASH, sizeof(void *));
}

// Returns the packet of an item of an end's stash: the item is an mbuf if the end is a device, and
// the packet itself if it is a ring.
static const struct pkt *packet_of(const struct rt_end *e, void *item)
{
	return e->dev ? eal_pkt(item) : item;
}

// Returns whether a frame is MAC control that the node made itself, which belongs to no class. A
// replayed one is foreign: it keeps its place among the frames of its class.
static bool is_mac_control(const struct pkt *p)
{
	return (p->kind == PKT_PFC || p->kind == PKT_PAUSE || p->kind == PKT_MACCTL) &&
	       !(p->flags & PKT_F_FOREIGN);
}

static bool is_urgent(const struct pkt *p)
{
	return is_mac_control(p) && p->kind != PKT_MACCTL;
}

static bool is_of(const struct pkt *p, uint8_t classes)
{
	return classes >> p->cls & 1 && !is_mac_control(p);
}

// Appends the urgent ones of n frames, or the others, to the waiting frames of the same kind.
static void put_urgency(struct rt_end *e, void *const *item, unsigned n, bool urgent)
{
	unsigned at = urgent ? e->n_urgent : rt_stash_waiting(e), k = 0;
	void *of_kind[EAL_BURST];

	for (unsigned i = 0; i < n; i++)
		if (is_urgent(packet_of(e, item[i])) == urgent)
			of_kind[k++] = item[i];
	memmove(e->stash + at + k, e->stash + at, (e->n_stash - at) * sizeof(*e->stash));
	memcpy(e->stash + at, of_kind, k * sizeof(*e->stash));
	e->n_stash = (uint16_t)(e->n_stash + k);
	e->n_urgent = (uint16_t)(e->n_urgent + (urgent ? k : 0));
}

// Puts frames, EAL_BURST at most, behind the waiting ones. Urgent frames come before all data,
// because they have no order with data.
static void put_waiting(struct rt_end *e, void *const *item, unsigned n)
{
	put_urgency(e, item, n, false);
	put_urgency(e, item, n, true);
}

// Drops the frames of classes that the port's watchdog drops. The peer has paused these classes, so
// that without a device the frames would still be in the queue.
static void drop_shut(struct rt_end *e)
{
	uint8_t shut = e->dev ? net_shut(e->node->net, e->port) : 0;
	unsigned waiting = rt_stash_waiting(e), n = 0, n_waiting = 0, n_dropped = 0;
	struct rte_mbuf *dropped[RT_STASH];

	if (likely(!shut))
		return;
	for (unsigned i = 0; i < e->n_stash; i++) {
		const struct pkt *p = packet_of(e, e->stash[i]);

		if (is_of(p, shut)) {
			net_shut_dropped(e->node->net, e->port, p->cls);
			dropped[n_dropped++] = e->stash[i];
			continue;
		}
		n_waiting += i < waiting;
		e->stash[n++] = e->stash[i];
	}
	e->n_stash = (uint16_t)n;
	e->n_held = (uint16_t)(n - n_waiting);
	e->unsent += n_dropped;
	rte_pktmbuf_free_bulk(dropped, n_dropped);
}

// Finds anew which frames are held, where the peer has said something new or a pause has run out. A
// frame in a ring has left already, as far as the scene goes. True: a class was let go.
static bool find_held(struct rt_end *e, tstamp now)
{
	uint8_t paused = e->dev ? net_pauses(e->node->net, e->port, now) : 0, was = e->paused;
	unsigned n = 0, n_held = 0;
	void *held[RT_STASH];

	drop_shut(e);
	if (likely(paused == was))
		return false;
	for (unsigned i = 0; i < e->n_stash; i++)
		if (is_of(packet_of(e, e->stash[i]), paused))
			held[n_held++] = e->stash[i];
		else
			e->stash[n++] = e->stash[i];
	memcpy(e->stash + n, held, n_held * sizeof(*held));
	e->n_held = (uint16_t)n_held;
	e->paused = paused;
	return was & ~paused;
}

static void offer_waiting(struct rt_end *e)
{
	unsigned n = rt_stash_waiting(e), sent = n ? rt_end_put(e, e->stash, n) : 0;

	if (!sent)
		return;
	e->n_stash = (uint16_t)(e->n_stash - sent);
	e->n_urgent = (uint16_t)(e->n_urgent > sent ? e->n_urgent - sent : 0);
	memmove(e->stash, e->stash + sent, e->n_stash * sizeof(*e->stash));
}

// Adds up the time for which the device or ring has refused frames, and notes whether it refuses
// some now. `had`: there were frames in the stash before.
static void note_refusal(struct rt_lcore *lc, struct rt_end *e, bool had, tstamp now)
{
	if (e->refuses)
		e->refused_ps += tstamp_since(now, e->refused_at);
	e->refuses = rt_stash_waiting(e) != 0;
	e->refused_at = now;
	lc->n_stashed = (uint16_t)(lc->n_stashed + (e->n_stash != 0) - had);
}

void rt_stash_refused(struct rt_lcore *lc, struct rt_end *e, void **item, unsigned n, tstamp now)
{
	e->paused = 0;
	put_waiting(e, item, n);
	note_refusal(lc, e, false, now);
}

void rt_stash_join(struct rt_lcore *lc, struct rt_end *e, void **item, unsigned n, tstamp now)
{
	find_held(e, now);
	put_waiting(e, item, n);
	offer_waiting(e);
	note_refusal(lc, e, true, now);
}

void rt_stash_offer(struct rt_lcore *lc, struct rt_end *e, tstamp now)
{
	find_held(e, now);
	offer_waiting(e);
	note_refusal(lc, e, true, now);
}

unsigned rt_stash_room(struct rt_lcore *lc, struct rt_end *e, tstamp now)
{
	unsigned room;

	if (find_held(e, now))
		offer_waiting(e);
	note_refusal(lc, e, true, now);
	if (rt_stash_waiting(e))
		return 0;
	assert(e->n_stash <= RT_STASH - RT_URGENT); // a burst of each class
	room = RT_STASH - RT_URGENT - e->n_stash;
	return room < EAL_BURST ? room : EAL_BURST;
}

void rt_stash_drop(struct rt_lcore *lc, struct rt_end *e, tstamp now)
{
	if (!e->n_stash)
		return;
	for (unsigned i = 0; i < e->n_stash; i++)
		mbuf_told_unsent(&e->dev->told, eal_pkt(e->stash[i]));
	rte_pktmbuf_free_bulk((struct rte_mbuf **)e->stash, e->n_stash);
	e->unsent += e->n_stash;
	e->n_stash = e->n_urgent = e->n_held = 0;
	note_refusal(lc, e, true, now);
}
