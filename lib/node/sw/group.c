// SPDX-License-Identifier: BSD-3-Clause
// A group of frames by itself: its first frames as a group of their own, its frames one behind the
// other, and a group as a message to another shard.
#include "group.h"

// Sums up the first n frames of a group, which agree in pkt_word, and finds the one behind them.
static struct pkt *sum_of_run(const struct sw *sw, struct group *g, unsigned n)
{
	const struct pkt *p = g->head;

	g->tail = g->run[n - 1];
	g->len = n * p->len;
	g->held = n * held_by(sw, p);
	g->by_ecn = n << 8 * pkt_ecn(p);
	return g->run[n];
}

static struct pkt *sum_of_each(const struct sw *sw, struct group *g, unsigned n)
{
	struct pkt *const *row = group_row(g), *p = g->head;
	uint32_t len = 0, held = 0, by_ecn = 0;

	for (unsigned i = 1; i <= n; i++) {
		len += p->len;
		held += held_by(sw, p);
		by_ecn += 1u << 8 * pkt_ecn(p);
		g->tail = p;
		p = row ? row[i] : p->next;
	}
	g->len = len;
	g->held = held;
	g->by_ecn = by_ecn;
	return p;
}

struct group group_split(const struct sw *sw, struct group *g, unsigned n)
{
	struct group first = *g;

	g->head = g->run ? sum_of_run(sw, &first, n) : sum_of_each(sw, &first, n);
	g->run += g->run ? n : 0;
	g->at += g->at ? n : 0;
	g->len -= first.len;
	g->held -= first.held;
	g->by_ecn -= first.by_ecn;
	return first;
}

unsigned group_within(const struct sw *sw, const struct group *g, uint64_t room)
{
	struct pkt *const *row;
	const struct pkt *p = g->head;
	unsigned n = 0;

	if (LIKELY(bytes_of(sw, g) <= room))
		return frames_of(g);
	if (g->run)
		return (unsigned)(room / (p->len + sw->queue_extra));
	row = group_row(g);
	for (uint64_t sum = 0; (sum += p->len + sw->queue_extra) <= room;) {
		n++;
		p = row ? row[n] : p->next;
	}
	return n;
}

struct pkt *const *group_first(const struct group *g, unsigned n, struct pkt *room[SW_BURST])
{
	struct pkt *const *row = group_row(g);
	struct pkt *p = g->head;

	if (row)
		return row;
	for (unsigned i = 0; i < n; i++, p = p->next)
		room[i] = p;
	return room;
}

struct sw_msg *group_message(struct sw *sw, const struct sw_port *to, const struct group *g,
	const struct sw_port *in, enum sw_msg_kind kind, tstamp now)
{
	struct sw_msg *m = sw_fabric_burst(sw, kind, to->index, frames_of(g), now);

	m->len = g->len;
	m->by_ecn = g->by_ecn;
	m->port = g->out;
	m->cls = g->cls;
	m->pg = g->pg;
	m->kinds = g->kinds;
	m->reason = 0;
	m->untagged = false;
	m->longest = g->longest;
	m->shortest = g->shortest;
	m->in = in->index;
	return m;
}

struct group group_of_message(const struct sw_msg *m)
{
	return (struct group){
		.out = m->port,
		.cls = m->cls,
		.pg = m->pg,
		.kinds = m->kinds,
		.longest = m->longest,
		.shortest = m->shortest,
		.len = m->len,
		.by_ecn = m->by_ecn,
	};
}

void group_link(const struct sw *sw, struct group *g, struct pkt **burst, unsigned n)
{
	for (unsigned i = 0; i + 1 < n; i++)
		burst[i]->next = burst[i + 1];
	for (unsigned i = 0; sw->two_sided && i < n; i++)
		g->held += held_by(sw, burst[i]);
	g->head = burst[0];
	g->tail = burst[n - 1];
	g->at = burst;
}

void group_addresses(struct pkt *const *p, unsigned n, uint64_t *word)
{
	while (n--)
		*word++ = (uintptr_t)*p++;
}
