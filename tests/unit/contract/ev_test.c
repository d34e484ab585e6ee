// SPDX-License-Identifier: BSD-3-Clause
// Tests of the event ring and of event names.
#include "contract/contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void names_are_given_and_differ(void **state)
{
	(void)state;
	for (unsigned i = 0; i < EV_TYPES; i++) {
		assert_non_null(ev_name(i));
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(ev_name(i), ev_name(k));
	}
	assert_string_equal(ev_name(EV_XOFF_TX), "xoff_tx");
	assert_string_equal(ev_name(EV_TYPES), "unknown");
}

static void ring_keeps_order_and_counts_what_is_lost(void **state)
{
	struct ev slot[4];
	struct ev_ring r = {.slot = slot, .mask = 3, .want = 1ull << EV_MARK | 1ull << EV_DROP};

	(void)state;
	memset(slot, 0xff, sizeof(slot));
	r.head = r.tail = UINT32_MAX - 1; // indices may wrap
	for (unsigned i = 0; i < 4; i++) {
		struct ev *e = ev_put(&r, EV_MARK, 100 + i);

		assert_non_null(e);
		assert_int_equal(e->mark.queue_bytes, 0);
		assert_int_equal(e->port, 0);
		e->mark.queue_bytes = i;
	}
	assert_null(ev_put(&r, EV_DROP, 104));
	assert_int_equal(r.lost, 1);
	for (unsigned i = 0; i < 4; i++) {
		const struct ev *e = ev_get(&r);

		assert_non_null(e);
		assert_int_equal(e->type, EV_MARK);
		assert_int_equal(e->t, 100 + i);
		assert_int_equal(e->mark.queue_bytes, i);
	}
	assert_null(ev_get(&r));
	assert_non_null(ev_put(&r, EV_DROP, 105));
	assert_int_equal(ev_get(&r)->t, 105);
	ev_rewind(&r);
	assert_ptr_equal(ev_put(&r, EV_DROP, 106), slot);
	assert_ptr_equal(ev_get(&r), slot);
	assert_null(ev_get(&r));
}

static void unwanted_event_costs_no_slot(void **state)
{
	struct ev slot[1];
	struct ev_ring r = {.slot = slot, .mask = 0, .want = 1ull << EV_DROP};

	(void)state;
	assert_null(ev_put(&r, EV_MARK, 1));
	assert_int_equal(r.lost, 0);
	assert_non_null(ev_put(&r, EV_DROP, 1));
	assert_null(ev_put(&r, EV_MARK, 2)); // full, but unwanted: not lost
	assert_int_equal(r.lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_given_and_differ),
		cmocka_unit_test(ring_keeps_order_and_counts_what_is_lost),
		cmocka_unit_test(unwanted_event_costs_no_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
