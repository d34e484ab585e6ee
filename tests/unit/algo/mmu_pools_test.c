// SPDX-License-Identifier: BSD-3-Clause
// Egress queues and their pools, shared headroom, cells, watermarks; the same verdicts as a naive
// model, and as the plain buffer's where one side is used.
#include "base/prng.h"

#include "sides_lab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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

// With one egress pool lossy queues leave less for lossless ones.
static void one_egress_pool_is_shared(void **state)
{
	(void)state;
	clear();
	sp.egress_bytes[0] = 20000;
	queue[3].lossless = queue[3].one_pool = queue[0].one_pool = true;
	queue[0].reserved_bytes = 2000;
	init();
	assert_int_equal(cfg.size[MMU_EGRESS_LOSSLESS], 18000);
	assert_int_equal(mmu_enter(&s, 1, 0, 0, 0, 10000), MMU_ADMIT);
	assert_int_equal(mmu_enter(&s, 1, 3, 0, 3, 10001), MMU_DROP_QUEUE);
	assert_int_equal(mmu_enter(&s, 1, 3, 0, 3, 10000), MMU_ADMIT);
	assert_int_equal(mmu_enter(&s, 1, 0, 0, 0, 1), MMU_DROP_QUEUE);
	fini();
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
	// Bytes that one gives back another may take.
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

// A naive model: who holds what, by place; sums are made anew each time.
struct model {
	uint64_t reserve, shared, headroom, out_bytes;
	bool xoff;
};

static struct model model[ALL];

static uint64_t limit(bool is_static, uint64_t fixed, int n, uint64_t free_bytes)
{
	if (is_static)
		return fixed;
	return n < 0 ? free_bytes >> -n : free_bytes << n;
}

static uint64_t free_ingress(void)
{
	uint64_t left =
		mp.ingress_bytes ? mp.ingress_bytes : mp.buffer_bytes - mp.headroom_pool_bytes;

	for (unsigned i = 0; i < ALL; i++) {
		left -= pg[i].reserved_bytes + model[i].shared;
		if (!mp.headroom_pool_bytes && pg[i].lossless)
			left -= pg[i].headroom_bytes;
	}
	return left;
}

static uint64_t out_shared(unsigned i, uint64_t bytes)
{
	return bytes > queue[i].reserved_bytes ? bytes - queue[i].reserved_bytes : 0;
}

static uint64_t free_egress(bool lossless)
{
	uint64_t size = sp.egress_bytes[!lossless];
	uint64_t left = size ? size : mp.buffer_bytes;

	for (unsigned i = 0; i < ALL; i++)
		if (queue[i].lossless == lossless)
			left -= queue[i].reserved_bytes + out_shared(i, model[i].out_bytes);
	return left;
}

static bool queue_takes(unsigned i, uint32_t bytes)
{
	const struct mmu_queue_params *p = &queue[i];
	uint64_t left = free_egress(p->lossless);
	uint64_t was = out_shared(i, model[i].out_bytes);
	uint64_t will = out_shared(i, model[i].out_bytes + bytes);

	if (will - was > left)
		return false;
	return !p->limited ||
	       will <= limit(p->threshold == MMU_STATIC, p->static_bytes, p->dynamic_th, left);
}

static enum mmu_verdict model_enter(unsigned in, unsigned out, uint32_t bytes)
{
	const struct mmu_pg_params *p = &pg[in];
	struct model *g = &model[in];
	uint64_t left = free_ingress(), headrooms = 0, used = 0;
	uint64_t to_reserve = p->reserved_bytes - g->reserve;
	uint64_t to_shared;

	for (unsigned i = 0; i < ALL; i++) {
		headrooms += model[i].headroom;
		used += model[i].reserve + model[i].shared + model[i].headroom;
	}
	to_reserve = to_reserve < bytes ? to_reserve : bytes;
	to_shared = bytes - to_reserve;
	if (!queue_takes(out, bytes))
		return MMU_DROP_QUEUE;
	if ((to_shared && g->shared + to_shared > limit(p->threshold == MMU_STATIC, p->static_bytes,
							  p->dynamic_th, left)) ||
		to_shared > left) {
		bool room =
			p->lossless && g->headroom + bytes <= p->headroom_bytes &&
			(!mp.headroom_pool_bytes || headrooms + bytes <= mp.headroom_pool_bytes);

		if (!room && used + bytes > mp.buffer_bytes)
			return MMU_DROP_BUFFER;
		if (!room)
			return p->lossless ? MMU_DROP_HEADROOM : MMU_DROP_SHARED;
		g->headroom += bytes;
	} else {
		g->reserve += to_reserve;
		g->shared += to_shared;
	}
	model[out].out_bytes += bytes;
	if (!p->lossless || g->xoff)
		return MMU_ADMIT;
	if (!g->headroom && (g->reserve < p->reserved_bytes ||
				    g->shared < limit(p->threshold == MMU_STATIC, p->static_bytes,
							p->dynamic_th, free_ingress())))
		return MMU_ADMIT;
	g->xoff = true;
	return MMU_ADMIT_XOFF;
}

static bool model_leave(unsigned in, unsigned out, uint64_t bytes)
{
	const struct mmu_pg_params *p = &pg[in];
	struct model *g = &model[in];
	uint64_t *from[] = {&g->headroom, &g->shared, &g->reserve};

	model[out].out_bytes -= bytes;
	for (unsigned k = 0; k < 3; k++) {
		uint64_t part = bytes < *from[k] ? bytes : *from[k];

		*from[k] -= part;
		bytes -= part;
	}

	uint64_t top =
		limit(p->threshold == MMU_STATIC, p->static_bytes, p->dynamic_th, free_ingress());
	uint64_t below = top > p->xon_offset_bytes ? top - p->xon_offset_bytes : 0;
	uint64_t resume = p->xon_bytes > below ? p->xon_bytes : below;

	if (!g->xoff || g->headroom || g->shared > resume)
		return false;
	g->xoff = false;
	return true;
}

static void random_buffer(struct prng *r)
{
	static const uint32_t cell[] = {1, 80, 208, 256};

	clear();
	memset(model, 0, sizeof(model));
	sp.cell_bytes = cell[prng_below(r, 4)];
	mp.buffer_bytes = 400000;
	for (unsigned i = 0; i < ALL; i++) {
		pg[i] = (struct mmu_pg_params){
			.lossless = prng_below(r, 2),
			.threshold = (enum mmu_threshold)prng_below(r, 2),
			.reserved_bytes = prng_below(r, 3) * 1500,
			.static_bytes = 3000 + prng_below(r, 30000),
			.dynamic_th = (int)prng_below(r, 8) - 6,
			.headroom_bytes = prng_below(r, 8000),
			.xon_bytes = prng_below(r, 3000),
			.xon_offset_bytes = prng_below(r, 4000),
		};
		queue[i] = (struct mmu_queue_params){
			.lossless = prng_below(r, 2),
			.limited = prng_below(r, 4) != 0,
			.threshold = (enum mmu_threshold)prng_below(r, 2),
			.reserved_bytes = prng_below(r, 2) * 1500,
			.static_bytes = prng_below(r, 40000),
			.dynamic_th = (int)prng_below(r, 8) - 5,
		};
	}
	mp.headroom_pool_bytes = prng_below(r, 2) * (5000 + prng_below(r, 20000));
	mp.ingress_bytes = prng_below(r, 2) * (300000 - 20000 + prng_below(r, 20000));
	sp.egress_bytes[0] = prng_below(r, 2) * (100000 + prng_below(r, 300000));
	sp.egress_bytes[1] = prng_below(r, 2) * (100000 + prng_below(r, 300000));
}

struct held {
	uint8_t in, out;
	uint32_t bytes;
};

static void check_state(void)
{
	uint64_t headroom = 0;

	for (unsigned i = 0; i < ALL; i++) {
		assert_int_equal(m.pg[i].shared, model[i].shared);
		assert_int_equal(m.pg[i].headroom, model[i].headroom);
		assert_int_equal(
			m.pg[i].bytes, model[i].reserve + model[i].shared + model[i].headroom);
		assert_int_equal(m.pg[i].xoff, model[i].xoff);
		assert_int_equal(s.queue[i].bytes, model[i].out_bytes);
		assert_true(m.pg[i].max_bytes >= m.pg[i].bytes);
		assert_true(s.pg_max_shared[i] >= m.pg[i].shared);
		assert_true(s.queue[i].max_bytes >= s.queue[i].bytes);
		headroom += model[i].headroom;
	}
	assert_int_equal(s.used[MMU_HEADROOM], headroom);
	assert_int_equal(cfg.size[MMU_INGRESS] - s.used[MMU_INGRESS], free_ingress());
	for (unsigned k = 0; k < 2; k++)
		assert_int_equal(
			cfg.size[MMU_EGRESS_LOSSLESS + k] - s.used[MMU_EGRESS_LOSSLESS + k],
			free_egress(!k));
	for (unsigned k = 0; k < MMU_POOLS; k++)
		assert_true(s.max_used[k] >= s.used[k]);
}

static void run_random(uint64_t seed, unsigned seen[MMU_DROP_QUEUE + 1])
{
	static struct held held[4096];
	unsigned n = 0;
	struct prng r;

	prng_init(&r, seed, "mmu_sides");
	random_buffer(&r);
	init();
	for (unsigned step = 0; step < 20000; step++) {
		if (n < 4096 && prng_below(&r, 100) < (step / 2000 % 2 ? 40 : 60)) {
			struct held h = {(uint8_t)prng_below(&r, ALL), (uint8_t)prng_below(&r, ALL),
				(uint32_t)(64 + prng_below(&r, 1455))};
			uint32_t cells = mmu_cells(&cfg, h.bytes);
			enum mmu_verdict want = model_enter(h.in, h.out, cells);
			enum mmu_verdict got = mmu_enter(&s, h.in / MMU_PGS, h.in % MMU_PGS,
				h.out / MMU_PGS, h.out % MMU_PGS, h.bytes);

			assert_int_equal(got, want);
			seen[got]++;
			if (got <= MMU_ADMIT_XOFF)
				held[n++] = h;
		} else if (n) {
			unsigned i = (unsigned)prng_below(&r, n);
			struct held h = held[i];

			held[i] = held[--n];
			assert_int_equal(mmu_leave(&s, h.in / MMU_PGS, h.in % MMU_PGS,
						 h.out / MMU_PGS, h.out % MMU_PGS, h.bytes),
				model_leave(h.in, h.out, mmu_cells(&cfg, h.bytes)));
		}
		if (step % 16 == 0)
			check_state();
	}
	while (n--)
		mmu_leave(&s, held[n].in / MMU_PGS, held[n].in % MMU_PGS, held[n].out / MMU_PGS,
			held[n].out % MMU_PGS, held[n].bytes);
	assert_int_equal(m.used, 0);
	for (unsigned k = 0; k < MMU_POOLS; k++)
		assert_int_equal(s.used[k], 0);
	fini();
}

static void random_frames_follow_the_model(void **state)
{
	unsigned seen[MMU_DROP_QUEUE + 1] = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		printf("seed %llu\n", (unsigned long long)seed);
		run_random(seed, seen);
	}
	for (unsigned v = MMU_ADMIT; v <= MMU_DROP_QUEUE; v++)
		if (v != MMU_DROP_BUFFER)
			assert_true(seen[v] > 10);
}

