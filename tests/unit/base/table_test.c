// SPDX-License-Identifier: BSD-3-Clause
// Lookups, ageing, static entries, eviction within a set, and a naive model.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/have.h"
#include "base/prng.h"
#include "base/table.h"
#include "had.h"

#define AGE 1000

static uint32_t value_of(const struct table *t, uint64_t key, tstamp now)
{
	uint32_t slot = table_get(t, key, now);

	assert_int_not_equal(slot, TABLE_NONE);
	assert_int_equal(table_key(t, slot), key);
	return table_value(t, slot);
}

static void assert_none(const struct table *t, uint64_t key, tstamp now)
{
	assert_int_equal(table_get(t, key, now), TABLE_NONE);
}

static void test_put_get_del(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 100, AGE, 1), 0);
	assert_int_equal(table_slots(&t), 128);
	assert_none(&t, 7, 0);
	assert_int_equal(table_value(&t, table_put(&t, 7, 70, false, 5)), 70);
	assert_int_equal(value_of(&t, 7, 5), 70);
	table_put(&t, 7, 71, false, 6);
	assert_int_equal(value_of(&t, 7, 6), 71);
	assert_int_equal(t.times[table_get(&t, 7, 6)].seen, 6);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.stats.inserts, 1);
	table_del(&t, 8);
	table_del(&t, 7);
	assert_none(&t, 7, 6);
	assert_int_equal(t.n, 0);
	table_fini(&t);
}

// Seen less than max_age ago lives; get does not touch; an aged entry that comes back is a new one.
static void test_ageing(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, AGE, 1), 0);
	table_put(&t, 7, 70, false, 100);
	assert_int_equal(value_of(&t, 7, 100 + AGE - 1), 70);
	assert_none(&t, 7, 100 + AGE);
	assert_int_equal(value_of(&t, 7, 50), 70); // a clock that is behind
	table_put(&t, 7, 71, false, 900);
	assert_int_equal(value_of(&t, 7, 900 + AGE - 1), 71);
	assert_int_equal(t.stats.inserts, 1);
	table_put(&t, 7, 72, false, 900 + AGE);
	assert_int_equal(t.stats.aged, 1);
	assert_int_equal(t.stats.inserts, 2);
	assert_int_equal(t.n, 1);
	table_fini(&t);
}

// To the ps, whatever the coarse time leaves open: at ages from one that it counts in ps to the one
// of 802.1Q, and at instants up to the last one, of which it does not hold all.
static void an_entry_ages_at_its_instant(void **state)
{
	static const tstamp age[] = {1, 2, AGE, 4095, 4096, 8191, 8192, PS_PER_US, PS_PER_S - 1,
		300 * PS_PER_S, 1ull << 62, TSTAMP_NEVER - 1};
	struct prng g;

	(void)state;
	printf("seed 1\n");
	prng_init(&g, 1, "age");
	for (unsigned i = 0; i < 200 * sizeof(age) / sizeof(age[0]); i++) {
		tstamp a = age[i / 200], at = prng_u64(&g) >> prng_below(&g, 64);
		struct table t;

		at = tstamp_min(at, TSTAMP_NEVER - a);
		assert_int_equal(table_init(&t, 4, a, i), 0);
		table_put(&t, i, 5, false, at);
		assert_int_equal(value_of(&t, i, at), 5);
		assert_int_equal(value_of(&t, i, at + a - 1), 5);
		assert_none(&t, i, at + a);
		table_touch(&t, table_get(&t, i, at), at + 1);
		assert_int_equal(value_of(&t, i, at + a), 5);
		table_fini(&t);
	}
}

