// SPDX-License-Identifier: BSD-3-Clause
// The buffer: reserve, shared pool and headroom, XOFF and XON, drops, bad parameters; the same
// verdicts as a naive model and as the reference simulator's rule.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "algo/mmu.h"

#include <stdio.h>

#include "base/prng.h"

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

// The rule of the reference simulator, written as it is described in standards.md 10:
// ingress bytes without headroom, reserve 4096 a port, limit an eighth of the free pool.
struct reference {
	uint64_t pool, shared_used;
	uint64_t ingress[PORTS], headroom[PORTS];
	bool paused[PORTS];
};

static uint64_t ref_shared(const struct reference *r, unsigned port)
{
	return r->ingress[port] > 4096 ? r->ingress[port] - 4096 : 0;
}

static uint64_t ref_limit(const struct reference *r)
{
	return (r->pool - r->shared_used) >> 3;
}

static enum mmu_verdict ref_admit(struct reference *r, unsigned port, uint32_t bytes)
{
	uint64_t now = r->ingress[port] + bytes;

	if (now > 4096 && now - 4096 > ref_limit(r)) {
		if (r->headroom[port] + bytes > 9375)
			return MMU_DROP_HEADROOM;
		r->headroom[port] += bytes;
	} else {
		uint64_t above = now > 4096 ? now - 4096 : 0;

		r->ingress[port] = now;
		r->shared_used += above < bytes ? above : bytes;
	}
	if (r->paused[port] || (!r->headroom[port] && ref_shared(r, port) < ref_limit(r)))
		return MMU_ADMIT;
	r->paused[port] = true;
	return MMU_ADMIT_XOFF;
}

static bool ref_release(struct reference *r, unsigned port, uint32_t bytes)
{
	uint64_t from_headroom = bytes < r->headroom[port] ? bytes : r->headroom[port];
	uint64_t rest = bytes - from_headroom, above = ref_shared(r, port);

	r->headroom[port] -= from_headroom;
	r->ingress[port] -= rest;
	r->shared_used -= above < rest ? above : rest;
	if (!r->paused[port] || r->headroom[port])
		return false;
	if (ref_shared(r, port) && ref_shared(r, port) + 3072 > ref_limit(r))
		return false;
	r->paused[port] = false;
	return true;
}

// 2:1 at one frame each per frame served, as in s09: 2 MiB, three ports of 9375 bytes of headroom.
static void test_reference_rule(void **state)
{
	uint64_t seed = 9;
	struct reference r = {.pool = 2097152 - 28125 - 12288};
	uint32_t held[PORTS] = {0};
	unsigned xoffs = 0;
	struct prng g;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "reference");
	clear();
	for (unsigned i = 0; i < PORTS; i++)
		pg[i * MMU_PGS + 3] = (struct mmu_pg_params){.lossless = true,
			.threshold = MMU_DYNAMIC,
			.dynamic_th = -3,
			.reserved_bytes = 4096,
			.headroom_bytes = 9375,
			.xon_offset_bytes = 3072};
	init(2097152);
	assert_int_equal(cfg.shared_size, r.pool);
	for (unsigned step = 0; step < 60000; step++) {
		unsigned port = (unsigned)prng_below(&g, PORTS);

		// A paused host goes on for a while, so that headroom is used and even overrun.
		if (!r.paused[port] || prng_below(&g, 100) < 45) {
			enum mmu_verdict want = ref_admit(&r, port, 1048);

			assert_int_equal(mmu_admit(&m, port, 3, 1048), want);
			held[port] += want <= MMU_ADMIT_XOFF;
			xoffs += want == MMU_ADMIT_XOFF;
		}
		port = (unsigned)prng_below(&g, PORTS);
		if (held[port] && prng_below(&g, 100) < 60) {
			held[port]--;
			assert_int_equal(
				mmu_release(&m, port, 3, 1048), ref_release(&r, port, 1048));
		}
		for (unsigned i = 0; i < PORTS; i++) {
			assert_int_equal(group(i, 3)->headroom, r.headroom[i]);
			assert_int_equal(group(i, 3)->shared, ref_shared(&r, i));
		}
		assert_int_equal(m.shared_used, r.shared_used);
	}
	assert_true(xoffs > 50);
	fini();
}

