// SPDX-License-Identifier: BSD-3-Clause
// Tests of algo/mmu_pools: egress queues and their pools, shared headroom, cells, watermarks.
#include "sides_lab.h"

#include <errno.h>

static void cells_are_whole_and_exact(void **state)
{
	static const uint32_t size[] = {1, 64, 80, 144, 208, 254, 256, 4096, 16383, 16384};

	(void)state;
	for (unsigned i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		clear();
		sp.cell_bytes = size[i];
		init();
		for (uint32_t n = 1; n <= 16384; n++)
			assert_int_equal(mmu_cells(&cfg, n), (n + size[i] - 1) / size[i] * size[i]);
		fini();
	}
	clear();
	sp.cell_bytes = 0;
	assert_int_equal(try_init(), -EINVAL);
	sp.cell_bytes = 16385;
	assert_int_equal(try_init(), -EINVAL);
}

// A lossy queue by static limit: its reserve, then the pool up to the limit, then drops that leave
// the group as it was.
static void a_queue_drops_above_its_limit(void **state)
{
	(void)state;
	clear();
	queue[8 + 2] = (struct mmu_queue_params){
		.limited = true, .reserved_bytes = 1000, .static_bytes = 3000};
	init();
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(mmu_enter(&s, 0, 2, 1, 2, 1000), MMU_ADMIT);
	assert_int_equal(mmu_enter(&s, 0, 2, 1, 2, 1), MMU_DROP_QUEUE);
	assert_int_equal(mmu_enter(&s, 0, 2, 2, 2, 1), MMU_ADMIT); // another queue
	assert_int_equal(s.queue[8 + 2].bytes, 4000);
	assert_int_equal(s.queue[8 + 2].shared, 3000);
	assert_int_equal(s.used[MMU_EGRESS_LOSSY], 3001);
	assert_int_equal(s.used[MMU_INGRESS], 4001);
	assert_int_equal(m.pg[2].bytes, 4001);
	assert_false(mmu_leave(&s, 0, 2, 1, 2, 1000));
	assert_int_equal(mmu_enter(&s, 0, 2, 1, 2, 999), MMU_ADMIT);
	assert_int_equal(s.queue[8 + 2].max_bytes, 4000);
	assert_int_equal(s.queue[8 + 2].max_shared, 3000);
	fini();
}

// limit = 2^n (pool - used): two queues with n = 0 take a half, then a quarter of the pool.
static void a_dynamic_queue_follows_its_pool(void **state)
{
	(void)state;
	clear();
	sp.egress_bytes[1] = 64000;
	for (unsigned i = 0; i < ALL; i++)
		queue[i] = (struct mmu_queue_params){.limited = true, .threshold = MMU_DYNAMIC};
	init();
	assert_int_equal(mmu_queue_limit(&s, 1, 0), 64000);

	unsigned n = 0;

	while (mmu_enter(&s, 0, 0, 1, 0, 1000) == MMU_ADMIT)
		n++;
	assert_int_equal(n, 32); // the 33rd: 33 > 64 - 32
	for (n = 0; mmu_enter(&s, 0, 0, 2, 0, 1000) == MMU_ADMIT;)
		n++;
	assert_int_equal(n, 16);
	assert_int_equal(mmu_queue_limit(&s, 1, 0), 16000);
	assert_int_equal(s.max_used[MMU_EGRESS_LOSSY], 48000);
	fini();
}

// Lossless and lossy queues have a pool each; the lossy one full leaves the other alone.
static void egress_pools_are_apart(void **state)
{
	(void)state;
	clear();
	sp.egress_bytes[0] = 20000;
	sp.egress_bytes[1] = 10000;
	queue[3].lossless = true;
	queue[0].reserved_bytes = 2000;
	init();
	assert_int_equal(cfg.size[MMU_EGRESS_LOSSLESS], 20000);
	assert_int_equal(cfg.size[MMU_EGRESS_LOSSY], 8000);
	assert_int_equal(mmu_enter(&s, 1, 0, 0, 0, 10000), MMU_ADMIT);
	assert_int_equal(mmu_enter(&s, 1, 0, 0, 0, 1), MMU_DROP_QUEUE);
	assert_int_equal(mmu_enter(&s, 1, 3, 0, 3, 16384), MMU_ADMIT);
	assert_int_equal(mmu_enter(&s, 1, 3, 0, 3, 3617), MMU_DROP_QUEUE);
	assert_int_equal(mmu_enter(&s, 1, 3, 0, 3, 3616), MMU_ADMIT);
	fini();
	queue[0].reserved_bytes = 10001;
	assert_int_equal(try_init(), -EINVAL);
}

