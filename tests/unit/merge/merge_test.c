// SPDX-License-Identifier: BSD-3-Clause
// Folders of parts as one: the part from which a figure is taken, whether links add up, and wrong
// folders. The parts are a (h1, h2 and s1) and b (r), written by hand.
#include "record_lab.h"

#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

#include "merge/merge.h"

#define A_NODES "[\"h1\", \"h2\", \"s1\"]"
#define ALL     "[\"s1\", \"h1\", \"h2\", \"r\"]"
#define DIGESTS "{\"times\": \"00\", \"flows\": \"11\"}"

struct parts {
	char dir[64], a[80], b[80], out[80];
	struct err err;
};

static void put(const char *dir, const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_manifest(const char *dir, const char *part, const char *nodes, const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"name\": \"hand\", \"part\": \"%s\", \"part_nodes\": %s, \"nodes\": " ALL
		", \"digests\": " DIGESTS ", \"dilate\": 1, \"seed\": 7, \"end_us\": 100, "
		"\"interrupted\": false, \"resolved\": {\"drain\": \"10us\"}, \"here\": {}%s}\n",
		part, nodes, more);
	put(dir, "manifest.json", text);
}

#define VERDICTS                                                                             \
	"\"verdicts\": {\"conserved\": true, \"conservation\": \"\", \"lossless\": true, "   \
	"\"pool_size\": 10, \"pool_missing\": 0, \"link_frames\": 0, \"criteria\": ["        \
	"{\"name\": \"conserved\", \"figure\": \"\", \"min\": 1, \"max\": 1, \"value\": 1, " \
	"\"verdict\": \"PASS\"}, {\"name\": \"pool_missing\", \"figure\": \"\", \"min\": "   \
	"null, \"max\": 0, \"value\": 0, \"verdict\": \"PASS\"}], \"why\": []}"
#define HEAD                                                                        \
	"{\"schema\": 1, \"name\": \"hand\", \"seed\": 7, \"interrupted\": false, " \
	"\"window_from_us\": 0, \"window_to_us\": 100, \"warnings\": [], " VERDICTS ",\n"

// The bytes that part a still had to send at its end.
static unsigned unfinished, queued;

// `srv` is an external host: no part's node, and nobody says what it has received.
static void put_a(const char *dir, unsigned sent, unsigned back, unsigned late_xon)
{
	char text[4096];

	snprintf(text, sizeof(text),
		HEAD
		"\"bottleneck\": \"s1:r\", \"total\": {\"goodput_gbps\": null, \"marks\": 6, "
		"\"not_ect_marks\": 0, \"ect_frames\": 24, \"ecn_marking_ratio\": 0.25, "
		"\"cnp_tx\": 0, \"cnp_rx\": 3, \"unfinished_qps\": %u, "
		"\"messages\": 4, \"fct_mean_us\": 10.5, "
		"\"fct_p50_us\": 9.0},\n"
		"\"groups\": [{\"group\": \"g\", \"to\": \"r\", \"flows\": 2, \"goodput_gbps\": "
		"null, \"jain\": null, \"messages\": 4, \"fct_p50_us\": 9.0}],\n"
		"\"flows\": [{\"flow_name\": \"g[h1>r.0]\", \"group\": \"g\", "
		"\"data_frames_tx\": 12, \"frame_delta\": null, \"goodput_gbps\": null, "
		"\"rc_gbps\": 5.5, \"cnp_rx\": 3}, {\"flow_name\": \"g[h2>r.0]\", \"group\": "
		"\"g\", \"data_frames_tx\": 8, \"frame_delta\": null, \"goodput_gbps\": null, "
		"\"rc_gbps\": 2.5, \"cnp_rx\": 0}],\n"
		"\"links\": [{\"port\": \"s1:r\", \"utilization_percent\": 30.5}],\n"
		"\"queues\": [{\"port\": \"s1:r\", \"class\": 3, \"length_bytes\": %u}],\n"
		"\"switch_port_counters\": [{\"port\": \"s1:r\"}],\n"
		"\"devices\": [{\"port\": \"s1:r\", \"tx_frames\": 0, \"rx_frames\": %u, "
		"\"unread\": 0}, {\"port\": \"s1:srv\", \"tx_frames\": 7, \"rx_frames\": 7}],\n"
		"\"reconciliation\": [{\"counter\": \"device_tx\", \"object\": \"s1:r\", "
		"\"sent\": %u}], \"instrument\": {\"clock\": \"real\", \"dilate\": 1, "
		"\"packet_hops\": 40, \"timing_broken\": false, \"timing\": \"fine\", "
		"\"loop_gap_max_us\": 3.5, \"xon_at_end\": %u}}\n",
		unfinished, queued, back, sent, late_xon);
	put(dir, "summary.json", text);
}

