// SPDX-License-Identifier: BSD-3-Clause
// Tests of the lineage of saved runs: three scenarios of config/, and folders that lack something.
#include "lineage_lab.h"

#include "saved_lab.h"

static struct lab l;

// The run's own counters of pauses say the same as its events.
static void counters_agree(const struct saved *s)
{
	const json_t *list = json_object_get(saved_summary(s), "pauses"), *one;
	tstamp sum = 0;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *direction = json_string_value(json_object_get(one, "direction"));
		double us = json_number_value(json_object_get(one, "pause_effective_us"));
		json_int_t cls = json_integer_value(json_object_get(one, "priority"));
		uint32_t at = port(json_string_value(json_object_get(one, "port")));

		if (strcmp(direction, "rx") != 0)
			continue;
		assert_int_equal(llround(us * 1e6), lineage_paused_ps(lin, at * 8 + (uint32_t)cls));
		sum += lineage_paused_ps(lin, at * 8 + (uint32_t)cls);
	}
	assert_int_equal(sum, lineage_counts(lin).ps);
}

static void read_lineage(void)
{
	struct saved *s = read_back(&l);

	lin = lineage_of(s, &l.err);
	if (!lin)
		fail_msg("%s", l.err.text);
	if (l.rec)
		counters_agree(s);
	saved_close(s);
	sums_hold();
}

// Runs a file of config/, or what is in l.file, with all events that there are.
static void run(const char *file)
{
	const struct scene_set set[] = {{"record.events", "[all, xoff_holder]"}, {"warmup", "0us"}};
	struct scene_opts so = {.set = set, .n_set = 2};
	struct vt_opts vo = {.record = {.dir = l.out, .command = "test"}};
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", CONFIG, file ? file : "");
	if (compile_scene(&l.scene, file ? path : l.file, &so, &l.err) ||
		vt_run(l.scene, &vo, &l.rec, &l.err))
		fail_msg("%s", l.err.text);
	read_lineage();
	assert_null(lineage_lacks(lin, 0));
	assert_int_equal(lineage_counts(lin).odd, 0);
}

static int end(void **state)
{
	lab_close(&l);
	return lin_end(state);
}

static int begin(void **state)
{
	(void)state;
	lab_open(&l, "");
	return 0;
}

// A root's share of a queue's pause time, percent.
static double share(const char *name, const char *root)
{
	return 100.0 * (double)owes(name, root) / (double)lineage_paused_ps(lin, queue(name));
}

// The victim's receiver is idle; the trunk stands for the receiver that is not its own.
static void the_victim_owes_its_time_to_another_receiver(void **state)
{
	(void)state;
	run("victim.yaml");
	assert_string_equal(root_name(0), "egress s2:r.3");
	assert_true(share("s1:s2.3", "egress s2:r.3") > 99);
	assert_true(share("b1:s2.3", "egress s2:r.3") > 99);
	assert_true(share("a1:s1.3", "egress s2:r.3") > 60);
	// Two hosts send what one trunk takes: that is the rest.
	assert_true(share("a1:s1.3", "egress s2:r.3") + share("a1:s1.3", "egress s1:s2.3") > 99);
}

// Both senders of class 3 alike, the one whose receiver is slow and the one behind it.
static void who_stands_behind_owes_it_to_the_slow_host(void **state)
{
	(void)state;
	run("hol-blocking.yaml");
	assert_string_equal(root_name(0), "host slow");
	assert_int_equal(lineage_root(lin, 0)->kind, LINEAGE_HOST);
	assert_true(share("s1:s2.3", "host slow") > 80);
	assert_true(share("h2:s1.3", "host slow") > 50);
	assert_true(share("h2:s1.3", "host slow") > 0.9 * share("h1:s1.3", "host slow"));
	assert_true(owes("h3:s1.4", "host slow") == 0);
}

static const char ring_of_four[] =
	"name: ring\n"
	"duration: 6ms\n"
	"topology: {ring: {switches: 4, hosts: 2, rate: 40Gbps, delay: 1us}}\n"
	"defaults:\n"
	"  switches: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: 50KB}}}}\n"
	"  flows: {class: 3, message: 1MB, mtu: 1024, window: 64, rto: 1ms, retries: none,\n"
	"    pairs: same_index}\n"
	"flows:\n"
	"  one: {from: h1..2, to: h5..6}\n"
	"  two: {from: h3..4, to: h7..8}\n"
	"  three: {from: h5..6, to: h1..2}\n"
	"  four: {from: h7..8, to: h3..4, start: 1ms}\n";

