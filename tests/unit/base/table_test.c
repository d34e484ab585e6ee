// SPDX-License-Identifier: BSD-3-Clause
// Lookups, ageing, static entries, eviction within a set, and a naive model.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "base/prng.h"
#include "base/table.h"

#define AGE 1000

static void test_put_get_del(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 100, AGE, 1), 0);
	assert_int_equal((t.set_mask + 1) * TABLE_WAYS, 128);
	assert_null(table_get(&t, 7, 0));
	assert_int_equal(table_put(&t, 7, 70, false, 5)->value, 70);
	assert_int_equal(table_get(&t, 7, 5)->value, 70);
	assert_int_equal(table_get(&t, 7, 5)->key, 7);
	table_put(&t, 7, 71, false, 6);
	assert_int_equal(table_get(&t, 7, 6)->value, 71);
	assert_int_equal(table_get(&t, 7, 6)->seen, 6);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.stats.inserts, 1);
	table_del(&t, 8);
	table_del(&t, 7);
	assert_null(table_get(&t, 7, 6));
	assert_int_equal(t.n, 0);
	table_fini(&t);
}

// Seen less than max_age ago lives; get does not touch; an aged entry that comes back is a new one.
static void test_ageing(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, AGE, 1), 0);

	uint16_t gen = table_put(&t, 7, 70, false, 100)->gen;

	assert_non_null(table_get(&t, 7, 100 + AGE - 1));
	assert_null(table_get(&t, 7, 100 + AGE));
	assert_non_null(table_get(&t, 7, 50)); // a clock that is behind
	table_put(&t, 7, 71, false, 900);
	assert_int_equal(table_get(&t, 7, 900)->gen, gen);
	assert_non_null(table_get(&t, 7, 900 + AGE - 1));
	table_put(&t, 7, 72, false, 900 + AGE);
	assert_int_not_equal(table_get(&t, 7, 900 + AGE)->gen, gen);
	assert_int_equal(t.stats.aged, 1);
	assert_int_equal(t.stats.inserts, 2);
	assert_int_equal(t.n, 1);
	table_fini(&t);
}

static void test_no_ageing(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, TSTAMP_NEVER, 1), 0);
	table_put(&t, 7, 70, false, 0);
	assert_non_null(table_get(&t, 7, TSTAMP_NEVER - 1));
	table_fini(&t);
}

// One set of four ways: the oldest yields, an aged one is no eviction, statics stay.
static void test_eviction(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, AGE, 1), 0);
	for (uint64_t key = 0; key < 4; key++)
		table_put(&t, key, (uint32_t)key, false, 10 * key);
	table_put(&t, 0, 0, false, 35); // key 1 is the oldest now
	table_put(&t, 4, 4, false, 40);
	assert_null(table_get(&t, 1, 40));
	assert_int_equal(t.stats.evictions, 1);
	assert_int_equal(t.n, 4);
	table_put(&t, 5, 5, false, 20 + AGE); // key 2 has aged
	assert_int_equal(t.stats.evictions, 1);
	assert_int_equal(t.stats.aged, 1);
	assert_null(table_get(&t, 2, 21));
	table_fini(&t);
}

static void test_static_entries(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, AGE, 1), 0);
	for (uint64_t key = 0; key < 3; key++)
		table_put(&t, key, 10, true, 0);
	assert_non_null(table_get(&t, 0, 100 * AGE));
	table_put(&t, 0, 11, false, 5); // learning does not move a static entry
	assert_int_equal(table_get(&t, 0, 5)->value, 10);
	table_put(&t, 0, 12, true, 6);
	assert_int_equal(table_get(&t, 0, 6)->value, 12);
	table_put(&t, 8, 1, false, 10);
	table_put(&t, 9, 1, false, 11); // only one way is left to learn into
	assert_null(table_get(&t, 8, 11));
	table_put(&t, 9, 2, true, 12); // a learned entry becomes static
	assert_int_equal(table_get(&t, 9, 12)->value, 2);
	assert_null(table_put(&t, 10, 1, false, 13));
	assert_null(table_put(&t, 10, 1, true, 13));
	assert_int_equal(t.stats.full, 2);
	table_del(&t, 9); // by name even a static one goes
	assert_non_null(table_put(&t, 10, 1, false, 14));
	table_fini(&t);
}

static bool keep_port(const struct table_entry *e, void *arg)
{
	return e->value == *(const uint32_t *)arg;
}

static void test_flush_and_walk(void **state)
{
	uint32_t port = 1, at = 0, seen = 0;
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 256, AGE, 99), 0);
	for (uint64_t key = 0; key < 30; key++)
		table_put(&t, key, (uint32_t)key % 3, key < 3, key);
	for (struct table_entry *e; (e = table_next(&t, &at, 29)); seen++)
		assert_int_equal(e->value, e->key % 3);
	assert_int_equal(seen, 30);
	assert_null(table_next(&t, &at, 29));

	at = seen = 0;
	while (table_next(&t, &at, 9 + AGE)) // keys 3 to 9 have aged
		seen++;
	assert_int_equal(seen, 23);

	assert_int_equal(table_flush(&t, keep_port, &port), 18);
	assert_int_equal(t.n, 12);
	assert_int_equal(table_flush(&t, NULL, NULL), 9);
	assert_int_equal(t.n, 3); // the static ones
	table_fini(&t);
}

