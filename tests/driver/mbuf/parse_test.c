// SPDX-License-Identifier: BSD-3-Clause
// What parses a burst: the vector parser where processor and EAL allow its vectors, else the plain
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parser_keeps_to_the_width_that_eal_allows),
	};

	return cmocka_run_group_tests(tests, setup, eallab_finish);
}
