// SPDX-License-Identifier: BSD-3-Clause
// The summary of a capture: counts against the known contents, a queue pair table that grows, rows
// for things that were seen and none for others.
#include "cap/cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decode_lab.h"

static void softroce_capture(void **state)
{
	struct test_cap cap = test_cap_open("linux_softroce_rocev2.pcap");
	struct lab *l = lab_new(0);
	struct decode_sum s;
	uint64_t opcodes = 0, requests = 0, acks = 0;
	const uint8_t *o;
	unsigned len;

	(void)state;
	decode_sum_init(&s);
	while ((o = test_cap_next(&cap, &len))) {
		lab_bytes(l, 0, o, len, len);
		assert_int_equal(decode_sum_add(&s, &l->x), 0);
	}
	assert_int_equal(s.frames, 267);
	assert_int_equal(s.bytes, 150778 - 24 - 267 * 16); // the file less its headers
	assert_int_equal(s.icrc[DECODE_ICRC_OK], 267);
	assert_int_equal(
		s.kind[PKT_DATA].frames + s.kind[PKT_ACK].frames + s.kind[PKT_ROCE].frames, 267);
	assert_int_equal(s.ecn[ECN_ECT0].frames, 50);
	assert_int_equal(s.ecn[ECN_NOT_ECT].frames, 217);
	assert_int_equal(s.opcode[BTH_RC_ACK].frames, s.kind[PKT_ACK].frames);
	for (unsigned i = 0; i < 256; i++)
		opcodes += s.opcode[i].frames;
	assert_int_equal(opcodes, 267);
	for (unsigned i = 0; i < s.places; i++) {
		requests += s.qp[i].requests;
		acks += s.qp[i].acks;
	}
	assert_int_equal(requests + acks, 267);
	assert_int_equal(acks, s.kind[PKT_ACK].frames);
	decode_sum_fini(&s);
	free(l);
}

// One CNP to each of 1000 queue pairs, then a second one to some of them.
static void many_queue_pairs(void **state)
{
	struct lab *l = lab_new(0);
	struct decode_sum s;
	unsigned one = 0, two = 0;

	(void)state;
	decode_sum_init(&s);
	lab_hex(l, 0, LAB_CNP);
	for (unsigned i = 0; i < 1250; i++) {
		l->x.f.bth.qpn = i % 1000 * 4096;
		assert_int_equal(decode_sum_add(&s, &l->x), 0);
	}
	assert_int_equal(s.n_qps, 1000);
	assert_true(s.places >= 2000);
	for (unsigned i = 0; i < s.places; i++) {
		one += s.qp[i].cnps == 1;
		two += s.qp[i].cnps == 2;
	}
	assert_int_equal(one, 750);
	assert_int_equal(two, 250);
	decode_sum_fini(&s);
	assert_null(s.qp);
	free(l);
}

static void pfc_faults_and_cuts(void **state)
{
	struct lab *l = lab_new(0);
	struct decode_sum s;

	(void)state;
	decode_sum_init(&s);
	lab_hex(l, 100, "0180c2000001 020000000001 8808 0101 0121 4321 0000 0000 0000 0000 0000");
	decode_sum_add(&s, &l->x);
	lab_bytes(l, 50, l->bytes, 7, 7);
	decode_sum_add(&s, &l->x);
	lab_bytes(l, 300, l->bytes, 20, 60);
	decode_sum_add(&s, &l->x);
	lab_hex(l, 200, LAB_CNM);
	decode_sum_add(&s, &l->x);
	assert_int_equal(s.xoff[0], 1);
	assert_int_equal(s.xon[5], 1);
	assert_int_equal(s.xoff[5] + s.xon[0], 0);
	assert_int_equal(s.note[2], 1);
	assert_int_equal(s.error[FRAME_SHORT_ETH], 1);
	assert_int_equal(s.cut, 1);
	assert_int_equal(s.kind[PKT_PFC].frames, 1);
	assert_int_equal(s.vlan, 1);
	assert_int_equal(s.inner, 0);
	assert_int_equal(s.cntag, 1);
	assert_int_equal(s.last_ns, 200);
	assert_int_equal(s.bytes, 60 + 7 + 60 + 60);
	lab_hex(l, 200, LAB_QINQ);
	decode_sum_add(&s, &l->x);
	assert_int_equal(s.vlan, 2);
	assert_int_equal(s.inner, 1);
	decode_sum_fini(&s);
	free(l);
}

