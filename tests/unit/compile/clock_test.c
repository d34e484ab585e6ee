// SPDX-License-Identifier: BSD-3-Clause
// A setting that the chosen clock ignores is told, and nothing if no clock is chosen.
#include "scene_lab.h"

static const char devices[] =
	"duration: 1ms\nsample: 10us\n"
	"switches: {s1: {lcore: 2, latency: 1us}}\n"
	"hosts: {h1: {lcore: 1}, h3: {lcore: auto}, h2: {np: {interval: 4us}, rx_buffer: {size: "
	"1MB}}}\n"
	"defaults: {hosts: {latency: 1us}}\n"
	"links: [{between: [h1..3, s1]}]\n"
	"ports: {\"s1:h2\": {device: net_null0, lcore: 2}}\n"
	"flows: {f: {from: h1, to: h2}}\n"
	"events: [{at: 1us, mac_frames: {port: \"h2:s1\"}}]\n";

static struct scene *on(const char *yaml, bool real, bool one_clock)
{
	const struct scene_opts opts = {.real = real, .one_clock = one_clock};
	struct scene *s = NULL;

	if (lab_try(&s, yaml, &opts))
		fail_msg("%s", lab_err.text);
	return s;
}

static void the_virtual_clock(void **state)
{
	struct scene *s = on(devices, false, true);

	(void)state;
	assert_true(lab_warns(s,
		"lcore of s1 and 2 more counts for nothing on the virtual clock, which has "
		"one thread; it is for --clock real"));
	assert_true(lab_warns(s,
		"device of s1:h2 counts for nothing on the virtual clock, where the port "
		"has a link like any other; --clock real opens it"));
	assert_int_equal(s->n_warnings, 2);
	scene_free(s);
}

static void a_test_of_a_device_wants_one(void **state)
{
	static const char yaml[] = "duration: 1ms\nhosts: {h1: , h2: }\nswitches: {s1: }\n"
				   "links: [{between: [h1..2, s1]}]\n"
				   "ports: {\"s1:h1\": {selftest: loop}, "
				   "\"s1:h2\": {device: net_ring0, selftest: peer}}\n";
	struct scene *s = on(yaml, true, true);

	(void)state;
	assert_true(lab_warns(s,
		"selftest of s1:h1 counts for nothing without device: only a device has a test"));
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			if (s->node[i].port[p].device)
				assert_int_equal(s->node[i].port[p].selftest, SCENE_SELFTEST_PEER);
	scene_free(s);
	s = on(yaml, false, true);
	assert_true(lab_warns(s,
		"selftest of s1:h1 and 1 more counts for nothing on the virtual clock, where no "
		"device is opened; it is for --clock real"));
	scene_free(s);
}

static void the_real_clock(void **state)
{
	static const char *const told[] = {
		"np of h2 counts for nothing on the real clock: the host is behind a device, so "
		"it is not "
		"ours; drop it, or give h2:s1 a device, too",
		"rx_buffer of h2 counts for nothing",
		("latency of s1:h2 counts for nothing on the real clock: frames leave by a device "
		 "as they come; links in memory have it"),
		"sample: on the real clock with devices samples are 1ms apart at least; write 1ms",
		("on the real clock this event does nothing: 'h2' is behind a device, so it is not "
		 "ours"),
	};
	static const char pair[] =
		"duration: 1ms\nswitches: {s1: {lcore: 2, latency: 1us}}\nsample: 10us\n"
		"hosts: {h1: , h2: {np: {interval: 4us}, rx_buffer: {size: 1MB}}, h3: }\n"
		"defaults: {hosts: {latency: 1us}}\nlinks: [{between: [h1..3, s1]}]\n"
		"ports: {\"s1:h2\": {device: net_null0}}\n"
		"flows: {f: {from: h1, to: h3}}\n"
		"events: [{at: 1us, mac_frames: {port: \"h2:s1\"}}]\n";
	struct scene *s = on(pair, true, true);

	(void)state;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (!lab_warns(s, told[i]))
			fail_msg("'%s' is not told", told[i]);
	assert_int_equal(s->n_warnings, 5);
	scene_free(s);
}

// Nothing waits there for a queue pair. What `defaults` say to all hosts is told once.
static void queue_pairs_on_the_real_clock(void **state)
{
	static const char two[] = "duration: 1ms\nswitches: {s1: }\nhosts: {h1..2: }\n"
				  "defaults: {hosts: {live_pairs: 4}}\n"
				  "links: [{between: [h1..2, s1]}]\n"
				  "flows: {f: {from: h1, to: h2}}\n";
	struct scene *s = on(two, true, true);

	(void)state;
	assert_true(lab_warns(s,
		"live_pairs of h1 and 1 more counts for nothing on the real clock, where each "
		"queue pair has memory of its own; it is for --clock virtual"));
	assert_int_equal(s->n_warnings, 1);
	scene_free(s);
	s = on(two, false, true);
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
}

// `quench check`, and a run on both.
static void no_clock(void **state)
{
	struct scene *s = on(devices, false, false);

	(void)state;
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_virtual_clock),
		cmocka_unit_test(the_real_clock),
		cmocka_unit_test(queue_pairs_on_the_real_clock),
		cmocka_unit_test(a_test_of_a_device_wants_one),
		cmocka_unit_test(no_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
