// SPDX-License-Identifier: BSD-3-Clause
// Bursts that arrive are sorted by egress port and queue: a group of frames begins where its first
// one stood, and has the others behind it, in their order.
//
// MAC control and what is too long or malformed comes before all others. A frame that goes to no
// single port parts the burst, so that a flooded one is not overtaken. Ways are found before, in
// the order in which frames came.
#include "group.h"

// The groups of a burst, numbered from 1, which are found by what their frames share (key_of).
struct sorter {
	struct group group[1 + SW_BURST];
	uint32_t key[1 + SW_BURST]; // [0]: that of no group
	unsigned n;
	uint8_t slot[2 * SW_BURST]; // number of a group, by the hash of its key; 0: none
};

_Static_assert(2 * SW_BURST == 1 << 7, "group_find");

static inline void sorter_clear(struct sorter *s)
{
	s->n = 0;
	s->key[0] = UINT32_MAX;
	clear_small(s->slot, sizeof(s->slot));
}

// Whether there is a group with this key. *k: its number; *at: else the slot for it.
INLINE bool group_find(const struct sorter *s, uint32_t key, unsigned *at, unsigned *k)
{
	*at = (key * 0x9e3779b1u) >> (32 - 7);
	*k = s->slot[*at];
	while (s->key[*k] != key) {
		if (!*k)
			return false;
		*at = (*at + 1) % (2 * SW_BURST);
		*k = s->slot[*at];
	}
	return true;
}

// Returns the number of a new group, which has no frames yet.
INLINE unsigned group_add(struct sorter *s, uint32_t key, unsigned at)
{
	unsigned k = ++s->n;

	s->slot[at] = (uint8_t)k;
	s->key[k] = key;
	return k;
}

// Makes a group of n frames that are alike. They stand in a row from *first on, or the caller says
// that they do not (group.run).
INLINE void group_make(const struct sw *sw, struct group *g, uint32_t key, struct pkt *const *first,
	struct pkt *tail, unsigned n)
{
	struct pkt *p = *first;

	*g = (struct group){.head = p,
		.tail = tail,
		.run = first,
		.at = first,
		.out = (uint16_t)(key >> 8),
		.cls = (uint8_t)key,
		.pg = p->pg,
		.kinds = (uint16_t)SW_KIND(p->kind),
		.longest = p->len,
		.shortest = p->len,
		.len = n * p->len,
		.held = UNLIKELY(sw->two_sided) ? n * held_by(sw, p) : 0,
		.by_ecn = n << 8 * pkt_ecn(p)};
}

static void take_groups(struct sw *sw, struct sw_port *in, struct sorter *s, tstamp now)
{
	for (unsigned k = 1; k <= s->n; k++)
		sw_group_received(sw, in, &s->group[k], now);
}

// What the frames of a group share: egress port and queue. Where maps tell priority groups apart,
// the frame knows its own from here on.
INLINE uint32_t key_of(const struct sw *sw, const uint8_t *map, struct pkt *p, struct sw_way w)
{
	unsigned cls = w.cls == SW_CLS_BY_DSCP ? map[p->tos >> 2] : w.cls;

	if (UNLIKELY(sw->mapped))
		cls = sw_map(sw, p, cls);
	return (uint32_t)w.out << 8 | cls;
}

// The bits of pkt_word that say what a frame is.
static inline uint64_t what_it_is(void)
{
	const struct pkt p = {.len = 0xffff, .kind = 0xff, .flags = 0xff, .tos = 0xff};

	return pkt_word(&p);
}

// The others, of a frame that has come in at a port and has a class.
static inline uint64_t where_it_is(const struct sw_port *in, unsigned cls)
{
	const struct pkt port_1 = {.in_port = 1}, class_1 = {.cls = 1};

	return in->index * pkt_word(&port_1) + cls * pkt_word(&class_1);
}

// Whether frames that a port has received go on without headers. Frames that are handed over to
// another shard keep theirs, for that shard may read them.
static inline bool forgets_headers(const struct sw *sw, const struct sw_port *in)
{
	return sw->forgets && !in->away;
}

// Writes into a received frame all but its link and its group, at once, while its line is in the
// cache.
INLINE void place(struct pkt *p, uint64_t word, bool forgets, tstamp now)
{
	if (forgets)
		p->hdr = NULL;
	p->when = now;
	pkt_word_set(p, word);
}

