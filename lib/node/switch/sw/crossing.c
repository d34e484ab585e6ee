// SPDX-License-Identifier: BSD-3-Clause
// The fabric of a cut switch, as a shard uses it: the shard takes the messages of other shards, and
// publishes its own messages for them.
#include "int.h"

#include <string.h>

#include "base/hint.h"

#define AHEAD   36             // entries that are fetched ahead: two messages of a whole burst
#define AT_ONCE (4 * SW_BURST) // frames and credits that are taken of a shard in one call

// Returns whether the ring has room for n frames. Each frame may need a message of its own, and a
// second one for the address that is learned from it.
bool sw_rx_room(const struct sw *sw, unsigned port, unsigned n)
{
	struct sw_ring *r = sw_ring_to(sw, port);
	uint32_t need = SW_LEARN_ROOM + 3 * n;

	return sw_ring_is_clear(r) && sw_ring_room(r, need) >= need;
}

// Frames that this shard admitted have left or were dropped: their buffer is free, and their group
// may come to XON.
static void credited(struct sw *sw, const struct sw_msg *m, tstamp now)
{
	struct sw_port *in = &sw->port[m->port];

	if (m->reason == SW_FORWARDED)
		sw_in(sw, in, m->cls)[SW_IN_FORWARDED] += m->frames;
	else
		sw_count_lost(in, m->cls, m->pg, m->reason, m->frames,
			m->bytes - m->frames * sw->queue_extra);
	if (sw_buffer_credited(sw, m->port, m->pg, m->held))
		sw_xon(sw, in, m->pg, now);
}

// The frames' cache lines belong to another lcore, so all of them are prefetched at once.
static void take_burst(struct sw *sw, const struct sw_msg *m, tstamp now)
{
	const uint64_t *word = sw_msg_word_of(m);
	struct sw_port *in = &sw->port[m->port];
	struct sw_way way[SW_BURST];
	struct pkt *p[SW_BURST];

	for (unsigned i = 0; i < m->n; i++) {
		p[i] = sw_msg_pkt(word[i]);
		__builtin_prefetch(p[i], 1);
	}
	for (unsigned i = 0; i < m->n; i++)
		way[i] = (struct sw_way){(uint16_t)sw_msg_out(word[i]), p[i]->cls, 0};
	if (m->kind == SW_MSG_RX)
		sw_rx_burst(sw, in, p, way, m->n, now);
	else
		sw_arrived_burst(sw, in, p, way, m->n, now);
}

// Takes a CNP or an ACK that another shard has received, for a flow of this shard.
static void take_flow(struct sw *sw, const struct sw_msg *m, tstamp now)
{
	struct hdr hdr;
	const struct pkt p = {
		.hdr = &hdr, .len = m->frame_len, .tos = m->tos, .u.rc = {.qpn = m->qpn}};

	memcpy(&hdr, sw_msg_word_of(m), sizeof(hdr));
	if (m->kind == SW_MSG_CNP)
		sw_iqcn_learn(sw, &sw->port[m->port], &p, now);
	else
		fast_cnp_ack(sw->fast_cnp, &p, now);
}

static void take_message(struct sw *sw, const struct sw_msg *m, tstamp now)
{
	if (m->kind == SW_MSG_FRAME)
		sw_arrived(sw, m->p, m->port, m->untagged, now);
	else if (sw_msg_several(m))
		take_burst(sw, m, now);
	else if (m->kind == SW_MSG_CREDIT)
		credited(sw, m, now);
	else if (sw_msg_words(m))
		take_flow(sw, m, now);
	else
		sw_fdb_told(sw, m->key, m->port, m->when - sw->fabric->hop_ps, now);
}

// Fetching a line that another lcore has written takes longer than all work on it.
void sw_fabric_ahead(struct sw *sw)
{
	for (unsigned k = 0; k < sw->n_peers; k++) {
		struct sw_ring *r = sw->peer[k].from;
		uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed), n;

		r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
		n = r->head_seen - tail < AHEAD ? r->head_seen - tail : AHEAD;
		for (uint32_t i = 0; i < n; i += SW_LINE / sizeof(union sw_entry))
			__builtin_prefetch(&r->slot[(tail + i) & SW_RING_MASK]);
	}
}

// Takes the messages that sw_fabric_ahead() has seen, as far as they are due. Later messages are
// not in the cache yet, so they wait for the next call.
static bool ring_rx(struct sw *sw, struct sw_ring *r, tstamp now)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed), from = tail,
		 head = r->head_seen;
	unsigned left = AT_ONCE;

	while (tail != head) {
		const struct sw_msg *m = &r->slot[tail & SW_RING_MASK].m;
		unsigned n = sw_msg_several(m) ? m->n : 1;

		if (r->timed ? m->when > now : !left)
			break;
		take_message(sw, m, now);
		tail += sw_msg_entries(m);
		left -= n < left ? n : left;
	}
	if (tail == from)
		return false;
	atomic_store_explicit(&r->tail, tail, memory_order_release);
	return true;
}

bool sw_fabric_rx(struct sw *sw, tstamp now)
{
	bool took = false;

	for (unsigned k = 0; k < sw->n_peers; k++)
		took |= ring_rx(sw, sw->peer[k].from, now);
	return took;
}

void sw_fabric_push(struct sw *sw)
{
	for (unsigned k = 0; k < sw->n_peers; k++) {
		struct sw_ring *r = sw->peer[k].to;

		if (r->put != r->pushed || !sw_ring_is_clear(r))
			sw_ring_push(r);
	}
}

tstamp sw_fabric_deadline(const struct sw *sw)
{
	tstamp at = TSTAMP_NEVER;

	for (unsigned k = 0; k < sw->n_peers; k++) {
		const struct sw_ring *r = sw->peer[k].from;
		uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

		if (atomic_load_explicit(&r->head, memory_order_acquire) != tail)
			at = tstamp_min(at, r->slot[tail & SW_RING_MASK].m.when);
	}
	return at;
}

// A frame on the fabric.
struct crossing {
	void (*fn)(void *arg, const struct pkt *p);
	void *arg;
};

static void one_crossing(void *arg, const struct sw_msg *m)
{
	const struct crossing *c = arg;

	if (m->kind == SW_MSG_FRAME || m->kind == SW_MSG_RX)
		c->fn(c->arg, m->p);
}

struct handing {
	unsigned port;
	uint64_t frames;
};

static void add_handing(void *arg, const struct sw_msg *m)
{
	struct handing *h = arg;

	h->frames += m->kind == SW_MSG_RX && m->port == h->port;
}

uint64_t sw_rx_handing(const struct sw *sw, unsigned port)
{
	struct handing h = {.port = port};

	sw_fabric_each(sw, add_handing, &h);
	return h.frames;
}

void sw_each_crossing(const struct sw *sw, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	struct crossing c = {fn, arg};

	sw_fabric_each(sw, one_crossing, &c);
}