// Where nothing makes use of the second side, both ways give the same verdicts.
static void without_a_second_side_it_is_the_plain_buffer(void **state)
{
	struct mmu plain;
	struct held held[2048];
	unsigned n = 0;
	struct prng r;

	(void)state;
	prng_init(&r, 77, "plain");
	random_buffer(&r);
	mp.headroom_pool_bytes = mp.ingress_bytes = 0;
	sp = (struct mmu_pools_params){.queue = queue, .cell_bytes = 1};
	memset(queue, 0, sizeof(queue));
	init();
	assert_int_equal(mmu_init(&plain, &mcfg), 0);
	for (unsigned step = 0; step < 50000; step++) {
		unsigned in = (unsigned)prng_below(&r, ALL), out = (unsigned)prng_below(&r, ALL);
		uint32_t bytes = (uint32_t)(64 + prng_below(&r, 1455));

		if (n < 2048 && prng_below(&r, 100) < 52) {
			enum mmu_verdict v = mmu_admit(&plain, in / MMU_PGS, in % MMU_PGS, bytes);

			assert_int_equal(mmu_enter(&s, in / MMU_PGS, in % MMU_PGS, out / MMU_PGS,
						 out % MMU_PGS, bytes),
				v);
			if (v <= MMU_ADMIT_XOFF)
				held[n++] = (struct held){(uint8_t)in, (uint8_t)out, bytes};
		} else if (n) {
			struct held h = held[--n];

			assert_int_equal(mmu_leave(&s, h.in / MMU_PGS, h.in % MMU_PGS,
						 h.out / MMU_PGS, h.out % MMU_PGS, h.bytes),
				mmu_release(&plain, h.in / MMU_PGS, h.in % MMU_PGS, h.bytes));
		}
		assert_int_equal(plain.shared_used, m.shared_used);
		assert_int_equal(plain.max_used, m.max_used);
	}
	mmu_fini(&plain);
	fini();
}

