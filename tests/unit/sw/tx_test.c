// SPDX-License-Identifier: BSD-3-Clause
// Tests of sw_tx: serializer and deadline, strict and weighted classes, the marker at dequeue,
// release.
#include <errno.h>

#include "sw_box.h"

#define T PS_PER_MS

// 1000 bytes at 100 Gb/s: 1024 * 80 ps on the wire.
static void frames_leave_when_the_wire_is_free(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 3; i++)
		box_send(b, 0, 1, 1, 1000, T);
	for (unsigned i = 0; i < 3; i++) {
		tstamp t = T + i * 81920;
		struct pkt *p;

		if (i) {
			assert_true(sw_deadline(b->sw, 1) == t);
			assert_null(box_tx(b, 1, t - 1));
		}
		p = box_tx(b, 1, t);
		assert_int_equal(p->len, 1000);
		box_put(b, p);
	}
	assert_true(sw_deadline(b->sw, 1) == TSTAMP_NEVER);
	box_send(b, 0, 1, 1, 1000, T + 2 * 81920 + 5); // the wire is still busy with the third
	assert_true(sw_deadline(b->sw, 1) == T + 3 * 81920);
	box_drain(b, 1, 2 * T);
	assert_int_equal(sw_port_stats(b->sw, 1).tx_frames, 4 + 1); // one: box_learn
	assert_int_equal(sw_port_stats(b->sw, 1).tx_bytes, 4 * 1004 + 64);
	assert_int_equal(sw_class_stats(b->sw, 1, 1).tx_bytes, 4 * 1004);
	assert_int_equal(sw_eport(b->sw, 1)->lost_ps, 0);
	box_free(b);
}

// Tolerance of three frames: that many more than the one that the wire is free for.
static void burst_within_tolerance(void **state)
{
	struct box *b = box_new();
	struct pkt *out[8];

	(void)state;
	b->params.tolerance_ps = 3 * 81920;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 8; i++)
		box_send(b, 0, 1, 1, 1000, T);
	assert_int_equal(sw_tx(b->sw, 1, out, 2, T), 2);
	assert_int_equal(sw_tx(b->sw, 1, out + 2, 6, T), 2);
	assert_true(sw_deadline(b->sw, 1) == T + 81920);
	for (unsigned i = 0; i < 4; i++)
		box_put(b, out[i]);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

static void strict_first_then_by_weight(void **state)
{
	struct box *b = box_new();
	unsigned n[8] = {0};

	(void)state;
	b->set->cls[1].weight = 1;
	b->set->cls[2].weight = 3;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 100; i++) {
		box_send(b, 0, 1, 1, 1000, T);
		box_send(b, 0, 1, 2, 1000, T);
	}
	for (unsigned i = 0; i < 5; i++)
		box_send(b, 0, 1, 7, 1000, T);
	for (unsigned i = 0; i < 85; i++) {
		struct pkt *p = box_tx(b, 1, sw_deadline(b->sw, 1));

		assert_true(p->cls == 7 || i >= 5);
		n[p->cls]++;
		box_put(b, p);
	}
	assert_int_equal(n[7], 5);
	assert_in_range(n[2], 58, 62);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// Of 80 frames from queues that both wait: 20 and 60, after the command 60 and 20.
static void a_weight_changes_by_command(void **state)
{
	struct ctl ctl = {.type = CTL_WEIGHT, .port = PKT_NO_PORT, .cls = 1, .a = 9};
	struct box *b = box_new();

	(void)state;
	b->set->cls[1].weight = 1;
	b->set->cls[2].weight = 3;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 100; i++) {
		box_send(b, 0, 1, 1, 1000, T);
		box_send(b, 0, 1, 2, 1000, T);
	}
	for (unsigned round = 0; round < 2; round++) {
		unsigned n[8] = {0};

		for (unsigned i = 0; i < 80; i++) {
			struct pkt *p = box_tx(b, 1, sw_deadline(b->sw, 1));

			n[p->cls]++;
			box_put(b, p);
		}
		assert_in_range(n[1 + round], 18, 22);
		assert_int_equal(sw_ctl(b->sw, &ctl, T), 0);
	}
	ctl.cls = 7; // strict
	ctl.port = 1;
	assert_int_equal(sw_ctl(b->sw, &ctl, T), -EINVAL);
	ctl = (struct ctl){.type = CTL_WEIGHT, .port = 1, .cls = 1, .a = UINT16_MAX + 2};
	assert_int_equal(sw_ctl(b->sw, &ctl, T), -EINVAL);
	box_drain(b, 1, 3 * T);
	box_free(b);
}

