// SPDX-License-Identifier: BSD-3-Clause
// Tests of what is counted and reported for drops and marks, with and without listeners.
#include "sw_box.h"

static void drop_is_charged_to_the_ingress_port(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	b->params.cls[4].tail_limit_bytes = 100;
	box_start(b);
	box_learn(b);
	box_send(b, 2, 1, 4, 97, PS_PER_US);
	assert_int_equal(box_dropped(b, 2, SW_DROP_TAIL), 1);
	assert_int_equal(box_dropped(b, 1, SW_DROP_TAIL), 0);
	assert_int_equal(sw_class_stats(b->sw, 2, 4)->dropped_frames, 1);
	assert_int_equal(sw_class_stats(b->sw, 2, 4)->dropped_bytes, 101);
	e = box_event(b, EV_DROP);
	assert_non_null(e);
	assert_int_equal(e->t, PS_PER_US);
	assert_int_equal(e->id, SW_DROP_TAIL);
	assert_int_equal(e->port, 2);
	assert_int_equal(e->c, 1);
	assert_int_equal(b->stack.n, BOX_PKTS);
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
	assert_int_equal(e->c, PKT_NO_PORT);
	assert_int_equal(e->cls, 6);
	box_free(b);
}

static void counters_do_not_need_the_ring(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->params.cls[4].tail_limit_bytes = 100;
	b->params.cls[5].mark = SW_MARK_ENQUEUE;
	b->params.cls[5].force_ce = true;
	box_start(b);
	box_learn(b);
	b->events.want = 0;
	box_send(b, 2, 1, 4, 97, 0);
	box_send(b, 2, 1, 5, 97, 0);
	assert_int_equal(b->events.head, b->events.tail);
	assert_int_equal(box_dropped(b, 2, SW_DROP_TAIL), 1);
	assert_int_equal(sw_class_stats(b->sw, 1, 5)->ecn_marked_frames, 1);
	box_drain(b, 1, PS_PER_US);
	box_free(b);
}

// The PSN is told of RoCEv2 frames that have one; a foreign frame has no header id.
static void mark_tells_flow_and_psn(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->params.cls[5].force_ce = true;
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
		assert_int_equal(e->b, k == PKT_UDP || k == PKT_CNP ? 0 : 99);
		assert_int_equal(e->id, p->hdr->id);
	}
	box_drain(b, 1, PS_PER_US);
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drop_is_charged_to_the_ingress_port),
		cmocka_unit_test(drop_before_look_up_has_no_egress),
		cmocka_unit_test(counters_do_not_need_the_ring),
		cmocka_unit_test(mark_tells_flow_and_psn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
