// SPDX-License-Identifier: BSD-3-Clause
// Frames of a capture: ICRC verdicts, instants, frames that the capture cut, names; lines of the
// text form and JSON objects, whole.
#include "cap/cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decode_lab.h"

#include "cap/int.h"

static void verdicts(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 5000, LAB_CNP);
	assert_int_equal(l->x.number, 1);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	assert_int_equal(l->x.at_ns, 0);
	l->bytes[73] ^= 1;
	lab_bytes(l, 6000, l->bytes, 74, 74);
	assert_int_equal(l->x.number, 2);
	assert_int_equal(l->x.icrc, DECODE_ICRC_BAD);
	assert_int_equal(l->x.at_ns, 1000);
	lab_hex(l, 4000, LAB_CNM);
	assert_int_equal(l->x.icrc, DECODE_ICRC_NONE);
	assert_int_equal(l->x.at_ns, -1000);
	free(l);
}

// A sending host's own capture has frames without IPv4 checksum; a wrong one is another matter.
static void offloaded_checksum(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, LAB_CNP_OFFLOADED);
	assert_int_equal(l->x.f.kind, PKT_CNP);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	assert_int_equal(l->x.f.notes, FRAME_NOTE_IP_CHECKSUM_0);
	assert_int_equal(l->bytes[24] | l->bytes[25], 0); // the capture's own bytes stay
	l->bytes[73] ^= 1;
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_BAD);
	lab_bytes(l, 0, l->bytes, 70, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_CUT);
	l->bytes[25] = 1;
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.f.error, FRAME_BAD_IP_CHECKSUM);
	assert_int_equal(l->x.icrc, DECODE_ICRC_NONE);
	lab_hex(l, 0, LAB_CNP); // a right one is no note
	assert_int_equal(l->x.f.notes, 0);
	free(l);
}

static void rocev1(void **state)
{
	struct lab *l = lab_new(0);
	char text[DECODE_ADDR];

	(void)state;
	lab_hex(l, 0, LAB_V1_ACK);
	assert_int_equal(l->x.f.kind, PKT_ACK);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	assert_string_equal(decode_addr(&l->x, 1, text), "fe80::202:c9ff:fe00:2");
	assert_int_equal(l->x.f.bth.qpn, 0x118);
	assert_int_equal(l->x.f.ext.aeth.msn, 42);
	l->bytes[15] ^= 0x10; // a bit of the flow label: the ICRC does not cover it
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	l->bytes[60] ^= 0x10; // a bit of the QPN: it does
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_BAD);
	lab_bytes(l, 0, l->bytes, 71, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_CUT);
	lab_bytes(l, 0, l->bytes, 65, 74); // within the BTH
	assert_true(l->x.headers_cut);
	lab_hex(l, 0, LAB_V1_UD);
	assert_int_equal(l->x.f.kind, PKT_ROCE);
	assert_int_equal(l->x.f.payload_len, 7);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	l->bytes[23]++; // payload length
	lab_bytes(l, 0, l->bytes, 90, 90);
	assert_int_equal(l->x.f.error, FRAME_BAD_IP_LENGTH);
	lab_hex(l, 0, LAB_V1_ACK);
	lab_bytes(l, 0, l->bytes, 53, 53); // one byte of the GRH is missing
	assert_int_equal(l->x.f.error, FRAME_SHORT_IP);
	l->bytes[20] = 17; // no IBA transport
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.f.kind, PKT_OTHER);
	assert_int_equal(l->x.icrc, DECODE_ICRC_NONE);
	free(l);
}

// A capture that keeps the first bytes of each frame still tells every header that it has.
static void cut_frames(void **state)
{
	struct test_cap cap = test_cap_open("rc_write_only_ipv4.pcap");
	struct lab *l = lab_new(0);
	unsigned len;
	const uint8_t *o = test_cap_next(&cap, &len);

	(void)state;
	lab_bytes(l, 0, o, 70, len);
	assert_false(l->x.headers_cut);
	assert_int_equal(l->x.f.kind, PKT_DATA);
	assert_int_equal(l->x.f.ext.reth.dma_len, 64);
	assert_int_equal(l->x.f.payload_len, 64);
	assert_int_equal(l->x.icrc, DECODE_ICRC_CUT);
	lab_bytes(l, 0, o, 69, len); // one byte of the RETH is missing
	assert_true(l->x.headers_cut);
	assert_int_equal(l->x.icrc, DECODE_ICRC_NONE);
	lab_bytes(l, 0, o, 0, len);
	assert_true(l->x.headers_cut);
	lab_bytes(l, 0, o, 40, len); // the IP header is whole
	assert_true(l->x.headers_cut);
	assert_int_equal(l->x.f.ip.tos, 0x6a);
	lab_bytes(l, 0, o, 33, len);
	assert_int_equal(l->x.f.ip.version, 0);
	lab_bytes(l, 0, o, len, 70000); // longer than any frame that is read
	assert_int_equal(l->x.f.kind, PKT_DATA);
	assert_int_equal(l->x.icrc, DECODE_ICRC_CUT);
	test_cap_next(&cap, &len);
	free(l);
}

