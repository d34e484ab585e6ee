// SPDX-License-Identifier: BSD-3-Clause
// Flows of a list: what a line says, what defaults say, and lists that are wrong.
#include "scene_lab.h"

#define SCENE(more)                                                                                \
	"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "controls: {cc: {profile: connectx}}\n" \
	"defaults: {flows: {control: cc, mtu: 4096, group: w}, hosts: {np: {interval: 4us}}}\n"    \
	"flows_from: list.txt\n" more

// The list of the test, in a folder of its own, in which the scenarios are not.
static char path[] = "/tmp/quench-list-XXXXXX";

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static struct scene *lab_of(const char *text, const char *list)
{
	put(list);
	return lab_with(text, "flows_from", path);
}

static void refuse(const char *list, const char *want)
{
	const struct scene_set set = {"flows_from", path};
	const struct scene_opts opts = {.set = &set, .n_set = 1};
	struct scene *s = NULL;
	size_t n = strlen(path);

	put(list);
	assert_int_equal(lab_try(&s, SCENE(""), &opts), -EINVAL);
	if (strncmp(lab_err.text, path, n) != 0 || strncmp(lab_err.text + n, want, strlen(want)))
		fail_msg("told '%s'\nnot  '%s'", lab_err.text, want);
	assert_null(strchr(lab_err.text, '\n'));
}

static void a_line_is_a_flow(void **state)
{
	struct scene *s = lab_of(SCENE(""), "2\n0 2 3 100 5228 0.000003242\n2 1 4 200 7 0.0005\n");

	(void)state;
	assert_int_equal(s->n_flows, 2);
	assert_string_equal(s->flow[0]->name, "f0[h1>r.0]");
	assert_string_equal(s->flow[1]->name, "f1[r>h2.0]");
	assert_string_equal(s->flow[1]->group, "w");
	assert_true(s->flow[1]->pooled);
	assert_string_equal(s->flow[1]->control, "cc");
	assert_int_equal(s->flow[0]->req.message_bytes, 5228);
	assert_int_equal(s->flow[0]->req.start, 3242 * PS_PER_NS);
	assert_int_equal(s->flow[0]->req.count, 1);
	assert_int_equal(s->flow[0]->told_dport, 100);
	assert_int_equal(s->flow[0]->hdr_data.dport, 4791);
	assert_int_equal(s->flow[1]->cls, 4);
	assert_int_equal(s->flow[1]->told_dport, 200);
	assert_int_equal(s->flow[1]->rc->p.mtu, 4096);
	// The list itself says its lines.
	assert_null(strstr(s->resolved, "f0"));
	assert_non_null(strstr(s->resolved, "\nflows_from: "));
	assert_non_null(strstr(s->resolved, "    group: w"));
	scene_free(s);
}

static void rows_stand_before_the_list(void **state)
{
	struct scene *s = lab_of(
		SCENE("flows: {f1: {from: h1, to: r, count: 1}}\n"), "1\n\n 0 2 3 100 1 2\n\n");

	(void)state;
	assert_int_equal(s->n_flows, 2);
	assert_string_equal(s->flow[0]->name, "f1[h1>r.0]");
	assert_int_equal(s->flow[0]->told_dport, 0);
	assert_string_equal(s->flow[1]->name, "f0[h1>r.0]");
	assert_int_equal(s->flow[1]->req.start, 2 * PS_PER_S);
	scene_free(s);
}

static void conweave_has_no_port(void **state)
{
	struct scene *s = lab_of(SCENE(""), "1\n0 2 3 5228 0.5\n");

	(void)state;
	assert_int_equal(s->flow[0]->req.message_bytes, 5228);
	assert_int_equal(s->flow[0]->told_dport, 0);
	scene_free(s);
}

static void numbers_are_those_that_the_scenario_says(void **state)
{
	struct scene *s = lab_of(SCENE("flow_nodes: [s1, r, h1..2]\n"), "1\n1 3 3 100 9 0.5\n");

	(void)state;
	assert_string_equal(s->flow[0]->name, "f0[r>h2.0]");
	scene_free(s);
}

// Warnings of columns that nobody reads; each says `want`.
static unsigned unread(const struct scene *s, const char *want)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_warnings; i++)
		if (strstr(s->warning[i].text, "nothing reads")) {
			assert_string_equal(s->warning[i].text, want);
			n++;
		}
	return n;
}

