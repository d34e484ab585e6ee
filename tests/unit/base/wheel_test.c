// SPDX-License-Identifier: BSD-3-Clause
// Tests of the timing wheel: beside a plain array, and how long its heap becomes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/prng.h"
#include "base/wheel.h"
#include "rounds.h"

#define SEEDS 10
#define MOST  1200u // items of the largest wheel beside the array

// A wheel and its expected contents.
struct beside {
	struct wheel w;
	struct prng g;
	uint32_t ids;
	tstamp at[MOST];
	tstamp now; // of the last item that was taken
};

static void empty(void **state)
{
	(void)state;

	struct wheel w;

	assert_int_equal(wheel_init(&w, 0), 0);
	assert_int_equal(wheel_first(&w), TSTAMP_NEVER);
	assert_int_equal(wheel_grow(&w, 2), 0);
	wheel_set(&w, 1, TSTAMP_NEVER);
	assert_int_equal(wheel_first(&w), TSTAMP_NEVER);
	wheel_set(&w, 1, 7);
	assert_int_equal(wheel_first(&w), 7);
	assert_int_equal(wheel_first_id(&w), 1);
	assert_int_equal(wheel_at(&w, 0), TSTAMP_NEVER);
	assert_int_equal(wheel_at(&w, 1), 7);
	wheel_set(&w, 1, TSTAMP_NEVER);
	assert_int_equal(wheel_first(&w), TSTAMP_NEVER);
	wheel_fini(&w);
}

static void begin(struct beside *b, uint64_t seed, uint32_t ids)
{
	print_message("seed %lu, %u items\n", (unsigned long)seed, ids);
	prng_init(&b->g, seed, "wheel");
	b->ids = ids;
	b->now = 0;
	for (uint32_t i = 0; i < ids; i++)
		b->at[i] = TSTAMP_NEVER;
	assert_int_equal(wheel_init(&b->w, ids), 0);
}

static void set(struct beside *b, uint32_t id, tstamp at)
{
	b->at[id] = at;
	wheel_set(&b->w, id, at);
	assert_int_equal(wheel_at(&b->w, id), at);
}

// Takes the first item, in either way.
static void take(struct beside *b, uint32_t id)
{
	b->at[id] = TSTAMP_NEVER;
	if (prng_below(&b->g, 2))
		wheel_take(&b->w);
	else
		wheel_set(&b->w, id, TSTAMP_NEVER);
	assert_int_equal(wheel_at(&b->w, id), TSTAMP_NEVER);
}

// The first of the array is that of the wheel; ids where there is none.
static uint32_t check_first(const struct beside *b)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < b->ids; i++)
		if (b->at[i] < b->at[first])
			first = i;
	assert_int_equal(wheel_first(&b->w), b->at[first]);
	if (b->at[first] == TSTAMP_NEVER)
		return b->ids;
	assert_int_equal(wheel_first_id(&b->w), first);
	return first;
}

static void check_all(const struct beside *b)
{
	for (uint32_t i = 0; i < b->ids; i++)
		assert_int_equal(wheel_at(&b->w, i), b->at[i]);
}

// An instant from now on: near, at the same instant as another, at and beside the edges of slots of
// every level, far away.
static tstamp draw_at(struct beside *b)
{
	tstamp from = b->now, at;
	unsigned bits =
		WHEEL_SLOT_BITS + WHEEL_LEVEL_BITS * (unsigned)prng_below(&b->g, WHEEL_LEVELS);

	switch (prng_below(&b->g, 10)) {
	case 0:
		return from;
	case 1:
		at = b->at[prng_below(&b->g, b->ids)];
		return at == TSTAMP_NEVER ? from : at;
	case 2:
		at = ((from >> bits) + 1 + prng_below(&b->g, 3)) << bits;
		return at < from ? from : at - 1 + prng_below(&b->g, 3);
	case 3:
		return tstamp_add(from, prng_below(&b->g, 1ull << bits));
	case 4:
		return TSTAMP_NEVER - 1 - prng_below(&b->g, 2);
	case 5:
		return TSTAMP_NEVER;
	default:
		return tstamp_add(from, prng_below(&b->g, 10 * PS_PER_US));
	}
}

// Items come, move, go and are taken in turn; what is taken comes back later.
static void beside_an_array(void **state)
{
	static const uint32_t ids[] = {1, 2, 3, 20, 33, 34, 60, 150, 400, MOST};

	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(SEEDS); seed++) {
		static struct beside b;

		begin(&b, seed, ids[seed - 1]);
		for (unsigned step = 0; step < 30000; step++) {
			// Times of many items that come and times of many that are taken.
			bool takes = prng_below(&b.g, 10) < (step / 2000 % 3 ? 8 : 1);
			uint32_t id = check_first(&b);

			if (takes && id < b.ids && b.at[id] < 1ull << 62) {
				b.now = tstamp_max(b.now, b.at[id]);
				take(&b, id);
			} else {
				id = (uint32_t)prng_below(&b.g, b.ids);
			}
			set(&b, id, draw_at(&b));
			// An instant earlier than one that has been taken already.
			if (!prng_below(&b.g, 50))
				set(&b, id, prng_below(&b.g, b.now + 1));
			if (step % 1000 == 0)
				check_all(&b);
		}
		for (uint32_t id; (id = check_first(&b)) < b.ids;)
			take(&b, id);
		assert_int_equal(wheel_first(&b.w), TSTAMP_NEVER);
		wheel_fini(&b.w);
	}
}

