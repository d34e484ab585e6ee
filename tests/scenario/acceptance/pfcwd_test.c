// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's snappi tests of the PFC watchdog (tests/snappi_tests/pfcwd): when it acts, and what
// that does.
#include "dut.h"

#define WD        "switches.s1.pfc_watchdog."
#define IN_FLIGHT 40 // most frames on links at the edges of a window

static void storms(const struct scn *s, const char *queue, double n, double restored)
{
	acc_is(s, n, "wd.%s.storms", queue);
	acc_is(s, restored, "wd.%s.restored", queue);
}

// All that was sent and never came, percent: what is lost last leaves no gap in the sequence.
static double gone(const struct scn *s, const char *flows)
{
	double tx = dut_sum(s, flows, "tx_frames");

	return 100 * (tx - dut_sum(s, flows, "rx_frames")) / tx;
}

static void no_loss(const struct scn *s, const char *flows)
{
	scn_in(s, flows, gone(s, flows), 0, 0);
}

// Row 31, a storm longer than detection and a poll: loss of flow 1 between 1 - 0.3 and 1, flow 2
// loses nothing.
static void basic(const char *row, const char *only_one, const char *class2)
{
	struct scn s = scn_run("acceptance/test_pfcwd_basic.yaml", only_one, class2,
		"flows.flow1_4.class=4", NULL);

	acc_row("3.1 row 31", row);
	storms(&s, "s1:r.3", 1, 1);
	scn_in(&s, "loss of flow 1, %", gone(&s, "flow1"), 70, 100);
	no_loss(&s, "flow2");
	scn_free(&s);
}

static void test_pfcwd_basic_multi_lossless_prio(void **state)
{
	(void)state;
	basic("test_pfcwd_basic_multi_lossless_prio", "flows.warm_up4.class=4",
		"events.1.pfc_storm.class=4");
}

// Of the second priority nothing is sent, and the second storm is that of the first.
static void test_pfcwd_basic_single_lossless_prio(void **state)
{
	struct scn s;

	(void)state;
	s = scn_run("acceptance/test_pfcwd_basic.yaml", "events.1.pfc_storm.class=3",
		"flows.warm_up4.start=none", "flows.flow1_4.start=none", "flows.flow2_4.start=none",
		NULL);
	acc_row("3.1 row 31", "test_pfcwd_basic_single_lossless_prio");
	storms(&s, "s1:r.3", 1, 1);
	storms(&s, "s1:r.4", 0, 0);
	scn_in(&s, "loss of flow 1, %", gone(&s, "flow1_3"), 70, 100);
	no_loss(&s, "flow2_3");
	scn_free(&s);
}

// A storm of half the detection time: nothing is lost.
static void test_pfcwd_basic_short_storm(void **state)
{
	struct scn s = scn_run("acceptance/test_pfcwd_basic.yaml", "events.0.pfc_storm.for=1ms",
		"events.1.pfc_storm.for=1ms", "flows.flow1_3.start=3.6ms",
		"flows.flow1_4.start=3.6ms", NULL);

	(void)state;
	acc_row("3.1 row 31", "test_pfcwd_basic, storm shorter than the detection time");
	storms(&s, "s1:r.3", 0, 0);
	storms(&s, "s1:r.4", 0, 0);
	acc_in(&s, 1, INFINITY, "pfc.s1:r.3.xoff_frames");
	no_loss(&s, "flow1");
	no_loss(&s, "flow2");
	scn_free(&s);
}

// Row 32: 15 storms, each shorter than the detection time: no packet dropped; PFC goes no further
// than the port.
static void test_pfcwd_burst_storm(void **state)
{
	struct scn s = scn_run("acceptance/test_pfcwd_burst_storm.yaml", NULL);

	(void)state;
	acc_row("3.1 row 32", "test_pfcwd_burst_storm");
	for (unsigned c = 3; c <= 4; c++) {
		acc_in(&s, 15, 15, "pfc.s1:r.%u.pauses", c);
		acc_is(&s, 0, "wd.s1:r.%u.storms", c);
	}
	no_loss(&s, "data");
	acc_is(&s, 0, "drops");
	acc_is(&s, acc(&s, "port.s1:r.consumed_frames"), "nic.r.tx_frames");
	acc_is(&s, acc(&s, "port.s1:h1.originated_frames"), "nic.h1.rx_frames");
	scn_free(&s);
}

