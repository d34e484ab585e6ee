// SPDX-License-Identifier: BSD-3-Clause
// Tests of drops and marks: what is counted and reported, and whom the marker at enqueue chooses.
#include "sw_box.h"

#include "buffer/buffer.h"

#define T PS_PER_MS

static void drop_is_charged_to_the_ingress_port(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	b->set->cls[4].tail_limit_bytes = 100;
	box_start(b);
	box_learn(b);
	box_send(b, 2, 1, 4, 97, PS_PER_US);
	assert_int_equal(box_dropped(b, 2, SW_DROP_TAIL), 1);
	assert_int_equal(box_dropped(b, 1, SW_DROP_TAIL), 0);
	assert_int_equal(sw_class_stats(b->sw, 2, 4).dropped_frames, 1);
	assert_int_equal(sw_class_stats(b->sw, 2, 4).dropped_bytes, 101);
	e = box_event(b, EV_DROP);
	assert_non_null(e);
	assert_int_equal(e->t, PS_PER_US);
	assert_int_equal(e->drop.reason, SW_DROP_TAIL);
	assert_int_equal(e->port, 2);
	assert_int_equal(e->drop.out, 1);
	assert_int_equal(b->stack.n, BOX_PKTS);
	box_free(b);
}

// A frame that is filtered, or that the watchdog drops, is dropped by its class and not lost by its
// group.
static void a_group_loses_frames_whose_reason_is_a_loss(void **state)
{
	struct box *b = box_new();
	unsigned lost = 0;

	(void)state;
	box_start(b);
	for (unsigned d = 0; d < SW_DROPS; d++) {
		sw_count_lost(&b->sw->port[0], 3, 5, d, 1 + d, 100);
		lost += sw_drop_fate((enum sw_drop)d) == DROP_LOSS ? 1 + d : 0;
		assert_int_equal(box_dropped(b, 0, (enum sw_drop)d), 1 + d);
	}
	assert_int_equal(sw_drop_fate(SW_DROP_TAIL), DROP_LOSS);
	assert_int_equal(sw_drop_fate(SW_DROP_SAME_PORT), DROP_FILTERED);
	assert_int_equal(sw_drop_fate(SW_DROP_RESERVED), DROP_FILTERED);
	assert_int_equal(sw_drop_fate(SW_DROP_PFCWD), DROP_EXEMPT);
	assert_int_equal(sw_class_stats(b->sw, 0, 5).pg_dropped_frames, lost);
	assert_int_equal(sw_class_stats(b->sw, 0, 3).dropped_frames, SW_DROPS * (SW_DROPS + 1) / 2);
	assert_int_equal(sw_class_stats(b->sw, 0, 5).pfcwd_dropped_frames, 1 + SW_DROP_PFCWD);
	sw_fini(b->sw);
	free(b);
}

// Two sides: what the queue's limit refuses is a tail drop; frames take whole cells, and all comes
// back.
static void egress_queue_has_a_limit(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->params.cell_bytes = 256;
	b->port[1].queue[4] = (struct mmu_queue_params){
		.limited = true, .threshold = MMU_STATIC, .static_bytes = 2560};
	box_start(b);
	box_learn(b);
	assert_non_null(sw_sides_of(b->sw, 0));
	for (unsigned i = 0; i < 6; i++) // 2 cells each
		box_send(b, 2, 1, 4, 253, PS_PER_US);
	assert_int_equal(box_dropped(b, 2, SW_DROP_TAIL), 1);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 2560);
	assert_int_equal(sw_sides_of(b->sw, 0)->queue[1 * MMU_PGS + 4].bytes, 2560);
	assert_int_equal(box_drain(b, 1, T), 5);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 0);
	assert_int_equal(sw_sides_of(b->sw, 0)->queue[1 * MMU_PGS + 4].max_bytes, 2560);
	box_free(b);
}

static void a_plain_buffer_has_one_side(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->params.cell_bytes = 1;
	box_start(b);
	assert_null(sw_sides_of(b->sw, 0));
	box_free(b);
}

static void drop_before_look_up_has_no_egress(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	b->port[2].default_class = 6;
	box_start(b);
	box_send(b, 2, 1, 4, 1601, 0);
	e = box_event(b, EV_DROP);
	assert_non_null(e);
	assert_int_equal(e->drop.out, PKT_NO_PORT);
	assert_int_equal(e->cls, 6);
	box_free(b);
}

