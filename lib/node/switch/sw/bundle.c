// SPDX-License-Identifier: BSD-3-Clause
// Takes a burst, in the order of its frames. Frames for one queue gather in a bundle. When the
// bundle closes, their sums are written to the queue, the buffer and the counters. When a bundle
// opens, the switch computes how many bytes it may gather before a threshold of the buffer or of
// the queue could be reached, wherever the other frames of the burst go. A frame beyond this room
// goes alone, by the path for a single frame (rx.c). A frame that changes more than sums goes
// alone, too. All bundles close before such a frame. Every decision therefore finds the state that
// it would find without bundles.
#include "int.h"

#include "base/hint.h"

struct bundle {
	struct pkt *head, **link; // its frames, and where the next one is linked
	struct sw_port *o;
	int64_t room;      // bytes that it may still gather, by the limits of its queue
	int64_t pool_room; // the same by the buffer's egress side, as the buffer counts
	uint32_t queue;    // port * PKT_CLASSES + class
	uint32_t bytes;    // gathered, as the queue counts
	uint32_t held;     // gathered, as a buffer with two sides counts
	uint32_t by_ecn;   // frames by the codepoint that they arrived with, 8 bits each
	uint8_t cls;
	uint8_t asks; // bitmap of codepoints: the queue decides about each such frame
	bool calm;    // it has room for the whole burst, and the queue decides about no frame
	bool sees;    // the marker at enqueue counts its frames, and marks none
};

#define PLACES 128 // slots of the hash of queues: more than there are bundles

struct burst {
	struct sw *sw;
	struct sw_port *in;
	struct pkt **frame;
	const struct sw_way *way;
	unsigned n;
	enum sw_origin from;
	bool forgets; // clears headers at once
	tstamp now;
	uint32_t rest;                      // bytes of the buffer that all frames hold, at most
	uint32_t least;                     // bytes of the buffer that the shortest frame holds
	uint16_t most;                      // octets of the longest frame
	uint8_t groups;                     // bitmap: groups whose room is known
	uint8_t calm;                       // bitmap: groups with room for the whole burst
	unsigned open;                      // number of bundles
	unsigned across;                    // frames that cross to other shards
	int64_t room[MMU_PGS];              // of each group, as the buffer counts
	uint32_t held[MMU_PGS];             // gathered in each group, not yet in the buffer
	uint8_t at[PLACES];                 // number of a bundle, from 1
	struct bundle bundle[SW_BURST + 1]; // number 0 is none
	uint64_t word[SW_BURST];            // of frames that cross: sw_msg_frame
};

// Begins without bundles.
INLINE void begin(struct burst *x)
{
	clear_small(x->at, sizeof(x->at));
	memset(x->held, 0, sizeof(x->held));
	x->groups = x->calm = 0;
	x->open = x->across = 0;
}

// Bytes of the buffer that a frame of `bytes` in the queue holds.
INLINE uint32_t held_by(const struct sw *sw, uint32_t bytes)
{
	return UNLIKELY(sw->two_sided) ? mmu_cells(&sw->pools_cfg, bytes) : bytes;
}

// Whether a group has room for the whole burst. Frames from another shard are admitted already.
static bool group_is_calm(struct burst *x, unsigned pg)
{
	if (!(x->groups >> pg & 1)) {
		x->groups |= (uint8_t)(1u << pg);
		x->room[pg] = x->rest;
		if (x->from == SW_RECEIVED)
			x->room[pg] = sw_buffer_room(x->sw, x->in, pg, x->least, x->rest);
		x->calm |= (uint8_t)((x->room[pg] >= x->rest) << pg);
	}
	return x->calm >> pg & 1;
}

static bool is_shut(const struct sw_port *p, unsigned cls)
{
	return p->wd && p->wd->shut >> cls & 1;
}

static int64_t least_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