// Row 33: background no loss; test flows lose where the watchdog was triggered and only those that
// have to do with the port that storms; the DUT's count is the generator's within 0.01 %.
static void many(const char *file, const char *row, const char *storm_port, const char *length,
	bool triggered)
{
	char first[64], second[64], queue[32];
	struct scn s;

	snprintf(first, sizeof(first), "events.0.pfc_storm.for=%s", length);
	snprintf(second, sizeof(second), "events.1.pfc_storm.for=%s", length);
	snprintf(queue, sizeof(queue), "s1:%s.3", storm_port);
	s = scn_run(file, first, second, NULL);
	acc_row("3.1 row 33", row);
	storms(&s, queue, triggered, triggered);
	no_loss(&s, "background");
	scn_in(&s, "loss of test flows, %", gone(&s, "test"), triggered ? 1 : 0,
		triggered ? 100 : 0);
	for (unsigned i = 0; i < s.scene->n_sources; i++) {
		const struct scene_source *f = s.scene->source[i];
		int storms = scene_node(s.scene, storm_port);

		if (f->from != storms && f->to != storms && gone(&s, f->name) > 0)
			fail_msg("%s lost frames\n%s", f->name, s.command);
	}
	scn_in(&s, "generator against DUT, frames",
		dut_sum(&s, "", "tx_frames") - dut_sum(&s, "", "rx_frames") -
			scn_value(&s, "drops"),
		0, 0);
	scn_free(&s);
}

static void test_pfcwd_many_to_one(void **state)
{
	(void)state;
	many("acceptance/test_pfcwd_many_to_one.yaml", "test_pfcwd_many_to_one, triggered", "r",
		"6ms", true);
	many("acceptance/test_pfcwd_many_to_one.yaml", "test_pfcwd_many_to_one, not triggered", "r",
		"1ms", false);
}

static void test_pfcwd_all_to_all(void **state)
{
	(void)state;
	many("acceptance/test_pfcwd_all_to_all.yaml", "test_pfcwd_all_to_all, triggered", "h1",
		"6ms", true);
	many("acceptance/test_pfcwd_all_to_all.yaml", "test_pfcwd_all_to_all, not triggered", "h1",
		"1ms", false);
}

// Row 34: 0 loss, rate within 5 %.
static void test_pfcwd_runtime_traffic(void **state)
{
	struct scn s = scn_run("acceptance/test_pfcwd_runtime_traffic.yaml", NULL);

	(void)state;
	acc_row("3.1 row 34", "test_pfcwd_runtime_traffic");
	no_loss(&s, "data");
	scn_in(&s, "received, % of 96 Gb/s on the wire",
		100 * dut_sum(&s, "data", "rx_frames") * 1044 * 8 / (96e9 * 15e-3), 95, 105);
	storms(&s, "s1:r.3", 0, 0);
	scn_free(&s);
}

enum expect { DROPS, FORWARDS, PAUSES };

