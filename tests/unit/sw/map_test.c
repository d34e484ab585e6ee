// SPDX-License-Identifier: BSD-3-Clause
// Tests of the switch's maps: class to queue and to group, and PFC of priorities that share them.
#include "sw_box.h"

// Classes 3 and 4 share queue 5; 3 has group 3, 4 has group 2; 0 and 1 share group 0.
static const uint8_t queues[8] = {0, 1, 2, 5, 5, 6, 6, 7};
static const uint8_t groups[8] = {0, 0, 2, 3, 2, 5, 6, 7};

static struct box *start(void)
{
	struct box *b = box_new();

	memcpy(b->set->queue_map, queues, sizeof(queues));
	memcpy(b->set->pg_map, groups, sizeof(groups));
	b->set->cls[4].pfc = true;
	b->set->cls[4].quanta = 65535;
	for (unsigned i = 0; i < BOX_PORTS; i++)
		b->port[i].pg[2] = (struct mmu_pg_params){.lossless = true,
			.static_bytes = 5000,
			.headroom_bytes = 10000,
			.xon_offset_bytes = 1000};
	box_start(b);
	box_learn(b);
	return b;
}

static void frames_go_to_their_queue_and_group(void **state)
{
	struct box *b = start();
	struct pkt *p;

	(void)state;
	box_send(b, 0, 1, 3, 996, PS_PER_MS);
	box_send(b, 0, 1, 4, 496, PS_PER_MS);
	assert_int_equal(sw_eport(b->sw, 1)->q[5].frames, 2);
	assert_int_equal(sw_mmu_of(b->sw, 0)->pg[3].bytes, 1000);
	assert_int_equal(sw_mmu_of(b->sw, 0)->pg[2].bytes, 500);
	// In one queue they keep their order, whatever their groups.
	p = box_tx(b, 1, PS_PER_MS);
	assert_int_equal(p->len, 996);
	assert_int_equal(p->cls, 5);
	box_put(b, p);
	assert_int_equal(sw_mmu_of(b->sw, 0)->pg[3].bytes, 0);
	assert_int_equal(box_drain(b, 1, 2 * PS_PER_MS), 1);
	assert_int_equal(sw_class_stats(b->sw, 1, 5).tx_frames, 2);
	assert_int_equal(sw_class_stats(b->sw, 0, 5).rx_frames, 2);
	box_free(b);
}

// Group 2 reaches XOFF by class 4: PFC pauses priority 4, not 3, and not 2, which has no PFC.
static void a_group_pauses_its_priorities(void **state)
{
	struct box *b = start();
	struct pkt *p;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		box_send(b, 0, 1, 4, 996, PS_PER_MS);
	p = box_tx(b, 0, PS_PER_MS);
	assert_non_null(p);
	assert_int_equal(p->kind, PKT_PFC);
	assert_int_equal(p->u.pfc.enable, 1 << 4);
	assert_int_equal(p->u.pfc.quanta[4], 65535);
	box_put(b, p);
	assert_int_equal(box_drain(b, 1, 2 * PS_PER_MS), 5);
	p = box_tx(b, 0, 2 * PS_PER_MS);
	assert_int_equal(p->u.pfc.enable, 1 << 4);
	assert_int_equal(p->u.pfc.quanta[4], 0);
	box_put(b, p);
	box_free(b);
}

// Either priority of a shared queue stops all of it; it goes on when neither is paused.
static void a_pause_stops_the_queue_of_its_class(void **state)
{
	struct box *b = start();

	(void)state;
	box_rx(b, 1, box_pfc(b, 1 << 4, 65535), PS_PER_MS);
	assert_int_equal(sw_pauses(b->sw, 1, PS_PER_MS), 1 << b->set->queue_map[4]);
	box_send(b, 0, 1, 3, 996, PS_PER_MS);
	box_send(b, 0, 1, 0, 996, PS_PER_MS);
	assert_int_equal(box_drain(b, 1, PS_PER_MS + PS_PER_US), 1);
	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), PS_PER_MS + PS_PER_US);
	box_rx(b, 1, box_pfc(b, 1 << 4, 0), PS_PER_MS + 2 * PS_PER_US);
	assert_int_equal(box_drain(b, 1, PS_PER_MS + 3 * PS_PER_US), 0);
	box_rx(b, 1, box_pfc(b, 1 << 3, 0), PS_PER_MS + 4 * PS_PER_US);
	assert_int_equal(box_drain(b, 1, PS_PER_MS + 5 * PS_PER_US), 1);
	box_free(b);
}

static void maps_stay_in_range(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->set->queue_map[0] = 8;
	assert_int_not_equal(box_try(b), 0);
	b->set->queue_map[0] = 0;
	b->stack.n = 0;
	b->set->pg_map[0] = 8;
	assert_int_not_equal(box_try(b), 0);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_go_to_their_queue_and_group),
		cmocka_unit_test(a_group_pauses_its_priorities),
		cmocka_unit_test(a_pause_stops_the_queue_of_its_class),
		cmocka_unit_test(maps_stay_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
