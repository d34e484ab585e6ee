// SPDX-License-Identifier: BSD-3-Clause
// Bursts in which several things meet that random seeds seldom bring together (burst_test.c), each
// of them made on purpose, for twins (twins.h).
#include "twins.h"

// The turn of a round. A CNM about a CNP comes to the port whose frame made it, before the turn
// goes on from that frame.

// The weight of class 3, which has no frames, makes quanta of the others so small (161 bytes) that
// turns go round several times before one of them can send. There is a CNM about the first CNP.
static void small_quanta(struct box *b)
{
	struct sw_qcn_params *q = &b->set->cls[6].qcn;

	tell_senders(b, SW_MARK_DEQUEUE);
	b->set->cls[3].weight = 10;
	q->on = true;
	q->cnm_class = 4;
	qcn_cp_defaults(&q->cp);
	q->cp.set_point = 100;
	q->cp.sample_table[0] = 1;
	q->cp.randomise_percent = 0;
}

static struct pkt *an_ack(struct box *b, unsigned i)
{
	(void)i;
	return ack(b, 1, 0, 0, 5);
}

static struct pkt *classes_1_and_2(struct box *b, unsigned i)
{
	return box_pkt(b, 0, 1, 1 + i / 2, i < 2 ? 1000 : 1200);
}

// Class 1 sends with seven quanta, when class 2 has got six, and needs eight. So the turn goes once
// round both in vain, and it has to come to the CNM before it comes to class 2 for the second time.
static void a_round_ends_where_a_cnp_is_made(void **state)
{
	struct twins t = twins_new(small_quanta, 1);

	(void)state;
	both_get(&t, 1, an_ack, 1, T);
	both_empty(&t, T);
	both_get(&t, 0, classes_1_and_2, 4, 10 * T);
	assert_int_equal(both_give(&t, 1, 8, 10 * T), 5);
	assert_int_equal(sw_port_stats(t.a->sw, 1).fast_cnp_tx, 1);
	assert_int_equal(sw_class_stats(t.a->sw, 0, 6).cnm_tx_frames, 1);
	assert_int_equal(sw_class_stats(t.a->sw, 1, 4).tx_frames, 1);
	twins_free(&t, 20 * T);
}

// The CNM comes to a queue of the round, whose last frame has left it empty. The queue's average
// then refuses the CNM, which has no ECN.
static void an_average_refuses_cnms(struct box *b)
{
	struct sw_class_params *k = &b->set->cls[4];

	small_quanta(b);
	b->set->cls[3].weight = 1;
	k->wred = SW_WRED_NOT_ECT;
	k->wred_drop = (struct red_params){.kmax_bytes = 1, .pmax = 1};
	k->wred_exponent = 1;
}

// Of class 1 the second one is marked. It leaves fourth.
static struct pkt *classes_1_2_and_4(struct box *b, unsigned i)
{
	struct pkt *p = box_pkt(b, 0, 1, i < 2 ? 1 : i < 4 ? 2 : 4, 1500);

	p->tos &= (uint8_t)(i ? ~0u : ~3u);
	return p;
}

static void a_round_empties_a_queue_that_a_cnm_does_not_join(void **state)
{
	struct twins t = twins_new(an_average_refuses_cnms, 1);

	(void)state;
	both_get(&t, 1, an_ack, 1, T);
	both_empty(&t, T);
	both_get(&t, 0, classes_1_2_and_4, 5, 10 * T);
	assert_int_equal(both_give(&t, 1, 8, 10 * T), 5);
	assert_int_equal(sw_class_stats(t.a->sw, 0, 6).cnm_tx_frames, 1);
	assert_int_equal(sw_class_stats(t.a->sw, 1, 4).wred_dropped_frames, 1);
	twins_free(&t, 20 * T);
}

// XON in a shard. Another shard has given back what it had leased since this one looked.

// A frame is as long as a quantum, so that classes take turns frame by frame.
static void leases(struct box *b)
{
	b->params.buffer_bytes = 100000;
	for (unsigned i = 0; i < BOX_PORTS; i++) {
		b->port[i].mtu = 1000;
		b->port[i].pg[3] = (struct mmu_pg_params){.static_bytes = 50000};
		b->port[i].pg[1] = (struct mmu_pg_params){
			.lossless = true, .threshold = MMU_DYNAMIC, .xon_offset_bytes = 38800};
	}
	b->set->cls[1].pfc = true;
	b->set->cls[1].quanta = 65535;
}

static struct pkt *of_the_other_shard(struct box *b, unsigned i)
{
	(void)i;
	return box_pkt(b, 1, 3, 2, 1000);
}

