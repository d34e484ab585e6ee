// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: parsed where they enter the process.
//
// Frames of one queue pair differ in few bytes. What frame_to_pkt made of one is kept with the
// bytes that it follows from; a frame that has the same ones is made from it, and only the rest is
// read. Such frames share one header, which is never written again: packets may wait long that
// refer to it.
#include <stddef.h>
#include <stdlib.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "known.h"
#include "sums.h"
#include "wire/frame.h"
#include "wire/hello.h"

#define AHEAD     8  // frames prefetched before the one being parsed
#define KNOWN_LOG 12 // log2 of what is kept
#define HDRS      65536
#define STALE     (10 * PS_PER_S) // what has not been met for so long makes room for another

// Offsets in an untagged RoCEv2 frame over IPv4 without options.
enum {
	OFF_IP = 14,
	OFF_TOS = OFF_IP + 1,
	OFF_ID = OFF_IP + 4,
	OFF_SUM = OFF_IP + 10,
	OFF_BTH = OFF_IP + IP4_LEN + UDP_LEN,
	OFF_QPN = OFF_BTH + 5,
	OFF_ACKREQ = OFF_BTH + 8,
	OFF_PSN = OFF_BTH + 9,
	OFF_END = OFF_BTH + BTH_LEN,
};

typedef uint64_t v2 __attribute__((vector_size(16)));
typedef v2 v2_bytes __attribute__((aligned(1), may_alias));

struct known {
	_Alignas(EAL_LINE) v2 key[4]; // the first 64 bytes of the first of them
	struct pkt p;                 // with the shared header; len 0: nothing is known here
	v2 mbuf[4];                   // the first 64 bytes of an mbuf that has such a frame
	tstamp met;
	const struct rte_mempool *pool; // that the mbuf says
	uint32_t sum; // of the words that may differ and that the checksum covers, and of itself
	bool ext;     // AETH or RETH have something for the descriptor
};

typedef unsigned parse_fn(struct dev_known *k, struct rte_mbuf **m, struct pkt **burst, unsigned n,
	uint16_t max_len, tstamp now);

struct dev_known {
	_Alignas(EAL_LINE) v2 mask[4]; // what frames alike have in common
	v2 same[4];                    // and what most have: ECN, IP identification, checksum
	// and their mbufs: offset, length, one segment, one owner, our pool, no foreign buffer
	v2 mbuf[4];
	parse_fn *parse;
	struct rte_mempool *pool;      // the port's
	const struct rte_mempool *own; // ours, too, or NULL
	uint64_t unfit;                // frames that fit no mbuf of ours
	_Atomic uint32_t hellos;       // of other parts, which are no node's; any thread reads it
	struct known *last;            // of the frame before: bursts are of one flow, often
	uint32_t n_hdrs;
	struct hdr *hdr; // HDRS of them, given out once
	struct known slot[1 << KNOWN_LOG];
	struct dev_sums sums;
};

_Static_assert(OFF_END <= 64, "all that is compared stands in 64 bytes");
_Static_assert(offsetof(struct rte_mbuf, pool) + sizeof(void *) <= 64, "of an mbuf, too");
_Static_assert(offsetof(struct rte_mbuf, data_len) < 64, "of an mbuf, too");

static inline struct known *known_at(struct dev_known *k, const uint8_t *o)
{
	uint64_t ports;
	uint32_t qpn;

	memcpy(&ports, o + OFF_IP + 16, sizeof(ports)); // destination address, UDP ports
	memcpy(&qpn, o + OFF_QPN - 1, sizeof(qpn));
	ports ^= (uint64_t)qpn << 24 ^ (uint64_t)o[OFF_BTH] << 56;
	return &k->slot[ports * 0x9e3779b97f4a7c15 >> (64 - KNOWN_LOG)];
}

// The header's checksum holds where this sum is that of a header whose checksum held: all other
// words are the same. One's complement, in the machine's own byte order.
static inline uint32_t sum_of_rest(const uint8_t *o)
{
	uint16_t tos, id, checksum;
	uint32_t sum;

	memcpy(&tos, o + OFF_IP, 2); // with the version, which keeps the sum from being 0
	memcpy(&id, o + OFF_ID, 2);
	memcpy(&checksum, o + OFF_SUM, 2);
	sum = (uint32_t)tos + id + checksum;
	return (sum & 0xffff) +
	       (sum >> 16); // two that are equal only when folded once more are not met
}

