// SPDX-License-Identifier: BSD-3-Clause
// Bursts that arrive are sorted by egress port and queue: a group of frames begins where its first
// one stood, and has the others behind it, in their order.
//
// MAC control and what is too long or malformed comes before all others. A frame that goes to no
// single port parts the burst, so that a flooded one is not overtaken. Ways are found before, in
// the order in which frames came.
#include <string.h>

#include "group.h"

// The groups of a burst, found by what their frames share.
struct sorter {
	struct group group[SW_BURST];
	uint32_t key[SW_BURST];
	unsigned n;
	uint8_t slot[2 * SW_BURST]; // number of a group from 1; 0: none
};

_Static_assert(2 * SW_BURST == 1 << 7, "group_of");

static inline struct group *group_of(struct sorter *s, uint32_t key)
{
	unsigned at = (key * 0x9e3779b1u) >> (32 - 7);

	for (; s->slot[at]; at = (at + 1) % (2 * SW_BURST))
		if (s->key[s->slot[at] - 1] == key)
			return &s->group[s->slot[at] - 1];
	s->key[s->n] = key;
	s->group[s->n] = (struct group){
		.out = (uint16_t)(key >> 8), .cls = (uint8_t)key, .shortest = UINT16_MAX};
	s->slot[at] = (uint8_t)++s->n;
	return &s->group[s->n - 1];
}

static void take_groups(struct sw *sw, struct sw_port *in, struct sorter *s, tstamp now)
{
	for (unsigned i = 0; i < s->n; i++)
		sw_group_received(sw, in, &s->group[i], now);
	s->n = 0;
	memset(s->slot, 0, sizeof(s->slot));
}

static uint8_t class_of(
	const struct sw *sw, const struct sw_port *in, struct pkt *p, struct sw_way w)
{
	uint8_t cls = w.cls == SW_CLS_BY_DSCP ? sw_dscp_map(sw, in)[p->tos >> 2] : w.cls;

	return UNLIKELY(sw->mapped) ? (uint8_t)sw_map(sw, p, cls) : cls;
}

// The bits of pkt_word that say what a frame is; the others say where it stands.
static inline uint64_t what_it_is(void)
{
	const struct pkt p = {.len = 0xffff, .kind = 0xff, .flags = 0xff, .tos = 0xff};

	return pkt_word(&p);
}

// The bits of pkt_word that say at which port a frame was received.
static inline uint64_t word_of_port(const struct sw_port *in)
{
	const struct pkt p = {.in_port = in->index};

	return pkt_word(&p);
}

// Those that say which class it has. They are loaded, because a word that has just been written in
// parts is waited for.
static inline uint64_t word_of_class(unsigned cls)
{
	static const struct pkt of[PKT_CLASSES] = {{.cls = 0}, {.cls = 1}, {.cls = 2}, {.cls = 3},
		{.cls = 4}, {.cls = 5}, {.cls = 6}, {.cls = 7}};

	return pkt_word(&of[cls]);
}

// Whether frames that a port has received go on without headers. Frames that are handed over to
// another shard keep theirs, for that shard may read them.
static inline bool forgets_headers(const struct sw *sw, const struct sw_port *in)
{
	return sw->forgets && !in->away;
}

// Writes into a received frame all but its link, at once, while its line is in the cache.
INLINE void place(struct pkt *p, uint64_t word, uint8_t pg, bool forgets, tstamp now)
{
	if (forgets)
		p->hdr = NULL;
	p->when = now;
	pkt_word_set(p, word);
	p->pg = pg;
}

INLINE unsigned link_while_alike(struct pkt **burst, unsigned n, const struct sw_way *way,
	uint64_t where, const bool forgets, tstamp now)
{
	struct pkt *last = burst[0];
	uint64_t mask = what_it_is(), word = (pkt_word(last) & mask) | where;
	uint8_t pg = last->pg;
	unsigned i = 1;

	place(last, word, pg, forgets, now);
	for (; i < n && sw_same_way(way[i], way[0]); i++) {
		struct pkt *p = burst[i];

		if ((pkt_word(p) ^ word) & mask)
			break;
		place(p, word, pg, forgets, now);
		last->next = p;
		last = p;
	}
	return i;
}

// Places the first frame and those behind it that have its way, and are like it in all that counts,
// and links them. Returns how many there are.
ASIDE unsigned link_alike(struct pkt **burst, unsigned n, const struct sw_way *way, uint64_t where,
	bool forgets, tstamp now)
{
	return forgets ? link_while_alike(burst, n, way, where, true, now)
		       : link_while_alike(burst, n, way, where, false, now);
}

// Whether a frame has way and class of the one before it.
static inline bool same_queue(const struct sw_way *way, struct pkt *const *at)
{
	return sw_same_way(way[0], way[-1]) &&
	       (way->cls != SW_CLS_BY_DSCP || pkt_dscp(at[0]) == pkt_dscp(at[-1]));
}

