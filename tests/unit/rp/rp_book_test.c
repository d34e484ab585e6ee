// SPDX-License-Identifier: BSD-3-Clause
// The average rate and stages of a reaction point, added up by hand.
#include "rp/rp_book.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define LINE (100 * RATE_GBPS)
#define US   PS_PER_US

static unsigned long long gbps_us(const struct rp_book *b)
{
	return (unsigned long long)(b->rate_ps / ((unsigned __int128)RATE_GBPS * US));
}

static void times_and_events_are_those_of_the_window(void **state)
{
	tstamp window = 10 * US;
	struct rp_book b;

	(void)state;
	rp_book_init(&b, &window, LINE, LINE);
	rp_book_add(&b, RP_DECREASE, 50 * RATE_GBPS, LINE, 4 * US);
	rp_book_add(&b, RP_DECREASE, 25 * RATE_GBPS, 50 * RATE_GBPS, 12 * US);
	rp_book_add(&b, RP_T_ADDITIVE_INCREASE, 30 * RATE_GBPS, 60 * RATE_GBPS, 16 * US);
	rp_book_upto(&b, 20 * US);
	assert_int_equal(gbps_us(&b), 2 * 50 + 4 * 25 + 4 * 30);
	assert_int_equal(b.stage_ps[RP_STAGE_LINE_RATE], 0);
	assert_int_equal(b.stage_ps[RP_STAGE_FAST_RECOVERY], 6 * US);
	assert_int_equal(b.stage_ps[RP_STAGE_ADDITIVE_INCREASE], 4 * US);
	assert_int_equal(b.events[RP_DECREASE], 1);
	assert_int_equal(b.events[RP_T_ADDITIVE_INCREASE], 1);
	assert_int_equal(b.since, 20 * US);
}

// An event at the window's begin counts; one that comes late takes no time back.
static void edges(void **state)
{
	tstamp window = 10 * US;
	struct rp_book b;

	(void)state;
	rp_book_init(&b, &window, 50 * RATE_GBPS, LINE);
	assert_int_equal(b.stage, RP_STAGE_FAST_RECOVERY);
	rp_book_add(&b, RP_BC_HYPER_INCREASE, 60 * RATE_GBPS, LINE, 10 * US);
	assert_int_equal(b.events[RP_BC_HYPER_INCREASE], 1);
	rp_book_upto(&b, 15 * US);
	rp_book_add(&b, RP_WRITTEN, 10 * RATE_GBPS, LINE, 14 * US);
	assert_int_equal(b.since, 15 * US);
	assert_int_equal(b.stage, RP_STAGE_HYPER_INCREASE);
	rp_book_upto(&b, 16 * US);
	assert_int_equal(gbps_us(&b), 5 * 60 + 10);
	assert_int_equal(b.stage_ps[RP_STAGE_HYPER_INCREASE], 6 * US);
}

static void each_event_has_its_stage(void **state)
{
	static const struct {
		enum rp_event e;
		enum rp_stage stage;
	} want[] = {
		{RP_DECREASE, RP_STAGE_FAST_RECOVERY},
		{RP_BC_FAST_RECOVERY, RP_STAGE_FAST_RECOVERY},
		{RP_T_FAST_RECOVERY, RP_STAGE_FAST_RECOVERY},
		{RP_BC_ADDITIVE_INCREASE, RP_STAGE_ADDITIVE_INCREASE},
		{RP_T_ADDITIVE_INCREASE, RP_STAGE_ADDITIVE_INCREASE},
		{RP_ACK_ADDITIVE_INCREASE, RP_STAGE_ADDITIVE_INCREASE},
		{RP_BC_HYPER_INCREASE, RP_STAGE_HYPER_INCREASE},
		{RP_T_HYPER_INCREASE, RP_STAGE_HYPER_INCREASE},
		{RP_ACK_HYPER_INCREASE, RP_STAGE_HYPER_INCREASE},
		{RP_CNP, RP_STAGE_LINE_RATE}, // as it was
		{RP_EVENTS, RP_STAGE_LINE_RATE},
	};
	struct rp_book b;
	tstamp window = 0;

	(void)state;
	rp_book_init(&b, &window, LINE, LINE);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(rp_book_stage(&b, want[i].e, 1, LINE), want[i].stage);
		assert_int_equal(rp_book_stage(&b, want[i].e, LINE, LINE), RP_STAGE_LINE_RATE);
	}
}

// At once: the CNP of the same instant. By a timer: the first CNP since the last cut. A gap that is
// over holds nothing back, what starts does not cut, and a cut may be told behind the next CNP.
static void a_cut_answers_its_cnp(void **state)
{
	tstamp window = 5 * US;
	struct rp_book b;

	(void)state;
	rp_book_init(&b, &window, LINE, LINE);
	assert_int_equal(rp_book_cut(&b, 12 * US, 10 * US), TSTAMP_NEVER);
	rp_book_notified(&b, 3 * US);
	assert_int_equal(rp_book_cut(&b, 6 * US, 3 * US), TSTAMP_NEVER);
	rp_book_notified(&b, 10 * US);
	assert_int_equal(rp_book_cut(&b, 12 * US, 10 * US), 2 * US);
	rp_book_notified(&b, 20 * US);
	rp_book_notified(&b, 22 * US);
	assert_int_equal(rp_book_cut(&b, 26 * US, 24 * US), 6 * US);
	assert_int_equal(rp_book_cut(&b, 29 * US, 28 * US), TSTAMP_NEVER);
	rp_book_notified(&b, 30 * US);
	assert_int_equal(rp_book_cut(&b, 32 * US, 32 * US), TSTAMP_NEVER);
	rp_book_notified(&b, 40 * US);
	rp_book_add(&b, RP_START, LINE, LINE, 40 * US);
	assert_int_equal(rp_book_cut(&b, 44 * US, 42 * US), TSTAMP_NEVER);
	rp_book_notified(&b, 50 * US);
	rp_book_notified(&b, 60 * US);
	assert_int_equal(rp_book_cut(&b, 58 * US, 55 * US), 8 * US);
	assert_int_equal(rp_book_cut(&b, 63 * US, 60 * US), 3 * US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_and_events_are_those_of_the_window),
		cmocka_unit_test(edges),
		cmocka_unit_test(each_event_has_its_stage),
		cmocka_unit_test(a_cut_answers_its_cnp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
