// SPDX-License-Identifier: BSD-3-Clause
// Tests of wire/hello_tag: a tag is right for its key and its bytes only.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "wire/hello_tag.h"

static const struct hello plain = {.dst = {2, 1, 0, 0, 1, 1},
	.src = {2, 0, 0, 0, 0, 1},
	.sections = 9,
	.parts = 2,
	.nonce = 0xdeadbeef,
	.dilate = 20,
	.port = "h1:s1",
	.part = {{.nonce = 1}, {.nonce = 2}}};

// python3: hashlib.blake2b(b"abc", digest_size=32).
static void a_key_is_the_digest_of_its_secret(void **state)
{
	static const uint8_t abc[HELLO_KEY] = {0xbd, 0xdd, 0x81, 0x3c, 0x63, 0x42, 0x39, 0x72, 0x31,
		0x71, 0xef, 0x3f, 0xee, 0x98, 0x57, 0x9b, 0x94, 0x96, 0x4e, 0x3b, 0xb1, 0xcb, 0x3e,
		0x42, 0x72, 0x62, 0xc8, 0xc0, 0x68, 0xd5, 0x23, 0x19};
	struct hello_key key;

	(void)state;
	hello_key_make(&key, "abc", 3);
	assert_memory_equal(key.bytes, abc, sizeof(abc));
}

// python3: hashlib.blake2b(hello without its tag, key=bytes(range(32)), digest_size=16).
static void a_tag_is_keyed_blake2b_of_all_before_it(void **state)
{
	static const uint8_t want[HELLO_TAG] = {0x5c, 0xe8, 0xd5, 0xae, 0x4f, 0x6b, 0x27, 0x4c,
		0xe0, 0x45, 0x6e, 0x86, 0x6d, 0xb4, 0x98, 0xa6};
	struct hello_key key;
	uint8_t b[HELLO_MAX];
	size_t n = hello_render(&plain, b);

	(void)state;
	for (unsigned i = 0; i < HELLO_KEY; i++)
		key.bytes[i] = (uint8_t)i;
	hello_stamp(b, 5);
	hello_sign(b, &key);
	assert_memory_equal(b + n - HELLO_TAG, want, HELLO_TAG);
}

static void every_bit_counts(void **state)
{
	struct hello_key key, other;
	uint8_t b[HELLO_MAX + 8] = {0};
	size_t n = hello_render(&plain, b);
	struct hello h;

	(void)state;
	hello_key_make(&key, "a secret", 8);
	hello_key_make(&other, "a secret\n", 9);
	hello_sign(b, &key);
	assert_int_equal(hello_tag_look(b, &key), HELLO_TAG_RIGHT);
	assert_int_equal(hello_tag_look(b, &other), HELLO_TAG_WRONG);
	for (unsigned bit = 0; bit < n * 8; bit++) {
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (hello_parse(&h, b, sizeof(b)) == HELLO_OK)
			assert_int_not_equal(hello_tag_look(b, &key), HELLO_TAG_RIGHT);
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	b[n] = 1; // padding
	assert_int_equal(hello_tag_look(b, &key), HELLO_TAG_RIGHT);
}

static void without_a_key_there_is_no_tag(void **state)
{
	struct hello_key key;
	uint8_t b[HELLO_MAX];

	(void)state;
	hello_key_make(&key, "x", 1);
	hello_render(&plain, b);
	hello_sign(b, NULL);
	assert_int_equal(hello_tag_look(b, NULL), HELLO_TAG_RIGHT);
	assert_int_equal(hello_tag_look(b, &key), HELLO_TAG_NONE);
	hello_sign(b, &key);
	assert_int_equal(hello_tag_look(b, NULL), HELLO_TAG_WRONG);
	assert_int_equal(hello_tag_look(b, &key), HELLO_TAG_RIGHT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_the_digest_of_its_secret),
		cmocka_unit_test(a_tag_is_keyed_blake2b_of_all_before_it),
		cmocka_unit_test(every_bit_counts),
		cmocka_unit_test(without_a_key_there_is_no_tag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
