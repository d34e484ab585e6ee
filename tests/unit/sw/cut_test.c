// SPDX-License-Identifier: BSD-3-Clause
// Tests of a switch that is cut into shards: what crosses the fabric, who admits, who drops, who
// knows.
#include <errno.h>

#include "cut_box.h"

#define MS PS_PER_MS

static struct box *start(unsigned shards)
{
	struct box *b = box_new();

	assert_int_equal(cut_try(b, shards), 0);
	for (unsigned i = 0; i < b->params.n_ports; i++)
		cut_send(b, i, i ? 0 : 1, 0, 60, 0);
	cut_drain_all(b, PS_PER_US);
	while (ev_get(&b->events))
		;
	return b;
}

static void a_frame_crosses_and_its_credit_comes_back(void **state)
{
	struct box *b = start(2);
	const struct sw *in, *out;

	(void)state;
	in = sw_owner(b->sw, 0);
	out = sw_owner(b->sw, 1);
	assert_ptr_not_equal(in, out);
	cut_send(b, 0, 1, 3, 996, MS);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 1000);
	assert_int_equal(sw_eport(b->sw, 1)->q[3].frames, 0);
	cut_conserves(b); // it is on the fabric
	cut_cross(b, MS + CUT_HOP - 1);
	assert_int_equal(sw_eport(b->sw, 1)->q[3].frames, 0);
	cut_cross(b, MS + CUT_HOP);
	assert_int_equal(sw_eport(b->sw, 1)->q[3].frames, 1);
	assert_int_equal(sw_mmu_of(b->sw, 1)->used, 0);
	cut_conserves(b); // in the queue
	assert_int_equal(cut_drain(b, 1, MS + CUT_HOP), 1);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 1000);
	assert_int_equal(sw_buffer(b->sw).used, 1000);
	cut_conserves(b); // its credit is under way
	cut_cross(b, MS + 2 * CUT_HOP);
	assert_int_equal(sw_buffer(b->sw).used, 0);
	assert_int_equal(sw_class_stats(b->sw, 0, 3).forwarded_frames, 1);
	assert_int_equal(sw_class_stats(b->sw, 1, 3).tx_frames, 1);
	box_free(b);
}

// XOFF comes as in a switch that is one: when the frame arrives.
static void xoff_is_due_before_the_frames_have_crossed(void **state)
{
	struct box *b = start(2);
	struct pkt *p;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		cut_send(b, 0, 1, 3, 996, MS);
	p = cut_tx(b, 0, MS);
	assert_non_null(p);
	assert_int_equal(p->kind, PKT_PFC);
	assert_int_equal(p->u.pfc.quanta[3], 65535);
	pkt_put(&b->stack, p);
	cut_cross(b, MS + CUT_HOP);
	assert_int_equal(cut_drain(b, 1, 2 * MS), 20);
	cut_cross(b, 2 * MS + CUT_HOP);
	p = cut_tx(b, 0, 2 * MS + CUT_HOP);
	assert_non_null(p);
	assert_int_equal(p->u.pfc.quanta[3], 0);
	pkt_put(&b->stack, p);
	box_free(b);
}

// Cells of 500 bytes, and a pool of headroom; lossless class 3.
static struct box *two_sided(void)
{
	struct box *b = box_new();

	b->params.cell_bytes = 500;
	b->params.headroom_pool_bytes = 40000;
	for (unsigned i = 0; i < BOX_PORTS; i++)
		b->port[i].queue[3].lossless = true;
	return b;
}

static uint32_t queue_bytes(const struct box *b, unsigned port, unsigned queue)
{
	return sw_sides_of(b->sw, port)->queue[port * MMU_PGS + queue].bytes;
}

