// SPDX-License-Identifier: BSD-3-Clause
// Experiments in virtual time: what testers see of a switch, steps and their ends, equal runs.
#include "compile/compile.h"
#include "lab/lab.h"
#include "vt/vt.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "wire/pfc.h"

#define WIRE   6720 // ps of a frame of 64 bytes at 100 Gb/s
#define CABLE  100000
#define DSCP_3 24
#define XOFF   64000
#define FRAMES 1200

static const char *const port[] = {"p1", "p2", "p3", "p4"};
static const char bench[] = "name: bench\n"
			    "duration: 1s\n"
			    "switches:\n"
			    "  dut:\n"
			    "    buffer: 4MB\n"
			    "    latency: 500ns\n"
			    "    classes:\n"
			    "      3: {lossless: true, pfc: {xoff: 64000B, xon_offset: 6400B}}\n"
			    "hosts: {p1..4: }\n"
			    "links:\n"
			    "- {between: [[p1..4], dut], rate: 100Gbps, delay: 100ns}\n";

// Results of an experiment, by which runs are compared.
struct log {
	uint32_t xoff_after, came, ours;
	tstamp transit, came_at, ended;
	uint64_t hash;
	unsigned classes;
};

static void mix(struct log *g, const struct lab_sight *s)
{
	for (unsigned p = 0; p < 4; p++)
		for (uint32_t i = 0; i < s->port[p].n; i++) {
			const struct tester_seen *e = &s->port[p].entry[i];

			assert_true(!i || e[-1].at <= e->at);
			g->hash = (g->hash ^ e->at ^ (uint64_t)e->number << 40 ^
					  (uint64_t)e->sent << 63 ^ e->source) *
				  0x9e3779b97f4a7c15u;
		}
}

static struct tester_item data(uint8_t to, uint32_t count)
{
	return (struct tester_item){.kind = TESTER_DATA,
		.after = TESTER_AT_START,
		.to = to,
		.count = count,
		.len = 60,
		.tos = DSCP_3 << 2,
		.pcp = TESTER_UNTAGGED};
}

static struct tester_item hold(void)
{
	return (struct tester_item){.kind = TESTER_HOLD,
		.after = TESTER_AT_START,
		.gap = 100 * PS_PER_US,
		.len = 60,
		.opcode = MACCTL_PFC,
		.pfc = {.enable = 1 << 3, .quanta[3] = 65535}};
}

// One frame: it takes both cables, the switch and two wires.
static int send_one(struct log *g, struct lab *lab, struct err *err)
{
	struct tester_item one = data(2, 1);
	struct lab_step s = {.name = "one", .tail = 5 * PS_PER_US};
	struct lab_sight sight;
	int rc;

	s.port[0] = (struct lab_list){&one, 1};
	rc = lab_do(lab, &s, &sight, err);
	if (rc)
		return rc;
	assert_int_equal(sight.port[0].n, 1);
	assert_int_equal(sight.port[2].n, 1);
	assert_int_equal(sight.port[0].entry->at, 0);
	assert_int_equal(sight.port[2].entry->tos, DSCP_3 << 2);
	assert_int_equal(sight.port[2].entry->frame, TESTER_OURS);
	g->transit = sight.port[2].entry->at;
	mix(g, &sight);
	return 0;
}

// The egress is held and p1 sends: XOFF comes with the frame that fills the group.
static int fill(struct log *g, struct lab *lab, struct err *err)
{
	struct tester_item block = hold(), frames = data(2, FRAMES);
	struct lab_step s = {.name = "fill", .tail = 5 * PS_PER_US};
	struct lab_sight sight;
	const struct tester_seen *x;
	uint32_t at = UINT32_MAX;
	int rc;

	frames.at = 5 * PS_PER_US;
	frames.gap = 2 * PS_PER_US; // longer than the way to XOFF and back
	s.port[0] = (struct lab_list){&frames, 1};
	s.port[2] = (struct lab_list){&block, 1};
	rc = lab_do(lab, &s, &sight, err);
	if (rc)
		return rc;
	x = lab_pfc(&sight.port[0], 3, true, &at);
	assert_non_null(x);
	assert_int_equal(lab_control(&sight.port[0], x)->opcode, MACCTL_PFC);
	g->xoff_after = lab_sent(&sight.port[0], 0, x->at);
	g->came = lab_came(&sight.port[2], 0, TSTAMP_NEVER);
	mix(g, &sight);
	return 0;
}

