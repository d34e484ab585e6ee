// SPDX-License-Identifier: BSD-3-Clause
// The injector: each action on the frame that its record names, and on no other.
#include "fault_lab.h"

#include <errno.h>

#define NS PS_PER_NS

static void the_named_frame_is_dropped_once(void **state)
{
	struct fault_record r = {.psn = FAULT_PSN_RANGE,
		.from = 100,
		.to = 100,
		.nth_from = 1,
		.nth_to = 1,
		.action = FAULT_DROP};
	const struct ev *e;
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0xfffff0);
	for (uint32_t i = 98; i < 103; i++)
		lab_put(&l, 0xfffff0 + i, 7);
	LAB_EXPECT(&l, 7, 0xfffff0 + 98 - 0x1000000, 0xfffff0 + 99 - 0x1000000,
		0xfffff0 + 101 - 0x1000000, 0xfffff0 + 102 - 0x1000000);
	lab_put(&l, 0xfffff0 + 100, 9); // its second transmission
	LAB_EXPECT(&l, 9, 84);
	assert_int_equal(lab_matched(&l, 0), 1);
	assert_int_equal(fault_stats(l.f)->dropped_frames, 1);
	assert_int_equal(fault_stats(l.f)->dropped_bytes, 1086);
	e = ev_get(&l.ring);
	assert_int_equal(e->t, 7);
	assert_int_equal(e->port, 3);
	assert_int_equal(e->cls, 3);
	assert_int_equal(e->fault.record, 1);
	assert_int_equal(e->fault.hdr, 1);
	assert_int_equal(e->fault.psn, 84);
	assert_int_equal(e->fault.qpn, LAB_QPN);
	assert_int_equal(e->fault.nth, 1);
	assert_int_equal(e->fault.bytes, 1082);
	assert_int_equal(e->fault.action, FAULT_DROP);
	assert_int_equal(e->fault.kind, FAULT_DATA);
	assert_null(ev_get(&l.ring));
	assert_int_equal(l.stack.n, LAB_PKTS);
	lab_conserve(&l);
	lab_fini(&l);
}

static void other_queue_pairs_pass(void **state)
{
	struct fault_record r = {.kinds = FAULT_ALL, .action = FAULT_DROP};
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0);
	fault_put(l.f, lab_frame(&l, 1, PKT_DATA, BTH_RC_SEND_ONLY, 5), 0);
	LAB_EXPECT(&l, 0, 5);
	fault_put(l.f, lab_frame(&l, 0, PKT_DATA, BTH_RC_SEND_ONLY, 5), 0);
	fault_put(l.f, lab_frame(&l, 0, PKT_ACK, BTH_RC_ACK, 5), 0);
	LAB_NONE(&l, 0);
	assert_int_equal(lab_matched(&l, 0), 2);
	lab_fini(&l);
}

// A watch tells of frames, each transmission, and hits none.
static void a_watched_frame_goes_on(void **state)
{
	struct fault_record r = {.psn = FAULT_PSN_RANGE, .from = 5, .to = 5, .action = FAULT_WATCH};
	const struct ev *e;
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0);
	lab_put(&l, 5, 10);
	lab_put(&l, 6, 11);
	lab_put(&l, 5, 12);
	LAB_EXPECT(&l, 12, 5, 6, 5);
	assert_int_equal(lab_matched(&l, 0), 2);
	e = ev_get(&l.ring);
	assert_true(e->t == 10 && e->fault.action == FAULT_WATCH && e->fault.nth == 1);
	e = ev_get(&l.ring);
	assert_true(e->t == 12 && e->fault.nth == 2);
	assert_null(ev_get(&l.ring));
	lab_conserve(&l);
	lab_fini(&l);
}

static void a_marked_frame_has_ce(void **state)
{
	struct fault_record r = {.psn = FAULT_PSN_EVERY, .from = 100, .to = 0, .action = FAULT_ECN};
	struct lab l;
	struct pkt *p;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 50);
	for (uint32_t i = 0; i <= 200; i++) {
		lab_put(&l, 50 + i, 0);
		p = fault_get(l.f, 0);
		assert_int_equal(pkt_ecn(p), i % 100 ? ECN_ECT0 : ECN_CE);
		pkt_put(&l.stack, p);
	}
	assert_int_equal(fault_stats(l.f)->marked_frames, 3);
	lab_fini(&l);
}