static void test_bad_params(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 0, AGE, 0), -EINVAL);
	assert_int_equal(table_init(&t, 4, 0, 0), -EINVAL);
	assert_int_equal(table_init(&t, UINT32_MAX, AGE, 0), -EINVAL);
	assert_int_equal(table_init(&t, 1, AGE, 0), 0);
	assert_int_equal(t.set_mask, 0);
	table_fini(&t);
}

// A naive model: for each of 64 keys what was put last. The table may forget a dynamic entry only
// by eviction, and what it gives is always what was put last and has not aged.
struct model {
	bool known, fixed;
	uint32_t value;
	tstamp seen;
};

static bool model_live(const struct model *m, tstamp now)
{
	return m->known && (m->fixed || now - m->seen < AGE);
}

static void put_both(
	struct table *t, struct model *m, uint64_t key, uint32_t value, bool fixed, tstamp now)
{
	struct table_entry *e = table_put(t, key, value, fixed, now);

	if (!e) {
		assert_false(model_live(m, now));
		return;
	}
	if (!model_live(m, now))
		*m = (struct model){.known = true};
	if (fixed || !m->fixed)
		m->value = value;
	m->fixed |= fixed;
	m->seen = now;
	assert_int_equal(e->value, m->value);
}

// Returns 1 where the entry has been evicted since it was last seen.
static unsigned get_both(struct table *t, struct model *m, uint64_t key, tstamp now)
{
	struct table_entry *e = table_get(t, key, now);

	if (e) {
		assert_true(model_live(m, now));
		assert_int_equal(e->value, m->value);
		assert_int_equal(e->seen, m->seen);
		assert_int_equal(e->fixed, m->fixed);
		return 0;
	}
	if (!model_live(m, now))
		return 0;
	assert_false(m->fixed);
	m->known = false;
	return 1;
}

static void check_counts(struct table *t, tstamp now)
{
	uint32_t at = 0, live = 0, used = 0;

	while (table_next(t, &at, now))
		live++;
	for (uint32_t i = 0; i < (t->set_mask + 1) * TABLE_WAYS; i++)
		used += t->entry[i].used;
	assert_int_equal(t->n, used);
	assert_true(live <= used);
}

static void run_random(uint64_t seed, uint32_t capacity)
{
	struct model model[64] = {0};
	uint64_t gone = 0;
	struct table t;
	struct prng g;
	tstamp now = 0;

	prng_init(&g, seed, "table");
	assert_int_equal(table_init(&t, capacity, AGE, seed), 0);
	for (unsigned step = 0; step < 20000; step++) {
		uint64_t key = prng_below(&g, 64), what;
		uint32_t value = prng_u32(&g);
		bool fixed = !prng_below(&g, 200);

		now += prng_below(&g, 16);
		what = prng_below(&g, 8);
		if (!what) {
			table_del(&t, key);
			model[key].known = false;
		} else if (what < 4) {
			put_both(&t, &model[key], key, value, fixed, now);
		} else {
			gone += get_both(&t, &model[key], key, now);
		}
	}
	assert_true(gone <= t.stats.evictions);
	assert_true(t.stats.aged > 100);
	if (capacity >= 1024)
		assert_int_equal(t.stats.evictions, 0);
	else
		assert_true(t.stats.evictions > 100 && gone > 100);
	check_counts(&t, now);
	table_fini(&t);
}

static void test_random_against_model(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		printf("seed %llu\n", (unsigned long long)seed);
		run_random(seed, 32);
		run_random(seed, 4096);
	}
}

// Keys as they come in life, MAC addresses counted up: a table twice their number holds nearly all.
static void test_counted_keys_spread(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 2048, TSTAMP_NEVER, 7), 0);
	for (uint64_t i = 0; i < 1024; i++)
		table_put(&t, 0x020000000000 + i * 256, 1, false, i);
	// Poisson with mean 2 a set: P(more than 4) = 5.3 %, 0.075 lost a set, 38 of 1024 expected.
	assert_in_range(t.stats.evictions, 10, 80);
	table_fini(&t);
}

// `moved` is when a live entry got another value; a new entry has none.
static void a_move_has_an_instant(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, AGE, 1), 0);
	assert_int_equal(table_put(&t, 7, 70, false, 100)->moved, 0);
	assert_int_equal(table_put(&t, 7, 70, false, 200)->moved, 0);
	assert_int_equal(table_put(&t, 7, 71, false, 300)->moved, 300);
	assert_int_equal(table_put(&t, 7, 71, false, 400)->moved, 300);
	assert_int_equal(table_put(&t, 7, 70, false, 400 + AGE)->moved, 0);
	table_put(&t, 8, 80, true, 0);
	assert_int_equal(table_put(&t, 8, 81, false, 500)->moved, 0); // static: stays
	table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_get_del),
		cmocka_unit_test(test_ageing),
		cmocka_unit_test(a_move_has_an_instant),
		cmocka_unit_test(test_no_ageing),
		cmocka_unit_test(test_eviction),
		cmocka_unit_test(test_static_entries),
		cmocka_unit_test(test_flush_and_walk),
		cmocka_unit_test(test_bad_params),
		cmocka_unit_test(test_random_against_model),
		cmocka_unit_test(test_counted_keys_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
