// SPDX-License-Identifier: BSD-3-Clause
// An experiment on the real clock: a group is filled while the egress is held, and let go. In
// memory, or, with QUENCH_BENCH, with the ports of that scenario's devices, behind which somebody
// runs the switch.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "lab/lab.h"
#include "report/report.h"
#include "rt/rt.h"
#include "wire/pfc.h"

#define XOFF     64000 // bytes
#define FRAMES   1050  // of 64 bytes; less than a group and its headroom
#define DSCP_3   24
#define REPEAT   8  // tries of a step whose loops were too late
#define RELEASES 40 // steps until all frames have come out

static const char *const port[] = {"p1", "p2", "p3", "p4"};
static const char bench[] = "name: bench\n"
			    "duration: 1000s\n"
			    "switches:\n"
			    "  dut:\n"
			    "    buffer: 4MB\n"
			    "    latency: 500ns\n"
			    "    classes:\n"
			    "      3: {lossless: true, pfc: {xoff: 64000B, xon_offset: 6400B}}\n"
			    "hosts: {p1..4: }\n"
			    "links:\n"
			    "- {between: [[p1..4], dut], rate: 100Mbps, delay: 100ns}\n";

static struct {
	// Of the first step: frames from p1, those that came to p3, of which some were not as they
	// were sent, and frames that came back.
	uint32_t sent, all, wrong, back;
	uint32_t xoff_after, least, came, earlier, fills, releases;
	struct lab_sight one, fill;
	tstamp time;
	unsigned steps;
	bool sharp; // the loops of the last fill were in time
	double xon_at_end;
} got;

static struct tester_item data(uint32_t count)
{
	return (struct tester_item){.kind = TESTER_DATA,
		.after = TESTER_AT_START,
		.to = 2,
		.count = count,
		.len = 60,
		.tos = DSCP_3 << 2,
		.pcp = TESTER_UNTAGGED};
}

// Frames of all classes; the device learns where p3 is by the frame that p3 sends.
static int send_one(struct lab *lab, struct err *err)
{
	struct tester_item one = data(64), back = data(1);
	struct lab_step s = {.name = "one", .tail = 20 * PS_PER_MS};
	int rc;

	back.to = 0;
	one.at = 5 * PS_PER_MS;
	one.tos = 0;
	one.tos_step = 4;
	s.port[0] = (struct lab_list){&one, 1};
	s.port[2] = (struct lab_list){&back, 1};
	rc = lab_do(lab, &s, &got.one, err);
	if (rc)
		return rc;
	got.sent = lab_sent(&got.one.port[0], 0, TSTAMP_NEVER);
	got.back = lab_came(&got.one.port[0], 0, TSTAMP_NEVER);
	for (uint32_t i = 0; i < got.one.port[2].n; i++) {
		const struct tester_seen *e = &got.one.port[2].entry[i];

		if (e->sent || e->frame != TESTER_OURS)
			continue;
		got.wrong += e->tos != 4 * e->number || e->len != 60;
		got.all++;
	}
	return 0;
}

// A loop that is late for longer than a gap lets frames follow closely, and XOFF names none.
static bool is_sharp(const struct lab_sight *s, tstamp gap)
{
	print_message("XOFF behind %u frames, late %.1f us, loops %.1f us and %.1f us, lost %lu\n",
		got.xoff_after, (double)s->late / PS_PER_US, (double)s->gap / PS_PER_US,
		(double)s->gap_longest / PS_PER_US, (unsigned long)s->lost);
	return !s->lost && !s->unseen && !s->cut && s->late < gap && s->gap_longest < gap / 4;
}

// XON for class 3, until all frames have come out: loops of the device may be late, too.
static int release(struct lab *lab, struct err *err)
{
	struct tester_item xon = {
		.kind = TESTER_RELEASE, .after = TESTER_AT_START, .pfc = {.enable = 1 << 3}};
	struct lab_step s = {.name = "release", .tail = 50 * PS_PER_MS};
	struct lab_sight sight;
	unsigned tries = 0;
	int rc;

	s.port[2] = (struct lab_list){&xon, 1};
	do {
		rc = lab_do(lab, &s, &sight, err);
		got.releases++;
		for (uint32_t i = 0; !rc && i < sight.port[2].n; i++)
			got.earlier += sight.port[2].entry[i].frame == TESTER_EARLIER;
	} while (!rc && got.came + got.earlier < got.fills * FRAMES && ++tries < RELEASES);
	return rc;
}

