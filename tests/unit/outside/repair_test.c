// SPDX-License-Identifier: BSD-3-Clause
// Steps of ACKs, and latencies of repairs by a peer that answers after known times.
#include "outside_lab.h"

#define PSN0 0xfffff0u // the numbers wrap

static void data(struct outside *o, bool leaves, unsigned host, uint32_t psn, tstamp now)
{
	struct hdr h = leaves ? lab_hdr(1, host) : lab_hdr(host, 1);
	struct pkt p = lab_rc(PKT_DATA, &h, leaves ? 17 : 5, psn & 0xffffff);

	if (leaves)
		outside_left(o, &p, now);
	else
		outside_came(o, &p, now);
}

static void ack(
	struct outside *o, bool leaves, unsigned host, uint32_t psn, unsigned syndrome, tstamp now)
{
	struct hdr h = leaves ? lab_hdr(1, host) : lab_hdr(host, 1);
	struct pkt p = lab_rc(PKT_ACK, &h, leaves ? 17 : 5, psn & 0xffffff);

	p.u.rc.syndrome = (uint8_t)syndrome;
	p.u.rc.payload = 0;
	if (leaves)
		outside_left(o, &p, now);
	else
		outside_came(o, &p, now);
}

static void acks_have_steps(void **state)
{
	struct outside *o = lab_new(0);
	const struct outside_repair *r = outside_repair(o);

	(void)state;
	for (unsigned i = 1; i <= 8; i++)
		ack(o, false, 9, PSN0 + 4 * i, AETH_ACK, i * PS_PER_US);
	ack(o, false, 9, PSN0 + 32, AETH_ACK, 9 * PS_PER_US);
	ack(o, false, 9, PSN0 + 33, AETH_RNR_NAK | 1, 10 * PS_PER_US);
	assert_int_equal(r->acks, 9);
	assert_int_equal(r->rnr_naks, 1);
	assert_int_equal(r->ack_step.n, 7);
	assert_int_equal(hist_min(&r->ack_step), 4);
	assert_int_equal(r->ack_step.max, 4);
	outside_free(o);
}

// Frame 10 is lost behind the port. The NAK comes 900 ns after the last bit of frame 11 has left.
static void generation_is_from_the_frame_behind_to_the_nak(void **state)
{
	struct outside *o = lab_new(0);
	const struct outside_repair *r = outside_repair(o);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		data(o, true, 9, PSN0 + i, i * LAB_WIRE);
	ack(o, false, 9, PSN0 + 10, AETH_NAK_PSN, 12 * LAB_WIRE + 900 * LAB_NS);
	assert_int_equal(r->naks, 1);
	assert_int_equal(r->generation.n, 1);
	assert_int_equal(r->generation.max, 900 * LAB_NS);
	assert_int_equal(r->unpaired, 0);
	outside_free(o);
}

// Frame 10 is missing at the port. Our NAK leaves, and the frame comes 2 us after its last bit.
static void reaction_is_from_the_nak_to_the_frame(void **state)
{
	struct outside *o = lab_new(0);
	const struct outside_repair *r = outside_repair(o);
	tstamp nak = PS_PER_MS + LAB_WIRE;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		if (i != 10)
			data(o, false, 9, PSN0 + i, i * LAB_WIRE);
	ack(o, true, 9, PSN0 + 10, AETH_NAK_PSN, PS_PER_MS);
	data(o, false, 9, PSN0 + 20, nak + PS_PER_US);
	data(o, false, 9, PSN0 + 10, nak + 2 * PS_PER_US);
	data(o, false, 9, PSN0 + 10, nak + 3 * PS_PER_US);
	assert_int_equal(r->sent_naks, 1);
	assert_int_equal(r->reaction.n, 1);
	assert_int_equal(r->reaction.max, 2 * PS_PER_US);
	outside_free(o);
}

// Two queue pairs between the same addresses have sent the number: no latency is told.
static void a_nak_that_may_be_of_two_queue_pairs_is_not_judged(void **state)
{
	struct outside *o = lab_new(0);
	struct hdr h = lab_hdr(1, 9);

	(void)state;
	for (uint32_t i = 0; i < 20; i++) {
		struct pkt p = lab_rc(PKT_DATA, &h, 18, i);

		data(o, true, 9, i, 2 * i * LAB_WIRE);
		outside_left(o, &p, (2 * i + 1) * LAB_WIRE);
	}
	ack(o, false, 9, 10, AETH_NAK_PSN, PS_PER_MS);
	assert_int_equal(outside_repair(o)->unpaired, 1);
	assert_int_equal(outside_repair(o)->generation.n, 0);
	outside_free(o);
}

static void a_nak_of_a_number_that_nobody_sent_is_not_judged(void **state)
{
	struct outside *o = lab_new(0);

	(void)state;
	data(o, true, 9, 0, 0);
	ack(o, false, 9, 5000, AETH_NAK_PSN, PS_PER_US);
	ack(o, true, 9, 5000, AETH_NAK_PSN, PS_PER_US);
	assert_int_equal(outside_repair(o)->unpaired, 2);
	outside_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acks_have_steps),
		cmocka_unit_test(generation_is_from_the_frame_behind_to_the_nak),
		cmocka_unit_test(reaction_is_from_the_nak_to_the_frame),
		cmocka_unit_test(a_nak_that_may_be_of_two_queue_pairs_is_not_judged),
		cmocka_unit_test(a_nak_of_a_number_that_nobody_sent_is_not_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