static void each_side_of_a_buffer_is_its_shards(void **state)
{
	struct box *b = two_sided();

	(void)state;
	assert_int_equal(cut_try(b, 2), 0);
	cut_send(b, 1, 0, 3, 60, 0);
	cut_drain_all(b, PS_PER_US);
	cut_send(b, 0, 1, 3, 1001, MS);
	assert_int_equal(sw_pool(b->sw, MMU_INGRESS).used, 1500);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 1500);
	assert_int_equal(queue_bytes(b, 1, 3), 0);
	cut_cross(b, MS + CUT_HOP);
	cut_conserves(b);
	assert_int_equal(queue_bytes(b, 1, 3), 1500);
	assert_int_equal(sw_pool(b->sw, MMU_EGRESS_LOSSLESS).used, 1500);
	assert_int_equal(sw_mmu_of(b->sw, 1)->used, 0);
	assert_int_equal(cut_drain(b, 1, MS + CUT_HOP), 1);
	assert_int_equal(queue_bytes(b, 1, 3), 0);
	cut_conserves(b); // its credit is under way
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 1500);
	cut_cross(b, MS + 2 * CUT_HOP);
	for (unsigned i = 0; i < MMU_POOLS; i++)
		assert_int_equal(sw_pool(b->sw, i).used, 0);
	assert_int_equal(sw_sides_of(b->sw, 0)->max_used[MMU_INGRESS], 1500);
	assert_int_equal(sw_sides_of(b->sw, 1)->max_used[MMU_EGRESS_LOSSLESS], 1500);
	assert_int_equal(sw_pool(b->sw, MMU_HEADROOM).size, 40000);
	box_free(b);
}

// Frames of 60 to 1200 octets cross together.
static void frames_that_cross_hold_whole_cells(void **state)
{
	struct box *b = two_sided();
	struct pkt *burst[20];
	uint32_t held = 0, left;

	(void)state;
	b->port[0].pg[3].static_bytes = 100000;
	b->params.tolerance_ps = 10 * PS_PER_US;
	assert_int_equal(cut_try(b, 2), 0);
	cut_send(b, 1, 0, 3, 60, 0);
	cut_drain_all(b, PS_PER_US);
	for (unsigned i = 0; i < 20; i++) {
		burst[i] = box_pkt(b, 0, 1, 3, 60 * (i + 1));
		held += (60 * (i + 1) + 4 + 499) / 500 * 500;
	}
	sw_cut_rx(b->sw, 0, burst, 20, MS);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, held);
	cut_cross(b, MS + CUT_HOP);
	assert_int_equal(queue_bytes(b, 1, 3), held);
	cut_conserves(b);
	assert_int_equal(sw_cut_tx(b->sw, 1, burst, 9, MS + CUT_HOP), 9); // the last has 544
	left = held - 8 * 500 - 1000;
	assert_int_equal(queue_bytes(b, 1, 3), left);
	cut_conserves(b); // the credit is under way
	cut_cross(b, MS + 2 * CUT_HOP);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, left);
	for (unsigned i = 0; i < 9; i++)
		box_put(b, burst[i]);
	assert_int_equal(cut_drain_all(b, 2 * MS), 11);
	for (unsigned i = 0; i < MMU_POOLS; i++)
		assert_int_equal(sw_pool(b->sw, i).used, 0);
	box_free(b);
}

// The limit of a lossy queue is checked where the queue is, and refused bytes return to the group.
static void a_limited_queue_refuses_what_has_crossed(void **state)
{
	struct box *b = two_sided();

	(void)state;
	for (unsigned i = 0; i < BOX_PORTS; i++)
		b->port[i].queue[0] =
			(struct mmu_queue_params){.limited = true, .static_bytes = 3000};
	assert_int_equal(cut_try(b, 2), 0);
	cut_send(b, 1, 0, 0, 60, 0);
	cut_send(b, 2, 0, 0, 60, 0);
	cut_drain_all(b, PS_PER_US);
	for (unsigned i = 0; i < 5; i++) {
		cut_send(b, 0, 1, 0, 900, MS); // crosses
		cut_send(b, 0, 2, 0, 900, MS); // does not: it enters both sides or none
	}
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 5 * 1000 + 3 * 1000);
	cut_cross(b, MS + CUT_HOP);
	assert_int_equal(queue_bytes(b, 1, 0), 3000);
	cut_conserves(b);
	cut_cross(b, MS + 2 * CUT_HOP);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 3 * 1000 + 3 * 1000);
	assert_int_equal(box_dropped(b, 0, SW_DROP_TAIL), 4);
	cut_drain_all(b, 2 * MS);
	assert_int_equal(sw_buffer(b->sw).used, 0);
	assert_int_equal(sw_pool(b->sw, MMU_EGRESS_LOSSY).used, 0);
	box_free(b);
}

