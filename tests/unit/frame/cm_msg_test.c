// SPDX-License-Identifier: BSD-3-Clause
// Messages of the communication manager: a vector of each by the tables of the specification,
// those of Linux come back byte by byte, each bit belongs to one field or is reserved.
#include "frame/cm_msg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"
#include "frame/frame.h"

#define HEAD "01 07 02 03 0000 0000 0102030405060708 " // attribute ID
#define REST " 0000 00000000 "

static uint8_t mad[2 * MAD_LEN];

// Reads a vector, which zeros fill up to a MAD; it must come back.
static struct cm_msg vector(const char *hex)
{
	uint8_t back[MAD_LEN];
	struct cm_msg m;

	memset(mad, 0, sizeof(mad));
	assert_true(hex_bytes(hex, mad) <= MAD_LEN);
	assert_int_equal(cm_msg_parse(mad, &m), MAD_OK);
	assert_int_equal(m.tid, 0x0102030405060708);
	memset(back, 0xee, sizeof(back));
	cm_msg_render(&m, back);
	assert_memory_equal(back, mad, MAD_LEN);
	return m;
}

#define PATH_1                                                                         \
	"1112 1314 00000000000000000000ffff0a000001 00000000000000000000ffff0a000002 " \
	"abcde 01a 68 40 78 98" // flow label, reserved and rate, class, hop limit, SL, ack timeout
#define PATH_2                                                                         \
	"2122 2324 fe800000000000000000000000000003 fe800000000000000000000000000004 " \
	"12345 03f 21 ff f0 f8"

static void check_paths(const struct cm_req *r)
{
	const uint8_t v4[4] = {10, 0, 0, 1};
	uint8_t gid[16];

	assert_int_equal(r->primary.local_lid, 0x1112);
	assert_int_equal(r->primary.remote_lid, 0x1314);
	cm_gid(4, v4, gid);
	assert_memory_equal(r->primary.local_gid, gid, 16);
	assert_int_equal(r->primary.remote_gid[15], 2);
	assert_int_equal(r->primary.flow_label, 0xabcde);
	assert_int_equal(r->primary.packet_rate, 0x1a);
	assert_int_equal(r->primary.traffic_class, 0x68);
	assert_int_equal(r->primary.hop_limit, 64);
	assert_int_equal(r->primary.sl, 7);
	assert_int_equal(r->primary.subnet_local, 1);
	assert_int_equal(r->primary.local_ack_timeout, 19);
	assert_int_equal(r->alternate.local_lid, 0x2122);
	assert_int_equal(r->alternate.remote_lid, 0x2324);
	assert_int_equal(r->alternate.local_gid[0], 0xfe);
	assert_int_equal(r->alternate.remote_gid[15], 4);
	assert_int_equal(r->alternate.flow_label, 0x12345);
	assert_int_equal(r->alternate.packet_rate, 0x3f);
	assert_int_equal(r->alternate.traffic_class, 0x21);
	assert_int_equal(r->alternate.hop_limit, 255);
	assert_int_equal(r->alternate.sl, 15);
	assert_int_equal(r->alternate.subnet_local, 0);
	assert_int_equal(r->alternate.local_ack_timeout, 31);
}

