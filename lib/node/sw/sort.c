// SPDX-License-Identifier: BSD-3-Clause
// Bursts that arrive are sorted by egress port and queue: a group of frames begins where its first
// one stood, and has the others behind it, in their order.
//
// MAC control and what is too long or malformed comes before all others. A frame that goes to no
// single port parts the burst, so that a flooded one is not overtaken. Ways are found before, in
// the order in which frames came.
#include "group.h"

#include "base/equal.h"

// The groups of a burst, in the order of their first frames.
struct sorter {
	unsigned n;
	bool one_group; // frames that agree in pkt_word and have one queue share a priority group
	struct sw_way way[SW_BURST]; // with the queue as class
	uint64_t frames[SW_BURST];   // bitmap: those of the burst that are not linked yet
	struct group group[SW_BURST];
	struct pkt *row[SW_BURST], **row_end; // frames that did not stand in a row
};

_Static_assert(SW_BURST <= EQUAL_MOST && SW_BURST % 16 == 0, "base/equal.h");

static inline void sorter_clear(struct sorter *s)
{
	s->n = 0;
	s->row_end = s->row;
}

// Makes a group of n frames that are alike. They stand in a row from *first on.
INLINE void group_make(const struct sw *sw, struct group *g, struct sw_way way,
	struct pkt *const *first, struct pkt *tail, unsigned n)
{
	const struct pkt *p = *first;

	g->head = *first;
	g->tail = tail;
	g->run = g->at = first;
	g->out = way.out;
	g->cls = way.cls;
	g->pg = p->pg;
	g->crossed = g->mixed = false;
	g->kinds = (uint16_t)SW_KIND(p->kind);
	g->longest = g->shortest = p->len;
	g->len = n * p->len;
	g->held = UNLIKELY(sw->two_sided) ? n * held_by(sw, p) : 0;
	g->by_ecn = n << 8 * pkt_ecn(p);
}

static void take_groups(struct sw *sw, struct sw_port *in, struct sorter *s, tstamp now)
{
	for (unsigned k = 0; k < s->n; k++)
		sw_group_received(sw, in, &s->group[k], now);
}

// The class of a frame.
INLINE unsigned class_of(const uint8_t *map, const struct pkt *p, struct sw_way w)
{
	return w.cls == SW_CLS_BY_DSCP ? map[pkt_dscp(p)] : w.cls;
}

