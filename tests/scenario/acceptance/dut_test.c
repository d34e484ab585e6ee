// SPDX-License-Identifier: BSD-3-Clause
// The criteria of all acceptance scenarios, judged by our ports alone (--dut): where our ports tell
// a figure, the verdict is that of the switch's own figure. Counters of the device tell the others.
#include "acc.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "compile/compile.h"
#include "report/int.h"
#include "vt/vt.h"

struct row {
	const char *name;
	unsigned criteria, judged; // with --dut
};

static const struct row rows[] = {
	{"testQosSaiQWatermarkAllPorts", 2, 0},
	{"test_fc_pause", 10, 1},
	{"test_fc_unpause", 10, 1},
	{"test_global_pause", 26, 26},
	{"test_lossless_response_to_external_pause_storms", 9, 9},
	{"test_lossless_response_to_throttling_pause_storms", 10, 9},
	{"test_no_pfc", 2, 2},
	{"test_pfc_frames_not_counted_as_rx_ok", 3, 1},
	{"test_pfc_multi_lossless_prio_zero_mac", 23, 22},
	{"test_pfc_pause", 8, 0},
	{"test_pfc_pause_lossless", 2, 2},
	{"test_pfc_pause_multi_lossless_prio", 23, 22},
	{"test_pfc_pause_multi_lossy_prio", 26, 26},
	{"test_pfc_pause_single_lossless_prio", 24, 23},
	{"test_pfc_pause_single_lossy_prio", 26, 26},
	{"test_pfc_pause_tc3_victims", 5, 4},
	{"test_pfc_single_lossless_prio_zero_mac", 24, 23},
	{"test_pfc_unpause", 8, 0},
	{"test_pfc_unset_cev_multi_prio", 26, 26},
	{"test_pfc_unset_cev_single_prio", 26, 26},
	{"test_valid_pfc_frame", 2, 1},
};

static struct scn run(const char *name, const struct scene_opts *opts)
{
	struct vt_opts vo = {.record.no_files = true, .record.command = "test"};
	struct scn s = {0};
	char file[128], path[512];
	struct err err = {0};

	snprintf(file, sizeof(file), "acceptance/%s.yaml", name);
	scn_path(file, path, sizeof(path));
	snprintf(s.command, sizeof(s.command), "build/quench run %s%s", path,
		opts->dut ? " --dut s1" : "");
	if (compile_scene(&s.scene, path, opts, &err) || vt_run(s.scene, &vo, &s.rec, &err))
		fail_msg("%s\n%s", err.text, s.command);
	return s;
}

static void compare(const struct row *row)
{
	struct scn own = run(row->name, &(struct scene_opts){0});
	struct scn dut = run(row->name, &(struct scene_opts){.dut = "s1"});
	unsigned judged = 0, n = 0, k = 0;

	for (unsigned i = 0; i < own.rec->verdict.n; i++) {
		const struct criterion *a = &own.rec->verdict.criterion[i], *b;

		if (!*a->figure)
			continue;
		while (!*dut.rec->verdict.criterion[k].figure)
			k++;
		b = &dut.rec->verdict.criterion[k++];
		assert_string_equal(a->name, b->name);
		n++;
		judged += b->verdict != CRITERION_UNSEEN;
		if (b->verdict != CRITERION_UNSEEN && b->verdict != a->verdict)
			fail_msg("%s: %s is %.9g, and %.9g by %s", row->name, a->figure, a->value,
				b->value, b->seen);
	}
	printf("%-50s %u criteria, %u judged by our ports\n", row->name, n, judged);
	assert_int_equal(n, row->criteria);
	assert_int_equal(judged, row->judged);
	assert_int_equal(report_unseen(dut.rec), n - judged);
	assert_true(report_passed(dut.rec));
	scn_free(&own);
	scn_free(&dut);
}

static void our_ports_give_the_verdict_of_the_switch(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		compare(&rows[i]);
}

#define FILES 2

struct files {
	char path[FILES][32];
};

static struct files files_of(const char *before, const char *after)
{
	struct files f = {{"/tmp/quench-dut-XXXXXX", "/tmp/quench-dut-XXXXXX"}};
	const char *const text[FILES] = {before, after};