static void cut_generator_frame(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, "020000000002 020000000001 88b5 716e6348 00000007 00000009");
	assert_int_equal(l->x.f.kind, PKT_GEN);
	lab_bytes(l, 0, l->bytes, 26, 60);
	assert_false(l->x.headers_cut);
	assert_int_equal(l->x.f.gen.seq, 9);
	lab_bytes(l, 0, l->bytes, 25, 60);
	assert_true(l->x.headers_cut);
	free(l);
}

static void addresses(void **state)
{
	struct lab *l = lab_new(0);
	char text[DECODE_ADDR];

	(void)state;
	lab_hex(l, 0, LAB_CNP);
	assert_string_equal(decode_addr(&l->x, 0, text), "10.0.17.1");
	assert_string_equal(decode_addr(&l->x, 1, text), "10.0.18.1");
	lab_hex(l, 0, LAB_CNM);
	assert_string_equal(decode_addr(&l->x, 0, text), "02:00:00:00:00:01");
	lab_hex(l, 0,
		"020000000002 020000000001 86dd 6e21face000011ff 20220000000000000000000000001023 "
		"20230000000000000000000000001024");
	assert_string_equal(
		decode_addr(&l->x, 0, text), "2022::1023"); // malformed, but only behind IP
	l->bytes[20] = 59;
	lab_bytes(l, 0, l->bytes, 60, 60);
	assert_string_equal(decode_addr(&l->x, 1, text), "2023::1024");
	lab_bytes(l, 0, l->bytes, 13, 13);
	assert_string_equal(decode_addr(&l->x, 0, text), "-");
	free(l);
}

static void names(void **state)
{
	char text[DECODE_OPCODE];

	(void)state;
	for (unsigned k = 0; k < PKT_KINDS; k++)
		for (unsigned other = 0; other < k; other++)
			assert_string_not_equal(decode_kind_name(k), decode_kind_name(other));
	assert_string_equal(decode_kind_name(PKT_BAD), "malformed");
	assert_string_equal(decode_kind_name(PKT_KINDS), "unknown");
	assert_string_equal(decode_ecn_name(ECN_ECT0), "ECT(0)");
	assert_string_equal(decode_ecn_name(ECN_ECT1), "ECT(1)");
	assert_string_equal(decode_ecn_name(0x6b), "CE"); // of a whole ToS byte
	assert_string_equal(decode_opcode_name(BTH_RC_ACK, text), "RC_ACK");
	assert_string_equal(decode_opcode_name(0xc5, text), "VENDOR 0xc5");
	assert_string_equal(decode_opcode_name(0x80, text), "opcode 0x80");
	assert_string_equal(decode_ethertype_name(ETH_P_ARP), "ARP");
	assert_string_equal(decode_ethertype_name(46), "802.3");
	assert_null(decode_ethertype_name(0x1234));
	assert_string_equal(decode_proto_name(6), "TCP");
	assert_null(decode_proto_name(253));
}

#define MACS "  02:00:00:00:00:01  01:80:c2:00:00:01     -  -        -     "

static const char *line(struct lab *l)
{
	decode_text(&l->d, &l->x, &l->o);
	return lab_text(l);
}

static void pfc_lines(void **state)
{
	static const struct {
		const char *frame, *line;
	} rows[] = {
		{"0101 0008 0000 0000 0000 ffff",
			"PFC XOFF            p3 65535 quanta = 1342.157 us\n"},
		{"0101 0008", "PFC XON             p3\n"},
		{"0101 0021 4321 0000 0000 0000 0000 0000",
			"PFC mixed           p0 17185 quanta = 351.949 us, p5 XON\n"},
		{"0101 0000 ffff", "PFC no class        \n"},
		{"0101 0108 0000 0000 0000 0001",
			"PFC XOFF            p3 1 quanta = 0.020 us  [pfc_enable_high]\n"},
		{"0001 0002", "PAUSE XOFF          2 quanta = 0.041 us\n"},
		{"0001 0000", "PAUSE XON           0 quanta = 0.000 us\n"},
		{"0006 0000", "MAC control         opcode 0x0006\n"},
	};
	struct lab *l = lab_new(25 * RATE_GBPS);

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char frame[256], want[256];

		snprintf(frame, sizeof(frame), "0180c2000001 020000000001 8808 %s", rows[i].frame);
		lab_hex(l, 0, frame);
		line(l); // widens the columns
		snprintf(want, sizeof(want), "  0.000000000     60" MACS "%s", rows[i].line);
		assert_string_equal(line(l), want);
	}
	free(l);
}