// Levels of s09 in closed form. Two equal ports, both at limit:
// shared = (pool - 2 * shared) / 8, so shared = pool / 10 = 205673.9 at XOFF.
static void test_reference_levels(void **state)
{
	(void)state;
	clear();
	for (unsigned i = 0; i < 2; i++)
		pg[i * MMU_PGS + 3] = (struct mmu_pg_params){.lossless = true,
			.threshold = MMU_DYNAMIC,
			.dynamic_th = -3,
			.reserved_bytes = 4096,
			.headroom_bytes = 9375,
			.xon_offset_bytes = 3072};
	bool xoff[2] = {false, false};

	init(2097152 - 9375 - 4096); // the third port's own bytes are not in use

	while (!xoff[0] || !xoff[1])
		for (unsigned i = 0; i < 2; i++)
			if (!xoff[i])
				xoff[i] = mmu_admit(&m, i, 3, 1048) == MMU_ADMIT_XOFF;
	// The frame that would cross the limit stands in headroom, as there.
	for (unsigned i = 0; i < 2; i++) {
		assert_in_range(group(i, 3)->headroom, 0, 1048);
		assert_in_range(group(i, 3)->shared, 205673 - 1048, 205674 + 1048);
	}

	uint32_t before = group(0, 3)->shared;

	while (!mmu_release(&m, 0, 3, 1048))
		;
	// Resume at limit - 3072, and the limit grows by an eighth of the released bytes.
	assert_in_range(before - group(0, 3)->shared, 3072 * 8 / 9 - 1048, 3072 * 8 / 9 + 2 * 1048);
	fini();
}

// A naive model: each group's bytes by place, limits in plain arithmetic.
struct model {
	uint64_t reserve, shared, headroom;
	bool xoff;
};

static uint64_t model_limit(const struct mmu_pg_params *p, uint64_t free_bytes)
{
	if (p->threshold == MMU_STATIC)
		return p->static_bytes;
	return p->dynamic_th < 0 ? free_bytes / (1u << -p->dynamic_th)
				 : free_bytes * (1u << p->dynamic_th);
}

static uint64_t model_pool(const struct model *model, uint64_t size)
{
	for (unsigned i = 0; i < PORTS * MMU_PGS; i++)
		size -= model[i].shared;
	return size;
}

static enum mmu_verdict model_admit(struct model *model, const struct mmu_pg_params *p, unsigned i,
	uint32_t bytes, uint64_t size)
{
	struct model *g = &model[i];
	uint64_t free_bytes = model_pool(model, size);
	uint64_t to_reserve =
		p->reserved_bytes - g->reserve < bytes ? p->reserved_bytes - g->reserve : bytes;
	uint64_t to_shared = bytes - to_reserve;
	uint64_t would = to_shared ? g->shared + to_shared : 0;

	if (would > model_limit(p, free_bytes) || to_shared > free_bytes) {
		if (!p->lossless)
			return MMU_DROP_SHARED;
		if (g->headroom + bytes > p->headroom_bytes)
			return MMU_DROP_HEADROOM;
		g->headroom += bytes;
	} else {
		g->reserve += to_reserve;
		g->shared += to_shared;
	}
	if (!p->lossless || g->xoff)
		return MMU_ADMIT;
	if (!g->headroom && (g->reserve < p->reserved_bytes ||
				    g->shared < model_limit(p, model_pool(model, size))))
		return MMU_ADMIT;
	g->xoff = true;
	return MMU_ADMIT_XOFF;
}

static bool model_release(struct model *model, const struct mmu_pg_params *p, unsigned i,
	uint64_t bytes, uint64_t size)
{
	struct model *g = &model[i];
	uint64_t *from[] = {&g->headroom, &g->shared, &g->reserve};

	for (unsigned k = 0; k < 3; k++) {
		uint64_t part = bytes < *from[k] ? bytes : *from[k];

		*from[k] -= part;
		bytes -= part;
	}

	uint64_t limit = model_limit(p, model_pool(model, size));
	uint64_t below = limit > p->xon_offset_bytes ? limit - p->xon_offset_bytes : 0;
	uint64_t resume = p->xon_bytes > below ? p->xon_bytes : below;

	if (!g->xoff || g->headroom || g->shared > resume)
		return false;
	g->xoff = false;
	return true;
}

