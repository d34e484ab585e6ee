// SPDX-License-Identifier: BSD-3-Clause
// Frames of open loops: lists, DSCPs in turn, and starts behind the end of another open loop.
#include "scene_lab.h"

#define FLOW(text) "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "flows:\n  f: {" text "}\n"
#define LOOP(text) FLOW("from: h1, to: r, open_loop: {" text "}")
#define SECOND     "  g: {from: h2, to: r, open_loop: {after: f, list: [{}]}}\n"

static void a_list_takes_every_value(void **state)
{
	struct scene *s = lab(LOOP("size: 100..200, repeat: 4, list: [{count: 1000}, "
				   "{count: 50, gap: 2500.5ns, size: 64..65, after: 10us}]"));
	const struct gen_params *g = &s->source[0]->gen;

	(void)state;
	assert_int_equal(g->n_items, 2);
	assert_int_equal(g->item[0].count, 1000);
	assert_int_equal(g->item[0].gap, 0);
	assert_int_equal(g->item[0].max_len, 0);
	assert_int_equal(g->item[1].gap, 2500500);
	assert_int_equal(g->item[1].after, 10 * PS_PER_US);
	assert_int_equal(g->item[1].min_len, 60);
	assert_int_equal(g->item[1].max_len, 61);
	assert_int_equal(g->count, 4200);
	assert_int_equal(g->rate, 25 * RATE_GBPS);
	assert_int_equal(g->start, 0);
	scene_free(s);
}

static void wrong_lists_are_told(void **state)
{
	(void)state;
	lab_refuse(
		LOOP("list: []"), "lab.yaml:6:42: flow 'f' has no frames in a list; write list:");
	lab_refuse(
		LOOP("repeat: 2"), "lab.yaml:6:44: flow 'f' has no frames in a list; write list:");
	lab_refuse(LOOP("rate: 1%, list: [{count: 1}]"),
		"lab.yaml:6:36: 'rate' and 'list' exclude each other; keep one");
	lab_refuse(LOOP("list: [{count: 0}]"), "lab.yaml:6:51: count");
	lab_refuse(LOOP("list: [{size: 63}]"), "lab.yaml:6:50: size");
	lab_refuse(LOOP("list: [{count: 9223372036854775807}], repeat: 2"),
		"lab.yaml:6:42: flow 'f' has more than 9223372036854775807 frames in its "
		"list; lower count");
	// 1044 bytes at 25 Gb/s
	lab_refuse(LOOP("list: [{gap: 334079ps}]"),
		"lab.yaml:6:43: flow 'f': a frame of 1024 bytes takes 334080 ps on the link of h1, "
		"and the gap is 334079 ps; raise gap, or leave it out");
}

static void dscps_are_in_turn(void **state)
{
	static const uint8_t want[] = {46, 0, 1, 2, 46};
	struct scene *s =
		lab(FLOW("from: h1, to: r, ecn: ect0, open_loop: {dscp: [46, 0..2, 46]}"));

	(void)state;
	assert_int_equal(s->source[0]->gen.n_tos, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(s->source[0]->gen.tos_turn[i], want[i] << 2 | ECN_ECT0);
	scene_free(s);
	lab_refuse(LOOP("dscp: 64"), "lab.yaml:6:42: dscp: write DSCPs from 0 to 63");
	lab_refuse(LOOP("dscp: 3..2"), "lab.yaml:6:42: dscp: write DSCPs from 0 to 63");
	lab_refuse(LOOP("dscp: []"), "lab.yaml:6:42: dscp: write 1 to 1023 DSCPs");
	lab_refuse(LOOP("raw: true, dscp: 1"),
		"lab.yaml:6:53: flow 'f': raw frames have no IP, and no DSCP");
}

// 100 frames of 1044 bytes on the wire at 5 Gb/s: the last begins 99 periods behind the first.
static void a_start_counts_from_an_end(void **state)
{
	struct scene *s =
		lab(FLOW("from: h1, to: r, start: 3us, open_loop: {rate: 20%, count: 100}") SECOND);

	(void)state;
	assert_int_equal(s->source[1]->gen.start, 3 * PS_PER_US + 99 * 1670400 + 334080);
	scene_free(s);
	lab_refuse(LOOP("rate: 20%") SECOND,
		"lab.yaml:7:43: flow 'g': the end of 'f' is not known before the run; give "
		"it a count");
	lab_refuse(FLOW("from: h1, to: r, start: none, open_loop: {list: [{}]}") SECOND,
		"lab.yaml:7:43: flow 'g': the end of 'f' is not known before the run");
	lab_refuse(FLOW("from: h1, to: r") SECOND,
		"lab.yaml:7:43: flow 'g': no open loop before it in the file has the name 'f'");
	lab_refuse(LOOP("after: f"),
		"lab.yaml:6:43: flow 'f': no open loop before it in the file has the name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_takes_every_value),
		cmocka_unit_test(wrong_lists_are_told),
		cmocka_unit_test(dscps_are_in_turn),
		cmocka_unit_test(a_start_counts_from_an_end),
	};

	return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