// A mark is right, and stays valid until a coarse time before the end.
static void a_mark_knows_the_young(void **state)
{
	static const tstamp part[] = {1, 2, 16, 1000};
	struct prng g;

	(void)state;
	printf("seed 2\n");
	prng_init(&g, 2, "mark");
	for (unsigned i = 0; i < 5000; i++) {
		tstamp max = 1 + (prng_u64(&g) >> (12 + prng_below(&g, 50)));
		tstamp age = 1 + max / part[i % 4], at = prng_u64(&g) >> (1 + prng_below(&g, 63));
		tstamp since = prng_below(&g, 2 * age), now = at + since;
		struct table t;
		bool says;

		assert_int_equal(table_init(&t, 4, max, i), 0);

		tstamp coarse = 1ull << t.coarse_bits;
		uint32_t slot = table_put(&t, i, 5, false, at);

		assert_true(coarse <= max / 4096 + 1);
		says = table_mark(&t, slot) > table_mark_since(&t, age, now);
		if (since >= age)
			assert_false(says);
		if (since + coarse < age && at >> t.coarse_bits < TABLE_FIXED - 2)
			assert_true(says);
		table_put(&t, i, 5, true, at);
		assert_true(table_mark(&t, slot) > table_mark_since(&t, age, now));
		table_fini(&t);
	}
}

static void test_no_ageing(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, TSTAMP_NEVER, 1), 0);
	table_put(&t, 7, 70, false, 0);
	assert_int_equal(value_of(&t, 7, TSTAMP_NEVER - 1), 70);
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
	assert_none(&t, 1, 40);
	assert_int_equal(t.stats.evictions, 1);
	assert_int_equal(t.n, 4);
	table_put(&t, 5, 5, false, 20 + AGE); // key 2 has aged
	assert_int_equal(t.stats.evictions, 1);
	assert_int_equal(t.stats.aged, 1);
	assert_none(&t, 2, 21);
	table_fini(&t);
}

// Keys of which one half agrees are told apart, in one set and at any way.
static void half_a_key_is_no_key(void **state)
{
	static const uint64_t key[] = {
		0, 1, 1ull << 32, 1ull << 32 | 1, UINT32_MAX, (uint64_t)UINT32_MAX << 32};
	struct table t;

	(void)state;
	for (unsigned skip = 0; skip < 6; skip++) {
		assert_int_equal(table_init(&t, 4, AGE, 1), 0);
		for (unsigned i = skip; i < skip + 4; i++)
			table_put(&t, key[i % 6], i % 6, false, 1);
		for (unsigned i = skip; i < skip + 4; i++)
			assert_int_equal(value_of(&t, key[i % 6], 1), i % 6);
		assert_none(&t, key[(skip + 4) % 6], 1);
		assert_none(&t, key[(skip + 5) % 6], 1);
		table_fini(&t);
	}
}

static void test_static_entries(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, AGE, 1), 0);
	for (uint64_t key = 0; key < 3; key++)
		table_put(&t, key, 10, true, 0);
	assert_int_equal(value_of(&t, 0, 100 * AGE), 10);
	table_put(&t, 0, 11, false, 5); // learning does not move a static entry
	assert_int_equal(value_of(&t, 0, 5), 10);
	table_put(&t, 0, 12, true, 6);
	assert_int_equal(value_of(&t, 0, 6), 12);
	table_put(&t, 8, 1, false, 10);
	table_put(&t, 9, 1, false, 11); // only one way is left to learn into
	assert_none(&t, 8, 11);
	table_put(&t, 9, 2, true, 12); // a learned entry becomes static
	assert_int_equal(value_of(&t, 9, 12), 2);
	assert_int_equal(table_put(&t, 10, 1, false, 13), TABLE_NONE);
	assert_int_equal(table_put(&t, 10, 1, true, 13), TABLE_NONE);
	assert_int_equal(t.stats.full, 2);
	table_del(&t, 9); // by name even a static one goes
	assert_int_not_equal(table_put(&t, 10, 1, false, 14), TABLE_NONE);
	table_fini(&t);
}

static bool keep_port(uint32_t value, void *arg)
{
	return value == *(const uint32_t *)arg;
}

static void test_flush_and_walk(void **state)
{
	uint32_t port = 1, at = 0, seen = 0;
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 256, AGE, 99), 0);
	for (uint64_t key = 0; key < 30; key++)
		table_put(&t, key, (uint32_t)key % 3, key < 3, key);
	for (uint32_t slot; (slot = table_next(&t, &at, 29)) != TABLE_NONE; seen++)
		assert_int_equal(table_value(&t, slot), table_key(&t, slot) % 3);
	assert_int_equal(seen, 30);
	assert_int_equal(table_next(&t, &at, 29), TABLE_NONE);

	at = seen = 0;
	while (table_next(&t, &at, 9 + AGE) != TABLE_NONE) // keys 3 to 9 have aged
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

