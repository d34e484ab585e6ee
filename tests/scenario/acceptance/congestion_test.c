// SPDX-License-Identifier: BSD-3-Clause
// Congested ports and ports that are not: sonic-mgmt's snappi tests with all priorities at once, of
// one speed and of two.
#include "dut.h"

#define PRIOS 5

// Lossless priorities 3 and 4, lossy ones from 0 on; what each of their queues is offered, percent
// of the egress.
struct load {
	const char *file, *rate[PRIOS]; // settings, each flow's share of its ingress
	unsigned lossy;
	double lossless_percent, lossy_percent;
	bool pfc;
};

static const unsigned class_of[PRIOS] = {3, 4, 0, 1, 2};

static double xoff(const struct scn *s, unsigned prio)
{
	return dut_xoff(s, "s1:h1", prio) + dut_xoff(s, "s1:h2", prio);
}

// No lossless loss; lossy loss as the DWRR split has it, +-1 %; PFC of lossless priorities at
// congestion, never of lossy ones; the egress within 3 % of the expected rate.
static void check(const struct load *l)
{
	struct scn s = scn_run(l->file, "expect=[]", l->rate[0], l->rate[1], l->rate[2], l->rate[3],
		l->rate[4], NULL);
	double want[PRIOS] = {l->lossless_percent, l->lossless_percent}, gets[PRIOS];
	double weight[PRIOS] = {15, 15, 14, 14, 14}, sum = 0;

	for (unsigned i = 0; i < l->lossy; i++)
		want[2 + i] = l->lossy_percent;
	dut_split(2 + l->lossy, want, weight, gets);
	for (unsigned i = 0; i < 2 + l->lossy; i++)
		sum += gets[i];
	scn_in(&s, "loss of lossless flows, %", dut_loss(&s, "lossless"), 0, 0);
	if (l->lossy) {
		double expected = 100 * (1 - gets[2] / want[2]);

		scn_in(&s, "loss of lossy flows, %", dut_loss(&s, "lossy"),
			expected ? expected - 1 : 0, expected ? expected + 1 : 0);
	}
	for (unsigned i = 0; i < PRIOS; i++) {
		bool due = l->pfc && i < 2;

		scn_in(&s, i < 2 ? "XOFF, lossless priority" : "XOFF, lossy priority",
			xoff(&s, class_of[i]), due ? 1 : 0, due ? INFINITY : 0);
	}
	scn_in(&s, "egress port, %", scn_value(&s, "link.s1:r.utilization_percent"), sum * 0.97,
		sum * 1.001);
	scn_free(&s);
}

#define CONGESTION "acceptance/test_pfc_port_congestion.yaml"
#define MIXED      "acceptance/test_pfc_mixed_speed.yaml"
#define LINE_RATE  "acceptance/test_pfc_no_congestion_throughput.yaml"
#define RATES(l, a, b, c)                                                                     \
	{                                                                                     \
		"flows.lossless3.open_loop.rate=" l, "flows.lossless4.open_loop.rate=" l,     \
			"flows.lossy0.open_loop.rate=" a, "flows.lossy1.open_loop.rate=" b, c \
	}
#define THREE(l, a) RATES(l, a, a, "flows.lossy2.open_loop.rate=" a)

// Row 17.
static void test_multiple_prio_diff_dist(void **state)
{
	(void)state;
	check(&(struct load){CONGESTION, THREE("44%", "4%"), 3, 88, 8, true});
}

// The source expects 51 % of loss: 1 - (100 * 14 / 72) / 40 is 51.4 %.
static void test_multiple_prio_uni_dist(void **state)
{
	(void)state;
	check(&(struct load){CONGESTION, THREE("20%", "20%"), 3, 40, 40, true});
}

// The source expects 20 %, with two lossy priorities: 1 - (100 * 14 / 58) / 30 is 19.5 %.
static void test_multiple_prio_equal_dist(void **state)
{
	(void)state;
	check(&(struct load){CONGESTION,
		RATES("15%", "15%", "15%", "flows.lossy2.open_loop.count=1"), 2, 30, 30, true});
}

static void test_multiple_prio_non_cngtn(void **state)
{
	(void)state;
	check(&(struct load){CONGESTION, THREE("9%", "9%"), 3, 18, 18, false});
}

// Row 18: all lossless, all lossy, and 90 to 10, at line rate.
static void test_pfc_no_congestion_throughput(void **state)
{
	(void)state;
	check(&(struct load){LINE_RATE, RATES("45%", "5%", "5%", NULL), 2, 45, 5, false});
	check(&(struct load){LINE_RATE, RATES("20%", "30%", "30%", NULL), 2, 20, 30, false});
	check(&(struct load){LINE_RATE,
		{"flows.lossless3.open_loop.rate=50%", "flows.lossless4.open_loop.rate=50%",
			"flows.lossy0.start=none", "flows.lossy1.start=none"},
		0, 50, 0, false});
}

// Row 19: 400 Gb/s to 100.
static void test_mixed_speed_diff_dist_over(void **state)
{
	(void)state;
	check(&(struct load){MIXED, THREE("44%", "4%"), 3, 176, 16, true});
}

// The source expects 77 %: 1 - (100 * 14 / 72) / 80 is 75.7 %.
static void test_mixed_speed_uni_dist_over(void **state)
{
	(void)state;
	check(&(struct load){MIXED, THREE("20%", "20%"), 3, 80, 80, true});
}

static void test_mixed_speed_no_congestion(void **state)
{
	(void)state;
	check(&(struct load){MIXED, THREE("4%", "4%"), 3, 16, 16, false});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_multiple_prio_diff_dist),
		cmocka_unit_test(test_multiple_prio_uni_dist),
		cmocka_unit_test(test_multiple_prio_equal_dist),
		cmocka_unit_test(test_multiple_prio_non_cngtn),
		cmocka_unit_test(test_pfc_no_congestion_throughput),
		cmocka_unit_test(test_mixed_speed_diff_dist_over),
		cmocka_unit_test(test_mixed_speed_uni_dist_over),
		cmocka_unit_test(test_mixed_speed_no_congestion),
	};

	return cmocka_run_group_tests_name("congestion", tests, NULL, NULL);
}
