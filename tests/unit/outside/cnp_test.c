// SPDX-License-Identifier: BSD-3-Clause
// CE that leaves in known trains, and CNPs that come for it: the counts of both rules, gaps, delay
// and the key that fits. A train of 1000 frames, one each 88.48 ns, is row 2 of faults.md.
#include "outside_lab.h"

static void ce_left(struct outside *o, unsigned from, unsigned to, uint32_t qpn, tstamp now)
{
	struct hdr h = lab_hdr(from, to);
	struct pkt p = lab_rc(PKT_DATA, &h, qpn, 0);

	p.tos |= ECN_CE;
	outside_left(o, &p, now);
}

static void cnp_comes(struct outside *o, unsigned from, unsigned to, uint32_t qpn, tstamp now)
{
	struct hdr h = lab_hdr(from, to);
	struct pkt p = lab_rc(PKT_CNP, &h, qpn, 0);

	outside_came(o, &p, now);
}

// Lumina's rule asks for 22 CNPs with T = 4 us and 2 with 50 us, the windows for 24 and 3.
static void both_rules_count_a_known_train(void **state)
{
	static const struct {
		tstamp t;
		unsigned greedy, window;
	} want[] = {{4 * PS_PER_US, 22, 24}, {50 * PS_PER_US, 2, 3}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct outside *o = lab_new(0);
		struct outside_cnp got;

		o->p.np_interval = want[i].t;
		for (unsigned k = 0; k < 1000; k++)
			ce_left(o, 1, 9, 17, PS_PER_US + k * 88480);
		for (unsigned key = 0; key < OUTSIDE_NP_KEYS; key++) {
			got = outside_cnp(o, (enum np_key)key, PS_PER_MS);
			assert_int_equal(got.ce, 1000);
			assert_int_equal(got.values, 1);
			assert_int_equal(got.greedy, want[i].greedy);
			assert_int_equal(got.window, want[i].window);
			assert_int_equal(got.greedy_off, want[i].greedy);
		}
		assert_int_equal(outside_totals(o)->ce_left, 1000);
		outside_free(o);
	}
}

// Two queue pairs of one pair of addresses, and a third of another host of ours. The NP spaces by
// address: it sends to both hosts of ours every T.
static void the_key_that_fits_is_the_one_of_the_notification_point(void **state)
{
	struct outside *o = lab_new(0);
	const enum np_key fits = NP_KEY_IP_PAIR;

	(void)state;
	for (unsigned k = 0; k < 40; k++) {
		tstamp t = PS_PER_US + k * LAB_T / 2;

		ce_left(o, 1, 9, 17, t);
		ce_left(o, 1, 9, 18, t + PS_PER_US);
		ce_left(o, 2, 9, 19, t + 2 * PS_PER_US);
		if (k % 2)
			continue;
		cnp_comes(o, 9, 1, 5, t + 3 * PS_PER_US);
		cnp_comes(o, 9, 2, 7, t + 4 * PS_PER_US);
	}
	assert_int_equal(outside_cnp(o, fits, PS_PER_MS).greedy_off, 0);
	assert_int_equal(outside_cnp(o, NP_KEY_DST_IP, PS_PER_MS).greedy_off, 0);
	assert_int_equal(outside_cnp(o, NP_KEY_QP, PS_PER_MS).greedy_off, 20);
	assert_int_equal(outside_cnp(o, NP_KEY_PORT, PS_PER_MS).greedy_off, 20);
	assert_int_equal(outside_cnp(o, fits, PS_PER_MS).close_gaps, 0);
	assert_int_equal(outside_cnp(o, NP_KEY_PORT, PS_PER_MS).close_gaps, 20);
	assert_int_equal(hist_min(outside_cnp_gap(o, fits)), LAB_T);
	assert_int_equal(hist_min(outside_cnp_gap(o, NP_KEY_PORT)), PS_PER_US);
	outside_free(o);
}

static void the_delay_is_from_the_ce_that_asks(void **state)
{
	struct outside *o = lab_new(100 * LAB_NS);

	(void)state;
	ce_left(o, 1, 9, 17, PS_PER_US); // its last bit leaves a frame later
	ce_left(o, 1, 9, 17, 2 * PS_PER_US);
	cnp_comes(o, 9, 1, 5, PS_PER_US + LAB_WIRE + 700 * LAB_NS);
	cnp_comes(o, 9, 1, 5, 3 * PS_PER_US); // no CE asks for it
	assert_int_equal(outside_cnp_delay(o, NP_KEY_IP_PAIR)->n, 1);
	assert_int_equal(outside_cnp_delay(o, NP_KEY_IP_PAIR)->max, 500 * LAB_NS);
	assert_int_equal(outside_cnp_delay(o, NP_KEY_QP)->n, 0);
	outside_free(o);
}

static void more_values_than_there_is_room_for_are_counted(void **state)
{
	struct outside *o = lab_new(0);

	(void)state;
	for (unsigned i = 0; i < 2 * OUTSIDE_KEYS; i++)
		ce_left(o, 1, 9, i, i * PS_PER_US);
	assert_true(outside_totals(o)->unknown >= OUTSIDE_KEYS);
	assert_int_equal(outside_cnp(o, NP_KEY_PORT, PS_PER_S).ce, 2 * OUTSIDE_KEYS);
	outside_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_rules_count_a_known_train),
		cmocka_unit_test(the_key_that_fits_is_the_one_of_the_notification_point),
		cmocka_unit_test(the_delay_is_from_the_ce_that_asks),
		cmocka_unit_test(more_values_than_there_is_room_for_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