// How many bytes may join a queue until a frame may have an effect that is not checked frame by
// frame: a sample of QCN, heavy congestion, H3C's third zone, a mark that may cause a CNP.
static int64_t hooks_room(const struct sw_cls *k, const struct sw_port *o, unsigned cls)
{
	const struct sw_out *s = &o->out[cls];
	int64_t has = o->e.q[cls].bytes, room = INT64_MAX;

	if (s->cp)
		room = s->cp->cp.sample;
	if (k->hooks & SW_HOOK_MARK && k->mark == SW_MARK_ENQUEUE)
		room = least_of(room, (int64_t)k->rx_calm_bytes - has);
	if (k->hooks & SW_HOOK_HEAVY && !(o->heavy >> cls & 1))
		room = least_of(room, (int64_t)k->heavy_bytes - has - 1);
	if (k->hooks & SW_HOOK_ZONE)
		room = least_of(room, s->avg ? 0 : (int64_t)k->red.kmax_bytes - has);
	return room;
}

// The codepoints (bitmap) whose frames the queue decides about, if the whole burst joins it.
static unsigned asks_about(const struct sw_cls *k, uint64_t bytes)
{
	if (bytes <= k->rx_calm_bytes)
		return 0;
	if (k->wred_exponent || k->mark == SW_MARK_ENQUEUE || bytes > k->tail_limit)
		return 0xf;
	return sw_drops_ecn(k) & 0xf;
}

// Finds the room of a queue, and the codepoints that it decides about. The port belongs to this
// shard.
ASIDE void look_at_queue(struct burst *x, struct bundle *b, const struct sw_cls *k)
{
	struct sw *sw = x->sw;
	struct sw_port *o = b->o;
	uint64_t bytes = o->e.q[b->cls].bytes + (uint64_t)x->rest;

	if (UNLIKELY(x->most > o->max_len))
		b->room = 0;
	else if (k->hooks)
		b->room = hooks_room(k, o, b->cls);
	b->asks = (uint8_t)asks_about(k, bytes);
	b->sees = k->mark == SW_MARK_ENQUEUE && !b->asks;
	if (UNLIKELY(sw->two_sided))
		b->pool_room = (int64_t)mmu_queue_room(&sw->pools, o->index, b->cls, x->rest);
}

// Finds the bundle of a queue, or opens one.
ASIDE struct bundle *open_bundle(
	struct burst *x, unsigned place, uint32_t queue, struct sw_port *o, unsigned cls)
{
	const struct sw_cls *k = &o->set->cls[cls];
	struct sw *sw = x->sw;
	struct bundle *b;

	for (; x->at[place]; place = (place + 1) % PLACES)
		if (x->bundle[x->at[place]].queue == queue)
			return &x->bundle[x->at[place]];
	b = &x->bundle[++x->open];
	x->at[place] = (uint8_t)x->open;
	*b = (struct bundle){.link = &b->head,
		.o = o,
		.room = INT64_MAX,
		.pool_room = INT64_MAX,
		.queue = queue,
		.cls = (uint8_t)cls};
	if (LIKELY(!o->away))
		look_at_queue(x, b, k);
	if (UNLIKELY(sw->shut >> cls & 1) && (is_shut(x->in, cls) || is_shut(o, cls)))
		b->room = 0;
	if (UNLIKELY(o->untag >> cls & 1) && x->from == SW_RECEIVED)
		b->room = 0;
	b->calm = b->room >= x->rest && b->pool_room >= x->rest && !b->asks && !k->alone &&
		  !(k->hooks & SW_HOOK_FORGET);
	if (LIKELY(!sw->mapped))
		b->calm &= group_is_calm(x, cls);
	return b;
}

INLINE struct bundle *bundle_of(struct burst *x, unsigned out, unsigned cls)
{
	uint32_t queue = out * PKT_CLASSES + cls;
	struct bundle *b = &x->bundle[x->at[queue % PLACES]];

	if (UNLIKELY(b->queue != queue))
		b = open_bundle(x, queue % PLACES, queue, &x->sw->port[out], cls);
	return b;
}