// What the frames of a group share: egress port and queue. Where maps tell priority groups apart,
// the frame knows its own from here on.
INLINE struct sw_way queue_of(
	const struct sw *sw, const uint8_t *map, struct pkt *p, struct sw_way w)
{
	unsigned cls = class_of(map, p, w);

	if (UNLIKELY(sw->mapped))
		cls = sw_map(sw, p, cls);
	w.cls = (uint8_t)cls;
	return w;
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
	// No header, and the time, which stands behind it: one store.
	const uint64_t bare __attribute__((vector_size(16))) = {0, now};

	_Static_assert(offsetof(struct pkt, when) == offsetof(struct pkt, hdr) + sizeof(now),
		"they stand together");
	if (forgets)
		memcpy(&p->hdr, &bare, sizeof(bare));
	else
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

// What a group comes to with frames that are counted one after the other. Those that are like the
// one before add what it did.
struct sums {
	uint64_t word;     // of the last frame; 0, which none has: there was none yet
	unsigned len, ecn; // that it adds
	uint32_t all_len, by_ecn;
	unsigned longest, shortest, kinds;
};

static inline struct sums sums_of(const struct group *g)
{
	return (struct sums){
		.all_len = g->len,
		.by_ecn = g->by_ecn,
		.longest = g->longest,
		.shortest = g->shortest,
		.kinds = g->kinds,
	};
}

// Adds a frame. `word`: its pkt_word, with or without the bits of where_it_is.
INLINE void sums_add(struct sums *s, const struct pkt *p, uint64_t word)
{
	if (word != s->word) {
		unsigned len = p->len;

		s->word = word;
		s->len = len;
		s->ecn = 1u << 8 * pkt_ecn(p);
		s->longest = len > s->longest ? len : s->longest;
		s->shortest = len < s->shortest ? len : s->shortest;
		s->kinds |= SW_KIND(p->kind);
	}
	s->all_len += s->len;
	s->by_ecn += s->ecn;
}

// The group has all that were added, up to `tail`.
static inline void sums_put(const struct sums *s, struct group *g, struct pkt *tail)
{
	g->tail = tail;
	g->kinds = (uint16_t)s->kinds;
	g->longest = (uint16_t)s->longest;
	g->shortest = (uint16_t)s->shortest;
	g->len = s->all_len;
	g->by_ecn = s->by_ecn;
}

// Places the frames behind burst[0] that differ from it, but have its way and class, and links them
// to its group, which ends there. Returns how many there are.
ASIDE unsigned link_others(const struct sw *sw, struct group *g, struct pkt **burst, unsigned n,
	const struct sw_way *way, uint64_t where, bool forgets, tstamp now)
{
	const bool by_dscp = way[0].cls == SW_CLS_BY_DSCP;
	const uint64_t mask = what_it_is();
	const uint8_t pg = burst[0]->pg;
	const unsigned dscp = pkt_dscp(burst[0]);
	struct sums sums = sums_of(g);
	struct pkt *last = burst[0];
	unsigned i = 1;

	for (; i < n && sw_same_way(way[i], way[0]); i++) {
		struct pkt *p = burst[i];
		uint64_t what = pkt_word(p) & mask;

		if (what != sums.word && by_dscp && pkt_dscp(p) != dscp)
			break;
		sums_add(&sums, p, what);
		place(p, what | where, forgets, now);
		p->pg = pg;
		last->next = p;
		last = p;
	}
	for (unsigned k = 1; UNLIKELY(sw->two_sided) && k < i; k++)
		g->held += held_by(sw, burst[k]);
	g->run = i > 1 ? NULL : g->run;
	sums_put(&sums, g, last);
	return i - 1;
}

// Finds the groups of frames `from` to n of a burst, up to one that goes to no single port. Returns
// where that stands; n: there is none. `alike`: the frames are, so that ways tell their queues
// apart; else ways have these as class. All frames are compared at once with one that has no group
// yet, as many times as there are groups.
INLINE unsigned find_groups(const struct sw *sw, const struct sw_port *in, struct sorter *s,
	struct pkt *const *burst, unsigned from, unsigned n, const struct sw_way *way,
	const bool alike)
{
	uint64_t left = sw_frames_before(n) & ~sw_frames_before(from);

	if (!alike && s->n) {
		s->frames[0] = left & equal_words(way, n, sw_way_word(s->way[0]));
		left &= ~s->frames[0];
	}
	for (; left; s->n++) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		struct sw_way w = way[i];

		if (UNLIKELY(w.out >= SW_OUT_ODD)) {
			for (unsigned k = 0; k < s->n; k++)
				s->frames[k] &= sw_frames_before(i);
			return i;
		}
		s->frames[s->n] = left & equal_words(way, n, sw_way_word(w));
		left &= ~s->frames[s->n];
		s->way[s->n] = alike ? queue_of(sw, sw_dscp_map(sw, in), burst[i], w) : w;
	}
	return n;
}

// Frames of a group that have been linked behind others of it.
struct chain {
	struct pkt *tail;
	uint64_t word;   // of one of the group
	uint64_t differ; // its bits in which some frame of the chain differs
};

// Places a frame and links it to its group. `alike`: it is known to be like the others.
INLINE void link_frame(struct chain *c, struct pkt *p, uint64_t where, const bool alike,
	const bool forgets, tstamp now)
{
	uint64_t differ = alike ? 0 : (pkt_word(p) ^ c->word) & what_it_is();

	c->differ |= differ;
	place(p, ((c->word & what_it_is()) ^ differ) | where, forgets, now);
	c->tail->next = p;
	c->tail = p;
}

