// SPDX-License-Identifier: BSD-3-Clause
// Tests of algo/mmu: reserve, shared pool and headroom, XOFF and XON, drops, bad parameters.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "algo/mmu.h"

#define PORTS 3

static struct mmu_pg_params pg[PORTS * MMU_PGS];
static struct mmu_cfg cfg;
static struct mmu m;

// Parameters in pg[] (cleared by clear()) become a buffer.
static void clear(void)
{
	memset(pg, 0, sizeof(pg));
}

static void init(uint64_t buffer_bytes)
{
	struct mmu_params p = {.buffer_bytes = buffer_bytes, .n_ports = PORTS, .pg = pg};

	assert_int_equal(mmu_cfg_init(&cfg, &p), 0);
	assert_int_equal(mmu_init(&m, &cfg), 0);
}

static void fini(void)
{
	mmu_fini(&m);
	mmu_cfg_fini(&cfg);
}

static struct mmu_pg *group(unsigned port, unsigned i)
{
	return &m.pg[port * MMU_PGS + i];
}

// Reserve first, then shared up to the limit (XOFF), then headroom, then a drop; back in the order
// headroom, shared, reserve, with XON at the offset below the limit.
static void test_lossless_static(void **state)
{
	(void)state;
	clear();
	pg[3] = (struct mmu_pg_params){.lossless = true,
		.reserved_bytes = 2000,
		.static_bytes = 10000,
		.headroom_bytes = 3000,
		.xon_offset_bytes = 3000};
	init(1000000);
	assert_int_equal(cfg.shared_size, 995000);
	assert_int_equal(mmu_limit(&m, 0, 3), 10000);

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(mmu_admit(&m, 0, 3, 1000), MMU_ADMIT);
	assert_int_equal(group(0, 3)->shared, 0);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(mmu_admit(&m, 0, 3, 1000), MMU_ADMIT);
	assert_int_equal(group(0, 3)->shared, 9000);
	assert_int_equal(mmu_admit(&m, 0, 3, 999), MMU_ADMIT);
	assert_int_equal(mmu_admit(&m, 0, 3, 1), MMU_ADMIT_XOFF); // shared == limit
	assert_int_equal(group(0, 3)->shared, 10000);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(mmu_admit(&m, 0, 3, 1000), MMU_ADMIT);
	assert_int_equal(group(0, 3)->headroom, 3000);
	assert_int_equal(mmu_admit(&m, 0, 3, 1), MMU_DROP_HEADROOM);
	assert_int_equal(m.used, 15000);
	assert_int_equal(m.max_used, 15000);

	assert_false(mmu_release(&m, 0, 3, 2500));
	assert_int_equal(group(0, 3)->headroom, 500);
	assert_int_equal(group(0, 3)->shared, 10000);
	assert_false(mmu_release(&m, 0, 3, 3499));
	assert_int_equal(group(0, 3)->headroom, 0);
	assert_int_equal(group(0, 3)->shared, 7001);
	assert_true(mmu_release(&m, 0, 3, 1)); // shared + offset == limit
	assert_false(mmu_release(&m, 0, 3, 8000));
	assert_int_equal(group(0, 3)->shared, 0);
	assert_int_equal(group(0, 3)->bytes, 1000);
	assert_int_equal(m.shared_used, 0);
	assert_int_equal(group(0, 3)->max_bytes, 15000);
	assert_int_equal(group(0, 3)->max_headroom, 3000);
	fini();
}

// Resume at the larger of xon and limit - xon_offset.
static void test_xon_level(void **state)
{
	static const struct {
		uint64_t xon, offset;
		uint32_t resume;
	} c[] = {{6000, 20000, 6000}, {6000, 3000, 7000}, {0, 20000, 0}, {0, 0, 10000}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		clear();
		pg[0] = (struct mmu_pg_params){.lossless = true,
			.static_bytes = 10000,
			.headroom_bytes = 1000,
			.xon_bytes = c[i].xon,
			.xon_offset_bytes = c[i].offset};
		init(100000);
		assert_int_equal(mmu_admit(&m, 0, 0, 10000), MMU_ADMIT_XOFF);
		assert_int_equal(mmu_admit(&m, 0, 0, 1), MMU_ADMIT); // headroom
		if (c[i].resume < 10000)
			assert_false(mmu_release(&m, 0, 0, 10000 - c[i].resume));
		assert_true(mmu_release(&m, 0, 0, 1));
		fini();
	}
}