// Writes the sums of a bundle to its queue, the buffer and the counters.
static void close_bundle(struct burst *x, struct bundle *b)
{
	struct sw *sw = x->sw;
	struct sw_port *o = b->o;
	unsigned cls = b->cls, n = b->by_ecn * 0x01010101u >> 24;
	struct pkt *tail = (struct pkt *)b->link; // a packet begins with its link

	_Static_assert(offsetof(struct pkt, next) == 0, "tail");
	if (UNLIKELY(!n))
		return;
	if (LIKELY(x->from == SW_RECEIVED)) {
		uint64_t *count = sw_in(sw, x->in, cls);

		count[SW_IN_FRAMES] += n;
		count[SW_IN_BYTES] += b->bytes + n * (uint64_t)(PKT_FCS - sw->queue_extra);
		count[SW_IN_CE] += sw_frames_with(b->by_ecn, ECN_CE);
	}
	if (LIKELY(!sw->mapped))
		x->held[cls] += UNLIKELY(sw->two_sided) ? b->held : b->bytes;
	if (UNLIKELY(o->away))
		return;
	if (UNLIKELY(sw->two_sided))
		mmu_take_queue(&sw->pools, o->index, cls, b->held);
	eport_put_burst(&o->e, cls, b->head, tail, n, b->bytes, x->now);
	sw_queue_ready(sw, o, cls);
	if (b->sees)
		sw_marker_seen(&o->set->cls[cls], &o->out[cls], b->by_ecn);
	if (UNLIKELY(o->out[cls].cp != NULL))
		sw_qcn_frames(sw, o, tail, b->bytes, x->now);
}

// Sends frames that this shard has admitted to the shards of their ports, in order.
ASIDE void cross(const struct burst *x)
{
	struct sw *sw = x->sw;
	unsigned shards = sw->fabric->n;

	for (unsigned k = 0; k < shards; k++) {
		uint64_t word[SW_BURST];
		unsigned n = 0;

		for (unsigned i = 0; i < x->across; i++) {
			word[n] = x->word[i];
			n += sw_msg_out(x->word[i]) % shards == k;
		}
		if (n)
			sw_fabric_frames(sw, SW_MSG_BURST, x->in, word, n, x->now);
	}
}

static void write_all(struct burst *x)
{
	for (unsigned i = 1; i <= x->open; i++)
		close_bundle(x, &x->bundle[i]);
	for (unsigned left = x->from == SW_RECEIVED ? x->groups : 0; left; left &= left - 1) {
		unsigned pg = (unsigned)__builtin_ctz(left);

		if (LIKELY(x->held[pg]))
			sw_buffer_take(x->sw, x->in, pg, x->held[pg]);
	}
	if (UNLIKELY(x->sw->fabric != NULL))
		sw_buffer_settle(x->sw);
	if (UNLIKELY(x->across))
		cross(x);
}

static void close_all(struct burst *x)
{
	write_all(x);
	begin(x);
}

// iQCN learns from the headers of like frames that join a queue. Then the switch may forget the
// headers.
INLINE void learn(struct burst *x, const struct sw_cls *k, struct pkt **frame, unsigned n,
	const struct sw_port *o)
{
	if (k->hooks & SW_HOOK_CNP && SW_DATA_KINDS >> frame[0]->kind & 1)
		iqcn_data_burst(x->sw->iqcn, frame, n,
			UNLIKELY(o->away) ? sw_fabric_at(x->sw, x->now) : x->now);
	for (unsigned i = 0; k->hooks & SW_HOOK_FORGET && i < n; i++)
		frame[i]->hdr = NULL;
}

// Writes all fields of a frame except its link and its group, while its line is in the cache.
INLINE void place(struct pkt *p, uint64_t word, bool forgets, tstamp now)
{
	// One store clears the header and writes the time behind it.
	const uint64_t bare __attribute__((vector_size(16))) = {0, now};

	_Static_assert(offsetof(struct pkt, when) == offsetof(struct pkt, hdr) + sizeof(now),
		"they stand together");
	if (forgets)
		memcpy(&p->hdr, &bare, sizeof(bare));
	else
		p->when = now;
	pkt_word_set(p, word);
}

// pkt_word has two parts: what_it_is() masks the bits that say what a frame is; where_it_is() makes
// the bits of its ingress port and class.
static inline uint64_t what_it_is(void)
{
	const struct pkt p = {.len = 0xffff, .kind = 0xff, .flags = 0xff, .tos = 0xff};

	return pkt_word(&p);
}

static inline uint64_t where_it_is(unsigned port, unsigned cls)
{
	const struct pkt port_1 = {.in_port = 1}, class_1 = {.cls = 1};

	return port * pkt_word(&port_1) + cls * pkt_word(&class_1);
}

