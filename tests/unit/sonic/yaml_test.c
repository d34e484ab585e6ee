// SPDX-License-Identifier: BSD-3-Clause
// Every value has its source, whatever names the tables use.
#include "sonic_lab.h"

#include "report/report.h"
#include "vt/vt.h"

#define DB(tables) "{" SONIC_PORTS_2 "," SONIC_MAPS "," tables "}"

// A line of a value: "key: value", not a key that opens a map, nor a line that is not from SONiC.
static bool is_value(const char *line, size_t n)
{
	const char *colon = memchr(line, ':', n);

	return colon && (size_t)(colon - line) + 1 < n && line[0] == ' ';
}

static void every_value_says_where_it_came_from(void **state)
{
	struct sonic_import in;
	unsigned values = 0;

	(void)state;
	sonic_get_file(&in, TEST_DATA "/sonic/leaf_32x100g.json");

	const char *from = strstr(in.yaml, "\nswitches:"),
		   *to = strstr(in.yaml, "\n# Not SONiC's: some");

	assert_true(from && to);
	for (const char *line = from + 1; line < to;) {
		size_t n = strcspn(line, "\n");
		bool is_map = memchr(line, '{', n) && line[6] == '{';

		if (n && is_value(line, n) && !is_map && line[6] >= 'a') {
			values++;
			if (!memchr(line, '#', n))
				fail_msg("no source: %.*s", (int)n, line);
		}
		line += n + 1;
	}
	assert_true(values > 60);
	sonic_free(&in);
}

static void a_name_cannot_break_its_line(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		DB("'DEVICE_METADATA':{'localhost':{'hostname':'leaf\\nname: x\\u0085name: y'}},"
		   "'BUFFER_PG':{'Ethernet0|3':{'profile':'p\\nhosts: {}'}},"
		   "'BUFFER_PROFILE':{'p\\nhosts: {}':{'dynamic_th':'1'}}"));

	(void)state;
	assert_non_null(strstr(in.yaml, "# SONiC switch leaf?name: x??name: y ("));
	scene_free(s);
	sonic_free(&in);
}

static void the_flow_has_a_lossless_class_and_its_dscp(void **state)
{
	struct sonic_import in;
	struct scene *s =
		sonic_scene(&in, DB("'BUFFER_PG':{'Ethernet0,Ethernet4|3-4':{'profile':'p'}},"
				    "'BUFFER_PROFILE':{'p':{'xoff':'50000'}}"));
	unsigned n = 0;

	(void)state;
	sonic_has(&in, "from: [h1]\nto: h2\nclass: 3\ndscp: 3\nmtu: 1024\n");
	assert_int_equal(s->flow[0]->cls, 3);
	// Headroom of h1 is below that for its MTU, in both classes, class 4 has no PFC, and the
	// flow's control hears nothing, for class 3 has no WRED.
	for (unsigned i = 0; i < s->n_warnings; i++)
		n += strstr(s->warning[i].text, " class ") != NULL;
	assert_int_equal(n, 4);
	scene_free(s);
	sonic_free(&in);
}

static void the_flow_fits_the_shortest_mtu(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(
		&in, "{'PORT':{'E0':{'speed':'10','mtu':'9100'},'E1':{'speed':'10','mtu':'600'}}}");

	(void)state;
	sonic_has(&in, "mtu: 512\n");
	scene_free(s);
	sonic_free(&in);
	sonic_get(&in, "{'PORT':{'E0':{'speed':'10','mtu':'100'},'E1':{'speed':'10'},'E\\n2':{}}}");
	sonic_left_has(&in, "PORT|E0 mtu '100': is no whole number from 400 to 16000");
	sonic_left_has(&in, "PORT|E?2: is no name of a port");
	sonic_free(&in);
}

static void hosts_know_the_class_of_their_cnps(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		"{" SONIC_PORTS_2 ",'DSCP_TO_TC_MAP':{'A':{'48':'7'}},'PORT_QOS_MAP':{"
		"'Ethernet0,Ethernet4':{'dscp_to_tc_map':'A'}}}");

	(void)state;
	sonic_has(&in, "cnp_class: 7 # DSCP_TO_TC_MAP|A 48\ncnp_dscp: 48\n");
	assert_int_equal(s->node[scene_node(s, "h1")].u.nic.cnp_class, 7);
	assert_int_equal(s->node[scene_node(s, "h1")].u.nic.cnp_tos >> 2, 48);
	scene_free(s);
	sonic_free(&in);
}

// Runs the import of a leaf for a while; the figure.
static double run_leaf(const char *yaml, const char *duration, const char *figure)
{
	struct vt_opts vo = {.record = {.no_files = true}};
	struct scene_set set = {"duration", duration};
	struct scene_opts so = {.set = &set, .n_set = 1};
	char path[] = "/tmp/quench-leaf-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct report *rec = NULL;
	struct scene *s;
	double value;

	assert_non_null(f);
	fputs(yaml, f);
	fclose(f);
	if (compile_scene(&s, path, &so, &lab_err) || vt_run(s, &vo, &rec, &lab_err))
		fail_msg("%s", lab_err.text);
	unlink(path);
	assert_true(report_passed(rec));
	value = report_value(rec, figure);
	report_free(rec);
	scene_free(s);
	return value;
}

// Profile and notification points fit each other: only the start, at line rate, is held back by
// PFC.
static void the_first_run_is_sound(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get_file(&in, TEST_DATA "/sonic/leaf_32x100g.json");
	assert_true(run_leaf(in.yaml, "10ms", "pauses") < 50);
	assert_true(run_leaf(in.yaml, "10ms", "total.goodput_gbps") > 80);
	sonic_free(&in);
}

static void it_runs_with_any_duration(void **state)
{
	static const char *const duration[] = {"1us", "20us", "999us", "1001us"};
	struct sonic_import in;

	(void)state;
	sonic_get_file(&in, TEST_DATA "/sonic/leaf_32x100g.json");
	for (unsigned i = 0; i < 4; i++)
		assert_true(run_leaf(in.yaml, duration[i], "drops") == 0);
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_says_where_it_came_from),
		cmocka_unit_test(a_name_cannot_break_its_line),
		cmocka_unit_test(the_flow_has_a_lossless_class_and_its_dscp),
		cmocka_unit_test(the_flow_fits_the_shortest_mtu),
		cmocka_unit_test(hosts_know_the_class_of_their_cnps),
		cmocka_unit_test(the_first_run_is_sound),
		cmocka_unit_test(it_runs_with_any_duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
