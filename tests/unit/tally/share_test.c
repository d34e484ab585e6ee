// SPDX-License-Identifier: BSD-3-Clause
// Fair shares by hand, and when flows count as converged to them, with counters made by hand.
#include "net_each.h"

#include <math.h>

static struct nic_qp_stats rx[2];
static uint64_t now_ms;

static int open_own(void **state)
{
	open_lab(state);
	assert_int_equal(n.rec->n_flows, 2);
	memset(rx, 0, sizeof(rx));
	for (unsigned i = 0; i < 2; i++)
		n.rec->flow[i].rx = &rx[i];
	now_ms = 0;
	return 0;
}

static double v(const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "group.incast.%s", figure);
	return report_value(n.report, path);
}

// A millisecond in which the flows have such parts of their fair shares.
static void period(double a, double b)
{
	double bytes = n.rec->flow[0].fair_gbps * 125000;

	rx[0].rx_bytes += (uint64_t)(a * bytes + 0.5);
	rx[1].rx_bytes += (uint64_t)(b * bytes + 0.5);
	record_share_take(n.rec, ++now_ms * PS_PER_MS);
}

// Messages of 100,000 bytes, MTU 1024: 98 frames with 58 + 24 bytes besides, and a RETH.
static void two_flows_have_half_a_link(void **state)
{
	double payload = 100000.0 / (100000 + 98 * 82 + 16);

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		assert_float_equal(n.rec->flow[i].fair_gbps, 12.5 * payload, 1e-9);
	net_finish(&n, 1000);
	assert_float_equal(v("fair_gbps"), 12.5 * payload, 1e-9);
	assert_true(isnan(v("converged"))); // no period has passed
	assert_true(isnan(v("t_conv_us_total")));
	assert_true(isnan(v("osc")));
}

static void converged_since_the_last_ms_off(void **state)
{
	(void)state;
	record_warm(n.rec, 0);
	period(1.3, 0.7);
	period(1.05, 0.95);
	period(1, 0.8); // one of them is enough
	for (unsigned i = 0; i < 10; i++)
		period(1.05, 0.95);
	net_finish(&n, now_ms * 1000);
	assert_true(v("converged") == 1);
	assert_float_equal(v("t_conv_us_total"), 3000, 1e-9);
	assert_float_equal(v("off_share_percent"), 100 * 3.0 / 26, 1e-9);
	assert_float_equal(v("osc_converged_total"), 0.1, 1e-3);
	assert_float_equal(v("osc"), (1.05 - 0.8) / ((11 * 2 + 2 + 1.8) / 26), 2e-3);
}

static void never_converged(void **state)
{
	(void)state;
	record_warm(n.rec, 0);
	for (unsigned i = 0; i < 5; i++)
		period(1, 1);
	period(1.11, 1);
	net_finish(&n, now_ms * 1000);
	assert_true(v("converged") == 0);
	assert_true(isinf(v("t_conv_us_total")));
	assert_true(isnan(v("osc_converged_total")));
}

static void fair_from_the_start(void **state)
{
	(void)state;
	record_warm(n.rec, 0);
	period(1.09, 0.91);
	net_finish(&n, now_ms * 1000);
	assert_true(v("converged") == 1);
	assert_true(v("t_conv_us_total") == 0);
}

// T_conv counts from the start, the rest in the window only.
static void the_window_is_apart(void **state)
{
	(void)state;
	record_warm(n.rec, 2 * PS_PER_MS);
	period(0.5, 1);
	period(0.5, 1);
	period(1, 1);
	net_finish(&n, now_ms * 1000);
	assert_float_equal(v("t_conv_us_total"), 2000, 1e-9);
	assert_true(v("off_share_percent") == 0);
	assert_true(v("osc") == 0);
}

// Nothing is judged before the last flow begins, nor after the first has ended.
static void only_while_all_are_there(void **state)
{
	(void)state;
	n.rec->component[n.rec->group[0].share.component].onset = 1500 * PS_PER_US;
	n.rec->group[0].share.settled = 1500 * PS_PER_US;
	n.lab.scene->flow[0]->req.count = 7;
	record_warm(n.rec, 0);
	period(2, 0);
	period(2, 0); // began before the second flow
	period(1.5, 0.5);
	period(1, 1);
	rx[0].message_complete_rx = 7;
	period(0.5, 1.5);
	period(0, 2);
	net_finish(&n, now_ms * 1000);
	assert_true(v("converged") == 1);
	assert_float_equal(v("t_conv_us_total"), 1500, 1e-9);
	assert_float_equal(v("off_share_percent"), 50, 1e-9);
}

