// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's PTF tests of the PFC watchdog (tests/pfcwd): its actions, its timers, what it must
// not take for a storm.
#include "dut.h"

#include <stdlib.h>

#include "sniff.h"

#define QUEUE      "s1:r.3"
#define WD         "switches.s1.pfc_watchdog."
#define STORMS     20
#define POLL_US    1000.0 // of the scenarios
#define DETECT_US  2000.0
#define RESTORE_US 2000.0
#define LINE_LEN   512

static void one_storm(const struct scn *s, const char *queue)
{
	acc_is(s, 1, "wd.%s.storms", queue);
	acc_is(s, 1, "wd.%s.restored", queue);
}

// Frames of flows named `prefix` that came, of those sent: between lo and hi.
static void came(const struct scn *s, const char *prefix, double lo, double hi)
{
	char what[64];

	snprintf(what, sizeof(what), "%s: came of sent", prefix);
	assert_true(dut_sum(s, prefix, "tx_frames") >= 10);
	scn_in(s, what, dut_sum(s, prefix, "rx_frames") / dut_sum(s, prefix, "tx_frames"), lo, hi);
}

// Before and after the storm, in another class and at another port all comes.
static struct scn function(const char *how, const char *row)
{
	struct scn s = scn_run("acceptance/test_pfcwd_function.yaml", how, NULL);

	acc_row("3.2", row);
	one_storm(&s, QUEUE);
	came(&s, "before", 1, 1);
	came(&s, "during_class", 1, 1);
	came(&s, "during_port", 1, 1);
	came(&s, "after", 1, 1);
	return s;
}

// Both ways nothing of the class comes by; the counters say which way it was dropped.
static void test_pfcwd_actions_drop(void **state)
{
	struct scn s = function(WD "action=drop", "test_pfcwd_function, drop");

	(void)state;
	came(&s, "during_tx", 0, 0);
	came(&s, "during_rx", 0, 0);
	acc_is(&s, 10 + dut_sum(&s, "during_tx", "tx_frames"), "wd." QUEUE ".tx_dropped_frames");
	acc_is(&s, dut_sum(&s, "during_rx", "tx_frames"), "wd." QUEUE ".rx_dropped_frames");
	scn_free(&s);
}

