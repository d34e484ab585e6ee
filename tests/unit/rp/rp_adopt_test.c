// SPDX-License-Identifier: BSD-3-Clause
// Reaction points that take over another configuration, against the closed form.
#include <string.h>

#include "rp_lab.h"

#define US   PS_PER_US
#define LINE (100 * RATE_GBPS)

static struct rp_cfg was, to;
static struct rp rp;

static struct dcqcn_rp_params paper(void)
{
	struct dcqcn_rp_params p;

	assert_int_equal(dcqcn_rp_profile(&p, "paper", LINE), 0);
	return p;
}

// A reaction point after a CNP at 100 us: Rc is half the line's rate, alpha 1.
static void after_a_cnp(const struct dcqcn_rp_params *p)
{
	was = rp_of_dcqcn(p);
	rp_init(&rp, &was, NULL, NULL);
	rp_start(&rp, 0);
	assert_int_equal(rp_cnp(&rp, 100 * US), RP_DECREASE);
	assert_int_equal(rp_rate(&rp), LINE / 2);
}

static void adopt(const struct dcqcn_rp_params *p, tstamp now)
{
	to = rp_of_dcqcn(p);
	assert_true(rp_may_adopt(&was, &to));
	rp_adopt(&rp, &to, now);
}

static rate_t target(void)
{
	struct rp_look look;

	rp_look(&rp, 0, &look);
	return look.rt;
}

static uint64_t alpha(tstamp now)
{
	struct rp_look look;

	rp_look(&rp, now, &look);
	return look.alpha;
}

static void expect_event(enum rp_event e, tstamp at, tstamp now)
{
	tstamp when = 0;

	assert_int_equal(rp_expire(&rp, now, &when, false), e);
	if (e != RP_NONE)
		assert_true(when == at);
}

// T began at the CNP, 100 us.
static void timers_keep_their_begin(void **state)
{
	static const struct {
		tstamp t, due;
	} row[] = {{55 * US, 155 * US}, {70 * US, 170 * US}, {40 * US, 140 * US},
		{20 * US, 130 * US}, {TSTAMP_NEVER, TSTAMP_NEVER}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct dcqcn_rp_params p = paper();

		after_a_cnp(&p);
		p.rate_timer_ps = row[i].t;
		adopt(&p, 130 * US);
		assert_true(rp_deadline(&rp) == row[i].due);
		if (row[i].due == TSTAMP_NEVER)
			continue;
		expect_event(RP_T_FAST_RECOVERY, row[i].due, 200 * US);
		assert_int_equal(rp_rate(&rp), LINE / 4 * 3);
		assert_true(rp_deadline(&rp) == row[i].due + row[i].t);
	}
	// One that was off begins now.
	struct dcqcn_rp_params p = paper();

	p.rate_timer_ps = TSTAMP_NEVER;
	after_a_cnp(&p);
	p.rate_timer_ps = 50 * US;
	adopt(&p, 130 * US);
	assert_true(rp_deadline(&rp) == 180 * US);
}

// Five stages of fast recovery have passed; then each expiry adds the new R_AI to Rt. F and the
// stages stay what they are.
static void steps_are_the_new_ones(void **state)
{
	struct dcqcn_rp_params p = paper();
	rate_t rt = LINE / 10;

	(void)state;
	p.byte_counter = 0;
	p.f = 31;
	after_a_cnp(&p);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(rp_cnp(&rp, 100 * US), RP_DECREASE);
	rt = target();
	assert_int_equal(rt, LINE / 8);
	for (unsigned i = 1; i <= 6; i++)
		expect_event(RP_T_FAST_RECOVERY, (100 + 55 * i) * US, (100 + 55 * i) * US);
	p.f = 3;
	p.fr_convention = RP_FR_N;
	p.hai_progressive = false;
	p.hai_rate = 700 * RATE_MBPS;
	adopt(&p, 440 * US);
	expect_event(RP_T_HYPER_INCREASE, 485 * US, 500 * US);
	assert_int_equal(target(), rt + 700 * RATE_MBPS);
}

// alpha decays by 1 - g with each K: 1/256 until 300 us, then 1/16 with K = 10 us.
static void alpha_has_each_g_in_its_time(void **state)
{
	struct dcqcn_rp_params p = paper();
	double want = 1;
	tstamp at;

	(void)state;
	after_a_cnp(&p);
	p.g = 1.0 / 16;
	p.alpha_timer_ps = 10 * US;
	for (at = 155 * US; at <= 300 * US; at += 55 * US)
		want *= 255.0 / 256;
	while (rp_expire(&rp, 300 * US, &at, false) != RP_NONE)
		;
	adopt(&p, 300 * US); // K began at 265 us: it is due at once
	for (unsigned i = 0; i < 5; i++)
		want *= 15.0 / 16;
	while (rp_expire(&rp, 345 * US, &at, false) != RP_NONE)
		;
	assert_true((double)alpha(345 * US) / 0x1p60 > want * (1 - 1e-12));
	assert_true((double)alpha(345 * US) / 0x1p60 < want * (1 + 1e-12));
}

