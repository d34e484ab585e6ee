// SPDX-License-Identifier: BSD-3-Clause
// Wire rate over Rc and the time until a cut is felt, with counters and events made by hand.
#include "net_each.h"

#include <math.h>

static struct nic_qp_stats tx;
static uint64_t now_us;

static int open_own(void **state)
{
	open_lab(state);
	memset(&tx, 0, sizeof(tx));
	n.rec->flow[0].tx = &tx;
	n.rec->flow[1].rp = false;
	record_warm(n.rec, 0);
	now_us = 0;
	return 0;
}

static double v(const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "group.incast.%s", figure);
	return report_value(n.report, path);
}

// 100 us in which frames of 980 bytes with FCS leave, 1000 with preamble and gap.
static void period(unsigned frames)
{
	tx.data_frames_tx += frames;
	tx.wire_bytes_tx += 980ull * frames;
	now_us += 100;
	record_rate_take(n.rec, now_us * PS_PER_US);
}

static void rate(uint64_t us, uint64_t gbps)
{
	struct ev *e = net_event(&n, n.h1, us, EV_RP);

	e->reaction = RP_T_ADDITIVE_INCREASE;
	e->rp.rc = e->rp.rt = gbps * RATE_GBPS;
}

// 25 Gb/s for 100 us are 312.5 frames of 1000 bytes.
static void as_allowed_and_not(void **state)
{
	(void)state;
	rate(100, 8); // 100 frames
	for (unsigned i = 0; i < 98; i++)
		period(i ? 100 : 312);
	period(90);
	period(110);
	net_finish(&n, now_us);
	assert_float_equal(v("rate_err_p50"), 0, 1e-9);
	assert_float_equal(v("rate_err_p1"), -0.1, 1e-9);
	assert_float_equal(v("rate_err_p99"), 0, 1e-9);
}

// Half of the time at 8, half at 16 Gb/s: 150 frames. The change is told after the sample.
static void a_rate_that_is_told_late(void **state)
{
	(void)state;
	rate(0, 8);
	period(150);
	rate(50, 16);
	net_finish(&n, 100);
	assert_float_equal(v("rate_err_p50"), 0, 1e-9);
	assert_float_equal(v("rate_err_p1"), 0, 1e-9);
}

static void who_has_nothing_to_send_is_left_out(void **state)
{
	(void)state;
	rate(0, 8);
	period(100);
	for (unsigned i = 0; i < 9; i++)
		period(0);
	net_finish(&n, now_us);
	assert_float_equal(v("rate_err_p1"), 0, 1e-9);
}

static void a_period_lasts_100_us_at_least(void **state)
{
	(void)state;
	rate(0, 8);
	tx.data_frames_tx = 50;
	tx.wire_bytes_tx = 50 * 980;
	record_rate_take(n.rec, 99 * PS_PER_US);
	tx.data_frames_tx = 100;
	tx.wire_bytes_tx = 100 * 980;
	record_rate_take(n.rec, 100 * PS_PER_US);
	net_finish(&n, 100);
	assert_float_equal(v("rate_err_p1"), 0, 1e-9);
	assert_float_equal(v("rate_err_p99"), 0, 1e-9);
}

static void the_window_begins_late(void **state)
{
	(void)state;
	n.rec->warm = 150 * PS_PER_US;
	period(1);
	period(1);
	net_finish(&n, now_us);
	assert_true(isnan(v("rate_err_p50")));
}

static void cut(uint64_t us, uint64_t next_us)
{
	net_event(&n, n.h1, us, EV_CUT)->cut.next = next_us * PS_PER_US;
}

// At once: 2 us. By a timer, for CNPs at 20 and 22 us: 26 - 20. A gap that was over holds nothing
// back, and a CNP that changed nothing is not what the next cut answers.
static void time_until_a_cut_is_felt(void **state)
{
	(void)state;
	net_event(&n, n.h1, 10, EV_CNP_RX);
	cut(10, 12);
	net_event(&n, n.h1, 20, EV_CNP_RX);
	net_event(&n, n.h1, 22, EV_CNP_RX);
	cut(24, 26);
	net_event(&n, n.h1, 30, EV_CNP_RX);
	cut(31, 31);
	net_event(&n, n.h1, 40, EV_CNP_RX);
	net_event(&n, n.h1, 90, EV_CNP_RX);
	cut(90, 94);
	cut(200, 300); // of itself
	net_finish(&n, 1000);
	assert_true(n.rec->group[0].cut->n == 3);
	assert_true(hist_min(n.rec->group[0].cut) == 2 * PS_PER_US);
	assert_float_equal(v("t_cut_p50_us"), 4, 0.04);
	assert_float_equal(v("t_cut_p99_us"), 6, 0.06);
}

