// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: parsed where they enter the process, a burst at a time.
#define ALLOW_EXPERIMENTAL_API // rte_vect_get_max_simd_bitwidth
#include "parse.h"

#include <stddef.h>

#include <rte_branch_prediction.h>
#include <rte_cpuflags.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <rte_vect.h>

#include "base/hint.h"
#include "frame/frame.h"
#include "wire/hello.h"

_Static_assert(offsetof(struct rte_mbuf, nb_segs) == offsetof(struct rte_mbuf, refcnt) + 2,
	"both are read at once");

// `when` and `born` of a packet.
typedef tstamp instants __attribute__((vector_size(16)));

_Static_assert(offsetof(struct pkt, born) == offsetof(struct pkt, when) + sizeof(tstamp),
	"both are written at once");

#define ONE_AND_ONE 0x00010001u // references and segments
// Flags in the last byte of ol_flags.
#define NOT_OWN ((RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_INDIRECT) >> 56)

frame_burst_fn *mbuf_parse_best(void)
{
#if defined(__x86_64__)
	if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0 &&
		rte_vect_get_max_simd_bitwidth() >= RTE_VECT_SIMD_256)
		return frame_burst_to_pkt_avx2;
#endif
	return frame_burst_to_pkt;
}

// Returns whether an mbuf has one segment and a buffer that nobody else uses.
static inline bool whole(const struct rte_mbuf *m)
{
	uint32_t refs_segs;

	memcpy(&refs_segs, (const char *)m + offsetof(struct rte_mbuf, refcnt), sizeof(refs_segs));
	return refs_segs == ONE_AND_ONE && !((uint8_t)(m->ol_flags >> 56) & NOT_OWN);
}

// Whether it is that, in one of our own pools; every mbuf has a pool.
static inline bool plain(const struct mbuf_parse *d, const struct rte_mbuf *m)
{
	return (m->pool == d->pools.rx || m->pool == d->pools.own) && whole(m);
}

// Copies an mbuf into one of our pool; NULL: there is no mbuf, or the frame does not fit.
ASIDE struct rte_mbuf *flat(struct mbuf_parse *d, struct rte_mbuf *m)
{
	struct rte_mbuf *to = rte_pktmbuf_alloc(d->pools.rx);
	const struct rte_mbuf *s = m;

	if (to && m->pkt_len <= rte_pktmbuf_tailroom(to)) {
		for (; s; s = s->next)
			memcpy(rte_pktmbuf_append(to, s->data_len),
				rte_pktmbuf_mtod(s, const void *), s->data_len);
	} else {
		rte_pktmbuf_free(to);
		to = NULL;
		d->unfit++;
	}
	rte_pktmbuf_free(m);
	return to;
}

static inline bool is_short(const struct mbuf_parse *d, const struct rte_mbuf *m)
{
	return m->pkt_len <= SCENE_SHORT && m->nb_segs == 1 && m->pool != d->pools.own;
}

// Copies of the short ones take their places.
ASIDE void move_short(struct mbuf_parse *d, struct rte_mbuf **m, unsigned n)
{
	struct rte_mbuf *to[EAL_BURST], *from[EAL_BURST];
	unsigned k = 0;

	for (unsigned i = 0; i < n; i++)
		k += is_short(d, m[i]);
	if (!k || rte_pktmbuf_alloc_bulk(d->pools.own, to, k) != 0)
		return;
	for (unsigned i = 0, j = 0; j < k; i++) {
		if (!is_short(d, m[i]))
			continue;
		memcpy(rte_pktmbuf_append(to[j], m[i]->data_len),
			rte_pktmbuf_mtod(m[i], const void *), m[i]->data_len);
		from[j] = m[i];
		m[i] = to[j++];
	}
	rte_pktmbuf_free_bulk(from, k);
}

// Two functions that prefetch the memory from which and into which a burst is parsed: the bytes of
// frames, where they most likely are, and the places of headers behind descriptors, if headers go
// there. This one prefetches all at once, into the first-level cache.
static inline void fetch(struct rte_mbuf *const *m, unsigned n, bool own)
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = eal_pkt(m[i]);

		__builtin_prefetch(m[i]);
		__builtin_prefetch(p, 1);
		if (own)
			__builtin_prefetch(pkt_own_hdr(p), 1);
		__builtin_prefetch((char *)p + EAL_PRIV + RTE_PKTMBUF_HEADROOM);
	}
}

void mbuf_fetch_ahead(struct rte_mbuf *const *m, unsigned n, bool own)
{
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = eal_pkt(m[i]);

		__builtin_prefetch(m[i], 0, 2);
		__builtin_prefetch(p, 0, 2);
		if (own)
			__builtin_prefetch(pkt_own_hdr(p), 0, 2);
		__builtin_prefetch((char *)p + EAL_PRIV + RTE_PKTMBUF_HEADROOM, 0, 2);
	}
}

static void keep_hello(struct mbuf_parse *d, struct rte_mbuf *m)
{
	struct mbuf_hellos *k = &d->kept;
	uint32_t put = atomic_load_explicit(&k->put, memory_order_relaxed);
	bool full = put - atomic_load_explicit(&k->taken, memory_order_acquire) == MBUF_HELLOS;

	if (!d->keeps_hellos || full) {
		atomic_fetch_add_explicit(&k->lost, d->keeps_hellos, memory_order_relaxed);
		rte_pktmbuf_free(m);
		return;
	}
	eal_pkt(m)->when = rte_rdtsc();
	k->m[put % MBUF_HELLOS] = m;
	atomic_store_explicit(&k->put, put + 1, memory_order_release);
}