// A plain model: every slot, and its expected fate. The table says which set a key is in.
struct model {
	struct {
		bool used, fixed;
		uint64_t key;
		uint32_t value;
		tstamp seen, moved;
	} e[4096];
	tstamp age;
	struct table_stats stats;
};

static bool model_live(const struct model *m, uint32_t slot, tstamp now)
{
	return m->e[slot].used &&
	       (m->e[slot].fixed || now < m->e[slot].seen || now - m->e[slot].seen < m->age);
}

static uint32_t model_find(const struct model *m, uint32_t first, uint64_t key)
{
	for (uint32_t slot = first; slot < first + TABLE_WAYS; slot++)
		if (m->e[slot].used && m->e[slot].key == key)
			return slot;
	return TABLE_NONE;
}

static uint32_t model_get(const struct model *m, uint32_t first, uint64_t key, tstamp now)
{
	uint32_t slot = model_find(m, first, key);

	return slot != TABLE_NONE && model_live(m, slot, now) ? slot : TABLE_NONE;
}

// The first free way; else the one seen longest ago, of several the first.
static uint32_t model_room(struct model *m, uint32_t first, tstamp now)
{
	uint32_t oldest = TABLE_NONE;

	for (uint32_t slot = first; slot < first + TABLE_WAYS; slot++)
		if (!m->e[slot].used)
			return slot;
	for (uint32_t slot = first; slot < first + TABLE_WAYS; slot++)
		if (!m->e[slot].fixed &&
			(oldest == TABLE_NONE || m->e[slot].seen < m->e[oldest].seen))
			oldest = slot;
	if (oldest == TABLE_NONE)
		m->stats.full++;
	else if (model_live(m, oldest, now))
		m->stats.evictions++;
	else
		m->stats.aged++;
	return oldest;
}

static uint32_t model_put(
	struct model *m, uint32_t first, uint64_t key, uint32_t value, bool fixed, tstamp now)
{
	uint32_t slot = model_find(m, first, key);

	if (slot != TABLE_NONE && !model_live(m, slot, now)) {
		m->stats.aged++;
		m->e[slot].used = false;
		slot = TABLE_NONE;
	}
	if (slot == TABLE_NONE) {
		slot = model_room(m, first, now);
		if (slot == TABLE_NONE)
			return TABLE_NONE;
		m->stats.inserts++;
		m->e[slot].used = true;
		m->e[slot].fixed = fixed;
		m->e[slot].key = key;
		m->e[slot].value = value;
		m->e[slot].moved = 0;
	} else if (fixed || !m->e[slot].fixed) {
		m->e[slot].moved = m->e[slot].value == value ? m->e[slot].moved : now;
		m->e[slot].value = value;
		m->e[slot].fixed |= fixed;
	}
	m->e[slot].seen = now;
	return slot;
}

static void check_slots(const struct table *t, const struct model *m)
{
	uint32_t used = 0;

	for (uint32_t slot = 0; slot < table_slots(t); slot++) {
		used += m->e[slot].used;
		assert_int_equal(table_mark(t, slot) != 0, m->e[slot].used);
		if (!m->e[slot].used)
			continue;
		assert_int_equal(table_is_fixed(t, slot), m->e[slot].fixed);
		assert_int_equal(table_key(t, slot), m->e[slot].key);
		assert_int_equal(table_value(t, slot), m->e[slot].value);
		assert_int_equal(t->times[slot].seen, m->e[slot].seen);
		assert_int_equal(t->times[slot].moved, m->e[slot].moved);
	}
	assert_int_equal(t->n, used);
	assert_memory_equal(&t->stats, &m->stats, sizeof(m->stats));
}

