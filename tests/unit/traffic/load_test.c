// SPDX-License-Identifier: BSD-3-Clause
// Loads: who sends to whom, that the same messages come whatever else the scenario says, and what
// is wrong with one.
#include <math.h>

#include "scene_lab.h"

#define TOPOLOGY                                                                             \
	"topology: {leaf_spine: {leaves: 2, spines: 1, hosts: 3, rate: 10Gbps, trunk_rate: " \
	"40Gbps}}\n"
#define SCENE(flows)                                                                              \
	"duration: 4ms\ndrain: 1ms\n" TOPOLOGY "controls: {cc: {profile: paper}}\nflows:\n" flows \
	"\n"
#define WEB(more) "  web: {from: h1..6, to: h1..6, sizes: hadoop, load: 40%" more "}"

// Messages of a scene by time. They hash to one number.
static uint64_t messages(const struct scene *s, unsigned *n, uint64_t *bytes)
{
	struct scene_messages *all;
	struct scene_message m;
	uint64_t hash = 1469598103934665603u;
	tstamp last = 0;

	*n = 0;
	*bytes = 0;
	assert_int_equal(scene_messages(&all, s), 0);
	while (scene_message(all, &m)) {
		const uint64_t word[] = {m.at, m.bytes, m.from, m.to};

		assert_true(m.at >= last && m.at < 3 * PS_PER_MS && m.bytes && m.from != m.to);
		last = m.at;
		++*n;
		*bytes += m.bytes;
		for (unsigned i = 0; i < 4; i++)
			hash = (hash ^ word[i]) * 1099511628211u;
	}
	scene_messages_free(all);
	return hash;
}

// Whether a queue pair goes from one host to another, by their numbers from 1.
static unsigned joins(const struct scene *s, unsigned from, unsigned to)
{
	char a[8], b[8];
	unsigned n = 0;

	snprintf(a, sizeof(a), "h%u", from);
	snprintf(b, sizeof(b), "h%u", to);
	for (unsigned i = 0; i < s->n_flows; i++)
		n += (int)s->flow[i]->from == scene_node(s, a) &&
		     (int)s->flow[i]->to == scene_node(s, b);
	return n;
}

static void the_same_messages_come_in_any_case(void **state)
{
	static const char *const other[] = {
		SCENE(WEB(", control: cc")),
		SCENE(WEB(", qps: 3")),
		SCENE(WEB(", qps: per_message")),
		SCENE("  more: {from: h2, to: h1, message: 1MB}\n" WEB("")),
		SCENE("  more: {from: h1..6, to: h2, sizes: 10KB, load: 5%}\n" WEB("")),
	};
	struct scene *s = lab(SCENE(WEB(""))), *again;
	unsigned n, k;
	uint64_t bytes, more, want = messages(s, &n, &bytes);

	(void)state;
	assert_true(n > 40 && bytes > 1000000);
	// As on every processor, with every compiler and in every later version.
	assert_int_equal(want, 0x447f36e5fda7330d);
	assert_int_equal(s->n_loads, 6);
	assert_string_equal(s->load[5]->name, "web[h6]");
	scene_free(s);
	for (unsigned i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		s = lab(other[i]);
		if (i < 4)
			assert_true(messages(s, &k, &more) == want);
		else
			assert_true(messages(s, &k, &more) != want && k > n);
		scene_free(s);
	}
	s = lab(SCENE(WEB("")));
	again = lab(s->resolved);
	assert_true(messages(again, &k, &more) == want);
	scene_free(again);
	scene_free(s);
	s = lab_with(SCENE(WEB("")), "seed", "2");
	assert_true(messages(s, &k, &more) != want);
	scene_free(s);
}