// What the bytes that may differ say. `same`: but for PSN and AckReq, and AETH or RETH, they do
// not.
static inline void read_rest(struct pkt *p, const uint8_t *o, const struct known *s, bool same)
{
	struct pkt_rc *rc = &p->u.rc;
	uint32_t ackreq_psn = get_be32(o + OFF_ACKREQ);

	if (!same)
		p->tos = o[OFF_TOS];
	rc->psn = ackreq_psn & BTH_PSN_MASK;
	rc->bth = (uint8_t)(s->p.u.rc.bth | (ackreq_psn >> 31) * BTH_ACKREQ);
	if (likely(!s->ext))
		return;

	const struct bth_op *op = &bth_ops[o[OFF_BTH]];

	if (op->own_off) {
		rc->syndrome = o[OFF_BTH + op->own_off];
		rc->arg = get_be24(o + OFF_BTH + op->own_off + 1);
	} else if (op->arg_off) {
		rc->arg = get_be32(o + OFF_BTH + op->arg_off);
	}
}

// How the first bytes of an mbuf with such a frame look.
static void expect(struct known *s, struct rte_mempool *pool)
{
	const struct rte_mbuf m = {.data_off = (uint16_t)(s->p.data_off - EAL_PRIV),
		.refcnt = 1,
		.nb_segs = 1,
		.data_len = s->p.len,
		.pool = pool};

	memcpy(s->mbuf, &m, sizeof(s->mbuf));
	s->pool = pool;
}

static void learn(struct dev_known *k, struct known *s, const struct pkt *p,
	struct rte_mempool *pool, const uint8_t *o, tstamp now)
{
	const v2_bytes *v = (const v2_bytes *)o;
	unsigned roce = 1u << PKT_DATA | 1u << PKT_ACK | 1u << PKT_CNP | 1u << PKT_ROCE;
	struct hdr *h = &k->hdr[k->n_hdrs];

	if (!(roce >> p->kind & 1) || p->hdr->flags != HDR_IPV4 ||
		o[OFF_IP] != (4 << 4 | IP4_LEN / 4))
		return;
	if (k->n_hdrs == HDRS || (s->p.len && now - s->met < STALE))
		return;
	k->n_hdrs++;
	*h = *p->hdr;
	for (unsigned i = 0; i < 4; i++)
		s->key[i] = v[i];
	s->p = *p;
	s->p.flags |= PKT_F_INTACT;
	s->p.u.rc.bth &= (uint8_t)~BTH_ACKREQ;
	s->p.hdr = h;
	s->met = now;
	s->sum = sum_of_rest(o);
	expect(s, pool);
	s->ext = bth_ops[o[OFF_BTH]].own_off || bth_ops[o[OFF_BTH]].arg_off;
}

// The instant, once for many frames.
static inline void meet(struct known *s, tstamp now)
{
	s->p.when = s->p.born = now;
	if (unlikely(now - s->met > STALE / 2))
		s->met = now;
}

// One segment in a buffer of our own pools that nobody shares.
static bool plain(const struct dev_known *k, const struct rte_mbuf *m)
{
	return (m->pool == k->pool || (k->own && m->pool == k->own)) && m->nb_segs == 1 &&
	       rte_mbuf_refcnt_read(m) == 1 &&
	       !(m->ol_flags & (RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_INDIRECT));
}

// A copy in our pool; NULL where there is no mbuf or no room.
static struct rte_mbuf *flat(struct dev_known *k, struct rte_mbuf *m)
{
	struct rte_mbuf *to = rte_pktmbuf_alloc(k->pool);
	const struct rte_mbuf *s = m;

	if (to && m->pkt_len <= rte_pktmbuf_tailroom(to)) {
		for (; s; s = s->next)
			memcpy(rte_pktmbuf_append(to, s->data_len),
				rte_pktmbuf_mtod(s, const void *), s->data_len);
	} else {
		rte_pktmbuf_free(to);
		to = NULL;
		k->unfit++;
	}
	rte_pktmbuf_free(m);
	return to;
}