// All groups of one shard are in headroom at once, each as far as it may be, while the other
// shard's are idle; then the other way round. The pool is no larger than all may take.
static void headroom_of_a_shard_is_its_own(void **state)
{
	struct box *b = two_sided();
	unsigned sent[2] = {0};

	(void)state;
	assert_int_equal(cut_try(b, 2), 0);
	for (unsigned i = 0; i < 4; i++)
		cut_send(b, i, i ? 0 : 1, 0, 60, 0);
	cut_drain_all(b, PS_PER_US);
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned port = k; port < 4; port += 2)
			for (; sw_mmu_of(b->sw, port)->pg[port * MMU_PGS + 3].headroom < 10000;
				sent[k]++)
				cut_send(b, port, (port + 1) % 4, 3, 996, MS);
		assert_int_equal(sw_pool(b->sw, MMU_HEADROOM).used, (k + 1) * 20000);
	}
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(box_dropped(b, i, SW_DROP_HEADROOM), 0);
	cut_send(b, 0, 1, 3, 996, MS); // its own is full
	assert_int_equal(box_dropped(b, 0, SW_DROP_HEADROOM), 1);
	assert_int_equal(sent[0], sent[1]);
	cut_drain_all(b, 2 * MS);
	for (unsigned i = 0; i < 4; i++)
		cut_drain(b, i, 3 * MS);
	cut_cross(b, 4 * MS);
	assert_int_equal(sw_pool(b->sw, MMU_HEADROOM).used, 0);
	box_free(b);
}

// Frames that wait in a queue whose link goes down leave both sides.
static void a_link_that_goes_down_empties_both_sides(void **state)
{
	struct box *b = two_sided();
	struct ctl down = {.type = CTL_LINK_DOWN, .port = 1};

	(void)state;
	assert_int_equal(cut_try(b, 2), 0);
	cut_send(b, 1, 0, 3, 60, 0);
	cut_drain_all(b, PS_PER_US);
	cut_send(b, 0, 1, 3, 996, MS);
	cut_send(b, 3, 1, 3, 996, MS);
	cut_cross(b, MS + CUT_HOP);
	assert_int_equal(queue_bytes(b, 1, 3), 2000);
	assert_int_equal(sw_cut_ctl(b->sw, &down, MS + CUT_HOP), 0);
	assert_int_equal(queue_bytes(b, 1, 3), 0);
	cut_cross(b, MS + 3 * CUT_HOP);
	assert_int_equal(sw_buffer(b->sw).used, 0);
	box_free(b);
}

static void what_does_not_divide_is_refused(void **state)
{
	struct box *b = two_sided();

	(void)state;
	b->params.headroom_pool_bytes = 15000; // 7500 for each shard, and a group may take 10000
	assert_int_equal(cut_try(b, 2), -EINVAL);
	b->params.headroom_pool_bytes = 20001; // by what sw_parts says is right
	assert_int_equal(cut_try(b, 2), 0);
	sw_fini(b->sw);
	b->params.egress_bytes[0] = 999999;
	assert_int_equal(cut_try(b, 2), -EINVAL);
	free(b);
}

