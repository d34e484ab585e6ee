// SPDX-License-Identifier: BSD-3-Clause
// Templates of the queue pairs whose frames leave by a port, found by the address of their shared
// header: the header's own line, which is cold by then, is not read.
#include "tmpl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "base/hint.h"
#include "frame/frame_tmpl.h"

#define GOLDEN     0x9e3779b97f4a7c15u
#define LEAST_LOG  6
#define MOST_LOG   22 // templates: 4 Mi places, half of them used at most
#define SHAPE_LOG  9
#define SHAPES     (1u << SHAPE_LOG)
#define SHAPES_MAX (SHAPES / 2)
#define TABLES     64
#define HUGE_PAGE  (2u << 20)

// A buffer keeps the number of its payload, and above it an offset in units of 4 bytes. The bytes
// from KEEP_FROM up to the offset are that payload. Before KEEP_FROM are headers; the few bytes of
// payload there are always written. An ICRC at the offset ends it. Each header's length is 2 modulo
// 4, and so are these offsets.
#define KEEP_FROM  126u
#define KEPT_WORDS 12 // bits of the offset
#define FILLS      15 // payloads that have a number: the scene's first ones

struct mbuf_tmpl {
	const struct rte_mempool *own;
	const struct payload *payload; // the scene's
	uint8_t *place;                // open addressing, at most half full
	unsigned shift;                // of a hash to a place's number
	uint32_t mask;                 // of a place's number
	uint32_t stride;               // bytes of a template
	uint32_t n, most;              // templates
	unsigned n_shapes;             // at most SHAPES_MAX
	unsigned n_tables;
	const uint32_t *changes;        // of headers' addresses, counted; NULL: there are none
	uint32_t seen;                  // of them
	const struct frame_shape *last; // of the frame before
	struct frame_shape *shape;      // SHAPES places
	struct icrc_table *table;       // TABLES of them
	unsigned tail[TABLES];
};

static void *alloc_lines(size_t bytes)
{
	size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : EAL_LINE;
	void *mem = aligned_alloc(align, (bytes + align - 1) / align * align);

	if (!mem)
		return NULL;
	if (align == HUGE_PAGE)
		madvise(mem, bytes, MADV_HUGEPAGE);
	memset(mem, 0, bytes); // no page fault later
	return mem;
}

struct mbuf_tmpl *mbuf_tmpl_new(
	uint32_t hdrs, bool has_v6, const struct rte_mempool *own, const struct payload *payload)
{
	struct mbuf_tmpl *t = calloc(1, sizeof(*t));
	unsigned log = LEAST_LOG;

	while (log < MOST_LOG && 1u << log < 2ull * hdrs)
		log++;
	if (!t)
		return NULL;
	t->own = own;
	t->payload = payload;
	t->stride = has_v6 ? FRAME_TMPL_IP6 : FRAME_TMPL_IP4;
	t->shift = 64 - log;
	t->mask = (1u << log) - 1;
	t->most = 1u << (log - 1);
	t->place = alloc_lines((size_t)t->stride << log);
	t->shape = alloc_lines(SHAPES * sizeof(*t->shape));
	t->table = alloc_lines(TABLES * sizeof(*t->table));
	t->last = t->shape;
	if (t->place && t->shape && t->table)
		return t;
	mbuf_tmpl_free(t);
	return NULL;
}

void mbuf_tmpl_free(struct mbuf_tmpl *t)
{
	if (!t)
		return;
	free(t->place);
	free(t->shape);
	free(t->table);
	free(t);
}

uint32_t mbuf_tmpl_count(const struct mbuf_tmpl *t, unsigned *shapes)
{
	*shapes = t->n_shapes;
	return t->n;
}

static inline struct frame_tmpl *tmpl_at(const struct mbuf_tmpl *t, uint64_t i)
{
	return (struct frame_tmpl *)(t->place + (i & t->mask) * t->stride);
}

static inline uint64_t hash_of(const struct mbuf_tmpl *t, const struct hdr *h)
{
	return ((uintptr_t)h >> 3) * GOLDEN >> t->shift;
}

// Returns the header's template, or the free place for it.
static inline struct frame_tmpl *find_tmpl(const struct mbuf_tmpl *t, const struct hdr *h)
{
	uint64_t i = hash_of(t, h);
	struct frame_tmpl *at = tmpl_at(t, i);

	while (unlikely(at->hdr != h) && at->hdr)
		at = tmpl_at(t, ++i);
	return at;
}