// A frame against a known one, and the copying of descriptors, in pieces as wide as the
// processor's.
enum like { UNLIKE, LIKE, SAME };
typedef enum like like_fn(const struct dev_known *k, const struct known *s,
	const struct rte_mbuf *m, const uint8_t *o);
typedef void copy_fn(struct pkt *to, const struct pkt *from);

static inline bool differ(const v2 *a, const v2_bytes *b, const v2 *mask)
{
	v2 x = (a[0] ^ b[0]) & mask[0];

	x |= (a[1] ^ b[1]) & mask[1];
	x |= (a[2] ^ b[2]) & mask[2];
	x |= (a[3] ^ b[3]) & mask[3];
	return x[0] | x[1];
}

static inline enum like like_any(const struct dev_known *k, const struct known *s,
	const struct rte_mbuf *m, const uint8_t *o)
{
	if (differ(s->mbuf, (const v2_bytes *)m, k->mbuf) || sum_of_rest(o) != s->sum)
		return UNLIKE;
	return differ(s->key, (const v2_bytes *)o, k->mask) ? UNLIKE : LIKE;
}

static inline void copy_any(struct pkt *to, const struct pkt *from)
{
	*to = *from;
}

#ifdef __x86_64__
#define WIDE __attribute__((target("avx512f")))

WIDE static inline enum like like_wide(const struct dev_known *k, const struct known *s,
	const struct rte_mbuf *m, const uint8_t *o)
{
	__m512i frame = _mm512_xor_si512(_mm512_loadu_si512(o), _mm512_load_si512(s->key));
	__m512i mbuf = _mm512_xor_si512(_mm512_loadu_si512(m), _mm512_load_si512(s->mbuf));
	__mmask8 other = _mm512_test_epi64_mask(mbuf, _mm512_load_si512(k->mbuf));

	if (likely(!(other | _mm512_test_epi64_mask(frame, _mm512_load_si512(k->same)))))
		return SAME;
	if (other || _mm512_test_epi64_mask(frame, _mm512_load_si512(k->mask)))
		return UNLIKE;
	return sum_of_rest(o) == s->sum ? LIKE : UNLIKE;
}

WIDE static inline void copy_wide(struct pkt *to, const struct pkt *from)
{
	_mm512_storeu_si512(to, _mm512_loadu_si512(from));
}
#endif

// A frame unlike the one before it, or in an mbuf that is not plain: *m becomes one that is, NULL
// where the frame is lost. Returns what is known of the ones like it.
static __attribute__((noinline)) struct known *parse_other(struct dev_known *k, struct known *last,
	struct rte_mbuf **mbuf, uint16_t max_len, tstamp now)
{
	struct rte_mbuf *m = *mbuf;
	uint16_t data_off;
	const uint8_t *o;
	struct known *s;
	struct pkt *p;

	if (unlikely(!plain(k, m))) {
		*mbuf = m = flat(k, m);
		if (!m)
			return last;
	}
	o = rte_pktmbuf_mtod(m, const uint8_t *);
	s = known_at(k, o);
	p = eal_pkt(m);
	data_off = (uint16_t)(EAL_PRIV + m->data_off);
	if (s->p.len && (s->p.data_off != data_off || s->pool != m->pool)) {
		s->p.data_off = data_off;
		expect(s, m->pool);
	}
	if (likely(like_any(k, s, m, o) != UNLIKE)) {
		meet(s, now);
		*p = s->p;
		read_rest(p, o, s, false);
		return s;
	}
	p->len = m->data_len;
	p->data_off = data_off;
	p->when = p->born = now;
	frame_to_pkt(p, max_len);
	if (unlikely(p->kind == PKT_OTHER) && hello_is(o, m->data_len)) {
		atomic_fetch_add_explicit(&k->hellos, 1, memory_order_relaxed);
		rte_pktmbuf_free(m);
		*mbuf = NULL;
		return last;
	}
	learn(k, s, p, m->pool, o, now);
	return s;
}

static inline void ahead(struct rte_mbuf *m)
{
	rte_prefetch1(m);
	rte_prefetch1(eal_pkt(m));
	rte_prefetch1((uint8_t *)m + sizeof(*m) + EAL_PRIV + RTE_PKTMBUF_HEADROOM);
}

