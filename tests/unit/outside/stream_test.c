// SPDX-License-Identifier: BSD-3-Clause
// Bursts, the indices of CE in them, and missing numbers of open-loop sources.
#include "outside_lab.h"

static void gen_comes(struct outside *o, uint32_t seq, bool ce, tstamp now)
{
	struct hdr h = lab_hdr(9, 1);
	struct pkt p = lab_frame(PKT_GEN, &h);

	p.u.gen = (struct pkt_gen){.seq = seq, .source = 2};
	p.tos |= ce ? ECN_CE : 0;
	outside_came(o, &p, now);
}

// Bursts of ten frames: CE at 4 to 6 of the first, at 2 and 9 of the second, none in the third.
static void ce_is_told_by_index_in_its_burst(void **state)
{
	struct outside *o = lab_new(0);
	const struct outside_stream *s;
	uint32_t seq = 0;

	(void)state;
	for (unsigned b = 0; b < 3; b++)
		for (unsigned i = 0; i < 10; i++) {
			bool ce = b == 0 ? i >= 4 && i <= 6 : b == 1 && (i == 2 || i == 9);

			gen_comes(o, seq++, ce, b * PS_PER_MS + (i + 1) * LAB_WIRE);
		}
	s = outside_stream(o, 0);
	assert_true(s->open_loop);
	assert_int_equal(s->number, 2);
	assert_int_equal(s->frames, 30);
	assert_int_equal(s->bytes, 30 * (LAB_LEN - 20));
	assert_int_equal(s->bursts, 3);
	assert_int_equal(s->ce_bursts, 2);
	assert_int_equal(s->ce_frames, 5);
	assert_int_equal(s->first_ce_least, 2);
	assert_int_equal(s->first_ce_most, 4);
	assert_int_equal(s->last_ce_most, 9);
	assert_true(s->first_missing == OUTSIDE_NONE);
	assert_null(outside_stream(o, 1));
	assert_int_equal(outside_totals(o)->ce_came, 5);
	outside_free(o);
}

static void the_first_missing_number_is_told(void **state)
{
	struct outside *o = lab_new(0);
	const struct outside_stream *s;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		if (i != 40 && i != 41 && i != 70)
			gen_comes(o, i, false, (i + 1) * LAB_WIRE);
	s = outside_stream(o, 0);
	assert_int_equal(s->first_missing, 40);
	assert_int_equal(s->missing, 3);
	gen_comes(o, 70, false, PS_PER_MS);
	assert_int_equal(s->first_missing, 40);
	assert_int_equal(s->missing, 2);
	gen_comes(o, 40, false, PS_PER_MS);
	assert_true(s->first_missing == OUTSIDE_NONE);
	assert_int_equal(s->missing, 1);
	outside_free(o);
}

static void a_source_whose_beginning_is_lost_lacks_number_0(void **state)
{
	struct outside *o = lab_new(0);

	(void)state;
	gen_comes(o, 5, false, LAB_WIRE);
	assert_int_equal(outside_stream(o, 0)->first_missing, 0);
	assert_int_equal(outside_stream(o, 0)->missing, 5);
	outside_free(o);
}

static void queue_pairs_are_streams_as_long_as_there_is_room(void **state)
{
	struct outside *o = lab_new(0);
	struct hdr h = lab_hdr(9, 1);

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < OUTSIDE_STREAMS + 10; i++) {
			struct pkt p = lab_rc(PKT_DATA, &h, i, round);

			outside_came(o, &p, (i + 1) * PS_PER_US);
		}
	for (uint32_t i = 0; i < OUTSIDE_STREAMS; i++) {
		assert_int_equal(outside_stream(o, i)->number, i);
		assert_int_equal(outside_stream(o, i)->frames, 2);
	}
	assert_null(outside_stream(o, OUTSIDE_STREAMS));
	assert_int_equal(outside_totals(o)->unknown, 20);
	outside_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ce_is_told_by_index_in_its_burst),
		cmocka_unit_test(the_first_missing_number_is_told),
		cmocka_unit_test(a_source_whose_beginning_is_lost_lacks_number_0),
		cmocka_unit_test(queue_pairs_are_streams_as_long_as_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