// Three groups of 6000 bytes of headroom each share a pool of 10000: the third finds what is left.
static void headroom_is_shared(void **state)
{
	(void)state;
	clear();
	for (unsigned i = 0; i < PORTS; i++)
		pg[i * MMU_PGS + 3] = (struct mmu_pg_params){.lossless = true,
			.static_bytes = 5000,
			.headroom_bytes = 6000,
			.xon_offset_bytes = 1000};
	mp.headroom_pool_bytes = 10000;
	init();
	assert_int_equal(mcfg.shared_size, 990000);
	for (unsigned i = 0; i < PORTS; i++)
		assert_int_equal(mmu_enter(&s, i, 3, 0, 3, 5000), MMU_ADMIT_XOFF);
	assert_int_equal(mmu_enter(&s, 0, 3, 0, 3, 6000), MMU_ADMIT);
	assert_int_equal(mmu_enter(&s, 0, 3, 0, 3, 1), MMU_DROP_HEADROOM); // its own limit
	assert_int_equal(mmu_enter(&s, 1, 3, 0, 3, 4000), MMU_ADMIT);
	assert_int_equal(mmu_enter(&s, 1, 3, 0, 3, 1), MMU_DROP_HEADROOM); // the pool
	assert_int_equal(mmu_enter(&s, 2, 3, 0, 3, 1), MMU_DROP_HEADROOM);
	assert_int_equal(s.used[MMU_HEADROOM], 10000);
	// What one gives back another may take.
	assert_false(mmu_leave(&s, 0, 3, 0, 3, 2500));
	assert_int_equal(mmu_enter(&s, 2, 3, 0, 3, 2500), MMU_ADMIT);
	assert_int_equal(m.pg[3].max_headroom, 6000);
	assert_int_equal(s.max_used[MMU_HEADROOM], 10000);
	// XON once headroom is empty and the offset is reached.
	assert_false(mmu_leave(&s, 0, 3, 0, 3, 3500));
	assert_false(mmu_leave(&s, 0, 3, 0, 3, 999));
	assert_true(mmu_leave(&s, 0, 3, 0, 3, 1));
	fini();
}

// Sizes that contradict each other.
static void pools_fit_the_buffer(void **state)
{
	(void)state;
	clear();
	mp.headroom_pool_bytes = 400000;
	mp.ingress_bytes = 600001;
	assert_int_equal(try_init(), -EINVAL);
	mp.ingress_bytes = 600000;
	init();
	assert_int_equal(mcfg.shared_size, 600000);
	fini();
	mp.headroom_pool_bytes = 1000001;
	mp.ingress_bytes = 0;
	assert_int_equal(try_init(), -EINVAL);
	mp.headroom_pool_bytes = 0;
	mp.ingress_bytes = 5000;
	pg[0].reserved_bytes = 5001;
	assert_int_equal(try_init(), -EINVAL);
	pg[0].reserved_bytes = 5000;
	queue[0] = (struct mmu_queue_params){
		.limited = true, .threshold = MMU_DYNAMIC, .dynamic_th = 8};
	assert_int_equal(try_init(), -EINVAL);
}

// 64-byte frames in cells of 208 fill the limit 3.25 times as fast, and XOFF comes at the same
// cell.
static void thresholds_count_cells(void **state)
{
	unsigned n = 0;

	(void)state;
	clear();
	sp.cell_bytes = 208;
	pg[3] = (struct mmu_pg_params){
		.lossless = true, .static_bytes = 208 * 100, .headroom_bytes = 208 * 10};
	init();
	while (mmu_enter(&s, 0, 3, 1, 3, 64) == MMU_ADMIT)
		n++;
	assert_int_equal(n, 99);
	for (n = 0; mmu_enter(&s, 0, 3, 1, 3, 209) == MMU_ADMIT;)
		n++;
	assert_int_equal(n, 5);
	assert_int_equal(m.pg[3].bytes, 208 * 110);
	fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_whole_and_exact),
		cmocka_unit_test(a_queue_drops_above_its_limit),
		cmocka_unit_test(a_dynamic_queue_follows_its_pool),
		cmocka_unit_test(egress_pools_are_apart),
		cmocka_unit_test(headroom_is_shared),
		cmocka_unit_test(pools_fit_the_buffer),
		cmocka_unit_test(thresholds_count_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
