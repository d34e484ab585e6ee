// SPDX-License-Identifier: BSD-3-Clause
// Tests of wire/hello: bytes and fields, and a verdict for every frame that is none.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "wire/hello.h"

#define ROUNDS 2000

static const struct hello plain = {.dst = {2, 1, 0, 0, 1, 1},
	.src = {2, 0, 0, 0, 0, 1},
	.start = HELLO_START_AT,
	.sections = 9,
	.parts = 2,
	.turn = HELLO_ENDS,
	.level = 0x1234,
	.nonce = 0xdeadbeef,
	.seen = 0x01020304,
	.number = 7,
	.dilate = 20,
	.at_ns = 0x1122334455667788,
	.start_us = 0x99aabbcc,
	.port = "h1:s1",
	.sent_ns = 0x0102030405060708,
	.echo_ns = 0x1112131415161718,
	.starts_ns = 0x2122232425262728,
	.heard_ns = 0x3132333435363738,
	.told_ns = 0x4142434445464748,
	.why = {.what = 0x81828384, .links = 3, .port = "s1:h3"},
	.numbers = 0x9192939495969798,
	.digest = {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}},
	.part = {{.nonce = 0x51525354,
			 .number = 0x61626364,
			 .starts_ns = 0x7172737475767778,
			 .low_ns = -2,
			 .high_ns = 0x0102030405060708,
			 .nodes = {0xf0, [127] = 0x0f}},
		{.nonce = 1}}};

static void bytes_are_where_the_page_says(void **state)
{
	uint8_t b[HELLO_MAX];

	(void)state;
	assert_int_equal(hello_render(&plain, b), 222 + 9 * 16 + 2 * 160 + 16);
	assert_memory_equal(b, "\2\1\0\0\1\1\2\0\0\0\0\1\x88\xb5quenchHi\5\1\x9\2\x12\x34\2\3", 30);
	assert_memory_equal(b + 30, "\xde\xad\xbe\xef\1\2\3\4\0\0\0\7\0\0\0\x14", 16);
	assert_memory_equal(b + 46, "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcch1:s1\0", 18);
	assert_memory_equal(b + 114, "\1\2\3\4\5\6\7\x08\x11\x12\x13\x14\x15\x16\x17\x18", 16);
	assert_memory_equal(b + 130, "\x21\x22\x23\x24\x25\x26\x27\x28", 8);
	assert_memory_equal(b + 138, "12345678ABCDEFGH", 16);
	assert_memory_equal(b + 154, "\x81\x82\x83\x84s1:h3\0", 10);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(b[222 + 16 * i], i + 1);
	assert_memory_equal(b + 214, "\x91\x92\x93\x94\x95\x96\x97\x98", 8);
	assert_memory_equal(b + 366, "QRSTabcdqrstuvwx", 16);
	assert_memory_equal(b + 382, "\xff\xff\xff\xff\xff\xff\xff\xfe\1\2\3\4\5\6\7\x08", 16);
	assert_int_equal(b[398], 0xf0);
	assert_int_equal(b[398 + 127], 0x0f);
	assert_memory_equal(b + 526, "\0\0\0\1", 4);
	for (unsigned i = 686; i < 702; i++)
		assert_int_equal(b[i], 0);
	assert_int_equal(hello_len(b), 702);
	assert_int_equal(hello_version(b), 5);
	assert_int_equal(hello_nonce(b, 34), 0xdeadbeef);
	assert_int_equal(hello_nonce(b, 33), 0);

	struct hello h;

	hello_stamp(b, 5);
	assert_int_equal(hello_parse(&h, b, sizeof(b)), HELLO_OK);
	assert_int_equal(h.sent_ns, 5);
	assert_int_equal(h.echo_ns, plain.echo_ns);
}

static uint64_t number(struct prng *p)
{
	return prng_u64(p);
}