static struct pkt *of_class_2(struct box *b, unsigned i)
{
	(void)i;
	return box_pkt(b, 2, 0, 2, 1000);
}

static struct pkt *of_class_1(struct box *b, unsigned i)
{
	(void)i;
	return box_pkt(b, 2, 0, 1, 1000);
}

// Frame by frame, the last one of class 1 finds enough free, for three of class 2 have left before
// it. Of class 1 alone, four would not do; and all eight would not by far while the other shard had
// its lease.
static void a_group_of_a_shard_resumes_by_what_is_leased(void **state)
{
	struct twins t = twins_new(leases, 2);
	const struct mmu_pg *g = &sw_mmu_of(t.a->sw, 2)->pg[2 * MMU_PGS + 1];

	(void)state;
	both_get(&t, 1, of_the_other_shard, 30, 10 * T);
	both_get(&t, 2, of_class_2, 30, 10 * T);
	both_get(&t, 2, of_class_1, 20, 10 * T);
	assert_true(g->xoff && !g->headroom);
	for (tstamp now = 10 * T; both_give(&t, 3, SW_BURST, now);)
		now += 2 * US;
	assert_int_equal(both_give(&t, 0, 8, 20 * T), 8);
	assert_false(g->xoff);
	twins_free(&t, 30 * T);
}

// The buffer drops a frame which the queue would have let in. Those behind it find a shorter queue.

// H3C's curve drops nothing above Kmax, and nearly all below it.
static void a_curve_with_a_third_zone(struct box *b)
{
	struct sw_class_params *k = &b->set->cls[3];

	k->wred = SW_WRED_H3C;
	k->wred_drop = (struct red_params){.kmax_bytes = 20500, .pmax = 1};
	for (unsigned i = 0; i < BOX_PORTS; i++)
		b->port[i].pg[3].headroom_bytes = 2000;
}

static struct pkt *ect(struct box *b, unsigned i)
{
	(void)i;
	return box_pkt(b, 0, 1, 3, 1000);
}

static struct pkt *long_and_short_ones(struct box *b, unsigned i)
{
	struct pkt *p = box_pkt(b, 0, 1, 3, i ? 60 : 1300);

	p->tos &= (uint8_t)~3u;
	return p;
}

// With the long frame all would find more than Kmax. For it there is no headroom, but for the
// others there is room below XOFF.
static void the_buffer_drops_a_frame_that_the_curve_counts_on(void **state)
{
	struct twins t = twins_new(a_curve_with_a_third_zone, 1);

	(void)state;
	both_get(&t, 0, ect, 20, T);
	assert_int_equal(sw_eport(t.a->sw, 1)->q[3].bytes, 20080);
	both_get(&t, 0, long_and_short_ones, 4, T);
	assert_int_equal(box_dropped(t.a, 0, SW_DROP_HEADROOM), 1);
	assert_true(box_dropped(t.a, 0, SW_DROP_WRED) > 0);
	twins_free(&t, 10 * T);
}

// The tail limit refuses frames that are not ECT where the queue is in H3C's third zone, but its
// average, which decides about marks, is not.

static void a_slow_average_below_the_third_zone(struct box *b)
{
	struct sw_class_params *k = &b->set->cls[2];

	b->params.monitor = true;
	k->mark = SW_MARK_ENQUEUE;
	k->red = (struct red_params){.kmin_bytes = 5000, .kmax_bytes = 5000, .pmax = 1};
	k->wred = SW_WRED_H3C;
	k->wred_drop = k->red;
	k->wred_exponent = 8;
	k->tail_limit_bytes = 10000;
}

static struct pkt *ect_up_to_the_tail(struct box *b, unsigned i)
{
	struct pkt *p = box_pkt(b, 0, 1, 2, 1000);

	p->tos &= (uint8_t)(i < 9 ? ~0u : ~3u);
	return p;
}

static void frames_behind_the_tail_count_as_no_marks(void **state)
{
	struct twins t = twins_new(a_slow_average_below_the_third_zone, 1);

	(void)state;
	both_get(&t, 0, ect_up_to_the_tail, 12, T);
	assert_int_equal(box_dropped(t.a, 0, SW_DROP_TAIL), 3);
	assert_int_equal(sw_class_stats(t.a->sw, 1, 2).ecn_marked_frames, 0);
	twins_free(&t, 10 * T);
}

// H3C's third zone in a round, of a queue that keeps an average: what is not ECT gets its mark
// there, and has no part in the curve that a monitor keeps.
static void averages_above_kmax(struct box *b)
{
	struct sw_class_params *k = &b->set->cls[1];

	b->params.monitor = true;
	k->mark = SW_MARK_DEQUEUE;
	k->red = (struct red_params){.kmin_bytes = 3000, .kmax_bytes = 3000, .pmax = 1};
	k->wred = SW_WRED_H3C;
	k->wred_drop = k->red;
	k->wred_exponent = 1;
}