// The frame that does not fit below the limit goes into headroom whole, and that is XOFF.
static void test_headroom_use_is_xoff(void **state)
{
	(void)state;
	clear();
	pg[0] = (struct mmu_pg_params){
		.lossless = true, .static_bytes = 2500, .headroom_bytes = 1000};
	init(100000);
	assert_int_equal(mmu_admit(&m, 0, 0, 1000), MMU_ADMIT);
	assert_int_equal(mmu_admit(&m, 0, 0, 1000), MMU_ADMIT);
	assert_int_equal(mmu_admit(&m, 0, 0, 1000), MMU_ADMIT_XOFF);
	assert_int_equal(group(0, 0)->shared, 2000);
	assert_int_equal(group(0, 0)->headroom, 1000);
	// A small frame still fits below the limit.
	assert_int_equal(mmu_admit(&m, 0, 0, 500), MMU_ADMIT);
	assert_int_equal(group(0, 0)->shared, 2500);
	fini();
}

// limit = 2^n * (shared_size - shared_used), as SONiC's dynamic_th.
static void test_dynamic_limit(void **state)
{
	(void)state;
	for (int n = -8; n <= 7; n++) {
		clear();
		pg[5] = (struct mmu_pg_params){.threshold = MMU_DYNAMIC, .dynamic_th = n};
		pg[8] = (struct mmu_pg_params){.static_bytes = 50000};
		init(65536);

		uint64_t want = n < 0 ? 65536u >> -n : 65536u << n;

		assert_int_equal(mmu_limit(&m, 0, 5), want);
		assert_int_equal(mmu_admit(&m, 1, 0, 32768), MMU_ADMIT);
		assert_int_equal(mmu_limit(&m, 0, 5), want / 2);
		assert_int_equal(mmu_limit(&m, 1, 0), 50000);
		fini();
	}
}

// Lossy: dropped where shared use would exceed the limit, or the pool is full.
static void test_lossy(void **state)
{
	(void)state;
	clear();
	pg[0] = (struct mmu_pg_params){
		.reserved_bytes = 1000, .static_bytes = 2000, .headroom_bytes = 5000};
	pg[1] = (struct mmu_pg_params){.threshold = MMU_DYNAMIC, .dynamic_th = 7};
	init(10000);
	assert_int_equal(cfg.shared_size, 9000); // a lossy group has no headroom
	assert_int_equal(mmu_admit(&m, 0, 0, 3000), MMU_ADMIT);
	assert_int_equal(mmu_admit(&m, 0, 0, 1), MMU_DROP_SHARED);
	assert_int_equal(mmu_admit(&m, 0, 1, 7000), MMU_ADMIT); // limit 128 * 7000
	assert_int_equal(group(0, 1)->shared, 7000);
	assert_int_equal(mmu_limit(&m, 0, 1), 0);
	assert_int_equal(mmu_admit(&m, 0, 1, 1), MMU_DROP_BUFFER);
	assert_false(mmu_release(&m, 0, 0, 3000));
	assert_int_equal(mmu_admit(&m, 0, 1, 2001), MMU_DROP_SHARED);
	assert_int_equal(mmu_admit(&m, 0, 1, 2000), MMU_ADMIT);
	assert_int_equal(m.used, 9000);
	fini();
}

// A lossless group whose pool others have filled lives on its reserve and headroom.
static void test_lossless_in_a_full_pool(void **state)
{
	(void)state;
	clear();
	pg[0] = (struct mmu_pg_params){.static_bytes = 100000};
	pg[3] = (struct mmu_pg_params){.lossless = true,
		.reserved_bytes = 2000,
		.threshold = MMU_DYNAMIC,
		.dynamic_th = 1,
		.headroom_bytes = 1500};
	init(10000);
	assert_int_equal(mmu_admit(&m, 0, 0, 6500), MMU_ADMIT);
	assert_int_equal(mmu_admit(&m, 0, 3, 1000), MMU_ADMIT);
	assert_int_equal(mmu_admit(&m, 0, 3, 1000), MMU_ADMIT_XOFF); // the reserve is full, limit 0
	assert_int_equal(mmu_admit(&m, 0, 3, 1500), MMU_ADMIT);
	assert_int_equal(group(0, 3)->headroom, 1500);
	assert_int_equal(mmu_admit(&m, 0, 3, 1), MMU_DROP_BUFFER);
	assert_false(mmu_release(&m, 0, 0, 6500)); // others do not wake this group ...
	assert_true(mmu_release(&m, 0, 3, 1500));  // ... its own release does
	fini();
}

