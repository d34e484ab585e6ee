// SPDX-License-Identifier: BSD-3-Clause
// Tests of messages that go from one process to another with 32 bits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand.h"

static const struct job_split nothing;

// Rank 0 sends two messages to rank 1 and one to rank 2.
static struct hand *sender_new(void)
{
	struct hand *h = hand_new(3);

	hand_op(h, 0, GRAPH_SEND, 100, 1, 7);
	hand_op(h, 0, GRAPH_SEND, 200, 1, 8);
	hand_op(h, 0, GRAPH_SEND, 300, 2, 9);
	hand_calc(h, 0, 5, 0);
	return h;
}

static void a_word_gives_the_message_back(void **state)
{
	struct hand *h = sender_new();
	uint32_t before = 0;

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		const struct job_message sent = {.op = i % 2, .iteration = i / 2};
		struct job_message m;

		assert_true(job_message_of(&h->graph, 0, 1, job_message_word(&sent), before, &m));
		assert_int_equal(m.from, 0);
		assert_int_equal(m.to, 1);
		assert_int_equal(m.op, i % 2);
		assert_int_equal(m.tag, 7 + i % 2);
		assert_int_equal(m.bytes, 100 + i % 2 * 100);
		assert_int_equal(m.iteration, i / 2);
		assert_int_equal(m.posted, TSTAMP_NEVER);
		before = m.iteration;
	}
	free(h);
}

static void a_word_of_no_message_is_refused(void **state)
{
	struct hand *h = sender_new();
	struct job_message m;

	(void)state;
	assert_true(job_message_of(&h->graph, 0, 2, 2, 0, &m));
	assert_false(job_message_of(&h->graph, 0, 1, 2, 0, &m)); // it goes to rank 2
	assert_false(job_message_of(&h->graph, 0, 1, 3, 0, &m)); // a CALC
	assert_false(job_message_of(&h->graph, 0, 1, 4, 0, &m));
	assert_false(job_message_of(&h->graph, 1, 1, 0, 0, &m));        // rank 1 has no operations
	assert_false(job_message_of(&h->graph, 0, 1, 2u << 30, 0, &m)); // two iterations later
	assert_false(job_message_of(&h->graph, 0, 1, 0, 1, &m));        // the one before
	free(h);
}

// The split of a chain is lost where its message came from another process, until the next
// iteration.
static void a_message_without_a_past_makes_the_split_unknown(void **state)
{
	struct hand *h = hand_new(2);
	const struct job_message sent = {.from = 1, .op = 0};
	struct job_params p = {&h->graph, 0, 2, 0};
	struct job_message m;
	struct job_rank *r;
	struct job_step step;

	(void)state;
	hand_op(h, 0, GRAPH_RECV, 100, 1, 7);
	hand_calc(h, 0, 10, 0);
	hand_op(h, 0, GRAPH_SEND, 100, 1, 7);
	hand_needs(h, 0, 1, 0);
	hand_needs(h, 0, 2, 1);
	hand_op(h, 1, GRAPH_SEND, 100, 0, 7);
	r = job_rank_new(&p);
	assert_non_null(r);
	job_start(r, 0);
	assert_true(job_message_of(&h->graph, 1, 0, job_message_word(&sent), 0, &m));
	assert_true(job_arrived(r, &m, &nothing, 50));
	job_expire(r, 60);
	assert_true(job_take_send(r, &m));
	assert_int_equal(m.posted, 60);
	assert_true(m.so_far.unknown);
	job_send_done(r, &m, &nothing, 70);
	assert_true(job_take_step(r, &step));
	assert_int_equal(step.done, 60);
	assert_int_equal(step.ended, 70);
	assert_true(step.split.unknown);

	job_expire(r, 70);
	m = (struct job_message){.from = 1, .tag = 7, .iteration = 1, .bytes = 100, .posted = 80};
	assert_true(job_arrived(r, &m, &nothing, 90));
	job_expire(r, 100);
	assert_true(job_take_send(r, &m));
	job_send_done(r, &m, &nothing, 110);
	assert_true(job_take_step(r, &step));
	assert_false(step.split.unknown);
	assert_int_equal(job_split_sum(&step.split), 20);
	job_rank_free(r);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_gives_the_message_back),
		cmocka_unit_test(a_word_of_no_message_is_refused),
		cmocka_unit_test(a_message_without_a_past_makes_the_split_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