// 6 MB of 10 have been sent since the cut.
static void the_byte_counter_keeps_its_count(void **state)
{
	static const struct {
		uint64_t b;
		unsigned left; // MB until it expires
	} row[] = {{10000000, 4}, {7000000, 1}, {20000000, 14}, {1000000, 1}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct dcqcn_rp_params p = paper();

		after_a_cnp(&p);
		for (unsigned k = 0; k < 6000; k++)
			assert_int_equal(rp_sent(&rp, 1000, 100 * US), RP_NONE);
		p.byte_counter = row[i].b;
		adopt(&p, 110 * US);
		if (row[i].b < 6000000) { // it has expired with the next frame, once
			assert_int_equal(rp_sent(&rp, 1000, 110 * US), RP_BC_FAST_RECOVERY);
			assert_int_equal(rp_sent(&rp, 1000, 110 * US), RP_NONE);
			continue;
		}
		for (unsigned k = 1; k < 1000 * row[i].left; k++)
			assert_int_equal(rp_sent(&rp, 1000, 110 * US), RP_NONE);
		assert_int_equal(rp_sent(&rp, 1000, 110 * US), RP_BC_FAST_RECOVERY);
	}
}

static void rates_keep_within_their_bounds(void **state)
{
	struct dcqcn_rp_params p = paper();

	(void)state;
	after_a_cnp(&p);
	p.min_rate = 70 * RATE_GBPS;
	adopt(&p, 130 * US);
	assert_int_equal(rp_rate(&rp), 70 * RATE_GBPS);
	assert_int_equal(target(), LINE);
}

// Before its first CNP it takes the new alpha.
static void a_new_one_has_the_new_alpha(void **state)
{
	struct dcqcn_rp_params p = paper();

	(void)state;
	was = rp_of_dcqcn(&p);
	rp_init(&rp, &was, NULL, NULL);
	rp_start(&rp, 0);
	p.initial_alpha = 0.5;
	adopt(&p, 50 * US);
	assert_true(rp_is_new(&rp));
	rp_cnp(&rp, 60 * US);
	assert_int_equal(rp_rate(&rp), LINE / 4 * 3);
}

// The same values again change nothing, whenever they come.
static void equal_values_change_nothing(void **state)
{
	static const char *const profile[] = {"paper", "hpcc_sim_dcqcn", "connectx"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rp_look one, two;
		struct rp a, b;
		tstamp at;

		was = to = rp_of_profile(profile[i], LINE);
		rp_init(&a, &was, NULL, NULL);
		rp_init(&b, &was, NULL, NULL);
		for (tstamp now = 0; now < 2000 * US; now += 7 * US) {
			while (rp_expire(&a, now, &at, false) != RP_NONE)
				;
			while (rp_expire(&b, now, &at, false) != RP_NONE)
				;
			rp_adopt(&b, now / US % 2 ? &was : &to, now);
			if (now % (91 * US) == 0) {
				rp_cnp(&a, now);
				rp_cnp(&b, now);
			}
			rp_sent(&a, 1000, now);
			rp_sent(&b, 1000, now);
			assert_true(rp_deadline(&a) == rp_deadline(&b));
			assert_int_equal(rp_rate(&a), rp_rate(&b));
			rp_look(&a, now, &one);
			rp_look(&b, now, &two);
			assert_int_equal(one.alpha, two.alpha);
			assert_int_equal(one.rt, two.rt);
			assert_int_equal(a.u.dcqcn.bytes_left, b.u.dcqcn.bytes_left);
		}
	}
}

static struct qcn_rp_params qcn_params(void)
{
	return (struct qcn_rp_params){
		.max_rate = LINE,
		.min_rate = 5 * RATE_MBPS,
		.ai_rate = 5 * RATE_MBPS,
		.hai_rate = 50 * RATE_MBPS,
		.time_reset_ps = 15 * PS_PER_MS,
		.byte_reset = 150000,
		.threshold = 5,
		.gd = 7,
		.min_dec_fac = 50,
	};
}