// Rows 35 and 36. After detection: drop sends no PFC to the senders and loses the frames; forward
// loses none and sends none; disabled pauses the senders. PFC of lossy priorities is always 0, and
// they lose nothing.
static void action(const char *file, const char *row, const char *how, enum expect e,
	const char *lossless, const char *lossy)
{
	char rate[5][64];
	struct scn s;

	for (unsigned i = 0; i < 2; i++)
		snprintf(rate[i], sizeof(rate[i]), "flows.lossless%u.open_loop.rate=%s", i + 3,
			lossless);
	for (unsigned i = 0; i < 3; i++)
		snprintf(rate[2 + i], sizeof(rate[0]), "flows.lossy%u.open_loop.rate=%s", i, lossy);
	s = scn_run(file, how, rate[0], rate[1], rate[2], rate[3], rate[4], NULL);
	acc_row(row, how);
	for (unsigned c = 0; c < 5; c++) {
		bool pfc = e == PAUSES && c >= 3;

		scn_in(&s, c < 3 ? "XOFF to senders, lossy" : "XOFF to senders, lossless",
			dut_xoff(&s, "s1:h1", c) + dut_xoff(&s, "s1:h2", c), pfc ? 1 : 0,
			pfc ? INFINITY : 0);
	}
	acc_in(&s, 1, INFINITY, "pfc.s1:r.3.xoff_frames");
	scn_in(&s, "lossy loss, %", dut_loss(&s, "lossy"), 0, 0);
	scn_in(&s, "lossless dropped, frames", scn_value(&s, "drops"),
		e == DROPS ? dut_sum(&s, "lossless", "tx_frames") - IN_FLIGHT : 0,
		e == DROPS ? dut_sum(&s, "lossless", "tx_frames") + IN_FLIGHT : 0);
	// With the storm disregarded they arrive as they are sent (+-10 %).
	if (e != DROPS)
		scn_in(&s, "lossless received of sent, %",
			100 * dut_sum(&s, "lossless", "rx_frames") /
				fmax(dut_sum(&s, "lossless", "tx_frames"), 1),
			e == PAUSES ? 0 : 90, e == PAUSES ? 0 : 110);
	scn_free(&s);
}

static void actions(const char *file, const char *row, const char *lossless, const char *lossy)
{
	action(file, row, WD "action=drop", DROPS, lossless, lossy);
	action(file, row, WD "action=forward", FORWARDS, lossless, lossy);
	action(file, row, WD "enable=false", PAUSES, lossless, lossy);
}

// 90 % lossless and 10 % lossy, equal parts, and 40 to 9 at both ports (together 98 %).
static void test_pfcwd_actions(void **state)
{
	(void)state;
	actions("acceptance/test_pfcwd_actions.yaml", "3.1 row 35, 90 to 10", "22%", "1.6%");
	actions("acceptance/test_pfcwd_actions.yaml", "3.1 row 35, uni", "9%", "9%");
	actions("acceptance/test_pfcwd_actions.yaml", "3.1 row 35, 40 to 9", "20%", "3%");
}

// Disabled while the storm goes on: the queues are obeyed again, senders paused, nothing more is
// dropped.
static void test_pfcwd_disable(void **state)
{
	struct scn s = scn_run("acceptance/test_pfcwd_disable.yaml", NULL);

	(void)state;
	acc_row("3.1 row 35", "test_pfcwd_actions, disabled at run time");
	scn_in(&s, "dropped before", scn_value(&s, "drops_total"), 1, INFINITY);
	acc_is(&s, 0, "drops");
	for (unsigned c = 3; c <= 4; c++) {
		scn_in(&s, "XOFF to senders", dut_xoff(&s, "s1:h1", c) + dut_xoff(&s, "s1:h2", c),
			1, INFINITY);
		acc_is(&s, 0, "wd.s1:r.%u.storms", c);
	}
	scn_in(&s, "lossless received, frames", dut_sum(&s, "lossless", "rx_frames"), 0, 0);
	scn_in(&s, "lossy loss, %", dut_loss(&s, "lossy"), 0, 0);
	scn_free(&s);
}

static void test_pfcwd_mixed_speed(void **state)
{
	(void)state;
	actions("acceptance/test_pfcwd_mixed_speed.yaml", "3.1 row 36", "10%", "1%");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pfcwd_basic_single_lossless_prio),
		cmocka_unit_test(test_pfcwd_basic_multi_lossless_prio),
		cmocka_unit_test(test_pfcwd_basic_short_storm),
		cmocka_unit_test(test_pfcwd_burst_storm),
		cmocka_unit_test(test_pfcwd_many_to_one),
		cmocka_unit_test(test_pfcwd_all_to_all),
		cmocka_unit_test(test_pfcwd_runtime_traffic),
		cmocka_unit_test(test_pfcwd_actions),
		cmocka_unit_test(test_pfcwd_disable),
		cmocka_unit_test(test_pfcwd_mixed_speed),
	};

	return cmocka_run_group_tests_name("pfcwd", tests, NULL, NULL);
}