static void test_bad_params(void **state)
{
	struct mmu_params p = {.buffer_bytes = 100000, .n_ports = 1, .pg = pg};
	struct mmu_cfg c = {.buffer = 42};

	(void)state;
	clear();
	pg[0] = (struct mmu_pg_params){.lossless = true, .static_bytes = 1000, .xon_bytes = 1001};
	assert_int_equal(mmu_cfg_init(&c, &p), -EINVAL);
	pg[0] = (struct mmu_pg_params){.threshold = MMU_DYNAMIC, .dynamic_th = 8};
	assert_int_equal(mmu_cfg_init(&c, &p), -EINVAL);
	pg[0].dynamic_th = -9;
	assert_int_equal(mmu_cfg_init(&c, &p), -EINVAL);
	pg[0] = (struct mmu_pg_params){
		.lossless = true, .reserved_bytes = 50000, .headroom_bytes = 50001};
	assert_int_equal(mmu_cfg_init(&c, &p), -EINVAL);
	pg[0] = (struct mmu_pg_params){.static_bytes = 1ull << 32};
	assert_int_equal(mmu_cfg_init(&c, &p), -EINVAL);
	clear();
	p.n_ports = 0;
	assert_int_equal(mmu_cfg_init(&c, &p), -EINVAL);
	p.n_ports = 1;
	p.buffer_bytes = 1ull << 32;
	assert_int_equal(mmu_cfg_init(&c, &p), -EINVAL);
	assert_int_equal(c.buffer, 42); // untouched

	p.buffer_bytes = 100000; // and what just fits is taken
	pg[0] = (struct mmu_pg_params){
		.lossless = true, .reserved_bytes = 50000, .headroom_bytes = 50000};
	assert_int_equal(mmu_cfg_init(&c, &p), 0);
	assert_int_equal(c.shared_size, 0);
	mmu_cfg_fini(&c);
}

// Several frames at once: taken only where not one of them would reach XOFF or find no room.
static void test_run(void **state)
{
	(void)state;
	clear();
	pg[3] = (struct mmu_pg_params){.lossless = true,
		.reserved_bytes = 2000,
		.static_bytes = 10000,
		.headroom_bytes = 3000};
	pg[1].static_bytes = 5000;
	init(20000);
	assert_false(mmu_admit_burst(&m, 0, 3, 12000)); // its last byte is the one that makes XOFF
	assert_int_equal(m.used, 0);
	assert_int_equal(group(0, 3)->bytes, 0);
	assert_true(mmu_admit_burst(&m, 0, 3, 11999));
	assert_int_equal(group(0, 3)->shared, 9999);
	assert_int_equal(m.shared_used, 9999);
	assert_int_equal(mmu_admit(&m, 0, 3, 1), MMU_ADMIT_XOFF);
	assert_false(mmu_admit_burst(&m, 0, 3, 1)); // headroom is for frames one by one
	assert_false(mmu_admit_burst(&m, 0, 1, 5001));
	assert_true(mmu_admit_burst(&m, 0, 1, 4999));
	assert_true(mmu_release(&m, 0, 3, 12000)); // and all at once comes back to XON
	assert_false(mmu_release(&m, 0, 1, 4999));
	assert_int_equal(m.used, 0);
	assert_int_equal(m.shared_used, 0);
	fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lossless_static),
		cmocka_unit_test(test_xon_level),
		cmocka_unit_test(test_headroom_use_is_xoff),
		cmocka_unit_test(test_dynamic_limit),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_lossless_in_a_full_pool),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_bad_params),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