static void put_b(const char *dir, unsigned received, unsigned unread, unsigned back)
{
	char text[4096];

	snprintf(text, sizeof(text),
		HEAD
		"\"bottleneck\": \"r:s1\", \"total\": {\"goodput_gbps\": 6.0, \"marks\": 0, "
		"\"not_ect_marks\": 0, \"ect_frames\": 0, \"ecn_marking_ratio\": null, "
		"\"cnp_tx\": 3, \"cnp_rx\": 0, \"messages\": 0, \"fct_mean_us\": null, "
		"\"fct_p50_us\": null},\n"
		"\"groups\": [{\"group\": \"g\", \"to\": \"r\", \"flows\": 2, \"goodput_gbps\": "
		"6.0, \"jain\": 0.9, \"messages\": 0, \"fct_p50_us\": null}],\n"
		"\"flows\": [{\"flow_name\": \"g[h1>r.0]\", \"group\": \"g\", "
		"\"data_frames_rx\": 12, \"frame_delta\": null, \"goodput_gbps\": 4.0, "
		"\"rc_gbps\": null, \"cnp_tx\": 3}, {\"flow_name\": \"g[h2>r.0]\", \"group\": "
		"\"g\", \"data_frames_rx\": 8, \"frame_delta\": null, \"goodput_gbps\": 2.0, "
		"\"rc_gbps\": null, \"cnp_tx\": 0}],\n"
		"\"links\": [{\"port\": \"r:s1\", \"utilization_percent\": 90.5}],\n"
		"\"switch_port_counters\": [],\n"
		"\"devices\": [{\"port\": \"r:s1\", \"tx_frames\": %u, \"rx_frames\": %u, "
		"\"unread\": %u}],\n"
		"\"reconciliation\": [], \"instrument\": {\"clock\": \"real\", \"dilate\": 1, "
		"\"packet_hops\": 20, \"timing_broken\": true, \"timing\": \"5 %% lost\", "
		"\"loop_gap_max_us\": 2.5, \"xon_at_end\": 0}}\n",
		back, received, unread);
	put(dir, "summary.json", text);
}

// Two parts of one run, all of whose frames have come.
static void begin(struct parts *p)
{
	memset(p, 0, sizeof(*p));
	snprintf(p->dir, sizeof(p->dir), "/tmp/quench-merge-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->a, sizeof(p->a), "%s/a", p->dir);
	snprintf(p->b, sizeof(p->b), "%s/b", p->dir);
	snprintf(p->out, sizeof(p->out), "%s/out", p->dir);
	assert_int_equal(mkdir(p->a, 0755) | mkdir(p->b, 0755) | mkdir(p->out, 0755), 0);
	put_manifest(p->a, "h1..2,s1", A_NODES, "");
	put_manifest(p->b, "r", "[\"r\"]", "");
	put_a(p->a, 20, 5, 0);
	put_b(p->b, 20, 0, 5);
}

static void end(const struct parts *p)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", p->dir);
	assert_int_equal(system(command), 0);
}

static struct merge *both(struct parts *p)
{
	const char *dir[] = {p->a, p->b};
	struct merge *m = NULL;

	if (merge_open(&m, dir, 2, &p->err))
		fail_msg("%s", p->err.text);
	return m;
}

static json_t *written(struct parts *p, struct merge *m, const char *name)
{
	char path[128];
	json_t *j;

	if (merge_write(m, p->out, "quench merge a b", &p->err))
		fail_msg("%s", p->err.text);
	snprintf(path, sizeof(path), "%s/%s", p->out, name);
	j = json_load_file(path, 0, NULL);
	assert_non_null(j);
	return j;
}

static double at(const json_t *list, const char *name)
{
	const json_t *v = json_object_get(list, name);

	assert_true(json_is_number(v));
	return json_number_value(v);
}