INLINE void link_to(struct burst *x, struct bundle *b, struct pkt *p)
{
	if (UNLIKELY(b->o->away))
		x->word[x->across++] = sw_msg_frame(p, b->o->index);
	*b->link = p;
	b->link = &p->next;
}

// Lets the queue decide about a frame that would make it `qlen` bytes long. False: the frame is
// dropped.
static bool joins(struct burst *x, struct sw_port *o, struct pkt *p, uint32_t qlen)
{
	struct sw *sw = x->sw;
	enum sw_verdict v = sw_joins(sw, o, p, &qlen, x->now);

	if (LIKELY(v == SW_PASS))
		return true;
	if (v == SW_MARK) {
		sw_mark(sw, o, p, qlen, x->now);
		return true;
	}
	if (x->from == SW_RECEIVED)
		sw_count_in(sw, x->in, p);
	sw_refuse(sw, o, p, v, qlen, x->now);
	return false;
}

// Lets the queue decide about n like frames, one after the other. Returns how many join it, and
// moves these to the front.
static unsigned decide(
	struct burst *x, const struct bundle *b, struct pkt **frame, unsigned n, uint32_t bytes)
{
	const struct sw_cls *k = &b->o->set->cls[b->cls];
	uint32_t qlen = b->o->e.q[b->cls].bytes + b->bytes;
	unsigned join = 0;

	if (sw_only_learns(k, frame[0])) {
		sw_learn(k, b->o, frame[0], qlen + bytes, bytes, n, x->now);
		return n;
	}
	for (unsigned i = 0; i < n; i++)
		if (LIKELY(joins(x, b->o, frame[i], qlen + (join + 1) * bytes)))
			frame[join++] = frame[i];
	return join;
}

// How many frames, from frame i on, are alike and go to one queue.
static unsigned alike(const struct burst *x, unsigned i)
{
	uint64_t word = pkt_word(x->frame[i]) & what_it_is();
	unsigned n = 1;

	while (i + n < x->n && sw_same_way(x->way[i + n], x->way[i]) &&
		(pkt_word(x->frame[i + n]) & what_it_is()) == word)
		n++;
	return n;
}

// How many of n frames of `each` bytes fit into `room`.
INLINE unsigned fit(int64_t room, uint32_t each, unsigned n)
{
	if (LIKELY(room >= (int64_t)n * each))
		return n;
	return room < each ? 0 : (unsigned)(room / each);
}

// Takes n frames one after the other, by the path for a single frame.
ASIDE void alone(struct burst *x, struct pkt **frame, unsigned n, unsigned out)
{
	close_all(x);
	for (unsigned i = 0; i < n; i++)
		if (x->from == SW_CROSSED)
			sw_arrived(x->sw, frame[i], out, false, x->now);
		else if (UNLIKELY(out >= SW_OUT_ODD))
			sw_rx_no_port(x->sw, x->in, frame[i], out, x->now);
		else
			sw_rx_to(x->sw, x->in, frame[i], out, x->now);
}

#define AT_ONCE 8 // if a group is full: frames that go alone before the next look for room

// Whether a group has no room for a frame, and is lossy. A lossless group would go to XOFF with it.
static bool is_full(const struct burst *x, unsigned pg, uint32_t held)
{
	return x->room[pg] < held && !x->sw->mmu.pg[x->in->index * MMU_PGS + pg].lossless;
}

