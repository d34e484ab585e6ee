// SPDX-License-Identifier: BSD-3-Clause
// Forged frames: when they come, and as what.
#include "fault_lab.h"

#include "frame/frame.h"
#include "wire/pfc.h"

#define NS PS_PER_NS

static uint8_t pfc_frame[PKT_MIN_LEN];
static uint8_t cnp_frame[PKT_MAX_LEN];

static void lab_forge(struct lab *l, const struct fault_record *r, uint32_t n)
{
	const uint32_t all[] = {0, 1, 2};
	struct fault_params p = lab_params(l, r, n);

	assert_true(n <= 3);
	p.all = all;
	p.n_all = n;
	assert_int_equal(fault_new(&l->f, &p), 0);
}

static struct fault_record pfc_of(tstamp start, tstamp every, uint64_t count)
{
	struct pfc pfc = {.opcode = MACCTL_PFC, .time = {.enable = 8, .quanta = {[3] = 100}}};
	struct fault_record r = {.number = 1,
		.action = FAULT_FORGE,
		.forge = {.bytes = pfc_frame,
			.len = sizeof(pfc_frame),
			.start = start,
			.every = every,
			.count = count}};

	memcpy(pfc_frame, pfc_dst, 6);
	put_be16(pfc_frame + 12, ETH_P_MAC_CONTROL);
	pfc_render(&pfc, pfc_frame + 14);
	return r;
}

static void a_frame_is_forged_so_often(void **state)
{
	struct fault_record r = pfc_of(10 * NS, 5 * NS, 2);
	const struct ev *e;
	struct lab l;
	struct pkt *p;

	(void)state;
	lab_init(&l);
	lab_forge(&l, &r, 1);
	assert_int_equal(fault_deadline(l.f), 10 * NS);
	assert_null(fault_get(l.f, 10 * NS - 1));
	p = fault_get(l.f, 10 * NS);
	assert_int_equal(p->kind, PKT_PFC);
	assert_int_equal(p->u.pfc.quanta[3], 100);
	assert_int_equal(p->u.pfc.enable, 8);
	assert_true(p->hdr == pkt_own_hdr(p));
	assert_int_equal(p->when, 10 * NS);
	pkt_put(&l.stack, p);
	assert_null(fault_get(l.f, 10 * NS));
	assert_int_equal(fault_deadline(l.f), 15 * NS);
	lab_put(&l, 1, 20 * NS); // a late driver: the forged frame was due earlier
	p = fault_get(l.f, 20 * NS);
	assert_int_equal(p->kind, PKT_PFC);
	assert_int_equal(p->when, 15 * NS);
	pkt_put(&l.stack, p);
	LAB_EXPECT(&l, 20 * NS, 1);
	assert_int_equal(fault_deadline(l.f), TSTAMP_NEVER);
	assert_int_equal(lab_matched(&l, 0), 2);
	assert_int_equal(fault_stats(l.f)->forged_frames, 2);
	e = ev_get(&l.ring);
	assert_int_equal(e->t, 10 * NS);
	assert_int_equal(e->fault.action, FAULT_FORGE);
	assert_int_equal(e->fault.bytes, PKT_MIN_LEN);
	lab_conserve(&l);
	lab_fini(&l);
}

static void a_forged_cnp_is_that_of_its_queue_pair(void **state)
{
	struct fault_record r = {.number = 1,
		.action = FAULT_FORGE,
		.forge = {.bytes = cnp_frame, .start = 3, .count = 1}};
	const struct ev *e;
	struct lab l;
	struct pkt *p;

	(void)state;
	lab_init(&l);
	p = lab_frame(&l, 0, PKT_CNP, BTH_CNP, 0);
	p->len = 74;
	r.forge.len = (uint16_t)frame_from_pkt(p, cnp_frame);
	pkt_put(&l.stack, p);
	lab_forge(&l, &r, 1);
	p = fault_get(l.f, 3);
	assert_int_equal(p->kind, PKT_CNP);
	assert_int_equal(p->u.rc.qpn, LAB_QPN);
	assert_true(frame_pkt_icrc_ok(p));
	pkt_put(&l.stack, p);
	e = ev_get(&l.ring);
	assert_int_equal(e->fault.qpn, LAB_QPN);
	assert_int_equal(fault_deadline(l.f), TSTAMP_NEVER);
	lab_fini(&l);
}

static void records_that_forge_keep_their_order(void **state)
{
	struct fault_record r[] = {
		pfc_of(10, 10, 3), pfc_of(10, 20, 0), {.number = 3, .action = FAULT_ECN}};
	struct lab l;

	(void)state;
	lab_init(&l);
	r[1].number = 2;
	lab_forge(&l, r, 3);
	for (tstamp t = 10; t <= 50; t = fault_deadline(l.f))
		lab_get(&l, t, NULL, 0);
	for (unsigned i = 0, want[] = {1, 2, 1, 1, 2, 2}; i < 6; i++)
		assert_int_equal(ev_get(&l.ring)->fault.record, want[i]);
	assert_null(ev_get(&l.ring));
	assert_int_equal(lab_matched(&l, 0), 3);
	assert_int_equal(lab_matched(&l, 1), 3);
	assert_int_equal(fault_deadline(l.f), 70);
	lab_fini(&l);
}

static void without_a_descriptor_none_is_forged(void **state)
{
	struct fault_record r = pfc_of(10, 10, 2);
	struct lab l;
	uint32_t n;

	(void)state;
	lab_init(&l);
	lab_forge(&l, &r, 1);
	n = l.stack.n;
	l.stack.n = 0;
	assert_null(fault_get(l.f, 10));
	l.stack.n = n;
	assert_int_equal(lab_missed(&l, 0), 1);
	assert_int_equal(lab_get(&l, 20, NULL, 0), 1);
	lab_conserve(&l);
	lab_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_forged_so_often),
		cmocka_unit_test(a_forged_cnp_is_that_of_its_queue_pair),
		cmocka_unit_test(records_that_forge_keep_their_order),
		cmocka_unit_test(without_a_descriptor_none_is_forged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