static void each_figure_is_that_of_the_end_that_knows_it(void **state)
{
	struct parts p;

	(void)state;
	begin(&p);

	struct merge *m = both(&p);
	json_t *s = written(&p, m, "summary.json");
	const json_t *flows = json_object_get(s, "flows"), *first = json_array_get(flows, 0);
	const json_t *total = json_object_get(s, "total");
	const json_t *group = json_array_get(json_object_get(s, "groups"), 0);

	assert_int_equal(json_array_size(flows), 2);
	assert_true(at(first, "data_frames_tx") == 12);
	assert_true(at(first, "data_frames_rx") == 12);
	assert_true(at(first, "frame_delta") == 0);
	assert_true(at(first, "goodput_gbps") == 4);
	assert_true(at(first, "rc_gbps") == 5.5);
	assert_true(at(first, "cnp_rx") == 3);
	assert_true(at(first, "cnp_tx") == 3);
	assert_true(at(total, "goodput_gbps") == 6);
	assert_true(at(total, "marks") == 6);
	assert_true(at(total, "ecn_marking_ratio") == 0.25);
	assert_true(at(total, "fct_p50_us") == 9);
	assert_true(at(total, "messages") == 4);
	assert_true(at(group, "flows") == 2);
	assert_true(at(group, "jain") == 0.9);
	assert_int_equal(json_array_size(json_object_get(s, "links")), 2);
	// The busiest that leaves a switch.
	assert_string_equal(json_string_value(json_object_get(s, "bottleneck")), "s1:r");
	assert_true(at(json_object_get(s, "instrument"), "packet_hops") == 60);
	assert_true(at(json_object_get(s, "instrument"), "loop_gap_max_us") == 3.5);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(s, "instrument"), "timing")),
		"r: 5 % lost");
	assert_true(merge_passed(m));
	json_decref(s);
	merge_close(m);
	end(&p);
}

// Where two parts send flows of one group, quantiles of what each knows are of neither.
static void what_nobody_knows_whole_is_null(void **state)
{
	struct parts p;

	(void)state;
	begin(&p);
	put_b(p.b, 20, 0, 5);
	put_a(p.b, 20, 5, 0); // the same figures again, of other flows

	struct merge *m = both(&p);
	json_t *s = written(&p, m, "summary.json");
	const json_t *total = json_object_get(s, "total");

	assert_true(at(total, "messages") == 8);
	assert_true(at(total, "fct_mean_us") == 10.5);
	assert_true(json_is_null(json_object_get(total, "fct_p50_us")));
	json_decref(s);
	merge_close(m);
	end(&p);
}

// The third part of three is no better: what it knows is its own share.
static void what_two_of_three_have_lost_stays_null(void **state)
{
	struct merge *m = NULL;
	struct parts p;
	char c[80];

	(void)state;
	begin(&p);
	snprintf(c, sizeof(c), "%s/c", p.dir);
	assert_int_equal(mkdir(c, 0755), 0);
	put_manifest(p.a, "h1", "[\"h1\"]", "");
	put_manifest(p.b, "r,s1", "[\"r\", \"s1\"]", "");
	put_manifest(c, "h2", "[\"h2\"]", "");
	put_a(p.b, 20, 5, 0);
	put_a(c, 20, 5, 0);

	const char *dir[] = {p.a, p.b, c};

	if (merge_open(&m, dir, 3, &p.err))
		fail_msg("%s", p.err.text);

	json_t *s = written(&p, m, "summary.json");
	const json_t *total = json_object_get(s, "total");
	const json_t *group = json_array_get(json_object_get(s, "groups"), 0);

	assert_true(at(total, "messages") == 12);
	assert_true(at(total, "fct_mean_us") == 10.5);
	assert_true(json_is_null(json_object_get(total, "fct_p50_us")));
	assert_true(json_is_null(json_object_get(group, "fct_p50_us")));
	assert_true(at(group, "flows") == 2);
	json_decref(s);
	merge_close(m);
	end(&p);
}