INLINE unsigned link_while_alike(struct pkt **burst, unsigned n, const struct sw_way *way,
	uint64_t where, const bool forgets, tstamp now)
{
	struct pkt *last = burst[0];
	uint64_t mask = what_it_is(), word = (pkt_word(last) & mask) | where;
	uint8_t pg = last->pg;
	unsigned i = 1;

	place(last, word, forgets, now);
	for (; i < n && sw_same_way(way[i], way[0]); i++) {
		struct pkt *p = burst[i];

		if ((pkt_word(p) ^ word) & mask)
			break;
		place(p, word, forgets, now);
		p->pg = pg;
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
		place(p, what | where, forgets, now);
		p->pg = pg;
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

// The chain of each group: frames that have been linked to it and are not counted in it yet.
struct chains {
	struct pkt none; // stands before the first frame of a new group
	struct pkt *tail[1 + SW_BURST];
	struct pkt **first[1 + SW_BURST]; // where that of a new group stands; NULL: it is not new
	uint64_t word[1 + SW_BURST];      // pkt_word of one of the group's frames
	uint64_t differ[1 + SW_BURST];    // its bits in which some frame of the chain differs
	unsigned more[1 + SW_BURST];      // frames of the chain
};

INLINE void chain_begin(
	struct chains *c, unsigned k, struct pkt **first, struct pkt *tail, uint64_t word)
{
	c->first[k] = first;
	c->tail[k] = tail;
	c->word[k] = word;
	c->differ[k] = 0;
	c->more[k] = 0;
}

// Places a frame, and links it to group k.
INLINE void chain_put(struct chains *c, unsigned k, struct pkt *p, const bool forgets, tstamp now)
{
	uint64_t differ = (pkt_word(p) ^ c->word[k]) & what_it_is();

	place(p, c->word[k] ^ differ, forgets, now);
	c->differ[k] |= differ;
	c->more[k]++;
	c->tail[k]->next = p;
	c->tail[k] = p;
}

// Counts n frames that are linked behind the last one of a group.
ASIDE void count_each(const struct sw *sw, struct group *g, unsigned n)
{
	struct group with = *g;
	struct pkt *p = g->tail;

	for (; n; n--) {
		p = p->next;
		group_count(sw, &with, p, p, 1);
	}
	*g = with;
}

// Counts the chain of group k in it.
INLINE void chain_end(const struct sw *sw, struct sorter *s, const struct chains *c, unsigned k)
{
	struct group *g = &s->group[k];
	struct pkt **first = c->first[k], *tail = c->tail[k];
	bool alike = !c->differ[k] && !sw->mapped;
	unsigned n = c->more[k];

	if (first && alike) {
		group_make(sw, g, s->key[k], first, tail, n);
		g->run = first[n - 1] == tail ? first : NULL;
		return;
	}
	if (first) {
		group_make(sw, g, s->key[k], first, *first, 1);
		n--;
	}
	if (!n)
		return;
	g->run = NULL;
	if (alike)
		group_count(sw, g, tail, tail, n);
	else
		count_each(sw, g, n);
}

INLINE unsigned link_one_by_one(const struct sw *sw, const struct sw_port *in, struct sorter *s,
	struct pkt **burst, unsigned n, const struct sw_way *way, const bool forgets, tstamp now)
{
	const uint8_t *map = sw_dscp_map(sw, in);
	struct chains c;
	unsigned i = 0;

	for (unsigned k = 1; k <= s->n; k++)
		chain_begin(&c, k, NULL, s->group[k].tail, pkt_word(s->group[k].tail));
	for (; i < n; i++) {
		struct pkt *p = burst[i];
		uint32_t key = key_of(sw, map, p, way[i]);
		unsigned at, k;

		if (UNLIKELY(!group_find(s, key, &at, &k))) {
			if (way[i].out >= SW_OUT_ODD)
				break;
			k = group_add(s, key, at);
			chain_begin(&c, k, burst + i, &c.none,
				(pkt_word(p) & what_it_is()) | where_it_is(in, (uint8_t)key));
		}
		chain_put(&c, k, p, forgets, now);
	}
	for (unsigned k = 1; k <= s->n; k++)
		chain_end(sw, s, &c, k);
	return i;
}

// Links frames one by one to their groups, up to one that goes to no single port. No branch asks
// whether a frame goes where the one before it goes, for nobody can foresee that in a burst that is
// mixed. Returns how many there are.
ASIDE unsigned link_mixed(const struct sw *sw, const struct sw_port *in, struct sorter *s,
	struct pkt **burst, unsigned n, const struct sw_way *way, tstamp now)
{
	return forgets_headers(sw, in) ? link_one_by_one(sw, in, s, burst, n, way, true, now)
				       : link_one_by_one(sw, in, s, burst, n, way, false, now);
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
	sorter_clear(s);
	if (UNLIKELY(in->away))
		hand_over_alone(sw, in, p, now);
	else
		sw_rx_no_port(sw, in, p, out, now);
}

#define MIXED_LEAST 12 // frames: with fewer of them link_mixed takes longer

// A burst is taken in trains of frames for one group, until a frame stands alone where there are
// two groups already: the others behind it are likely to be mixed.
static void sort(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n,
	const struct sw_way *way, tstamp now)
{
	const bool forgets = forgets_headers(sw, in);
	struct sorter s;

	sorter_clear(&s);
	for (unsigned i = 0; i < n;) {
		struct pkt *p = burst[i];
		uint32_t key = key_of(sw, sw_dscp_map(sw, in), p, way[i]);
		uint64_t where = where_it_is(in, (uint8_t)key);
		bool alone = i + 1 == n || !same_queue(way + i + 1, burst + i + 1);
		struct group *g;
		unsigned alike = 1, at, k;

		if (UNLIKELY(way[i].out >= SW_OUT_ODD)) {
			sort_odd(sw, in, p, (uint8_t)key, way[i++].out, &s, now);
			continue;
		}
		if (UNLIKELY(alone && s.n > 1 && n - i >= MIXED_LEAST)) {
			i += link_mixed(sw, in, &s, burst + i, n - i, way + i, now);
			continue;
		}
		if (alone)
			place(p, (pkt_word(p) & what_it_is()) | where, forgets, now);
		else
			alike = link_alike(burst + i, n - i, way + i, where, forgets, now);
		if (group_find(&s, key, &at, &k)) {
			g = &s.group[k];
			g->tail->next = p;
			g->run = NULL;
			group_count(sw, g, p, burst[i + alike - 1], alike);
		} else {
			g = &s.group[group_add(&s, key, at)];
			group_make(sw, g, key, burst + i, burst[i + alike - 1], alike);
		}
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
