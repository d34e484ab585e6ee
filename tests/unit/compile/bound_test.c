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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_bound),
		cmocka_unit_test(buffers_bound),
		cmocka_unit_test(short_frames_fit_often),
		cmocka_unit_test(long_links_hold_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