// Without a drain messages come until the run ends, and no queue pair is made for later ones.
static void no_message_comes_behind_the_end(void **state)
{
	static const char *const qps[] = {"1", "per_message"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct scene_set set[] = {
			{"drain", "0us"}, {"duration", "3ms"}, {"flows.web.qps", qps[i]}};
		const struct scene_opts opts = {.set = set, .n_set = 3};
		struct scene *s = NULL;
		uint64_t bytes;
		unsigned n;

		assert_int_equal(lab_try(&s, SCENE(WEB("")), &opts), 0);
		messages(s, &n, &bytes);
		assert_true(n > 40 && n < 1000);
		assert_true(i ? s->n_flows == n : s->n_flows <= 30);
		scene_free(s);
	}
}

// A load is one group, whoever gets its messages.
static void a_load_is_one_group(void **state)
{
	struct scene *s = lab(SCENE(WEB("")));

	(void)state;
	for (unsigned i = 0; i < s->n_flows; i++)
		assert_true(s->flow[i]->pooled && !strcmp(s->flow[i]->group, "web"));
	scene_free(s);
}

static void a_pair_has_queue_pairs_if_a_message_comes(void **state)
{
	struct scene *s = lab(SCENE(WEB(", qps: 2")));
	bool met[7][7] = {0};
	struct scene_messages *all;
	struct scene_message m;
	unsigned pairs = 0;

	(void)state;
	assert_int_equal(scene_messages(&all, s), 0);
	while (scene_message(all, &m))
		met[m.from - scene_node(s, "h1") + 1][m.to - scene_node(s, "h1") + 1] = true;
	scene_messages_free(all);
	for (unsigned i = 1; i < 7; i++)
		for (unsigned k = 1; k < 7; k++) {
			assert_int_equal(joins(s, i, k), met[i][k] ? 2 : 0);
			pairs += met[i][k];
		}
	assert_true(pairs > 15);
	assert_int_equal(s->n_flows, 2 * pairs);
	for (unsigned i = 0; i < s->n_flows; i++) {
		assert_true(s->flow[i]->req.loaded && s->flow[i]->req.start == TSTAMP_NEVER);
		assert_int_equal(s->flow[i]->req.outstanding, RC_MESSAGES);
	}
	scene_free(s);
	s = lab(SCENE("  web: {from: h1..6, to: h1..6, sizes: 1KB, arrivals: closed(3)}"));
	assert_int_equal(s->n_flows, 30);
	scene_free(s);
}

// Without a drain messages come until the end of the run.
static void a_message_has_a_queue_pair_of_its_own(void **state)
{
	const char *text = "duration: 4ms\n" TOPOLOGY "flows:\n" WEB(", qps: per_message") "\n";
	struct scene *s = lab(text);
	struct scene_messages *all;
	struct scene_message m;
	unsigned n = 0;

	(void)state;
	assert_int_equal(scene_messages(&all, s), 0);
	for (; scene_message(all, &m); n++)
		assert_true(m.at < 4 * PS_PER_MS);
	scene_messages_free(all);
	assert_true(n > 60);
	assert_int_equal(s->n_flows, n);
	scene_free(s);
}

static void messages_are_no_rows_of_the_scenario(void **state)
{
	struct scene *s = lab("duration: 4ms\n" TOPOLOGY "flows:\n" WEB(", qps: per_message") "\n");

	(void)state;
	assert_non_null(strstr(s->resolved, "\n  web:\n"));
	assert_null(strstr(s->resolved, "web.0"));
	scene_free(s);
}

static void patterns_say_who_sends_to_whom(void **state)
{
	struct scene *s = lab(SCENE(WEB(", pairs: ring")));
	unsigned to[7] = {0};

	(void)state;
	for (unsigned i = 1; i < 7; i++)
		assert_int_equal(joins(s, i, i % 6 + 1), 1);
	assert_int_equal(s->n_flows, 6);
	scene_free(s);
	s = lab(SCENE(WEB(", pairs: permutation")));
	assert_int_equal(s->n_flows, 6);
	for (unsigned i = 1; i < 7; i++)
		for (unsigned k = 1; k < 7; k++)
			to[k] += joins(s, i, k);
	for (unsigned k = 1; k < 7; k++)
		assert_int_equal(to[k], 1);
	scene_free(s);
	s = lab(SCENE(WEB(", rack: 100%")));
	assert_int_equal(joins(s, 1, 2) + joins(s, 1, 3), 2);
	assert_int_equal(joins(s, 1, 4) + joins(s, 1, 5) + joins(s, 1, 6), 0);
	scene_free(s);
	s = lab(SCENE(WEB(", rack: 0%")));
	assert_int_equal(joins(s, 1, 2) + joins(s, 1, 3), 0);
	scene_free(s);
	s = lab(SCENE("  e: {from: h1..6, to: h1..6, message: 1MB, pairs: ring}"));
	assert_int_equal(s->n_flows, 6);
	assert_int_equal(s->n_loads, 0);
	scene_free(s);
}

