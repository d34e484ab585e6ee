// SPDX-License-Identifier: BSD-3-Clause
// How a buffer with two sides divides among shards: headroom to the byte, and an egress side that
// takes all that ingress may hold; what is said to be right is right, and a byte less is not.
#include "sw_box.h"

#include <stdio.h>

#include "base/prng.h"

#define ROUNDS 2000

static struct sw_parts parts;

// Class 3 is lossless: 4 ports, whose groups may take 10000 bytes each.
static struct box *box(uint64_t pool)
{
	struct box *b = box_new();

	b->params.headroom_pool_bytes = pool;
	for (unsigned i = 0; i < BOX_PORTS; i++)
		b->port[i].queue[3].lossless = true;
	return b;
}

static void a_pool_is_divided_by_what_groups_may_take(void **state)
{
	struct box *b = box(30000);

	(void)state;
	b->port[0].pg[3].headroom_bytes = 5000;
	b->port[2].pg[3].headroom_bytes = 5000;
	assert_true(sw_parts(&parts, &b->params, 2));
	assert_int_equal(parts.all_may_take, 30000);
	assert_int_equal(parts.headroom[0], 10000);
	assert_int_equal(parts.headroom[1], 20000);
	b->params.headroom_pool_bytes = 20000;
	assert_true(sw_parts(&parts, &b->params, 2));
	assert_int_equal(parts.headroom[0], 6666);
	assert_int_equal(parts.headroom[1], 13334); // the rest
	assert_int_equal(parts.may_take[1], 20000);
	free(b);
}

static void a_part_holds_what_any_group_may_take(void **state)
{
	struct box *b = box(15000);

	(void)state;
	assert_false(sw_parts(&parts, &b->params, 2));
	assert_int_equal(parts.fault, SW_PARTS_HEADROOM);
	assert_int_equal(parts.has, 7500);
	assert_int_equal(parts.wants, 10000);
	assert_int_equal(parts.right, 20000);
	b->params.headroom_pool_bytes = 19999;
	assert_false(sw_parts(&parts, &b->params, 2));
	b->params.headroom_pool_bytes = 20000;
	assert_true(sw_parts(&parts, &b->params, 2));
	free(b);
}

// The buffer is 1 MB: reserves, shared pool and headroom.
static void lossless_queues_take_all_that_ingress_holds(void **state)
{
	struct box *b = box(0);

	(void)state;
	assert_true(sw_parts(&parts, &b->params, 2));
	b->params.egress_bytes[0] = 999999;
	assert_false(sw_parts(&parts, &b->params, 2));
	assert_int_equal(parts.fault, SW_PARTS_EGRESS);
	assert_int_equal(parts.right, 1000000);
	b->params.ingress_bytes = 800000;
	assert_true(sw_parts(&parts, &b->params, 2));
	b->params.headroom_pool_bytes = 200000;
	assert_false(sw_parts(&parts, &b->params, 2));
	assert_int_equal(parts.wants, 1000000);
	free(b);
}

// All may be in one queue, which has its own reserve and none of the others'.
static void reserves_of_other_queues_do_not_help(void **state)
{
	struct box *b = box(0);

	(void)state;
	b->params.ingress_bytes = 500000;
	for (unsigned i = 0; i < 4; i++)
		b->port[i].queue[3].reserved_bytes = 1000 + i;
	b->params.egress_bytes[0] = 1;
	assert_false(sw_parts(&parts, &b->params, 2));
	assert_int_equal(parts.right, 500000 - 1000 + 4006);
	free(b);
}

