// SPDX-License-Identifier: BSD-3-Clause
// Taps: what they ask for, their filter, their ends, and the counts of their stream.
#include "tap_lab.h"

#include "base/prng.h"

#define SEED   56
#define ROUNDS 20000

static const char *port_name(unsigned i)
{
	const struct tap_port p = tap_port(tl.tap, i);

	return tl.scene->node[p.node].port[p.port].name;
}

static void ports_are_named_as_everywhere(void **state)
{
	(void)state;
	tap_lab_open("ports s1:r,h1,s1:h2,h1:s1");
	assert_int_equal(tap_ports(tl.tap), 3);
	assert_string_equal(port_name(0), "s1:r");
	assert_string_equal(port_name(1), "h1:s1");
	assert_string_equal(port_name(2), "s1:h2");
	tap_lab_close();
	tap_lab_open("ports s1");
	assert_int_equal(tap_ports(tl.tap), 3);
	tap_lab_close();
}

static void bad_words_are_said(void **state)
{
	static const struct {
		const char *text, *said;
	} bad[] = {
		{"", "name a port, as in s1:h3"},
		{"ports s1:h3", "the scene has no port or node 's1:h3'; did you mean 's1:h2'?"},
		{"ports s2", "the scene has no port or node 's2'; did you mean 's1'?"},
		{"ports s1:r,", "the scene has no port or node ''"},
		{"ports s1:r\ncount 0", "count '0': write a number above 0"},
		{"ports s1:r\ncount -1", "count '-1': write a number above 0"},
		{"ports s1:r\nfor 1x", "for '1x': write a number above 0"},
		{"ports s1:r\nspeed 3", "'speed' is no word of a capture"},
		{"ports s1:r\nfilter prot udp", "filter 'prot udp': "},
		{"ports s1:r\nfilter udp and", "filter 'udp and': "},
	};

	(void)state;
	tap_lab_open(NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(tap_lab_try(bad[i].text, 0) < 0);
		if (strncmp(lab_err.text, bad[i].said, strlen(bad[i].said)))
			fail_msg("'%s' says '%s'", bad[i].text, lab_err.text);
		assert_null(strchr(lab_err.text, '\n'));
	}
	tap_lab_close();
}

static void a_filter_lets_its_frames_pass(void **state)
{
	struct tap_stream s = {0};
	struct pkt data = tap_lab_data(5), pfc = {.hdr = &tl.hdr, .kind = PKT_PFC, .len = 60};

	(void)state;
	tap_lab_open("ports s1:r\nfilter udp dst port 4791 and src host 10.0.0.1");
	for (unsigned i = 0; i < 3; i++) {
		tap_lab_frame(1, i * PS_PER_US, &data);
		tap_lab_frame(0, i * PS_PER_US, &pfc);
	}
	tap_end(tl.tap, PS_PER_MS);
	tap_lab_read(&s, SIZE_MAX);
	assert_int_equal(s.ports, 1);
	assert_int_equal(s.frames, 3);
	assert_int_equal(s.stats, 1);
	assert_int_equal(s.last.dir, 2);
	assert_int_equal(s.last.time, TAP_LAB_BEGIN + 2000);
	assert_int_equal(s.last.len, 1082);
	assert_int_equal(s.counts.seen, 6);
	assert_int_equal(s.counts.accepted, 3);
	tap_lab_close();
}

static void it_ends_by_count(void **state)
{
	struct tap_stream s = {0};
	struct pkt data = tap_lab_data(5);

	(void)state;
	tap_lab_open("ports s1:r\ncount 4");
	for (unsigned i = 0; i < 9; i++) {
		assert_int_equal(tap_has_ended(tl.tap), i >= 4);
		tap_lab_frame(1, i * PS_PER_US, &data);
	}
	tap_lab_read(&s, SIZE_MAX);
	assert_int_equal(s.frames, 4);
	assert_int_equal(s.stats, 1);
	tap_lab_close();
}

static void it_ends_by_time(void **state)
{
	struct tap_stream s = {0};
	struct pkt data = tap_lab_data(5);

	(void)state;
	tap_lab_open(NULL);
	assert_int_equal(tap_lab_try("ports s1:r\nfor 3000000", 10 * PS_PER_US), 0);
	for (unsigned i = 0; i < 20; i++) // 10 us and 11 us and 12 us
		tap_lab_frame(1, i * PS_PER_US, &data);
	assert_true(tap_has_ended(tl.tap));
	tap_lab_read(&s, SIZE_MAX);
	assert_int_equal(s.frames, 3);
	tap_free(tl.tap);
	assert_int_equal(tap_lab_try("ports s1:r\nfor 3000000", 10 * PS_PER_US), 0);
	tap_turn(tl.tap, 13 * PS_PER_US - 1);
	assert_false(tap_has_ended(tl.tap));
	tap_turn(tl.tap, 13 * PS_PER_US);
	assert_true(tap_has_ended(tl.tap));
	tap_lab_close();
}

static void frames_of_other_ports_are_not_seen(void **state)
{
	struct tap_stream s = {0};
	struct pkt data = tap_lab_data(5);

	(void)state;
	tap_lab_open("ports s1:h1");
	tap_lab_frame(1, 0, &data);
	tap_end(tl.tap, PS_PER_MS);
	tap_lab_read(&s, SIZE_MAX);
	assert_int_equal(s.frames, 0);
	assert_int_equal(s.counts.seen, 0);
	tap_lab_close();
}

// The reader takes bytes now and then only. Its frames and the frames that are said to be lost are
// all frames, and the stream consists of whole blocks.
static void counts_add_up_with_a_slow_reader(void **state)
{
	struct tap_stream s = {0};
	uint64_t lost = 0;
	struct prng rng;

	(void)state;
	prng_init(&rng, SEED, "tap");
	tap_lab_open("ports s1:r\nfilter udp[16:4] & 1 = 0"); // an even PSN
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct pkt data = tap_lab_data(i);

		tap_lab_frame(1, i * PS_PER_US, &data);
		if (!prng_below(&rng, 1000))
			tap_lost(tl.tap, 0, ++lost);
		if (!prng_below(&rng, 4000))
			tap_lab_read(&s, SIZE_MAX);
	}
	tap_end(tl.tap, ROUNDS * PS_PER_US);
	tap_lab_read(&s, SIZE_MAX);
	assert_int_equal(s.stats, 1);
	assert_true(s.counts.unsent > 0 && lost > 0);
	assert_int_equal(s.counts.seen, ROUNDS + lost);
	assert_int_equal(s.counts.lost, lost);
	assert_int_equal(s.counts.accepted, ROUNDS / 2);
	assert_int_equal(s.frames + s.counts.unsent, s.counts.accepted);
	assert_int_equal(tap_missing(tl.tap), s.counts.unsent + lost);
	tap_lab_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_are_named_as_everywhere),
		cmocka_unit_test(bad_words_are_said),
		cmocka_unit_test(a_filter_lets_its_frames_pass),
		cmocka_unit_test(it_ends_by_count),
		cmocka_unit_test(it_ends_by_time),
		cmocka_unit_test(frames_of_other_ports_are_not_seen),
		cmocka_unit_test(counts_add_up_with_a_slow_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