static const char *verdict(struct parts *p, bool *passed)
{
	static char word[16];
	struct merge *m = both(p);
	json_t *s = written(p, m, "summary.json");
	const json_t *rows = json_object_get(s, "reconciliation");
	const json_t *row = json_array_get(rows, 1);

	assert_int_equal(json_array_size(rows), 3);
	assert_string_equal(json_string_value(json_object_get(row, "object")), "s1:r");
	snprintf(word, sizeof(word), "%s", json_string_value(json_object_get(row, "verdict")));
	*passed = merge_passed(m);
	json_decref(s);
	merge_close(m);
	return word;
}

static void what_one_end_sent_the_other_received(void **state)
{
	// Sent, late XON; received, unread; the verdict.
	static const struct {
		unsigned sent, late, received, unread;
		const char *want;
	} cases[] = {
		{20, 0, 20, 0, "PASS"},
		{20, 0, 19, 1, "PASS"},
		{20, 0, 19, 0, "FAIL"},
		{20, 0, 21, 0, "FAIL"},
		{20, 0, 20, 1, "FAIL"},
		{20, 1, 19, 0, "PASS"},
		{20, 1, 21, 0, "PASS"},
		{20, 1, 18, 0, "FAIL"},
		{20, 0, 0, 0, "FAIL"},
	};
	struct parts p;
	bool passed;

	(void)state;
	begin(&p);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_a(p.a, cases[i].sent, 5, cases[i].late);
		put_b(p.b, cases[i].received, cases[i].unread, 5);
		assert_string_equal(verdict(&p, &passed), cases[i].want);
		assert_int_equal(passed, !strcmp(cases[i].want, "PASS"));
	}
	end(&p);
}

// A criterion that a part keeps for all: `value` is what it knows, NAN: nothing.
static void expects(const char *dir, const char *figure, double max, double value)
{
	char path[160];
	json_t *s, *v, *list, *c = json_object();

	snprintf(path, sizeof(path), "%s/summary.json", dir);
	s = json_load_file(path, 0, NULL);
	v = json_object_get(s, "verdicts");
	list = json_object_get(v, "for_all");
	if (!list) {
		list = json_array();
		json_object_set_new(v, "for_all", list);
	}
	json_object_set_new(c, "name", json_string(figure));
	json_object_set_new(c, "figure", json_string(figure));
	json_object_set_new(c, "min", json_null());
	json_object_set_new(c, "max", json_real(max));
	json_object_set_new(c, "value", isnan(value) ? json_null() : json_real(value));
	json_array_append_new(list, c);
	json_object_set_new(json_object_get(s, "instrument"), "timing_broken", json_false());
	assert_int_equal(json_dump_file(s, path, 0), 0);
	json_decref(s);
}

// The merged result of a criterion: its verdict, and its value (NAN: null).
static const char *judged(struct parts *p, const char *figure, double *value)
{
	static char word[16];
	struct merge *m = both(p);
	json_t *s = written(p, m, "summary.json"), *c;
	unsigned n = 0;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(s, "verdicts"), "criteria"), i, c)
	{
		const json_t *v = json_object_get(c, "value");

		if (strcmp(json_string_value(json_object_get(c, "figure")), figure) != 0)
			continue;
		*value = json_is_number(v) ? json_number_value(v) : NAN;
		snprintf(
			word, sizeof(word), "%s", json_string_value(json_object_get(c, "verdict")));
		n++;
	}
	assert_int_equal(n, 1);
	assert_int_equal(merge_passed(m), !strcmp(word, "PASS"));
	json_decref(s);
	merge_close(m);
	return word;
}

// The output of `quench merge`; freed by the caller.
static char *table(struct parts *p)
{
	struct merge *m = both(p);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	merge_text(m, f);
	assert_int_equal(fclose(f), 0);
	merge_close(m);
	return text;
}