// Every key at this instant, and at the two around the one at which it ages.
static void check_keys(
	const struct table *t, const struct model *m, const uint64_t *key, unsigned n, tstamp now)
{
	for (unsigned i = 0; i < n; i++) {
		const struct table_set *set = table_set_of(t, key[i]);
		uint32_t first = table_slot(t, set, 0), slot = model_find(m, first, key[i]);
		tstamp end = slot != TABLE_NONE ? tstamp_add(m->e[slot].seen, m->age) : now;
		const tstamp at[] = {now, end - 1, end};

		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(table_find(t, set, key[i], at[k]),
				model_get(m, first, key[i], at[k]));
	}
}

static bool odd(uint32_t value, void *arg)
{
	(void)arg;
	return value & 1;
}

static void flush_both(struct table *t, struct model *m)
{
	uint32_t gone = 0;

	for (uint32_t slot = 0; slot < table_slots(t); slot++)
		if (m->e[slot].used && !m->e[slot].fixed && !(m->e[slot].value & 1)) {
			m->e[slot].used = false;
			gone++;
		}
	assert_int_equal(table_flush(t, odd, NULL), gone);
}

// Keys by halves that recur, so that all of them have one in common with many others.
static uint64_t draw_key(struct prng *g)
{
	static const uint32_t half[] = {0, 1, 2, 3, 0x200, 0x7fffffff, 0x80000000, UINT32_MAX};

	return (uint64_t)half[prng_below(g, 8)] << 32 | half[prng_below(g, 8)];
}

static void step_both(struct table *t, struct model *m, uint64_t key, struct prng *g, tstamp now)
{
	uint32_t first = table_slot(t, table_set_of(t, key), 0), slot = model_find(m, first, key);
	uint32_t value = prng_u32(g) & 3;
	bool fixed = !prng_below(g, 1500);
	unsigned what = (unsigned)prng_below(g, 16);

	if (what == 0) {
		table_del(t, key);
		if (slot != TABLE_NONE)
			m->e[slot].used = false;
	} else if (what < 10) {
		assert_int_equal(table_put(t, key, value, fixed, now),
			model_put(m, first, key, value, fixed, now));
	} else if (what < 14 && slot != TABLE_NONE) {
		table_touch(t, slot, now);
		m->e[slot].seen = now;
	} else if (what == 14 && !prng_below(g, 20)) {
		flush_both(t, m);
	}
}

// The next instant; where something is to age, often one next to which the key does, or next to
// which a coarse time begins.
static tstamp draw_instant(const struct table *t, const struct model *m, uint64_t key,
	struct prng *g, bool ages, tstamp now)
{
	uint32_t slot = model_find(m, table_slot(t, table_set_of(t, key), 0), key);
	tstamp coarse = 1ull << t->coarse_bits, to = now + prng_below(g, t->max_age / 256 + 2);

	if (ages && slot != TABLE_NONE && !prng_below(g, 2))
		to = tstamp_max(now, m->e[slot].seen + m->age - prng_below(g, 3));
	else if (ages && !prng_below(g, 8))
		to = (to / coarse + 1) * coarse - prng_below(g, 2);
	return to;
}

static void run_random(uint64_t seed, uint32_t capacity, tstamp age, tstamp from)
{
	static struct model m;
	uint64_t key[48];
	struct table t;
	struct prng g;
	tstamp now = from;

	printf("seed %llu, %u entries, age %llu, from %llu\n", (unsigned long long)seed, capacity,
		(unsigned long long)age, (unsigned long long)from);
	prng_init(&g, seed, "table");
	m = (struct model){.age = age};
	assert_int_equal(table_init(&t, capacity, age, seed), 0);
	for (unsigned i = 0; i < 48; i++)
		key[i] = draw_key(&g);
	for (unsigned step = 0; step < 6000; step++) {
		uint64_t of = key[prng_below(&g, 48)];

		now = draw_instant(&t, &m, of, &g, step / 500 & 1, now);
		step_both(&t, &m, of, &g, now);
		if (capacity < 1024 || step % 100 == 0)
			check_slots(&t, &m);
		check_keys(&t, &m, key, 48, now);
	}
	assert_true(t.stats.aged > 100);
	if (capacity < 1024)
		assert_true(t.stats.evictions > 100);
	else
		assert_int_equal(t.stats.evictions, 0);
	table_fini(&t);
}