static void csv_names_its_columns(void **state)
{
	struct scene *s = lab_of(SCENE(""), "# made by hand\nsource,destination,bytes,start\n"
					    "h1,r,5228,0.000003242\n\n# later\n2,1,7,0.0005\n");

	(void)state;
	assert_int_equal(s->n_flows, 2);
	assert_string_equal(s->flow[0]->name, "f0[h1>r.0]");
	assert_string_equal(s->flow[1]->name, "f1[r>h2.0]");
	assert_int_equal(s->flow[0]->req.message_bytes, 5228);
	assert_int_equal(s->flow[0]->req.start, 3242 * PS_PER_NS);
	assert_int_equal(s->flow[0]->req.count, 1);
	assert_int_equal(s->flow[0]->cls, 3); // as defaults have it
	assert_int_equal(s->flow[0]->told_dport, 0);
	assert_int_equal(unread(s, NULL), 0);
	scene_free(s);
}

static void csv_has_other_words_and_any_order(void **state)
{
	static const struct {
		const char *head, *start;
	} form[] = {{"start_s", "0.0005"}, {"time", "0.0005"}, {"Start_ms", "0.5"},
		{"start_us", "500.000"}, {"time_ns", "500000"}, {"start_time_ps", "500000000"}};

	(void)state;
	for (unsigned i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		char list[200];
		struct scene *s;

		snprintf(list, sizeof(list),
			"\xef\xbb\xbf%s , \"Size_Bytes\",DST,priority, dport,src\r\n"
			" %s , \"9\" ,h2,4,\"200\",h1\r\n",
			form[i].head, form[i].start);
		s = lab_of(SCENE(""), list);
		assert_int_equal(s->n_flows, 1);
		assert_string_equal(s->flow[0]->name, "f0[h1>h2.0]");
		assert_int_equal(s->flow[0]->req.start, 500 * PS_PER_US);
		assert_int_equal(s->flow[0]->req.message_bytes, 9);
		assert_int_equal(s->flow[0]->cls, 4);
		assert_int_equal(s->flow[0]->told_dport, 200);
		scene_free(s);
	}
}

static void a_column_that_nobody_reads_is_warned_of(void **state)
{
	struct scene *s = lab_of(SCENE(""), "id,src,dst,bytes,start\n7,h1,r,9,0\n");
	char want[100];

	(void)state;
	snprintf(want, sizeof(want), "%s:1: nothing reads the column 'id'", path);
	assert_int_equal(unread(s, want), 1);
	assert_int_equal(s->flow[0]->req.message_bytes, 9);
	scene_free(s);
}

// Whether a list of n flows, in one group or none, is said to take much memory.
static bool takes_much(unsigned n, const char *scene)
{
	static char list[20 * 10002];
	size_t used = (size_t)snprintf(list, sizeof(list), "%u\n", n);
	struct scene *s;
	bool says = false;

	for (unsigned i = 0; i < n; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "0 2 3 100 9 0\n");
	s = lab_of(scene, list);
	for (unsigned i = 0; i < s->n_warnings; i++)
		says |= strstr(s->warning[i].text, "is a group of its own") != NULL;
	scene_free(s);
	return says;
}

static void many_groups_are_warned_of(void **state)
{
	static const char alone[] = "duration: 1ms\nhosts: {h1: , h2: , r: }\n" LAB_LINKS
				    "switches: {s1: }\nflows_from: list.txt\n";

	(void)state;
	assert_true(takes_much(10001, alone));
	assert_false(takes_much(10000, alone));
	assert_false(takes_much(10001, SCENE("")));
}

#define CSV "src,dst,size,start\n"

static void wrong_csv_is_told_by_its_line(void **state)
{
	(void)state;
	refuse("src,dst,start\n", ":1:1: no column is called 'bytes'; a list has source, ");
	refuse("#\n,dst,size,start\n", ":2:1: no column is called 'source'");
	refuse("src,from,dst,size,start\n", ":1:5: 'from' says what a column before it says");
	refuse(CSV, ":2:1: the list has no flow");
	refuse(CSV "h1,r,9\n", ":2:1: 3 columns; the first line names 4");
	refuse(CSV "h1,r,9,0,\n", ":2:1: 5 columns; the first line names 4");
	refuse(CSV "h1,r,9,0\n\nh1,h3,9,0\n", ":4:4: there is no node 'h3'; did you mean 'h2'?");
	refuse(CSV "h1,s1,9,0\n", ":2:1: 's1' is a switch");
	refuse(CSV "h1,,9,0\n", ":2:4: '' is no number of a node");
	refuse(CSV "h1,\"r\"x,9,0\n", ":2:4: there is no node '\"r\"x'");
	refuse(CSV "h1,h1,9,0\n", ":2:4: 'h1' is its own source");
	refuse(CSV "h1,r,9.5,0\n", ":2:6: '9.5' is no size");
	refuse(CSV "h1,r,9,1us\n", ":2:8: '1us' is no start; write a number of s, ");
	refuse("src,dst,size,start_us\nh1,r,9,\n", ":2:8: '' is no start; write a number of us, ");
}

