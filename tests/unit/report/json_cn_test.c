// SPDX-License-Identifier: BSD-3-Clause
// CNPs of switches in summary.json: a row a port, a row a switch, with what the tests read by path.
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

static unsigned times(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

// The list `key` of the file has so many rows, and one of them the figure as `path` has it.
static void assert_list(const char *text, const char *key, unsigned rows, const char *row,
	const char *figure, const char *path)
{
	char want[160];
	char *list = strstr(text, key), *end;

	assert_non_null(list);
	end = strchr(list, ']');
	assert_non_null(end);
	list = strndup(list, (size_t)(end - list));
	assert_int_equal(times(list, "\"tx_cnp\": "), rows);
	assert_int_equal(times(list, row), 1);
	snprintf(want, sizeof(want), "\"%s\": %.0f", figure, report_value(l.rec, path));
	assert_non_null(strstr(strstr(list, row), want));
	free(list);
}

static void iqcn_has_a_row_a_port_and_a_switch(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, IQCN);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	text = lab_file(&l, "summary.json");
	assert_list(text, "\"iqcn\": [", 4, "\"port\": \"s1:r\"", "rx_cnp", "iqcn.s1:r.rx_cnp");
	assert_list(
		text, "\"iqcn_tables\": [", 1, "\"switch\": \"s1\"", "tx_cnp", "iqcn.s1.tx_cnp");
	assert_null(strstr(text, "\"fast_cnp\": ["));
	free(text);
	lab_close(&l);
}

static void fast_cnp_has_a_row_a_port_and_a_switch(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, FAST_CNP);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	text = lab_file(&l, "summary.json");
	assert_list(text, "\"fast_cnp\": [", 4, "\"port\": \"s1:r\"", "suppressed",
		"fast_cnp.s1:r.suppressed");
	assert_list(text, "\"fast_cnp_tables\": [", 1, "\"switch\": \"s1\"", "learned_total",
		"fast_cnp.s1.learned_total");
	assert_null(strstr(text, "\"iqcn\": ["));
	free(text);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iqcn_has_a_row_a_port_and_a_switch),
		cmocka_unit_test(fast_cnp_has_a_row_a_port_and_a_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
