// SPDX-License-Identifier: BSD-3-Clause
// config/jobs/: all-reduces under an incast, experts on a leaf and spine, a lost frame, and the
// claims of docs/jobs.md. Shorter vectors than the page's.
#include "scn.h"

#define SHORT "expect=[]", "jobs.reduce.bytes=4MB", "duration=20ms"

static double us(const struct scn *s, const char *figure)
{
	return scn_value(s, figure);
}

static void pfc_stops_a_job_that_shares_a_link_and_dcqcn_does_not(void **state)
{
	struct scn alone = scn_run("jobs/1-ring-pfc.yaml", SHORT, "flows={}", NULL);
	struct scn pfc = scn_run("jobs/1-ring-pfc.yaml", SHORT, NULL);
	struct scn dcqcn = scn_run("jobs/2-ring-dcqcn.yaml", SHORT, NULL);
	double least = us(&alone, "job.reduce.completion_us");

	(void)state;
	assert_true(us(&pfc, "job.reduce.completion_us") > 10 * least);
	assert_true(us(&pfc, "job.reduce.pause_us") > 2 * least);
	scn_in(&dcqcn, "job.reduce.completion_us", us(&dcqcn, "job.reduce.completion_us"), least,
		1.01 * least);
	assert_true(us(&dcqcn, "job.reduce.pause_us") == 0);
	scn_free(&alone);
	scn_free(&pfc);
	scn_free(&dcqcn);
}

// Two children send to one parent.
static void dcqcn_cuts_the_rates_of_a_tree_that_is_alone(void **state)
{
	struct scn pfc = scn_run("jobs/3-tree-pfc.yaml", SHORT, "flows={}", NULL);
	struct scn dcqcn = scn_run("jobs/4-tree-dcqcn.yaml", SHORT, "flows={}", NULL);

	(void)state;
	assert_true(us(&pfc, "job.reduce.rate_us") == 0);
	assert_true(us(&dcqcn, "job.reduce.rate_us") > 100);
	assert_true(us(&dcqcn, "job.reduce.completion_us") > us(&pfc, "job.reduce.completion_us"));
	scn_free(&pfc);
	scn_free(&dcqcn);
}

static void colliding_ways_make_an_all_to_all_longer(void **state)
{
	struct scn ecmp =
		scn_run("jobs/5-experts-ecmp.yaml", "expect=[]", "jobs.moe.bytes=4MB", NULL);
	struct scn one =
		scn_run("jobs/6-experts-one-spine.yaml", "expect=[]", "jobs.moe.bytes=4MB", NULL);
	double least = us(&one, "job.moe.completion_us");

	(void)state;
	scn_in(&ecmp, "job.moe.completion_us", us(&ecmp, "job.moe.completion_us"), 1.1 * least,
		1.5 * least);
	assert_true(us(&one, "job.moe.compute_us") == 600);
	scn_free(&ecmp);
	scn_free(&one);
}

// A repeated frame is one round trip late; only a timeout finds that the very last frame is lost.
static void a_lost_frame_costs_a_round_trip_or_a_timeout(void **state)
{
	static const char *const files[] = {"jobs/7-loss-go-back-n.yaml", "jobs/8-loss-irn.yaml"};
	static const double timeout[] = {67004.1, 432.2}, resend[] = {4.424, 0.088};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scn none = scn_run(files[i], "expect=[]", "faults=[]", NULL);
		struct scn one = scn_run(files[i], "expect=[]", NULL);
		struct scn last = scn_run(files[i], "expect=[]", "faults.0.psn=6143", NULL);
		double least = us(&none, "job.ring.completion_us");

		scn_in(&one, "job.ring.completion_us", us(&one, "job.ring.completion_us"),
			least + 4, least + 5);
		scn_in(&one, "job.ring.resend_us", us(&one, "job.ring.resend_us"),
			resend[i] - 0.001, resend[i] + 0.001);
		scn_in(&last, "job.ring.completion_us", us(&last, "job.ring.completion_us"),
			least + timeout[i] - 1, least + timeout[i] + 1);
		scn_free(&none);
		scn_free(&one);
		scn_free(&last);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pfc_stops_a_job_that_shares_a_link_and_dcqcn_does_not),
		cmocka_unit_test(dcqcn_cuts_the_rates_of_a_tree_that_is_alone),
		cmocka_unit_test(colliding_ways_make_an_all_to_all_longer),
		cmocka_unit_test(a_lost_frame_costs_a_round_trip_or_a_timeout),
	};

	return cmocka_run_group_tests_name("job_config", tests, NULL, NULL);
}
