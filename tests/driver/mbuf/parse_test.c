// SPDX-License-Identifier: BSD-3-Clause
// Parsers of a burst: the vector parser where processor and EAL allow its vectors, else the plain
// one.
#define ALLOW_EXPERIMENTAL_API // rte_vect_set_max_simd_bitwidth
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <rte_cpuflags.h>
#include <rte_vect.h>

#include "../eal_lab.h"
#include "mbuf/mbuf.h"

static int setup(void **state)
{
	(void)state;
	return eallab_start("net_null0", 10 * RATE_GBPS);
}

static frame_burst_fn *best_on_this_processor(void)
{
#if defined(__x86_64__)
	if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0)
		return frame_burst_to_pkt_avx2;
#endif
	return frame_burst_to_pkt;
}

static void the_parser_keeps_to_the_width_that_eal_allows(void **state)
{
	(void)state;
	assert_int_equal(rte_vect_set_max_simd_bitwidth(RTE_VECT_SIMD_256), 0);
	assert_true(mbuf_parse_best() == best_on_this_processor());
	assert_int_equal(rte_vect_set_max_simd_bitwidth(RTE_VECT_SIMD_512), 0);
	assert_true(mbuf_parse_best() == best_on_this_processor());
	assert_int_equal(rte_vect_set_max_simd_bitwidth(RTE_VECT_SIMD_128), 0);
	assert_true(mbuf_parse_best() == frame_burst_to_pkt);
	assert_int_equal(rte_vect_set_max_simd_bitwidth(RTE_VECT_SIMD_DISABLED), 0);
	assert_true(mbuf_parse_best() == frame_burst_to_pkt);
}

// A frame of `len` bytes, which differ, in an mbuf of `from`; `chained`: in two.
static struct rte_mbuf *frame_in(struct rte_mempool *from, unsigned len, bool chained)
{
	unsigned first = chained ? len / 2 : len;
	struct rte_mbuf *m = rte_pktmbuf_alloc(from);
	char *o = rte_pktmbuf_append(m, (uint16_t)first);

	for (unsigned i = 0; i < first; i++)
		o[i] = (char)(len + i);
	if (chained) {
		m->next = rte_pktmbuf_alloc(from);
		o = rte_pktmbuf_append(m->next, (uint16_t)(len - first));
		for (unsigned i = first; i < len; i++)
			o[i - first] = (char)(len + i);
		m->pkt_len = len;
		m->nb_segs = 2;
	}
	return m;
}

static void must_be(struct pkt *p, unsigned len)
{
	assert_int_equal(p->len, len);
	for (unsigned i = 0; i < len; i++)
		assert_int_equal(pkt_bytes(p)[i], (uint8_t)(len + i));
}

// Lengths about SCENE_SHORT; what comes chained is copied as a whole to where long ones are.
static void short_frames_move_to_a_pool_of_their_own(void **state)
{
	static const unsigned len[] = {
		60, SCENE_SHORT - 1, SCENE_SHORT, SCENE_SHORT + 1, 1500, SCENE_SHORT, 64};
	enum { N = sizeof(len) / sizeof(len[0]), CHAINED = 5 };
	const struct eal_pool_size size = {.packets = 512, .room = SCENE_SHORT};
	struct rte_mbuf *m[N], *held[510];
	struct pkt *burst[N];
	struct err err;
	struct mbuf_parse d = {.pools = {.rx = pool, .moves_short = true}};

	(void)state;
	d.pools.own = eal_pool_new("short", &size, EAL_ORDINARY, -1, &err);
	assert_non_null(d.pools.own);
	for (unsigned i = 0; i < N; i++)
		m[i] = frame_in(i == N - 1 ? d.pools.own : pool, len[i], i == CHAINED);
	assert_int_equal(mbuf_parse(&d, m, burst, NULL, N, 1518, 5), N);
	for (unsigned i = 0; i < N; i++) {
		bool moves = len[i] <= SCENE_SHORT && i != CHAINED;

		must_be(burst[i], len[i]);
		assert_ptr_equal(eal_mbuf(burst[i]), m[i]);
		assert_ptr_equal(m[i]->pool, moves ? d.pools.own : pool);
	}
	rte_pktmbuf_free_bulk(m, N);

	// With fewer left than there are short ones, all stay where they are.
	assert_int_equal(rte_pktmbuf_alloc_bulk(d.pools.own, held, 510), 0);
	for (unsigned i = 0; i < 3; i++)
		m[i] = frame_in(pool, len[i], false);
	assert_int_equal(mbuf_parse(&d, m, burst, NULL, 3, 1518, 5), 3);
	for (unsigned i = 0; i < 3; i++) {
		must_be(burst[i], len[i]);
		assert_ptr_equal(m[i]->pool, pool);
	}
	rte_pktmbuf_free_bulk(m, 3);
	rte_pktmbuf_free_bulk(held, 510);
	assert_int_equal(rte_mempool_avail_count(d.pools.own), size.packets);
	rte_mempool_free(d.pools.own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_frames_move_to_a_pool_of_their_own),
		cmocka_unit_test(the_parser_keeps_to_the_width_that_eal_allows),
	};

	return cmocka_run_group_tests(tests, setup, eallab_finish);
}
