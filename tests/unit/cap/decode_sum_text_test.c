// SPDX-License-Identifier: BSD-3-Clause
// The summary as it is printed: rows for what was seen, and none for what was not.
#include "cap/cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decode_lab.h"

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
		cmocka_unit_test(one_cnp_and_one_pfc),
		cmocka_unit_test(faults_and_cuts),
		cmocka_unit_test(busiest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