// Each side by itself comes to what both at once come to.
static void sides_alone_count_the_same(void **state)
{
	struct mmu_queue_params *q = &queue[8 + 2];
	struct mmu_pools both;
	struct mmu_queue were;
	struct mmu_pg group;

	(void)state;
	clear();
	sp.cell_bytes = 100;
	*q = (struct mmu_queue_params){
		.limited = true, .reserved_bytes = 1000, .static_bytes = 3000};
	init();
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(mmu_enter(&s, 0, 2, 1, 2, 950), MMU_ADMIT);
	both = s;
	were = s.queue[8 + 2];
	group = m.pg[2];
	fini();
	init();
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(mmu_enter_group(&s, 0, 2, 1000), MMU_ADMIT);
		assert_true(mmu_enter_queue(&s, 1, 2, 1000));
	}
	assert_memory_equal(s.used, both.used, sizeof(s.used));
	assert_memory_equal(s.max_used, both.max_used, sizeof(s.max_used));
	assert_memory_equal(&s.queue[8 + 2], &were, sizeof(were));
	assert_memory_equal(&m.pg[2], &group, sizeof(group));
	assert_true(mmu_enter_queue(&s, 1, 2, 1000));
	assert_false(mmu_enter_queue(&s, 1, 2, 100));
	mmu_leave_queue(&s, 1, 2, 4000);
	assert_false(mmu_leave_group(&s, 0, 2, 3000));
	assert_int_equal(s.used[MMU_INGRESS], 0);
	assert_int_equal(s.used[MMU_EGRESS_LOSSY], 0);
	fini();
}