// The deadlock that the run itself finds has the same ports and began at the same instant. A few
// bytes stood in a queue towards a host when XOFF was told: they share until the first refresh.
static void a_ring_of_four_is_named(void **state)
{
	const char *cycle, *since, *event;
	tstamp took;
	char *text;

	(void)state;
	lab_close(&l);
	lab_open(&l, ring_of_four);
	run(NULL);
	cycle = root_name(0);
	assert_int_equal(lineage_root(lin, 0)->kind, LINEAGE_CYCLE);
	assert_string_equal(cycle, "cycle s1:s2.3>s2:s3.3>s3:s4.3>s4:s1.3");
	text = lab_file(&l, "events.csv");
	event = strstr(text, ",deadlock,s1:s2,3,,1/4 since ");
	assert_non_null(event);
	since = strstr(event, "since ") + 6;
	took = 6 * PS_PER_MS - (tstamp)llround(strtod(since, NULL) * 1e6);
	assert_in_range(owes("s1:s2.3", cycle), took - took / 1000, took);
	free(text);
}

static const char pauses[] = EVENT_HEAD "1,xoff_tx,s1:h1,,,0x18,,,65535,,,,\n"
					"1,xoff_holder,s1:h1,3,,s1:s2.2.3,4000,3000,,,,,\n"
					"1,xoff_holder,s1:h1,3,,s1:s2.x,4000,1000,,,,,\n"
					"2,pause_rx,h1:s1,3,,,,,65535,,,,\n"
					"2,pause_rx,h1:s1,4,,,,,65535,,,,\n"
					"2.500000,xoff_tx,h1:s1,,,pause,,,65535,,,,\n"
					"3,pause_rx,s1:h1,7,,,,,65535,,,,\n"
					"4,xon_tx,s1:h1,,,0x18,,,0,,,,\n"
					"4,resume_rx,h1:s1,3,,xon,,,,,,,\n"
					"4,resume_rx,h1:s1,4,,expired,,,,,,,\n"
					"5,resume_rx,s1:h1,7,,pfcwd,,,,,,,\n";

// A folder whose manifest says that so many types were recorded.
static void folder(const char *types, const char *hosts)
{
	char text[512];

	lab_close(&l);
	by_hand(&l);
	snprintf(text, sizeof(text),
		"{\"end_us\": 10, \"resolved\": {\"hosts\": {%s}, \"record\": "
		"{\"events\": %s}}}\n",
		hosts, types);
	put(&l, "manifest.json", text);
	put(&l, "events.csv", pauses);
}

static void lines_are_told(void **state)
{
	(void)state;
	folder("[\"all\", \"xoff_holder\"]", "\"h1..8\": {}");
	read_lineage();
	assert_int_equal(lineage_counts(lin).odd, 1); // s1:s2.x
	assert_int_equal(lineage_counts(lin).pauses, 3);
	assert_int_equal(owes("h1:s1.3", "egress s1:s2.2.3"), 1500000);
	assert_int_equal(owes("h1:s1.4", "egress s1:s2.2.3"), 1500000);
	assert_int_equal(owes("h1:s1.3", "other"), 500000);
	assert_int_equal(owes("s1:h1.7", "host h1"), 2000000);
	assert_int_equal(lineage_pause(lin, 0)->end, LINEAGE_XON);
	assert_int_equal(lineage_pause(lin, 1)->end, LINEAGE_EXPIRED);
	assert_int_equal(lineage_pause(lin, 2)->end, LINEAGE_WATCHDOG);
	assert_string_equal(lineage_lacks(lin, 0),
		"Of the events of pauses 1 do not fit the others, as where lines are missing.");
	assert_null(lineage_lacks(lin, 1));
}

static const char only_pauses[] = EVENT_HEAD "2,pause_rx,h1:s1,3,,,,,65535,,,,\n"
					     "4,resume_rx,h1:s1,3,,xon,,,,,,,\n";

static void what_is_missing_is_named(void **state)
{
	(void)state;
	folder("[\"pause_rx\", \"resume_rx\"]", "");
	put(&l, "events.csv", only_pauses);
	read_lineage();
	assert_non_null(strstr(lineage_lacks(lin, 0), "xoff_tx"));
	assert_non_null(strstr(lineage_lacks(lin, 1), "xoff_holder"));
	assert_null(lineage_lacks(lin, 2));
	assert_int_equal(owes("h1:s1.3", "not recorded"), 2000000);
	lineage_free(lin);
	folder("\"none\"", "");
	put(&l, "events.csv", EVENT_HEAD);
	read_lineage();
	assert_non_null(strstr(lineage_lacks(lin, 0), "there is no lineage"));
	assert_null(lineage_lacks(lin, 1));
	assert_int_equal(lineage_counts(lin).pauses, 0);
}

// Without a manifest the lines themselves say what was recorded.
static void lines_say_that_they_are_there(void **state)
{
	(void)state;
	folder("\"none\"", "\"h1\": {}");
	read_lineage();
	assert_int_equal(lineage_counts(lin).pauses, 3);
	assert_null(lineage_lacks(lin, 1));
	assert_int_equal(owes("h1:s1.3", "other"), 500000);
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(the_victim_owes_its_time_to_another_receiver),
		RUN_TEST(who_stands_behind_owes_it_to_the_slow_host),
		RUN_TEST(a_ring_of_four_is_named),
		RUN_TEST(lines_are_told),
		RUN_TEST(what_is_missing_is_named),
		RUN_TEST(lines_say_that_they_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
