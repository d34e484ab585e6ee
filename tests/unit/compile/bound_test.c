// SPDX-License-Identifier: BSD-3-Clause
// The bound on packets is above what can be alive, and not far above.
#include "scene_lab.h"

static void windows_bound(void **state)
{
	struct scene *s = lab_with(LAB, "flows.incast.window", "10");

	(void)state;
	// Two windows of ten, sent twice, their ACKs, and what ports and driver hold.
	assert_true(s->max_packets >= 2 * 10 + 2);
	assert_true(s->max_packets < 6000);
	scene_free(s);
}

static void buffers_bound(void **state)
{
	struct scene *s = lab(LAB);
	uint64_t small = s->max_packets;

	(void)state;
	// 4 MB of 1086 bytes
	assert_true(small > 4000000 / 1086);
	assert_true(small < 20000);
	scene_free(s);
	s = lab_with(LAB, "switches.s1.buffer", "40MB");
	assert_true(s->max_packets > small + 36000000 / 1200);
	scene_free(s);
}

// Short frames fit a buffer often.
static void short_frames_fit_often(void **state)
{
	struct scene *s = lab("duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
			      "flows: {f: {from: h1..2, to: r, open_loop: {size: 64}}}\n");

	(void)state;
	assert_true(s->max_packets >= 4000000 / 64);
	scene_free(s);
}

// A long link holds its delay times its rate, both ways.
static void long_links_hold_many(void **state)
{
	struct scene *s = lab(LAB);
	uint64_t near = s->max_packets, wire = (1ull << 16) * 8;

	(void)state;
	scene_free(s);
	s = lab("defaults: {flows: {window: 4194304}}\nduration: 1ms\n"
		"switches: {s1: {buffer: 4MB}}\n" LAB_HOSTS
		"links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1ms}]\n" LAB_FLOWS);
	// 1 ms at 25 Gb/s is 3.125 MB: 2835 frames of 1102 each way on each of three links
	assert_true(s->max_packets > near + 6 * 2800);
	assert_true(s->max_packets < near + wire);
	scene_free(s);
}

// Frames that arrive after late loops stood in the ring of a device, however short it is. The
// frames of the wire follow, for the 20 us that each end lets leave ahead.
static void late_loops_bring_what_a_ring_holds(void **state)
{
	static const char text[] =
		"duration: 1ms\nswitches: {s1: {late_loop: 100us, classes: {3: {lossless: true}, "
		"4: {lossless: true}}}}\nhosts: {a: , b: }\nlinks: [{between: [[a, b], s1], "
		"rate: 100Gbps, delay: 1us}]\n"
		"ports: {\"s1:a\": {device: net_null0}, \"s1:b\": {device: net_null1}}\n";
	const struct scene_set none = {"switches.s1.late_loop", "0us"};
	const struct scene_opts with = {.real = true};
	const struct scene_opts without = {.real = true, .set = &none, .n_set = 1};
	struct scene *s = NULL, *bare = NULL;

	(void)state;
	assert_int_equal(lab_try(&s, text, &with), 0);
	assert_int_equal(lab_try(&bare, text, &without), 0);
	assert_int_equal(s->max_packets, bare->max_packets + 2 * 2 * (1024 + 250000 / 84));
	scene_free(s);
	scene_free(bare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_bound),
		cmocka_unit_test(buffers_bound),
		cmocka_unit_test(short_frames_fit_often),
		cmocka_unit_test(long_links_hold_many),
		cmocka_unit_test(late_loops_bring_what_a_ring_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