// A queue has room for so many bytes, whatever others take of its pool meanwhile: that many, or as
// many one by one when others have come before. If the pool has as much as the burst, and the last
// byte comes alone, one byte more is too many.
static void a_queue_has_the_room_that_it_says(void **state)
{
	struct prng g;
	unsigned exact = 0;

	(void)state;
	prng_init(&g, 1, "room");
	for (unsigned round = 0; round < 3000; round++) {
		unsigned most = 1 + (unsigned)prng_below(&g, 60000), room, others;
		struct mmu_queue_params *q = &queue[8 + 2];
		bool fits;

		clear();
		sp.egress_bytes[1] = 20000 + prng_below(&g, 100000);
		*q = (struct mmu_queue_params){.limited = true,
			.threshold = prng_below(&g, 2) ? MMU_DYNAMIC : MMU_STATIC,
			.reserved_bytes = prng_below(&g, 2) * 1000,
			.static_bytes = prng_below(&g, 30000),
			.dynamic_th = (int)prng_below(&g, 6) - 4};
		init();
		for (unsigned n = (unsigned)prng_below(&g, 30); n; n--)
			mmu_enter_queue(&s, 1 + n % 2, 2, 500);
		room = (unsigned)mmu_queue_room(&s, 1, 2, most);
		assert_true(room <= most);
		others = most - room < most ? most - room : 0;
		for (unsigned n = others / 100; n; n--)
			mmu_enter_queue(&s, 2, 2, 100);
		for (unsigned n = room / 100; n; n--)
			assert_true(mmu_enter_queue(&s, 1, 2, 100));
		if (room % 100)
			assert_true(mmu_enter_queue(&s, 1, 2, room % 100));
		fits = room < most && most <= sp.egress_bytes[1] / 2;
		if (fits && q->threshold == MMU_STATIC) {
			assert_false(mmu_enter_queue(&s, 1, 2, 1));
			exact++;
		}
		fini();
	}
	assert_true(exact > 200);
}

