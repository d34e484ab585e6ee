// SPDX-License-Identifier: BSD-3-Clause
// CNPs of switches in the table of a run: the switch, then its interfaces that had any.
#include "record_lab.h"

// Three senders, whose CNPs a switch sends.
#define SCENE(control, iqcn, np)                                                       \
	"duration: 4ms\nwarmup: 100us\ncontrols: {c: {profile: paper, " control "}}\n" \
	"switches: {s1: {buffer: 16MB, classes: {3: {wred: {min: 10KB, max: 20KB, "    \
	"probability: 100%}, " iqcn "}}}}\n"                                           \
	"hosts: {h1..3: , r: {np: {interval: " np "}}}\n"                              \
	"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n"             \
	"flows: {f: {from: h1..3, to: r, control: c}}\n"
#define IQCN     SCENE("rate_timer: 300us, byte_counter: none", "iqcn: {}", "2ms")
#define FAST_CNP SCENE("ai_rate: 2Gbps", "fast_cnp: {}", "50us")

static struct lab l;

// The table has this line, made of figures by path.
static void assert_line(const char *format, const char *one, const char *two)
{
	char want[256];

	snprintf(want, sizeof(want), format, (unsigned long long)report_value(l.rec, one),
		report_value(l.rec, two));
	if (!strstr(report_text(l.rec), want))
		fail_msg("no '%s' in\n%s", want, report_text(l.rec));
}

static void iqcn_is_told_by_switch_and_interface(void **state)
{
	(void)state;
	lab_open(&l, IQCN);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_line("\n  iQCN        s1: TX CNP %llu, %.1f /s; 3 of 65536 flows known, ",
		"iqcn.s1.tx_cnp", "iqcn.s1.tx_cnp_per_s");
	assert_line("\n                s1:r           RX CNP %8llu, %9.1f /s; TX CNP ",
		"iqcn.s1:r.rx_cnp", "iqcn.s1:r.rx_cnp_per_s");
	assert_null(strstr(report_text(l.rec), "s1:h1          RX CNP"));
	assert_null(strstr(report_text(l.rec), "Fast CNP"));
	lab_close(&l);
}

static void fast_cnp_is_told_by_switch_and_interface(void **state)
{
	(void)state;
	lab_open(&l, FAST_CNP);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_line("\n  Fast CNP    s1: TX CNP %llu, %.1f /s; 3 of 65536 flows known, ",
		"fast_cnp.s1.tx_cnp", "fast_cnp.s1.tx_cnp_per_s");
	assert_line("\n                s1:r           TX CNP %8llu, %9.1f /s; ",
		"fast_cnp.s1:r.tx_cnp", "fast_cnp.s1:r.tx_cnp_per_s");
	assert_null(strstr(report_text(l.rec), "s1:h1          TX CNP"));
	assert_null(strstr(report_text(l.rec), "  iQCN  "));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iqcn_is_told_by_switch_and_interface),
		cmocka_unit_test(fast_cnp_is_told_by_switch_and_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
