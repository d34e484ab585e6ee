// SPDX-License-Identifier: BSD-3-Clause
// The effects of PFC on bystanders: head-of-line blocking, a storm and its watchdog, a circle of
// waiting; and the waterline.
#include "scn.h"

#include <math.h>
#include <string.h>

#define PAYLOAD (1024.0 / 1106) // of a link's bytes
#define QUEUED  (1024.0 / 1086) // of a buffer's bytes

static void told(const struct scn *s, const char *what)
{
	if (!strstr(report_text(s->rec), what))
		fail_msg("\"%s\" is not in\n%s\n%s", what, report_text(s->rec), s->command);
}

static void frames_for_an_idle_receiver_stand_behind_others(void **state)
{
	struct scn s = scn_run("hol-blocking.yaml", NULL);
	double slow = scn_gbps(&s, "slow"), behind = scn_gbps(&s, "behind");

	(void)state;
	scn_in(&s, "slow, as its receiver drains", slow, 10 * QUEUED * 0.99, 10 * QUEUED * 1.01);
	scn_in(&s, "behind over slow", behind / slow, 0.85, 1.15);
	scn_in(&s, "beside: the rest of the trunk", scn_gbps(&s, "beside") + slow + behind,
		100 * PAYLOAD * 0.99, 100 * PAYLOAD * 1.001);
	scn_in(&s, "class 3 of the trunk: share paused", scn_value(&s, "pfc.s1:s2.3.pause_ratio"),
		0.3, 0.9);
	assert_true(report_value(s.rec, "pfc.s1:s2.4.pause_ratio") == 0);
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_free(&s);
}

static void a_class_of_its_own_sets_it_free(void **state)
{
	struct scn s = scn_run("hol-blocking.yaml", "flows.behind.class=4", NULL);
	double rest = 100 * PAYLOAD - 10 * QUEUED;

	(void)state;
	scn_in(&s, "behind: half of the rest", scn_gbps(&s, "behind"), rest / 2 * 0.98,
		rest / 2 * 1.02);
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_free(&s);
}

// The three steps of flow control, what each does to a class of its own and to a way of its own.
// The files' criteria hold too.
static void each_step_of_flow_control_spares_more_bystanders(void **state)
{
	struct scn fc = scn_run("bystander-1-fc.yaml", NULL),
		   pfc = scn_run("bystander-2-pfc.yaml", NULL),
		   ecn = scn_run("bystander-3-pfc-ecn.yaml", NULL);
	const double eighth = 100 * PAYLOAD / 8;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct scn *s = i == 2 ? &ecn : i == 1 ? &pfc : &fc;

		assert_true(report_passed(s->rec)); // with the criteria of the file
		scn_in(s, "incast", scn_gbps(s, "incast"), i == 2 ? 70 : 99 * PAYLOAD,
			100 * PAYLOAD);
		scn_in(s, "drops, whole run", scn_value(s, "drops_total"), 0, 0);
	}
	scn_in(&fc, "PAUSE: same, an eighth of r's link", scn_gbps(&fc, "same"), 0.8 * eighth,
		1.05 * eighth);
	scn_in(&fc, "PAUSE: other, twice that", scn_gbps(&fc, "other") / scn_gbps(&fc, "same"), 1.9,
		2.1);
	scn_in(&fc, "PAUSE: class 0 is stopped as class 3 is",
		scn_value(&fc, "pfc.h1:s1.0.pause_ratio") /
			scn_value(&fc, "pfc.h1:s1.3.pause_ratio"),
		1, 1);
	scn_in(&pfc, "PFC: same is held all the same", scn_gbps(&pfc, "same"), 0.8 * eighth,
		1.05 * eighth);
	scn_in(&pfc, "PFC: h1's link is full", scn_value(&pfc, "link.h1:s1.utilization_percent"),
		99.5, 100.1);
	assert_true(report_value(pfc.rec, "pfc.h1:s1.0.pause_ratio") == 0);
	scn_in(&ecn, "ECN: same", scn_gbps(&ecn, "same"), 3 * eighth, 4 * eighth);
	scn_in(&ecn, "ECN: h1's link is full", scn_value(&ecn, "link.h1:s1.utilization_percent"),
		99, 100.1);
	scn_free(&fc);
	scn_free(&pfc);
	scn_free(&ecn);
}

