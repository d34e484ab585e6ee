// SPDX-License-Identifier: BSD-3-Clause
// Lines of the text form, whole.
#include "cap/cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decode_lab.h"

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
		{LAB_IP4 "4500002000002005401146c60a0000010a000002",
			"UDP                 fragment at 40  12 bytes\n"},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pfc_lines),
		cmocka_unit_test(rate_is_optional),
		cmocka_unit_test(heading),
		cmocka_unit_test(roce_lines),
		cmocka_unit_test(cnm_line),
		cmocka_unit_test(other_lines),
		cmocka_unit_test(time_before_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
