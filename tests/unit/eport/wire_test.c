// SPDX-License-Identifier: BSD-3-Clause
// A wire that several serializers share: never more than it carries, nothing lost of it, by one
// thread and by several at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "eport/wire.h"

#define FRAME  (100 * PS_PER_NS)
#define BOTH   2
#define ROUNDS 200000

static const struct eport_share at_once = {.bit = 1, .longest = FRAME},
				ahead = {.bit = 1, .longest = FRAME, .tolerance = 4 * FRAME},
				far = {.bit = 1, .longest = FRAME, .tolerance = 20 * FRAME},
				other = {.bit = 2, .longest = FRAME, .tolerance = 4 * FRAME};

static void an_idle_wire_is_free_at_once(void **state)
{
	struct eport_wire w = {0};
	struct eport_piece p = {0};

	(void)state;
	assert_true(eport_wire_take(&w, &p, &at_once, 32 * FRAME, 7 * FRAME));
	assert_true(p.from == 7 * FRAME && p.to == 8 * FRAME && p.idle == 7 * FRAME);
	eport_wire_settle(&w, &p, &at_once, p.to);
	assert_false(eport_wire_take(&w, &p, &at_once, FRAME, 8 * FRAME - 1));
	assert_true(p.from == 8 * FRAME);
	assert_true(eport_wire_take(&w, &p, &at_once, FRAME, 8 * FRAME));
	assert_true(p.idle == 0);
}

static void it_is_booked_ahead_within_the_tolerance(void **state)
{
	struct eport_wire w = {0};
	struct eport_piece p = {0};

	(void)state;
	assert_true(eport_wire_take(&w, &p, &ahead, 32 * FRAME, 0));
	assert_true(p.from == 0 && p.to == 5 * FRAME); // the fifth starts at the tolerance's end
	assert_false(eport_wire_take(&w, &p, &ahead, FRAME, FRAME - 1));
	assert_true(eport_wire_take(&w, &p, &ahead, FRAME, FRAME));
	assert_true(p.from == 5 * FRAME && p.to == 6 * FRAME);
}

static void what_is_not_needed_goes_back(void **state)
{
	struct eport_wire w = {0};
	struct eport_piece p = {0}, q = {0};

	(void)state;
	assert_true(eport_wire_take(&w, &p, &far, 8 * FRAME, 0));
	assert_true(eport_wire_take(&w, &q, &far, 8 * FRAME, 0));
	assert_true(q.from == 8 * FRAME);
	eport_wire_settle(&w, &p, &far, p.from + 3 * FRAME);
	eport_wire_settle(&w, &q, &far,
		q.from + 9 * FRAME); // and the bytes that were needed beyond are taken
	assert_true(w.tat == 12 * FRAME);
}

// Who had the last piece leaves the wire to who waits, for half of the tolerance.
static void those_who_wait_have_a_turn(void **state)
{
	struct eport_wire w = {0};
	struct eport_piece p = {0}, q = {0};

	(void)state;
	assert_true(eport_wire_take(&w, &p, &ahead, 32 * FRAME, 0));
	assert_false(eport_wire_take(&w, &q, &other, FRAME, FRAME - 1));
	assert_true(q.from == 5 * FRAME);
	eport_wire_settle(&w, &p, &ahead, p.to);
	assert_false(eport_wire_take(&w, &p, &ahead, FRAME, FRAME));
	assert_true(p.from == 5 * FRAME + FRAME / 16);
	assert_true(eport_wire_take(&w, &q, &other, FRAME, FRAME));
	assert_true(q.from == 5 * FRAME && q.to == 6 * FRAME);
	eport_wire_settle(&w, &q, &other, q.to);
	assert_true(eport_wire_take(&w, &p, &ahead, FRAME, 2 * FRAME));
	assert_true(p.from == 6 * FRAME && p.idle == 0);
	eport_wire_settle(&w, &p, &ahead, p.to);
	assert_true(w.waits == 0);
}

// Who waits and does not come, or comes and has nothing, holds nobody up beyond that.
static void a_turn_that_nobody_takes_passes(void **state)
{
	struct eport_wire w = {0};
	struct eport_piece p = {0}, q = {0};

	(void)state;
	assert_true(eport_wire_take(&w, &p, &ahead, 32 * FRAME, 0));
	assert_false(eport_wire_take(&w, &q, &other, FRAME, FRAME - 1));
	eport_wire_settle(&w, &p, &ahead, p.to);
	assert_false(eport_wire_take(&w, &p, &ahead, FRAME, 3 * FRAME - 1));
	assert_true(eport_wire_take(&w, &p, &ahead, FRAME, 3 * FRAME));
	assert_true(p.from == 5 * FRAME && p.to == 6 * FRAME);
	eport_wire_settle(&w, &p, &ahead, p.to);
	assert_true(eport_wire_take(&w, &p, &ahead, FRAME, 3 * FRAME));
	eport_wire_settle(&w, &p, &ahead, p.to);

	assert_false(eport_wire_take(&w, &q, &other, FRAME, 3 * FRAME - 1));
	assert_true(eport_wire_take(&w, &q, &other, FRAME, 3 * FRAME));
	eport_wire_settle(&w, &q, &other, q.from); // it has nothing now
	assert_true(w.tat == 7 * FRAME);
	assert_true(eport_wire_take(&w, &p, &ahead, FRAME, 3 * FRAME));
}

struct sender {
	struct eport_wire *wire;
	pthread_barrier_t *start;
	struct eport_share share;
	uint64_t seed, sent; // ps
	tstamp now;
};

static void *sends(void *arg)
{
	struct sender *s = arg;
	uint64_t x = s->seed;

	pthread_barrier_wait(s->start);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct eport_piece p = {0};
		tstamp need;

		x = x * 6364136223846793005u + 1442695040888963407u;
		s->now += (x >> 60) * FRAME / 8;
		if (!eport_wire_take(s->wire, &p, &s->share, 8 * FRAME, s->now))
			continue;
		need = (x >> 50) % (p.to - p.from + 1);
		s->sent += need;
		eport_wire_settle(s->wire, &p, &s->share, p.from + need);
	}
	return NULL;
}

// All that was sent has been booked, and nothing else but idle time: the wire's end is no earlier
// than what all sent together.
static void threads_lose_nothing_of_it(void **state)
{
	struct eport_wire w = {0};
	struct sender s[BOTH];
	pthread_t thread[BOTH];
	pthread_barrier_t start;
	uint64_t sent = 0;
	tstamp last = 0;

	(void)state;
	pthread_barrier_init(&start, NULL, BOTH);
	for (unsigned i = 0; i < BOTH; i++) {
		s[i] = (struct sender){.wire = &w, .start = &start, .seed = 17 + i, .share = far};
		s[i].share.bit = 1u << i;
		assert_int_equal(pthread_create(&thread[i], NULL, sends, &s[i]), 0);
	}
	for (unsigned i = 0; i < BOTH; i++) {
		pthread_join(thread[i], NULL);
		sent += s[i].sent;
		last = tstamp_max(last, s[i].now);
	}
	pthread_barrier_destroy(&start);
	assert_true(sent > 0 && sent <= w.tat);
	assert_true(w.tat <= last + 21 * FRAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_wire_is_free_at_once),
		cmocka_unit_test(it_is_booked_ahead_within_the_tolerance),
		cmocka_unit_test(what_is_not_needed_goes_back),
		cmocka_unit_test(those_who_wait_have_a_turn),
		cmocka_unit_test(a_turn_that_nobody_takes_passes),
		cmocka_unit_test(threads_lose_nothing_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