static int release(struct log *g, struct lab *lab, struct err *err)
{
	struct tester_item xon = {
		.kind = TESTER_RELEASE, .after = TESTER_AT_START, .pfc = {.enable = 1 << 3}};
	struct lab_step s = {.name = "release", .tail = 30 * PS_PER_US};
	struct lab_sight sight;
	int rc;

	s.port[2] = (struct lab_list){&xon, 1};
	rc = lab_do(lab, &s, &sight, err);
	for (uint32_t i = 0; !rc && i < sight.port[2].n; i++)
		g->ours += sight.port[2].entry[i].frame == TESTER_EARLIER;
	mix(g, &sight);
	return rc;
}

static int fill_and_release(void *arg, struct lab *lab, struct err *err)
{
	int rc = send_one(arg, lab, err);

	assert_int_equal(lab->ports, 4);
	assert_string_equal(lab->port[3].name, "p4");
	assert_int_equal(lab->port[0].cable, CABLE);
	rc = rc ? rc : fill(arg, lab, err);
	return rc ? rc : release(arg, lab, err);
}

static atomic_bool stop;
static char told[8192]; // of the last report

// Runs an experiment on the bench, with these lines added.

static int run_with(const char *more, int (*fn)(void *, struct lab *, struct err *), struct log *g,
	bool lockstep, struct err *err)
{
	char text[2048];
	const struct scene_opts so = {.text = text,
		.size = (size_t)snprintf(text, sizeof(text), "%s%s", bench, more),
		.testers = port,
		.n_testers = 4};
	const struct vt_opts o = {.record.no_files = true,
		.stop = &stop,
		.lockstep = lockstep,
		.experiment = fn,
		.experiment_arg = g};
	struct report *report = NULL;
	struct scene *scene = NULL;
	int rc = compile_scene(&scene, "bench.yaml", &so, err);

	if (!rc)
		rc = vt_run(scene, &o, &report, err);
	if (report) {
		assert_non_null(strstr(report_text(report), "every frame is accounted for"));
		snprintf(told, sizeof(told), "%s", report_text(report));
		report_free(report);
	}
	scene_free(scene);
	return rc;
}

static int run(int (*fn)(void *, struct lab *, struct err *), struct log *g, bool lockstep,
	struct err *err)
{
	return run_with("", fn, g, lockstep, err);
}

static struct log do_run(int (*fn)(void *, struct lab *, struct err *), bool lockstep)
{
	struct log g = {0};
	struct err err = {0};

	if (run(fn, &g, lockstep, &err))
		fail_msg("%s", err.text);
	return g;
}

static void xoff_comes_with_the_frame_that_fills_the_group(void **state)
{
	struct log g = do_run(fill_and_release, false);

	(void)state;
	assert_int_equal(g.transit, 2 * (WIRE + CABLE) + 500000);
	assert_int_equal(g.xoff_after, XOFF / 64);
	assert_int_equal(g.came, 0);
	assert_int_equal(g.ours, FRAMES);
}

static void equal_runs_and_lockstep_see_the_same(void **state)
{
	struct log a = do_run(fill_and_release, false), b = do_run(fill_and_release, false),
		   c = do_run(fill_and_release, true);

	(void)state;
	assert_memory_equal(&a, &b, sizeof(a));
	assert_memory_equal(&a, &c, sizeof(a));
}

// It returns while it holds class 3 of the egress.
static int fill_only(void *arg, struct lab *lab, struct err *err)
{
	return fill(arg, lab, err);
}

static void the_end_lets_go_what_is_held(void **state)
{
	(void)state;
	do_run(fill_only, false);
	assert_non_null(strstr(told, "and 1 XON sent"));
}