static void req(void **state)
{
	const struct cm_msg m = vector(HEAD
		"0010" REST "a1a2a3a4 00000000 0000000001061234 b1b2b3b4b5b6b7b8 00000000 c1c2c3c4 "
		"d1d2d3 10 e1e2e3 20 f1f2f3 a3 010203 9d ffff 3e f7 " PATH_1 PATH_2
		"00 40 ed7f 000000000000000000000000 0a000001 "
		"000000000000000000000000 0a000002 99");
	const struct cm_req *r = &m.u.req;
	struct cm_ip ip;

	(void)state;
	assert_int_equal(m.kind, CM_REQ);
	assert_int_equal(m.local_id, 0xa1a2a3a4);
	assert_int_equal(m.remote_id, 0);
	assert_int_equal(r->service_id, CM_SERVICE_TCP | 0x1234);
	assert_int_equal(r->ca_guid, 0xb1b2b3b4b5b6b7b8);
	assert_int_equal(r->qkey, 0xc1c2c3c4);
	assert_int_equal(r->qpn, 0xd1d2d3);
	assert_int_equal(r->responder_resources, 16);
	assert_int_equal(r->eecn, 0xe1e2e3);
	assert_int_equal(r->initiator_depth, 32);
	assert_int_equal(r->remote_eecn, 0xf1f2f3);
	assert_int_equal(r->remote_response_timeout, 20); // a3 is 10100 01 1
	assert_int_equal(r->transport, 1);
	assert_int_equal(r->flow_control, 1);
	assert_int_equal(r->psn, 0x010203);
	assert_int_equal(r->local_response_timeout, 19); // 9d is 10011 101
	assert_int_equal(r->retry_count, 5);
	assert_int_equal(r->pkey, 0xffff);
	assert_int_equal(r->mtu, 3); // 3e is 0011 1 110
	assert_int_equal(r->rdc_exists, 1);
	assert_int_equal(r->rnr_retry_count, 6);
	assert_int_equal(r->max_cm_retries, 15); // f7 is 1111 0 111
	assert_int_equal(r->srq, 0);
	assert_int_equal(r->extended_transport, 7);
	check_paths(r);
	assert_true(cm_ip_parse(m.data, &ip));
	assert_int_equal(ip.version, 4);
	assert_int_equal(ip.port, 0xed7f);
	assert_memory_equal(ip.saddr, "\x0a\0\0\x01\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_memory_equal(ip.daddr, "\x0a\0\0\x02\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(m.data[CM_IP_LEN], 0x99);
}

static void rep(void **state)
{
	const struct cm_msg m =
		vector(HEAD "0013" REST "a1a2a3a4 b1b2b3b4 c1c2c3c4 d1d2d300 e1e2e300 f1f2f300 "
			    "05 06 7d d0 1112131415161718 99");
	const struct cm_rep *r = &m.u.rep;

	(void)state;
	assert_int_equal(m.kind, CM_REP);
	assert_int_equal(m.local_id, 0xa1a2a3a4);
	assert_int_equal(m.remote_id, 0xb1b2b3b4);
	assert_int_equal(r->qkey, 0xc1c2c3c4);
	assert_int_equal(r->qpn, 0xd1d2d3);
	assert_int_equal(r->eecn, 0xe1e2e3);
	assert_int_equal(r->psn, 0xf1f2f3);
	assert_int_equal(r->responder_resources, 5);
	assert_int_equal(r->initiator_depth, 6);
	assert_int_equal(r->target_ack_delay, 15); // 7d is 01111 10 1
	assert_int_equal(r->failover_accepted, 2);
	assert_int_equal(r->flow_control, 1);
	assert_int_equal(r->rnr_retry_count, 6); // d0 is 110 1 0000
	assert_int_equal(r->srq, 1);
	assert_int_equal(r->ca_guid, 0x1112131415161718);
	assert_int_equal(m.data[0], 0x99);
}

static void mra(void **state)
{
	const struct cm_msg m = vector(HEAD "0011" REST "a1a2a3a4 b1b2b3b4 40 a8 99");

	(void)state;
	assert_int_equal(m.kind, CM_MRA);
	assert_int_equal(m.local_id, 0xa1a2a3a4);
	assert_int_equal(m.remote_id, 0xb1b2b3b4);
	assert_int_equal(m.u.mra.answered, CM_ANSWERS_REP);
	assert_int_equal(m.u.mra.service_timeout, 21);
	assert_int_equal(m.data[0], 0x99);
}

static void rej(void **state)
{
	const struct cm_msg m = vector(HEAD "0012" REST "a1a2a3a4 b1b2b3b4 80 10 000a "
					    "1112131415161718 00000000000000000000000000000000 "
					    "00000000000000000000000000000000 "
					    "00000000000000000000000000000000 "
					    "000000000000000000000000000000ff 99");

	(void)state;
	assert_int_equal(m.kind, CM_REJ);
	assert_int_equal(m.remote_id, 0xb1b2b3b4);
	assert_int_equal(m.u.rej.answered, CM_ANSWERS_OTHER);
	assert_int_equal(m.u.rej.ari_len, 8);
	assert_int_equal(m.u.rej.reason, CM_REJ_STALE);
	assert_memory_equal(m.u.rej.ari, "\x11\x12\x13\x14\x15\x16\x17\x18", 8);
	assert_int_equal(m.u.rej.ari[71], 0xff);
	assert_int_equal(m.data[0], 0x99);
}

static void rtu_dreq_drep(void **state)
{
	struct cm_msg m = vector(HEAD "0014" REST "a1a2a3a4 b1b2b3b4 99");

	(void)state;
	assert_int_equal(m.kind, CM_RTU);
	assert_int_equal(m.local_id, 0xa1a2a3a4);
	assert_int_equal(m.data[0], 0x99);
	m = vector(HEAD "0015" REST "a1a2a3a4 b1b2b3b4 d1d2d300 99");
	assert_int_equal(m.kind, CM_DREQ);
	assert_int_equal(m.u.dreq_qpn, 0xd1d2d3);
	assert_int_equal(m.data[0], 0x99);
	m = vector(HEAD "0016" REST "a1a2a3a4 b1b2b3b4 99");
	assert_int_equal(m.kind, CM_DREP);
	assert_int_equal(m.remote_id, 0xb1b2b3b4);
	assert_int_equal(m.data[0], 0x99);
}

// Bits of each message that are set alone come back alone, or are reserved and do not.
static void each_bit_is_a_field_or_reserved(void **state)
{
	// REQ: bytes 4 to 7, 24 to 27, 6 bits of each flow label's word, 3 of each SL's byte, 3 and
	// 2 of the ack timeouts'. MRA: 6 and 3. REJ: 6 and 1. REP: 3 bytes, 4 bits. DREQ: 1 byte.
	static const struct {
		unsigned kind, reserved;
	} rows[] = {{CM_REQ, 64 + 12 + 6 + 3 + 2}, {CM_MRA, 9}, {CM_REJ, 7}, {CM_REP, 28},
		{CM_RTU, 0}, {CM_DREQ, 8}, {CM_DREP, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t o[MAD_LEN], none[MAD_LEN], back[MAD_LEN];
		unsigned reserved = 0;

		cm_msg_render(&(struct cm_msg){.kind = (uint8_t)rows[i].kind}, none);
		for (unsigned bit = MAD_HDR_LEN * 8; bit < MAD_LEN * 8; bit++) {
			struct cm_msg m;

			memcpy(o, none, MAD_LEN);
			o[bit / 8] |= (uint8_t)(1 << bit % 8);
			assert_int_equal(cm_msg_parse(o, &m), MAD_OK);
			cm_msg_render(&m, back);
			if (!memcmp(back, none, MAD_LEN))
				reserved++;
			else
				assert_memory_equal(back, o, MAD_LEN);
		}
		assert_int_equal(reserved, rows[i].reserved);
	}
}

static void softroce_messages_come_back(void **state)
{
	static const unsigned kinds[] = {CM_REQ, CM_REP, CM_RTU, CM_DREQ, CM_DREP};
	struct test_cap cap = test_cap_open("linux_softroce_rocev2.pcap");
	uint8_t back[MAD_LEN];
	unsigned len, n = 0;
	const uint8_t *o;
	struct cm_msg m;

	(void)state;
	while ((o = test_cap_next(&cap, &len))) {
		struct frame f;

		frame_parse(o, len, &f);
		if (f.kind != PKT_ROCE || f.bth.qpn != MAD_QPN)
			continue;
		assert_int_equal(cm_msg_parse(o + f.payload_off, &m), MAD_OK);
		assert_int_equal(m.kind, kinds[n++]);
		cm_msg_render(&m, back);
		assert_memory_equal(back, o + f.payload_off, MAD_LEN);
		if (m.kind == CM_REQ) {
			struct cm_ip ip;

			assert_true(cm_ip_parse(m.data, &ip));
			assert_int_equal(ip.port, 0xed7f);
			assert_memory_equal(ip.saddr, f.ip.saddr, 16);
			assert_memory_equal(ip.daddr, f.ip.daddr, 16);
			assert_int_equal(m.u.req.primary.flow_label, 0xcde67);
			assert_int_equal(m.u.req.primary.packet_rate, 0);
			assert_int_equal(m.u.req.primary.local_ack_timeout, 19);
		}
	}
	assert_int_equal(n, 5);
}

static void what_is_no_message_has_its_reason(void **state)
{
	static const struct {
		unsigned at, value;
		enum mad_error want;
	} faults[] = {{0, 2, MAD_BAD_BASE_VERSION}, {1, 3, MAD_BAD_CLASS},
		{2, 1, MAD_BAD_CLASS_VERSION}, {3, 0x81, MAD_BAD_METHOD},
		{16, 1, MAD_BAD_ATTRIBUTE}, {17, 0x0f, MAD_BAD_ATTRIBUTE},
		{17, 0x17, MAD_BAD_ATTRIBUTE}};
	const struct cm_msg none = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct cm_msg m = {.kind = CM_REQ};
		uint8_t o[MAD_LEN];

		cm_msg_render(&(struct cm_msg){.kind = CM_REQ, .local_id = 7}, o);
		o[faults[i].at] = (uint8_t)faults[i].value;
		assert_int_equal(cm_msg_parse(o, &m), faults[i].want);
		assert_memory_equal(&m, &none, sizeof(m));
	}
}

static void private_data_has_the_bytes_of_its_kind(void **state)
{
	static const unsigned len[] = {92, 222, 148, 196, 224, 220, 224};

	(void)state;
	for (unsigned kind = CM_REQ; kind <= CM_DREP; kind++) {
		struct cm_msg m = {.kind = (uint8_t)kind}, got;
		uint8_t o[MAD_LEN + 1];

		assert_int_equal(cm_data_len(kind), len[kind - CM_REQ]);
		memset(m.data, 0x5a, sizeof(m.data));
		o[MAD_LEN] = 0xee;
		cm_msg_render(&m, o);
		assert_int_equal(o[MAD_LEN], 0xee);
		cm_msg_parse(o, &got);
		assert_memory_equal(got.data, m.data, len[kind - CM_REQ]);
		for (unsigned i = len[kind - CM_REQ]; i < CM_DATA_MAX; i++)
			assert_int_equal(got.data[i], 0);
	}
	assert_int_equal(cm_data_len(CM_NO_MSG), 0);
	assert_int_equal(cm_data_len(CM_DREP + 1), 0);
}

static void addresses_of_rdma_cm(void **state)
{
	uint8_t o[CM_IP_LEN], back[CM_IP_LEN], gid[16];
	struct cm_ip ip;

	(void)state;
	assert_int_equal(hex_bytes("03 60 1234 20010db8000000000000000000000001 "
				   "20010db8000000000000000000000002",
				 o),
		CM_IP_LEN);
	assert_true(cm_ip_parse(o, &ip));
	assert_int_equal(ip.minor, 3);
	assert_int_equal(ip.version, 6);
	assert_int_equal(ip.port, 0x1234);
	assert_int_equal(ip.saddr[15], 1);
	assert_int_equal(ip.daddr[15], 2);
	cm_ip_render(&ip, back);
	assert_memory_equal(back, o, CM_IP_LEN);
	cm_gid(6, ip.saddr, gid);
	assert_memory_equal(gid, ip.saddr, 16);
	o[0] = 0x10;
	assert_false(cm_ip_parse(o, &ip)); // another major version
	o[0] = 0;
	o[1] = 0x50;
	assert_false(cm_ip_parse(o, &ip)); // IPv5
}

static void times_and_mtus(void **state)
{
	(void)state;
	assert_int_equal(cm_time(0), 4096 * PS_PER_NS);
	assert_int_equal(cm_time(20), 4294967296 * PS_PER_NS); // 4.29 s
	assert_int_equal(cm_time_code(0), 0);
	assert_int_equal(cm_time_code(4096 * PS_PER_NS), 0);
	assert_int_equal(cm_time_code(4096 * PS_PER_NS + 1), 1);
	assert_int_equal(cm_time_code(4 * PS_PER_S), 20);
	assert_int_equal(cm_time_code(TSTAMP_NEVER), 31);
	assert_int_equal(cm_mtu(0), 0);
	assert_int_equal(cm_mtu(1), 256);
	assert_int_equal(cm_mtu(3), 1024);
	assert_int_equal(cm_mtu(5), 4096);
	assert_int_equal(cm_mtu(6), 0);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(cm_kind_name(CM_REQ), "REQ");
	assert_string_equal(cm_kind_name(CM_DREP), "DREP");
	assert_string_equal(cm_kind_name(0), "?");
	assert_string_equal(cm_kind_name(0x17), "?");
	for (unsigned reason = 0; reason < 40; reason++)
		assert_int_equal(!strcmp(cm_rej_name(reason), "reserved"),
			reason == 0 || reason == 34 || reason > 35);
	assert_string_equal(cm_rej_name(CM_REJ_BAD_SERVICE_ID), "invalid service ID");
	assert_string_equal(cm_rej_name(CM_REJ_STALE), "stale connection");
	assert_string_equal(cm_rej_name(CM_REJ_CONSUMER), "rejected by the consumer");
	assert_string_equal(cm_rej_name(0xffff), "reserved");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(req),
		cmocka_unit_test(rep),
		cmocka_unit_test(mra),
		cmocka_unit_test(rej),
		cmocka_unit_test(rtu_dreq_drep),
		cmocka_unit_test(each_bit_is_a_field_or_reserved),
		cmocka_unit_test(softroce_messages_come_back),
		cmocka_unit_test(what_is_no_message_has_its_reason),
		cmocka_unit_test(private_data_has_the_bytes_of_its_kind),
		cmocka_unit_test(addresses_of_rdma_cm),
		cmocka_unit_test(times_and_mtus),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