static void test_pfcwd_actions_forward(void **state)
{
	struct scn s = function(WD "action=forward", "test_pfcwd_function, forward");

	(void)state;
	came(&s, "during_tx", 1, 1);
	came(&s, "during_rx", 1, 1);
	came(&s, "waiting", 1, 1);
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

// Only told: what is sent to the port waits for the storm's end, and comes.
static void test_pfcwd_actions_alert(void **state)
{
	struct scn s = function(WD "action=alert", "test_pfcwd_function, alert");

	(void)state;
	came(&s, "during", 1, 1);
	acc_is(&s, 0, "drops");
	acc_in(&s, 6e9, 8.1e9, "pfc." QUEUE ".mean_ps");
	scn_free(&s);
}

static void test_pfcwd_multi_port(void **state)
{
	struct scn s = scn_run("acceptance/test_pfcwd_multi_port.yaml", NULL);

	(void)state;
	acc_row("3.2", "test_pfcwd_multi_port");
	one_storm(&s, QUEUE);
	one_storm(&s, "s1:h2.3");
	came(&s, "after_tx", 1, 1);
	came(&s, "after_rx", 1, 1);
	scn_free(&s);
}

// With the buffer's thresholds changed, larger and smaller: it is found and restored all the same.
static void test_pfcwd_mmu_change(void **state)
{
	static const char *const how[] = {
		"switches.s1.classes.3.pfc.xoff=20%", "switches.s1.classes.3.pfc.xoff=20KB"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scn s = function(how[i], "test_pfcwd_mmu_change");

		scn_free(&s);
	}
}

static void test_pfcwd_port_toggle(void **state)
{
	struct scn s = scn_run("acceptance/test_pfcwd_port_toggle.yaml", NULL);
	double n = acc(&s, "wd." QUEUE ".storms");

	(void)state;
	acc_row("3.2", "test_pfcwd_port_toggle");
	scn_in(&s, "storms", n, 1, 2);
	acc_is(&s, n, "wd." QUEUE ".restored");
	came(&s, "after", 1, 1);
	scn_free(&s);
}

// A storm for a queue in which nothing waits is none, by the rule of Mellanox's switches; by
// Broadcom's it is.
static void test_pfcwd_no_traffic(void **state)
{
	static const char *const rule[] = {WD "rule=mellanox", WD "rule=broadcom"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scn s = scn_run("acceptance/test_pfcwd_function.yaml", rule[i],
			"flows.waiting.start=none", "flows.during_tx.start=none",
			"flows.during_rx.start=none", NULL);

		acc_row("3.2",
			i ? "test_pfcwd_no_traffic, broadcom" : "test_pfcwd_no_traffic, mellanox");
		acc_is(&s, i, "wd." QUEUE ".storms");
		acc_is(&s, i, "wd." QUEUE ".restored");
		came(&s, "after", 1, 1);
		scn_free(&s);
	}
}

// Durations of a storm, us: from the generator's first XOFF to detection, and from its XON to
// restoration.
struct times {
	double detect[STORMS], restore[STORMS];
	unsigned detected, restored;
};

static void read_line(struct times *t, const char *line, double *begin, double *end)
{
	double at = strtod(line, NULL);
	const char *what = strchr(line, ',');

	assert_non_null(what);
	if (!strncmp(what, ",xoff_tx,r:s1,", 14) && isnan(*begin))
		*begin = at;
	if (!strncmp(what, ",xon_tx,r:s1,", 13)) {
		*end = at;
		*begin = NAN;
	}
	if (!strncmp(what, ",pfcwd_storm,s1:r,3,", 20)) {
		assert_true(t->detected < STORMS);
		t->detect[t->detected++] = at - *begin;
	}
	if (!strncmp(what, ",pfcwd_restore,s1:r,3,", 22)) {
		assert_true(t->restored < STORMS);
		t->restore[t->restored++] = at - *end;
	}
}

static struct times times_of(const char *dir)
{
	struct times t = {0};
	double begin = NAN, end = NAN;
	char path[128], line[LINE_LEN];
	FILE *f;

	snprintf(path, sizeof(path), "%s/events.csv", dir);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		read_line(&t, line, &begin, &end);
	fclose(f);
	return t;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double median(double *v)
{
	qsort(v, STORMS, sizeof(*v), ascending);
	return (v[STORMS / 2 - 1] + v[STORMS / 2]) / 2;
}

// Medians of 20 storms: T < measured < T + T_poll. By the rules (standards.md 2.6) a storm that
// fills 99 % of a poll has filled it, so that one alone may be found 1 % of a poll early.
static void timer_accuracy(const char *rule)
{
	struct sniff f;
	struct times t;
	struct scn s;

	sniff_open(&f);
	s = scn_run("acceptance/test_pfcwd_timer_accuracy.yaml", rule, f.out, NULL);
	t = times_of(f.dir);
	sniff_close(&f);
	acc_row("3.2 test_pfcwd_timer_accuracy", rule);
	scn_in(&s, "storms detected", t.detected, STORMS, STORMS);
	scn_in(&s, "storms restored", t.restored, STORMS, STORMS);
	scn_in(&s, "detection, median, us", median(t.detect), DETECT_US, DETECT_US + POLL_US);
	scn_in(&s, "detection, shortest, us", t.detect[0], DETECT_US - POLL_US / 100,
		DETECT_US + POLL_US);
	scn_in(&s, "detection, longest, us", t.detect[STORMS - 1], DETECT_US, DETECT_US + POLL_US);
	scn_in(&s, "restoration, median, us", median(t.restore), RESTORE_US, RESTORE_US + POLL_US);
	scn_in(&s, "restoration, shortest, us", t.restore[0], RESTORE_US, RESTORE_US + POLL_US);
	scn_in(&s, "restoration, longest, us", t.restore[STORMS - 1], RESTORE_US,
		RESTORE_US + POLL_US);
	scn_free(&s);
}

static void test_pfcwd_timer_accuracy(void **state)
{
	(void)state;
	timer_accuracy(WD "rule=mellanox");
	timer_accuracy(WD "rule=broadcom");
}

// 1000 frames with no class enabled, then 1000 XON: no drop, no pause, no storm, by either rule.
static void test_xon_not_counted(void **state)
{
	static const char *const rule[] = {WD "rule=mellanox", WD "rule=broadcom"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scn s = scn_run("acceptance/test_xon_not_counted.yaml", rule[i], NULL);

		acc_row("3.2 test_xon_not_counted", rule[i]);
		acc_is(&s, 1000, "port.s1:r.pfc_invalid_frames");
		acc_is(&s, 1000, "pfc." QUEUE ".xon_frames");
		acc_is(&s, 0, "pfc." QUEUE ".pauses");
		acc_is(&s, 0, "drops");
		acc_is(&s, 0, "wd." QUEUE ".storms");
		came(&s, "data", 1, 1);
		scn_free(&s);
	}
}

static void test_pfcwd_all_port_storm(void **state)
{
	struct scn s = scn_run("acceptance/test_pfcwd_all_port_storm.yaml", NULL);

	(void)state;
	acc_row("3.2", "test_pfcwd_all_port_storm");
	for (unsigned h = 1; h <= 8; h++) {
		char queue[16];

		snprintf(queue, sizeof(queue), "s1:h%u.3", h);
		one_storm(&s, queue);
	}
	came(&s, "data0", 1, 1);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pfcwd_actions_drop),
		cmocka_unit_test(test_pfcwd_actions_forward),
		cmocka_unit_test(test_pfcwd_actions_alert),
		cmocka_unit_test(test_pfcwd_multi_port),
		cmocka_unit_test(test_pfcwd_mmu_change),
		cmocka_unit_test(test_pfcwd_port_toggle),
		cmocka_unit_test(test_pfcwd_no_traffic),
		cmocka_unit_test(test_pfcwd_timer_accuracy),
		cmocka_unit_test(test_xon_not_counted),
		cmocka_unit_test(test_pfcwd_all_port_storm),
	};

	return cmocka_run_group_tests_name("pfcwd ptf", tests, NULL, NULL);
}