static void what_the_scenario_expects_is_judged_of_the_whole(void **state)
{
	// Its limit; what a and b know by themselves; what is right of the whole.
	static const struct {
		const char *figure;
		double max, a, b, value;
		const char *verdict;
	} cases[] = {
		{"flow.g[h1>r.0].goodput_gbps", 4, NAN, 4, 4, "PASS"},
		{"flow.g[h1>r.0].goodput_gbps", 3.9, NAN, 4, 4, "FAIL"},
		{"flow.g[h1>r.0].frame_delta", 0, NAN, NAN, 0, "PASS"},
		{"goodput_gbps", 6, NAN, 6, 6, "PASS"}, {"total.marks", 5, 6, 0, 6, "FAIL"},
		{"jain", 0.9, NAN, 0.9, 0.9, "PASS"}, {"main.messages", 4, 4, 0, 4, "PASS"},
		{"utilization", 31, 30.5, 90.5, 30.5, "PASS"},
		{"bottleneck.p99_bytes", 5000, 4000, 7000, 4000, "PASS"},
		{"queue.s1:r.3.p99_bytes", 5000, 4000, NAN, 4000, "PASS"},
		{"queue.s1:r.3.p99_bytes", 5000, NAN, NAN, NAN, "INVALID"},
		{"cnp.r.latency_p99_us", 5000, 1, 2, NAN, "INVALID"}, // of which of the two?
	};
	struct parts p;
	double value = 0;

	(void)state;
	begin(&p);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_a(p.a, 20, 5, 0);
		put_b(p.b, 20, 0, 5);
		expects(p.a, cases[i].figure, cases[i].max, cases[i].a);
		expects(p.b, cases[i].figure, cases[i].max, cases[i].b);
		assert_string_equal(judged(&p, cases[i].figure, &value), cases[i].verdict);
		assert_true(isnan(cases[i].value) ? isnan(value) : value == cases[i].value);
	}
	// A part that has lost a device has not run what was asked for.
	put_a(p.a, 20, 5, 0);
	put_b(p.b, 20, 0, 5);
	put_manifest(p.b, "r", "[\"r\"]", ", \"device_gone\": \"port r:s1: gone\"");
	expects(p.a, "jain", 1, NAN);
	assert_string_equal(judged(&p, "jain", &value), "INVALID");
	put_manifest(p.b, "r", "[\"r\"]", "");
	// Nor has one whose port had no link for a time.
	put_a(p.a, 20, 5, 0);
	put_b(p.b, 20, 0, 5);
	put_manifest(p.b, "r", "[\"r\"]", ", \"no_link\": \"port r:s1: none for 1 s\"");
	expects(p.a, "jain", 1, NAN);
	assert_string_equal(judged(&p, "jain", &value), "INVALID");
	put_manifest(p.b, "r", "[\"r\"]", "");
	// Nor has one that broke its timing, but a count that holds stands.
	for (unsigned i = 0; i < 3; i++) {
		const char *figure = i ? "total.marks" : "jain";

		put_a(p.a, 20, 5, 0);
		put_b(p.b, 20, 0, 5);
		expects(p.a, figure, i == 1 ? 6 : 1, NAN);
		assert_string_equal(judged(&p, figure, &value), i == 1 ? "PASS" : "INVALID");
	}
	end(&p);
}

// Frames were on their way when it ended, and nobody knows how many.
static void a_part_that_ended_early_makes_a_missing_frame_invalid(void **state)
{
	struct parts p;
	bool passed;

	(void)state;
	begin(&p);
	put_b(p.b, 19, 0, 5);
	put_manifest(p.b, "r", "[\"r\"]", ", \"link_loss\": \"port r:s1: silent\"");
	assert_string_equal(verdict(&p, &passed), "INVALID");
	assert_false(passed);
	put_b(p.b, 21, 0, 5); // more than was sent is wrong in any case
	assert_string_equal(verdict(&p, &passed), "FAIL");
	put_b(p.b, 20, 0, 5);
	assert_string_equal(verdict(&p, &passed), "PASS");
	assert_false(passed); // the part itself has failed
	end(&p);
}

// A missing frame is INVALID, too, if a drain was too short: a part was sending to its end.
static void a_drain_that_was_too_short_makes_a_missing_frame_invalid(void **state)
{
	struct parts p;
	bool passed;

	(void)state;
	begin(&p);
	put_b(p.b, 19, 0, 5);
	assert_string_equal(verdict(&p, &passed), "FAIL");
	unfinished = 1;
	put_a(p.a, 20, 5, 0);
	assert_string_equal(verdict(&p, &passed), "INVALID");
	unfinished = 0;
	queued = 1;
	put_a(p.a, 20, 5, 0);
	assert_string_equal(verdict(&p, &passed), "INVALID");
	queued = 0;
	put_a(p.a, 20, 5, 0);
	assert_string_equal(verdict(&p, &passed), "FAIL");
	end(&p);
}