static void what_the_queue_refuses_is_the_ingress_ports(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->set->cls[0].tail_limit_bytes = 3000;
	assert_int_equal(cut_try(b, 2), 0);
	cut_send(b, 1, 0, 0, 60, 0);
	cut_drain_all(b, PS_PER_US);
	for (unsigned i = 0; i < 5; i++)
		cut_send(b, 0, 1, 0, 996, MS);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 5000);
	cut_cross(b, MS + CUT_HOP);
	cut_conserves(b);
	cut_cross(b, MS + 2 * CUT_HOP);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 3000);
	assert_int_equal(box_dropped(b, 0, SW_DROP_TAIL), 2);
	assert_int_equal(sw_port_stats(b->sw, 1).tx_dropped_frames, 2);
	assert_int_equal(sw_class_stats(b->sw, 0, 0).dropped_bytes, 2000);
	cut_drain_all(b, 2 * MS);
	box_free(b);
}

// Each shard learns what the others see, and an address that moves is where it was seen last.
static void shards_tell_each_other_what_they_learn(void **state)
{
	struct box *b = start(3);
	struct pkt *p;

	(void)state;
	cut_send(b, 3, 2, 0, 60, MS); // 3 and 2 have other shards; nothing is flooded
	assert_int_equal(cut_drain_all(b, MS + PS_PER_US), 1);
	assert_int_equal(sw_port_stats(b->sw, 3).flooded_frames, 0);
	p = box_pkt(b, 3, 2, 0, 60); // host 3 now at port 1
	sw_cut_rx(b->sw, 1, &p, 1, 2 * MS);
	cut_drain_all(b, 2 * MS + PS_PER_US);
	assert_int_equal(sw_port_stats(b->sw, 1).fdb_moved, 1);
	cut_send(b, 2, 3, 0, 60, 3 * MS);
	cut_cross(b, 3 * MS + CUT_HOP);
	assert_int_equal(sw_eport(b->sw, 1)->q[0].frames, 1);
	cut_drain_all(b, 4 * MS);
	box_free(b);
}

static void an_unknown_address_is_flooded_to_all_shards(void **state)
{
	struct box *b = box_new();

	(void)state;
	assert_int_equal(cut_try(b, 2), 0);
	cut_send(b, 0, 5, 0, 60, MS);
	assert_int_equal(cut_drain_all(b, 2 * MS), 3);
	assert_int_equal(sw_port_stats(b->sw, 0).copied_frames, 2);
	box_free(b);
}

// A link that goes down takes its queue with it; frames that are on their way there are dropped
// there.
static void a_link_goes_down_for_all_shards(void **state)
{
	struct box *b = start(2);
	struct ctl down = {.type = CTL_LINK_DOWN, .port = 1};

	(void)state;
	cut_send(b, 0, 1, 3, 996, MS);
	cut_cross(b, MS + CUT_HOP);
	cut_send(b, 0, 1, 3, 996, MS + CUT_HOP);
	assert_int_equal(sw_cut_ctl(b->sw, &down, MS + CUT_HOP), 0);
	cut_cross(b, MS + 3 * CUT_HOP);
	assert_int_equal(box_dropped(b, 0, SW_DROP_LINK_DOWN), 2);
	assert_int_equal(sw_buffer(b->sw).used, 0);
	cut_send(b, 2, 1, 0, 60, 2 * MS); // forgotten, so flooded; not to the port without a link
	assert_int_equal(cut_drain_all(b, 3 * MS), 2);
	down.type = CTL_LINK_UP;
	assert_int_equal(sw_cut_ctl(b->sw, &down, 3 * MS), 0);
	cut_send(b, 2, 1, 0, 60, 4 * MS);
	assert_int_equal(cut_drain_all(b, 5 * MS), 3);
	box_free(b);
}

// So many that the ring between two shards has no room for all.
static void what_a_ring_has_no_room_for_waits(void **state)
{
	struct pkt *pkt = calloc(5000, sizeof(*pkt)), **slot = calloc(5000, sizeof(struct pkt *));
	struct box *b = start(2);

	(void)state;
	assert_true(pkt && slot);
	b->stack = (struct pkt_stack){.slot = slot, .cap = 5000};
	for (unsigned i = 0; i < 5000; i++) {
		pkt[i] = (struct pkt){.hdr = &b->hdr[2], .len = 60, .kind = PKT_DATA};
		sw_cut_rx(b->sw, 0, &(struct pkt *){&pkt[i]}, 1, MS);
	}
	assert_int_equal(sw_buffer(b->sw).used, 5000 * 64);
	cut_conserves(b);
	assert_int_equal(cut_drain_all(b, 3 * MS), 5000);
	assert_int_equal(sw_buffer(b->sw).used, 0);
	assert_int_equal(b->stack.n, 5000);
	box_free(b);
	free(slot);
	free(pkt);
}

