// SPDX-License-Identifier: BSD-3-Clause
// Tests of ports that differ: each has the curves, weights, PFC and maps of its own set. What equal
// sets change, which is nothing, burst_test tests with random traffic.
#include <errno.h>

#include "sw_box.h"

#define LEN   996 // 1000 bytes in the queue
#define BYTES 1000
#define N     100
#define T     PS_PER_MS

// Port 1 has set 1, and all others have set 0.
static struct box *two_sets(void)
{
	struct box *b = box_new();

	b->set[1] = b->set[0];
	b->params.n_sets = 2;
	b->port[1].set = 1;
	return b;
}

static void start(struct box *b)
{
	box_start(b);
	box_learn(b);
}

static void curve(struct sw_class_params *k, enum sw_mark where, uint64_t threshold)
{
	k->mark = where;
	k->red = (struct red_params){.kmin_bytes = threshold, .kmax_bytes = threshold, .pmax = 1};
}

static uint64_t marked(const struct box *b, unsigned port)
{
	return sw_class_stats(b->sw, port, 2).ecn_marked_frames;
}

// N frames wait at ports 1 and 2. Those are marked that find, with themselves, more than the port's
// threshold in the queue; at dequeue the last ones of the queue find less.
static void each_port_marks_by_its_own_curve(void **state)
{
	(void)state;
	for (enum sw_mark where = SW_MARK_ENQUEUE; where <= SW_MARK_DEQUEUE; where++) {
		struct box *b = two_sets();

		curve(&b->set[0].cls[2], where, 70 * BYTES);
		curve(&b->set[1].cls[2], where, 20 * BYTES);
		start(b);
		for (unsigned i = 0; i < N; i++) {
			box_send(b, 0, 1, 2, LEN, T);
			box_send(b, 0, 2, 2, LEN, T);
		}
		assert_int_equal(box_drain(b, 1, 2 * T), N);
		assert_int_equal(box_drain(b, 2, 2 * T), N);
		assert_int_equal(marked(b, 1), N - 20);
		assert_int_equal(marked(b, 2), N - 70);
		assert_int_equal(sw_red(b->sw, 1, 2)->kmin_bytes, 20 * BYTES);
		assert_int_equal(sw_red(b->sw, 2, 2)->kmin_bytes, 70 * BYTES);
		box_free(b);
	}
}

// Only port 1 has a marker and a tail limit.
static void a_port_without_a_marker_marks_nothing(void **state)
{
	struct box *b = two_sets();

	(void)state;
	b->params.monitor = true;
	curve(&b->set[1].cls[2], SW_MARK_ENQUEUE, 20 * BYTES);
	b->set[1].cls[2].tail_limit_bytes = 60 * BYTES;
	start(b);
	for (unsigned i = 0; i < N; i++) {
		box_send(b, 0, 1, 2, LEN, T);
		box_send(b, 0, 2, 2, LEN, T);
	}
	assert_int_equal(box_drain(b, 1, 2 * T), 60);
	assert_int_equal(box_drain(b, 2, 2 * T), N);
	assert_int_equal(marked(b, 1), 60 - 20);
	assert_int_equal(marked(b, 2), 0);
	assert_int_equal(box_dropped(b, 0, SW_DROP_TAIL), N - 60);
	assert_null(sw_red(b->sw, 2, 2));
	assert_non_null(sw_curve(b->sw, 1, 2));
	assert_null(sw_curve(b->sw, 2, 2));
	box_free(b);
}

// Frames of classes 1 and 2 that leave first, of 40.
static void leave(struct box *b, unsigned port, unsigned *first, unsigned *second)
{
	*first = *second = 0;
	for (unsigned i = 0; i < 40; i++) {
		struct pkt *p = box_tx(b, port, sw_deadline(b->sw, port));

		*first += p->cls == 1;
		*second += p->cls == 2;
		box_put(b, p);
	}
}