// The user stops it: the next step does nothing.
static int stops(void *arg, struct lab *lab, struct err *err)
{
	int rc = send_one(arg, lab, err);

	assert_int_equal(rc, 0);
	atomic_store(&stop, true);
	return send_one(arg, lab, err);
}

static void a_stop_ends_it_with_its_report(void **state)
{
	struct log g = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(run(stops, &g, false, &err), 0);
	atomic_store(&stop, false);
	assert_non_null(strstr(told, "interrupted"));
}

static int fails(void *arg, struct lab *lab, struct err *err)
{
	(void)arg;
	(void)lab;
	return err_set(err, -EPROTO, "it floods");
}

static void its_own_error_is_the_runs(void **state)
{
	struct log g = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(run(fails, &g, false, &err), -EPROTO);
	assert_string_equal(err.text, "it floods");
}

// A source without an end goes on until the step's longest time.
static int endless(void *arg, struct lab *lab, struct err *err)
{
	struct tester_item item[2] = {data(2, 0), data(2, 1)};
	struct lab_step s = {.name = "endless", .longest = 3 * PS_PER_US, .room = 100};
	struct lab_sight sight;
	int rc;

	(void)arg;
	item[1].source = 1;
	item[1].at = PS_PER_S;
	s.port[0] = (struct lab_list){item, 2};
	rc = lab_do(lab, &s, &sight, err);
	assert_int_equal(rc, 0);
	assert_true(sight.cut);
	assert_int_equal(sight.took, 3 * PS_PER_US);
	assert_int_equal(sight.port[0].n, 100);
	assert_true(sight.unseen >= 3 * PS_PER_US / WIRE - 100);
	item[0] = data(9, 1);
	assert_int_equal(lab_do(lab, &s, &sight, err), -EINVAL);
	item[0] = data(2, 1);
	item[1] = data(2, 1);
	item[1].at = 2 * PS_PER_S;
	s.longest = 0;
	return lab_do(lab, &s, &sight, err);
}

static void a_step_is_cut_and_the_duration_ends_all(void **state)
{
	struct log g = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(run(endless, &g, false, &err), -ETIME);
	assert_non_null(strstr(err.text, "endless: the scenario's duration is over"));
}

// The link of p1 is down from 100 us to 3 ms, and for good from 5 ms on.
static int over_a_bad_link(void *arg, struct lab *lab, struct err *err)
{
	struct tester_item late = data(2, 1);
	struct lab_step s = {.name = "late", .tail = PS_PER_US};
	struct lab_sight sight;

	assert_int_equal(send_one(arg, lab, err), 0);
	late.at = 200 * PS_PER_US;
	s.port[0] = (struct lab_list){&late, 1};
	assert_int_equal(lab_do(lab, &s, &sight, err), 0);
	assert_true(sight.down);
	assert_true(sight.took < 200 * PS_PER_US);
	assert_int_equal(send_one(arg, lab, err), 0); // once the link is up
	late.at = 10 * PS_PER_MS;
	assert_int_equal(lab_do(lab, &s, &sight, err), 0);
	assert_true(sight.down);
	return send_one(arg, lab, err);
}

static void a_lost_link_ends_the_step_and_in_the_end_all(void **state)
{
	struct log g = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(run_with("wait_link: 50ms\n"
				  "events:\n"
				  "- {at: 100us, link_down: \"dut:p1\"}\n"
				  "- {at: 3ms, link_up: \"dut:p1\"}\n"
				  "- {at: 5ms, link_down: \"dut:p1\"}\n",
				 over_a_bad_link, &g, false, &err),
		-ENETDOWN);
	assert_non_null(strstr(err.text, "a link is down for good"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xoff_comes_with_the_frame_that_fills_the_group),
		cmocka_unit_test(equal_runs_and_lockstep_see_the_same),
		cmocka_unit_test(the_end_lets_go_what_is_held),
		cmocka_unit_test(a_stop_ends_it_with_its_report),
		cmocka_unit_test(its_own_error_is_the_runs),
		cmocka_unit_test(a_step_is_cut_and_the_duration_ends_all),
		cmocka_unit_test(a_lost_link_ends_the_step_and_in_the_end_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