// The figures of a part that was not what was asked for are in doubt, and the table says whose:
// what could not be judged for that has not failed.
static void what_speaks_against_a_part_is_told(void **state)
{
	static const char *const want[] = {"\ndoubt    h1..2,s1: NO LINK: port s1:r had none\n",
		"\ndoubt    r: TIMING BROKEN: 5 % lost\n"};
	struct parts p;
	char *text;

	(void)state;
	begin(&p);
	text = table(&p);
	assert_null(strstr(text, "doubt    h1..2,s1"));
	assert_non_null(strstr(text, want[1]));
	assert_non_null(strstr(text, "\nPASS     the parts add up\n"));
	free(text);
	expects(p.a, "jain", 1, NAN);
	put_manifest(p.a, "h1..2,s1", A_NODES, ", \"no_link\": \"port s1:r had none\"");
	text = table(&p);
	for (unsigned i = 0; i < 2; i++)
		assert_non_null(strstr(text, want[i]));
	assert_non_null(strstr(text, "\nINVALID  nothing has failed"));
	free(text);
	put_b(p.b, 19, 0, 5);
	text = table(&p);
	assert_non_null(strstr(text, "\nFAIL     not all adds up\n"));
	free(text);
	end(&p);
}

static void timing(const char *dir, bool broken, const char *text, double gap)
{
	char path[160];
	json_t *s, *o;

	snprintf(path, sizeof(path), "%s/summary.json", dir);
	s = json_load_file(path, 0, NULL);
	o = json_object_get(s, "instrument");
	json_object_set_new(o, "timing_broken", json_boolean(broken));
	json_object_set_new(o, "timing", json_string(text));
	json_object_set_new(o, "loop_gap_max_us", json_real(gap));
	assert_int_equal(json_dump_file(s, path, 0), 0);
	json_decref(s);
}

static void all_parts_that_broke_their_timing_are_named(void **state)
{
	static const struct {
		bool a, b;
		double of_a, of_b;
		const char *want;
	} cases[] = {
		{false, false, 2, 1, "h1..2,s1: A"},
		{false, false, 1, 2, "r: B"},
		{true, false, 1, 2, "h1..2,s1: A"},
		{false, true, 2, 1, "r: B"},
		{true, true, 2, 1, "h1..2,s1: A; r: B"},
	};
	struct parts p;

	(void)state;
	begin(&p);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		timing(p.a, cases[i].a, "A", cases[i].of_a);
		timing(p.b, cases[i].b, "B", cases[i].of_b);

		struct merge *m = both(&p);
		json_t *s = written(&p, m, "summary.json");

		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(s, "instrument"), "timing")),
			cases[i].want);
		json_decref(s);
		merge_close(m);
	}
	end(&p);
}

// However much they say together.
static void nothing_is_cut_of_what_they_say(void **state)
{
	char text[1500] = {0}, want[2 * sizeof(text) + 40];
	struct parts p;
	struct merge *m;
	json_t *s;

	(void)state;
	begin(&p);
	memset(text, 'x', sizeof(text) - 1);
	timing(p.a, true, text, 1);
	timing(p.b, true, text, 1);
	m = both(&p);
	s = written(&p, m, "summary.json");
	snprintf(want, sizeof(want), "h1..2,s1: %s; r: %s", text, text);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(s, "instrument"), "timing")),
		want);
	json_decref(s);
	merge_close(m);
	end(&p);
}