static void each_port_has_its_own_weights(void **state)
{
	struct box *b = two_sets();
	unsigned one, two;

	(void)state;
	b->set[0].cls[1].weight = 3;
	b->set[0].cls[2].weight = 1;
	b->set[1].cls[1].weight = 1;
	b->set[1].cls[2].weight = 4;
	start(b);
	for (unsigned i = 0; i < N; i++)
		for (unsigned port = 1; port <= 2; port++) {
			box_send(b, 0, port, 1, LEN, T);
			box_send(b, 0, port, 2, LEN, T);
		}
	leave(b, 1, &one, &two);
	assert_in_range(two, 4 * one - 4, 4 * one + 4);
	leave(b, 2, &one, &two);
	assert_in_range(one, 3 * two - 4, 3 * two + 4);
	assert_int_equal(box_drain(b, 1, 2 * T), 2 * N - 40);
	assert_int_equal(box_drain(b, 2, 2 * T), 2 * N - 40);
	box_free(b);
}

// Queue 2 is strict at port 1 only: a weight for it at all ports is refused, and changes none.
static void a_weight_for_a_strict_queue_changes_no_port(void **state)
{
	struct ctl ctl = {.type = CTL_WEIGHT, .port = PKT_NO_PORT, .cls = 2, .a = 9};
	struct box *b = two_sets();

	(void)state;
	b->set[0].cls[2].weight = 5;
	b->set[1].cls[2].strict = true;
	start(b);
	assert_int_equal(sw_ctl(b->sw, &ctl, T), -EINVAL);
	assert_int_equal(sw_eport(b->sw, 0)->cfg->weight[2], 5);
	ctl.port = 2;
	assert_int_equal(sw_ctl(b->sw, &ctl, T), 0);
	assert_int_equal(sw_eport(b->sw, 2)->cfg->weight[2], 9);
	assert_int_equal(sw_eport(b->sw, 0)->cfg->weight[2], 5);
	box_free(b);
}

// Class 3 has queue 5 at port 1 and queue 3 elsewhere.
static void a_class_has_its_own_queue_at_each_egress_port(void **state)
{
	struct box *b = two_sets();
	const uint8_t nobody[6] = {2, 9, 9, 9, 9, 9};
	struct pkt *p;

	(void)state;
	b->set[1].queue_map[3] = 5;
	start(b);
	box_send(b, 0, 1, 3, LEN, T);
	box_send(b, 0, 2, 3, LEN, T);
	assert_int_equal(sw_eport(b->sw, 1)->q[5].frames, 1);
	assert_int_equal(sw_eport(b->sw, 2)->q[3].frames, 1);
	p = box_pkt(b, 0, 1, 3, LEN);
	*pkt_own_hdr(p) = *p->hdr;
	p->hdr = pkt_own_hdr(p);
	memcpy(pkt_own_hdr(p)->dst, nobody, 6);
	pkt_own_hdr(p)->id = 0;
	box_rx(b, 0, p, T); // flooded to 1, 2 and 3
	assert_int_equal(sw_eport(b->sw, 1)->q[5].frames, 2);
	assert_int_equal(sw_eport(b->sw, 2)->q[3].frames, 2);
	assert_int_equal(sw_eport(b->sw, 3)->q[3].frames, 1);
	assert_int_equal(sw_mmu_of(b->sw, 0)->pg[3].bytes, 5 * BYTES);
	assert_int_equal(
		sw_class_stats(b->sw, 0, 5).rx_frames + sw_class_stats(b->sw, 0, 5).copied_frames,
		2);
	assert_int_equal(
		sw_class_stats(b->sw, 0, 3).rx_frames + sw_class_stats(b->sw, 0, 3).copied_frames,
		3);
	// PFC of priority 3 stops queue 5 at port 1, and queue 3 at port 2.
	box_rx(b, 1, box_pfc(b, 1 << 3, 100), T);
	box_rx(b, 2, box_pfc(b, 1 << 3, 100), T);
	assert_int_equal(sw_pauses(b->sw, 1, T), 1 << 5);
	assert_int_equal(sw_pauses(b->sw, 2, T), 1 << 3);
	for (unsigned i = 1; i < 4; i++)
		box_drain(b, i, 2 * T);
	box_free(b);
}

