// SPDX-License-Identifier: BSD-3-Clause
// Figures of jobs and their iterations, from events made by hand, and their block in the table.
#include "job_figures_lab.h"

#include <math.h>

static double v(const char *path)
{
	return report_value(n.report, path);
}

static void has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("\"%s\" is not in\n%s", what, text);
}

// Two iterations of 100 us and 200 us, 10 us apart.
static void two_iterations(void)
{
	for (unsigned i = 0; i < 3; i++) {
		job_step(i, 0, 10, 100 + 5 * i, 60);
		job_step(i, 1, 120, 320 - 10 * i, 150);
	}
}

static void parts_sum_to_the_completion(void **state)
{
	(void)state;
	job_open_with(2);
	two_iterations();
	job_drain();
	net_finish(&n, 1000);
	assert_true(v("job.ring.completion_us") == 310);
	assert_true(v("job.ring.last_end_us") == 320);
	assert_true(v("job.ring.wire_us") == 60 + 150);
	assert_true(v("job.ring.compute_us") == 40 + 50);
	assert_true(v("job.ring.between_us") == 10);
	assert_true(v("job.ring.wait_us") == 0 && v("job.ring.pause_us") == 0);
	assert_true(v("job.ring.ranks") == 3 && v("job.ring.ranks_open") == 0);
	assert_true(v("job.ring.iterations") == 2 && v("job.ring.iterations_done") == 2);
	assert_true(v("job.ring.iteration_mean_us") == 150);
	assert_true(v("job.ring.iteration_min_us") == 100 && v("job.ring.iteration_max_us") == 200);
	assert_true(v("job.ring.spread_max_us") == 20);
	// 1 MB in 150 us
	assert_float_equal(v("job.ring.algbw_gbps"), 8e6 / 150e3, 1e-9);
	assert_float_equal(v("job.ring.busbw_gbps"), 1.5 * 8e6 / 150e3, 1e-9);
	assert_true(v("job.ring.slowest_rank") == 0 && v("job.ring.slowest_percent") == 50);
	assert_true(v("job_step.ring.0.last_rank") == 2);
	assert_true(v("job_step.ring.0.start_us") == 10);
	assert_true(v("job_step.ring.1.completion_us") == 200);
	assert_true(v("job_step.ring.1.wire_us") == 150);
	assert_true(v("job_step.ring.1.spread_us") == 20);
	assert_true(isnan(v("job_step.ring.2.completion_us")));
	job_close();
}

static void a_job_that_is_not_over_has_no_completion(void **state)
{
	(void)state;
	job_open_with(3);
	two_iterations();
	job_drain();
	net_finish(&n, 1000);
	assert_true(isnan(v("job.ring.completion_us")));
	assert_true(v("job.ring.iterations_done") == 2 && v("job.ring.ranks_open") == 3);
	assert_true(v("job.ring.wire_us") == 210);
	has(report_text(n.report), "NOT OVER: 3 ranks");
	job_close();
}

static void nothing_is_known_of_a_job_that_has_not_begun(void **state)
{
	(void)state;
	job_open_with(1);
	net_finish(&n, 1000);
	assert_true(isnan(v("job.ring.completion_us")) && isnan(v("job.ring.last_end_us")));
	assert_true(isnan(v("job.ring.iteration_mean_us")) && isnan(v("job.ring.algbw_gbps")));
	assert_true(isnan(v("job.ring.slowest_rank")) && isnan(v("job.ring.slowest_percent")));
	assert_true(v("job.ring.iterations_done") == 0);
	job_close();
}

// The job is a schedule that is no collective.
static void bandwidths_are_those_of_collectives(void **state)
{
	(void)state;
	job_open_with(2);
	job_scene.bytes = 0;
	two_iterations();
	job_drain();
	net_finish(&n, 1000);
	assert_true(isnan(v("job.ring.algbw_gbps")) && isnan(v("job.ring.busbw_gbps")));
	assert_true(v("job.ring.completion_us") == 310);
	job_close();
}