// Samples that are closer than a millisecond wait for it, those further apart are one period.
static void periods_last_a_millisecond_at_least(void **state)
{
	(void)state;
	record_warm(n.rec, 0);
	rx[0].rx_bytes = rx[1].rx_bytes = 1;
	record_share_take(n.rec, PS_PER_MS - 1);
	assert_true(n.rec->share_at == 0);
	record_share_take(n.rec, 3 * PS_PER_MS);
	assert_true(n.rec->share_at == 3 * PS_PER_MS);
	net_finish(&n, 3000);
	assert_true(v("off_share_percent") == 100);
	assert_true(n.rec->group[0].share.periods == 2);
}

static void quantiles_of_a_spread(void **state)
{
	static uint32_t bin[REC_SPREAD];
	static struct rec_spread s = {.n = 100, .bin = bin};

	(void)state;
	bin[900] = 5;
	bin[1000] = 90;
	bin[REC_SPREAD - 1] = 5;
	assert_int_equal(record_spread_at(&s, 50), 900);
	assert_int_equal(record_spread_at(&s, 51), 1000);
	assert_int_equal(record_spread_at(&s, 950), 1000);
	assert_int_equal(record_spread_at(&s, 1000), REC_SPREAD - 1);
}

// Values that are few tell what they would tell in bins, also where there come to be too many.
static void few_values_need_no_bins(void **state)
{
	static uint32_t bin[REC_SPREAD];
	struct rec_spread all = {.bin = bin};
	const struct rec_spread *s;

	(void)state;
	record_warm(n.rec, 0);
	for (unsigned i = 1; i <= 2 * REC_SPREAD_FEW; i++) {
		period(0.1 * (i * 7 % 30), 0.1 * (i * 7 % 30)); // two values each
		bin[i * 7 % 30 * 100] += 2;
		all.n += 2;
		all.sum += i * 7 % 30 * 200;
		s = n.rec->group[0].share.window;
		assert_true(s->n == all.n && s->sum == all.sum);
		assert_int_equal(!s->bin, s->n <= REC_SPREAD_FEW);
		for (unsigned permille = 5; permille <= 1000; permille += 5)
			assert_int_equal(
				record_spread_at(s, permille), record_spread_at(&all, permille));
	}
}

#define SEND(name, from, to) \
	"  " name ": {from: " from ", to: " to ", class: 3, message: 1MB, mtu: 1024}\n"

// Three at r: 40 / 4 each, and so for the one that shares the trunk; its companion has what is left
// of it. Two at another receiver have nothing to do with them.
static void max_min_of_a_parking_lot(void **state)
{
	static const char yaml[] =
		"name: lot\nduration: 20us\n"
		"switches:\n"
		"  s1: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: 30KB, headroom: "
		"auto}}}}\n"
		"  s2: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: 30KB, headroom: "
		"auto}}}}\n"
		"hosts: {a1..2: {}, b1..3: {}, r: {}, v: {}, c: {}, d: {}}\n"
		"links:\n"
		"  - {between: [[a1..2, c], s1], rate: 40Gbps, delay: 1us}\n"
		"  - {between: [[b1..3, r, v, d], s2], rate: 40Gbps, delay: 1us}\n"
		"  - {between: [s1, s2], rate: 40Gbps, delay: 1us}\n"
		"flows:\n" SEND("cross", "a1", "r") SEND("local", "b1..3", "r")
			SEND("victim", "a2", "v") SEND("apart", "d", "c");
	struct lab l;

	(void)state;
	lab_open(&l, yaml);
	if (lab_run(&l, NULL, 0, false))
		fail_msg("%s", l.err.text);

	double whole = report_value(l.rec, "group.apart.fair_gbps");

	assert_float_equal(whole, 40 * 1e6 / (1e6 + 977 * 82 + 16), 1e-9);
	assert_float_equal(report_value(l.rec, "group.local.fair_gbps"), whole / 4, 1e-9);
	assert_float_equal(report_value(l.rec, "group.cross.fair_gbps"), whole / 4, 1e-9);
	assert_float_equal(report_value(l.rec, "group.victim.fair_gbps"), whole * 3 / 4, 1e-9);
	assert_int_equal(l.rec->rec->flow[0].component, l.rec->rec->flow[4].component);
	assert_int_not_equal(l.rec->rec->flow[0].component, l.rec->rec->flow[5].component);
	lab_close(&l);
}

#define LAB(f) cmocka_unit_test_setup_teardown(f, open_own, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB(two_flows_have_half_a_link),
		LAB(converged_since_the_last_ms_off),
		LAB(never_converged),
		LAB(fair_from_the_start),
		LAB(the_window_is_apart),
		LAB(only_while_all_are_there),
		LAB(periods_last_a_millisecond_at_least),
		cmocka_unit_test(quantiles_of_a_spread),
		LAB(few_values_need_no_bins),
		cmocka_unit_test(max_min_of_a_parking_lot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