// As gaps are: each item that is due goes on by about as much as every other, and time jumps over
// many slots now and then.
static void items_that_go_round(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(SEEDS); seed++) {
		static struct beside b;
		tstamp gap = 1ull << (10 + 5 * seed);

		begin(&b, seed, 700);
		for (uint32_t i = 0; i < b.ids; i++)
			set(&b, i, prng_below(&b.g, gap));
		for (unsigned step = 0; step < 20000; step++) {
			uint32_t id = check_first(&b);

			if (b.at[id] > b.now)
				b.now = b.at[id];
			if (!prng_below(&b.g, 2000))
				b.now += gap / 2;
			set(&b, id, b.now + gap - prng_below(&b.g, gap / 16));
		}
		check_all(&b);
		wheel_fini(&b.w);
	}
}

// Some items are far away, each in a slot of its own or several in one, and the horizon is there
// when many come that are earlier. It moves back, others move meanwhile, and all come out in turn.
static void the_horizon_moves_back(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(SEEDS); seed++) {
		static struct beside b;

		begin(&b, seed, 500);
		for (unsigned round = 0; round < 20; round++) {
			unsigned bits = WHEEL_SLOT_BITS + 2 + (unsigned)prng_below(&b.g, 30);
			tstamp far = b.now + (1ull << bits);
			uint32_t id = 0, n = 34 + (uint32_t)prng_below(&b.g, 100);

			for (; id < n; id++)
				set(&b, id, far + prng_below(&b.g, (1ull << bits) / 16));
			for (; id < b.ids; id++) {
				set(&b, id, b.now + prng_below(&b.g, 1ull << bits));
				check_first(&b);
				if (!prng_below(&b.g, 8))
					set(&b, (uint32_t)prng_below(&b.g, id), draw_at(&b));
			}
			check_all(&b);
			while ((id = check_first(&b)) < b.ids) {
				b.now = tstamp_max(b.now, b.at[id]);
				set(&b, id, TSTAMP_NEVER);
			}
		}
		wheel_fini(&b.w);
	}
}

// All at one instant, and in one slot: they come out by their numbers.
static void equal_instants_go_by_number(void **state)
{
	struct wheel w;

	(void)state;
	assert_int_equal(wheel_init(&w, 5000), 0);
	for (unsigned round = 0; round < 3; round++) {
		tstamp at = round * PS_PER_MS;

		for (uint32_t i = 0; i < 5000; i++)
			wheel_set(&w, i * 7 % 5000, at);
		for (uint32_t i = 0; i < 5000; i++) {
			assert_int_equal(wheel_first(&w), at);
			assert_int_equal(wheel_first_id(&w), i);
			wheel_set(&w, i, at + PS_PER_S);
		}
		for (uint32_t i = 0; i < 5000; i++)
			assert_int_equal(wheel_at(&w, i), at + PS_PER_S);
	}
	wheel_fini(&w);
}

// One item in each slot of each level needs a chunk for each; there is room for that, and for all
// others in one slot.
static void every_slot_is_occupied(void **state)
{
	uint32_t ids = WHEEL_LEVELS * WHEEL_SLOTS + 1000, id = 0, taken = 0;
	struct wheel w;

	(void)state;
	assert_int_equal(wheel_init(&w, ids), 0);
	for (; id <= WHEEL_HEAP; id++)
		wheel_set(&w, id, id ? TSTAMP_NEVER - 1 : 0);
	for (unsigned level = 0; level < WHEEL_LEVELS; level++)
		for (tstamp k = 1; k < WHEEL_SLOTS; k++) {
			unsigned bits = WHEEL_SLOT_BITS + WHEEL_LEVEL_BITS * level;

			if (k << bits >> bits == k)
				wheel_set(&w, id++, k << bits);
		}
	for (; id < ids; id++)
		wheel_set(&w, id, PS_PER_MS);
	for (tstamp last = 0; wheel_first(&w) != TSTAMP_NEVER; taken++) {
		assert_true(wheel_first(&w) >= last);
		last = wheel_first(&w);
		wheel_set(&w, wheel_first_id(&w), TSTAMP_NEVER);
	}
	assert_int_equal(taken, ids);
	wheel_fini(&w);
}