static void a_delayed_frame_is_overtaken(void **state)
{
	struct fault_record r = {.psn = FAULT_PSN_RANGE,
		.from = 1,
		.to = 2,
		.action = FAULT_DELAY,
		.delay = 10 * NS};
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0);
	for (uint32_t i = 0; i < 4; i++)
		lab_put(&l, i, i * NS);
	LAB_EXPECT(&l, 3 * NS, 0, 3);
	assert_int_equal(fault_held(l.f), 2);
	assert_int_equal(fault_deadline(l.f), 11 * NS);
	LAB_NONE(&l, 11 * NS - 1);
	LAB_EXPECT(&l, 11 * NS, 1);
	assert_int_equal(fault_deadline(l.f), 12 * NS);
	lab_put(&l, 4, 12 * NS); // held frames go on before one that comes at the same instant
	LAB_EXPECT(&l, 12 * NS, 2, 4);
	assert_int_equal(fault_deadline(l.f), TSTAMP_NEVER);
	lab_conserve(&l);
	lab_fini(&l);
}

static void delayed_frames_of_one_instant_keep_their_order(void **state)
{
	struct fault_record r = {.action = FAULT_DELAY, .delay = 10 * NS};
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0);
	for (uint32_t i = 0; i < 7; i++)
		lab_put(&l, i, 5);
	LAB_NONE(&l, 5);
	LAB_EXPECT(&l, 10 * NS + 5, 0, 1, 2, 3, 4, 5, 6);
	lab_fini(&l);
}

static void a_reordered_frame_goes_on_behind_later_ones(void **state)
{
	struct fault_record r = {.psn = FAULT_PSN_RANGE,
		.from = 1,
		.to = 1,
		.action = FAULT_REORDER,
		.reorder = {.behind = 2, .within = 100 * NS}};
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0);
	for (uint32_t i = 0; i < 5; i++) {
		fault_put(
			l.f, lab_frame(&l, 1, PKT_DATA, BTH_RC_SEND_ONLY, 70 + i), i); // another's
		lab_put(&l, i, i);
	}
	LAB_EXPECT(&l, 5, 70, 0, 71, 72, 2, 73, 3, 1, 74, 4);
	lab_put(&l, 1, 6); // again, and nothing comes behind it
	LAB_NONE(&l, 6);
	assert_int_equal(fault_deadline(l.f), 6 + 100 * NS);
	LAB_EXPECT(&l, 6 + 100 * NS, 1);
	assert_int_equal(fault_stats(l.f)->reordered_frames, 2);
	lab_fini(&l);
}

// 1 waits for two frames, 2 for one: 2 is the second one for 1.
static void a_reordered_frame_counts_for_another(void **state)
{
	struct fault_record r[] = {
		{.psn = FAULT_PSN_RANGE,
			.from = 1,
			.to = 1,
			.action = FAULT_REORDER,
			.reorder = {.behind = 2, .within = TSTAMP_NEVER}},
		{.psn = FAULT_PSN_RANGE,
			.from = 2,
			.to = 2,
			.action = FAULT_REORDER,
			.reorder = {.behind = 1, .within = TSTAMP_NEVER}},
	};
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, r, 2, 0);
	for (uint32_t i = 1; i < 4; i++)
		lab_put(&l, i, i);
	LAB_EXPECT(&l, 3, 3, 2, 1);
	lab_fini(&l);
}

static void a_frame_is_copied(void **state)
{
	struct fault_record r = {
		.psn = FAULT_PSN_RANGE, .from = 1, .to = 1, .action = FAULT_DUPLICATE, .copies = 2};
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0);
	lab_put(&l, 0, 0);
	lab_put(&l, 1, 0);
	lab_put(&l, 2, 0);
	LAB_EXPECT(&l, 0, 0, 1, 1, 1, 2);
	assert_int_equal(fault_stats(l.f)->copied_frames, 2);
	assert_int_equal(l.stack.n, LAB_PKTS);
	lab_conserve(&l);
	lab_fini(&l);
}

static void records_act_in_order_and_a_drop_ends(void **state)
{
	struct fault_record r[] = {
		{.action = FAULT_DUPLICATE, .copies = 1},
		{.psn = FAULT_PSN_RANGE, .from = 0, .to = 0, .action = FAULT_DROP},
		{.action = FAULT_ECN},
	};
	struct lab l;
	struct pkt *p;

	(void)state;
	lab_init(&l);
	lab_one(&l, r, 3, 0);
	lab_put(&l, 0, 0);
	p = fault_get(l.f, 0); // the copy
	assert_int_equal(pkt_ecn(p), ECN_ECT0);
	pkt_put(&l.stack, p);
	assert_null(fault_get(l.f, 0));
	assert_int_equal(lab_matched(&l, 1), 1);
	assert_int_equal(lab_matched(&l, 2), 0);
	lab_conserve(&l);
	lab_fini(&l);
}

