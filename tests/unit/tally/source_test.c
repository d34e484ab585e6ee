// SPDX-License-Identifier: BSD-3-Clause
// Open-loop sources: each frame sent was received, is lost, or is on its way, in each window.
#include "record_lab.h"

// Two sources fill one link twice over; the buffer holds little. The last frames of each are lost
// as others are.
static const char overload[] =
	"duration: 4ms\n"
	"switches: {s1: {buffer: 100KB}}\n"
	"hosts: {h1..2: , r: }\n"
	"links: [{between: [[h1..2, r], s1], rate: 10Gbps, delay: 1us}]\n"
	"flows:\n"
	"  a: {from: h1, to: r, class: 0, open_loop: {size: 1024, rate: 100%, count: 3000}}\n"
	"  b: {from: h2, to: r, class: 0, open_loop: {size: 200, rate: 80%, count: 9000}}\n";

static double of(const struct lab *l, char source, const char *figure)
{
	char path[64];

	snprintf(path, sizeof(path), "source.%c[h%d>r].%s", source, source == 'a' ? 1 : 2, figure);
	return report_value(l->rec, path);
}

// Returns the frames on their way at the end.
static double adds_up(struct lab *l)
{
	double lost = 0, in_flight = 0;

	for (char c = 'a'; c <= 'b'; c++) {
		assert_true(of(l, c, "lost") > 100);
		assert_true(of(l, c, "rx_frames") + of(l, c, "lost") + of(l, c, "in_flight") ==
			    of(l, c, "tx_frames"));
		lost += of(l, c, "lost");
		in_flight += of(l, c, "in_flight");
	}
	assert_true(lost == report_value(l->rec, "drops"));
	return in_flight;
}

static void a_lost_tail_counts(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, overload);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(adds_up(&l) == 0);
	assert_true(of(&l, 'a', "tx_frames") == 3000);
	assert_non_null(strstr(report_text(l.rec), " lost, 0 out of order\n"));
	lab_close(&l);
}

static void what_is_on_its_way_is_not_lost(void **state)
{
	struct scene_set set = {"duration", "1ms"};
	struct lab l;

	(void)state;
	lab_open(&l, overload);
	assert_int_equal(lab_run(&l, &set, 1, false), 0);
	assert_true(adds_up(&l) > 20);
	assert_non_null(strstr(report_text(l.rec), " out of order, "));
	assert_non_null(strstr(report_text(l.rec), " on their way\n"));
	lab_close(&l);
}

// A loss before the window does not count in it, though the gap in the sequence is only seen in the
// window.
static void the_window_has_its_own(void **state)
{
	static const char *const warmup[] = {"100us", "200us", "1ms"};
	struct lab l;

	(void)state;
	lab_open(&l, overload);
	for (unsigned i = 0; i < 3; i++) {
		struct scene_set set = {"warmup", warmup[i]};

		assert_int_equal(lab_run(&l, &set, 1, true), 0);
		assert_true(
			of(&l, 'a', "lost") + of(&l, 'b', "lost") == report_value(l.rec, "drops"));
		lab_end(&l);
	}
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_tail_counts),
		cmocka_unit_test(what_is_on_its_way_is_not_lost),
		cmocka_unit_test(the_window_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