static void the_table_has_a_block(void **state)
{
	const char *text;
	char *json;

	(void)state;
	job_open_with(2);
	two_iterations();
	job_drain();
	net_finish(&n, 1000);
	text = report_text(n.report);
	has(text, "  ring          3         2/2   310.000 us   150.000 us    80.000  rank 0 (h1), "
		  "50 %\n");
	has(text, " of it wire 67.7 %, compute 29.0 %, between iterations 3.2 %\n");
	has(text, "  why         job ring: rank 0 (h1) ended 50 % of its iterations last\n"
		  "              of 310.000 us wire 67.7 %, compute 29.0 %, between iterations "
		  "3.2 %\n");
	json = lab_file(&n.lab, "summary.json");
	has(json, "\"job ring: rank 0 (h1) ended");
	has(json, "\"jobs\": [");
	has(json, "\"job_steps\": [");
	has(json, "\"schedule\": \"all_reduce, ring\"");
	has(json, "\"completion_us\": 310.000000");
	free(json);
	job_close();
}

// h1 was paused for 40 us, and sent a frame again after a wait of 20 us.
static void pauses_and_losses_lead_to_who_met_them(void **state)
{
	struct job_split split = {0};
	struct ev *e;

	(void)state;
	job_open_with(1);
	job_scene.n_flows = 2; // incast[h1>r.0], incast[h2>r.0]
	record_warm(n.rec, 0);
	e = net_event(&n, n.h1, 50, EV_RESENT);
	e->resent.bytes = 1082;
	split.part[JOB_RESEND] = 60 * PS_PER_US;
	split.part[JOB_PAUSE] = 40 * PS_PER_US;
	for (unsigned i = 0; i < 3; i++)
		job_step_ps(i, 0, 0, 100 * PS_PER_US, 100 * PS_PER_US, &split);
	job_drain();
	net_finish(&n, 1000);
	has(report_text(n.report), "of 100.000 us pause 40.0 %, resend 60.0 %\n");
	has(report_text(n.report), "incast[h1>r.0] lost most: 1 frame sent again, 0 timeouts\n");
	job_close();
}

// A ring of four ranks with 1 MiB in each of six messages on a path: 1025 frames of 88.48 ns and 2
// us for each of them, and five ACKs of 6.88 ns that a send has just put in front of the next one.
static void a_run_has_the_closed_form(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, "duration: 1ms\n"
		     "switches: {s1: {buffer: 64MB, classes: {3: {lossless: true}}}}\n"
		     "hosts: {h1..4: }\n"
		     "links: [{between: [h1..4, s1], rate: 100Gbps, delay: 1us}]\n"
		     "jobs: {g: {ranks: h1..4, ack_every: 1024, goal: " TEST_DATA
		     "/goal/g1_ring.goal}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_float_equal(report_value(l.rec, "job.g.completion_us"), 556.1864, 1e-9);
	assert_float_equal(report_value(l.rec, "job.g.wire_us"), 6 * (1025 * 0.08848 + 2), 1e-9);
	assert_float_equal(report_value(l.rec, "job.g.wait_us"), 5 * 0.00688, 1e-9);
	assert_true(report_value(l.rec, "job.g.iterations_done") == 1);
	lab_close(&l);
}

static void a_run_without_jobs_has_none(void **state)
{
	char *json;

	(void)state;
	net_open(&n);
	net_finish(&n, 1000);
	assert_null(strstr(report_text(n.report), "iterations"));
	json = lab_file(&n.lab, "summary.json");
	assert_null(strstr(json, "\"jobs\""));
	assert_null(strstr(json, "\"job_steps\""));
	free(json);
	net_close(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_sum_to_the_completion),
		cmocka_unit_test(a_job_that_is_not_over_has_no_completion),
		cmocka_unit_test(nothing_is_known_of_a_job_that_has_not_begun),
		cmocka_unit_test(bandwidths_are_those_of_collectives),
		cmocka_unit_test(the_table_has_a_block),
		cmocka_unit_test(pauses_and_losses_lead_to_who_met_them),
		cmocka_unit_test(a_run_has_the_closed_form),
		cmocka_unit_test(a_run_without_jobs_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
