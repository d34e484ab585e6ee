// SPDX-License-Identifier: BSD-3-Clause
// Extension headers of IPv6: their kinds in order, what follows them, and packets that end early.
#include "wire/ip6_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bytes.h"

static struct ip6_chain walk(uint8_t next, const char *text)
{
	uint8_t bytes[512];
	unsigned n = hex_bytes(text, bytes);
	uint8_t *exact = malloc(n ? n : 1); // a read behind the end is seen
	struct ip6_chain x;

	assert_non_null(exact);
	memcpy(exact, bytes, n);
	ip6_chain_walk(&x, next, exact, n);
	free(exact);
	return x;
}

static void a_packet_without_them(void **state)
{
	struct ip6_chain x = walk(17, "1388 0035");

	(void)state;
	assert_int_equal(x.n, 0);
	assert_int_equal(x.proto, 17);
	assert_int_equal(x.off, 0);
	assert_false(x.cut);
}

static void all_kinds_in_their_order(void **state)
{
	struct ip6_chain x = walk(IP6_HOP_BY_HOP,
		"3c00 0104 00000000 2b01 0104 00000000 0000000000000000 2c00 0000 00000000"
		"3300 0001 00000000 8702 0000 00000000 00000000 00000000"
		"8b00 0000 00000000 8c00 0000 00000000 3b00 0000 00000000");
	static const uint8_t kind[] = {IP6_HOP_BY_HOP, IP6_DEST_OPTIONS, IP6_ROUTING, IP6_FRAGMENT,
		IP6_AH, IP6_MOBILITY, IP6_HIP, IP6_SHIM6};

	(void)state;
	assert_int_equal(x.n, sizeof(kind));
	assert_memory_equal(x.kind, kind, sizeof(kind));
	assert_int_equal(x.proto, IP6_NO_NEXT);
	assert_int_equal(x.off, 80);
	assert_true(x.fragmented);
	assert_int_equal(x.frag_off, 0);
	assert_false(x.cut);
}

// Only the first fragment has the headers of the packet that was cut into pieces.
static void only_the_first_fragment_is_followed(void **state)
{
	struct ip6_chain x = walk(IP6_FRAGMENT, "3c00 05a9 00000007 0000 0000 00000000");

	(void)state;
	assert_int_equal(x.n, 1);
	assert_int_equal(x.proto, IP6_DEST_OPTIONS);
	assert_int_equal(x.frag_off, 1448);
	assert_int_equal(x.off, 8);
}

static void esp_hides_what_follows(void **state)
{
	struct ip6_chain x = walk(IP6_ESP, "00000001 00000002 0000000000000000");

	(void)state;
	assert_int_equal(x.n, 1);
	assert_int_equal(x.proto, IP6_ESP);
	assert_int_equal(x.off, 0);
	assert_false(x.cut);
}

static void a_header_that_is_not_whole(void **state)
{
	static const char *const text[] = {"", "1100 0104 000000", "1101 0104 00000000"};
	struct ip6_chain x;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		x = walk(IP6_ROUTING, text[i]);
		assert_true(x.cut);
		assert_int_equal(x.n, 1);
		assert_int_equal(x.off, 0);
	}
	x = walk(IP6_AH, "1104 0000 00000000 00000000");
	assert_true(x.cut);
}

static void a_chain_without_end(void **state)
{
	uint8_t bytes[8 * (IP6_CHAIN_MOST + 1)] = {0};
	struct ip6_chain x;

	(void)state;
	ip6_chain_walk(&x, IP6_HOP_BY_HOP, bytes, sizeof(bytes));
	assert_int_equal(x.n, IP6_CHAIN_MOST);
	assert_true(x.cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_without_them),
		cmocka_unit_test(all_kinds_in_their_order),
		cmocka_unit_test(only_the_first_fragment_is_followed),
		cmocka_unit_test(esp_hides_what_follows),
		cmocka_unit_test(a_header_that_is_not_whole),
		cmocka_unit_test(a_chain_without_end),
	};

	return cmocka_run_group_tests_name("ip6_chain", tests, NULL, NULL);
}