// An incast is a load of its receivers: N senders at one instant, all different.
static void an_incast_has_n_senders_at_once(void **state)
{
	struct scene *s =
		lab(SCENE("  i: {from: h2..6, to: h1, sizes: 20KB, load: 60%, pairs: incast(3)}"));
	struct scene_messages *all;
	struct scene_message m[3];
	unsigned n = 0;

	(void)state;
	assert_int_equal(scene_messages(&all, s), 0);
	while (scene_message(all, &m[0])) {
		assert_true(scene_message(all, &m[1]) && scene_message(all, &m[2]));
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(m[i].at, m[0].at);
			assert_int_equal(m[i].bytes, 20000);
			assert_int_equal(m[i].to, scene_node(s, "h1"));
			assert_int_not_equal(m[i].from, m[(i + 1) % 3].from);
		}
		n++;
	}
	scene_messages_free(all);
	// 60 % of 10 Gb/s for 3 ms are 37.5 requests
	assert_in_range(n, 20, 56);
	assert_true(s->load[0]->arrivals.gap_q16 >> 16 == 80 * PS_PER_US);
	scene_free(s);
}

static void loads_are_of_the_senders_link(void **state)
{
	struct scene *s = lab(
		SCENE("  a: {from: h1, to: h2, sizes: 1000B, load: 40%}\n"
		      "  b: {from: h1, to: h2, sizes: 1000B, load: 2Gbps, arrivals: every}\n"
		      "  c: {from: h1, to: h2, sizes: 1000B, on_off: {on: 30us, off: 90us}}\n"));

	(void)state;
	assert_int_equal(s->load[0]->arrivals.gap_q16, (2000000ull << 16));
	assert_int_equal(s->load[1]->arrivals.gap_q16, (4000000ull << 16));
	assert_true(scene_load_messages(s->load[0], s->duration) == 1500);
	assert_true(scene_load_messages(s->load[1], s->duration) == 750);
	assert_true(fabs(scene_load_messages(s->load[2], s->duration) - 937.5) < 1e-6);
	scene_free(s);
}