static int fill(struct lab *lab, tstamp gap, struct err *err)
{
	struct tester_item hold = {.kind = TESTER_HOLD,
		.after = TESTER_AT_START,
		.gap = 100 * PS_PER_MS,
		.len = 60,
		.opcode = MACCTL_PFC,
		.pfc = {.enable = 1 << 3, .quanta[3] = 65535}};
	struct tester_item frames[2] = {data(960), data(FRAMES - 960)};
	struct lab_step s = {.name = "fill", .tail = 20 * PS_PER_MS};
	const struct tester_seen *x;
	uint32_t at = UINT32_MAX;
	int rc;

	frames[0].at = 100 * PS_PER_MS; // loops of a busy machine may be late for so long
	frames[1].after = 0;
	frames[1].at = frames[1].gap = gap;
	s.port[0] = (struct lab_list){frames, 2};
	s.port[2] = (struct lab_list){&hold, 1};
	rc = lab_do(lab, &s, &got.fill, err);
	got.fills++;
	if (rc)
		return rc;
	x = lab_pfc(&got.fill.port[0], 3, true, &at);
	got.xoff_after = x ? lab_sent(&got.fill.port[0], 0, x->at) : 0;
	if (got.xoff_after && (!got.least || got.xoff_after < got.least))
		got.least = got.xoff_after;
	got.came += lab_came(&got.fill.port[2], 0, TSTAMP_NEVER);
	return 0;
}

static atomic_bool stop;

// The user ends the run while the egress is held.
static int fill_until_stopped(void *arg, struct lab *lab, struct err *err)
{
	int rc = send_one(lab, err);

	(void)arg;
	rc = rc ? rc : fill(lab, PS_PER_MS, err);
	atomic_store(&stop, true);
	return rc ? rc : release(lab, err);
}

static int experiment(void *arg, struct lab *lab, struct err *err)
{
	tstamp gap = PS_PER_MS;
	int rc = send_one(lab, err);

	(void)arg;
	do {
		rc = rc ? rc : fill(lab, gap, err);
		rc = rc ? rc : release(lab, err);
		gap = gap < 8 * PS_PER_MS ? 2 * gap : gap;
		got.sharp = is_sharp(&got.fill, gap / 2);
	} while (!rc && !got.sharp && got.fills < REPEAT);
	got.time = lab->scene_time;
	got.steps = lab->steps;
	return rc;
}

static void frames_come_as_they_were_sent(void **state)
{
	(void)state;
	assert_int_equal(got.sent, 64);
	assert_int_equal(got.all, 64);
	assert_int_equal(got.wrong, 0);
	assert_int_equal(got.back, 1);
}

// A late loop, or a frame that a late device has lost, makes XOFF come after more frames, and never
// after fewer.
static void xoff_comes_with_the_frame_that_fills_the_group(void **state)
{
	(void)state;
	if (!getenv("QUENCH_BENCH")) {
		assert_int_equal(got.came, 0);
		assert_int_equal(got.earlier, got.fills * FRAMES);
	}
	assert_in_range(got.came + got.earlier, 1, got.fills * FRAMES);
	assert_true(got.least >= XOFF / 64);
	if (got.sharp && got.came + got.earlier == got.fills * FRAMES)
		assert_true(got.xoff_after <= XOFF / 64 + 1);
}

static void steps_tell_their_own_timing(void **state)
{
	(void)state;
	assert_true(got.fill.gap <= got.fill.gap_longest);
	assert_true(got.fill.took >= FRAMES * 6720ull);
	assert_true(got.time >= got.fill.took + got.one.took);
	assert_int_equal(got.steps, 1 + got.fills + got.releases);
	assert_in_range((unsigned)(got.fill.kept * 1000), 0, 1000);
}

static void the_end_lets_the_device_go(void **state)
{
	(void)state;
	assert_true(got.xon_at_end >= 1);
}

static int ran(void **state)
{
	const char *file = getenv("QUENCH_BENCH");
	struct scene_opts so = {.real = true, .testers = port, .n_testers = 4};
	struct rt_opts ro = {.record.no_files = true,
		.no_huge = true,
		.program = "lab_test",
		.workers = 1,
		.dilate = file ? 0 : 1,
		.allow_storm = PS_PER_S,
		.stop = &stop,
		.experiment = getenv("QUENCH_STOP") ? fill_until_stopped : experiment};
	struct report *report = NULL;
	struct scene *scene = NULL;
	struct err err = {0};
	int rc;

	(void)state;
	if (!file) {
		so.text = bench;
		so.size = sizeof(bench) - 1;
	}
	rc = compile_scene(&scene, file ? file : "bench.yaml", &so, &err);
	if (!rc)
		rc = rt_run(scene, &ro, &report, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	else
		print_message("%s\nXOFF behind %u frames\n", report_text(report), got.least);
	if (report)
		got.xon_at_end = report_value(report, "instrument.xon_at_end");
	report_free(report);
	scene_free(scene);
	return rc;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_as_they_were_sent),
		cmocka_unit_test(xoff_comes_with_the_frame_that_fills_the_group),
		cmocka_unit_test(steps_tell_their_own_timing),
	};
	const struct CMUnitTest stopped[] = {
		cmocka_unit_test(frames_come_as_they_were_sent),
		cmocka_unit_test(the_end_lets_the_device_go),
	};

	return getenv("QUENCH_STOP") ? cmocka_run_group_tests(stopped, ran, NULL)
				     : cmocka_run_group_tests(tests, ran, NULL);
}