static void random_groups(struct prng *g)
{
	clear();
	for (unsigned i = 0; i < PORTS * MMU_PGS; i++) {
		pg[i] = (struct mmu_pg_params){
			.lossless = prng_below(g, 2),
			.threshold = prng_below(g, 2) ? MMU_DYNAMIC : MMU_STATIC,
			.reserved_bytes = prng_below(g, 4) * 1500,
			.static_bytes = 1 + prng_below(g, 40000),
			.dynamic_th = (int)prng_below(g, 16) - 8,
			.headroom_bytes = prng_below(g, 20000),
			.xon_offset_bytes = prng_below(g, 6000),
		};
		if (pg[i].threshold == MMU_STATIC)
			pg[i].xon_bytes = prng_below(g, pg[i].static_bytes + 1);
	}
}

// The frames that wait in each group, and the events so far.
static struct {
	uint32_t fifo[PORTS * MMU_PGS][1024];
	unsigned head[PORTS * MMU_PGS], tail[PORTS * MMU_PGS];
	struct model model[PORTS * MMU_PGS];
	unsigned xoffs, drops;
} w;

// To the byte: a group takes its room when others have taken all the rest of the burst. If the pool
// has as much as the burst, and nothing of it goes to the reserve, one byte more does not fit then.
static void room_is_what_a_burst_may_have(struct prng *g, unsigned i)
{
	const struct mmu_pg *at = group(0, i);
	uint64_t left = m.shared_size - m.shared_used;
	uint32_t most = 1 + (uint32_t)prng_below(g, 2 * left + 2000);
	uint32_t room = (uint32_t)mmu_room(&m, i / MMU_PGS, i % MMU_PGS, most);
	uint64_t others = most - room < left ? most - room : left;

	assert_true(room <= most && (!room || mmu_want(at, left - others, room).fits));
	if (room < most && most <= left && at->bytes - at->headroom >= at->reserved)
		assert_false(mmu_want(at, left - others + 1, room + 1).fits);
	if (room < most && !left)
		assert_false(mmu_want(at, 0, room + 1).fits);
}

static void one_arrives(unsigned i, uint32_t bytes)
{
	struct mmu before = m;
	struct mmu_pg was = *group(0, i);
	enum mmu_verdict want = model_admit(w.model, &pg[i], i, bytes, cfg.shared_size);
	enum mmu_verdict got = mmu_admit(&m, i / MMU_PGS, i % MMU_PGS, bytes);

	if (want >= MMU_DROP_SHARED && m.used + bytes > cfg.buffer)
		want = MMU_DROP_BUFFER;
	assert_int_equal(got, want);
	if (got <= MMU_ADMIT_XOFF) {
		w.fifo[i][w.tail[i]++ % 1024] = bytes;
		assert_true(w.tail[i] - w.head[i] <= 1024);
	} else { // a drop changes nothing, and no headroom was left
		w.drops++;
		assert_memory_equal(&before, &m, sizeof(m));
		assert_memory_equal(&was, group(0, i), sizeof(was));
		if (pg[i].lossless)
			assert_true(was.headroom + bytes > pg[i].headroom_bytes);
	}
	if (got == MMU_ADMIT_XOFF) {
		assert_false(was.xoff);
		w.xoffs++;
	}
}

static void one_leaves(unsigned i)
{
	uint32_t bytes = w.fifo[i][w.head[i]++ % 1024];
	bool was = group(0, i)->xoff;
	bool xon = mmu_release(&m, i / MMU_PGS, i % MMU_PGS, bytes);

	assert_int_equal(xon, model_release(w.model, &pg[i], i, bytes, cfg.shared_size));
	assert_false(xon && !was);
}

static void all_leave(void)
{
	for (unsigned i = 0; i < PORTS * MMU_PGS; i++) {
		while (w.head[i] != w.tail[i])
			mmu_release(&m, i / MMU_PGS, i % MMU_PGS, w.fifo[i][w.head[i]++ % 1024]);
		assert_int_equal(group(0, i)->bytes, 0);
		assert_false(group(0, i)->xoff); // an empty group is never left in XOFF
	}
	assert_int_equal(m.used, 0);
	assert_int_equal(m.shared_used, 0);
}