// Frames that enter where there is room count as one by one.
static void bursts_enter_as_frames(void **state)
{
	struct mmu_queue were;
	struct mmu_pools one;
	struct mmu_pg group[MMU_PGS];

	(void)state;
	clear();
	sp.cell_bytes = 100;
	pg[1].static_bytes = 500;
	queue[8 + 2] = (struct mmu_queue_params){.limited = true, .static_bytes = 1500};
	init();
	assert_int_equal(mmu_enter(&s, 0, 2, 1, 2, 900), MMU_ADMIT);
	assert_int_equal(mmu_enter(&s, 0, 1, 1, 2, 350), MMU_ADMIT);
	one = s;
	were = s.queue[8 + 2];
	memcpy(group, m.pg, sizeof(group));
	fini();
	init();
	assert_int_equal(mmu_group_room(&s, 0, 1, 400, 1300), 499);
	assert_int_equal(mmu_group_room(&s, 0, 2, 400, 1300), 1300);
	assert_int_equal(mmu_queue_room(&s, 1, 2, 1300), 1300);
	assert_int_equal(mmu_queue_room(&s, 1, 2, 1600), 1500);
	mmu_take_group(&s, 0, 1, 400);
	mmu_take_group(&s, 0, 2, 900);
	mmu_take_queue(&s, 1, 2, 1300);
	assert_memory_equal(s.used, one.used, sizeof(s.used));
	assert_memory_equal(s.max_used, one.max_used, sizeof(s.max_used));
	assert_memory_equal(&s.queue[8 + 2], &were, sizeof(were));
	assert_memory_equal(m.pg, group, sizeof(group));
	assert_int_equal(s.pg_max_shared[1], 400);
	assert_int_equal(s.pg_max_shared[2], 900);
	assert_int_equal(mmu_queue_room(&s, 1, 2, 1000), 200);
	assert_int_equal(mmu_group_room(&s, 0, 1, 100, 100), 99); // one more makes XOFF
	fini();
}

