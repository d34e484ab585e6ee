// SPDX-License-Identifier: BSD-3-Clause
// Blocks of pcapng: those that are written are read back; others are refused.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"
#include "cap/cap.h"

#define ROUNDS 2000
#define SEED   20261129

static const struct pcapng_clock clock_ns = {.begin_ns = 1000000000ull};

static void frames_are_read_back(void **state)
{
	static const char text[] = "marked here: queue 123 bytes";
	uint8_t bytes[300], *at;
	char block[sizeof(bytes) + sizeof(text) + 64];
	struct pcapng_block b;

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	for (unsigned len = 0; len <= sizeof(bytes); len++) {
		char comment[sizeof(text)] = "";
		struct pcapng_frame f = {.interface = 3,
			.t = len * PS_PER_US,
			.dir = 2,
			.bytes = bytes,
			.len = len,
			.comment = comment};
		size_t size;

		snprintf(comment, sizeof(comment), "%.*s", (int)(len % sizeof(text)), text);
		size = (size_t)(pcapng_frame(block, &clock_ns, &f) - block);
		assert_int_equal(size, pcapng_frame_bytes(len, comment));
		at = (uint8_t *)block;
		for (size_t part = 0; part < size; part++)
			assert_int_equal(pcapng_read(&b, at, part), 0);
		assert_int_equal(pcapng_read(&b, at, sizeof(block)), size);
		assert_int_equal(b.kind, PCAPNG_FRAME);
		assert_int_equal(b.interface, 3);
		assert_int_equal(b.dir, 2);
		assert_int_equal(b.time, 1000000000ull + len * 1000ull);
		assert_int_equal(b.len, len);
		assert_memory_equal(b.bytes, bytes, len);
		assert_string_equal(b.text, comment);
	}
}

static void counts_are_read_back(void **state)
{
	const struct pcapng_counts n = {.seen = 1ull << 40, .lost = 3, .accepted = 77, .unsent = 7};
	char block[PCAPNG_STATISTICS];
	struct pcapng_block b;
	size_t size = (size_t)(pcapng_statistics(block, 1, &clock_ns, PS_PER_S, &n) - block);

	(void)state;
	assert_true(size <= sizeof(block));
	assert_int_equal(pcapng_read(&b, (uint8_t *)block, size), size);
	assert_int_equal(b.kind, PCAPNG_STATS);
	assert_int_equal(b.interface, 1);
	assert_memory_equal(&b.counts, &n, sizeof(n));
}

static void interfaces_are_read_back(void **state)
{
	char block[PCAPNG_INTERFACE];
	struct pcapng_block b;
	size_t size = (size_t)(pcapng_interface(block, "s1:h3", RATE_GBPS, &clock_ns) - block);

	(void)state;
	assert_true(size <= sizeof(block));
	assert_int_equal(pcapng_read(&b, (uint8_t *)block, size), size);
	assert_int_equal(b.kind, PCAPNG_PORT);
	assert_string_equal(b.text, "s1:h3");
}

static void a_longer_comment_is_cut(void **state)
{
	char words[PCAPNG_COMMENT + 100], block[PCAPNG_COMMENT + 200];
	const uint8_t bytes[60] = {0};
	const struct pcapng_frame f = {.bytes = bytes, .len = sizeof(bytes), .comment = words};
	struct pcapng_block b;
	size_t size;

	(void)state;
	memset(words, 'x', sizeof(words));
	words[sizeof(words) - 1] = '\0';
	size = (size_t)(pcapng_frame(block, &clock_ns, &f) - block);
	assert_int_equal(size, pcapng_frame_bytes(sizeof(bytes), words));
	assert_true(size <= sizeof(block));
	assert_int_equal(pcapng_read(&b, (uint8_t *)block, size), size);
	assert_int_equal(strlen(b.text), PCAPNG_COMMENT);
}

// Bytes that changed on their way are refused, or read as another block; nothing beyond them is
// read (the sanitizers tell).
static void broken_blocks_are_survived(void **state)
{
	const uint8_t bytes[60] = {1};
	const struct pcapng_frame f = {
		.bytes = bytes, .len = sizeof(bytes), .comment = "queue 1 byte"};
	struct pcapng_block b;
	struct prng rng;

	(void)state;
	prng_init(&rng, SEED, "pcapng");
	for (unsigned i = 0; i < ROUNDS; i++) {
		char block[200];
		size_t size = (size_t)(pcapng_frame(block, &clock_ns, &f) - block);
		uint8_t *copy = malloc(size);

		assert_non_null(copy);
		memcpy(copy, block, size);
		for (unsigned k = prng_u32(&rng) % 4; k < 4; k++)
			copy[prng_u32(&rng) % size] = (uint8_t)prng_u32(&rng);
		assert_true(pcapng_read(&b, copy, size) <= (int)size);
		free(copy);
	}
	memset(&b, 0, sizeof(b));
	assert_int_equal(pcapng_read(&b, bytes, sizeof(bytes)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_read_back),
		cmocka_unit_test(counts_are_read_back),
		cmocka_unit_test(interfaces_are_read_back),
		cmocka_unit_test(a_longer_comment_is_cut),
		cmocka_unit_test(broken_blocks_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