static void rate_is_optional(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, "0180c2000001 020000000001 8808 0101 0008 0000 0000 0000 ffff");
	assert_non_null(strstr(line(l), "PFC XOFF            p3 65535 quanta\n"));
	free(l);
}

static void heading(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 1700000000000000007, "0180c2000001 020000000001 8808 0001");
	decode_text_head(&l->d, &l->x, &l->o);
	assert_string_equal(lab_text(l),
		"first frame at 2023-11-14 22:13:20.000000007 UTC\n"
		"       time s    len  source             destination        dscp  ecn      icrc  "
		"frame\n");
	free(l);
}

static void roce_lines(void **state)
{
	struct test_cap cap = test_cap_open("rc_write_only_ipv4.pcap");
	struct lab *l = lab_new(0);
	unsigned len;
	const uint8_t *o = test_cap_next(&cap, &len);

	(void)state;
	lab_bytes(l, 0, o, len, len);
	assert_string_equal(line(l),
		"  0.000000000    138  10.0.0.1         10.0.0.2           26  ECT(0)   ok    "
		"RC_WRITE_ONLY"
		"       QPN 0x000123  PSN 11259375  AckReq  VA 0x1122334455667788 R_Key 0xaabbcc "
		"DMA "
		"length 64  64 bytes\n");
	lab_bytes(l, 1500000001, o, 80, len);
	assert_non_null(
		strstr(line(l), "  1.500000001    138  10.0.0.1         10.0.0.2           26  "
				"ECT(0)   cut   RC_WRITE_ONLY "));
	lab_bytes(l, 0, o, 50, len);
	assert_string_equal(line(l),
		"  0.000000000    138  10.0.0.1         10.0.0.2           26  ECT(0)   -     cut"
		"                 50 of 138 bytes captured\n");
	test_cap_next(&cap, &len);
	lab_hex(l, 0, LAB_CNP);
	assert_string_equal(line(l),
		"  0.000000000     74  10.0.17.1        10.0.18.1          48  ECT(0)   ok    CNP"
		"                 QPN 0x000118  PSN 0  BECN\n");
	free(l);
}

static void cnm_line(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, LAB_CNM);
	assert_non_null(strstr(line(l),
		"CNM                 QntzFb 46  CPID 0200000000010001  flow 0x1234  QOffset -500 "
		"(Q - Qeq "
		"+32000 bytes)  QDelta 500 (+32000 bytes)  priority 3  sampled frame to "
		"02:00:00:00:00:99  vlan 100 pcp 6\n"));
	free(l);
}

