// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/deadlock: a ring that deadlocks, named and dated; what only looks like one; and its
// end.
#include "figure_lab.h"

#include <math.h>

// Five switches in a ring, each host sends to the one two further on: that way is the shorter one.
// Every link between switches carries two flows at the rate of one.
#define RING(pfc, more)                                                                      \
	"duration: 2ms\n"                                                                    \
	"defaults: {links: {rate: 25Gbps, delay: 1us}}\n"                                    \
	"switches: {s1..5: {buffer: 4MB, classes: {3: {lossless: true, pfc: {" pfc "}}}}}\n" \
	"hosts: {h1..5: }\n"                                                                 \
	"links:\n"                                                                           \
	"  - {between: [h1..5, s1..5], pairs: same_index}\n"                                 \
	"  - {between: [s1, s2]}\n"                                                          \
	"  - {between: [s2, s3]}\n"                                                          \
	"  - {between: [s3, s4]}\n"                                                          \
	"  - {between: [s4, s5]}\n"                                                          \
	"  - {between: [s5, s1]}\n"                                                          \
	"flows: {a: {from: [h1, h2, h3, h4, h5], to: [h3, h4, h5, h1, h2], pairs: "          \
	"same_index}}\n" more

static void run(const char *yaml)
{
	lab_open(&l, yaml);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
}

static unsigned lines_with(const char *what)
{
	char *text = lab_file(&l, "events.csv");
	unsigned n = times_in(text, what);

	free(text);
	return n;
}

static void a_ring_deadlocks(void **state)
{
	(void)state;
	run(RING("xoff: 100KB", ""));
	assert_true(v("deadlocks") == 1);
	assert_true(v("deadlock.0.stuck_queues") == 5);
	assert_true(v("deadlock.0.since_us") > 50);
	assert_true(v("deadlock.0.seen_us") >= v("deadlock.0.since_us"));
	assert_true(v("deadlock.0.seen_us") < v("deadlock.0.since_us") + 100);
	assert_true(isnan(v("deadlock.0.until_us")));
	assert_non_null(strstr(report_text(l.rec),
		"DEADLOCK    class 3, 5 queues: s1:s2 > s2:s3 > s3:s4 > s4:s5 > s5:s1\n"));
	assert_int_equal(lines_with(",deadlock,s"), 5);
	assert_int_equal(lines_with(",deadlock,s3:s4,3,,3/5 since "), 1);
	assert_int_equal(lines_with(",deadlock_end,"), 0);
	assert_true(v("drops") == 0);
	lab_close(&l);
}

static void the_watchdog_ends_it(void **state)
{
	(void)state;
	run(RING("xoff: 100KB",
		"ports: {\"s3:s4\": {pfc_watchdog: {poll: 100us, detection: 200us, restoration: "
		"10ms}}}\n"));
	assert_true(v("deadlocks") == 1);
	// The pause began at 141 us: polls at 300 and 400 us find it.
	assert_true(v("wd.s3:s4.3.storms") == 1);
	assert_true(v("deadlock.0.until_us") == 400 || v("deadlock.0.until_us") == 500);
	assert_int_equal(lines_with(",deadlock_end,"), 5);
	assert_true(v("drops") > 0);
	lab_close(&l);
}

// Short pauses that are not refreshed run out: each time the cycle closes it opens again, and
// frames go on.
static void pauses_that_run_out_open_it(void **state)
{
	(void)state;
	run(RING("xoff: 100KB, quanta: 500, refresh: 0%", ""));
	// A cycle that one sample saw was gone at the next.
	assert_true(!v("deadlocks") || v("deadlock.0.until_us") <= v("deadlock.0.seen_us") + 100);
	assert_true(v("goodput_gbps") > 5);
	lab_close(&l);
}

// Queues back to the sender wait for a host that storms: all stand, none in a cycle.
static void waiting_for_a_host_is_no_deadlock(void **state)
{
	(void)state;
	run("duration: 2ms\n"
	    "defaults: {links: {rate: 25Gbps, delay: 1us}}\n"
	    "switches: {s1..3: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: 100KB}}}}}\n"
	    "hosts: {h1..2: , r: }\n"
	    "links:\n"
	    "  - {between: [h1, s1]}\n"
	    "  - {between: [s1, s2]}\n"
	    "  - {between: [s2, s3]}\n"
	    "  - {between: [s2, h2]}\n"
	    "  - {between: [s3, r]}\n"
	    "flows: {a: {from: h1..2, to: r}}\n"
	    "events: [{at: 100us, pfc_storm: {port: r:s3, class: 3, for: 3ms}}]\n");
	assert_true(v("pg.s1:h1.3.xoff_percent") > 90);
	assert_true(v("deadlocks") == 0);
	assert_null(strstr(report_text(l.rec), "DEADLOCK"));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_deadlocks),
		cmocka_unit_test(the_watchdog_ends_it),
		cmocka_unit_test(pauses_that_run_out_open_it),
		cmocka_unit_test(waiting_for_a_host_is_no_deadlock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