	for (unsigned i = 0; i < FILES; i++) {
		int fd = mkstemp(f.path[i]);

		assert_true(fd >= 0);
		assert_int_equal(write(fd, text[i], strlen(text[i])), strlen(text[i]));
		close(fd);
	}
	return f;
}

static struct scn run_counted(const char *name, const char *before, const char *after)
{
	struct files f = files_of(before, after);
	struct scn s =
		run(name, &(struct scene_opts){.dut = "s1", .counters = {f.path[0], f.path[1]}});

	for (unsigned i = 0; i < FILES; i++)
		unlink(f.path[i]);
	return s;
}

static void the_devices_counters_judge_what_it_received(void **state)
{
	struct scn s;

	(void)state;
	s = run_counted("test_fc_pause", "{\"s1:r\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": \"7\"}}",
		"{\"s1:r\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": 17}}");
	assert_true(report_passed(s.rec));
	assert_int_equal(report_unseen(s.rec), 8); // of PFC, which the files do not count
	scn_free(&s);
	s = run_counted("test_fc_pause", "{\"s1:r\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": 0}}",
		"{\"s1:r\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": 9}}");
	assert_true(report_failed(s.rec));
	scn_free(&s);
}

// XON counts as a PFC frame of the class, too, so those that our port sent are taken off.
static void a_dump_of_sonic_is_read(void **state)
{
	static const char before[] =
		"{\"ports\": {\"s1:r\": \"Ethernet4\"},"
		" \"COUNTERS_PORT_NAME_MAP\": {\"type\": \"hash\", \"value\": "
		"{\"Ethernet4\": \"oid:0x1\"}},"
		" \"COUNTERS:oid:0x1\": {\"value\": {\"SAI_PORT_STAT_PFC_3_RX_PKTS\": \"5\"}}}";
	static const char after[] =
		"{\"COUNTERS_PORT_NAME_MAP\": {\"value\": {\"Ethernet4\": \"oid:0x1\"}},"
		" \"COUNTERS:oid:0x1\": {\"value\": {\"SAI_PORT_STAT_PFC_3_RX_PKTS\": \"18\"}}}";
	struct scn s = run_counted("test_pfc_pause", before, after);

	(void)state;
	assert_int_equal(report_unseen(s.rec), 7);
	assert_true(report_passed(s.rec));
	scn_free(&s);
}

static void refused(const char *before, const char *after, const char *want)
{
	struct scn s = run_counted("test_fc_pause", before, after);
	const char *line = report_device_error(s.rec);

	if (!line || !strstr(line, want))
		fail_msg("'%s' lacks '%s'", line ? line : "", want);
	scn_free(&s);
}

static void wrong_counters_are_one_line(void **state)
{
	(void)state;
	refused("{\"s1:r\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": 7}}",
		"{\"s1:r\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": 6}}", "fell from 7 to 6");
	refused("{\"Ethernet0\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": 7}}",
		"{\"Ethernet0\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": 7}}",
		"of another device: there is no port 's1:r'");
	refused("{\"s1:r\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": \"many\"}}",
		"{\"s1:r\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": 7}}", "is no number");
	refused("[1]", "{}", "an object is wanted");
	refused("{", "{}", "counters as JSON are wanted");
}

static void refused_dut(const char *dut, const char *nodes, bool real, const char *want)
{
	char path[512];
	struct scene *scene;
	struct err err = {0};

	scn_path("acceptance/test_no_pfc.yaml", path, sizeof(path));
	assert_int_not_equal(
		compile_scene(&scene, path,
			&(struct scene_opts){.dut = dut, .nodes = nodes, .real = real}, &err),
		0);
	if (!strstr(err.text, want))
		fail_msg("'%s' lacks '%s'", err.text, want);
}

static void a_wrong_device_is_one_line(void **state)
{
	(void)state;
	refused_dut("s2", NULL, false, "there is no node 's2'; did you mean 's1'?");
	refused_dut("h1", NULL, false, "it is a host; name the switch");
	refused_dut("s1", NULL, true, "port h1:s1 has no device");
	refused_dut("s1", "h1,r", true, "drop --nodes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_ports_give_the_verdict_of_the_switch),
		cmocka_unit_test(the_devices_counters_judge_what_it_received),
		cmocka_unit_test(a_dump_of_sonic_is_read),
		cmocka_unit_test(wrong_counters_are_one_line),
		cmocka_unit_test(a_wrong_device_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