// The same DSCP is class 3 in group 3 at port 0, and class 4 in group 6 at port 1; PCP likewise.
static void each_ingress_port_has_its_own_maps(void **state)
{
	struct box *b = two_sets();

	(void)state;
	b->set[1].dscp_to_class[24] = 4;
	b->set[1].pg_map[4] = 6;
	start(b);
	box_send(b, 0, 2, 3, LEN, T);
	box_send(b, 1, 2, 3, LEN, T);
	assert_int_equal(sw_eport(b->sw, 2)->q[3].frames, 1);
	assert_int_equal(sw_eport(b->sw, 2)->q[4].frames, 1);
	assert_int_equal(sw_mmu_of(b->sw, 0)->pg[3].bytes, BYTES);
	assert_int_equal(sw_mmu_of(b->sw, 1)->pg[MMU_PGS + 6].bytes, BYTES);
	assert_int_equal(sw_class_stats(b->sw, 1, 4).rx_frames, 1);
	assert_int_equal(box_drain(b, 2, 2 * T), 2);
	box_free(b);
}

// The groups of both ports reach XOFF; only port 0 has PFC, and tells its peer.
static void only_a_port_with_pfc_sends_it(void **state)
{
	struct box *b = two_sets();
	struct pkt *p;

	(void)state;
	b->set[1].cls[3].pfc = false;
	start(b);
	for (unsigned i = 0; i < 25; i++) {
		box_send(b, 0, 2, 3, LEN, T);
		box_send(b, 1, 2, 3, LEN, T);
	}
	assert_true(sw_mmu_of(b->sw, 0)->pg[3].xoff && sw_mmu_of(b->sw, 1)->pg[MMU_PGS + 3].xoff);
	p = box_tx(b, 0, T);
	assert_int_equal(p->kind, PKT_PFC);
	assert_int_equal(p->u.pfc.enable, 1 << 3);
	box_put(b, p);
	assert_null(box_tx(b, 1, T));
	assert_int_equal(box_drain(b, 2, 2 * T), 50);
	p = box_tx(b, 0, 2 * T); // XON
	assert_int_equal(p->u.pfc.quanta[3], 0);
	box_put(b, p);
	assert_null(box_tx(b, 1, 2 * T));
	assert_int_equal(sw_port_stats(b->sw, 1).originated_frames, 0);
	box_free(b);
}

static void bad_sets_are_refused(void **state)
{
	struct box *b = two_sets();

	(void)state;
	b->port[2].set = 2;
	assert_int_equal(box_try(b), -EINVAL);
	b->stack.n = 0;
	b->port[2].set = 0;
	b->set[1].cls[4].heavy_bytes = 1000; // of the switch, so all sets have it
	assert_int_equal(box_try(b), -EINVAL);
	b->stack.n = 0;
	b->set[1].cls[4].heavy_bytes = 0;
	b->params.n_sets = 0;
	assert_int_equal(box_try(b), -EINVAL);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_port_marks_by_its_own_curve),
		cmocka_unit_test(a_port_without_a_marker_marks_nothing),
		cmocka_unit_test(each_port_has_its_own_weights),
		cmocka_unit_test(a_weight_for_a_strict_queue_changes_no_port),
		cmocka_unit_test(a_class_has_its_own_queue_at_each_egress_port),
		cmocka_unit_test(each_ingress_port_has_its_own_maps),
		cmocka_unit_test(only_a_port_with_pfc_sends_it),
		cmocka_unit_test(bad_sets_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