// An address that comes while the ring to the other shard is full is told of when there is room.
static void what_could_not_be_told_is_told_later(void **state)
{
	struct pkt *pkt = calloc(5000, sizeof(*pkt)), **slot = calloc(5000, sizeof(struct pkt *));
	struct box *b = start(2);
	struct pkt *p = pkt;
	uint64_t flooded;

	(void)state;
	assert_true(pkt && slot);
	b->stack = (struct pkt_stack){.slot = slot, .cap = 5000};
	for (unsigned i = 0; i < 4990; i++) {
		*p = (struct pkt){.hdr = &b->hdr[2], .len = 60, .kind = PKT_DATA};
		sw_cut_rx(b->sw, 0, &(struct pkt *){p++}, 1, MS);
	}
	for (unsigned i = 0; i < 2; i++) { // of host 4, at port 0, to host 1
		*p = (struct pkt){
			.hdr = &b->hdr[1 + 4 * BOX_PORTS + 1], .len = 60, .kind = PKT_DATA};
		sw_cut_rx(b->sw, 0, &(struct pkt *){p++}, 1, (1 + 2 * i) * MS);
		assert_int_equal(cut_drain_all(b, (2 + 2 * i) * MS), i ? 1 : 4991);
	}
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_learned, 2); // host 0, and host 4 once
	*p = (struct pkt){.hdr = &b->hdr[1 + 1 * BOX_PORTS + 4], .len = 60, .kind = PKT_DATA};
	flooded = sw_port_stats(b->sw, 1).flooded_frames; // before any address was known
	sw_cut_rx(b->sw, 1, &p, 1, 5 * MS);
	assert_int_equal(sw_port_stats(b->sw, 1).flooded_frames, flooded);
	assert_int_equal(cut_drain_all(b, 6 * MS), 1);
	cut_conserves(b);
	box_free(b);
	free(slot);
	free(pkt);
}

static void what_cannot_be_cut_is_refused(void **state)
{
	struct box *b = box_new();

	(void)state;
	assert_int_equal(cut_try(b, 1), -EINVAL);
	assert_int_equal(cut_try(b, 5), -EINVAL); // of four ports
	assert_int_equal(cut_try(b, 4), 0);
	assert_int_equal(sw_shards(b->sw), 4);
	assert_ptr_equal(sw_shard(b->sw, 3), sw_owner(b->sw, 3));
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_crosses_and_its_credit_comes_back),
		cmocka_unit_test(xoff_is_due_before_the_frames_have_crossed),
		cmocka_unit_test(each_side_of_a_buffer_is_its_shards),
		cmocka_unit_test(frames_that_cross_hold_whole_cells),
		cmocka_unit_test(a_limited_queue_refuses_what_has_crossed),
		cmocka_unit_test(headroom_of_a_shard_is_its_own),
		cmocka_unit_test(a_link_that_goes_down_empties_both_sides),
		cmocka_unit_test(what_does_not_divide_is_refused),
		cmocka_unit_test(what_the_queue_refuses_is_the_ingress_ports),
		cmocka_unit_test(shards_tell_each_other_what_they_learn),
		cmocka_unit_test(an_unknown_address_is_flooded_to_all_shards),
		cmocka_unit_test(a_link_goes_down_for_all_shards),
		cmocka_unit_test(what_a_ring_has_no_room_for_waits),
		cmocka_unit_test(what_could_not_be_told_is_told_later),
		cmocka_unit_test(what_cannot_be_cut_is_refused),
	};

	return cmocka_run_group_tests_name("sw_cut", tests, NULL, NULL);
}
