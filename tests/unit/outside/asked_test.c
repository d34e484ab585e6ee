// SPDX-License-Identifier: BSD-3-Clause
// PFC and PAUSE that come at known instants: counts, refreshes, quanta, sources, own frames.
#include "outside_lab.h"

static void refreshes_have_the_interval_of_their_sender(void **state)
{
	struct hdr h = lab_hdr(9, 0);
	struct outside *o = lab_new(0);
	const struct outside_asked *a = outside_asked(o, 3);
	struct pkt off = lab_pfc(3, 1000, &h), on = lab_pfc(3, 0, &h);

	(void)state;
	for (unsigned i = 0; i < 11; i++) // each at half of the pause time
		outside_came(o, &off, PS_PER_US + i * 500 * LAB_QUANTUM);
	outside_came(o, &on, PS_PER_US + 5100 * LAB_QUANTUM);
	assert_int_equal(a->xoff_frames, 11);
	assert_int_equal(a->xon_frames, 1);
	assert_int_equal(a->refresh_frames, 10);
	assert_int_equal(hist_min(&a->refresh), 500 * LAB_QUANTUM);
	assert_int_equal(a->refresh.max, 500 * LAB_QUANTUM);
	assert_int_equal(a->quanta_least, 1000);
	assert_int_equal(a->quanta_most, 1000);
	assert_int_equal(outside_asked(o, 0)->xoff_frames, 0);
	assert_int_equal(outside_asked(o, OUTSIDE_LINK)->xoff_frames, 0);
	outside_free(o);
}

static void an_xoff_after_the_quanta_is_no_refresh(void **state)
{
	struct hdr h = lab_hdr(9, 0);
	struct outside *o = lab_new(0);
	struct pkt off = lab_pfc(3, 10, &h), more = lab_pfc(3, 20, &h);

	(void)state;
	outside_came(o, &off, PS_PER_US);
	outside_came(o, &more, PS_PER_US + 10 * LAB_QUANTUM);
	assert_int_equal(outside_asked(o, 3)->refresh_frames, 0);
	assert_int_equal(outside_asked(o, 3)->quanta_least, 10);
	assert_int_equal(outside_asked(o, 3)->quanta_most, 20);
	outside_free(o);
}

// Two frames leave before the first XOFF, one in it, one after its quanta.
static void own_frames_before_and_in_xoff_are_counted(void **state)
{
	struct hdr h = lab_hdr(9, 0);
	struct outside *o = lab_new(0);
	const struct outside_asked *a = outside_asked(o, 3);
	struct pkt off = lab_pfc(3, 100, &h), data = lab_frame(PKT_OTHER, &h);

	(void)state;
	outside_left(o, &data, 0);
	outside_left(o, &data, LAB_WIRE);
	outside_came(o, &off, PS_PER_US);
	outside_left(o, &data, PS_PER_US + 100 * LAB_QUANTUM - 1);
	outside_left(o, &data, PS_PER_US + 200 * LAB_QUANTUM);
	assert_int_equal(a->before_frames, 2);
	assert_int_equal(a->before_bytes, 2 * (LAB_LEN - 20));
	assert_int_equal(a->paused_frames, 1);
	assert_int_equal(a->paused_bytes, LAB_LEN - 20);
	outside_free(o);
}

static void a_pause_frame_is_of_the_link(void **state)
{
	struct hdr h = lab_hdr(9, 0);
	struct outside *o = lab_new(0);
	struct pkt off = lab_pause(100, &h), data = lab_frame(PKT_OTHER, &h);

	(void)state;
	outside_came(o, &off, PS_PER_US);
	outside_left(o, &data, PS_PER_US + 1);
	assert_int_equal(outside_asked(o, OUTSIDE_LINK)->xoff_frames, 1);
	assert_int_equal(outside_asked(o, OUTSIDE_LINK)->paused_frames, 1);
	assert_int_equal(outside_asked(o, 3)->xoff_frames, 0);
	outside_free(o);
}

static void sources_are_told_apart_up_to_the_most(void **state)
{
	struct outside *o = lab_new(0);

	(void)state;
	for (unsigned i = 0; i < 2 * OUTSIDE_SOURCES; i++) {
		struct hdr h = lab_hdr(i / 2, 0);
		struct pkt off = lab_pfc(3, 100, &h);

		outside_came(o, &off, i * PS_PER_US);
		assert_int_equal(outside_asked(o, 3)->sources, i / 2 + 1);
	}
	struct hdr h = lab_hdr(99, 0);
	struct pkt off = lab_pfc(3, 100, &h);

	outside_came(o, &off, 99 * PS_PER_US);
	assert_int_equal(outside_asked(o, 3)->sources, OUTSIDE_SOURCES);
	outside_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refreshes_have_the_interval_of_their_sender),
		cmocka_unit_test(an_xoff_after_the_quanta_is_no_refresh),
		cmocka_unit_test(own_frames_before_and_in_xoff_are_counted),
		cmocka_unit_test(a_pause_frame_is_of_the_link),
		cmocka_unit_test(sources_are_told_apart_up_to_the_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