static void limits_of_lossless_queues_take_all_too(void **state)
{
	struct box *b = box(0);
	struct mmu_queue_params *q = &b->port[2].queue[3];

	(void)state;
	b->params.ingress_bytes = 500000;
	q->limited = true;
	q->static_bytes = 499999;
	assert_false(sw_parts(&parts, &b->params, 2));
	assert_int_equal(parts.fault, SW_PARTS_LIMIT);
	assert_int_equal(parts.port, 2);
	assert_int_equal(parts.cls, 3);
	assert_int_equal(parts.right, 500000);
	q->static_bytes = parts.right;
	assert_true(sw_parts(&parts, &b->params, 2));
	q->threshold = MMU_DYNAMIC;
	assert_true(sw_parts(&parts, &b->params, 2)); // half of 1 MB
	q->dynamic_th = -1;
	assert_false(sw_parts(&parts, &b->params, 2));
	assert_int_equal(parts.fault, SW_PARTS_DYNAMIC);
	assert_int_equal(parts.right, 1500000);
	b->params.egress_bytes[0] = 1500000;
	assert_true(sw_parts(&parts, &b->params, 2));
	b->params.egress_bytes[0] = 1499999;
	assert_false(sw_parts(&parts, &b->params, 2));
	free(b);
}

// Lossy queues may be early.
static void lossy_queues_are_not_looked_at(void **state)
{
	struct box *b = box(0);

	(void)state;
	b->params.egress_bytes[1] = 1000;
	b->port[1].queue[0] = (struct mmu_queue_params){.limited = true, .static_bytes = 1};
	assert_true(sw_parts(&parts, &b->params, 2));
	free(b);
}

static void parts_are_the_whole(void **state)
{
	struct prng rng;

	(void)state;
	prng_init(&rng, 1, "parts");
	for (unsigned n = 0; n < ROUNDS; n++) {
		unsigned shards = 2 + (unsigned)prng_below(&rng, 3);
		struct box *b = box(1 + prng_below(&rng, 100000));
		uint64_t sum = 0;

		for (unsigned i = 0; i < BOX_PORTS; i++)
			b->port[i].pg[3].headroom_bytes = prng_below(&rng, 20000);
		sw_parts(&parts, &b->params, shards);
		for (unsigned k = 0; k < shards; k++) {
			sum += parts.headroom[k];
			assert_true(b->params.headroom_pool_bytes < parts.all_may_take ||
				    parts.headroom[k] >= parts.may_take[k]);
		}
		assert_int_equal(sum, b->params.headroom_pool_bytes);
		if (parts.fault == SW_PARTS_HEADROOM) {
			b->params.headroom_pool_bytes = parts.right;
			assert_true(sw_parts(&parts, &b->params, shards));
		}
		free(b);
	}
}

// The pool that is asked for is enough for all queues at once, and a byte less is not.
static void what_is_right_is_enough_for_all_queues(void **state)
{
	struct prng rng;

	(void)state;
	printf("seed 1\n");
	prng_init(&rng, 1, "egress");
	for (unsigned n = 0; n < ROUNDS; n++) {
		struct box *b = box(0);

		for (unsigned i = 0; i < BOX_PORTS; i++) {
			struct mmu_queue_params *q = &b->port[i].queue[3];

			q->reserved_bytes = prng_below(&rng, 2) ? prng_below(&rng, 5000) : 0;
			q->limited = prng_below(&rng, 2);
			q->threshold = MMU_DYNAMIC;
			q->dynamic_th = (int)prng_below(&rng, 6) - 3;
		}
		b->params.egress_bytes[0] = 1 + prng_below(&rng, 2000000);
		if (!sw_parts(&parts, &b->params, 2)) {
			uint64_t right = parts.right;

			assert_true(right > b->params.egress_bytes[0]);
			b->params.egress_bytes[0] = right;
			assert_true(sw_parts(&parts, &b->params, 2));
			b->params.egress_bytes[0] = right - 1;
			assert_false(sw_parts(&parts, &b->params, 2));
			assert_int_equal(parts.right, right);
		}
		free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_is_divided_by_what_groups_may_take),
		cmocka_unit_test(a_part_holds_what_any_group_may_take),
		cmocka_unit_test(lossless_queues_take_all_that_ingress_holds),
		cmocka_unit_test(reserves_of_other_queues_do_not_help),
		cmocka_unit_test(limits_of_lossless_queues_take_all_too),
		cmocka_unit_test(lossy_queues_are_not_looked_at),
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(what_is_right_is_enough_for_all_queues),
	};

	return cmocka_run_group_tests_name("sw_parts", tests, NULL, NULL);
}