static void without_room_a_frame_goes_on(void **state)
{
	struct fault_record r = {
		.number = 1, .kinds = FAULT_ALL, .action = FAULT_DELAY, .delay = 10 * NS};
	const uint32_t all[] = {0};
	struct fault_params p;
	struct lab l;

	(void)state;
	lab_init(&l);
	p = lab_params(&l, &r, 1);
	p.held = 2;
	p.all = all;
	p.n_all = 1;
	assert_int_equal(fault_new(&l.f, &p), 0);
	for (uint32_t i = 0; i < 3; i++)
		lab_put(&l, i, 0);
	LAB_EXPECT(&l, 0, 2);
	assert_int_equal(lab_missed(&l, 0), 1);
	LAB_EXPECT(&l, 10 * NS, 0, 1);
	lab_fini(&l);
}

// Lumina's `iter` under go-back-N: the pass of a frame that was sent once is 2 behind a rewind.
static void a_pass_is_that_of_lumina(void **state)
{
	struct fault_record r = {
		.pass_from = 2, .pass_to = 2, .action = FAULT_DROP, .kinds = FAULT_DATA};
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0);
	fault_put(l.f, lab_frame(&l, 0, PKT_DATA, BTH_RC_SEND_FIRST, 0), 0);
	for (uint32_t i = 1; i < 10; i++)
		lab_put(&l, i, 0);
	assert_int_equal(lab_get(&l, 0, NULL, 0), 10);
	for (uint32_t i = 5; i < 12; i++)
		lab_put(&l, i, 0);
	LAB_NONE(&l, 0);
	fault_put(l.f, lab_frame(&l, 0, PKT_DATA, BTH_RC_SEND_FIRST, 12), 0); // in sequence: pass 1
	lab_put(&l, 13, 0);
	LAB_EXPECT(&l, 0, 12, 13);
	lab_fini(&l);
}

// Ones that only a record of all frames names: without room they pass, and are counted.
static void queue_pairs_without_room_pass(void **state)
{
	struct fault_record r = {.number = 1,
		.kinds = FAULT_DATA,
		.psn = FAULT_PSN_RANGE,
		.from = 1,
		.to = 1,
		.action = FAULT_DROP};
	const uint32_t all[] = {0};
	struct fault_params p;
	struct lab l;

	(void)state;
	lab_init(&l);
	p = lab_params(&l, &r, 1);
	p.all = all;
	p.n_all = 1;
	p.seen_pairs = 2;
	assert_int_equal(fault_new(&l.f, &p), 0);
	for (uint32_t psn = 50; psn < 52; psn++)
		for (unsigned to = 0; to < 3; to++)
			fault_put(l.f, lab_frame(&l, to, PKT_DATA, BTH_RC_SEND_ONLY, psn), 0);
	LAB_EXPECT(&l, 0, 50, 50, 50, 51);
	assert_int_equal(lab_matched(&l, 0), 2);
	assert_int_equal(fault_stats(l.f)->unknown_pairs, 2);
	lab_fini(&l);
}

static void impossible_records_are_refused(void **state)
{
	const struct fault_record bad[] = {
		{.number = 1, .kinds = FAULT_DATA, .psn = FAULT_PSN_EVERY},
		{.number = 1, .kinds = FAULT_DATA, .psn = FAULT_PSN_RANGE, .from = 2, .to = 1},
		{.number = 1, .kinds = FAULT_DATA, .action = FAULT_REORDER},
		{.number = 1, .kinds = FAULT_DATA, .nth_from = 2, .nth_to = 1},
		{.number = 1, .kinds = FAULT_DATA, .by_chance = true, .chance.bit_error_rate = 0.6},
	};
	struct lab l;

	(void)state;
	lab_init(&l);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct fault_params p = lab_params(&l, &bad[i], 1);

		assert_int_equal(fault_new(&l.f, &p), -EINVAL);
		assert_null(l.f);
	}
	lab_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_named_frame_is_dropped_once),
		cmocka_unit_test(other_queue_pairs_pass),
		cmocka_unit_test(a_watched_frame_goes_on),
		cmocka_unit_test(a_marked_frame_has_ce),
		cmocka_unit_test(a_delayed_frame_is_overtaken),
		cmocka_unit_test(delayed_frames_of_one_instant_keep_their_order),
		cmocka_unit_test(a_reordered_frame_goes_on_behind_later_ones),
		cmocka_unit_test(a_reordered_frame_counts_for_another),
		cmocka_unit_test(a_frame_is_copied),
		cmocka_unit_test(records_act_in_order_and_a_drop_ends),
		cmocka_unit_test(without_room_a_frame_goes_on),
		cmocka_unit_test(a_pass_is_that_of_lumina),
		cmocka_unit_test(queue_pairs_without_room_pass),
		cmocka_unit_test(impossible_records_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