static inline __attribute__((always_inline)) unsigned parse(struct dev_known *k,
	struct rte_mbuf **m, struct pkt **burst, unsigned n, uint16_t max_len, tstamp now,
	like_fn *like, copy_fn *copy)
{
	struct known *s = k->last;
	unsigned out = 0;

	meet(s, now);
	for (unsigned i = 0; i < n && i < AHEAD; i++)
		ahead(m[i]);
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = eal_pkt(m[i]);
		const uint8_t *o = (const uint8_t *)p + s->p.data_off;

		burst[out] = p;
		if (i + AHEAD < n)
			ahead(m[i + AHEAD]);

		enum like l = like(k, s, m[i], o);

		if (likely(l != UNLIKE)) {
			copy(p, &s->p);
			read_rest(p, o, s, l == SAME);
		} else {
			s = parse_other(k, s, &m[i], max_len, now);
			if (unlikely(!m[i]))
				continue;
			burst[out] = eal_pkt(m[i]);
		}
		out++;
	}
	k->last = s;
	return out;
}

static unsigned parse_any(struct dev_known *k, struct rte_mbuf **m, struct pkt **burst, unsigned n,
	uint16_t max_len, tstamp now)
{
	return parse(k, m, burst, n, max_len, now, like_any, copy_any);
}

#ifdef __x86_64__
WIDE static unsigned parse_wide(struct dev_known *k, struct rte_mbuf **m, struct pkt **burst,
	unsigned n, uint16_t max_len, tstamp now)
{
	return parse(k, m, burst, n, max_len, now, like_wide, copy_wide);
}
#endif

unsigned dev_frame_parse(struct dev_known *known, struct rte_mbuf **m, struct pkt **burst,
	unsigned n, uint16_t max_len, tstamp now)
{
	unsigned out = known->parse(known, m, burst, n, max_len, now);

	if (unlikely(known->sums.skip < out))
		dev_sums_look(&known->sums, burst, out);
	else
		known->sums.skip -= out;
	return out;
}

uint64_t dev_known_unfit(const struct dev_known *known)
{
	return known->unfit;
}

uint32_t dev_known_hellos(const struct dev_known *known)
{
	return atomic_load_explicit(&known->hellos, memory_order_relaxed);
}

const struct dev_sums *dev_known_sums(const struct dev_known *known)
{
	return &known->sums;
}

static void set_masks(struct dev_known *k)
{
	const struct rte_mbuf m = {.data_off = UINT16_MAX,
		.refcnt = UINT16_MAX,
		.nb_segs = UINT16_MAX,
		.data_len = UINT16_MAX,
		.ol_flags = RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_INDIRECT,
		.pool = (struct rte_mempool *)UINTPTR_MAX};
	uint8_t mask[64];

	memset(mask, 0xff, sizeof(mask));
	memset(mask + OFF_ACKREQ, 0, sizeof(mask) - OFF_ACKREQ);
	memcpy(k->same, mask, sizeof(mask));
	mask[OFF_TOS] = 0;
	memset(mask + OFF_ID, 0, 2);
	memset(mask + OFF_SUM, 0, 2);
	memcpy(k->mask, mask, sizeof(mask));
	memcpy(k->mbuf, &m, sizeof(k->mbuf));
}

struct dev_known *dev_known_new(struct rte_mempool *pool, const struct rte_mempool *own, bool wide)
{
	struct dev_known *k = aligned_alloc(EAL_LINE, sizeof(*k));

	if (!k)
		return NULL;
	memset(k, 0, sizeof(*k));
	k->hdr = calloc(HDRS, sizeof(*k->hdr));
	if (!k->hdr) {
		free(k);
		return NULL;
	}
	set_masks(k);
	k->last = k->slot;
	k->pool = pool;
	k->own = own;
	k->parse = parse_any;
#ifdef __x86_64__
	if (wide && __builtin_cpu_supports("avx512f"))
		k->parse = parse_wide;
#endif
	return k;
}

void dev_known_free(struct dev_known *k)
{
	if (k)
		free(k->hdr);
	free(k);
}
