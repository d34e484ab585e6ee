// SPDX-License-Identifier: BSD-3-Clause
// Tests of the ring of recorded frames: what goes in comes out, at every wrap, by one thread
// or two.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "load/load.h"
#include "wire/pkt.h"

#define FRAMES 200000

// Frame i is known by its number: instant, length and bytes.
static uint8_t bytes[PKT_MAX_LEN + 256];

static struct replay_frame frame(unsigned i, unsigned longest)
{
	uint32_t hash = i * 2654435761u;

	return (struct replay_frame){.at = i * 3ull,
		.bytes = bytes + (hash & 255),
		.len = (uint16_t)(1 + (hash >> 8) % longest)};
}

static void fill_bytes(void)
{
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31 >> 3);
}

static void is_frame(const struct replay_rec *rec, unsigned i, unsigned longest)
{
	struct replay_frame f = frame(i, longest);

	assert_non_null(rec);
	assert_int_equal(rec->at, f.at);
	assert_int_equal(rec->len, f.len);
	assert_memory_equal(rec->bytes, f.bytes, f.len);
}

// Bursts of any size in and out, frames of any length: each wrap comes at another place.
static void what_goes_in_comes_out(void **state)
{
	(void)state;
	fill_bytes();
	for (uint64_t seed = 1; seed <= 10; seed++) {
		unsigned longest = seed % 2 ? 100 : PKT_MAX_LEN, in = 0, out = 0, full = 0;
		struct replay_ring r;
		struct prng g;

		printf("seed %lu\n", (unsigned long)seed);
		prng_init(&g, seed, "ring");
		assert_int_equal(replay_ring_init(&r, 0), 0);
		while (out < FRAMES / 10) {
			for (unsigned n = prng_below(&g, 60); n; n--) {
				struct replay_frame f = frame(in, longest);

				if (!replay_ring_put(&r, &f)) {
					full++;
					break;
				}
				in++;
			}
			replay_ring_show(&r);
			for (unsigned n = prng_below(&g, 41); n && out < in; n--) {
				const struct replay_rec *rec = replay_ring_look(&r);

				is_frame(rec, out++, longest);
				replay_ring_drop(&r, rec);
			}
			replay_ring_give(&r);
		}
		assert_true(full);
		replay_ring_fini(&r);
	}
}

static void unseen_until_shown(void **state)
{
	struct replay_frame f = {.at = 1, .bytes = bytes, .len = 60};
	const struct replay_rec *rec;
	struct replay_ring r;

	(void)state;
	assert_int_equal(replay_ring_init(&r, 0), 0);
	assert_true(replay_ring_put(&r, &f));
	assert_null(replay_ring_look(&r));
	assert_false(replay_ring_ended(&r));
	replay_ring_end(&r);
	rec = replay_ring_look(&r);
	assert_non_null(rec);
	assert_false(replay_ring_ended(&r));
	replay_ring_drop(&r, rec);
	assert_true(replay_ring_ended(&r));
	assert_null(replay_ring_look(&r));
	replay_ring_fini(&r);
}

// A ring holds its bytes and no more: frames of 48 bytes with their head of 16 fill it to the last.
static void it_is_bounded(void **state)
{
	struct replay_frame f = {.bytes = bytes, .len = 48};
	struct replay_ring r;
	uint64_t n = 0;

	(void)state;
	assert_int_equal(replay_ring_init(&r, 1 << 20), 0);
	while (replay_ring_put(&r, &f))
		n++;
	assert_int_equal(n, (1 << 20) / 64);
	assert_int_equal(replay_ring_free(&r), 0);
	replay_ring_fini(&r);
}

static void *put_all(void *ring)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		struct replay_frame f = frame(i, 100);

		while (!replay_ring_put(ring, &f))
			sched_yield();
		if (i % 7 == 0)
			replay_ring_show(ring);
	}
	replay_ring_end(ring);
	return NULL;
}

static void two_threads(void **state)
{
	struct replay_ring r;
	pthread_t thread;
	unsigned out = 0;

	(void)state;
	fill_bytes();
	assert_int_equal(replay_ring_init(&r, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, put_all, &r), 0);
	while (!replay_ring_ended(&r)) {
		const struct replay_rec *rec = replay_ring_look(&r);

		if (!rec) {
			sched_yield();
			continue;
		}
		is_frame(rec, out++, 100);
		replay_ring_drop(&r, rec);
		replay_ring_give(&r);
	}
	pthread_join(thread, NULL);
	assert_int_equal(out, FRAMES);
	replay_ring_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out),
		cmocka_unit_test(unseen_until_shown),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