// From the poll behind the detection to the storm's end.
static struct scn storm(const char *action)
{
	char set[64];

	snprintf(set, sizeof(set), "switches.s2.pfc_watchdog.action=%s", action);
	return scn_run("storm-watchdog.yaml", set, "warmup=5ms", "duration=22ms", NULL);
}

static void a_storm_stops_the_class_everywhere(void **state)
{
	struct scn s = storm("alert");

	(void)state;
	scn_in(&s, "victim", scn_gbps(&s, "victim"), 0, 0);
	scn_in(&s, "the victim's host: share paused", scn_value(&s, "pfc.h2:s1.3.pause_ratio"), 1,
		1);
	scn_in(&s, "storms", scn_value(&s, "wd.s2:mad.3.storms"), 0, 1);
	scn_in(&s, "drops", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

static void its_watchdog_sets_the_victim_free(void **state)
{
	struct scn s = storm("drop");

	(void)state;
	scn_in(&s, "victim", scn_gbps(&s, "victim"), 25 * PAYLOAD * 0.95, 25 * PAYLOAD);
	scn_in(&s, "resent of the victim", scn_value(&s, "group.victim.data_frames_retransmitted"),
		0, 0);
	scn_free(&s);
}

// The storm begins at 2 ms: detection 2 ms and a poll of 1 ms. It ends at 22 ms: restoration 2 ms
// and a poll.
static void it_acts_within_a_poll(void **state)
{
	struct scn s = scn_run("storm-watchdog.yaml", NULL);

	(void)state;
	scn_in(&s, "storms", scn_value(&s, "wd.s2:mad.3.storms"), 1, 1);
	scn_in(&s, "restored", scn_value(&s, "wd.s2:mad.3.restored"), 1, 1);
	scn_in(&s, "from detection to restoration, us", scn_value(&s, "wd.s2:mad.3.storm_us"),
		19000, 21000);
	scn_in(&s, "drops that are not the watchdog's",
		scn_value(&s, "drops") - scn_value(&s, "drop.pfcwd"), 0, 0);
	scn_in(&s, "resent of mad", scn_value(&s, "group.mad.data_frames_retransmitted"), 1, 1e6);
	scn_free(&s);
	s = scn_run("storm-watchdog.yaml", "warmup=30ms", NULL);
	scn_in(&s, "mad, once it is over", scn_gbps(&s, "mad"), 25 * PAYLOAD / 2 * 0.95,
		25 * PAYLOAD / 2 * 1.05);
	scn_free(&s);
}

// The third load begins at 3 ms. A hop fills in (XOFF of two hosts' groups) / (40 Gb/s): some 20
// us.
static void a_circle_of_waiting_is_named(void **state)
{
	struct scn s = scn_run("deadlock-ring.yaml", NULL);

	(void)state;
	scn_in(&s, "goodput", scn_gbps(&s, ""), 0, 0);
	scn_in(&s, "deadlocks", scn_value(&s, "deadlocks"), 1, 1);
	scn_in(&s, "since, us", scn_value(&s, "deadlock.0.since_us"), 3005, 3060);
	scn_in(&s, "stuck queues", scn_value(&s, "deadlock.0.stuck_queues"), 3, 3);
	scn_in(&s, "drops", scn_value(&s, "drops_total"), 0, 0);
	assert_true(isnan(report_value(s.rec, "deadlock.0.until_us")));
	told(&s, "class 3, 3 queues: s1:s2 > s2:s3 > s3:s1");
	told(&s, "to the end");
	// The window begins at 5 ms; all nine go on to its end.
	told(&s, "9 pauses, 45.000 ms in all, longest 5.000 ms");
	scn_in(&s, "longest pause so far, us", scn_value(&s, "pfc.s1:s2.3.running_us"), 6950, 6990);
	scn_free(&s);
}

static void without_the_third_load_there_is_no_circle(void **state)
{
	struct scn s = scn_run("deadlock-ring.yaml", "flows.three.start=none", NULL);

	(void)state;
	scn_in(&s, "deadlocks", scn_value(&s, "deadlocks"), 0, 0);
	scn_in(&s, "two loads share s2:s3", scn_gbps(&s, ""), 40 * PAYLOAD * 0.99,
		40 * PAYLOAD * 1.01);
	scn_free(&s);
}

// A watchdog at one trunk opens the circle each time, and it closes again.
static void a_watchdog_opens_the_circle_for_a_while(void **state)
{
	struct scn s = scn_run("deadlock-ring.yaml",
		"switches.s1.pfc_watchdog={poll: 1ms, detection: 1ms, restoration: 1ms}",
		"duration=30ms", NULL);

	(void)state;
	scn_in(&s, "first deadlock ends, us", scn_value(&s, "deadlock.0.until_us"), 4900, 5200);
	scn_in(&s, "deadlocks", scn_value(&s, "deadlocks"), 2, 12);
	scn_in(&s, "load two, Gb/s", scn_gbps(&s, "two"), 10, 40 * PAYLOAD);
	scn_free(&s);
}

struct level {
	double utilization, rpc_us, pauses, empty;
};

static struct level waterline(const char *kmin)
{
	char set[64];
	struct level l;
	struct scn s;

	snprintf(set, sizeof(set), "switches.s1.classes.3.wred.min=%s", kmin);
	s = scn_run("waterline.yaml", set, NULL);
	l = (struct level){
		.utilization = scn_value(&s, "link.s1:r.utilization_percent"),
		.rpc_us = scn_value(&s, "group.rpc.fct_p99_us"),
		.pauses = scn_value(&s, "pauses"),
		.empty = scn_value(&s, "queue.s1:r.3.empty_percent"),
	};
	printf("  Kmin %-6s %6.2f %% used, RPC p99 %5.1f us, %5.0f pauses, %4.1f %% empty\n", kmin,
		l.utilization, l.rpc_us, l.pauses, l.empty);
	scn_free(&s);
	return l;
}

// Too low: the link idles. Too high: it is full, and RPCs wait. Above four senders' XOFF: PFC alone
// acts.
static void the_waterline_has_a_place(void **state)
{
	struct level low = waterline("2KB"), good = waterline("80KB"), high = waterline("640KB"),
		     above = waterline("1500KB");

	(void)state;
	assert_true(low.utilization < 90 && low.empty > 30 && low.pauses == 0);
	assert_true(good.utilization > 99 && good.rpc_us < 2 * low.rpc_us && good.pauses == 0);
	assert_true(high.utilization > 99 && high.rpc_us > 4 * good.rpc_us && high.pauses == 0);
	assert_true(above.rpc_us > high.rpc_us && above.pauses > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_for_an_idle_receiver_stand_behind_others),
		cmocka_unit_test(a_class_of_its_own_sets_it_free),
		cmocka_unit_test(each_step_of_flow_control_spares_more_bystanders),
		cmocka_unit_test(a_storm_stops_the_class_everywhere),
		cmocka_unit_test(its_watchdog_sets_the_victim_free),
		cmocka_unit_test(it_acts_within_a_poll),
		cmocka_unit_test(a_circle_of_waiting_is_named),
		cmocka_unit_test(without_the_third_load_there_is_no_circle),
		cmocka_unit_test(a_watchdog_opens_the_circle_for_a_while),
		cmocka_unit_test(the_waterline_has_a_place),
	};

	return cmocka_run_group_tests_name("pathologies", tests, NULL, NULL);
}
