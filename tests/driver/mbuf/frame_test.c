// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: each becomes what frame_to_pkt makes of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_mbuf.h>

#include "base/prng.h"
#include "../../cap_all.h"
#include "../../pkt_same.h"
#include "mbuf/mbuf.h"
#include "frame/frame.h"

#define ROOM  2048
#define SEEDS 10
#define TRIES 3000
#define MTU   1518

struct cell { // an mbuf as the pool has them
	struct rte_mbuf m;
	struct pkt p;
	struct hdr h;
	uint8_t room[RTE_PKTMBUF_HEADROOM + ROOM];
};

static void fill(struct cell *c, const uint8_t *bytes, unsigned len, uint16_t data_off)
{
	memset(c, 0xa5, sizeof(*c));
	c->m.buf_addr = c->room;
	c->m.data_off = data_off;
	c->m.data_len = (uint16_t)len;
	c->m.pool = NULL;
	c->m.refcnt = 1;
	c->m.nb_segs = 1;
	c->m.ol_flags = 0;
	memcpy(c->room + data_off, bytes, len);
}

static void parse_both(struct mbuf_parse *d, const uint8_t *bytes, unsigned len, uint16_t data_off,
	uint64_t seed, unsigned nth)
{
	static struct cell c, alone;
	struct rte_mbuf *m = &c.m;
	struct hdr elsewhere, *hdr = nth % 2 ? &elsewhere : NULL;
	struct pkt *p;

	fill(&c, bytes, len, data_off);
	fill(&alone, bytes, len, data_off);
	assert_int_equal(mbuf_parse(d, &m, &p, hdr, 1, MTU, 77), 1);
	assert_ptr_equal(p, &c.p);
	assert_ptr_equal(p->hdr, hdr ? hdr : pkt_own_hdr(p));
	assert_int_equal(p->born, TSTAMP_NEVER);
	assert_int_equal(p->when, 77);
	alone.p.len = (uint16_t)len;
	alone.p.data_off = (uint16_t)(EAL_PRIV + data_off);
	frame_to_pkt(&alone.p, MTU);
	if (!pkt_same(p, &alone.p, PKT_F_INTACT))
		fail_msg("seed %llu, frame %u: kind %u and %u", (unsigned long long)seed, nth,
			p->kind, alone.p.kind);
}

// Fields that differ within a flow, and faults.
static void mutate(uint8_t *o, unsigned *len, struct prng *g)
{
	switch (prng_below(g, 8)) {
	case 0: // another PSN
		put_be24(o + 51, (uint32_t)prng_u32(g) & 0xffffff);
		break;
	case 1: // CE, as a switch before us sets it
		if (*len > 34 && o[14] >> 4 == 4)
			ip_mark_ce(o + 14);
		break;
	case 2: // another identification, the checksum right
		put_be16(o + 18, (uint16_t)prng_u32(g));
		ip_put_checksum(o + 14, 20);
		break;
	case 3: // another identification, the checksum wrong
		put_be16(o + 18, (uint16_t)prng_u32(g));
		break;
	case 4: // any byte of the headers
		o[prng_below(g, 70)] ^= (uint8_t)(1u << prng_below(g, 8));
		break;
	case 5: // another length
		*len -= (unsigned)prng_below(g, 3);
		break;
	case 6: // AckReq
		o[50] ^= 0x80;
		break;
	default:
		break;
	}
}

static void frames_in_mbufs_parse_alike(void **state)
{
	struct cap c;
	struct err err;

	(void)state;
	assert_int_equal(cap_read(&c, TEST_DATA "/linux_softroce_rocev2.pcap", &err), 0);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct mbuf_parse d = {0};
		struct prng g;

		prng_init(&g, seed, "rt_frame");
		for (unsigned i = 0; i < TRIES; i++) {
			const struct replay_frame *f = &c.frame[prng_below(&g, c.n)];
			uint8_t bytes[ROOM] = {0};
			unsigned len = f->len;

			memcpy(bytes, f->bytes, len);
			if (prng_below(&g, 3))
				mutate(bytes, &len, &g);
			parse_both(&d, bytes, len,
				(uint16_t)(RTE_PKTMBUF_HEADROOM - 4 * prng_below(&g, 2)), seed, i);
		}
	}
	cap_free(&c);
}

// Of a frame of ours, the mbuf says what the descriptor says.
static void a_rendered_mbuf_has_the_frame(void **state)
{
	const struct hdr h = {.dst = {1, 0x80, 0xc2, 0, 0, 1},
		.src = {2, 0, 0, 0, 0, 7},
		.ethertype = 0x8808,
		.id = HDR_ID_NODE};
	static struct cell c;
	struct pkt *p = &c.p;
	struct mbuf_told told = {0};
	struct rte_mbuf *m;

	(void)state;
	c.p = (struct pkt){.hdr = &h, .kind = PKT_PFC, .len = 60, .u.pfc = {.enable = 8}};
	c.m.ol_flags = 0xffff;
	mbuf_render(&told, NULL, &p, &m, 1, 0);
	assert_ptr_equal(m, &c.m);
	assert_int_equal(c.m.data_off, RTE_PKTMBUF_HEADROOM);
	assert_int_equal(c.m.data_len, 60);
	assert_int_equal(c.m.pkt_len, 60);
	assert_int_equal(c.m.ol_flags, 0);
	assert_memory_equal(c.room + RTE_PKTMBUF_HEADROOM, h.dst, 6);
	assert_int_equal(get_be16(c.room + RTE_PKTMBUF_HEADROOM + 14), 0x0101);
}