static struct box *marking(uint64_t k)
{
	struct box *b = box_new();

	b->set->cls[2].mark = SW_MARK_DEQUEUE;
	b->set->cls[2].red = (struct red_params){.kmin_bytes = k, .kmax_bytes = k, .pmax = 1};
	return b;
}

// Five frames of 1004 wait, the threshold is 2008: marked while more than that is there, the frame
// that leaves included or not.
static void marks_at_dequeue(void **state)
{
	(void)state;
	for (unsigned excludes = 0; excludes < 2; excludes++) {
		struct box *b = marking(2008);
		const struct ev *e;

		b->set->cls[2].red_excludes_frame = excludes;
		box_start(b);
		box_learn(b);
		for (unsigned i = 0; i < 5; i++)
			box_send(b, 0, 1, 2, 1000, T);
		for (unsigned i = 0; i < 5; i++) {
			struct pkt *p = box_tx(b, 1, T + i * 81920);

			assert_int_equal(pkt_ecn(p), i < 3 - excludes ? ECN_CE : ECN_ECT0);
			box_put(b, p);
		}
		assert_int_equal(sw_class_stats(b->sw, 1, 2).ecn_marked_frames, 3 - excludes);
		assert_int_equal(box_ect(b, 1, 2), 5);
		e = box_event(b, EV_MARK);
		assert_int_equal(e->mark.queue_bytes, (5 - excludes) * 1004);
		box_free(b);
	}
}

// Monitored, every decision about an ECT frame is in the curve, and the first and last mark by
// number.
static void keeps_the_curve(void **state)
{
	struct box *b = marking(2008);
	const struct red_curve *c;

	(void)state;
	b->params.monitor = true;
	b->set->cls[2].red.kmax_bytes = 4016;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 5; i++)
		box_send(b, 0, 1, 2, 1000, T);
	for (unsigned i = 0; i < 5; i++)
		box_put(b, box_tx(b, 1, T + i * 81920));
	c = sw_curve(b->sw, 1, 2);
	assert_int_equal(sw_red(b->sw, 1, 2)->kmax_bytes, 4016);
	assert_int_equal(c->bin[RED_CURVE_ABOVE].ect_frames, 1); // 5020
	assert_int_equal(c->bin[RED_CURVE_ABOVE].marked_frames, 1);
	assert_int_equal(c->bin[RED_CURVE_SLOPE].over_bytes, 2008);     // 4016
	assert_int_equal(c->bin[RED_CURVE_SLOPE].marked_frames, 1);     // Pmax 100 %
	assert_int_equal(c->bin[RED_CURVE_SLOPE / 2].over_bytes, 1004); // 3012
	assert_int_equal(c->first_marked, 1);
	assert_in_range(c->last_marked, 2, 3);
	assert_null(sw_curve(b->sw, 1, 3));
	assert_null(sw_red(b->sw, 1, 3));
	box_free(b);
}

// Framing hpcc_sim: nothing around a frame, whole nanoseconds, the marker at dequeue on the length
// after removal, any frame.
static void counts_as_the_reference_simulator_does(void **state)
{
	struct box *b = marking(2000);

	(void)state;
	b->params.framing = (struct eport_framing){0, 0, 1, 0};
	b->set->cls[2].red_excludes_frame = b->set->cls[2].mark_any = true;
	b->params.tolerance_ps = 0;
	b->port[1].rate = 40 * RATE_GBPS;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 4; i++) {
		struct pkt *p = box_pkt(b, 0, 1, 2, 1048);

		p->tos &= (uint8_t)~3;
		box_rx(b, 0, p, T);
	}
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 4 * 1048);
	for (unsigned i = 0; i < 4; i++) {
		struct pkt *p = box_tx(b, 1, T + i * 209000); // 1048 * 200 ps, cut

		assert_int_equal(pkt_ecn(p), i < 2 ? ECN_CE : ECN_NOT_ECT);
		box_put(b, p);
	}
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 0);
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_leave_when_the_wire_is_free),
		cmocka_unit_test(burst_within_tolerance),
		cmocka_unit_test(strict_first_then_by_weight),
		cmocka_unit_test(a_weight_changes_by_command),
		cmocka_unit_test(marks_at_dequeue),
		cmocka_unit_test(keeps_the_curve),
		cmocka_unit_test(counts_as_the_reference_simulator_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