// Places the frames behind burst[0] that differ from it, but have its way and class, and links them
// to its group, which ends there. Returns how many there are.
ASIDE unsigned link_others(const struct sw *sw, struct group *g, struct pkt **burst, unsigned n,
	const struct sw_way *way, uint64_t where, bool forgets, tstamp now)
{
	const bool by_dscp = way[0].cls == SW_CLS_BY_DSCP;
	const uint64_t mask = what_it_is();
	const uint8_t pg = burst[0]->pg;
	unsigned longest = g->longest, shortest = g->shortest, kinds = g->kinds, i = 1;
	unsigned dscp = pkt_dscp(burst[0]), own = 0, one = 0; // of a frame: its length, by its ECN
	uint32_t len = g->len, by_ecn = g->by_ecn;
	struct pkt *last = burst[0];
	uint64_t before = 0;

	for (; i < n && sw_same_way(way[i], way[0]); i++) {
		struct pkt *p = burst[i];
		uint64_t what = pkt_word(p) & mask;

		if (what != before) {
			if (by_dscp && pkt_dscp(p) != dscp)
				break;
			own = p->len;
			one = 1u << 8 * pkt_ecn(p);
			longest = own > longest ? own : longest;
			shortest = own < shortest ? own : shortest;
			kinds |= SW_KIND(p->kind);
			before = what;
		}
		len += own;
		by_ecn += one;
		place(p, what | where, pg, forgets, now);
		last->next = p;
		last = p;
	}
	for (unsigned k = 1; UNLIKELY(sw->two_sided) && k < i; k++)
		g->held += held_by(sw, burst[k]);
	g->run = i > 1 ? NULL : g->run;
	g->tail = last;
	g->kinds = (uint16_t)kinds;
	g->longest = (uint16_t)longest;
	g->shortest = (uint16_t)shortest;
	g->len = len;
	g->by_ecn = by_ecn;
	return i - 1;
}

ASIDE void hand_over_alone(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now)
{
	struct group g = {.head = p, .out = SW_OUT_ODD, .shortest = UINT16_MAX};

	group_count(sw, &g, p, p, 1);
	sw_group_hand_over(sw, in, &g, now);
}

// A frame that goes to no single port parts the burst.
ASIDE void sort_odd(struct sw *sw, struct sw_port *in, struct pkt *p, uint8_t cls, unsigned out,
	struct sorter *s, tstamp now)
{
	p->cls = cls;
	p->in_port = in->index;
	p->when = now;
	if (forgets_headers(sw, in))
		p->hdr = NULL;
	take_groups(sw, in, s, now);
	if (UNLIKELY(in->away))
		hand_over_alone(sw, in, p, now);
	else
		sw_rx_no_port(sw, in, p, out, now);
}

static void sort(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n,
	const struct sw_way *way, tstamp now)
{
	const bool forgets = forgets_headers(sw, in);
	const uint64_t of_port = word_of_port(in);
	struct sorter s;

	s.n = 0;
	memset(s.slot, 0, sizeof(s.slot));
	for (unsigned i = 0; i < n;) {
		struct pkt *p = burst[i];
		uint8_t cls = class_of(sw, in, p, way[i]);
		uint64_t where = of_port | word_of_class(cls);
		bool alone = i + 1 == n || !same_queue(way + i + 1, burst + i + 1);
		struct group *g;
		unsigned alike = 1;

		if (UNLIKELY(way[i].out >= SW_OUT_ODD)) {
			sort_odd(sw, in, p, cls, way[i++].out, &s, now);
			continue;
		}
		if (alone)
			place(p, (pkt_word(p) & what_it_is()) | where, p->pg, forgets, now);
		else
			alike = link_alike(burst + i, n - i, way + i, where, forgets, now);
		g = group_of(&s, (uint32_t)way[i].out << 8 | cls);
		if (g->head) {
			g->tail->next = p;
			g->run = NULL;
		} else {
			g->head = p;
			g->at = burst + i;
			g->pg = p->pg;
			g->run = burst + i;
		}
		group_count(sw, g, p, burst[i + alike - 1], alike);
		i += alike;
		if (!alone && i < n && same_queue(way + i, burst + i))
			i += link_others(
				sw, g, burst + i - 1, n - i + 1, way + i - 1, where, forgets, now);
	}
	take_groups(sw, in, &s, now);
}

void sw_rx_burst(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n, tstamp now)
{
	struct sw_way way[SW_BURST];
	uint64_t even = 0; // pkt_word of a frame that is not odd
	unsigned left = 0;

	for (; left < n; left++) {
		const struct pkt *p = burst[left];

		if (pkt_word(p) == even)
			continue;
		if (UNLIKELY(sw_is_odd(in, p)))
			break;
		even = pkt_word(p);
	}
	for (unsigned i = left; i < n; i++) {
		struct pkt *p = burst[i];

		if (LIKELY(!sw_is_odd(in, p)) || sw_rx_odd(sw, in, p, now))
			burst[left++] = p;
	}
	sw_ways(sw, in, burst, left, way, now);
	sort(sw, in, burst, left, way, now);
}

// Whether the port would forward the frame, were its link up.
static bool is_forwarded(const struct sw_port *in, const struct pkt *p)
{
	if (p->len > in->mtu)
		return false;
	if (p->kind == PKT_BAD)
		return frame_error_is_above_l2((enum frame_error)p->u.bad);
	return !(SW_ODD_KINDS >> p->kind & 1);
}

// At most SW_BURST frames: what is not forwarded first, as in sw_rx_burst.
static void hand_over_burst(
	struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n, tstamp now)
{
	struct sw_way way[SW_BURST];
	struct group odd = {.out = SW_OUT_ODD, .shortest = UINT16_MAX};
	unsigned left = 0;

	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];

		if (LIKELY(is_forwarded(in, p))) {
			burst[left++] = p;
			continue;
		}
		if (odd.head)
			odd.tail->next = p;
		else
			odd.head = p;
		group_count(sw, &odd, p, p, 1);
	}
	if (odd.head)
		sw_group_hand_over(sw, in, &odd, now);
	sw_ways(sw, in, burst, left, way, now);
	sort(sw, in, burst, left, way, now);
}

void sw_rx_for(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	for (unsigned at = 0; at < n; at += SW_BURST)
		hand_over_burst(sw, &sw->port[port], burst + at,
			n - at < SW_BURST ? n - at : SW_BURST, now);
}