static void lines_are_in_order_of_time(void **state)
{
	struct parts p;
	char path[128], text[512] = "";
	FILE *f;

	(void)state;
	begin(&p);
	put(p.a, "events.csv", "time_us,event\n1,a\n2.000001,b\n10,c\n11,cut");
	put(p.b, "events.csv", "time_us,event\n1,d\n2,e\n9.5,f\n");
	put(p.a, "qlen.txt", "time: 90\n0 1 4\n3 1 4\n");
	put(p.b, "qlen.txt", "time: 100\n1 1 4\n");
	put(p.a, "fct.txt", "a b 1 2 64 10 5 0\na b 1 2 64 5 20 0\n");
	put(p.b, "fct.txt", "c d 1 2 64 1 15 0\n");

	struct merge *m = both(&p);
	json_t *j = written(&p, m, "manifest.json");

	snprintf(path, sizeof(path), "%s/events.csv", p.out);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	assert_string_equal(text, "time_us,event\n1,a\n1,d\n2,e\n2.000001,b\n9.5,f\n10,c\n");
	snprintf(path, sizeof(path), "%s/qlen.txt", p.out);
	f = fopen(path, "r");
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	assert_string_equal(text, "time: 100\n0 1 4\n1 1 4\n3 1 4\n");
	snprintf(path, sizeof(path), "%s/fct.txt", p.out);
	f = fopen(path, "r");
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	assert_string_equal(text, "a b 1 2 64 10 5 0\nc d 1 2 64 1 15 0\na b 1 2 64 5 20 0\n");
	// A file that was cut is told.
	assert_string_equal(json_string_value(json_array_get(json_object_get(j, "missing"), 0)),
		"events.csv: it ends within a line (h1..2,s1)");
	assert_int_equal(json_array_size(json_object_get(j, "parts")), 2);
	assert_null(json_object_get(j, "part"));
	json_decref(j);
	merge_close(m);
	end(&p);
}

static void columns_that_differ_are_refused(void **state)
{
	struct parts p;

	(void)state;
	begin(&p);
	put(p.a, "events.csv", "time_us,event\n1,a\n");
	put(p.b, "events.csv", "time_us,type\n1,a\n");

	struct merge *m = both(&p);

	assert_int_equal(merge_write(m, p.out, "quench merge", &p.err), -EINVAL);
	assert_non_null(strstr(p.err.text, "b/events.csv: its columns are not those of the other"));
	merge_close(m);
	end(&p);
}

static void refuse(struct parts *p, unsigned n, const char *want)
{
	const char *dir[] = {p->a, p->b};
	struct merge *m = NULL;

	assert_true(merge_open(&m, dir, n, &p->err) < 0);
	if (!strstr(p->err.text, want))
		fail_msg("'%s' lacks '%s'", p->err.text, want);
	assert_null(strchr(p->err.text, '\n'));
}

#define BEGUN_A ", \"here\": {\"started\": \"2026-11-27T11:56:03.5Z\", \"wall_s\": 2.25"
#define BEGUN_B ", \"here\": {\"started\": \"2026-11-27T12:03:41.000000001Z\""

// Parts know each other's processes by number, so that a folder that an earlier run has left is
// told from one of this run.
static void a_folder_of_an_earlier_run_is_refused(void **state)
{
	struct parts p;

	(void)state;
	begin(&p);
	put_manifest(
		p.a, "h1..2,s1", A_NODES, BEGUN_A ", \"process\": 11, \"peers\": {\"s1:r\": 22}}");
	put_manifest(p.b, "r", "[\"r\"]", BEGUN_B ", \"process\": 22, \"peers\": {\"r:s1\": 11}}");
	merge_close(both(&p));
	put_manifest(p.b, "r", "[\"r\"]", BEGUN_B ", \"process\": 23, \"peers\": {\"r:s1\": 11}}");
	refuse(&p, 2,
		"are of different runs (begun 2026-11-27T11:56:03Z and 2026-11-27T12:03:41Z):"
		" the process that h1..2,s1 met at port s1:r is not that of r;");
	put_manifest(p.b, "r", "[\"r\"]", BEGUN_B "}"); // with --start now it met nobody
	refuse(&p, 2, "is not that of r; give the folders of one run");
	put_manifest(p.b, "r,h2", "[\"h2\", \"r\"]", BEGUN_B "}");
	refuse(&p, 2, ", too (begun 2026-11-27T12:03:41Z and 2026-11-27T11:56:03Z); each node is");
	end(&p);
}

// Where no part asked who is there, the clocks of their machines are all that there is.
static void parts_that_ran_apart_are_told(void **state)
{
	static const char line[] = "\ndoubt    r: it began 455.2 s after h1..2,s1 had ended";
	struct parts p;
	char *text;

	(void)state;
	begin(&p);
	put_manifest(p.a, "h1..2,s1", A_NODES, BEGUN_A "}");
	put_manifest(p.b, "r", "[\"r\"]", BEGUN_A "}");
	text = table(&p);
	assert_null(strstr(text, "it began"));
	free(text);
	put_manifest(p.b, "r", "[\"r\"]", BEGUN_B "}");
	text = table(&p);
	assert_non_null(strstr(text, line));
	free(text);
	end(&p);
}

