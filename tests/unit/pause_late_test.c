// SPDX-License-Identifier: BSD-3-Clause
// Tests of algo/pause: frames whose effect is late, and priorities that stop obeying for a while.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "algo/pause.h"

#define Q100G 5120 // ps

// Frames come out in their order, each its delay later; what finds no room joins the newest.
static void late_frames_keep_their_order(void **state)
{
	const struct pause_late_frame *f;
	uint16_t quanta[PAUSE_PRIOS] = {0};
	struct pause_late l;

	(void)state;
	pause_late_init(&l, 100 * RATE_GBPS, 100);
	assert_true(l.delay_ps == 100 * Q100G && l.due == TSTAMP_NEVER);
	assert_null(pause_late_get(&l, TSTAMP_NEVER - 1));
	for (unsigned i = 0; i < PAUSE_LATE + 2; i++) {
		quanta[i % 8] = (uint16_t)(i + 1);
		pause_late_put(&l, (uint8_t)(1 << i % 8), quanta, i);
		assert_true(l.due == 100 * Q100G);
	}
	assert_null(pause_late_get(&l, 100 * Q100G - 1));
	for (unsigned i = 0; i < PAUSE_LATE - 1; i++) {
		f = pause_late_get(&l, 100 * Q100G + 100);
		assert_true(f && f->at == 100 * Q100G + i);
		assert_int_equal(f->enable, 1 << i % 8);
		assert_int_equal(f->quanta[i % 8], i + 1);
	}
	f = pause_late_get(&l, 100 * Q100G + 100);
	assert_int_equal(f->enable, 1 << 7 | 1 << 0 | 1 << 1);
	assert_int_equal(f->quanta[7], 16);
	assert_int_equal(f->quanta[0], 17);
	assert_int_equal(f->quanta[1], 18);
	assert_true(l.due == TSTAMP_NEVER);
	pause_late_put(&l, 1, quanta, 0);
	pause_late_clear(&l);
	assert_null(pause_late_get(&l, TSTAMP_NEVER - 1));
}

// The watchdog's way: what is not obeyed is counted and never paused.
static void a_priority_may_stop_obeying(void **state)
{
	uint16_t quanta[PAUSE_PRIOS] = {[3] = 100};
	struct pause_rx r;

	(void)state;
	pause_rx_init(&r, 100 * RATE_GBPS, 1 << 3, false);
	pause_rx_set(&r, 1 << 3, quanta, 0);
	assert_true(pause_rx_obey(&r, 3, false, 10 * Q100G));
	assert_int_equal(r.paused, 0);
	assert_true(r.next_expiry == TSTAMP_NEVER);
	assert_true(r.stats[3].pause_effective_ps == 10 * Q100G);
	pause_rx_count(&r, 1 << 3, quanta, 20 * Q100G);
	assert_int_equal(pause_rx_set(&r, 1 << 3, quanta, 20 * Q100G), 0);
	assert_int_equal(r.stats[3].xoff_frames, 1);
	assert_false(pause_rx_obey(&r, 3, true, 30 * Q100G));
	assert_int_equal(pause_rx_set(&r, 1 << 3, quanta, 40 * Q100G), 1 << 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_frames_keep_their_order),
		cmocka_unit_test(a_priority_may_stop_obeying),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
