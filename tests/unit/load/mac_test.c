// SPDX-License-Identifier: BSD-3-Clause
// MAC control frames that leave without the port's own asking: what is counted and told of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "load/load.h"

#define QUANTUM 5120 // of 100 Gb/s, ps

static struct {
	struct pause_tx t;
	struct ev slot[16];
	struct ev_ring events;
	uint64_t pauses;
} x;

static int start(void **state)
{
	(void)state;
	pause_tx_init(&x.t, 100 * RATE_GBPS);
	x.events = (struct ev_ring){.slot = x.slot, .mask = 15, .want = UINT64_MAX};
	x.pauses = 0;
	return 0;
}

static void leaves(const struct pkt *p, tstamp now)
{
	mac_left(&x.t, &x.events, &x.pauses, p, now);
}

static void told(enum ev_type type, unsigned enable, unsigned quanta, bool whole)
{
	const struct ev *e = ev_get(&x.events);

	assert_non_null(e);
	assert_int_equal(e->type, type);
	assert_int_equal(e->pfc_tx.enable, enable);
	assert_int_equal(e->pfc_tx.quanta, quanta);
	assert_int_equal(e->pfc_tx.whole_link, whole);
}

// One frame may stop classes for different times, and let others go on.
static void each_pause_time_is_told(void **state)
{
	struct pkt p = {.kind = PKT_PFC,
		.u.pfc = {.enable = 0x3e, .quanta = {7, 100, 0, 300, 100, 0, 100, 0}}};

	(void)state;
	leaves(&p, 0);
	told(EV_XOFF_TX, 0x12, 100, false);
	told(EV_XOFF_TX, 0x08, 300, false);
	told(EV_XON_TX, 0x24, 0, false);
	assert_null(ev_get(&x.events));
	pause_tx_account(&x.t, 200 * QUANTUM);
	assert_int_equal(x.t.stats[1].expired, 1);
	assert_int_equal(x.t.stats[1].pause_effective_ps, 100 * QUANTUM);
	assert_int_equal(x.t.stats[3].xoff_frames, 1);
	assert_int_equal(x.t.stats[3].expired, 0);
	assert_int_equal(x.t.stats[5].xon_frames, 1);
	assert_int_equal(x.t.stats[6].xoff_frames, 0); // not enabled
	assert_int_equal(x.pauses, 0);
}

// PAUSE stops all priorities and is no PFC frame of any.
static void pause_stops_the_link(void **state)
{
	struct pkt p = {.kind = PKT_PAUSE, .u.pfc.quanta[0] = 50};

	(void)state;
	leaves(&p, 0);
	told(EV_XOFF_TX, 0xff, 50, true);
	p.u.pfc.quanta[0] = 0;
	leaves(&p, 20 * QUANTUM);
	told(EV_XON_TX, 0xff, 0, true);
	assert_int_equal(x.pauses, 2);
	for (unsigned c = 0; c < PAUSE_PRIOS; c++) {
		assert_int_equal(x.t.stats[c].xoff_frames + x.t.stats[c].xon_frames, 0);
		assert_int_equal(x.t.stats[c].transitions_off, 1);
		assert_int_equal(x.t.stats[c].pause_effective_ps, 20 * QUANTUM);
	}
}

static void other_frames_say_nothing(void **state)
{
	static const enum pkt_kind other[] = {PKT_DATA, PKT_MACCTL, PKT_BAD, PKT_OTHER};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct pkt p = {
			.kind = (uint8_t)other[i], .u.pfc = {.enable = 8, .quanta = {1, 1, 1, 1}}};

		leaves(&p, i);
	}
	assert_null(ev_get(&x.events));
	assert_int_equal(x.t.stats[3].xoff_frames + x.pauses, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_pause_time_is_told, start),
		cmocka_unit_test_setup(pause_stops_the_link, start),
		cmocka_unit_test_setup(other_frames_say_nothing, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