// Takes frame i, whose queue decides about it or may lack room, and the like frames that follow it,
// as far as there is room. Returns how many frames it has taken.
ASIDE unsigned take_some(struct burst *x, struct bundle *b, unsigned i, unsigned pg, uint64_t word)
{
	struct sw *sw = x->sw;
	const struct sw_cls *k = &b->o->set->cls[b->cls];
	struct pkt **frame = x->frame + i, *p = *frame;
	unsigned ecn = pkt_ecn(p), like, n, join;
	uint32_t bytes = p->len + sw->queue_extra, held = held_by(sw, bytes);

	like = alike(x, i);
	n = k->alone >> p->kind & 1 ? 0 : fit(b->room, bytes, like);
	n = fit(b->pool_room, held, fit(x->room[pg], held, n));
	if (n)
		like = n;
	else if (is_full(x, pg, held))
		like = like < AT_ONCE ? like : AT_ONCE;
	else
		like = 1;
	for (unsigned j = 0; x->from == SW_RECEIVED && j < like; j++) {
		place(frame[j], word, x->forgets, x->now);
		frame[j]->pg = (uint8_t)pg;
	}
	if (!n) {
		alone(x, frame, like, b->o->index);
		return like;
	}
	join = b->asks >> ecn & 1 ? decide(x, b, frame, n, bytes) : n;
	if (x->from == SW_RECEIVED && k->hooks && join)
		learn(x, k, frame, join, b->o);
	for (unsigned j = 0; j < join; j++)
		link_to(x, b, frame[j]);
	b->bytes += join * bytes;
	b->held += join * held;
	b->by_ecn += join << 8 * ecn;
	b->room -= (int64_t)join * bytes;
	b->pool_room -= (int64_t)join * held;
	x->room[pg] -= (int64_t)join * held;
	if (UNLIKELY(sw->mapped))
		x->held[pg] += join * held;
	return n;
}

// Links like frames to the end of a bundle. `pg`: their group, if classes are mapped.
INLINE void link_row(const struct burst *x, struct bundle *b, uint64_t word, unsigned pg,
	bool forgets, bool mapped)
{
	struct pkt **link = b->link, *const *frame = x->frame;
	const unsigned n = x->n;
	const tstamp now = x->now;

#pragma GCC unroll 4
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = frame[i];

		place(p, word, forgets, now);
		if (mapped)
			p->pg = (uint8_t)pg;
		*link = p;
		link = &p->next;
	}
	b->link = link;
}

// Takes a burst of like frames for one port of this shard in one go. False: there may not be room
// for all, and none is taken.
ASIDE bool take_row(struct burst *x, struct sw_way w)
{
	struct sw *sw = x->sw;
	struct pkt *p = x->frame[0];
	unsigned cls = w.cls == SW_CLS_BY_DSCP ? x->in->set->dscp_to_class[pkt_dscp(p)] : w.cls, pg;
	uint64_t word;
	struct bundle *b;

	if (UNLIKELY(sw->mapped))
		cls = sw_map(x->in, &sw->port[w.out], p, cls);
	pg = sw->mapped ? p->pg : cls;
	b = bundle_of(x, w.out, cls);
	if (UNLIKELY(!(b->calm & group_is_calm(x, pg))))
		return false;
	word = (pkt_word(p) & what_it_is()) | where_it_is(x->in->index, cls);
	b->bytes = x->n * (p->len + sw->queue_extra);
	b->held = x->n * held_by(sw, p->len + sw->queue_extra);
	b->by_ecn = x->n << 8 * pkt_ecn(p);
	if (UNLIKELY(sw->mapped)) {
		x->held[pg] = b->held;
		link_row(x, b, word, pg, x->forgets, true);
	} else if (x->forgets) {
		link_row(x, b, word, pg, true, false);
	} else {
		link_row(x, b, word, pg, false, false);
	}
	write_all(x);
	return true;
}