static struct frame_shape *find_shape(const struct mbuf_tmpl *t, const struct frame_form *form)
{
	uint64_t i = (form->what ^ form->arg << 13) * GOLDEN >> (64 - SHAPE_LOG);
	struct frame_shape *s = &t->shape[i];

	while (!frame_form_equal(&s->form, form) && s->form.what)
		s = &t->shape[++i % SHAPES];
	return s;
}

static const struct icrc_table *table_of(struct mbuf_tmpl *t, unsigned tail)
{
	for (unsigned i = 0; i < t->n_tables; i++)
		if (t->tail[i] == tail)
			return &t->table[i];
	if (t->n_tables == TABLES)
		return NULL;
	t->tail[t->n_tables] = tail;
	icrc_table_init(&t->table[t->n_tables], tail);
	return &t->table[t->n_tables++];
}

// The payload of p's flow; NULL: zeros.
static const struct payload *payload_of(const struct mbuf_tmpl *t, const struct pkt *p)
{
	return t->payload && p->hdr->payload ? &t->payload[p->hdr->payload] : NULL;
}

// The number under which a buffer keeps a payload, from 1; 0: there are too many. It is the
// scene's, since the pool brings a buffer from one port to another.
static unsigned fill_number(const struct pkt *p)
{
	unsigned payload = pkt_has_payload(p) ? p->hdr->payload : 0;

	return payload < FILLS ? payload + 1 : 0;
}

static void learn_shape(struct mbuf_tmpl *t, struct frame_shape *s, const struct frame_tmpl *tmpl,
	const struct pkt *p, const uint8_t *bytes)
{
	const struct icrc_table *table[2] = {0};
	unsigned tail[2], n = frame_shape_tails(p, tail);

	for (unsigned i = 0; i < n; i++) {
		table[i] = table_of(t, tail[i]);
		if (!table[i])
			return;
	}
	frame_shape_init(s, tmpl, p, bytes, table);
	if (payload_of(t, p) && pkt_has_payload(p))
		memcpy(s->fill, payload_of(t, p)->word, sizeof(s->fill));
	s->number = (uint8_t)fill_number(p);
	t->n_shapes++;
}

// Keeps what the frame shows that is new.
static void learn_frame(struct mbuf_tmpl *t, const struct pkt *p, const uint8_t *bytes)
{
	const struct payload *payload = payload_of(t, p);
	bool is_v6 = p->hdr->flags & HDR_IPV6;
	struct frame_form form = frame_form_of(p);
	struct frame_tmpl *tmpl = find_tmpl(t, p->hdr);
	struct frame_shape *s = find_shape(t, &form);

	if (payload && !payload_is_fixed(payload))
		return;
	if (!frame_tmpl_has_room(p) || (is_v6 && t->stride < FRAME_TMPL_IP6))
		return;
	if (!tmpl->hdr) {
		if (t->n == t->most)
			return;
		frame_tmpl_init(tmpl, p, bytes);
		t->n++;
	}
	if (tmpl->has_region && bth_ops[p->u.rc.opcode].len_off)
		return;
	if (!s->form.what && t->n_shapes < SHAPES_MAX && tmpl->qpn == p->u.rc.qpn)
		learn_shape(t, s, tmpl, p, bytes);
}

ASIDE void render_whole(struct mbuf_tmpl *t, struct pkt *p, uint8_t *bytes)
{
	frame_with_payload(p, payload_of(t, p), bytes);
	if (p->len > KEEP_FROM)
		p->u.rc.kept = 0;
	if (frame_tmpl_fits(p))
		learn_frame(t, p, bytes);
}

void mbuf_tmpl_heed(struct mbuf_tmpl *t, const uint32_t *changes)
{
	t->changes = changes;
	t->seen = changes ? *changes : 0;
}

// Shapes have no addresses, and stay.
void mbuf_tmpl_renew(struct mbuf_tmpl *t)
{
	uint32_t changes = t->changes ? __atomic_load_n(t->changes, __ATOMIC_ACQUIRE) : t->seen;

	if (likely(changes == t->seen))
		return;
	t->seen = changes;
	memset(t->place, 0, (size_t)t->stride * (t->mask + 1ul));
	t->n = 0;
}

