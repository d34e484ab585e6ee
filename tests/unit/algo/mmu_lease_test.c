// SPDX-License-Identifier: BSD-3-Clause
// Leases of a shared pool: never more than it has, early and never late, by one thread and by
// several at once.
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>

#include "algo/mmu_lease.h"

#define BUFFER   200000
#define FRAME    1000
#define BOTH     2
#define ADMITTED 30000 // frames of a thread

// An admission with one lossy port of a dynamic threshold, class 0.
struct side {
	struct mmu_cfg cfg;
	struct mmu mmu;
	struct mmu_lease lease;
};

static struct mmu_lease_pool *pool_new(void)
{
	struct mmu_lease_pool *p = aligned_alloc(64, sizeof(*p));

	assert_non_null(p);
	mmu_lease_pool_init(p, BUFFER);
	return p;
}

static void side_init(struct side *s, struct mmu_lease_pool *pool, int dynamic_th)
{
	struct mmu_pg_params pg[MMU_PGS] = {{.threshold = MMU_DYNAMIC, .dynamic_th = dynamic_th}};
	const struct mmu_params p = {.buffer_bytes = BUFFER, .n_ports = 1, .pg = pg};

	*s = (struct side){.lease.pool = pool};
	assert_int_equal(mmu_cfg_init(&s->cfg, &p), 0);
	assert_int_equal(mmu_init(&s->mmu, &s->cfg), 0);
}

static void side_fini(struct side *s)
{
	mmu_fini(&s->mmu);
	mmu_cfg_fini(&s->cfg);
}

static bool takes(struct side *s, uint32_t bytes)
{
	mmu_lease_take(&s->lease, &s->mmu, bytes);
	return mmu_admit(&s->mmu, 0, 0, bytes) == MMU_ADMIT;
}

static void gives(struct side *s, uint32_t bytes)
{
	mmu_lease_look(&s->lease, &s->mmu);
	mmu_release(&s->mmu, 0, 0, bytes);
	mmu_lease_give(&s->lease, &s->mmu);
}

// Bytes that one has taken are not free for the other, to the byte where chunks are whole.
static void both_together_take_what_there_is(void **state)
{
	struct mmu_lease_pool *p = pool_new();
	struct side a, b;
	unsigned n = 0;

	(void)state;
	side_init(&a, p, 7);
	side_init(&b, p, 7);
	for (bool more = true; more; n += more)
		more = takes(n % 2 ? &a : &b, FRAME) || takes(n % 2 ? &b : &a, FRAME);
	assert_in_range(n * FRAME, BUFFER - 2 * FRAME, BUFFER);
	assert_true(p->taken <= BUFFER);
	while (a.mmu.used)
		gives(&a, FRAME);
	while (b.mmu.used)
		gives(&b, FRAME);
	assert_true(p->taken < 4 * p->chunk);
	side_fini(&a);
	side_fini(&b);
	free(p);
}

// Limits that follow what is free are reached no later than where one admission sees all, and
// earlier by two chunks at most.
static void limits_fall_early(void **state)
{
	struct mmu_lease_pool *p = pool_new();
	struct side a, b, whole;
	uint64_t most;

	(void)state;
	side_init(&a, p, 0);
	side_init(&b, p, 0);
	side_init(&whole, NULL, 0);
	for (unsigned i = 0; i < 50; i++) {
		assert_true(takes(&a, FRAME));
		assert_int_equal(mmu_admit(&whole.mmu, 0, 0, FRAME), MMU_ADMIT);
	}
	mmu_lease_take(&b.lease, &b.mmu, FRAME);
	most = mmu_limit(&whole.mmu, 0, 0);
	assert_in_range(mmu_limit(&b.mmu, 0, 0), most - 2 * p->chunk, most);
	side_fini(&a);
	side_fini(&b);
	side_fini(&whole);
	free(p);
}

// Bytes that one side gives back while another asks belong to the other side only after a lease of
// its own.
static void what_is_left_is_leased_before_it_is_used(void **state)
{
	struct mmu_lease_pool *p = pool_new();
	struct side a, b;

	(void)state;
	side_init(&a, p, 7);
	side_init(&b, p, 7);
	while (takes(&a, FRAME))
		;
	assert_int_equal(p->taken, BUFFER);
	assert_false(takes(&b, FRAME));
	assert_int_equal(b.lease.bytes, 0);
	for (unsigned i = 0; i < 10; i++)
		gives(&a, FRAME);
	assert_true(takes(&b, FRAME));
	assert_true(b.lease.bytes >= FRAME);
	side_fini(&a);
	side_fini(&b);
	free(p);
}