// Counts n frames that are linked behind the last one of a group.
ASIDE void count_each(const struct sw *sw, struct group *g, unsigned n)
{
	struct sums sums = sums_of(g);
	struct pkt *p = g->tail;

	for (; n; n--) {
		p = p->next;
		sums_add(&sums, p, pkt_word(p));
		if (UNLIKELY(!sw->mmu_alone)) {
			g->held += held_by(sw, p);
			g->mixed |= sw->mapped && p->pg != g->pg;
		}
	}
	sums_put(&sums, g, p);
}

// The frames of a new group. They stand in a row of the burst, or get one.
INLINE void begin_group(const struct sw *sw, const struct sw_port *in, struct sorter *s, unsigned k,
	struct pkt *const *burst, const bool alike, const bool forgets, tstamp now)
{
	uint64_t frames = s->frames[k], where = where_it_is(in, s->way[k].cls);
	struct pkt none, *const *first = burst + __builtin_ctzll(frames);
	struct chain c = {.tail = &none, .word = pkt_word(*first)};
	unsigned n;

	if (sw_in_a_row(frames)) {
		n = sw_row_end(frames) - (unsigned)(first - burst);
		for (unsigned i = 0; i < n; i++)
			link_frame(&c, first[i], where, alike, forgets, now);
	} else {
		struct pkt **to = s->row_end;

		first = to;
		for (; frames; frames &= frames - 1) {
			*to = burst[__builtin_ctzll(frames)];
			link_frame(&c, *to++, where, alike, forgets, now);
		}
		s->row_end = to;
		n = (unsigned)(to - first);
	}
	if (LIKELY(!c.differ && s->one_group)) {
		group_make(sw, &s->group[k], s->way[k], first, c.tail, n);
		return;
	}
	group_make(sw, &s->group[k], s->way[k], first, *first, 1);
	s->group[k].run = n > 1 ? NULL : first;
	count_each(sw, &s->group[k], n - 1);
}

// More frames of the first group, whose others stand in the burst in a row.
ASIDE void continue_first(const struct sw *sw, const struct sw_port *in, struct sorter *s,
	struct pkt *const *burst, const bool forgets, tstamp now)
{
	struct group *g = &s->group[0];
	unsigned n = frames_of(g);
	struct pkt **first = s->row_end, **to = first + n;
	struct chain c = {.tail = g->tail, .word = pkt_word(g->head)};
	uint64_t where = where_it_is(in, s->way[0].cls);

	memcpy(first, g->at, n * sizeof(*first));
	for (uint64_t left = s->frames[0]; left; left &= left - 1) {
		*to = burst[__builtin_ctzll(left)];
		link_frame(&c, *to++, where, false, forgets, now);
	}
	s->row_end = to;
	g->at = first;
	g->run = c.differ || !s->one_group || !g->run ? NULL : first;
	n = (unsigned)(to - first) - n;
	if (c.differ || !s->one_group)
		count_each(sw, g, n);
	else
		group_count(sw, g, c.tail, c.tail, n);
}

// The first `had` groups, none or one, have frames already.
INLINE void link_groups(const struct sw *sw, const struct sw_port *in, struct sorter *s,
	unsigned had, struct pkt *const *burst, const bool alike, const bool forgets, tstamp now)
{
	if (had && s->frames[0])
		continue_first(sw, in, s, burst, forgets, now);
	for (unsigned k = had; k < s->n; k++)
		begin_group(sw, in, s, k, burst, alike, forgets, now);
}

// Links frames `from` to n of a burst, which are alike, to their groups, up to one that goes to no
// single port. Returns where it ended.
ASIDE unsigned link_like(const struct sw *sw, const struct sw_port *in, struct sorter *s,
	struct pkt **burst, unsigned from, unsigned n, struct sw_way *way, tstamp now)
{
	n = find_groups(sw, in, s, burst, from, n, way, true);
	if (forgets_headers(sw, in))
		link_groups(sw, in, s, 0, burst, true, true, now);
	else
		link_groups(sw, in, s, 0, burst, true, false, now);
	return n;
}