static void counters_do_not_need_the_ring(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->set->cls[4].tail_limit_bytes = 100;
	b->set->cls[5].mark = SW_MARK_ENQUEUE;
	b->set->cls[5].force_ce = true;
	box_start(b);
	box_learn(b);
	b->events.want = 0;
	box_send(b, 2, 1, 4, 97, 0);
	box_send(b, 2, 1, 5, 97, 0);
	assert_int_equal(b->events.head, b->events.tail);
	assert_int_equal(box_dropped(b, 2, SW_DROP_TAIL), 1);
	assert_int_equal(sw_class_stats(b->sw, 1, 5).ecn_marked_frames, 1);
	box_drain(b, 1, PS_PER_US);
	box_free(b);
}

// The PSN is told of RoCEv2 frames that have one; a foreign frame has no header id.
static void mark_tells_flow_and_psn(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->set->cls[5].force_ce = true;
	box_start(b);
	box_learn(b);
	for (enum pkt_kind k = PKT_UDP; k <= PKT_ROCE; k++) {
		struct pkt *p = box_pkt(b, 2, 1, 5, 97);
		const struct ev *e;

		p->kind = (uint8_t)k;
		p->u.rc.psn = 99;
		if (k == PKT_ROCE) {
			*pkt_own_hdr(p) = *p->hdr;
			pkt_own_hdr(p)->id = 0;
			p->hdr = pkt_own_hdr(p);
		}
		box_rx(b, 2, p, 0);
		e = box_event(b, EV_MARK);
		assert_non_null(e);
		assert_int_equal(e->mark.psn, k == PKT_UDP || k == PKT_CNP ? 0 : 99);
		assert_int_equal(e->mark.hdr, p->hdr->id);
	}
	box_drain(b, 1, PS_PER_US);
	box_free(b);
}

static struct box *marking(enum sw_mark where, uint64_t k, enum sw_wred wred)
{
	struct box *b = box_new();

	b->set->cls[2].mark = where;
	b->set->cls[2].red = (struct red_params){.kmin_bytes = k, .kmax_bytes = k, .pmax = 1};
	b->set->cls[2].wred = wred;
	b->set->cls[2].wred_drop = b->set->cls[2].red;
	return b;
}

static void send_ecn(struct box *b, unsigned ecn)
{
	struct pkt *p = box_pkt(b, 0, 1, 2, 1000);

	p->tos = (uint8_t)(p->tos & ~3) | (uint8_t)ecn;
	p->u.rc.psn = 4711;
	box_rx(b, 0, p, T);
}

// Kmin = Kmax = 2008: the length includes the frame being decided, so the third is marked.
static void marks_at_enqueue_above_the_threshold(void **state)
{
	struct box *b = marking(SW_MARK_ENQUEUE, 2008, SW_WRED_OFF);
	const struct ev *e;

	(void)state;
	box_start(b);
	box_learn(b);
	send_ecn(b, ECN_ECT0);
	send_ecn(b, ECN_ECT1);
	send_ecn(b, ECN_ECT1);
	send_ecn(b, ECN_ECT0);
	send_ecn(b, ECN_NOT_ECT);
	send_ecn(b, ECN_CE);
	for (unsigned i = 0; i < 6; i++) {
		static const uint8_t want[6] = {
			ECN_ECT0, ECN_ECT1, ECN_CE, ECN_CE, ECN_NOT_ECT, ECN_CE};
		struct pkt *p = box_tx(b, 1, T + i * PS_PER_US);

		assert_int_equal(pkt_ecn(p), want[i]);
		assert_int_equal(pkt_dscp(p), 16);
		assert_int_equal(p->flags, i == 2 || i == 3 ? PKT_F_CE : 0);
		box_put(b, p);
	}
	assert_int_equal(sw_class_stats(b->sw, 1, 2).ecn_marked_frames, 2);
	assert_int_equal(box_ect(b, 1, 2), 4);
	assert_int_equal(sw_class_stats(b->sw, 0, 2).ecn_ce_rx_frames, 1);
	e = box_event(b, EV_MARK);
	assert_non_null(e);
	assert_int_equal(e->mark.queue_bytes, 3012);
	assert_int_equal(e->mark.psn, 4711);
	assert_int_equal(e->mark.hdr, b->hdr[2].id);
	assert_int_equal(e->port, 1);
	assert_int_equal(e->cls, 2);
	box_free(b);
}

