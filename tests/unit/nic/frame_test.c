// SPDX-License-Identifier: BSD-3-Clause
// Lengths of frames: what verbs, headers and framing add to the payload.
#include "nic_terms/nic_terms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct rc_cfg rc;
static struct hdr data_hdr, back_hdr;

static struct nic_qp_params params(enum rc_verb verb, uint16_t flags)
{
	struct rc_params p = {.verb = verb,
		.mtu = 1024,
		.window = 64,
		.ack_every = 4,
		.rto_ps = TSTAMP_NEVER,
		.rd_atomic = 1,
		.recovery = RC_GO_BACK_N};

	assert_int_equal(rc_cfg_init(&rc, &p), 0);
	data_hdr = back_hdr = (struct hdr){.flags = flags};
	return (struct nic_qp_params){
		.rc = &rc, .data_hdr = &data_hdr, .ack_hdr = &back_hdr, .cnp_hdr = &back_hdr};
}

static uint32_t len(const struct nic_qp_params *p, uint32_t payload, bool first, bool last)
{
	struct nic_frame f = nic_frame_of(p);

	return nic_frame_len(&f, payload, first, nic_frame_own(&f, first, last));
}

static void a_verb_has_its_headers(void **state)
{
	// first, middle, last and only, of 1024 bytes
	static const uint32_t want[][4] = {
		[RC_WRITE] = {1098, 1082, 1082, 1098},
		[RC_SEND] = {1082, 1082, 1082, 1082},
		[RC_WRITE_IMM] = {1098, 1082, 1086, 1102},
		[RC_SEND_IMM] = {1082, 1082, 1086, 1086},
		[RC_READ] = {1086, 1082, 1086, 1086},
	};

	(void)state;
	for (unsigned verb = RC_WRITE; verb <= RC_READ; verb++) {
		struct nic_qp_params p = params((enum rc_verb)verb, 0);

		assert_int_equal(len(&p, 1024, true, false), want[verb][0]);
		assert_int_equal(len(&p, 1024, false, false), want[verb][1]);
		assert_int_equal(len(&p, 1024, false, true), want[verb][2]);
		assert_int_equal(len(&p, 1024, true, true), want[verb][3]);
		assert_int_equal(nic_ack_len(&p), verb == RC_READ ? 74 : 62);
		assert_int_equal(nic_nak_len(&p), 62);
		assert_int_equal(nic_cnp_len(&p), 74);
	}
}

static void ipv6_and_tags_are_longer(void **state)
{
	struct nic_qp_params p = params(RC_SEND, HDR_IPV6 | HDR_VLAN | HDR_CNTAG);

	(void)state;
	assert_int_equal(len(&p, 1024, false, false), 1024 + 78 + 4 + 4);
	back_hdr.flags = HDR_IPV6;
	assert_int_equal(nic_ack_len(&p), 82);
	back_hdr.flags |= HDR_VLAN;
	assert_int_equal(nic_ack_len(&p), 86);
	assert_int_equal(nic_nak_len(&p), 86);
	assert_int_equal(nic_cnp_len(&p), 98);
	p.requester = true;
	assert_int_equal(nic_nak_len(&p), 78 + 4 + 4 + 4);
}

static void payload_and_frame_are_filled_up(void **state)
{
	struct nic_qp_params p = params(RC_SEND, 0);

	(void)state;
	assert_int_equal(len(&p, 0, true, true), 60);
	assert_int_equal(len(&p, 1, true, true), 62);
	assert_int_equal(len(&p, 4, true, true), 62);
	assert_int_equal(len(&p, 5, true, true), 66);
}

static void a_bare_frame_is_its_header_and_payload(void **state)
{
	struct nic_qp_params p = params(RC_WRITE_IMM, 0);

	(void)state;
	p.bare = true;
	p.overhead = 48;
	p.ack_len = 60;
	assert_int_equal(len(&p, 1, true, true), 49);
	assert_int_equal(len(&p, 814, true, true), 862);
	assert_int_equal(len(&p, 1000, true, false), 1048);
	assert_int_equal(nic_ack_len(&p), 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verb_has_its_headers),
		cmocka_unit_test(ipv6_and_tags_are_longer),
		cmocka_unit_test(payload_and_frame_are_filled_up),
		cmocka_unit_test(a_bare_frame_is_its_header_and_payload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
