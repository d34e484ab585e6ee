// SPDX-License-Identifier: BSD-3-Clause
// PFC and PAUSE bytes (standards.md 2.1), what they mean, and the length of a quantum (2.2).
#include "wire/pfc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"

static void xoff_priority_3(void **state)
{
	uint8_t o[32], back[PFC_LEN];
	struct pfc p;

	(void)state;
	hex_bytes("0101 0008 0000 0000 0000 ffff 0000 0000 0000 0000", o);
	pfc_parse(o, &p);
	assert_int_equal(p.opcode, MACCTL_PFC);
	assert_int_equal(p.time.enable, 1 << 3);
	assert_int_equal(p.time.enable_high, 0);
	assert_int_equal(p.time.quanta[3], 65535);
	assert_int_equal(p.time.quanta[2], 0);
	assert_int_equal(pfc_sense(&p.time), PFC_XOFF);
	assert_int_equal(pfc_render(&p, back), PFC_LEN);
	assert_memory_equal(back, o, PFC_LEN);
	o[10] = o[11] = 0;
	pfc_parse(o, &p);
	assert_int_equal(pfc_sense(&p.time), PFC_XON);
}

static void pause_frame(void **state)
{
	uint8_t o[4], back[PAUSE_LEN];
	struct pfc p;

	(void)state;
	hex_bytes("0001 1234", o);
	pfc_parse(o, &p);
	assert_int_equal(p.opcode, MACCTL_PAUSE);
	assert_int_equal(p.time.quanta[0], 0x1234);
	assert_int_equal(p.time.enable, 0);
	assert_int_equal(pfc_render(&p, back), PAUSE_LEN);
	assert_memory_equal(back, o, PAUSE_LEN);
}

static void other_opcode(void **state)
{
	const uint8_t o[2] = {0x00, 0x06};
	struct pfc p;

	(void)state;
	pfc_parse(o, &p);
	assert_int_equal(p.opcode, 6);
	assert_int_equal(pfc_sense(&p.time), PFC_NOTHING);
}

// A time of a class that is not enabled says nothing.
static void sense(void **state)
{
	struct pkt_pfc p = {.enable = 0x21, .quanta = {0x4321, 9, 9, 9, 9, 0x1234}};

	(void)state;
	assert_int_equal(pfc_sense(&p), PFC_XOFF);
	p.quanta[0] = 0;
	assert_int_equal(pfc_sense(&p), PFC_MIXED);
	p.quanta[5] = 0;
	assert_int_equal(pfc_sense(&p), PFC_XON);
	p.enable = 0;
	assert_int_equal(pfc_sense(&p), PFC_NOTHING);
}

static void quantum(void **state)
{
	(void)state;
	assert_int_equal(pfc_quantum_ps(10 * RATE_GBPS), 51200);
	assert_int_equal(pfc_quantum_ps(25 * RATE_GBPS), 20480);
	assert_int_equal(pfc_quantum_ps(40 * RATE_GBPS), 12800);
	assert_int_equal(pfc_quantum_ps(100 * RATE_GBPS), 5120);
	assert_int_equal(pfc_quantum_ps(400 * RATE_GBPS), 1280);
	assert_int_equal(
		65535 * pfc_quantum_ps(25 * RATE_GBPS) / PS_PER_NS, 1342156); // 1342.157 us
	assert_int_equal(pfc_quantum_ps(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xoff_priority_3),
		cmocka_unit_test(pause_frame),
		cmocka_unit_test(other_opcode),
		cmocka_unit_test(sense),
		cmocka_unit_test(quantum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