static void draw(struct hello *h, struct prng *p)
{
	*h = (struct hello){.start = number(p) % HELLO_STARTS,
		.sections = (uint8_t)(1 + number(p) % HELLO_SECTIONS),
		.parts = (uint8_t)(number(p) % (HELLO_PARTS + 1)),
		.turn = (uint8_t)(number(p) % HELLO_TURNS),
		.level = (uint16_t)number(p),
		.nonce = (uint32_t)number(p) | 1,
		.seen = (uint32_t)number(p),
		.number = (uint32_t)number(p),
		.dilate = (uint32_t)number(p) | 1,
		.at_ns = number(p),
		.start_us = (uint32_t)number(p),
		.sent_ns = number(p),
		.echo_ns = number(p),
		.starts_ns = number(p),
		.heard_ns = number(p),
		.told_ns = number(p),
		.numbers = number(p)};
	for (unsigned i = 0; i < h->parts; i++) {
		h->part[i] = (struct hello_part){.nonce = (uint32_t)number(p),
			.number = (uint32_t)number(p),
			.starts_ns = number(p),
			.low_ns = (int64_t)number(p),
			.high_ns = (int64_t)number(p)};
		for (unsigned k = 0; k < sizeof(h->part[i].nodes); k++)
			h->part[i].nodes[k] = (uint8_t)number(p);
	}
	for (unsigned i = 0; i < 6; i++) {
		h->dst[i] = (uint8_t)number(p);
		h->src[i] = (uint8_t)number(p);
	}
	for (unsigned i = 0, n = 1 + (unsigned)(number(p) % (HELLO_NAME - 1)); i < n; i++)
		h->port[i] = (char)('!' + number(p) % ('~' - '!' + 1));
	if (number(p) % 2)
		h->why = (struct hello_why){.what = (uint32_t)number(p) | 1,
			.links = (uint8_t)number(p),
			.port = "s1:h3"};
	for (unsigned i = 0; i < h->sections * HELLO_DIGEST; i++)
		h->digest[i / HELLO_DIGEST][i % HELLO_DIGEST] = (uint8_t)number(p);
}

static void what_is_written_is_read(void **state)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	struct prng p;

	(void)state;
	prng_init(&p, seed, "hello");
	print_message("QUENCH_SEED=%llu\n", (unsigned long long)seed);
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint8_t b[HELLO_MAX + 20], again[HELLO_MAX];
		struct hello h, got;
		size_t n;

		draw(&h, &p);
		n = hello_render(&h, b);
		memset(b + n, 0xa5, sizeof(b) - n);
		assert_int_equal(hello_parse(&got, b, n + number(&p) % (sizeof(b) - n)), HELLO_OK);
		assert_int_equal(hello_render(&got, again), n);
		assert_memory_equal(b, again, n);
	}
}

// Each cut is in memory of its own, so that valgrind sees a byte too much.
static void every_cut_is_short_or_another(void **state)
{
	uint8_t whole[HELLO_MAX];
	size_t n = hello_render(&plain, whole);
	struct hello h;

	(void)state;
	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *b = malloc(cut + 1);
		enum hello_verdict v;

		memcpy(b, whole, cut);
		v = hello_parse(&h, b, cut);
		assert_int_equal(v, cut < 22 ? HELLO_OTHER : HELLO_SHORT);
		free(b);
	}
}

static void refuse(size_t at, const char *bytes, size_t n, enum hello_verdict want)
{
	uint8_t b[HELLO_MAX];
	size_t len = hello_render(&plain, b);
	struct hello h = {.level = 99};

	memcpy(b + at, bytes, n);
	assert_int_equal(hello_parse(&h, b, len), want);
	assert_int_equal(h.level, 99);
}

static void every_wrong_field_has_its_verdict(void **state)
{
	char long_name[HELLO_NAME];

	(void)state;
	memset(long_name, 'x', sizeof(long_name));
	refuse(12, "\x08", 1, HELLO_OTHER);
	refuse(21, "j", 1, HELLO_OTHER);
	refuse(22, "\0", 1, HELLO_BAD_VERSION);
	refuse(22, "\1", 1, HELLO_BAD_VERSION);
	refuse(22, "\4", 1, HELLO_BAD_VERSION);
	refuse(23, "\2", 1, HELLO_BAD_START);
	refuse(24, "\0", 1, HELLO_BAD_SECTIONS);
	refuse(24, "\x11", 1, HELLO_BAD_SECTIONS);
	refuse(24, "\x0a", 1, HELLO_SHORT);
	refuse(25, "\3", 1, HELLO_SHORT);
	refuse(25, "\5", 1, HELLO_BAD_PARTS);
	refuse(28, "\3", 1, HELLO_BAD_TURN);
	refuse(30, "\0\0\0\0", 4, HELLO_BAD_NONCE);
	refuse(42, "\0\0\0\0", 4, HELLO_BAD_DILATE);
	refuse(58, "\0", 1, HELLO_BAD_PORT);
	refuse(59, "\n", 1, HELLO_BAD_PORT);
	refuse(59, " ", 1, HELLO_BAD_PORT);
	refuse(59, "\x7f", 1, HELLO_BAD_PORT);
	refuse(59, "\0z", 2, HELLO_BAD_PORT);
	refuse(58, long_name, sizeof(long_name), HELLO_BAD_PORT);
	refuse(154, "\0\0\0\0", 4, HELLO_BAD_WHY); // a port without a reason
	refuse(158, "\0", 1, HELLO_BAD_WHY);
	refuse(158, "\0\0\0\0\0", 5, HELLO_BAD_WHY); // a reason without a port
	refuse(159, "\n", 1, HELLO_BAD_WHY);
	refuse(158, long_name, sizeof(long_name), HELLO_BAD_WHY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_where_the_page_says),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(every_cut_is_short_or_another),
		cmocka_unit_test(every_wrong_field_has_its_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
