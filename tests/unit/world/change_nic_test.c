// SPDX-License-Identifier: BSD-3-Clause
// Values of flows, controls, sources and hosts that an event `set` changes in virtual time, and the
// bounds that it keeps.
#include "record_lab.h"

#include "summary/summary.h"
#include "world/world.h"

#define SCENE                                                                                \
	"name: set\nduration: 6ms\nsample: 100us\nseed: 3\n"                                 \
	"controls: {dcqcn: {profile: paper}}\n"                                              \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, wred: {min: 50KB, "      \
	"max: 200KB, probability: 0.2}}}}}\n"                                                \
	"hosts: {h1..3: {}, r: {}}\n"                                                        \
	"links: [{between: [[h1..3, r], s1], rate: 100Gbps, delay: 1us}]\n"                  \
	"flows:\n"                                                                           \
	"  f: {from: h1, to: r, control: dcqcn, rate: 20Gbps, message: 100KB, count: 9999, " \
	"outstanding: 4}\n"                                                                  \
	"  g: {from: h2, to: r, rate: 30Gbps, window: 512}\n"                                \
	"  o: {from: h3, to: r, class: 0, open_loop: {size: 1024, rate: 10Gbps}}\n"
#define EVENTS                                                                           \
	"events:\n"                                                                      \
	"- {at: 2ms, set: {flows.f.rate: 40Gbps, flows.o.open_loop.rate: 20Gbps}}\n"     \
	"- {at: 3ms, set: {controls.dcqcn.ai_rate: 400Mbps, hosts.r.np.interval: 20us, " \
	"hosts.h2.weights.3: 4}}\n"                                                      \
	"- {at: 4ms, set: {flows.f.rate: 5Gbps, flows.f.message: 10KB, flows.g.window: 8}}\n"

static char *run(const char *yaml)
{
	struct lab l;
	char *events;

	lab_open(&l, yaml);
	if (lab_run(&l, NULL, 0, false))
		fail_msg("%s", l.err.text);
	events = lab_file(&l, "events.csv");
	lab_close(&l);
	return events;
}

