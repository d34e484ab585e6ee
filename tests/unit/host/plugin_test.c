// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins in a run: which they were, what was clamped, and how one that fails ends it.
#include "record_lab.h"

#include "report/int.h"
#include "summary/summary.h"

#define YAML(values)                                                                              \
	"name: plug\nduration: 2ms\ncontrols: {mine: {plugin: '" MODULES "/plugin0.so'" values    \
	"}}\n"                                                                                    \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, wred: {min: 5KB, max: 50KB, " \
	"probability: 10%}}}}}\n"                                                                 \
	"hosts: {h1..2: {}, r: {}}\n"                                                             \
	"links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n"                        \
	"flows: {incast: {from: h1..2, to: r, control: mine}}\n"

static void plugins_are_listed_with_their_digest(void **state)
{
	struct lab l;
	char *manifest, *summary;
	const char *sum;

	(void)state;
	lab_open(&l, YAML(""));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	manifest = lab_file(&l, "manifest.json");
	summary = lab_file(&l, "summary.json");
	sum = strstr(manifest, "\"sha256\": \"");
	assert_non_null(sum);
	assert_int_equal(strspn(sum + 11, "0123456789abcdef"), 64);
	assert_non_null(strstr(manifest, "/plugin0.so\""));
	assert_non_null(strstr(manifest, "\"control\": \"mine\""));
	sum = strstr(summary, "\"sha256\": \"");
	assert_non_null(sum);
	assert_non_null(strstr(summary, "\"rates_clamped\": 0"));
	assert_null(strstr(report_text(l.rec), "plug-in"));
	free(manifest);
	free(summary);
	lab_close(&l);
}

// One a microsecond for each of two queue pairs, from 1 us on: 1 ms of it is 2000.
static void what_is_clamped_is_counted(void **state)
{
	struct lab l;
	char *summary;
	unsigned n;

	(void)state;
	lab_open(&l, YAML(", verb: 5, how: 10, from: 1001us"));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	summary = lab_file(&l, "summary.json");
	assert_non_null(strstr(summary, "\"rates_clamped\": "));
	n = (unsigned)strtoul(strstr(summary, "\"rates_clamped\": ") + 17, NULL, 10);
	assert_in_range(n, 1996, 2000);
	assert_true(report_value(l.rec, "plugin.mine.rates_clamped") == n);
	assert_non_null(strstr(report_text(l.rec), "plug-in     control mine asked "));
	free(summary);
	lab_close(&l);
}

static void ends(const char *yaml, const char *line, double from_us, double to_us)
{
	char want[300], *text;
	struct lab l;

	lab_open(&l, yaml);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_false(report_passed(l.rec));
	assert_true(verdict_conserved(l.rec->sum));
	assert_non_null(report_crash(l.rec));
	if (strncmp(report_crash(l.rec), line, strlen(line)) != 0)
		fail_msg("told '%s', not '%s'", report_crash(l.rec), line);
	assert_non_null(strstr(report_text(l.rec), "ENDED EARLY: control 'mine' "));
	snprintf(want, sizeof(want), "\"crash\": \"%s\"", report_crash(l.rec));
	text = lab_file(&l, "summary.json");
	assert_non_null(strstr(text, want));
	free(text);
	text = lab_file(&l, "manifest.json");
	assert_non_null(strstr(text, want));
	assert_in_range(strtod(strstr(text, "\"end_us\": ") + 10, NULL) * 1000, from_us * 1000,
		to_us * 1000);
	free(text);
	lab_close(&l);
}

static void one_that_fails_ends_the_run(void **state)
{
	(void)state;
	ends(YAML(", verb: 5, how: 1, from: 700us"),
		"control 'mine' crashed in expire() at 700.000 us (SIGSEGV)", 700, 715);
	ends(YAML(", verb: 6, how: 2, from: 700us"),
		"control 'mine' crashed in deadline() at 699.000 us (SIGFPE)", 699, 715);
	ends(YAML(", verb: 4, how: 4, from: 300us"), "control 'mine' crashed in sent() at 300.",
		300, 330);
	ends(YAML(", verb: 2, how: 3, from: 300us"), "control 'mine' crashed in ack() at 30", 300,
		330);
	ends(YAML(", verb: 1, how: 5, from: 10us, rate: 25Gbps"),
		"control 'mine' crashed in cnp() at ", 10, 1900);
	ends(YAML(", verb: 2, how: 6, from: 300us"),
		"control 'mine' gave a rate that is no number in ack() at 30", 300, 330);
	ends(YAML(", verb: 5, how: 8, from: 300us"),
		"control 'mine' gave a window of -1 bytes in expire() at 300.000 us", 300, 330);
}

// The same scene again: what ended one run is not in the next.
static void a_failure_ends_one_run_only(void **state)
{
	struct lab l;
	struct report *again = NULL;
	struct vt_opts vo = {.record = {.dir = "/nowhere", .no_files = true}};

	(void)state;
	lab_open(&l, YAML(", verb: 5, how: 1, from: 700us"));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_int_equal(vt_run(l.scene, &vo, &again, &l.err), 0);
	assert_string_equal(report_crash(again), report_crash(l.rec));
	report_free(again);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plugins_are_listed_with_their_digest),
		cmocka_unit_test(what_is_clamped_is_counted),
		cmocka_unit_test(one_that_fails_ends_the_run),
		cmocka_unit_test(a_failure_ends_one_run_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