static void a_table_has_its_memory(void **state)
{
	const struct table_times *last;
	struct table t;

	(void)state;
	had_begin();
	assert_int_equal(table_init(&t, 1 << 21, 1000, 1), 0);
	table_have(&t, had_tell);
	last = &t.times[table_slots(&t)];
	assert_int_equal(had.n, 1);
	assert_ptr_equal(had.area[0].from, t.set);
	assert_ptr_equal(had.area[0].from + had.area[0].bytes, last);
	assert_int_equal(had_missing(), 0);
	assert_int_equal((uintptr_t)t.set % HAVE_LARGE, 0);
	assert_int_equal(table_get(&t, 5, 1), TABLE_NONE);
	assert_int_not_equal(table_put(&t, 5, 7, false, 1), TABLE_NONE);
	assert_int_equal(table_value(&t, table_get(&t, 5, 1)), 7);
	table_fini(&t);
}

// Ages whose coarse times are 1 ps, some ps and 69 ms; from the start, and where coarse times of
// the shorter ones no longer fit.
static void test_random_against_model(void **state)
{
	static const tstamp age[] = {AGE, 50000, 300 * PS_PER_S};
	static const tstamp from[] = {0, (1ull << 30) - 2 * AGE, 1ull << 40};

	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		run_random(1 + i, 4, age[i / 3], from[i % 3]);
		run_random(20 + i, 16, age[i / 3], from[i % 3]);
		run_random(40 + i, 4096, age[i / 3], from[i % 3]);
	}
}

// Of so many keys counted up in one field or in two, those that find no room at two a set.
static uint64_t too_many(unsigned low, unsigned low_bits, unsigned high, uint64_t salt)
{
	struct table t;
	uint64_t gone;

	assert_int_equal(table_init(&t, 8192, TSTAMP_NEVER, salt), 0);
	for (uint64_t i = 0; i < 4096; i++)
		table_put(&t,
			(0x020000000000 + ((i & ((1u << low_bits) - 1)) << low)) ^
				(i >> low_bits << high),
			1, false, i);
	gone = t.stats.evictions;
	table_fini(&t);
	return gone;
}

// Keys as they come in life, MAC addresses and VLANs counted up: a table twice their number holds
// nearly all, in whatever byte that is done. By Poisson with mean 2 a set, 0.075 are lost a set,
// 154 of 4096.
static void test_counted_keys_spread(void **state)
{
	(void)state;
	for (unsigned low = 0; low <= 48; low += 8)
		for (unsigned high = 0; high <= 48; high += 8)
			for (uint64_t salt = 1; salt <= 3; salt++)
				assert_in_range(
					too_many(low, high == low ? 12 : 6, high, salt), 100, 220);
}

static tstamp moved_at(struct table *t, uint64_t key, uint32_t value, tstamp now)
{
	return t->times[table_put(t, key, value, false, now)].moved;
}

// `moved` is when a live entry got another value; a new entry has none.
static void a_move_has_an_instant(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, 4, AGE, 1), 0);
	assert_int_equal(moved_at(&t, 7, 70, 100), 0);
	assert_int_equal(moved_at(&t, 7, 70, 200), 0);
	assert_int_equal(moved_at(&t, 7, 71, 300), 300);
	assert_int_equal(moved_at(&t, 7, 71, 400), 300);
	assert_int_equal(moved_at(&t, 7, 70, 400 + AGE), 0);
	table_put(&t, 8, 80, true, 0);
	assert_int_equal(moved_at(&t, 8, 81, 500), 0); // static: stays
	table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_get_del),
		cmocka_unit_test(test_ageing),
		cmocka_unit_test(an_entry_ages_at_its_instant),
		cmocka_unit_test(a_mark_knows_the_young),
		cmocka_unit_test(a_move_has_an_instant),
		cmocka_unit_test(test_no_ageing),
		cmocka_unit_test(test_eviction),
		cmocka_unit_test(half_a_key_is_no_key),
		cmocka_unit_test(test_static_entries),
		cmocka_unit_test(test_flush_and_walk),
		cmocka_unit_test(test_bad_params),
		cmocka_unit_test(a_table_has_its_memory),
		cmocka_unit_test(test_random_against_model),
		cmocka_unit_test(test_counted_keys_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
