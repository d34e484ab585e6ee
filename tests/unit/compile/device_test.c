// SPDX-License-Identifier: BSD-3-Clause
// Two ports with one device, or one interface under two names, and receive queues that nobody
// reads: refused where they would be opened, and said where the file is read only.
#include "scene_lab.h"

#define SCENE(one, other)                                                        \
	"duration: 1ms\nswitches: {s1: {}, s2: {}}\nhosts: {h1: , h2: , h3: }\n" \
	"links: [{between: [h1..2, s1]}, {between: [h3, s2]}]\n"                 \
	"ports:\n"                                                               \
	"  \"s1:h1\": {device: \"" one "\"}\n"                                   \
	"  \"s1:h2\": {device: \"" other "\"}\n"

static const char apart[] = SCENE("net_af_packet0,iface=x", "net_af_packet1,iface=y");

static const struct {
	const char *yaml, *told;
} same[] = {
	{SCENE("net_af_packet0,iface=x", "net_af_packet1,iface=x"),
		"ports s1:h1 and s1:h2 have one interface, \"net_af_packet0,iface=x\" and "
		"\"net_af_packet1,iface=x\", and would take frames of each other; give each port "
		"one of its own"},
	{SCENE("net_af_packet0,blockcnt=2,iface=x,framesz=4096", "net_af_xdp0,iface=x"),
		"ports s1:h1 and s1:h2 have one interface"},
	{SCENE("net_af_packet0,iface=x", "net_af_packet0,iface=y"),
		"ports s1:h1 and s1:h2 have one device"},
	{SCENE("net_null0", "net_null0"), "ports s1:h1 and s1:h2 have one device"},
	{SCENE("0000:3b:00.0", "3B:00.0,arg=1"), "ports s1:h1 and s1:h2 have one device"},
};

static const char *const differ[] = {
	apart,
	SCENE("net_ring0", "net_ring1"),
	SCENE("net_ring1", "net_ring10"),
	SCENE("net_af_packet0,iface=x", "net_af_packet1,iface=x1"),
	SCENE("0000:3b:00.0", "0000:3b:00.1"),
	SCENE("0000:3b:00.0", "0001:3b:00.0"),
};

static void one_device_for_two_ports_is_refused(void **state)
{
	const struct scene_opts opts = {.real = true};
	struct scene *s = NULL;

	(void)state;
	for (unsigned i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_int_not_equal(lab_try(&s, same[i].yaml, &opts), 0);
		if (!strstr(lab_err.text, same[i].told) || !strstr(lab_err.text, "lab.yaml:7:"))
			fail_msg("%u: '%s'", i, lab_err.text);
	}
}

static void and_said_where_it_is_read_only(void **state)
{
	const struct scene_opts opts = {0};
	struct scene *s = NULL;

	(void)state;
	for (unsigned i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_int_equal(lab_try(&s, same[i].yaml, &opts), 0);
		if (!lab_warns(s, same[i].told))
			fail_msg("%u is not told", i);
		scene_free(s);
	}
}

static void ports_that_differ_are_taken(void **state)
{
	const struct scene_opts real = {.real = true}, both = {0};
	struct scene *s = NULL;

	(void)state;
	for (unsigned i = 0; i < sizeof(differ) / sizeof(differ[0]); i++) {
		if (lab_try(&s, differ[i], &real))
			fail_msg("%u: %s", i, lab_err.text);
		scene_free(s);
		assert_int_equal(lab_try(&s, differ[i], &both), 0);
		assert_false(lab_warns(s, "have one"));
		scene_free(s);
	}
}

// Parts of a scenario on two machines may have a device of the same name each; in one process they
// may not.
static void parts_have_devices_of_their_own(void **state)
{
	static const char yaml[] =
		"duration: 1ms\nswitches: {s1: {}, s2: {}}\nhosts: {h1: , h2: }\n"
		"links: [{between: [h1, s1]}, {between: [s1, s2]}, {between: [s2, h2]}]\n"
		"ports: {\"s1:s2\": {device: \"3b:00.0\"}, \"s2:s1\": {device: \"3b:00.0\"}}\n";
	const struct scene_opts part = {.real = true, .nodes = "s1,h1"};
	const struct scene_opts all = {.real = true}, none = {0};
	struct scene *s = NULL;

	(void)state;
	if (lab_try(&s, yaml, &part))
		fail_msg("%s", lab_err.text);
	scene_free(s);
	assert_int_not_equal(lab_try(&s, yaml, &all), 0);
	assert_int_equal(lab_try(&s, yaml, &none), 0);
	assert_false(lab_warns(s, "have one device"));
	scene_free(s);
}

// The kernel spreads frames over all queue pairs of a net_af_packet.
#define PAIRS(port, host)                                                          \
	"duration: 1ms\nswitches: {s1: {lcores: 2}}\n"                             \
	"hosts: {h1: {lcores: 2}, h2: , h3: }\n"                                   \
	"links: [{between: [h1, s1]}, {between: [h2, s1]}, {between: [h3, s1]}]\n" \
	"ports:\n  s1:h2: {device: \"net_af_packet0,iface=x," port "}\n"           \
	"  h1:s1: {device: \"" host "\"}\n"

static const struct {
	const char *yaml, *told; // no text: it is taken
} pairs[] = {
	{PAIRS("qpairs=2\"", "net_ring0"),
		"lab.yaml:6:19: port s1:h2: the kernel spreads frames over all qpairs=2 of "
		"\"net_af_packet0,iface=x,qpairs=2\", and only 1 of them would be read; write "
		"qpairs=1, or let more lcores read (rx_queues of the port)"},
	{PAIRS("qpairs=3,framesz=4096\", rx_queues: 2", "net_ring0"),
		"and only 2 of them would be read; write qpairs=2"},
	{PAIRS("qpairs=1\"", "net_af_packet1,iface=y,qpairs=3"),
		"port h1:s1: the kernel spreads frames over all qpairs=3 of "
		"\"net_af_packet1,iface=y,qpairs=3\", and only 2 of them would be read; write "
		"qpairs=2, or let more lcores read (lcores of the host)"},
	{PAIRS("qpairs=2\", rx_queues: 2", "net_af_packet1,iface=y,qpairs=2"), NULL},
	{PAIRS("framesz=4096\"", "net_ring0"), NULL},
};

static void a_queue_that_nobody_reads_is_refused(void **state)
{
	const struct scene_opts real = {.real = true}, read = {0};
	struct scene *s = NULL;

	(void)state;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const char *told = pairs[i].told;

		if (!told == !!lab_try(&s, pairs[i].yaml, &real) ||
			(told && !strstr(lab_err.text, told)))
			fail_msg("%u: '%s'", i, lab_err.text);
		if (!told)
			scene_free(s);
		assert_int_equal(lab_try(&s, pairs[i].yaml, &read), 0);
		if (lab_warns(s, "the kernel spreads frames") != !!told)
			fail_msg("%u: read only", i);
		scene_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device_for_two_ports_is_refused),
		cmocka_unit_test(and_said_where_it_is_read_only),
		cmocka_unit_test(ports_that_differ_are_taken),
		cmocka_unit_test(parts_have_devices_of_their_own),
		cmocka_unit_test(a_queue_that_nobody_reads_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