// Of a frame that came and gets CE, bytes change, and the mbuf, which another lcore may have in its
// cache, is not written. It is where the frame no longer stands as it came.
static void the_mbuf_of_a_marked_frame_is_left_alone(void **state)
{
	static struct cell c;
	struct mbuf_parse d = {0};
	struct mbuf_told told = {0};
	struct rte_mbuf was, *m = &c.m;
	struct pkt *p;
	struct cap cap;
	struct err err;

	(void)state;
	assert_int_equal(cap_read(&cap, TEST_DATA "/linux_softroce_rocev2.pcap", &err), 0);
	fill(&c, cap.frame[0].bytes, cap.frame[0].len, RTE_PKTMBUF_HEADROOM);
	assert_int_equal(mbuf_parse(&d, &m, &p, NULL, 1, MTU, 77), 1);
	p->flags |= PKT_F_CE;
	c.m.ol_flags = 0xff;
	was = c.m;
	mbuf_render(&told, NULL, &p, &m, 1, 0);
	assert_memory_equal(&c.m, &was, sizeof(was));
	assert_int_equal(pkt_bytes(p)[p->l3_off + 1] & 3, 3);
	p->flags &= (uint8_t)~PKT_F_INTACT;
	c.m.data_len = 0;
	mbuf_render(&told, NULL, &p, &m, 1, 0);
	assert_int_equal(c.m.data_len, p->len);
	assert_int_equal(c.m.pkt_len, p->len);
	assert_int_equal(c.m.ol_flags, 0);
	cap_free(&cap);
}

// A frame as it may stand in a burst: as it came, marked, without its CN-TAG, both, or one of ours.
static void draw_one(struct cell *c, const struct replay_frame *f, struct prng *g)
{
	static const uint8_t cntag[] = {0x22, 0xe9, 0x12, 0x34};
	static const struct hdr ours = {.ethertype = 0x8808, .id = HDR_ID_NODE};
	struct mbuf_parse d = {0};
	struct rte_mbuf *m = &c->m;
	struct pkt *p;
	uint8_t bytes[ROOM] = {0};
	unsigned kind = (unsigned)prng_below(g, 5), tag = kind >= 2 ? sizeof(cntag) : 0;

	memcpy(bytes, f->bytes, 12);
	memcpy(bytes + 12, cntag, tag);
	memcpy(bytes + 12 + tag, f->bytes + 12, f->len - 12);
	fill(c, bytes, f->len + tag, RTE_PKTMBUF_HEADROOM);
	assert_int_equal(mbuf_parse(&d, &m, &p, NULL, 1, MTU, 77), 1);
	if (kind == 4)
		*p = (struct pkt){.hdr = &ours, .kind = PKT_PFC, .len = 60, .u.pfc = {.enable = 8}};
	if (kind & 1)
		p->flags |= PKT_F_CE;
	if (kind == 2 || kind == 3)
		p->flags |= PKT_F_UNTAG_CN;
}

// Frames that change leave as each does alone, wherever they stand among those that do not.
static void a_burst_is_rendered_as_each_frame_alone(void **state)
{
	static struct cell cell[EAL_BURST], alone[EAL_BURST];
	struct mbuf_told told = {0};
	struct cap cap;
	struct err err;

	(void)state;
	assert_int_equal(cap_read(&cap, TEST_DATA "/linux_softroce_rocev2.pcap", &err), 0);
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct pkt *burst[EAL_BURST];
		struct rte_mbuf *m[EAL_BURST];
		uint64_t known = 0; // frames that will leave as they came
		struct prng g;
		unsigned n;

		prng_init(&g, seed, "render");
		n = 1 + (unsigned)prng_below(&g, EAL_BURST);
		for (unsigned i = 0; i < n; i++) {
			struct prng again = g;

			draw_one(&cell[i], &cap.frame[i % cap.n], &g);
			draw_one(&alone[i], &cap.frame[i % cap.n], &again);
			burst[i] = &cell[i].p;
			if (pkt_is_as_came(burst[i]))
				known |= prng_below(&g, 2) << i;
		}
		mbuf_render(&told, NULL, burst, m, n, known);
		for (unsigned i = 0; i < n; i++) {
			struct pkt *p = &alone[i].p;
			struct rte_mbuf *one;

			mbuf_render(&told, NULL, &p, &one, 1, 0);
			assert_ptr_equal(m[i], &cell[i].m);
			if (m[i]->data_off != one->data_off || m[i]->data_len != one->data_len ||
				memcmp(cell[i].room, alone[i].room, sizeof(alone[i].room)))
				fail_msg("seed %llu, frame %u of %u", (unsigned long long)seed, i,
					n);
		}
	}
	cap_free(&cap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_in_mbufs_parse_alike),
		cmocka_unit_test(a_rendered_mbuf_has_the_frame),
		cmocka_unit_test(the_mbuf_of_a_marked_frame_is_left_alone),
		cmocka_unit_test(a_burst_is_rendered_as_each_frame_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
