// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: parsed where they enter the process, rendered where they leave it.
//
// Frames of one queue pair differ in few octets. What frame_to_pkt made of one is kept with the octets
// that it follows from; a frame that has the same ones is made from it, and only the rest is read. Such
// frames share one header, which is never written again: packets may wait long that refer to it.
#include <stdlib.h>

#include <rte_branch_prediction.h>
#include <rte_prefetch.h>

#include "run/rt_int.h"
#include "wire/frame.h"

#define AHEAD     4  // frames prefetched before the one being parsed
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
typedef v2 v2_octets __attribute__((aligned(1), may_alias));

struct known {
	_Alignas(RT_LINE) v2 key[4]; // the frame's first 64 octets without those that may differ
	struct pkt p;                // with the shared header
	tstamp met;
	uint32_t len; // 0: nothing is known here
	uint32_t sum; // of the words outside the key that the checksum covers, and of itself
	bool ext;     // AETH or RETH have something for the descriptor
};

struct rt_known {
	v2 mask[4];
	struct known *last; // of the frame before: bursts are of one flow, often
	uint32_t n_hdrs;
	struct hdr *hdr; // HDRS of them, given out once
	struct known slot[1 << KNOWN_LOG];
};

_Static_assert(OFF_END <= 64, "all that is compared stands in 64 octets");

struct rt_known *rt_known_new(void)
{
	struct rt_known *k = aligned_alloc(RT_LINE, sizeof(*k));
	uint8_t mask[64];

	if (!k)
		return NULL;
	memset(k, 0, sizeof(*k));
	k->hdr = calloc(HDRS, sizeof(*k->hdr));
	if (!k->hdr) {
		free(k);
		return NULL;
	}
	memset(mask, 0xff, sizeof(mask));
	mask[OFF_TOS] = 0;
	memset(mask + OFF_ID, 0, 2);
	memset(mask + OFF_SUM, 0, 2);
	memset(mask + OFF_ACKREQ, 0, sizeof(mask) - OFF_ACKREQ);
	memcpy(k->mask, mask, sizeof(mask));
	k->last = k->slot;
	return k;
}

void rt_known_free(struct rt_known *k)
{
	if (k)
		free(k->hdr);
	free(k);
}

static inline struct known *known_at(struct rt_known *k, const uint8_t *o)
{
	uint64_t ports;
	uint32_t qpn;

	memcpy(&ports, o + OFF_IP + 16, sizeof(ports)); // destination address, UDP ports
	memcpy(&qpn, o + OFF_QPN - 1, sizeof(qpn));
	ports ^= (uint64_t)qpn << 24 ^ (uint64_t)o[OFF_BTH] << 56;
	return &k->slot[ports * 0x9e3779b97f4a7c15 >> (64 - KNOWN_LOG)];
}

static inline bool same_octets(const struct rt_known *k, const struct known *s, const uint8_t *o)
{
	const v2_octets *v = (const v2_octets *)o;
	v2 x = (v[0] & k->mask[0]) ^ s->key[0];

	x |= (v[1] & k->mask[1]) ^ s->key[1];
	x |= (v[2] & k->mask[2]) ^ s->key[2];
	x |= (v[3] & k->mask[3]) ^ s->key[3];
	return !(x[0] | x[1]);
}

