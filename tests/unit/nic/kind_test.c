// SPDX-License-Identifier: BSD-3-Clause
// Common properties of queue pairs are kept once, and each still has its own parameters.
#include "nic_lab.h"

#include "qp/qp.h"

static struct lab l;

static void equal_ones_are_kept_once(void **state)
{
	struct nic_qp_params p;

	(void)state;
	lab_init(&l);
	lab_start(&l);
	for (uint32_t i = 1; i <= 300; i++) {
		p = lab_req(&l, i);
		p.phase = i;
		p.message_bytes = i % 3 ? 4096 : 1 << 20; // two kinds, in turn
		lab_add(&l, &p);
	}
	assert_int_equal(l.nic[0]->n_kinds, 2);
	assert_int_equal(l.nic[1]->n_kinds, 1);
	for (uint32_t i = 1; i <= 300; i++) {
		p = nic_qp_params(l.nic[0], i - 1);
		assert_int_equal(p.flow, i);
		assert_int_equal(p.qpn, i);
		assert_int_equal(p.peer_qpn, i);
		assert_int_equal(p.phase, i);
		assert_int_equal(p.message_bytes, i % 3 ? 4096 : 1 << 20);
		assert_ptr_equal(p.data_hdr, &l.data_hdr);
		p = nic_qp_params(l.nic[1], i - 1);
		assert_int_equal(p.flow, i);
		assert_ptr_equal(p.ack_hdr, &l.back_hdr);
		assert_ptr_equal(p.cnp_hdr, &l.back_hdr);
	}
	lab_end(&l);
}

// The responders of a list of flows, each of which has a start and a size of its own.
static void responders_of_any_messages_are_one_kind(void **state)
{
	(void)state;
	lab_init(&l);
	lab_start(&l);
	for (uint32_t i = 1; i <= 300; i++) {
		const struct nic_qp_params p = {.flow = i,
			.qpn = i,
			.peer_qpn = i,
			.data_hdr = &l.data_hdr,
			.ack_hdr = &l.back_hdr,
			.cnp_hdr = &l.back_hdr,
			.ack_cls = 6,
			.rc = &l.rc,
			.message_bytes = 1000 * i,
			.count = i,
			.outstanding = i % 4,
			.start = i * PS_PER_US,
			.stop = TSTAMP_NEVER};

		assert_int_equal(nic_add_qp(l.nic[1], &p), 0);
	}
	assert_int_equal(l.nic[1]->n_kinds, 1);
	lab_end(&l);
}

// A kind contains the parts of a header that decide the length of frames.
static void a_header_with_a_tag_makes_another(void **state)
{
	struct hdr tagged;
	struct nic_qp_params p;

	(void)state;
	lab_init(&l);
	lab_start(&l);
	tagged = l.data_hdr;
	tagged.flags |= HDR_VLAN;
	p = lab_req(&l, 1);
	lab_add(&l, &p);
	p = lab_req(&l, 2);
	p.data_hdr = &tagged;
	lab_add(&l, &p);
	assert_int_equal(l.nic[0]->n_kinds, 2);
	assert_int_equal(nic_qp_params(l.nic[0], 0).overhead, 58);
	assert_int_equal(nic_qp_params(l.nic[0], 1).overhead, 62);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_ones_are_kept_once),
		cmocka_unit_test(responders_of_any_messages_are_one_kind),
		cmocka_unit_test(a_header_with_a_tag_makes_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