// Takes all frames in order. `plain`: the buffer has one side, the switch is not cut, and each
// class has its own group.
INLINE void take_all(struct burst *x, const bool plain, const enum sw_origin from)
{
	struct sw *sw = x->sw;
	const uint8_t *map = x->in->set->dscp_to_class;
	const uint32_t extra = sw->queue_extra;
	const bool forgets = x->forgets, mapped = !plain && sw->mapped,
		   crossed = from == SW_CROSSED;
	const uint64_t here = where_it_is(x->in->index, 0);
	struct pkt **frame = x->frame;
	const struct sw_way *way = x->way;
	const unsigned n = x->n;
	const tstamp now = x->now;

	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = frame[i];
		struct sw_way w = way[i];
		unsigned cls = w.cls == SW_CLS_BY_DSCP ? map[pkt_dscp(p)] : w.cls, pg, ecn;
		uint32_t bytes = p->len + extra, held = bytes;
		uint64_t word;
		struct bundle *b;

		word = (pkt_word(p) & what_it_is()) | here;
		if (UNLIKELY(w.out >= SW_OUT_ODD)) {
			place(p, word | where_it_is(0, cls), forgets, now);
			alone(x, &frame[i], 1, w.out);
			continue;
		}
		if (mapped && !crossed)
			cls = sw_map(x->in, &sw->port[w.out], p, cls);
		pg = mapped ? p->pg : cls;
		word |= where_it_is(0, cls);
		b = bundle_of(x, w.out, cls);
		if (UNLIKELY(!(b->calm & (!mapped || group_is_calm(x, pg))))) {
			i += take_some(x, b, i, pg, word) - 1;
			continue;
		}
		ecn = pkt_ecn(p);
		if (!crossed)
			place(p, word, forgets, now);
		if (!plain) {
			held = held_by(sw, bytes);
			b->held += held;
			if (mapped)
				x->held[pg] += held;
		}
		b->bytes += bytes;
		b->by_ecn += 1u << 8 * ecn;
		if (plain) {
			*b->link = p;
			b->link = &p->next;
		} else {
			link_to(x, b, p);
		}
	}
	write_all(x);
}

ASIDE void take_plain(struct burst *x)
{
	take_all(x, true, SW_RECEIVED);
}

ASIDE void take_received(struct burst *x)
{
	take_all(x, false, SW_RECEIVED);
}

ASIDE void take_crossed(struct burst *x)
{
	take_all(x, false, SW_CROSSED);
}

// Whether all of n ways are the same.
static bool is_one_way(const struct sw_way *way, unsigned n)
{
	uint32_t first = sw_way_word(way[0]), differ = 0;

	for (unsigned i = 1; i < n; i++)
		differ |= sw_way_word(way[i]) ^ first;
	return !differ;
}

// Takes frames that are all simply forwarded. `way`: their egress ports and classes; NULL: not
// looked up yet. `same`: all frames are alike.
INLINE void take_even(struct burst *x, const struct sw_way *way, bool same)
{
	struct sw_way found[SW_BURST];
	bool one = false;

	x->way = way ? way : found;
	x->bundle[0].queue = UINT32_MAX;
	begin(x);
	if (!way) {
		one = sw_ways(x->sw, x->in, x->frame, x->n, found, x->now) & SW_WAYS_SAME;
		if (same && (one || is_one_way(found, x->n)) && LIKELY(found->out < SW_OUT_ODD) &&
			!x->sw->port[found->out].away && take_row(x, *found))
			return;
		if (one)
			sw_ways_spread(found, x->n, *found);
	}
	if (UNLIKELY(x->from == SW_CROSSED))
		take_crossed(x);
	else if (LIKELY(x->sw->mmu_alone))
		take_plain(x);
	else
		take_received(x);
}

static bool is_odd(const struct sw_port *in, const struct pkt *p, const struct sw_way *way)
{
	return sw_is_odd(in, p) || (way && way->out == PKT_NO_PORT);
}

// Takes a burst in which some frames are not simply forwarded. The frames between them form bursts.
ASIDE void take_odd(struct sw *sw, struct sw_port *in, struct pkt **frame, const struct sw_way *way,
	unsigned n, tstamp now)
{
	for (unsigned from = 0, to; from < n; from = to) {
		to = from;
		while (to < n && !is_odd(in, frame[to], way ? way + to : NULL))
			to++;
		if (to > from)
			sw_rx_burst(sw, in, frame + from, way ? way + from : NULL, to - from, now);
		else
			sw_rx(sw, in->index, frame + to++, 1, now);
	}
}

// Sums of the frames of a burst.
struct sums {
	bool alike; // all frames agree in pkt_word
	unsigned kinds, least, most, all;
};