static void hosts_tell_what_they_adopt(void **state)
{
	static const char *const line[] = {"2000,set,h1:s1,,,1 flows,", "2000,set,h3:s1,,,1 flows,",
		"3000,set,h1:s1,,,2 flows,", "3000,set,h2:s1,,,2 weights,", "3000,set,r:s1,,,2 np,",
		"4000,set,h1:s1,,,3 flows,", "4000,set,h2:s1,,,3 flows,",
		"4000,set,r:s1,,,3 flows,"};
	char *one = run(SCENE EVENTS), *two = run(SCENE EVENTS);

	(void)state;
	for (unsigned i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		if (!strstr(one, line[i]))
			fail_msg("no event %s", line[i]);
	assert_int_equal(times_in(one, ",set,"), 8);
	assert_string_equal(one, two);
	free(one);
	free(two);
}

// Messages of flow f done in a time, of a size, as events.csv tells them.
static unsigned done(const char *events, double from_us, double to_us, const char *bytes)
{
	unsigned n = 0;

	for (const char *at = events; at && *at; at = strchr(at, '\n'), at += at != NULL) {
		double t = strtod(at, NULL);
		size_t line = strcspn(at, "\n");

		n += t >= from_us && t < to_us && memmem(at, line, ",msg_done,", 10) &&
		     memmem(at, line, bytes, strlen(bytes)) && memmem(at, line, "f[h1>r.0]", 9);
	}
	return n;
}

// A message of 100 KB takes 43.3 us at 20 Gb/s, with headers, and 21.6 us at 40 Gb/s. One of 10 KB
// takes 17.3 us at 5 Gb/s.
static void messages_have_size_and_rate_of_their_time(void **state)
{
	char *events = run(SCENE EVENTS);

	(void)state;
	assert_in_range(done(events, 1000, 2000, ",100000,"), 22, 24);
	assert_in_range(done(events, 2100, 4000, ",100000,"), 86, 89);
	assert_int_equal(done(events, 0, 4000, ",10000,"), 0);
	assert_in_range(done(events, 5000, 6000, ",10000,"), 56, 59);
	assert_int_equal(done(events, 5000, 6000, ",100000,"), 0);
	free(events);
}

// Flow f sends 100 KB in 43.3 us at its 20 Gb/s, in 57.7, 86.5 and 173 us at 15, 10 and 5 Gb/s.
static void a_host_has_the_max_rate_of_its_time(void **state)
{
	char *events = run(SCENE "events:\n"
				 "- {at: 1ms, set: {hosts.h1.max_rate: 10%}}\n"
				 "- {at: 2ms, set: {hosts.h1.max_rate: 15Gbps}}\n"
				 "- {at: 3ms, set: {ports.h1:s1.max_rate: 5Gbps}}\n"
				 "- {at: 4ms, set: {hosts.h1.max_rate: none, ports.h1:s1.max_rate: "
				 "none}}\n");

	(void)state;
	assert_in_range(done(events, 0, 1000, ",100000,"), 21, 23);
	assert_in_range(done(events, 1100, 2000, ",100000,"), 9, 11);
	assert_in_range(done(events, 2100, 3000, ",100000,"), 14, 16);
	assert_in_range(done(events, 3100, 4000, ",100000,"), 4, 6);
	assert_in_range(done(events, 4100, 5000, ",100000,"), 19, 22);
	assert_non_null(strstr(events, "2000,set,h1:s1,,,2 shapers,"));
	assert_int_equal(times_in(events, ",set,"), 4);
	free(events);
}

static void refuse(const char *set, const char *want)
{
	char yaml[2048], text[512];
	struct scene *s = NULL;
	struct lab l;

	snprintf(yaml, sizeof(yaml), SCENE "events: [{at: 1ms, set: {%s}}]\n", set);
	lab_open(&l, yaml);
	assert_int_equal(compile_scene(&s, l.file, NULL, &l.err), -EINVAL);
	snprintf(text, sizeof(text), "%s:13:25: %s", l.file, want);
	if (strncmp(l.err.text, text, strlen(text)) != 0)
		fail_msg("told '%s'\nnot  '%s'", l.err.text, text);
	lab_close(&l);
}

static void bounds_are_named(void **state)
{
	(void)state;
	refuse("flows.f.outstanding: 5",
		"set: flow f[h1>r.0] cannot have 5 messages outstanding: its ring has room for 4");
	refuse("flows.o.open_loop.size: 9000",
		"set: source o[h3>r] cannot have frames of 9000 bytes: its port takes 1518");
	refuse("flows.g.window: 100000", "set: up to ");
	refuse("controls.dcqcn.min_rate: 200Gbps",
		"set controls.dcqcn.min_rate=200Gbps: control 'dcqcn': min_rate 200Gbps is above");
	refuse("controls.dcqcn.initial_rate: 1Gbps",
		"set controls.dcqcn.initial_rate=1Gbps: it cannot change while the scene runs; of "
		"a control ai_rate, ");
	refuse("flows.f.control: none",
		"set flows.f.control=none: it cannot change while the scene runs; of a flow ");
	refuse("flows.f.mtu: 512", "set flows.f.mtu=512: it cannot change while");
	refuse("hosts.r.np.key: port", "set hosts.r.np.key=port: it cannot change while");
}

// A later change may give back room that a change took away: the ring has as much as at its start.
static void room_is_that_of_the_start(void **state)
{
	char *events =
		run(SCENE "events:\n"
			  "- {at: 1ms, set: {flows.f.outstanding: 1, flows.g.window: 8}}\n"
			  "- {at: 2ms, set: {flows.f.outstanding: 4, flows.g.window: 512}}\n");

	(void)state;
	assert_int_equal(times_in(events, ",set,"), 6);
	free(events);
}

// Lists that differ in nothing are not made.
static void only_hosts_that_differ_adopt(void **state)
{
	char *events = run(SCENE "events:\n"
				 "- {at: 1ms, set: {flows.f.rate: 20Gbps}}\n"
				 "- {at: 2ms, set: {switches.s1.classes.3.wred.max: 300KB}}\n");

	(void)state;
	assert_int_equal(times_in(events, ",set,"), 1);
	assert_non_null(strstr(events, ",1 wred") ? NULL : strstr(events, ",2 wred"));
	free(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_tell_what_they_adopt),
		cmocka_unit_test(messages_have_size_and_rate_of_their_time),
		cmocka_unit_test(a_host_has_the_max_rate_of_its_time),
		cmocka_unit_test(bounds_are_named),
		cmocka_unit_test(room_is_that_of_the_start),
		cmocka_unit_test(only_hosts_that_differ_adopt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