static void a_list_goes_forward_in_time(void **state)
{
	(void)state;
	refuse("2\n0 2 3 100 9 0.2\n0 2 3 100 9 0.1\n",
		":3:13: '0.1' is before the start of the flow above; a list goes forward");
	refuse(CSV "h1,r,9,2\nh1,r,9,1\n", ":3:8: '1' is before the start");
}

static void a_wrong_list_is_told_by_its_line(void **state)
{
	(void)state;
	refuse("", ":1:1: empty");
	refuse("1 2\n", ":1:1: '1' is not all of a first line");
	refuse("x\n", ":1:1: 'x' is not all of a first line");
	refuse("2\n0 2 3 100 9 0\n", ":3:1: the list ends after 1 of the 2 flows");
	refuse("1\n0 2 3 100 9 0\n0 1 3 100 9 0\n", ":3:1: a line more than the 1 flow ");
	refuse("1\n0 2 3 100\n", ":2:1: 4 columns");
	refuse("2\n0 2 3 100 9 0\n0 2 3 100 9\n", ":3:1: 5 columns");
	refuse("1\n0 3 3 100 9 0\n", ":2:3: there is no node 3: the nodes of this list are "
				     "numbered 0 to 2");
	refuse("1\n-1 2 3 100 9 0\n", ":2:1: '-1' is no number of a node");
	refuse("1\n2 2 3 100 9 0\n", ":2:3: '2' is its own source");
	refuse("1\n0 2 8 100 9 0\n", ":2:5: '8' is no priority");
	refuse("1\n0 2 3 65536 9 0\n", ":2:7: '65536' is no port");
	refuse("1\n0 2 3 100 0 0\n", ":2:11: '0' is no size");
	refuse("1\n0 2 3 100 2147483649 0\n", ":2:11: '2147483649' is no size");
	refuse("1\n0 2 3 100 9 soon\n", ":2:13: 'soon' is no start");
	refuse("1\n0 2 3 100 9 0.0000000000001\n", ":2:13: '0.0000000000001' is no start");
}

static void a_wrong_scenario_is_told_by_its_place(void **state)
{
	const struct scene_set set = {"flows_from", path};
	const struct scene_opts opts = {.set = &set, .n_set = 1};
	struct scene *s = NULL;

	(void)state;
	lab_refuse(SCENE(""), "lab.yaml:7:13: flows_from: /tmp/list.txt: No such file");
	put("1\n0 2 3 100 9 0\n");
	assert_int_equal(lab_try(&s, SCENE("flows: {f0: {from: h1, to: r}}\n"), &opts), -EINVAL);
	assert_string_equal(lab_err.text,
		"lab.yaml:8:9: flow 'f0' is also the name of a line of flows_from; rename "
		"it");
	assert_int_equal(lab_try(&s, SCENE("flow_nodes: [s1, r, h1]\n"), &opts), -EINVAL);
	assert_non_null(strstr(lab_err.text, ":2:1: 's1' is a switch"));
}

static void lists_count_in_the_digest(void **state)
{
	static const char text[] =
		"duration: 1ms\nhosts: {h1: , h2: }\nlinks: [{between: [h1, h2]}]\n"
		"ports: {\"h1:h2\": {device: net_ring0}, \"h2:h1\": {device: net_ring1}}\n";
	const struct scene_set set = {"flows_from", path};
	const struct scene_opts opts = {.set = &set, .n_set = 1, .real = true, .nodes = "h1"};
	uint8_t digest[2][SCENE_DIGEST];
	static const char *const list[] = {"1\n0 1 3 100 9 0\n", "1\n0 1 3 100 8 0\n"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scene *s = NULL;

		put(list[i]);
		if (lab_try(&s, text, &opts))
			fail_msg("%s", lab_err.text);
		memcpy(digest[i], s->digest[SCENE_SECTION_FLOWS], SCENE_DIGEST);
		scene_free(s);
	}
	assert_memory_not_equal(digest[0], digest[1], SCENE_DIGEST);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int drop_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_a_flow),
		cmocka_unit_test(rows_stand_before_the_list),
		cmocka_unit_test(conweave_has_no_port),
		cmocka_unit_test(numbers_are_those_that_the_scenario_says),
		cmocka_unit_test(csv_names_its_columns),
		cmocka_unit_test(csv_has_other_words_and_any_order),
		cmocka_unit_test(a_column_that_nobody_reads_is_warned_of),
		cmocka_unit_test(many_groups_are_warned_of),
		cmocka_unit_test(wrong_csv_is_told_by_its_line),
		cmocka_unit_test(a_list_goes_forward_in_time),
		cmocka_unit_test(a_wrong_list_is_told_by_its_line),
		cmocka_unit_test(a_wrong_scenario_is_told_by_its_place),
		cmocka_unit_test(lists_count_in_the_digest),
	};

	return cmocka_run_group_tests(tests, make_file, drop_file);
}
