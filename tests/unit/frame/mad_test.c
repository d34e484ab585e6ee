// SPDX-License-Identifier: BSD-3-Clause
// MADs in frames: those of Linux's soft-RoCE are found and come back, what is not for queue pair 1
// or is damaged has its reason, frames of ours have a right ICRC and a length by their headers.
#include "frame/mad.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"
#include "frame/frame.h"

#define ROOM   (sizeof(struct pkt) + sizeof(struct hdr))
#define BTH_AT (14 + 20 + 8)

static struct {
	struct pkt p;
	struct hdr h;
	uint8_t bytes[2048];
} box;

static enum mad_error find(const uint8_t *frame, unsigned len, const uint8_t **mad)
{
	memset(&box, 0, sizeof(box));
	memcpy(box.bytes, frame, len);
	box.p.data_off = ROOM;
	box.p.len = (uint16_t)len;
	frame_to_pkt(&box.p, PKT_MAX_LEN);
	return mad_of_pkt(&box.p, mad);
}

static void softroce_mads_come_back(void **state)
{
	struct test_cap cap = test_cap_open("linux_softroce_rocev2.pcap");
	uint8_t back[MAD_FRAME_MAX];
	unsigned len, n = 0, others = 0;
	const uint8_t *o, *mad;

	(void)state;
	while ((o = test_cap_next(&cap, &len))) {
		if (find(o, len, &mad) != MAD_OK) {
			others++;
			continue;
		}
		n++;
		assert_int_equal(mad - box.bytes, BTH_AT + BTH_LEN + 8);
		assert_int_equal(mad_frame(&box.h, box.p.tos, box.p.u.rc.psn, mad, back), len);
		assert_int_equal(len, 322);
		// Soft-RoCE sets AckReq, which means nothing to an unreliable datagram.
		assert_int_equal(o[BTH_AT + 8], 0x80);
		assert_memory_equal(back, o, BTH_AT + 8);
		assert_int_equal(back[BTH_AT + 8], 0);
		assert_memory_equal(back + BTH_AT + 9, o + BTH_AT + 9, len - ICRC_LEN - BTH_AT - 9);
	}
	assert_int_equal(n, 5);
	assert_int_equal(others, 262);
}

static const struct hdr to_peer = {
	.dst = {2, 0, 0, 0, 0, 2},
	.src = {2, 0, 0, 0, 0, 1},
	.vlan_tci = 6 << 13 | 100,
	.ethertype = ETH_P_IPV4,
	.saddr = {10, 0, 0, 1},
	.daddr = {10, 0, 0, 2},
	.sport = 0xc123,
	.flags = HDR_IPV4,
	.ttl = 64,
	.ip_id = 0x1234,
};

static void a_frame_of_ours(void **state)
{
	static const struct {
		uint8_t flags;
		unsigned len;
	} kinds[] = {{HDR_IPV4, 322}, {HDR_IPV4 | HDR_VLAN, 326}, {HDR_IPV6, 342},
		{HDR_IPV6 | HDR_VLAN, 346}, {HDR_IPV4 | HDR_VLAN | HDR_STAG | HDR_INNER, 330},
		{HDR_IPV6 | HDR_VLAN | HDR_INNER, MAD_FRAME_MAX}};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct hdr h = to_peer;
		uint8_t mad[MAD_LEN];
		const uint8_t *found;

		for (unsigned k = 0; k < MAD_LEN; k++)
			mad[k] = (uint8_t)(k * 7 + i);
		h.flags = kinds[i].flags;
		h.ethertype = h.flags & HDR_IPV6 ? ETH_P_IPV6 : ETH_P_IPV4;
		memset(&box, 0, sizeof(box));
		mad_to_pkt(&box.p, ROOM, &h, 0x68, 0xabcdef, mad);
		assert_int_equal(box.p.len, kinds[i].len);
		assert_int_equal(box.p.kind, PKT_ROCE);
		assert_int_equal(box.p.tos, 0x68);
		assert_int_equal(box.p.u.rc.psn, 0xabcdef);
		assert_int_equal(box.h.sport, 0xc123);
		assert_int_equal(box.h.flags, kinds[i].flags);
		assert_int_equal(box.h.dport, BTH_UDP_PORT);
		assert_true(frame_pkt_icrc_ok(&box.p));
		assert_int_equal(mad_of_pkt(&box.p, &found), MAD_OK);
		assert_memory_equal(found, mad, MAD_LEN);
		box.bytes[box.p.len - ICRC_LEN - 1] ^= 1;
		assert_false(frame_pkt_icrc_ok(&box.p));
	}
}