// Two admissions of a switch that is cut: lossy queues lease from one pool, and never get more than
// it has; what a frame has leased that its group refuses goes back to the byte.
static void admissions_lease_from_one_pool(void **state)
{
	struct mmu_lease_pool *ingress = aligned_alloc(64, sizeof(*ingress));
	struct mmu_lease_pool *lossy = aligned_alloc(64, sizeof(*lossy));
	struct mmu_pools t, *two[2] = {&s, &t};
	unsigned frames = 0;
	struct mmu n;

	(void)state;
	assert_true(ingress && lossy);
	clear();
	sp.cut = true;
	sp.egress_bytes[1] = 200000;
	pg[3].static_bytes = 0;
	init();
	assert_int_equal(mmu_init(&n, &mcfg), 0);
	assert_int_equal(mmu_pools_init(&t, &cfg, &n), 0);
	mmu_lease_pool_init(ingress, cfg.size[MMU_INGRESS]);
	mmu_lease_pool_init(lossy, cfg.size[MMU_EGRESS_LOSSY]);
	for (unsigned i = 0; i < 2; i++) {
		two[i]->lease[MMU_INGRESS].pool = ingress;
		two[i]->lease[MMU_EGRESS_LOSSY].pool = lossy;
	}
	assert_int_equal(mmu_enter(&s, 0, 3, 1, 2, 1000), MMU_DROP_SHARED);
	assert_int_equal(lossy->taken, 0);
	while (mmu_enter_queue(two[frames % 2], 1, 2, 1000))
		frames++;
	assert_in_range(frames, 197, 200);
	assert_true(lossy->taken <= 200000);
	assert_int_equal(mmu_enter(two[frames % 2], 0, 2, 1, 2, 1000), MMU_DROP_QUEUE);
	assert_int_equal(ingress->taken, 0);
	for (; frames; frames--)
		mmu_leave_queue(two[(frames - 1) % 2], 1, 2, 1000);
	assert_true(lossy->taken < 4 * lossy->chunk);
	assert_int_equal(s.max_used[MMU_EGRESS_LOSSY] + t.max_used[MMU_EGRESS_LOSSY],
		s.queue[8 + 2].max_bytes + t.queue[8 + 2].max_bytes);
	mmu_pools_fini(&t);
	mmu_fini(&n);
	fini();
	free(ingress);
	free(lossy);
}

// A lossless queue of a switch that is cut is known to take all, and is not asked. The headroom is
// this admission's part of the pool.
static void lossless_queues_of_a_part_are_not_asked(void **state)
{
	(void)state;
	clear();
	for (unsigned i = 0; i < ALL; i += MMU_PGS) {
		pg[i + 3] = (struct mmu_pg_params){
			.lossless = true, .static_bytes = 1000, .headroom_bytes = 5000};
		queue[i + 3].lossless = true;
	}
	mp.headroom_pool_bytes = 20000;
	sp.cut = true;
	sp.headroom_bytes = 7000;
	sp.egress_bytes[0] = 2000;
	init();
	assert_true(mmu_enter_queue(&s, 1, 3, 100000));
	mmu_leave_queue(&s, 1, 3, 100000);
	assert_int_equal(mmu_enter(&s, 0, 3, 1, 3, 1000), MMU_ADMIT_XOFF);
	for (unsigned i = 0; i < 5; i++)
		assert_true(mmu_enter(&s, 0, 3, 1, 3, 1000) <= MMU_ADMIT_XOFF);
	assert_int_equal(mmu_enter(&s, 0, 3, 1, 3, 1000), MMU_DROP_HEADROOM);
	assert_int_equal(mmu_enter(&s, 1, 3, 1, 3, 1000), MMU_ADMIT_XOFF);
	for (unsigned i = 0; i < 2; i++)
		assert_true(mmu_enter(&s, 1, 3, 1, 3, 1000) <= MMU_ADMIT_XOFF);
	assert_int_equal(mmu_enter(&s, 1, 3, 1, 3, 1000), MMU_DROP_HEADROOM);
	fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_whole_and_exact),
		cmocka_unit_test(a_queue_drops_above_its_limit),
		cmocka_unit_test(a_dynamic_queue_follows_its_pool),
		cmocka_unit_test(egress_pools_are_apart),
		cmocka_unit_test(one_egress_pool_is_shared),
		cmocka_unit_test(headroom_is_shared),
		cmocka_unit_test(pools_fit_the_buffer),
		cmocka_unit_test(thresholds_count_cells),
		cmocka_unit_test(random_frames_follow_the_model),
		cmocka_unit_test(without_a_second_side_it_is_the_plain_buffer),
		cmocka_unit_test(sides_alone_count_the_same),
		cmocka_unit_test(a_queue_has_the_room_that_it_says),
		cmocka_unit_test(bursts_enter_as_frames),
		cmocka_unit_test(admissions_lease_from_one_pool),
		cmocka_unit_test(lossless_queues_of_a_part_are_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
