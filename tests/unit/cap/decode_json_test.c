// SPDX-License-Identifier: BSD-3-Clause
// JSON objects, whole.
#include "cap/cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decode_lab.h"

static const char *object(struct lab *l)
{
	decode_json(&l->x, &l->o);
	return lab_text(l);
}

static void cnp(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 1700000000000000007, LAB_CNP);
	assert_string_equal(object(l),
		"{\"frame\": 1, \"time\": \"1700000000.000000007\", \"length\": 74, \"kind\": "
		"\"cnp\", "
		"\"src_mac\": \"02:00:00:00:00:01\", \"dst_mac\": \"02:00:00:00:00:02\", "
		"\"ethertype\": 2048, \"src\": \"10.0.17.1\", \"dst\": \"10.0.18.1\", \"proto\": "
		"17, "
		"\"dscp\": 48, \"ecn\": \"ECT(0)\", \"ttl\": 64, \"sport\": 0, \"dport\": 4791, "
		"\"opcode\": \"CNP\", \"opcode_number\": 129, \"qpn\": 280, \"psn\": 0, "
		"\"ackreq\": false, \"se\": false, \"fecn\": false, \"becn\": true, \"pkey\": "
		"65535, "
		"\"payload\": 0, \"pad\": 0, \"icrc\": \"ok\"}\n");
	free(l);
}

static void write_with_reth(void **state)
{
	struct test_cap cap = test_cap_open("neg_rc_write_bad_icrc.pcap");
	struct lab *l = lab_new(0);
	unsigned len;
	const uint8_t *o = test_cap_next(&cap, &len);
	const char *got;

	(void)state;
	lab_bytes(l, 0, o, len, len);
	got = object(l);
	assert_non_null(strstr(got, "\"va\": \"0x1122334455667788\", \"rkey\": 11189196, "
				    "\"dma_length\": 64, \"payload\": 64"));
	assert_non_null(strstr(got, "\"icrc\": \"BAD\"}"));
	lab_bytes(l, 0, o, 60, len);
	got = object(l);
	assert_non_null(strstr(got, "\"length\": 138, \"captured\": 60, \"kind\": \"cut\""));
	assert_null(strstr(got, "icrc"));
	test_cap_next(&cap, &len);
	free(l);
}

static void pfc_and_notes(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, "0180c2000001 020000000001 8808 0101 0108 0000 0000 0000 ffff");
	assert_string_equal(object(l),
		"{\"frame\": 1, \"time\": \"0.000000000\", \"length\": 60, \"kind\": \"pfc\", "
		"\"src_mac\": \"02:00:00:00:00:01\", \"dst_mac\": \"01:80:c2:00:00:01\", "
		"\"ethertype\": 34824, \"sense\": \"xoff\", \"enable\": 8, "
		"\"quanta\": [0, 0, 0, 65535, 0, 0, 0, 0], \"notes\": [\"pfc_enable_high\"]}\n");
	free(l);
}

static void cnm(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, LAB_CNM);
	assert_non_null(strstr(object(l),
		"\"vlan\": 100, \"pcp\": 6, \"cn_tag\": 4660, \"ethertype\": 8935, \"qntzfb\": 46, "
		"\"cpid\": \"0200000000010001\", \"flow_id\": 4660, \"qoffset\": -500, "
		"\"qdelta\": 500, \"priority\": 3, \"encapsulated_dst\": \"02:00:00:00:00:99\", "
		"\"encapsulated_length\": 0}"));
	free(l);
}

static void rocev1(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, LAB_V1_ACK);
	assert_non_null(strstr(object(l),
		"\"kind\": \"ack\", \"src_mac\": \"02:02:c9:00:00:01\", "
		"\"dst_mac\": \"02:02:c9:00:00:02\", \"ethertype\": 35093, "
		"\"src\": \"fe80::202:c9ff:fe00:1\", \"dst\": \"fe80::202:c9ff:fe00:2\", "
		"\"tclass\": 106, \"flow_label\": 74565, \"hop_limit\": 64, "
		"\"opcode\": \"RC_ACK\", \"opcode_number\": 17, \"qpn\": 280, "));
	lab_hex(l, 0, LAB_CNP_OFFLOADED);
	assert_non_null(strstr(object(l), "\"icrc\": \"ok\", \"notes\": [\"ip_checksum_0\"]}\n"));
	free(l);
}

static void malformed(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_bytes(l, 0, (const uint8_t *)"abc", 3, 3);
	assert_string_equal(object(l), "{\"frame\": 1, \"time\": \"0.000000000\", \"length\": 3, "
				       "\"kind\": \"malformed\", \"error\": \"short_eth\"}\n");
	free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cnp),
		cmocka_unit_test(write_with_reth),
		cmocka_unit_test(pfc_and_notes),
		cmocka_unit_test(cnm),
		cmocka_unit_test(rocev1),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
