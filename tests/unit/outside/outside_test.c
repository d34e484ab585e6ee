// SPDX-License-Identifier: BSD-3-Clause
// Which frames an observer takes for which class and kind, and the due CNPs of np_due.h.
#include "outside_lab.h"

static void the_class_follows_from_dscp_or_pcp(void **state)
{
	struct outside *o = lab_new(0);
	struct hdr h = lab_hdr(9, 1), tagged = lab_hdr(9, 1);
	struct pkt p = lab_frame(PKT_OTHER, &h), off = lab_pfc(3, 1000, &h),
		   off5 = lab_pfc(5, 1000, &h);

	(void)state;
	tagged.flags |= HDR_VLAN;
	tagged.vlan_tci = 6 << 13;
	o->p.pcp_to_class[6] = 5;
	outside_left(o, &off, 0);
	outside_left(o, &off5, 0);
	outside_came(o, &p, LAB_WIRE);
	assert_int_equal(o->row[3].asking.came, LAB_LEN);
	p.hdr = &tagged;
	outside_came(o, &p, 2 * LAB_WIRE);
	assert_int_equal(o->row[3].asking.came, 2 * LAB_LEN);
	o->p.by_pcp = true;
	outside_came(o, &p, 3 * LAB_WIRE);
	assert_int_equal(o->row[3].asking.came, 2 * LAB_LEN);
	assert_int_equal(o->row[5].asking.came, LAB_LEN);
	assert_int_equal(outside_totals(o)->came_frames, 3);
	assert_int_equal(outside_totals(o)->left_frames, 2);
	outside_free(o);
}

static void mac_control_and_malformed_frames_are_of_no_class(void **state)
{
	struct outside *o = lab_new(0);
	struct hdr h = lab_hdr(9, 1);
	struct pkt bad = lab_frame(PKT_BAD, &h), ctl = lab_frame(PKT_MACCTL, &h);

	(void)state;
	outside_came(o, &bad, LAB_WIRE);
	outside_came(o, &ctl, 2 * LAB_WIRE);
	outside_left(o, &ctl, 0);
	for (unsigned i = 0; i < OUTSIDE_ROWS; i++) {
		assert_true(o->row[i].last == TSTAMP_NEVER);
		assert_int_equal(o->row[i].sent_frames, 0);
	}
	outside_free(o);
}

// A switch that forgets headers gives frames without one: the addresses are in the bytes.
static void a_forgotten_header_is_read_from_the_bytes(void **state)
{
	struct {
		struct pkt pkt;
		uint8_t bytes[64];
	} f = {.pkt = lab_rc(PKT_DATA, NULL, 17, 0)};
	struct outside *o = lab_new(0);
	struct ends e;

	(void)state;
	f.pkt.data_off = sizeof(struct pkt);
	f.pkt.l3_off = 14;
	f.pkt.tos |= ECN_CE;
	f.bytes[14] = 0x45;
	f.bytes[14 + 12] = 10;
	f.bytes[14 + 19] = 7;
	assert_true(outside_ends(&e, &f.pkt));
	assert_int_equal(e.saddr[0], 10);
	assert_int_equal(e.daddr[3], 7);
	outside_left(o, &f.pkt, 0);
	assert_int_equal(outside_cnp(o, NP_KEY_QP, PS_PER_S).ce, 1);
	f.bytes[14] = 0x60;
	f.bytes[14 + 8] = 0xfd;
	assert_true(outside_ends(&e, &f.pkt));
	assert_true(e.ipv6);
	assert_int_equal(e.saddr[0], 0xfd);
	f.pkt.data_off = 0;
	assert_false(outside_ends(&e, &f.pkt));
	outside_left(o, &f.pkt, PS_PER_US);
	assert_int_equal(outside_cnp(o, NP_KEY_QP, PS_PER_S).ce, 1);
	outside_free(o);
}

// Frames that a loop hands over together leave one after the other.
static void frames_of_a_burst_leave_in_turn(void **state)
{
	struct outside *o = lab_new(0);
	struct hdr h = lab_hdr(1, 9);
	struct pkt p = lab_frame(PKT_OTHER, &h);

	(void)state;
	outside_left(o, &p, PS_PER_US);
	outside_left(o, &p, PS_PER_US);
	assert_int_equal(o->free_at, PS_PER_US + 2 * LAB_WIRE);
	outside_free(o);
}

// CE at 0, 10, 30, 49, 60 and 170 us, T 50 us: the worked example of standards.md 4.2.
static void due_cnps_of_the_worked_example(void **state)
{
	static const uint64_t ce_us[] = {0, 10, 30, 49, 60, 170};
	static const unsigned want[] = {[NP_WINDOW] = 4, [NP_NEXT_MARKED] = 3, [NP_PER_PACKET] = 6};

	(void)state;
	for (unsigned mode = 0; mode < 3; mode++) {
		struct np_due d = {0};

		for (unsigned i = 0; i < 6; i++)
			np_due_ce(&d, (enum np_mode)mode, 50 * PS_PER_US, 0,
				PS_PER_US + ce_us[i] * PS_PER_US);
		np_due_end(&d, 50 * PS_PER_US, 0, PS_PER_S);
		assert_int_equal(d.n, want[mode]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_class_follows_from_dscp_or_pcp),
		cmocka_unit_test(mac_control_and_malformed_frames_are_of_no_class),
		cmocka_unit_test(a_forgotten_header_is_read_from_the_bytes),
		cmocka_unit_test(frames_of_a_burst_leave_in_turn),
		cmocka_unit_test(due_cnps_of_the_worked_example),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