static struct pkt *in_turn_half_of_them_ect(struct box *b, unsigned i)
{
	struct pkt *p = box_pkt(b, 0, 1, 1 + i / 16, 1000);

	p->tos &= (uint8_t)(i % 2 ? ~3u : ~0u);
	return p;
}

static void marks_of_a_round_that_are_not_ect_are_in_no_curve(void **state)
{
	struct twins t = twins_new(averages_above_kmax, 1);

	(void)state;
	both_get(&t, 0, in_turn_half_of_them_ect, 32, 10 * T);
	assert_int_equal(both_give(&t, 1, 8, 10 * T), 8);
	assert_int_equal(sw_class_stats(t.a->sw, 1, 1).ecn_marked_frames, 4); // two are ECT
	twins_free(&t, 20 * T);
}

// A timer that becomes due in a burst.

// The CNM makes its queue heavily congested. A CNP of iQCN has long been due to another flow, which
// only waited for that, and comes before the port's next frame.
static void a_cnm_makes_a_queue_heavy(struct box *b)
{
	small_quanta(b);
	b->set->cls[3].weight = 1;
	b->set->cls[4].heavy_bytes = 1560; // a frame and a CNM
	b->set->cls[4].heavy_off_bytes = 1000;
	b->params.iqcn_on = true;
	iqcn_defaults(&b->params.iqcn);
}

static struct pkt *acks(struct box *b, unsigned i)
{
	return ack(b, 1, 2 * i, 2 * i, 5);
}

static struct pkt *one_of_class_1(struct box *b, unsigned i)
{
	(void)i;
	return box_pkt(b, 0, 1, 1, 1500);
}

static struct pkt *of_classes_1_2_and_4(struct box *b, unsigned i)
{
	return box_pkt(b, 2, 1, i < 2 ? 1 : i < 4 ? 2 : 4, 1500);
}

static void a_cnp_is_due_as_soon_as_a_queue_is_heavy(void **state)
{
	struct twins t = twins_new(a_cnm_makes_a_queue_heavy, 1);

	(void)state;
	both_get(&t, 1, acks, 2, T);
	both_empty(&t, T);
	both_get(&t, 0, one_of_class_1, 1, 10 * T);
	assert_int_equal(both_give(&t, 1, 8, 10 * T), 2); // with a CNM
	while (both_give(&t, 0, 8, 10 * T + 100 * US))
		;
	both_give(&t, 1, 8, 10 * T + 100 * US);
	both_get(&t, 2, of_classes_1_2_and_4, 5, 10 * T + 300 * US);
	both_give(&t, 1, 8, 10 * T + 300 * US);
	assert_int_equal(sw_port_stats(t.a->sw, 1).iqcn_tx_cnp, 1);
	twins_free(&t, 20 * T);
}

// A class that goes on behind its guarantee while it is alone.

// Of the guarantee three frames of 1000 octets are let go at once.
static void a_guarantee(struct box *b)
{
	small_quanta(b);
	b->set->cls[3].weight = 1;
	b->set->cls[6].qcn.cnm_class = 1;
	b->port[1].min_rate[1] = 20 * RATE_GBPS;
	b->port[1].shaper_burst = 2500;
}

static void a_strict_guarantee(struct box *b)
{
	a_guarantee(b);
	b->set->cls[1].strict = true;
}

// The fifth one is marked.
static struct pkt *the_fifth_is_ect(struct box *b, unsigned i)
{
	struct pkt *p = box_pkt(b, 0, 1, 1, 1000);

	p->tos &= (uint8_t)(i == 4 ? ~0u : ~3u);
	return p;
}

// The mark of a frame behind the guarantee makes a CNP, and the CNP makes a CNM, which joins the
// queue that the frame has left. The CNM may be the only frame there, and it has not left.
static void a_cnm_comes_behind(void (*guarantee)(struct box *b), unsigned n)
{
	struct twins t = twins_new(guarantee, 1);

	both_get(&t, 1, an_ack, 1, 5 * T);
	both_empty(&t, 5 * T);
	both_get(&t, 0, the_fifth_is_ect, n, 10 * T);
	assert_int_equal(both_give(&t, 1, 5, 10 * T), 5);
	assert_int_equal(sw_class_stats(t.a->sw, 0, 6).cnm_tx_frames, 1);
	assert_int_equal(sw_eport(t.a->sw, 1)->q[1].frames, n - 5 + 1);
	twins_free(&t, 11 * T);
}