// Flows that are refused, and the lines that refuse them.
static const struct {
	const char *flow, *want;
} wrong[] = {
	{"sizes: hadoop", "a load needs `load`, as in load: 50%"},
	{"sizes: hadoop, load: none", "a load needs `load`, as in load: 50%"},
	{"load: 50%", "'load' belongs to a load; give flow 'x' sizes, too, as in sizes: "
		      "websearch"},
	{"arrivals: every", "'arrivals' belongs to a load; give flow 'x' sizes, too, as in "
			    "sizes: websearch"},
	{"rack: 10%", "'rack' belongs to a load; give flow 'x' sizes, too, as in sizes: "
		      "websearch"},
	{"pairs: random", "these pairs are of a load; give flow 'x' sizes, too, or take "
			  "all, same_index, ring or permutation"},
	{"qps: per_message", "per_message is of a load; give flow 'x' sizes, too, or a "
			     "number of queue pairs"},
	{"sizes: hadoop, load: 11Gbps",
		"load is above 100% of the link, which nobody can send; lower it"},
	{"sizes: hadoop, load: 50%, count: 3", "'count' and 'sizes' exclude each other; keep one"},
	{"sizes: hadoop, load: 50%, verb: read", "a load has no READ; take verb: write or send"},
	{"sizes: hadoop, load: 50%, arrivals: closed(2)",
		"these arrivals have a load of their own; drop `load`"},
	{"sizes: hadoop, load: 50%, pairs: incast(6)",
		"an incast of 6 wants as many senders, and 'h1' has 5"},
	{"sizes: hadoop, arrivals: closed(2), pairs: incast(2)",
		"an incast has arrivals: poisson or every"},
	{"sizes: hadoop, arrivals: closed(2), qps: per_message",
		"arrivals: closed has no queue pair for each message, for when they come "
		"is not known before; give a number"},
	{"sizes: hadoop, load: 50%, qps: per_message, start: none",
		"flow_start starts no messages that have queue pairs of their own; give "
		"flow 'x' another start, or qps a number"},
	{"sizes: hadoop, load: 50%, pairs: rack",
		"'pairs: rack' and a share as in 'rack: 30%' go together; write both, or "
		"rack alone"},
	{"sizes: hadoop, arrivals: on_off",
		"'arrivals: on_off' and its times, as in on_off: {on: 100us, off: 300us}, "
		"go together; write both, or the times alone"},
	{"sizes: hadoop, on_off: {on: 1ns, off: 1us}",
		"a message of flow 'x' lasts longer than 65536 times `on`; make `on` "
		"longer"},
	{"sizes: hadoop, on_off: {on: 1ns, off: 1us}, qps: per_message",
		"a message of flow 'x' lasts longer than 65536 times `on`; make `on` "
		"longer"},
	{"sizes: hadoop, on_off: {on: 1us}", "'off' is missing in this on_off; write"},
	{"sizes: hadoop, load: 50%, pairs: same_index",
		"flow 'x' joins nothing; from and to differ"},
};

static void what_is_wrong_is_told(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct scene *s = NULL;
		char text[1024];

		snprintf(text, sizeof(text), SCENE("  x: {from: h1..6, to: h1..6, %s}"),
			wrong[i].flow);
		if (lab_try(&s, text, NULL) != -EINVAL)
			fail_msg("'%s' is taken", wrong[i].flow);
		if (!strstr(lab_err.text, wrong[i].want))
			fail_msg("told '%s'\nnot  '%s'", lab_err.text, wrong[i].want);
		assert_null(strchr(lab_err.text, '\n'));
	}
}

#define BESIDE(defaults)                                             \
	SCENE("  web: {from: h1, to: h2, sizes: 10KB, load: 5%}\n"   \
	      "  rows: {from: h2, to: h1, message: 1KB, count: 3}\n" \
	      "  noise: {from: h3, to: h1, open_loop: {rate: 1%}}\n" \
	      "defaults: {flows: {" defaults "}}")

// A load takes no messages from defaults.flows, and other flows nothing of a load.
static void defaults_of_other_flows_are_not_taken(void **state)
{
	static const char *const scenes[] = {
		BESIDE("message: 256KB, count: 7"), BESIDE("sizes: websearch, load: 10%")};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scene *given = lab(scenes[i]), *s = lab(given->resolved);

		scene_free(given);
		assert_int_equal(s->n_loads, 1);
		assert_int_equal(s->n_flows, 2);
		assert_int_equal(s->n_sources, 1);
		assert_true(s->flow[0]->req.loaded && !s->flow[0]->req.count);
		assert_int_equal(s->flow[0]->req.message_bytes, 10000);
		assert_true(!s->flow[1]->req.loaded && s->flow[1]->req.count == 3);
		assert_int_equal(s->flow[1]->req.message_bytes, 1000);
		scene_free(s);
	}
}

// `load: none` takes back a load that the file or defaults.flows gave.
static void none_is_no_load(void **state)
{
	struct scene *s =
		lab(SCENE("  x: {from: h1, to: h2, sizes: 1KB, arrivals: closed(2), load: none}"));

	(void)state;
	assert_int_equal(s->n_loads, 1);
	scene_free(s);
}