// One change of a good frame each.
static void what_is_wrong_has_its_reason(void **state)
{
	static const struct {
		unsigned at;
		uint8_t value;
		enum mad_error want;
	} faults[] = {
		{BTH_AT, 0x04, MAD_NOT_GSI},               // RC SEND only
		{BTH_AT, 0x65, MAD_NOT_GSI},               // with immediate data
		{BTH_AT + 7, 2, MAD_NOT_GSI},              // another queue pair
		{BTH_AT + BTH_LEN, 0, MAD_BAD_QKEY},       // first byte of the Q_Key
		{BTH_AT + BTH_LEN + 3, 1, MAD_BAD_QKEY},   // its last
		{BTH_AT + BTH_LEN + 7, 2, MAD_BAD_SOURCE}, // source queue pair
		{BTH_AT + BTH_LEN + 4, 0xff, MAD_OK},      // reserved
		{BTH_AT + 1, 1 << 4, MAD_BAD_LENGTH},      // a byte of padding
		{14 + 20 + 2, 0, MAD_NOT_GSI},             // another UDP port
		{14, 0x46, MAD_NOT_GSI},                   // a header that is longer than it is
	};
	const uint8_t zeros[MAD_LEN] = {0}, *mad;
	uint8_t good[MAD_FRAME_MAX], bad[MAD_FRAME_MAX];
	unsigned len = mad_frame(&to_peer, 0, 0, zeros, good);

	(void)state;
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		memcpy(bad, good, len);
		bad[faults[i].at] = faults[i].value;
		assert_int_equal(find(bad, len, &mad), faults[i].want);
		assert_true(faults[i].want == MAD_OK || !mad);
	}
	for (unsigned cut = 0; cut < len; cut++)
		assert_int_equal(find(good, cut, &mad), MAD_NOT_GSI);
}

static void one_of_ours_without_bytes_is_none(void **state)
{
	const struct pkt p = {.kind = PKT_ROCE, .u.rc = {.opcode = 0x64, .qpn = MAD_QPN}};
	const uint8_t *mad = (const uint8_t *)&p;

	(void)state;
	assert_int_equal(mad_of_pkt(&p, &mad), MAD_NOT_GSI);
	assert_null(mad);
}

static void header(void **state)
{
	uint8_t o[MAD_HDR_LEN], back[MAD_HDR_LEN];
	struct mad m;

	(void)state;
	assert_int_equal(hex_bytes("01 07 02 03 1122 3344 0102030405060708 0010 0000 99aabbcc", o),
		MAD_HDR_LEN);
	mad_parse(o, &m);
	assert_int_equal(m.base_version, MAD_BASE_VERSION);
	assert_int_equal(m.mgmt_class, MAD_CLASS_CM);
	assert_int_equal(m.class_version, 2);
	assert_int_equal(m.method, MAD_METHOD_SEND);
	assert_int_equal(m.status, 0x1122);
	assert_int_equal(m.class_specific, 0x3344);
	assert_int_equal(m.tid, 0x0102030405060708);
	assert_int_equal(m.attr_id, 0x10);
	assert_int_equal(m.attr_mod, 0x99aabbcc);
	assert_int_equal(mad_render(&m, back), MAD_HDR_LEN);
	assert_memory_equal(back, o, MAD_HDR_LEN);
}

static void names(void **state)
{
	(void)state;
	for (unsigned e = 0; e < MAD_ERRORS; e++)
		assert_string_not_equal(mad_error_name(e), "unknown");
	assert_string_equal(mad_error_name(MAD_BAD_QKEY), "bad_qkey");
	assert_string_equal(mad_error_name(MAD_ERRORS), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softroce_mads_come_back),
		cmocka_unit_test(a_frame_of_ours),
		cmocka_unit_test(what_is_wrong_has_its_reason),
		cmocka_unit_test(one_of_ours_without_bytes_is_none),
		cmocka_unit_test(header),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