static void marker_can_leave_the_frame_out(void **state)
{
	struct box *b = marking(SW_MARK_ENQUEUE, 2008, SW_WRED_OFF);

	(void)state;
	b->set->cls[2].red_excludes_frame = true;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 5; i++)
		send_ecn(b, ECN_ECT0);
	assert_int_equal(sw_class_stats(b->sw, 1, 2).ecn_marked_frames, 2);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

static void not_ect_is_dropped_where_the_policy_says_so(void **state)
{
	struct box *b = marking(SW_MARK_ENQUEUE, 2008, SW_WRED_NOT_ECT);

	(void)state;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 4; i++)
		send_ecn(b, ECN_NOT_ECT);
	send_ecn(b, ECN_CE);
	assert_int_equal(box_dropped(b, 0, SW_DROP_WRED), 2);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 3 * 1004);
	assert_int_equal(box_ect(b, 1, 2), 0);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

static void any_frame_is_marked_where_asked(void **state)
{
	struct box *b = marking(SW_MARK_ENQUEUE, 0, SW_WRED_NOT_ECT);

	(void)state;
	b->set->cls[2].mark_any = true;
	box_start(b);
	box_learn(b);
	send_ecn(b, ECN_NOT_ECT);
	send_ecn(b, ECN_ECT1);
	send_ecn(b, ECN_ECT0);
	send_ecn(b, ECN_CE);
	assert_int_equal(sw_class_stats(b->sw, 1, 2).ecn_marked_frames, 3);
	assert_int_equal(box_ect(b, 1, 2), 3);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// ToS 0x6a becomes 0x6b; 0x00 stays or is dropped, by the policy.
static void force_ce_marks_every_ect_frame(void **state)
{
	(void)state;
	for (unsigned drop = 0; drop < 2; drop++)
		for (enum sw_mark m = SW_MARK_NONE; m <= SW_MARK_DEQUEUE; m++) {
			struct box *b = marking(m, 1000000, (enum sw_wred)drop);
			struct pkt *p;

			b->set->cls[3].force_ce = b->set->cls[0].force_ce = true;
			b->set->cls[3].red = b->set->cls[0].red = b->set->cls[2].red;
			b->set->cls[0].wred_drop = b->set->cls[2].red;
			b->set->cls[0].wred = (enum sw_wred)drop;
			b->set->cls[3].mark = b->set->cls[0].mark = m;
			b->set->cls[3].red_excludes_frame = true; // does not matter here
			box_start(b);
			box_learn(b);
			p = box_pkt(b, 0, 1, 3, 1000);
			p->tos = 0x6a;
			box_rx(b, 0, p, T);
			p = box_pkt(b, 0, 1, 0, 1000);
			p->tos = 0;
			box_rx(b, 0, p, T);
			p = box_tx(b, 1, T);
			assert_int_equal(p->tos, 0x6b);
			box_put(b, p);
			p = box_tx(b, 1, 2 * T);
			assert_true((p == NULL) == drop);
			if (p) {
				assert_int_equal(p->tos, 0);
				assert_int_equal(p->flags, 0);
				box_put(b, p);
			}
			assert_int_equal(box_dropped(b, 0, SW_DROP_WRED), drop);
			box_free(b);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drop_is_charged_to_the_ingress_port),
		cmocka_unit_test(a_group_loses_frames_whose_reason_is_a_loss),
		cmocka_unit_test(egress_queue_has_a_limit),
		cmocka_unit_test(a_plain_buffer_has_one_side),
		cmocka_unit_test(drop_before_look_up_has_no_egress),
		cmocka_unit_test(counters_do_not_need_the_ring),
		cmocka_unit_test(mark_tells_flow_and_psn),
		cmocka_unit_test(marks_at_enqueue_above_the_threshold),
		cmocka_unit_test(marker_can_leave_the_frame_out),
		cmocka_unit_test(not_ect_is_dropped_where_the_policy_says_so),
		cmocka_unit_test(any_frame_is_marked_where_asked),
		cmocka_unit_test(force_ce_marks_every_ect_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