// Items whose gaps are equal stand in order when they come into the row, however many they are: it
// stays a row, and so it does while others are put into it near its end or are taken out of it.
static void equal_gaps_stay_a_row(void **state)
{
	struct wheel w;
	tstamp now = 0;

	(void)state;
	assert_int_equal(wheel_init(&w, 2000), 0);
	for (uint32_t i = 0; i < 2000; i++)
		wheel_set(&w, i, i / 100 * PS_PER_US);
	for (unsigned step = 0; step < 10000; step++) {
		uint32_t id = wheel_first_id(&w);

		assert_true(wheel_first(&w) >= now);
		now = wheel_first(&w);
		wheel_take(&w);
		wheel_set(&w, id, now + 20 * PS_PER_US);
		assert_true(step < 2000 || w.row);
	}
	wheel_fini(&w);
}

// Nor is it more than a row where some gaps are so short that an item comes back among the next
// ones, or is moved or taken out there.
static void short_gaps_stay_a_row(void **state)
{
	struct wheel w;
	tstamp now = 0;

	(void)state;
	assert_int_equal(wheel_init(&w, 2000), 0);
	for (uint32_t i = 0; i < 2000; i++)
		wheel_set(&w, i, i * 50 * PS_PER_NS);
	for (unsigned step = 0; step < 20000; step++) {
		uint32_t id = wheel_first_id(&w), next = wheel_soon(&w, step % 8);

		assert_true(wheel_first(&w) >= now);
		now = wheel_first(&w);
		wheel_take(&w);
		wheel_set(&w, id, now + (id % 500 ? 100 * PS_PER_US : 275 * PS_PER_NS));
		if (next != WHEEL_NONE && next != id)
			wheel_set(&w, next, now + (step % 2 ? 365 * PS_PER_NS : 100 * PS_PER_US));
		assert_true(step < 4000 || w.row);
	}
	wheel_fini(&w);
}

// Items whose gaps are as long as many slots of the second level come down from there a few at a
// time, however many share such a slot: none that is due waits for all of them.
static void a_full_slot_comes_down_in_parts(void **state)
{
	uint32_t ids = 1 << 14, most = 0;
	struct wheel w;

	(void)state;
	assert_int_equal(wheel_init(&w, ids), 0);
	for (uint32_t i = 0; i < ids; i++)
		wheel_set(&w, i, (i * 7919ull % ids) * 200 * PS_PER_NS);
	for (unsigned step = 0; step < 8 * ids; step++) {
		uint32_t above = w.slots->items[1], id = wheel_first_id(&w);

		wheel_set(&w, id, wheel_first(&w) + ids * 200ull * PS_PER_NS);
		if (step >= ids && above > w.slots->items[1] && above - w.slots->items[1] > most)
			most = above - w.slots->items[1];
	}
	assert_in_range(most, 1, 8 * WHEEL_CHUNK);
	wheel_fini(&w);
}

static void growing_keeps_items(void **state)
{
	struct wheel w;

	(void)state;
	assert_int_equal(wheel_init(&w, 1), 0);
	for (uint32_t i = 0; i < 3000; i++) {
		assert_int_equal(wheel_grow(&w, i + 1), 0);
		wheel_set(&w, i, (3000 - i) * PS_PER_US);
		assert_int_equal(wheel_first_id(&w), i);
	}
	for (uint32_t i = 3000; i-- > 0;) {
		assert_int_equal(wheel_first_id(&w), i);
		assert_int_equal(wheel_at(&w, i), (3000 - i) * PS_PER_US);
		wheel_set(&w, i, TSTAMP_NEVER);
	}
	assert_int_equal(wheel_first(&w), TSTAMP_NEVER);
	wheel_fini(&w);
}

// Where the next item is far away and thousands come before it, the heap stays short: the horizon
// moves back.
static void a_far_item_makes_no_long_heap(void **state)
{
	struct wheel w;
	uint32_t ids = 1 << 14;

	(void)state;
	assert_int_equal(wheel_init(&w, ids), 0);
	for (uint32_t i = 0; i < 100; i++)
		wheel_set(&w, i, 10 * PS_PER_S + i * PS_PER_US);
	for (uint32_t i = 100; i < ids; i++) {
		wheel_set(&w, i, PS_PER_S + (i * 7919ull % ids) * PS_PER_US);
		assert_true(w.n <= 8 * WHEEL_HEAP);
	}
	for (uint32_t i = 100; i < ids; i++) {
		wheel_set(&w, wheel_first_id(&w), TSTAMP_NEVER);
		assert_true(w.n <= 8 * WHEEL_HEAP);
	}
	assert_int_equal(wheel_first(&w), 10 * PS_PER_S);
	wheel_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(beside_an_array),
		cmocka_unit_test(items_that_go_round),
		cmocka_unit_test(the_horizon_moves_back),
		cmocka_unit_test(equal_instants_go_by_number),
		cmocka_unit_test(every_slot_is_occupied),
		cmocka_unit_test(equal_gaps_stay_a_row),
		cmocka_unit_test(short_gaps_stay_a_row),
		cmocka_unit_test(a_full_slot_comes_down_in_parts),
		cmocka_unit_test(growing_keeps_items),
		cmocka_unit_test(a_far_item_makes_no_long_heap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