// A timer cuts at 30 us for the CNP at 20, and again at 35 for none, but is caught up with by the
// CNP at 50, which the cut at 60 answers.
static void a_cut_that_is_told_late(void **state)
{
	(void)state;
	net_event(&n, n.h1, 20, EV_CNP_RX);
	net_event(&n, n.h1, 50, EV_CNP_RX);
	cut(30, 32);
	cut(35, 39);
	cut(60, 70);
	net_finish(&n, 1000);
	assert_true(n.rec->group[0].cut->n == 2);
	assert_true(hist_min(n.rec->group[0].cut) == 12 * PS_PER_US);
	assert_true(n.rec->group[0].cut->max == 20 * PS_PER_US);
}

// A flow without an RTT has no such figure; RTTs before the window do not count.
static void rtts_of_the_window(void **state)
{
	(void)state;
	n.rec->warm = 20 * PS_PER_US;
	net_event(&n, n.h1, 10, EV_RTT)->rtt.rtt_ps = 100 * PS_PER_US;
	net_event(&n, n.h1, 20, EV_RTT)->rtt.rtt_ps = 5 * PS_PER_US;
	net_event(&n, n.h1, 30, EV_RTT)->rtt.rtt_ps = 7 * PS_PER_US;
	net_finish(&n, 1000);
	assert_float_equal(v("rtt_min_us"), 5, 0.001);
	assert_float_equal(v("rtt_p99_us"), 7, 0.06);
	assert_float_equal(v("rtt_max_us"), 7, 0.001);
}

// Of 600 flows in two groups every third is sampled, from flow 0 on, and the second group's first.
static void some_of_many_flows(void **state)
{
	const struct scene_set set[] = {{"flows.incast.qps", "256"},
		{"flows.more", "{from: h1, to: r, qps: 88, control: dcqcn}"},
		{"duration", "600us"}};
	const struct record *r;

	(void)state;
	lab_open(&n.lab, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&n.lab, set, 3, false), 0);
	r = n.lab.rec->rec;
	assert_int_equal(r->n_flows, 600);
	assert_int_equal(r->n_rated, 200 + (512 % 3 != 0));
	for (unsigned i = 0, k = 0; i < 600; i++)
		if (i % 3 == 0 || i == 512)
			assert_int_equal(r->rated[k++], i);
	lab_close(&n.lab);
}

#define EACH(t) cmocka_unit_test_setup_teardown(t, open_own, close_lab)

// A row of its own for each flow is a group for each: samples stay as few as for any number.
static void few_of_many_groups_are_sampled(void **state)
{
	static char yaml[120000];
	size_t at = (size_t)sprintf(yaml,
		"name: many\nduration: 1ms\ncontrols: {d: {profile: paper}}\nhosts: {h1: , r: }\n"
		"switches: {s1: {buffer: 4MB}}\nlinks: [{between: [[h1, r], s1]}]\nflows:\n");
	struct net_lab many;

	(void)state;
	for (unsigned i = 0; i < 1500; i++)
		at += (size_t)sprintf(
			yaml + at, "  f%u: {from: h1, to: r, rate: 1Mbps, control: d}\n", i);
	net_open_part(&many, yaml, NULL);
	assert_int_equal(many.rec->n_groups, 1500);
	assert_int_equal(many.rec->n_rated, 1024 + (1500 - 1024 + 1) / 6);
	net_finish(&many, 1000);
	net_close(&many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(as_allowed_and_not),
		EACH(a_rate_that_is_told_late),
		EACH(who_has_nothing_to_send_is_left_out),
		EACH(a_period_lasts_100_us_at_least),
		EACH(the_window_begins_late),
		EACH(time_until_a_cut_is_felt),
		EACH(a_cut_that_is_told_late),
		EACH(rtts_of_the_window),
		cmocka_unit_test(some_of_many_flows),
		cmocka_unit_test(few_of_many_groups_are_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