struct taker {
	struct side side;
	pthread_barrier_t *start;
	_Atomic uint64_t *held; // by both
	uint64_t seed;
	uint64_t over;
};

// A thread that is refused everything waits for the other, which ends with nothing held.
static void *takes_and_gives(void *arg)
{
	struct taker *t = arg;
	uint64_t x = t->seed, held = 0, admitted = 0;

	pthread_barrier_wait(t->start);
	while (admitted < ADMITTED) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		if (x >> 63) {
			if (!takes(&t->side, FRAME)) {
				if (!held)
					sched_yield();
				continue;
			}
			admitted++;
			held++;
			t->over += atomic_fetch_add(t->held, FRAME) + FRAME > BUFFER;
		} else if (held) {
			atomic_fetch_sub(t->held, FRAME);
			gives(&t->side, FRAME);
			held--;
		}
	}
	for (; held; held--) {
		atomic_fetch_sub(t->held, FRAME);
		gives(&t->side, FRAME);
	}
	return NULL;
}

static void threads_take_no_more_than_there_is(void **state)
{
	struct mmu_lease_pool *p = pool_new();
	struct taker t[BOTH] = {0};
	pthread_barrier_t start;
	pthread_t thread[BOTH];
	_Atomic uint64_t held = 0;

	(void)state;
	pthread_barrier_init(&start, NULL, BOTH);
	for (unsigned i = 0; i < BOTH; i++) {
		side_init(&t[i].side, p, 7);
		t[i].start = &start;
		t[i].held = &held;
		t[i].seed = i + 1;
		assert_int_equal(pthread_create(&thread[i], NULL, takes_and_gives, &t[i]), 0);
	}
	for (unsigned i = 0; i < BOTH; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(t[i].over, 0);
		assert_int_equal(mmu_lease_own(&t[i].side.lease, &t[i].side.mmu), 0);
		side_fini(&t[i].side);
	}
	assert_int_equal(p->taken, t[0].side.lease.bytes + t[1].side.lease.bytes);
	pthread_barrier_destroy(&start);
	free(p);
}

// A burst leases ahead. Its lease is then as if its frames had come one by one, also where the pool
// ends.
static void a_burst_leases_as_its_frames(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		struct mmu_lease_pool *p = pool_new();
		struct side one, all;
		unsigned n = round % 60, frames = 0;

		side_init(&one, p, 7);
		atomic_store(&p->taken, p->size - round * FRAME / 3);
		one.lease.others = p->taken;
		one.mmu.shared_used = p->taken;
		for (; frames < n; frames++) {
			mmu_lease_look(&one.lease, &one.mmu);
			if (mmu_is_full(
				    one.mmu.pg, one.mmu.shared_size - one.mmu.shared_used, FRAME))
				break;
			assert_true(takes(&one, FRAME));
		}
		side_init(&all, p, 7);
		atomic_store(&p->taken, p->size - round * FRAME / 3);
		all.lease.others = p->taken;
		all.mmu.shared_used = p->taken;
		mmu_lease_ahead(&all.lease, &all.mmu, n * FRAME);
		mmu_lease_ahead(&all.lease, &all.mmu, n * FRAME);
		for (unsigned i = 0; i < frames; i++)
			assert_int_equal(mmu_admit(&all.mmu, 0, 0, FRAME), MMU_ADMIT);
		mmu_lease_see(&all.lease, &all.mmu,
			mmu_lease_settle(&all.lease, mmu_lease_own(&all.lease, &all.mmu)));
		assert_int_equal(all.lease.bytes, one.lease.bytes);
		assert_int_equal(all.mmu.shared_used, one.mmu.shared_used);
		side_fini(&one);
		side_fini(&all);
		free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_together_take_what_there_is),
		cmocka_unit_test(limits_fall_early),
		cmocka_unit_test(what_is_left_is_leased_before_it_is_used),
		cmocka_unit_test(threads_take_no_more_than_there_is),
		cmocka_unit_test(a_burst_leases_as_its_frames),
	};

	return cmocka_run_group_tests_name("mmu_lease", tests, NULL, NULL);
}