// The rest of a cycle is at most a whole new one.
static void a_cycle_of_qcn_is_no_longer_than_a_new_one(void **state)
{
	struct qcn_rp_params p = qcn_params();
	static struct qcn_rp q;
	tstamp at;

	(void)state;
	was = rp_of_qcn(&p);
	memset(&q, 0, sizeof(q));
	rp_init(&rp, &was, &q, NULL);
	rp_start(&rp, 0);
	assert_int_equal(rp_cnm(&rp, 32, 100 * US), RP_DECREASE);
	assert_true(rp_deadline(&rp) == 15100 * US);
	p.time_reset_ps = PS_PER_MS;
	p.byte_reset = 30000;
	p.ai_rate = RATE_GBPS;
	p.min_rate = 90 * RATE_GBPS;
	to = rp_of_qcn(&p);
	assert_true(rp_may_adopt(&was, &to));
	rp_adopt(&rp, &to, 200 * US);
	assert_int_equal(rp_rate(&rp), 90 * RATE_GBPS);
	assert_true(rp_deadline(&rp) == 1200 * US);
	for (unsigned i = 0; i < 30; i++)
		assert_int_equal(rp_sent(&rp, 1000, 300 * US), RP_NONE);
	assert_int_equal(rp_sent(&rp, 1000, 300 * US), RP_BC_FAST_RECOVERY);
	assert_int_equal(rp_expire(&rp, 1200 * US, &at, false), RP_T_FAST_RECOVERY);
	rp_adopt(&rp, &was, 1300 * US); // a longer one holds from the next cycle on
	assert_true(rp_deadline(&rp) == 2200 * US);
}

static void dctcp_and_timely_keep_their_rates_and_bounds(void **state)
{
	struct dctcp_rp_params d;
	struct timely_rp_params t;
	struct rp_ack ack = {.bytes = 1000, .acked = 1000, .sent = 100000, .ce = true};
	uint64_t window;

	(void)state;
	dctcp_rp_defaults(&d, LINE, false);
	was = to = (struct rp_cfg){.kind = RP_DCTCP};
	assert_int_equal(dctcp_rp_cfg_init(&was.u.dctcp, &d), 0);
	d.g = 0.5;
	assert_int_equal(dctcp_rp_cfg_init(&to.u.dctcp, &d), 0);
	rp_init(&rp, &was, NULL, NULL);
	assert_int_equal(rp_ack(&rp, &ack, US), RP_DECREASE);
	window = rp_window(&rp);
	assert_true(rp_may_adopt(&was, &to));
	rp_adopt(&rp, &to, 2 * US);
	assert_int_equal(rp_window(&rp), window);
	assert_true(rp.u.dctcp.cfg == &to.u.dctcp);

	timely_rp_defaults(&t, LINE, false);
	was = to = (struct rp_cfg){.kind = RP_TIMELY};
	assert_int_equal(timely_rp_cfg_init(&was.u.timely, &t), 0);
	t.min_rate = 60 * RATE_GBPS;
	assert_int_equal(timely_rp_cfg_init(&to.u.timely, &t), 0);
	rp_init(&rp, &was, NULL, NULL);
	ack = (struct rp_ack){.bytes = 20000, .acked = 20000, .sent = 40000, .rtt = 2 * PS_PER_MS};
	assert_int_equal(rp_ack(&rp, &ack, US), RP_DECREASE);
	assert_int_equal(rp_rate(&rp), 40 * RATE_GBPS - 1); // beta (1 - 500 us / 2 ms), rounded
	assert_true(rp_may_adopt(&was, &to));
	rp_adopt(&rp, &to, 2 * US);
	assert_int_equal(rp_rate(&rp), 60 * RATE_GBPS);
}

static void only_what_may_change_does(void **state)
{
	struct dcqcn_rp_params p = paper();
	struct qcn_rp_params q = qcn_params();

	(void)state;
	was = rp_of_dcqcn(&p);
	to = rp_of_qcn(&q);
	assert_false(rp_may_adopt(&was, &to));
	assert_false(rp_may_adopt(&was, NULL));
	assert_true(rp_may_adopt(NULL, NULL));
	p.initial_rate = LINE / 2;
	to = rp_of_dcqcn(&p);
	assert_false(rp_may_adopt(&was, &to));
	p = paper();
	p.reaction = RP_TIMED;
	p.cut_interval_ps = 4 * US;
	to = rp_of_dcqcn(&p);
	assert_false(rp_may_adopt(&was, &to));
	was = rp_of_qcn(&q);
	q.max_rps = 2;
	to = rp_of_qcn(&q);
	assert_false(rp_may_adopt(&was, &to));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers_keep_their_begin),
		cmocka_unit_test(steps_are_the_new_ones),
		cmocka_unit_test(alpha_has_each_g_in_its_time),
		cmocka_unit_test(the_byte_counter_keeps_its_count),
		cmocka_unit_test(rates_keep_within_their_bounds),
		cmocka_unit_test(a_new_one_has_the_new_alpha),
		cmocka_unit_test(equal_values_change_nothing),
		cmocka_unit_test(a_cycle_of_qcn_is_no_longer_than_a_new_one),
		cmocka_unit_test(dctcp_and_timely_keep_their_rates_and_bounds),
		cmocka_unit_test(only_what_may_change_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
