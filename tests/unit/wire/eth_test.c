// SPDX-License-Identifier: BSD-3-Clause
// Ethernet header: tags in their order, every cut, and back.
#include "wire/eth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"

static void plain(void **state)
{
	uint8_t o[40], back[26];
	unsigned n = hex_bytes("0180c2000001 020000000001 8808", o);
	struct eth e;

	(void)state;
	assert_int_equal(eth_parse(o, n, &e), 14);
	assert_int_equal(e.ethertype, ETH_P_MAC_CONTROL);
	assert_false(e.has_vlan || e.has_cntag);
	assert_int_equal(eth_render(&e, back), 14);
	assert_memory_equal(back, o, 14);
}

static void both_tags(void **state)
{
	uint8_t o[40], back[26];
	unsigned n = hex_bytes("0200000000aa 020000000001 8100 c064 22e9 1234 22e7", o);
	struct eth e;

	(void)state;
	assert_int_equal(eth_parse(o, n, &e), 22);
	assert_true(e.has_vlan && e.has_cntag);
	assert_int_equal(e.vlan_tci, 6 << 13 | 100);
	assert_int_equal(e.cntag, 0x1234);
	assert_int_equal(e.ethertype, ETH_P_CNM);
	assert_int_equal(eth_render(&e, back), 22);
	assert_memory_equal(back, o, 22);
}

static void cntag_alone(void **state)
{
	uint8_t o[40], back[26];
	unsigned n = hex_bytes("0200000000aa 020000000001 22e9 0007 0800", o);
	struct eth e;

	(void)state;
	assert_int_equal(eth_parse(o, n, &e), 18);
	assert_int_equal(e.cntag, 7);
	assert_int_equal(e.ethertype, ETH_P_IPV4);
	assert_int_equal(eth_render(&e, back), 18);
	assert_memory_equal(back, o, 18);
}

// Each row comes back byte by byte.
static void vlan_tags(void **state)
{
	static const struct {
		const char *frame;
		unsigned len;
		struct eth want;
	} rows[] = {
		{"0200000000aa 020000000001 88a8 b064 0800", 18,
			{.has_vlan = 1, .is_stag = 1, .vlan_tci = 0xb064, .ethertype = 0x0800}},
		{"0200000000aa 020000000001 8100 6001 8100 a002 86dd", 22,
			{.has_vlan = 1,
				.has_inner = 1,
				.vlan_tci = 0x6001,
				.inner_tci = 0xa002,
				.ethertype = 0x86dd}},
		{"0200000000aa 020000000001 88a8 6001 8100 a002 22e9 1234 0800", 26,
			{.has_vlan = 1,
				.is_stag = 1,
				.has_inner = 1,
				.has_cntag = 1,
				.vlan_tci = 0x6001,
				.inner_tci = 0xa002,
				.cntag = 0x1234,
				.ethertype = 0x0800}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct eth *want = &rows[i].want;
		uint8_t o[40], back[26];
		unsigned n = hex_bytes(rows[i].frame, o);
		struct eth e;

		assert_int_equal(eth_parse(o, n, &e), rows[i].len);
		assert_int_equal(e.has_vlan, want->has_vlan);
		assert_int_equal(e.is_stag, want->is_stag);
		assert_int_equal(e.has_inner, want->has_inner);
		assert_int_equal(e.has_cntag, want->has_cntag);
		assert_int_equal(e.vlan_tci, want->vlan_tci);
		assert_int_equal(e.inner_tci, want->inner_tci);
		assert_int_equal(e.cntag, want->cntag);
		assert_int_equal(e.ethertype, want->ethertype);
		assert_int_equal(eth_render(&e, back), n);
		assert_memory_equal(back, o, n);
	}
}

// A third VLAN tag, an S-TAG within another tag, and a VLAN tag behind the CN-TAG are EtherTypes
// like any other.
static void tags_in_another_order(void **state)
{
	uint8_t o[40];
	unsigned n = hex_bytes("0200000000aa 020000000001 8100 0001 8100 0002 8100 0003 0800", o);
	struct eth e;

	(void)state;
	assert_int_equal(eth_parse(o, n, &e), 22);
	assert_int_equal(e.ethertype, ETH_P_8021Q);
	n = hex_bytes("0200000000aa 020000000001 8100 0001 88a8 0002 0800", o);
	assert_int_equal(eth_parse(o, n, &e), 18);
	assert_int_equal(e.ethertype, ETH_P_8021AD);
	n = hex_bytes("0200000000aa 020000000001 88a8 0001 88a8 0002 0800", o);
	assert_int_equal(eth_parse(o, n, &e), 18);
	assert_int_equal(e.ethertype, ETH_P_8021AD);
	assert_false(e.has_inner);
	n = hex_bytes("0200000000aa 020000000001 22e9 0001 8100 0002 0800", o);
	assert_int_equal(eth_parse(o, n, &e), 18);
	assert_int_equal(e.ethertype, ETH_P_8021Q);
	assert_false(e.has_vlan);
}

static void cut_short(void **state)
{
	uint8_t o[40];
	struct eth e;

	(void)state;
	hex_bytes("0200000000aa 020000000001 8100 c064 8100 c065 22e9 1234 22e7", o);
	for (unsigned len = 0; len < 26; len++)
		assert_int_equal(eth_parse(o, len, &e), -1);
	assert_int_equal(eth_parse(o, 13, &e), -1);
	assert_int_equal(e.ethertype, 0);
	assert_int_equal(eth_parse(o, 17, &e), -1);
	assert_int_equal(e.ethertype, ETH_P_8021Q);
	assert_int_equal(eth_parse(o, 21, &e), -1);
	assert_int_equal(e.ethertype, ETH_P_8021Q);
	assert_int_equal(eth_parse(o, 25, &e), -1);
	assert_int_equal(e.ethertype, ETH_P_CNTAG);
	hex_bytes("0200000000aa 020000000001 88a8 c064 0800", o);
	for (unsigned len = 14; len <= 18; len++) {
		assert_int_equal(eth_parse(o, len, &e), len < 18 ? -1 : 18);
		assert_int_equal(e.has_vlan, len == 18);
		assert_int_equal(e.is_stag, len == 18);
	}
}

static void table_key(void **state)
{
	const uint8_t mac[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};

	(void)state;
	assert_true(eth_key(mac, 0xf064) == 0x0064021122334455ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(both_tags),
		cmocka_unit_test(cntag_alone),
		cmocka_unit_test(vlan_tags),
		cmocka_unit_test(tags_in_another_order),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(table_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