struct rte_mbuf *mbuf_hello_take(struct mbuf_parse *d)
{
	struct mbuf_hellos *k = &d->kept;
	uint32_t taken = atomic_load_explicit(&k->taken, memory_order_relaxed);
	struct rte_mbuf *m;

	if (taken == atomic_load_explicit(&k->put, memory_order_acquire))
		return NULL;
	m = k->m[taken % MBUF_HELLOS];
	atomic_store_explicit(&k->taken, taken + 1, memory_order_release);
	return m;
}

static inline bool is_hello(struct pkt *p)
{
	return unlikely(p->kind == PKT_OTHER && p->hdr->ethertype == ETH_P_EXPERIMENTAL) &&
	       hello_is(pkt_bytes(p), p->len);
}

// Hellos are taken out. Returns how many frames are left.
ASIDE unsigned without_hellos(
	struct mbuf_parse *d, struct rte_mbuf **m, struct pkt **burst, unsigned n)
{
	unsigned out = 0;

	while (out < n && !is_hello(burst[out]))
		out++;
	for (unsigned i = out; i < n; i++) {
		if (is_hello(burst[i])) {
			atomic_fetch_add_explicit(&d->hellos, 1, memory_order_relaxed);
			keep_hello(d, m[i]);
			continue;
		}
		m[out] = m[i];
		burst[out++] = burst[i];
	}
	return out;
}

// Fills the fields of frame i that are known before it is parsed. Its header goes to hdr[i]; hdr is
// NULL: behind its descriptor.
static inline struct pkt *describe(
	struct rte_mbuf *m, struct hdr *hdr, size_t i, struct frame_place *at, tstamp now)
{
	const instants came = {now, TSTAMP_NEVER};
	struct pkt *p = eal_pkt(m);

	p->hdr = hdr ? hdr + i : pkt_own_hdr(p);
	memcpy(&p->when, &came, sizeof(came)); // both at once
	at->len = m->data_len;
	at->data_off = (uint16_t)(EAL_PRIV + m->data_off);
	return p;
}

// Describes the frames from frame i on, which is not plain; some may be copied or lost. Returns how
// many there are in all.
ASIDE unsigned describe_rest(struct mbuf_parse *d, struct rte_mbuf **m, struct pkt **burst,
	struct hdr *hdr, struct frame_place *at, unsigned i, unsigned n, tstamp now)
{
	unsigned out = i;

	for (; i < n; i++) {
		struct rte_mbuf *one = plain(d, m[i]) ? m[i] : flat(d, m[i]);

		if (!one)
			continue;
		m[out] = one;
		burst[out] = describe(one, hdr, out, &at[out], now);
		out++;
	}
	return out;
}

// Up to the first that is not plain. Returns how many there are.
static inline size_t describe_plain(const struct mbuf_parse *d, struct rte_mbuf *const *m,
	struct pkt **burst, struct hdr *hdr, struct frame_place *at, size_t n, tstamp now)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (unlikely(!plain(d, m[i])))
			break;
		burst[i] = describe(m[i], hdr, i, &at[i], now);
	}
	return i;
}

// Fetches n frames, and describes them up to the first that is not plain. Returns how many there
// are.
static inline size_t take_plain(const struct mbuf_parse *d, struct rte_mbuf *const *m,
	struct pkt **burst, struct hdr *hdr, struct frame_place *at, unsigned n, tstamp now)
{
	fetch(m, n, !hdr);
	return describe_plain(d, m, burst, hdr, at, n, now);
}

static inline bool has_stamp(const struct mbuf_stamps *s, const struct rte_mbuf *m)
{
	return (m->ol_flags & s->flag) != 0;
}

static inline uint64_t stamp_of(const struct mbuf_stamps *s, const struct rte_mbuf *m)
{
	return *RTE_MBUF_DYNFIELD(m, s->offset, const rte_mbuf_timestamp_t *);
}

// Dates frames by their stamps. Mbufs that were copied have lost theirs.
ASIDE void date(struct mbuf_stamps *s, struct rte_mbuf *const *m, struct pkt **burst, unsigned n,
	tstamp now)
{
	for (unsigned i = n; i > 0; i--)
		if (has_stamp(s, m[i - 1])) {
			stamp_learn(&s->map, stamp_of(s, m[i - 1]), now);
			break;
		}
	for (unsigned i = 0; i < n; i++) {
		bool stamped = s->map.known && has_stamp(s, m[i]);

		if (stamped)
			burst[i]->when = stamp_time(&s->map, stamp_of(s, m[i]), now);
		s->stamped += stamped;
		s->unstamped += !stamped;
	}
}

unsigned mbuf_parse(struct mbuf_parse *d, struct rte_mbuf **m, struct pkt **burst, struct hdr *hdr,
	unsigned n, uint16_t max_len, tstamp now)
{
	frame_burst_fn *to_pkt = d->to_pkt ? d->to_pkt : frame_burst_to_pkt;
	struct frame_place at[EAL_BURST];
	unsigned out = n;
	size_t i;

	if (!n)
		return 0;
	if (unlikely(d->pools.moves_short))
		move_short(d, m, n);
	i = hdr ? take_plain(d, m, burst, hdr, at, n, now)
		: take_plain(d, m, burst, NULL, at, n, now);
	if (unlikely(i < n))
		out = describe_rest(d, m, burst, hdr, at, (unsigned)i, n, now);
	if (to_pkt(burst, at, out, max_len, PKT_F_INTACT) & 1u << PKT_OTHER)
		out = without_hellos(d, m, burst, out);
	if (unlikely(d->stamps != NULL))
		date(d->stamps, m, burst, out, now);
	if (unlikely(d->sums.skip < out))
		mbuf_sums_look(&d->sums, burst, out);
	else
		d->sums.skip -= out;
	return out;
}