// A message with a queue pair of its own comes at its instant; an event can only hold it back.
static void messages_with_queue_pairs_are_not_started(void **state)
{
	static const char *const event[] = {"flow_stop", "flow_start"};
	char text[1024];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scene *s = NULL;

		snprintf(text, sizeof(text), "%sevents: [{at: 1ms, %s: web}]\n",
			SCENE(WEB(", qps: per_message")), event[i]);
		assert_int_equal(lab_try(&s, text, NULL), i ? -EINVAL : 0);
		scene_free(s);
	}
	assert_non_null(strstr(lab_err.text, "flow_start starts no messages that have queue pairs "
					     "of their own; give qps of flow 'web' a number"));
}

static void a_host_stands_once_in_a_list(void **state)
{
	static const char *const ends[] = {"from: [h1..3, h2], to: h1..6, pairs: random",
		"from: h1..2, to: [h3, h2, h2], pairs: permutation",
		"from: h3..6, to: [h2, h2], pairs: incast(2)"};
	char text[1024];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct scene *s = NULL;

		snprintf(text, sizeof(text), SCENE("  x: {%s, sizes: 1KB, load: 5%%}"), ends[i]);
		assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
		assert_non_null(strstr(lab_err.text, "host 'h2' stands twice in this list of flow "
						     "'x'; a load takes each host once"));
	}
}

#define OUTSIDE                                                              \
	"duration: 4ms\nhosts: {h1: {ip: 10.0.0.1}, h2: {ip: 10.0.0.2}, x: " \
	"{ip: 10.0.0.3, external: true}}\nswitches: {s1: }\nlinks:\n"        \
	"  - {between: [[h1..2, x], s1], rate: 10Gbps}\nflows:\n  x: {%s}\n"

// An external host gets messages, and sends none of a load.
static void an_external_host_only_receives(void **state)
{
	static const char *const taken[] = {
		"from: h1..2, to: x, sizes: hadoop, load: 50%, peer: {port: 7}",
		"from: h1..2, to: x, sizes: hadoop, load: 50%, qps: per_message, peer: {port: 7}",
		"from: h1, to: x, sizes: hadoop, load: 50%, peer: {qpn: 7}",
		"from: h1..2, to: x, sizes: hadoop, load: 50%, pairs: incast(2), peer: {port: 7}",
	};
	static const char *const bad[][2] = {
		{"from: x, to: h1, sizes: hadoop, load: 50%, peer: {port: 7}",
			"host 'x' is external, so its messages are not those of flow 'x'; take it "
			"out of `from`"},
		{"from: [h1, x], to: h2, sizes: hadoop, load: 50%, pairs: incast(1), "
		 "peer: {port: 7}",
			"host 'x' is external"},
		{"from: h1, to: x, sizes: hadoop, load: 50%, qps: per_message, peer: {qpn: 7}",
			"flow 'x' has a queue pair for each message, and qpn is of one; drop qps, "
			"or connect by port"},
	};
	struct scene *s = NULL;
	char text[1024];

	(void)state;
	for (unsigned i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		snprintf(text, sizeof(text), OUTSIDE, taken[i]);
		s = lab(text);
		assert_true(s->n_flows >= 1);
		scene_free(s);
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), OUTSIDE, bad[i][0]);
		assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
		assert_non_null(strstr(lab_err.text, bad[i][1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_messages_come_in_any_case),
		cmocka_unit_test(no_message_comes_behind_the_end),
		cmocka_unit_test(a_load_is_one_group),
		cmocka_unit_test(none_is_no_load),
		cmocka_unit_test(messages_with_queue_pairs_are_not_started),
		cmocka_unit_test(a_host_stands_once_in_a_list),
		cmocka_unit_test(a_pair_has_queue_pairs_if_a_message_comes),
		cmocka_unit_test(a_message_has_a_queue_pair_of_its_own),
		cmocka_unit_test(messages_are_no_rows_of_the_scenario),
		cmocka_unit_test(patterns_say_who_sends_to_whom),
		cmocka_unit_test(an_incast_has_n_senders_at_once),
		cmocka_unit_test(loads_are_of_the_senders_link),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(defaults_of_other_flows_are_not_taken),
		cmocka_unit_test(an_external_host_only_receives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
