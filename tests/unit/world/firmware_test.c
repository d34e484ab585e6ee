// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/firmware: the example in a run, both of its schemes; objects that are none.
#include "record_lab.h"

#include "report/int.h"
#include "summary/summary.h"

#define YAML(scheme, firmware)                                                                    \
	"name: fw\nduration: 2ms\ncontrols: {ip: {profile: rdma_ip, scheme: " scheme "}}\n"       \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, wred: {min: 5KB, max: 50KB, " \
	"probability: 10%}}}}}\n"                                                                 \
	"hosts: {h1..2: {firmware: {" firmware "}}, r: {}}\n"                                     \
	"links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n"                        \
	"flows: {incast: {from: h1..2, to: r, control: ip}}\n"

#define AIMD "file: '" EXAMPLES "/aimd.so'"

// Rates are written at CNPs and periods; nobody masks, the engine stands still.
static void scheme_2_writes_rates(void **state)
{
	struct lab l;
	char *events;

	(void)state;
	lab_open(&l, YAML("2", AIMD ", args: scheme=2 step=10"));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	events = lab_file(&l, "events.csv");
	assert_true(times_in(events, ",cnp_int,h1:s1,") > 3);
	assert_true(times_in(events, ",0x600028=") > 20);
	assert_true(times_in(events, ",written,") > 20);
	assert_int_equal(times_in(events, ",0x400000"), 0);
	assert_int_equal(times_in(events, ",decrease,"), 0);
	assert_int_equal(times_in(events, ",t_"), 0);
	free(events);
	lab_close(&l);
}

// Masks come and go; the pace is the line's.
static void scheme_3_masks_send_queues(void **state)
{
	struct lab l;
	char *events;

	(void)state;
	lab_open(&l, YAML("3", AIMD ", args: scheme=3 tick_us=2"));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	events = lab_file(&l, "events.csv");
	assert_true(times_in(events, ",0x400000[1]=1 SQ_CTRL.sq_arb_mask qp 1,") > 50);
	assert_true(times_in(events, ",0x400000[1]=0 SQ_CTRL.sq_arb_mask qp 1,") > 50);
	assert_int_equal(times_in(events, ",0x600028="), 0);
	assert_int_equal(times_in(events, ",written,"), 0);
	assert_int_equal(times_in(events, ",decrease,"), 0);
	free(events);
	lab_close(&l);
}

static void refused(const char *yaml, const char *what)
{
	struct lab l;

	lab_open(&l, yaml);
	assert_true(lab_run(&l, NULL, 0, false) < 0);
	if (!strstr(l.err.text, what))
		fail_msg("told '%s', not '%s'", l.err.text, what);
	lab_close(&l);
}

static void what_is_no_firmware_is_told(void **state)
{
	(void)state;
	refused(YAML("2", "file: nowhere.so"), "/nowhere.so");
	refused(YAML("2", "file: scene.yaml"), "firmware of h1 cannot be loaded: ");
	refused(YAML("2", AIMD ", args: scheme=7"), "refuses to run for h1 with 'scheme=7'");
	refused(YAML("2", "file: '" MODULES "/nothing.so'"),
		"/nothing.so: has no fw_event; quench/fw.h says what firmware is");
}

#define CRASHES(args) "file: '" MODULES "/crashes.so', args: " args

// The run ends there, says so, and all that came before is written.
static void crashes(const char *yaml, const char *line, double from_us, double to_us)
{
	char want[300], *text, *events;
	struct lab l;

	lab_open(&l, yaml);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_false(report_passed(l.rec));
	assert_true(verdict_conserved(l.rec->sum));
	assert_non_null(report_crash(l.rec));
	if (strncmp(report_crash(l.rec), line, strlen(line)) != 0)
		fail_msg("told '%s', not '%s'", report_crash(l.rec), line);
	assert_non_null(strstr(report_text(l.rec), report_crash(l.rec)));
	text = lab_file(&l, "summary.json");
	snprintf(want, sizeof(want), "\"crash\": \"%s\"", report_crash(l.rec));
	assert_non_null(strstr(text, want));
	assert_non_null(strstr(text, "\"interrupted\": false"));
	free(text);
	text = lab_file(&l, "manifest.json");
	assert_non_null(strstr(text, want));
	assert_in_range(strtod(strstr(text, "\"end_us\": ") + 10, NULL) * 1000, from_us * 1000,
		to_us * 1000);
	free(text);
	events = lab_file(&l, "events.csv");
	assert_true(from_us == 0 || times_in(events, "\n") > 1);
	free(events);
	lab_close(&l);
}

static void a_crash_is_named_and_ends_the_run(void **state)
{
	(void)state;
	crashes(YAML("2", CRASHES("fw_event null")), "firmware of host h", 10, 1900);
	crashes(YAML("2", CRASHES("fw_expire null 700")),
		"firmware of host h1 crashed in fw_expire() at 700.000 us (SIGSEGV), that of "
		"other hosts, too",
		700, 710);
	crashes(YAML("2", CRASHES("fw_deadline divide 700")),
		"firmware of host h1 crashed in fw_deadline() at 699.000 us (SIGFPE)", 699, 710);
	crashes(YAML("2", CRASHES("fw_init abort")),
		"firmware of host h1 crashed in fw_init() at 0.000 us (SIGABRT)", 0, 10);
	crashes(YAML("2", CRASHES("fw_fini trap")),
		"firmware of host h1 crashed in fw_fini() at 1999.000 us (SIGILL)", 2000, 2000);
}

static void a_stack_that_is_used_up_is_a_crash(void **state)
{
	(void)state;
	crashes(YAML("2", CRASHES("fw_expire stack 300")),
		"firmware of host h1 crashed in fw_expire() at 300.000 us (SIGSEGV)", 300, 310);
}

static void a_bad_pointer_in_a_register_call_is_a_crash(void **state)
{
	(void)state;
	crashes(YAML("2", CRASHES("fw_expire value 300")),
		"firmware of host h1 crashed in fw_expire() at 300.000 us (SIGSEGV)", 300, 310);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scheme_2_writes_rates),
		cmocka_unit_test(scheme_3_masks_send_queues),
		cmocka_unit_test(what_is_no_firmware_is_told),
		cmocka_unit_test(a_crash_is_named_and_ends_the_run),
		cmocka_unit_test(a_stack_that_is_used_up_is_a_crash),
		cmocka_unit_test(a_bad_pointer_in_a_register_call_is_a_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