// The header's checksum holds where this sum is that of a header whose checksum held: all other words are
// the same. One's complement, in the machine's own byte order.
static inline uint32_t sum_of_rest(const uint8_t *o)
{
	uint16_t tos, id, checksum;
	uint32_t sum;

	memcpy(&tos, o + OFF_IP, 2); // with the version, which keeps the sum from being 0
	memcpy(&id, o + OFF_ID, 2);
	memcpy(&checksum, o + OFF_SUM, 2);
	sum = (uint32_t)tos + id + checksum;
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

// What the octets outside the key say.
static inline void read_rest(struct pkt *p, const uint8_t *o, bool ext)
{
	struct pkt_rc *rc = &p->u.rc;
	uint32_t ackreq_psn = get_be32(o + OFF_ACKREQ);

	p->tos = o[OFF_TOS];
	rc->psn = ackreq_psn & BTH_PSN_MASK;
	rc->bth |= (uint8_t)((ackreq_psn >> 31) * BTH_ACKREQ);
	if (likely(!ext))
		return;

	const struct bth_op *op = &bth_ops[o[OFF_BTH]];

	if (op->aeth_off) {
		rc->syndrome = o[OFF_BTH + op->aeth_off];
		rc->arg = get_be24(o + OFF_BTH + op->aeth_off + 1);
	} else if (op->len_off) {
		rc->arg = get_be32(o + OFF_BTH + op->len_off);
	}
}

static void learn(
	struct rt_known *k, struct known *s, const struct pkt *p, const uint8_t *o, tstamp now)
{
	const v2_octets *v = (const v2_octets *)o;
	unsigned roce = 1u << PKT_DATA | 1u << PKT_ACK | 1u << PKT_CNP | 1u << PKT_ROCE;
	struct hdr *h = &k->hdr[k->n_hdrs];

	if (!(roce >> p->kind & 1) || p->hdr->flags != HDR_IPV4 ||
		o[OFF_IP] != (4 << 4 | IP4_LEN / 4))
		return;
	if (k->n_hdrs == HDRS || (s->len && now - s->met < STALE))
		return;
	k->n_hdrs++;
	*h = *p->hdr;
	for (unsigned i = 0; i < 4; i++)
		s->key[i] = v[i] & k->mask[i];
	s->p = *p;
	s->p.u.rc.bth &= (uint8_t)~BTH_ACKREQ;
	s->p.hdr = h;
	s->met = now;
	s->len = p->len;
	s->sum = sum_of_rest(o);
	s->ext = bth_ops[o[OFF_BTH]].aeth_off || bth_ops[o[OFF_BTH]].len_off;
}

static inline bool is_like(
	const struct rt_known *k, const struct known *s, const uint8_t *o, uint16_t len)
{
	return s->len == len && s->sum == sum_of_rest(o) && same_octets(k, s, o);
}

// Stores go to one line after the other: `p` is one line, and what is written to it is written together.
static inline struct known *parse(
	struct rt_known *k, struct known *last, struct rte_mbuf *m, uint16_t max_len, tstamp now)
{
	const uint8_t *o = rte_pktmbuf_mtod(m, const uint8_t *);
	struct known *s = last;
	struct pkt *p = rt_pkt(m);
	uint16_t len = m->data_len, data_off = (uint16_t)(RT_PRIV + m->data_off);
	bool like = is_like(k, s, o, len);

	if (unlikely(!like)) {
		s = known_at(k, o);
		like = is_like(k, s, o, len);
	}
	if (likely(like && len <= max_len)) {
		*p = s->p;
		p->data_off = data_off;
		read_rest(p, o, s->ext);
		p->when = p->born = now;
		if (unlikely(now - s->met > STALE / 2))
			s->met = now;
	} else {
		p->len = len;
		p->data_off = data_off;
		p->when = p->born = now;
		frame_to_pkt(p, max_len);
		learn(k, s, p, o, now);
	}
	return s;
}

static inline void ahead(struct rte_mbuf *m)
{
	rte_prefetch0(rt_pkt(m));
	rte_prefetch0(rte_pktmbuf_mtod(m, void *));
}

void rt_frame_parse(struct rt_known *known, struct rte_mbuf **m, struct pkt **burst, unsigned n,
	uint16_t max_len, tstamp now)
{
	struct known *last = known->last;

	for (unsigned i = 0; i < n && i < AHEAD; i++)
		ahead(m[i]);
	for (unsigned i = 0; i < n; i++) {
		if (i + AHEAD < n)
			ahead(m[i + AHEAD]);
		last = parse(known, last, m[i], max_len, now);
	}
	known->last = last;
	for (unsigned i = 0; i < n; i++)
		burst[i] = rt_pkt(m[i]);
}

void rt_frame_render(struct pkt **burst, struct rte_mbuf **m, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];
		struct rte_mbuf *b = rt_mbuf(p);

		if (!(p->flags & PKT_F_FOREIGN)) {
			p->data_off = RT_PRIV + RTE_PKTMBUF_HEADROOM;
			frame_from_pkt(p, pkt_bytes(p));
		} else if (p->flags & (PKT_F_CE | PKT_F_UNTAG_CN)) {
			frame_patch(p);
		}
		b->data_off = (uint16_t)(p->data_off - RT_PRIV);
		b->data_len = p->len;
		b->pkt_len = p->len;
		b->ol_flags = 0;
		m[i] = b;
	}
}
