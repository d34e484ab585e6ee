// SPDX-License-Identifier: BSD-3-Clause
// Tests of algo/pause: frames whose effect is late, and priorities that stop obeying for a while.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "algo/pause.h"

#define Q100G 5120 // ps

static struct pause_response late(uint16_t quanta)
{
	struct pause_response l;

	assert_int_equal(pause_response_init(&l, 100 * RATE_GBPS, quanta), 0);
	assert_true(l.delay_ps == quanta * Q100G && l.due == TSTAMP_NEVER);
	assert_null(pause_response_get(&l, TSTAMP_NEVER - 1));
	return l;
}

// As fast as a link brings them each has its own instant, and what is due as one comes may still be
// there.
static void every_late_frame_has_its_instant(void **state)
{
	static const uint16_t response[] = {1, 2, 100, 394, 65535};
	const tstamp wire = 84 * 80;

	(void)state;
	for (unsigned k = 0; k < 5; k++) {
		struct pause_response l = late(response[k]);
		uint64_t out = 0, frames = 3ull * response[k];

		for (uint64_t i = 0; i < frames; i++) {
			const uint16_t quanta[PAUSE_PRIOS] = {[3] = (uint16_t)i};
			const struct pause_response_frame *f;

			while ((f = pause_response_get(&l, i ? i * wire - 1 : 0))) {
				assert_true(f->at == out * wire + l.delay_ps);
				assert_int_equal(f->enable, 1 << 3);
				assert_int_equal(f->quanta[3], (uint16_t)out++);
			}
			pause_response_put(&l, 1 << 3, quanta, i * wire);
			assert_true(l.due == out * wire + l.delay_ps);
		}
		while (pause_response_get(&l, frames * wire + l.delay_ps))
			out++;
		assert_int_equal(out, frames);
		pause_response_fini(&l);
	}
}

// More than a link can bring: what finds no room joins the newest, at its instant.
static void frames_that_find_no_room_join_the_newest(void **state)
{
	const struct pause_response_frame *f;
	uint16_t quanta[PAUSE_PRIOS] = {0};
	struct pause_response l = late(100);

	(void)state;
	for (unsigned i = 0; i < l.size + 2; i++) {
		quanta[i % 8] = (uint16_t)(i + 1);
		pause_response_put(&l, (uint8_t)(1 << i % 8), quanta, i);
		assert_true(l.due == 100 * Q100G);
	}
	assert_null(pause_response_get(&l, 100 * Q100G - 1));
	for (unsigned i = 0; i < l.size - 1; i++) {
		f = pause_response_get(&l, 100 * Q100G + 100);
		assert_true(f && f->at == 100 * Q100G + i);
		assert_int_equal(f->enable, 1 << i % 8);
		assert_int_equal(f->quanta[i % 8], i + 1);
	}
	f = pause_response_get(&l, 100 * Q100G + 100);
	assert_true(f->at == 100 * Q100G + l.size - 1);
	for (unsigned i = l.size - 1; i < l.size + 2; i++) {
		assert_true(f->enable >> i % 8 & 1);
		assert_int_equal(f->quanta[i % 8], i + 1);
	}
	assert_true(l.due == TSTAMP_NEVER);
	pause_response_put(&l, 1, quanta, 0);
	pause_response_clear(&l);
	assert_null(pause_response_get(&l, TSTAMP_NEVER - 1));
	pause_response_fini(&l);
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
		cmocka_unit_test(every_late_frame_has_its_instant),
		cmocka_unit_test(frames_that_find_no_room_join_the_newest),
		cmocka_unit_test(a_priority_may_stop_obeying),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