static void what_is_not_the_parts_of_one_run_is_refused(void **state)
{
	struct parts p;

	(void)state;
	begin(&p);
	refuse(&p, 1, "nobody has run 'r'; give the folder of the part that did, too");
	put_manifest(p.b, "r,h2", "[\"h2\", \"r\"]", "");
	refuse(&p, 2, "/b: node 'h2' was run by the part in /tmp/quench-merge-");
	put_manifest(p.b, "r", "[\"x\"]", "");
	refuse(&p, 2, "names the node 'x', which the scenario does not have");
	put_manifest(p.b, "r", "[\"r\"]", ", \"seed\": 8");
	refuse(&p, 2, "/b: seed is 8, and 7 in /tmp/");
	put_manifest(p.b, "r", "[\"r\"]", ", \"dilate\": 10");
	refuse(&p, 2, "/b: dilate is 10, and 1 in /tmp/");
	put_manifest(p.b, "r", "[\"r\"]", ", \"digests\": {\"times\": \"00\", \"flows\": \"12\"}");
	refuse(&p, 2, "and these differ: flows; parts of one run have the same digests");
	put_manifest(p.b, "", "[\"r\"]", "");
	refuse(&p, 2, "/b: the folder of a whole run; those of parts, by `quench run --nodes`");
	put_manifest(p.b, "r", "[\"r\"]", ", \"parts\": []");
	refuse(&p, 2, "/b: this folder is merged already; give the folders of the parts");
	put_manifest(p.b, "r", "null", "");
	refuse(&p, 2, "/b: manifest.json does not name the part's nodes");
	put(p.b, "manifest.json", "{\"name\": ");
	refuse(&p, 2, "/b: manifest.json is broken: line 1");
	put_manifest(p.b, "r", "[\"r\"]", "");
	put(p.b, "summary.json", "{\"schema\": 99}\n");
	refuse(&p, 2, "/b: summary.json has schema 99, and this program knows 1");
	snprintf(p.b, sizeof(p.b), "%s/none", p.dir);
	refuse(&p, 2, "/none: No such file or directory; give the folder of a run");
	end(&p);
}

// Every member of a summary may be missing or of another kind; nothing crashes.
static void a_summary_without_members_is_merged(void **state)
{
	static const char *const texts[] = {"{\"schema\": 1}\n",
		"{\"schema\": 1, \"flows\": {}, \"total\": [], \"verdicts\": 3, \"devices\": "
		"[1, {\"port\": 5}, {\"port\": \"nobody\"}, {\"port\": \"r:s1\"}]}\n",
		"{\"schema\": 1, \"flows\": [null, 3, {\"flow_name\": null}], \"groups\": [[]], "
		"\"total\": {\"messages\": \"x\"}, \"instrument\": null}\n"};
	struct parts p;

	(void)state;
	begin(&p);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(p.b, "summary.json", texts[i]);

		struct merge *m = both(&p);

		json_decref(written(&p, m, "summary.json"));
		assert_false(merge_passed(m));
		merge_close(m);
	}
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_figure_is_that_of_the_end_that_knows_it),
		cmocka_unit_test(what_nobody_knows_whole_is_null),
		cmocka_unit_test(what_two_of_three_have_lost_stays_null),
		cmocka_unit_test(what_one_end_sent_the_other_received),
		cmocka_unit_test(what_the_scenario_expects_is_judged_of_the_whole),
		cmocka_unit_test(a_part_that_ended_early_makes_a_missing_frame_invalid),
		cmocka_unit_test(a_drain_that_was_too_short_makes_a_missing_frame_invalid),
		cmocka_unit_test(what_speaks_against_a_part_is_told),
		cmocka_unit_test(all_parts_that_broke_their_timing_are_named),
		cmocka_unit_test(nothing_is_cut_of_what_they_say),
		cmocka_unit_test(lines_are_in_order_of_time),
		cmocka_unit_test(columns_that_differ_are_refused),
		cmocka_unit_test(a_folder_of_an_earlier_run_is_refused),
		cmocka_unit_test(parts_that_ran_apart_are_told),
		cmocka_unit_test(what_is_not_the_parts_of_one_run_is_refused),
		cmocka_unit_test(a_summary_without_members_is_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