void mbuf_tmpl_ahead(const struct mbuf_tmpl *t, const struct pkt *p)
{
	rte_prefetch0(tmpl_at(t, hash_of(t, p->hdr)));
	if (t->stride > EAL_LINE)
		rte_prefetch0((const uint8_t *)tmpl_at(t, hash_of(t, p->hdr)) + EAL_LINE);
}

// The offset up to which the payload stands in the packet's buffer.
static inline unsigned kept_to(const struct pkt *p, unsigned payload)
{
	unsigned kept = p->u.rc.kept;

	return payload && kept >> KEPT_WORDS == payload ? (kept & ((1u << KEPT_WORDS) - 1)) * 4 + 2
							: KEEP_FROM;
}

// The payload's first bytes, up to KEEP_FROM or more.
typedef uint32_t head_bytes __attribute__((vector_size(16), aligned(1), may_alias));
#define HEAD (5 * sizeof(head_bytes))
_Static_assert(54 + HEAD >= KEEP_FROM, "from the shortest headers on");

// Fills `bytes` from `from` up to `to` with a pattern of four bytes that begins anew at `from`.
// `from` may be the end of a payload that is already there.
static void fill_with(uint8_t *bytes, unsigned from, unsigned to, const uint8_t fill[4])
{
	uint32_t word;

	memcpy(&word, fill, sizeof(word));
	if (word == fill[0] * 0x01010101u) {
		memset(bytes + from, fill[0], to - from);
		return;
	}
	for (; from + 4 <= to; from += 4)
		memcpy(bytes + from, fill, 4);
	for (unsigned i = 0; from < to; i++)
		bytes[from++] = fill[i];
}

// Makes the payload stand from `at` to `end`, where the ICRC is; `pad` bytes before that are 0.
static inline void put_payload(const struct mbuf_tmpl *t, const struct frame_shape *s,
	struct pkt *p, uint8_t *bytes, unsigned at, unsigned end)
{
	unsigned kept = kept_to(p, s->number), pad = p->u.rc.pad;
	uint32_t w;

	memcpy(&w, s->fill, sizeof(w));
	if (unlikely(end < at + HEAD || at > KEEP_FROM)) {
		fill_with(bytes, at, end, s->fill);
		memset(bytes + end - pad, 0, pad);
		if (p->len > KEEP_FROM)
			p->u.rc.kept = 0;
		return;
	}
	for (unsigned i = 0; i < HEAD / sizeof(head_bytes); i++)
		((head_bytes *)(bytes + at))[i] = (head_bytes){w, w, w, w};
	if (likely(kept == end && !(pad && w)))
		return;
	if (kept < end)
		fill_with(bytes, kept, end, s->fill);
	if (pad && w) {
		memset(bytes + end - pad, 0, pad);
		end -= 4;
	}
	p->u.rc.kept = t->own && eal_mbuf(p)->pool == t->own && end % 4 == 2 && s->number
			       ? (uint16_t)(s->number << KEPT_WORDS | end / 4)
			       : 0;
}

void mbuf_tmpl_render(struct mbuf_tmpl *t, struct pkt *p, uint8_t *bytes)
{
	const struct frame_shape *s = t->last;
	const struct frame_tmpl *tmpl;
	uint64_t what;
	unsigned at;

	if (unlikely(!frame_tmpl_fits(p))) {
		render_whole(t, p, bytes);
		return;
	}
	tmpl = find_tmpl(t, p->hdr);
	what = frame_form_what(p, frame_tmpl_is_v6(tmpl), tmpl->payload);
	if (!frame_shape_is_of(s, p, what)) {
		const struct frame_form form = {
			what, bth_ops[p->u.rc.opcode].arg_off ? p->u.rc.arg : 0};

		s = find_shape(t, &form);
	}
	if (unlikely(tmpl->hdr != p->hdr || tmpl->qpn != p->u.rc.qpn || !s->form.what ||
		     (tmpl->has_region && s->has_arg) || p->len < frame_tmpl_len(tmpl, s))) {
		render_whole(t, p, bytes);
		return;
	}
	t->last = s;
	at = frame_from_tmpl(tmpl, s, p, bytes);
	put_payload(t, s, p, bytes, at, at + s->body);
}