// Frames of several groups of a port, as far as each group has room when the burst begins, are
// taken together. Taken one by one, each of them is admitted without a threshold, and the state is
// the same. All is put back. Returns how many there were.
static unsigned bursts_are_as_frames(struct prng *g)
{
	unsigned port = (unsigned)prng_below(g, PORTS), n = 1 + (unsigned)prng_below(g, 64), of[64];
	uint32_t bytes[MMU_PGS] = {0}, frame[64], least = UINT32_MAX, most = 0;
	struct mmu_pg was[PORTS * MMU_PGS], then[PORTS * MMU_PGS];
	struct mmu before = m, after;
	unsigned taken = 0;

	for (unsigned k = 0; k < n; k++) {
		frame[k] = 64 + (uint32_t)prng_below(g, 1455);
		least = frame[k] < least ? frame[k] : least;
		most += frame[k];
	}
	for (unsigned k = 0; k < n; k++) {
		unsigned i = (unsigned)prng_below(g, MMU_PGS);

		if (bytes[i] + frame[k] > mmu_burst_room(&m, port, i, least, most))
			continue;
		bytes[i] += frame[taken] = frame[k];
		of[taken++] = i;
	}
	memcpy(was, m.pg, sizeof(was));
	for (unsigned i = 0; i < MMU_PGS; i++)
		if (bytes[i])
			mmu_take_burst(&m, port, i, bytes[i]);
	after = m;
	memcpy(then, m.pg, sizeof(then));
	m = before;
	memcpy(m.pg, was, sizeof(was));
	for (unsigned k = 0; k < taken; k++)
		assert_int_equal(mmu_admit(&m, port, of[k], frame[k]), MMU_ADMIT);
	assert_memory_equal(&m, &after, sizeof(after));
	assert_memory_equal(m.pg, then, sizeof(then));
	m = before;
	memcpy(m.pg, was, sizeof(was));
	return taken;
}

#define ALL (PORTS * MMU_PGS)

// Frames leave, of whatever groups. A group in XOFF does not come to XON before so many bytes have
// left as mmu_resumes_by says. All is put back. Returns whether one came to XON.
static bool xon_is_not_sooner(struct prng *g)
{
	unsigned n = 1 + (unsigned)prng_below(g, 32), used[ALL] = {0};
	struct mmu_pg was[ALL];
	struct mmu before = m;
	uint64_t by[ALL], gone = 0;
	bool came = false;

	memcpy(was, m.pg, sizeof(was));
	for (unsigned i = 0; i < ALL; i++)
		by[i] = mmu_resumes_by(&m, i / MMU_PGS, i % MMU_PGS);
	for (unsigned k = 0; k < n; k++) {
		unsigned i = (unsigned)prng_below(g, ALL);
		uint32_t bytes;

		if (w.head[i] + used[i] == w.tail[i])
			continue;
		bytes = w.fifo[i][(w.head[i] + used[i]++) % 1024];
		gone += bytes;
		if (!mmu_release(&m, i / MMU_PGS, i % MMU_PGS, bytes))
			continue;
		assert_true(gone >= by[i]);
		came = true;
	}
	m = before;
	memcpy(m.pg, was, sizeof(was));
	return came;
}

static void run_random(uint64_t seed)
{
	unsigned taken = 0, xons = 0;
	struct prng g;

	prng_init(&g, seed, "mmu");
	random_groups(&g);
	memset(&w, 0, sizeof(w));
	init(600000);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned i = (unsigned)prng_below(&g, PORTS * MMU_PGS);
		uint32_t bytes = 64 + (uint32_t)prng_below(&g, 1455);
		const struct mmu_pg *now = group(0, i);

		room_is_what_a_burst_may_have(&g, i);
		taken += bursts_are_as_frames(&g);
		xons += xon_is_not_sooner(&g);
		// Waves: mostly arrivals, then mostly departures.
		if (prng_below(&g, 100) < (step / 2000 % 2 ? 30 : 70))
			one_arrives(i, bytes);
		else if (w.head[i] != w.tail[i])
			one_leaves(i);
		assert_int_equal(now->xoff, w.model[i].xoff);
		assert_int_equal(now->shared, w.model[i].shared);
		assert_int_equal(now->headroom, w.model[i].headroom);
		assert_int_equal(now->bytes - now->shared - now->headroom, w.model[i].reserve);
	}
	assert_true(w.xoffs > 10 && w.drops > 10 && taken > 1000 && xons > 10);
	all_leave();
	fini();
}

static void test_random_against_model(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed < 110; seed++) {
		printf("seed %llu\n", (unsigned long long)seed);
		run_random(seed);
	}
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
		cmocka_unit_test(test_reference_rule),
		cmocka_unit_test(test_reference_levels),
		cmocka_unit_test(test_random_against_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
