// SPDX-License-Identifier: BSD-3-Clause
// Virtual time: instants by hand, lockstep and horizon alike, commands at their instants.
#include "compile/compile.h"
#include "vt/vt.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// The scene outlives its record, which refers to its names.
struct ran {
	struct scene *scene;
	struct report *rec;
};

static struct ran run_as(const char *file, const struct scene_opts *so, const struct vt_opts *o)
{
	struct ran r;
	char path[512];
	struct err err;

	snprintf(path, sizeof(path), "%s/scenes/%s", TEST_DATA, file);
	if (compile_scene(&r.scene, path, so, &err) || vt_run(r.scene, o, &r.rec, &err))
		fail_msg("%s", err.text);
	assert_true(report_passed(r.rec));
	return r;
}

static struct ran run(const char *file, bool lockstep, atomic_bool *stop)
{
	struct vt_opts o = {.record.no_files = true, .lockstep = lockstep, .stop = stop};

	return run_as(file, &(struct scene_opts){0}, &o);
}

static void done(struct ran *r)
{
	report_free(r->rec);
	scene_free(r->scene);
}

// WRITE ONLY of 1024: 1098 + 24 bytes on the wire. At 100 Gb/s 89.76 ns, at 25 Gb/s 359.04 ns;
// cables 1 and 2 us, the switch 0.3 us. Its last bit is at b at 0.08976 + 1 + 0.3 + 0.35904 + 2 =
// 3.7488 us.
static void a_packet_arrives_at_the_instant_reckoned_by_hand(void **state)
{
	struct ran r = run("one-message.yaml", false, NULL);

	(void)state;
	assert_true(fabs(report_value(r.rec, "flow.one[a>b.0].min_latency") - 3748.8) < 0.06);
	done(&r);
}

// The ACK: 62 + 24 bytes, 27.52 ns at 25 Gb/s and 6.88 ns at 100 Gb/s, the same cables and switch
// back.
static void its_ack_completes_the_message(void **state)
{
	struct ran r = run("one-message.yaml", false, NULL);
	double fct = report_value(r.rec, "flow.one[a>b.0].flow_completion_time");

	(void)state;
	assert_true(fabs(fct - (3.7488 + 0.02752 + 2 + 0.3 + 0.00688 + 1)) < 1e-5);
	done(&r);
}

static void horizon_and_lockstep_see_the_same(void **state)
{
	struct ran h = run("commands.yaml", false, NULL), l = run("commands.yaml", true, NULL);
	static const char *const path[] = {"total.goodput_gbps", "flow.late[a2>b.0].tx_bytes",
		"flow.steady[a1>b.0].rx_bytes", "drops", "queue.s1:b.3.max_bytes"};

	(void)state;
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (report_value(h.rec, path[i]) != report_value(l.rec, path[i]))
			fail_msg("%s: %g and %g", path[i], report_value(h.rec, path[i]),
				report_value(l.rec, path[i]));
	done(&h);
	done(&l);
}

// 300 us at half of 10 Gb/s are 174 KB of payload; what was posted and queued by then comes on top.
static void commands_act_at_their_instants(void **state)
{
	struct ran r = run("commands.yaml", false, NULL);
	double bytes = report_value(r.rec, "flow.late[a2>b.0].tx_bytes");

	(void)state;
	assert_true(bytes > 170e3 && bytes < 220e3);
	assert_true(report_value(r.rec, "drop.link_down") > 0);
	done(&r);
}

// Between samples, and far from the end of warm-up: neither is waited for.
static void a_stop_ends_the_run_between_samples(void **state)
{
	const tstamp duration = 10 * PS_PER_S;
	const struct scene_set set[] = {{"sample", "10s"}, {"warmup", "9s"}};
	atomic_bool stop = true;
	struct ran r = run_as("commands.yaml",
		&(struct scene_opts){.set = set, .n_set = 2, .duration = &duration},
		&(struct vt_opts){.record.no_files = true, .stop = &stop});

	(void)state;
	assert_non_null(strstr(report_text(r.rec), "10.0 us simulated"));
	assert_non_null(strstr(report_text(r.rec), ", interrupted\n"));
	done(&r);
}

// At whatever instant it comes: all nodes have come equally far.
static void a_stopped_run_is_a_whole_run_of_its_time(void **state)
{
	const tstamp duration = 10 * PS_PER_US;
	static const char *const path[] = {"flow.steady[a1>b.0].tx_bytes",
		"flow.steady[a1>b.0].rx_bytes", "queue.s1:b.3.max_bytes", "utilization"};
	struct vt_opts o = {.record.no_files = true};
	struct ran whole = run_as("commands.yaml", &(struct scene_opts){.duration = &duration}, &o);
	atomic_bool stop = true;
	struct ran part = run("commands.yaml", false, &stop);

	(void)state;
	assert_null(strstr(report_text(whole.rec), "interrupted"));
	assert_true(report_value(part.rec, path[0]) > 8000);
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (report_value(part.rec, path[i]) != report_value(whole.rec, path[i]))
			fail_msg("%s: %g and %g", path[i], report_value(part.rec, path[i]),
				report_value(whole.rec, path[i]));
	done(&part);
	done(&whole);
}

// Four queue pairs are cut and then idle for four seconds. Their rates rise more often than the
// ring of a node has room for events. A run without files loses none of them.
static void an_idle_end_loses_no_event(void **state)
{
	struct ran r = run("idle-end.yaml", false, NULL);

	(void)state;
	assert_true(report_value(r.rec, "total.rate_cuts") > 0);
	assert_true(report_value(r.rec, "instrument.events_lost") == 0);
	done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_arrives_at_the_instant_reckoned_by_hand),
		cmocka_unit_test(its_ack_completes_the_message),
		cmocka_unit_test(horizon_and_lockstep_see_the_same),
		cmocka_unit_test(commands_act_at_their_instants),
		cmocka_unit_test(a_stop_ends_the_run_between_samples),
		cmocka_unit_test(a_stopped_run_is_a_whole_run_of_its_time),
		cmocka_unit_test(an_idle_end_loses_no_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