static void a_class_gets_a_cnm_behind_its_guarantee(void **state)
{
	(void)state;
	for (unsigned n = 5; n <= 7; n++) {
		a_cnm_comes_behind(a_guarantee, n);
		a_cnm_comes_behind(a_strict_guarantee, n);
	}
}

// Another class is ready that has no guarantee. It has its turn as soon as this one has had what it
// is guaranteed.
static struct pkt *of_a_class_and_another(struct box *b, unsigned i)
{
	return box_pkt(b, 0, 1, i < 8 ? 1 : 2, 1000);
}

static void a_guarantee_ends_where_another_class_is_ready(void **state)
{
	struct twins t = twins_new(a_guarantee, 1);
	const struct eport_q *q = sw_eport(t.a->sw, 1)->q;

	(void)state;
	both_get(&t, 0, of_a_class_and_another, 16, 10 * T);
	assert_int_equal(both_give(&t, 1, 8, 10 * T), 8);
	assert_true(q[1].frames && q[2].frames < 8);
	twins_free(&t, 11 * T);
}

// At the slowest rate the octets of 64 such frames, times the time of an octet in units of 2^-20
// ps, are more than 2^64. The remainder modulo 2^64 would fit into the bucket.
static void a_slow_guarantee(struct box *b)
{
	b->params.tolerance_ps = 20 * US;
	b->port[0].mtu = b->port[1].mtu = 4000;
	b->port[1].min_rate[1] = RATE_MIN;
	b->port[1].shaper_burst = 2500;
}

static struct pkt *of_3430_octets(struct box *b, unsigned i)
{
	(void)i;
	return box_pkt(b, 0, 1, 1, 3430);
}

static void a_long_burst_leaves_behind_a_slow_guarantee(void **state)
{
	struct twins t = twins_new(a_slow_guarantee, 1);

	(void)state;
	both_get(&t, 0, of_3430_octets, SW_BURST, PS_PER_S);
	assert_int_equal(both_give(&t, 1, SW_BURST, PS_PER_S), SW_BURST);
	twins_free(&t, 2 * PS_PER_S);
}

// Rates of which an octet takes no whole number of ps: the time of each frame is rounded down.
#define ODD_RATE (30 * RATE_GBPS)

static void an_odd_link(struct box *b)
{
	b->port[1].rate = ODD_RATE;
	b->params.tolerance_ps = 20 * US;
}

static void an_odd_maximum(struct box *b)
{
	b->port[1].max_rate[1] = ODD_RATE;
	b->port[1].shaper_burst = 20000;
}

static void an_odd_guarantee(struct box *b)
{
	b->port[1].min_rate[1] = ODD_RATE;
	b->port[1].shaper_burst = 20000;
}

static struct pkt *of_many_lengths(struct box *b, unsigned i)
{
	return box_pkt(b, 0, 1, 1, 700 + i);
}

static struct pkt *of_classes_1_and_2(struct box *b, unsigned i)
{
	return box_pkt(b, 0, 1, 1 + i % 2, 700 + i);
}

static void times_of_frames_are_rounded_one_by_one(void **state)
{
	static void (*const odd[])(struct box * b) = {
		an_odd_link, an_odd_maximum, an_odd_guarantee};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct twins t = twins_new(odd[i], 1);

		both_get(&t, 0, of_many_lengths, 16, 10 * T);
		assert_int_equal(both_give(&t, 1, 16, 10 * T), 16);
		both_get(&t, 0, of_classes_1_and_2, 16, 20 * T);
		assert_int_equal(both_give(&t, 1, 16, 20 * T), 16);
		twins_free(&t, 30 * T);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_ends_where_a_cnp_is_made),
		cmocka_unit_test(a_round_empties_a_queue_that_a_cnm_does_not_join),
		cmocka_unit_test(a_cnp_is_due_as_soon_as_a_queue_is_heavy),
		cmocka_unit_test(a_group_of_a_shard_resumes_by_what_is_leased),
		cmocka_unit_test(the_buffer_drops_a_frame_that_the_curve_counts_on),
		cmocka_unit_test(frames_behind_the_tail_count_as_no_marks),
		cmocka_unit_test(marks_of_a_round_that_are_not_ect_are_in_no_curve),
		cmocka_unit_test(a_class_gets_a_cnm_behind_its_guarantee),
		cmocka_unit_test(a_guarantee_ends_where_another_class_is_ready),
		cmocka_unit_test(a_long_burst_leaves_behind_a_slow_guarantee),
		cmocka_unit_test(times_of_frames_are_rounded_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