// The same of frames that differ. No branch asks whether a frame goes where the one before it goes,
// for nobody can foresee that in a burst that is mixed.
ASIDE unsigned link_mixed(const struct sw *sw, const struct sw_port *in, struct sorter *s,
	struct pkt **burst, unsigned from, unsigned n, struct sw_way *way, bool by_dscp, tstamp now)
{
	const uint8_t *map = sw_dscp_map(sw, in);
	unsigned had = s->n;

	if (LIKELY(by_dscp && !sw->mapped))
		for (unsigned i = from; i < n; i++)
			sw_way_put(
				&way[i], (struct sw_way){way[i].out, map[pkt_dscp(burst[i])], 0});
	else
		for (unsigned i = from; i < n && way[i].out < SW_OUT_ODD; i++)
			sw_way_put(&way[i], queue_of(sw, map, burst[i], way[i]));
	n = find_groups(sw, in, s, burst, from, n, way, false);
	if (forgets_headers(sw, in))
		link_groups(sw, in, s, had, burst, false, true, now);
	else
		link_groups(sw, in, s, had, burst, false, false, now);
	return n;
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

// The frames from burst[i] on, as long as they have its way and class, are a new group. Returns
// where they end.
INLINE unsigned begin_row(const struct sw *sw, const struct sw_port *in, struct sorter *s,
	struct pkt **burst, unsigned i, unsigned n, const struct sw_way *way, tstamp now)
{
	const bool forgets = forgets_headers(sw, in);
	struct sw_way w = queue_of(sw, sw_dscp_map(sw, in), burst[i], way[i]);
	uint64_t where = where_it_is(in, w.cls);
	struct group *g = &s->group[0];
	unsigned alike = link_alike(burst + i, n - i, way + i, where, forgets, now);

	s->n = 1;
	s->way[0] = w;
	s->frames[0] = 0;
	group_make(sw, g, w, burst + i, burst[i + alike - 1], alike);
	i += alike;
	if (i < n && same_queue(way + i, burst + i))
		i += link_others(sw, g, burst + i - 1, n - i + 1, way + i - 1, where, forgets, now);
	return i;
}

// Places n frames that are alike and links them. `pg`: what they share where maps tell priority
// groups apart (`mapped`).
INLINE struct pkt *link_row(struct pkt *const *burst, unsigned n, uint64_t word, uint8_t pg,
	const bool mapped, bool forgets, tstamp now)
{
	struct pkt *last = burst[0];

	place(last, word, forgets, now);
#pragma GCC unroll 4
	for (unsigned i = 1; i < n; i++) {
		struct pkt *p = burst[i];

		place(p, word, forgets, now);
		if (mapped)
			p->pg = pg;
		last->next = p;
		last = p;
	}
	return last;
}

// All frames of a burst are alike, and have one way, which is that to a port.
ASIDE void take_one(struct sw *sw, struct sw_port *in, struct pkt *const *burst, unsigned n,
	struct sw_way way, tstamp now)
{
	struct sw_way w = queue_of(sw, sw_dscp_map(sw, in), burst[0], way);
	uint64_t word = (pkt_word(burst[0]) & what_it_is()) | where_it_is(in, w.cls);
	bool forgets = forgets_headers(sw, in);
	uint8_t pg = burst[0]->pg;
	struct pkt *last = UNLIKELY(sw->mapped) ? link_row(burst, n, word, pg, true, forgets, now)
						: link_row(burst, n, word, pg, false, forgets, now);
	struct group g;