static void naks_and_marks(void **state)
{
	struct lab *l = lab_new(0);
	struct decode_sum s;

	(void)state;
	decode_sum_init(&s);
	lab_hex(l, 0, LAB_CNP);
	l->x.f.kind = PKT_ACK;
	l->x.f.bth.opcode = BTH_RC_ACK;
	l->x.f.ext.aeth.syndrome = AETH_NAK_PSN;
	l->x.f.ip.tos = ECN_CE;
	l->x.icrc = DECODE_ICRC_BAD;
	decode_sum_add(&s, &l->x);
	l->x.f.ext.aeth.syndrome = AETH_ACK;
	decode_sum_add(&s, &l->x);
	assert_int_equal(s.n_qps, 1);
	for (unsigned i = 0; i < s.places; i++) {
		if (!s.qp[i].version)
			continue;
		assert_int_equal(s.qp[i].qpn, 0x118);
		assert_int_equal(s.qp[i].acks, 2);
		assert_int_equal(s.qp[i].naks, 1);
		assert_int_equal(s.qp[i].ce, 2);
		assert_int_equal(s.qp[i].bad_icrc, 2);
	}
	decode_sum_fini(&s);
	free(l);
}

static void one_cnp_and_one_pfc(void **state)
{
	struct lab *l = lab_new(0);
	struct decode_sum s;

	(void)state;
	decode_sum_init(&s);
	lab_hex(l, 0, LAB_CNP);
	decode_sum_add(&s, &l->x);
	lab_hex(l, 1500000000, "0180c2000001 020000000001 8808 0101 0008 0000 0000 0000 ffff");
	decode_sum_add(&s, &l->x);
	decode_sum_print(&s, "a.pcap", &l->o);
	assert_string_equal(lab_text(l),
		"a.pcap: 2 frames, 134 bytes in 1.500000000 s\n"
		"\n"
		"  kind                       frames           bytes\n"
		"  cnp                             1              74\n"
		"  pfc                             1              60\n"
		"\n"
		"  opcode                     frames           bytes\n"
		"  CNP                             1              74\n"
		"\n"
		"  ECN codepoint              frames           bytes\n"
		"  ECT(0)                          1              74\n"
		"\n"
		"  ICRC                       frames\n"
		"  ok                              1\n"
		"\n"
		"  PFC priority                 XOFF             XON\n"
		"  3                               1               0\n"
		"\n"
		"  destination      QPN            data   payload bytes        CE     ACKs   NAKs "
		"    CNPs"
		"  ICRC BAD\n"
		"  10.0.18.1        0x000118          0               0         0        0      0 "
		"       1"
		"         0\n");
	decode_sum_fini(&s);
	free(l);
}

static void faults_and_cuts(void **state)
{
	struct lab *l = lab_new(0);
	struct decode_sum s;

	(void)state;
	decode_sum_init(&s);
	lab_bytes(l, 0, (const uint8_t *)"abc", 3, 3);
	decode_sum_add(&s, &l->x);
	lab_bytes(l, 0, (const uint8_t *)"abc", 3, 100);
	decode_sum_add(&s, &l->x);
	decode_sum_print(&s, "-", &l->o);
	assert_string_equal(lab_text(l), "-: 2 frames, 103 bytes in 0.000000000 s\n"
					 "\n"
					 "  kind                       frames           bytes\n"
					 "  malformed                       1               3\n"
					 "  cut by the capture              1\n"
					 "\n"
					 "  malformed                  frames\n"
					 "  short_eth                       1\n");
	decode_sum_fini(&s);
	free(l);
}

// The busiest queue pairs stand first, and those beyond the last row are said.
static void busiest_first(void **state)
{
	struct lab *l = lab_new(0);
	struct decode_sum s;
	const char *text;

	(void)state;
	decode_sum_init(&s);
	lab_hex(l, 0, LAB_CNP);
	for (unsigned i = 0; i < 40; i++) {
		l->x.f.bth.qpn = 100 + i;
		decode_sum_add(&s, &l->x);
	}
	decode_sum_add(&s, &l->x);
	decode_sum_print(&s, "-", &l->o);
	text = lab_text(l);
	assert_true(strstr(text, "0x00008b") < strstr(text, "0x000064"));
	assert_null(strstr(text, "0x000083"));
	assert_non_null(strstr(text, "\n  and 8 more queue pairs\n"));
	decode_sum_fini(&s);
	free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softroce_capture),
		cmocka_unit_test(many_queue_pairs),
		cmocka_unit_test(pfc_faults_and_cuts),
		cmocka_unit_test(naks_and_marks),
		cmocka_unit_test(one_cnp_and_one_pfc),
		cmocka_unit_test(faults_and_cuts),
		cmocka_unit_test(busiest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