INLINE struct sums sum_up(struct pkt *const *frame, unsigned n)
{
	const struct pkt kind = {.kind = 0xff};
	unsigned len = frame[0]->len;
	struct sums s = {true, SW_KIND(frame[0]->kind), len, len, n * len};
	uint64_t first = pkt_word(frame[0]), differ = 0;

#pragma GCC unroll 4
	for (unsigned i = 1; i < n; i++)
		differ |= pkt_word(frame[i]) ^ first;
	s.alike = !differ;
	if (LIKELY(!(differ & (pkt_word_len() | pkt_word(&kind)))))
		return s;
	s.all = len;
	for (unsigned i = 1; i < n; i++) {
		const struct pkt *p = frame[i];

		s.kinds |= SW_KIND(p->kind);
		s.least = p->len < s.least ? p->len : s.least;
		s.most = p->len > s.most ? p->len : s.most;
		s.all += p->len;
	}
	return s;
}

// Bytes of the buffer that n frames hold, at most: a frame leaves less than a cell unused.
INLINE uint32_t held_by_all(const struct sw *sw, const struct sums *s, unsigned n)
{
	uint32_t bytes = s->all + n * sw->queue_extra;

	if (LIKELY(!sw->two_sided))
		return bytes;
	if (s->least == s->most)
		return n * held_by(sw, s->most + sw->queue_extra);
	return bytes + n * (sw->pools_cfg.cell - 1);
}

// Prepares a burst of n frames.
INLINE void set_up(struct burst *x, struct sw *sw, struct sw_port *in, struct pkt **frame,
	const struct sums *s, unsigned n, tstamp now)
{
	x->sw = sw;
	x->in = in;
	x->frame = frame;
	x->n = n;
	x->now = now;
	x->least = held_by(sw, s->least + sw->queue_extra);
	x->most = (uint16_t)s->most;
	x->rest = held_by_all(sw, s, n);
}

void sw_rx_burst(struct sw *sw, struct sw_port *in, struct pkt **frame, const struct sw_way *way,
	unsigned n, tstamp now)
{
	const struct sums s = sum_up(frame, n);
	struct burst x;
	bool odd = false;

	for (unsigned i = 0; way && i < n; i++)
		odd |= way[i].out == PKT_NO_PORT;
	if (UNLIKELY(odd || s.kinds & SW_ODD_KINDS || s.most > in->max_len)) {
		take_odd(sw, in, frame, way, n, now);
		return;
	}
	set_up(&x, sw, in, frame, &s, n, now);
	x.from = SW_RECEIVED;
	x.forgets = sw->forgets;
	take_even(&x, way, s.alike);
}

void sw_arrived_burst(struct sw *sw, struct sw_port *in, struct pkt **frame,
	const struct sw_way *way, unsigned n, tstamp now)
{
	const struct sums s = sum_up(frame, n);
	struct burst x;

	set_up(&x, sw, in, frame, &s, n, now);
	x.from = SW_CROSSED;
	x.forgets = false;
	take_even(&x, way, false);
}

// Whether the port would forward the frame if its link were up.
static bool is_forwarded(const struct sw_port *in, const struct pkt *p)
{
	return p->len <= in->mtu && !(SW_ODD_KINDS >> p->kind & 1);
}

// Hands at most SW_BURST frames over to the shard of their port, with ways and classes of the
// frames that are forwarded.
static void hand_over(struct sw *sw, struct sw_port *in, struct pkt **frame, unsigned n, tstamp now)
{
	const uint8_t *map = in->set->dscp_to_class;
	struct sw_way way[SW_BURST];
	uint64_t word[SW_BURST];

	for (unsigned from = 0, to; from < n; from = to) {
		struct sw_way *w = way + from;

		for (to = from; to < n && is_forwarded(in, frame[to]);)
			to++;
		if (to == from)
			way[to++].out = PKT_NO_PORT;
		else if (sw_ways(sw, in, frame + from, to - from, w, now) & SW_WAYS_SAME)
			sw_ways_spread(w, to - from, w[0]);
	}
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = frame[i];

		if (way[i].out != PKT_NO_PORT)
			p->cls = way[i].cls == SW_CLS_BY_DSCP ? map[pkt_dscp(p)] : way[i].cls;
		word[i] = sw_msg_frame(p, way[i].out);
	}
	sw_fabric_frames(sw, SW_MSG_RX, in, word, n, now);
}

void sw_rx_for(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	for (unsigned at = 0; at < n; at += SW_BURST)
		hand_over(sw, &sw->port[port], burst + at, n - at < SW_BURST ? n - at : SW_BURST,
			now);
}