	group_make(sw, &g, w, burst, last, n);
	sw_group_received(sw, in, &g, now);
}

// Sorts n frames, all of which are `alike` or not. `by_dscp`: as sw_ways says. Where they differ, a
// burst may begin with a group whose frames stand in a row. The others behind it are likely to be
// mixed.
ASIDE void sort(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, bool by_dscp, bool alike, tstamp now)
{
	struct sorter s;

	sorter_clear(&s);
	s.one_group = by_dscp || !sw->several_groups;
	alike &= by_dscp;
	for (unsigned i = 0; i < n;) {
		struct pkt *p = burst[i];

		if (UNLIKELY(way[i].out >= SW_OUT_ODD)) {
			struct sw_way w = queue_of(sw, sw_dscp_map(sw, in), p, way[i]);

			sort_odd(sw, in, p, w.cls, way[i++].out, &s, now);
		} else if (alike) {
			i = link_like(sw, in, &s, burst, i, n, way, now);
		} else if (!s.n && i + 1 < n && same_queue(way + i + 1, burst + i + 1)) {
			i = begin_row(sw, in, &s, burst, i, n, way, now);
		} else {
			i = link_mixed(sw, in, &s, burst, i, n, way, by_dscp, now);
		}
	}
	take_groups(sw, in, &s, now);
}

// Frames that are alike, and have one class, share the priority group of that.
ASIDE void share_group(const struct sw *sw, const struct sw_port *in, struct pkt *const *burst,
	unsigned n, struct sw_way way)
{
	uint8_t pg;

	queue_of(sw, sw_dscp_map(sw, in), burst[0], way);
	pg = burst[0]->pg;
#pragma GCC unroll 4
	for (unsigned i = 1; i < n; i++)
		burst[i]->pg = pg;
}

// Finds the ways of n frames, one at least, all of which are `alike` or not, and sorts them.
static void find_and_sort(
	struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n, bool alike, tstamp now)
{
	struct sw_way way[SW_BURST];
	unsigned known = sw_ways(sw, in, burst, n, way, now);

	if (known & SW_WAYS_SAME && alike && LIKELY(way[0].out < SW_OUT_ODD)) {
		take_one(sw, in, burst, n, way[0], now);
		return;
	}
	if (UNLIKELY(sw->mapped) && alike && known)
		share_group(sw, in, burst, n, way[0]);
	if (known & SW_WAYS_SAME)
		sw_ways_spread(way, n, way[0]);
	sort(sw, in, burst, n, way, known & SW_WAYS_BY_DSCP, alike, now);
}

// How many of the first frames have this pkt_word, counted by fours: up to three more may.
INLINE unsigned first_alike(struct pkt *const *p, unsigned n, uint64_t word)
{
	struct pkt *const *const first = p, *const *const end = p + n;

	for (; end - p >= 4; p += 4)
		if (pkt_word(p[0]) != word || pkt_word(p[1]) != word || pkt_word(p[2]) != word ||
			pkt_word(p[3]) != word)
			break;
	return (unsigned)(p - first);
}

// The first `left` of n frames are alike, and none of them is odd.
ASIDE void rx_others(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned left,
	unsigned n, tstamp now)
{
	uint64_t even = left ? pkt_word(burst[0]) : 0; // pkt_word of a frame that is not odd
	unsigned kinds = left != 0;

	for (; left < n; left++) {
		const struct pkt *p = burst[left];

		if (pkt_word(p) == even)
			continue;
		if (UNLIKELY(sw_is_odd(in, p)))
			break;
		even = pkt_word(p);
		kinds++;
	}
	for (unsigned i = left; i < n; i++) {
		struct pkt *p = burst[i];

		kinds = 2;
		if (LIKELY(!sw_is_odd(in, p)) || sw_rx_odd(sw, in, p, now))
			burst[left++] = p;
	}
	if (left)
		find_and_sort(sw, in, burst, left, kinds == 1, now);
}

void sw_rx_burst(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n, tstamp now)
{
	unsigned left = 0;

	if (LIKELY(!sw_is_odd(in, burst[0])))
		left = first_alike(burst, n, pkt_word(burst[0]));
	if (left == n)
		find_and_sort(sw, in, burst, n, true, now);
	else
		rx_others(sw, in, burst, left, n, now);
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
	if (left)
		find_and_sort(sw, in, burst, left, false, now);
}

void sw_rx_for(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	for (unsigned at = 0; at < n; at += SW_BURST)
		hand_over_burst(sw, &sw->port[port], burst + at,
			n - at < SW_BURST ? n - at : SW_BURST, now);
}