static void other_lines(void **state)
{
	static const struct {
		const char *frame, *end;
	} rows[] = {
		{"ffffffffffff 020000000001 0806 0001", "ARP                 46 bytes\n"},
		{"ffffffffffff 020000000001 1234 0001", "EtherType 0x1234    46 bytes\n"},
		{"020000000002 020000000001 22e9 0007 88cc 02",
			"LLDP                42 bytes  CN-TAG 0x0007\n"},
		{"020000000002 020000000001 88b5 716e6348 00000007 00000009",
			"open loop           source 7  seq 9\n"},
		{LAB_IP4 "45000020000100007f110001", "malformed           bad_ip_checksum\n"},
		{LAB_CNP_OFFLOADED,
			"  48  ECT(0)   ok    CNP                 QPN 0x000118  PSN 0  BECN  "
			"[ip_checksum_0]\n"},
		{LAB_V1_ACK,
			"fe80::202:c9ff:fe00:1  fe80::202:c9ff:fe00:2     -  -        ok    "
			"RC_ACK              QPN 0x000118  PSN 11259375  ACK MSN 42  RoCEv1\n"},
		{LAB_V1_UD, "7 bytes + pad 1  RoCEv1  vlan 5 pcp 3\n"},
		{LAB_QINQ, "  48  ECT(0)   ok    CNP                 QPN 0x000118  PSN 0  BECN  "
			   "s-vlan 100 pcp 3  inner vlan 10 pcp 2  CN-TAG 0x0007\n"},
		{"020000000002 020000000001 8100 6064 8100 400a 8100 0001 0800",
			"802.1Q              38 bytes  vlan 100 pcp 3  inner vlan 10 pcp 2\n"},
		{LAB_IP4 "4500002000002005401146c60a0000010a000002",
			"UDP                 fragment at 40  12 bytes\n"},
		{LAB_IP6("0018", "00") "2b00 0104 00000000 1100 0104 00000000 "
				       "1388 0035 0008 0000",
			"UDP                 port 5000 to 53  8 bytes  "
			"behind hop-by-hop, routing\n"},
		{LAB_IP6("0010", "2c") "0600 0001 00000007 1388 0050 00000000",
			"TCP                 port 5000 to 80  8 bytes  behind fragment\n"},
		{LAB_IP6("0010", "2c") "1100 0590 00000007 1388 0050 00000000",
			"UDP                 fragment at 1424  8 bytes  behind fragment\n"},
		{LAB_IP6("0018", "3c") "3200 0104 00000000 00000001 00000002 0000000000000000",
			"ESP                 16 bytes  behind destination options\n"},
		{LAB_IP6("0014", "33") "3a01 0000 00000001 00000002 8000 0000 00000000",
			"ICMPv6              8 bytes  behind AH\n"},
		{LAB_IP6("0008", "00") "3b00 0104 00000000",
			"no next header      0 bytes  behind hop-by-hop\n"},
		{LAB_IP6("0010", "00") "2b00 0104 00000000 1101 0104 00000000",
			"malformed           ends within the routing header  behind hop-by-hop\n"},
	};
	struct lab *l = lab_new(0);

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *got;

		lab_hex(l, 0, rows[i].frame);
		got = line(l);
		if (!strstr(got, rows[i].end))
			fail_msg("\"%s\" lacks \"%s\"", got, rows[i].end);
	}
	free(l);
}

// The clock of a capture can go back; the columns stay.
static void time_before_the_first(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 5000000000, LAB_CNP);
	lab_hex(l, 3999999999, LAB_CNP);
	assert_memory_equal(line(l), " -1.000000001     74  ", 22);
	free(l);
}

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

static void tags_as_json(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, LAB_QINQ);
	assert_non_null(strstr(object(l),
		"\"vlan\": 100, \"pcp\": 3, \"s_tag\": true, \"inner_vlan\": 10, \"inner_pcp\": 2, "
		"\"cn_tag\": 7, \"ethertype\": 2048, "));
	lab_hex(l, 0, "020000000002 020000000001 8100 6064 0806");
	assert_non_null(strstr(object(l), "\"vlan\": 100, \"pcp\": 3, \"ethertype\": 2054, "));
	lab_bytes(l, 0, l->bytes, 17, 60); // a tag that is cut off says nothing
	assert_null(strstr(object(l), "vlan"));
	free(l);
}

static void rocev1_as_json(void **state)
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

static void extension_headers_as_json(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0,
		LAB_IP6("0018", "00") "2c00 0104 00000000 1100 0001 00000000 "
				      "1388 0035 0008 0000");
	assert_non_null(strstr(object(l),
		"\"proto\": 0, \"dscp\": 0, \"ecn\": \"Not-ECT\", \"ttl\": 64, "
		"\"extension_headers\": [\"hop-by-hop\", \"fragment\"], \"upper_proto\": 17, "
		"\"fragment_offset\": 0, \"sport\": 5000, \"dport\": 53, \"payload\": 8}"));
	lab_bytes(l, 0, l->bytes, 58, 78); // the capture ends within the hop-by-hop header
	assert_true(l->x.headers_cut);
	lab_bytes(l, 0, l->bytes, 74, 78);
	assert_false(l->x.headers_cut);
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
		cmocka_unit_test(verdicts),
		cmocka_unit_test(offloaded_checksum),
		cmocka_unit_test(rocev1),
		cmocka_unit_test(cut_frames),
		cmocka_unit_test(cut_generator_frame),
		cmocka_unit_test(addresses),
		cmocka_unit_test(names),
		cmocka_unit_test(pfc_lines),
		cmocka_unit_test(rate_is_optional),
		cmocka_unit_test(heading),
		cmocka_unit_test(roce_lines),
		cmocka_unit_test(cnm_line),
		cmocka_unit_test(other_lines),
		cmocka_unit_test(time_before_the_first),
		cmocka_unit_test(cnp),
		cmocka_unit_test(write_with_reth),
		cmocka_unit_test(pfc_and_notes),
		cmocka_unit_test(cnm),
		cmocka_unit_test(tags_as_json),
		cmocka_unit_test(rocev1_as_json),
		cmocka_unit_test(extension_headers_as_json),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
