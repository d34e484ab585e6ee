// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP's three schemes on the real clock, the firmware among them, against the same scene in
// virtual time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "report/report.h"
#include "rt/rt.h"
#include "vt/vt.h"

static struct report *real, *virtual;
static struct scene *scene;

static double gbps(const struct report *r, const char *group)
{
	double sum = 0;

	for (unsigned i = 0; i < scene->n_flows; i++) {
		char path[160];

		snprintf(path, sizeof(path), "flow.%s.goodput_gbps", scene->flow[i]->name);
		if (!strcmp(scene->flow[i]->group, group))
			sum += report_value(r, path);
	}
	return sum;
}

static void near(const char *what, double r, double v, double part)
{
	print_message("  %-34s real %10.5g  virtual %10.5g\n", what, r, v);
	if (!(fabs(r - v) <= part * fabs(v)))
		fail_msg("%s: real %g, virtual %g", what, r, v);
}

static void near_value(const char *path, double part)
{
	near(path, report_value(real, path), report_value(virtual, path), part);
}

// Both clocks start together and drift apart as chaos has it: rates and what follows from them over
// 32 ms are near. Masks let bursts pass, and who is lucky differs: their sum is compared, not their
// shares.
static void three_schemes_are_the_same_on_both_clocks(void **state)
{
	static const char *const group[] = {"hard", "rate", "mask"};
	static const double part[] = {0.08, 0.1, 0.25};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		near(group[i], gbps(real, group[i]), gbps(virtual, group[i]), part[i]);
	near_value("group.hard.jain", 0.2);
	near_value("group.rate.jain", 0.2);
	near_value("total.goodput_gbps", 0.08);
	near_value("marks", 0.4);
	near_value("cnp_rx", 0.4);
	assert_true(report_value(real, "drops") == 0);
	assert_true(gbps(real, "hard") > gbps(real, "rate"));
	assert_true(gbps(real, "rate") > gbps(real, "mask"));
	// Who sets the rate: the engine's cuts, firmware's writes, nobody.
	near_value("flow.rate[b1>rb.0].rp_written", 0.15);
	assert_true(report_value(real, "flow.hard[a1>ra.0].rp_decrease") > 3);
	assert_true(report_value(real, "flow.rate[b1>rb.0].rp_decrease") == 0);
	assert_true(report_value(real, "flow.mask[c1>rc.0].rp_written") == 0);
}

static int ran(void **state)
{
	const struct scene_set set[] = {{"hosts.b1..4.firmware.file", AIMD},
		{"hosts.c1..4.firmware.file", AIMD}, {"duration", "38ms"}, {"warmup", "6ms"}};
	struct scene_opts so = {.set = set, .n_set = 4, .real = true};
	struct rt_opts ro = {
		.record.no_files = true, .no_huge = true, .program = "schemes_test", .dilate = 80};
	struct vt_opts vo = {.record.no_files = true};
	struct err err;

	(void)state;
	if (!compile_scene(&scene, CONFIG "/rdma-ip.yaml", &so, &err) &&
		!rt_run(scene, &ro, &real, &err) && !vt_run(scene, &vo, &virtual, &err))
		return 0;
	fprintf(stderr, "%s\n", err.text);
	return -1;
}

static int freed(void **state)
{
	(void)state;
	report_free(real);
	report_free(virtual);
	scene_free(scene);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_schemes_are_the_same_on_both_clocks),
	};

	return cmocka_run_group_tests(tests, ran, freed);
}
