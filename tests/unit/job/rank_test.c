// SPDX-License-Identifier: BSD-3-Clause
// Tests of a rank: what starts when, which messages meet which RECVs, and how the time is divided.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/prng.h"
#include "hand.h"
#include "job/int.h"
#include "rounds.h"
#include "star.h"

#define NS PS_PER_NS

static const struct job_split nothing;

static struct job_rank *rank_new(struct hand *h, uint32_t rank, uint32_t iterations, tstamp gap)
{
	struct job_params p = {&h->graph, rank, iterations, gap};
	struct job_rank *r = job_rank_new(&p);

	assert_non_null(r);
	return r;
}

static struct job_message message(uint32_t from, uint32_t tag)
{
	return (struct job_message){.from = from, .tag = tag, .bytes = 1};
}

static uint32_t sent(struct job_rank *r)
{
	struct job_message m;

	return job_take_send(r, &m) ? m.op : GRAPH_NONE;
}

// a (10 ns) -> b (20 ns), while c (5 ns) waits for the same CPU and d has another one.
static void calcs_of_one_cpu_run_one_after_the_other(void **state)
{
	struct hand *h = hand_new(1);
	struct job_rank *r;
	struct job_step step;

	(void)state;
	hand_calc(h, 0, 10 * NS, 0);
	hand_calc(h, 0, 20 * NS, 0);
	hand_calc(h, 0, 5 * NS, 0);
	hand_calc(h, 0, 32 * NS, 1);
	hand_needs(h, 0, 1, 0);
	r = rank_new(h, 0, 1, 0);
	job_start(r, 100);
	assert_int_equal(job_deadline(r), 100 + 10 * NS);
	job_expire(r, 100 + 10 * NS);
	assert_int_equal(job_deadline(r), 100 + 15 * NS); // c came before b could start
	job_expire(r, 100 + 15 * NS);
	assert_int_equal(job_deadline(r), 100 + 32 * NS);
	job_expire(r, 100 + 32 * NS);
	assert_false(job_take_step(r, &step));
	job_expire(r, 100 + 35 * NS);
	assert_true(job_take_step(r, &step));
	assert_int_equal(step.start, 100);
	assert_int_equal(step.done, 100 + 35 * NS);
	assert_int_equal(step.split.part[JOB_COMPUTE], 35 * NS);
	assert_true(job_is_over(r));
	assert_int_equal(job_deadline(r), TSTAMP_NEVER);
	job_rank_free(r);
	free(h);
}

// irequires: b starts with a, and a CALC that waits for its CPU has not started.
static void an_operation_may_wait_for_a_start(void **state)
{
	struct hand *h = hand_new(2);
	struct job_rank *r;

	(void)state;
	hand_calc(h, 0, 10 * NS, 0);
	hand_calc(h, 0, 10 * NS, 0);
	hand_op(h, 0, GRAPH_SEND, 1, 1, 0);
	hand_op(h, 0, GRAPH_SEND, 1, 1, 1);
	hand_edge(h, 0, 0, 2, true);
	hand_edge(h, 0, 1, 3, true);
	r = rank_new(h, 0, 1, 0);
	job_start(r, 0);
	assert_int_equal(sent(r), 2);
	assert_int_equal(sent(r), GRAPH_NONE);
	job_expire(r, 10 * NS);
	assert_int_equal(sent(r), 3);
	job_rank_free(r);
	free(h);
}

// Two RECVs of one source and tag take messages in order; one of another tag takes its own.
static void a_message_meets_the_first_recv_of_its_source_and_tag(void **state)
{
	struct hand *h = hand_new(3);
	struct job_rank *r;
	struct job_message m = message(1, 7);

	(void)state;
	hand_op(h, 0, GRAPH_RECV, 1, 2, 7);
	hand_op(h, 0, GRAPH_RECV, 1, 1, 8);
	hand_op(h, 0, GRAPH_RECV, 1, 1, 7);
	hand_op(h, 0, GRAPH_RECV, 1, 1, 7);
	h->rank[0].incoming = 4;
	r = rank_new(h, 0, 1, 0);
	job_start(r, 0);
	assert_true(job_arrived(r, &m, &nothing, 1));
	assert_int_equal(job_phase_of(r, 0), JOB_RUNS);
	assert_int_equal(job_phase_of(r, 1), JOB_RUNS);
	assert_int_equal(job_phase_of(r, 2), JOB_ENDED);
	assert_int_equal(job_phase_of(r, 3), JOB_RUNS);
	assert_int_equal(job_pending(r, 2), 3);
	job_rank_free(r);
	free(h);
}

// RECVs of any source or tag and named ones: whichever started first takes the message.
static void a_recv_of_any_takes_its_turn(void **state)
{
	struct hand *h = hand_new(3);
	struct job_rank *r;
	struct job_message m = message(1, 7), other = message(2, 9);

	(void)state;
	hand_op(h, 0, GRAPH_RECV, 1, 1, 7);
	hand_op(h, 0, GRAPH_RECV, 1, GRAPH_ANY, 7);
	hand_op(h, 0, GRAPH_RECV, 1, 1, 7);
	hand_op(h, 0, GRAPH_RECV, 1, 2, GRAPH_ANY);
	h->rank[0].incoming = 4;
	r = rank_new(h, 0, 1, 0);
	job_start(r, 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(job_phase_of(r, i), JOB_RUNS);
		assert_true(job_arrived(r, &m, &nothing, i));
		assert_int_equal(job_phase_of(r, i), JOB_ENDED);
	}
	assert_true(job_arrived(r, &other, &nothing, 4));
	assert_int_equal(job_phase_of(r, 3), JOB_ENDED);
	job_rank_free(r);
	free(h);
}

// A RECV of any that starts late takes the message that came first.
static void a_late_recv_of_any_takes_the_oldest_message(void **state)
{
	struct hand *h = hand_new(4);
	struct job_rank *r;
	struct job_message m;
	uint32_t at = GRAPH_NONE;

	(void)state;
	hand_calc(h, 0, 10, 0);
	hand_op(h, 0, GRAPH_RECV, 1, GRAPH_ANY, 5);
	hand_op(h, 0, GRAPH_RECV, 1, 1, 5);
	hand_needs(h, 0, 1, 0);
	hand_needs(h, 0, 2, 1);
	h->rank[0].incoming = 3;
	r = rank_new(h, 0, 1, 0);
	job_start(r, 0);
	for (uint32_t from = 3; from; from--) {
		m = message(from, 5);
		assert_true(job_arrived(r, &m, &nothing, 1));
	}
	m = message(3, 5);
	assert_false(job_arrived(r, &m, &nothing, 1)); // no room
	job_expire(r, 10);
	assert_true(job_is_over(r));
	assert_true(job_untaken(r, &at, &m)); // of 3 one was taken, of 1 the other
	assert_int_equal(m.from, 2);
	assert_false(job_untaken(r, &at, &m));
	job_rank_free(r);
	free(h);
}

// Messages of other tags, which other hashes have, lie between.
static void a_late_recv_of_any_source_passes_over_other_tags(void **state)
{
	struct hand *h = hand_new(3);
	struct job_rank *r;
	struct job_message m;

	(void)state;
	hand_calc(h, 0, 10, 0);
	hand_op(h, 0, GRAPH_RECV, 1, GRAPH_ANY, 40);
	hand_needs(h, 0, 1, 0);
	h->rank[0].incoming = 41;
	r = rank_new(h, 0, 1, 0);
	job_start(r, 0);
	for (uint32_t tag = 0; tag <= 40; tag++) {
		m = message(1 + tag % 2, tag);
		assert_true(job_arrived(r, &m, &nothing, 1));
	}
	job_expire(r, 10);
	assert_true(job_is_over(r));
	job_rank_free(r);
	free(h);
}

// A RECV that starts late leaves a message of the next iteration alone.
static void a_late_recv_takes_no_message_of_the_next_iteration(void **state)
{
	struct hand *h = hand_new(2);
	struct job_rank *r;
	struct job_message m = message(1, 0);

	(void)state;
	hand_calc(h, 0, 10, 0);
	hand_op(h, 0, GRAPH_RECV, 1, 1, 0);
	hand_needs(h, 0, 1, 0);
	h->rank[0].incoming = 1;
	r = rank_new(h, 0, 2, 0);
	job_start(r, 0);
	m.iteration = 1;
	assert_true(job_arrived(r, &m, &nothing, 1));
	job_expire(r, 10);
	assert_int_equal(job_phase_of(r, 1), JOB_RUNS);
	job_rank_free(r);
	free(h);
}

// A message of the next iteration waits for it, and the gap goes from end to start.
static void iterations_follow_each_other_with_a_gap(void **state)
{
	struct hand *h = hand_new(2);
	struct job_rank *r;
	struct job_message m = message(1, 0);
	struct job_step step;

	(void)state;
	hand_op(h, 0, GRAPH_RECV, 1, 1, 0);
	hand_calc(h, 0, 10, 0);
	hand_needs(h, 0, 1, 0);
	h->rank[0].incoming = 1;
	r = rank_new(h, 0, 2, 100);
	job_start(r, 0);
	m.iteration = 1;
	assert_true(job_arrived(r, &m, &nothing, 1));
	assert_int_equal(job_phase_of(r, 0), JOB_RUNS);
	m.iteration = 0;
	assert_true(job_arrived(r, &m, &nothing, 5));
	job_expire(r, 15);
	assert_true(job_take_step(r, &step));
	assert_int_equal(step.iteration, 0);
	assert_int_equal(step.done, 15);
	assert_int_equal(step.split.part[JOB_WAIT], 5);
	assert_int_equal(job_deadline(r), 115);
	job_expire(r, 115);
	assert_int_equal(job_deadline(r), 125);
	job_expire(r, 125);
	assert_true(job_take_step(r, &step));
	assert_int_equal(step.iteration, 1);
	assert_int_equal(step.start, 115);
	assert_int_equal(job_split_sum(&step.split), 10);
	assert_true(job_is_over(r));
	job_rank_free(r);
	free(h);
}

// The parts of a message's time, and a RECV that starts after its message: the chain then goes back
// to the operation that the RECV waited for.
static void the_split_follows_the_operation_that_ended_last(void **state)
{
	struct hand *h = hand_new(2);
	struct job_rank *r;
	struct job_message m = message(1, 0);
	struct job_split took = {.part = {[JOB_WIRE] = 50, [JOB_PAUSE] = 20, [JOB_RESEND] = 7}};

	(void)state;
	hand_op(h, 0, GRAPH_RECV, 1, 1, 0);
	hand_calc(h, 0, 300, 0);
	hand_op(h, 0, GRAPH_RECV, 1, 1, 1);
	hand_op(h, 0, GRAPH_SEND, 1, 1, 2);
	hand_needs(h, 0, 2, 1);
	hand_needs(h, 0, 3, 0);
	hand_needs(h, 0, 3, 2);
	h->rank[0].incoming = 2;
	r = rank_new(h, 0, 1, 0);
	job_start(r, 0);
	m.posted = 1000 - 900;
	m.so_far.part[JOB_COMPUTE] = 100;
	m.tag = 1;
	assert_true(job_arrived(r, &m, &took, 200)); // early: RECV 2 waits for the CALC
	job_expire(r, 300);
	assert_int_equal(job_phase_of(r, 2), JOB_ENDED);
	m.tag = 0;
	assert_true(job_arrived(r, &m, &took, 1000));
	assert_true(job_take_send(r, &m));
	assert_int_equal(m.op, 3);
	assert_int_equal(m.posted, 1000);
	assert_int_equal(m.so_far.part[JOB_COMPUTE], 100);
	assert_int_equal(m.so_far.part[JOB_WIRE], 50);
	assert_int_equal(m.so_far.part[JOB_PAUSE], 20);
	assert_int_equal(m.so_far.part[JOB_RESEND], 7);
	assert_int_equal(m.so_far.part[JOB_WAIT], 900 - 77);
	assert_int_equal(job_split_sum(&m.so_far), 1000);
	job_rank_free(r);
	free(h);
}

static void a_rank_without_operations_is_over(void **state)
{
	struct hand *h = hand_new(1);
	struct job_rank *r = rank_new(h, 0, 2, 5);
	struct job_step step;

	(void)state;
	job_start(r, 3);
	assert_true(job_take_step(r, &step));
	assert_int_equal(step.done, 3);
	assert_false(job_is_over(r));
	job_expire(r, 8);
	assert_true(job_take_step(r, &step));
	assert_true(job_is_over(r));
	job_rank_free(r);
	free(h);
}

// Rank 0 waits for 1, and 1 would send after a message of 0 that comes after that.
static void what_a_rank_waits_for_can_be_found(void **state)
{
	struct hand *h = hand_new(2);
	struct job_rank *r;
	uint8_t mark[1] = {0};

	(void)state;
	hand_op(h, 0, GRAPH_RECV, 1, 1, 3);
	hand_calc(h, 0, 10, 0);
	hand_op(h, 0, GRAPH_SEND, 1, 1, 4);
	hand_needs(h, 0, 1, 0);
	hand_needs(h, 0, 2, 1);
	r = rank_new(h, 0, 1, 0);
	job_start(r, 0);
	assert_int_equal(job_pending(r, 0), 0);
	assert_int_equal(job_send_to_come(r, 1, 4), 2);
	assert_int_equal(job_send_to_come(r, 1, GRAPH_ANY), 2);
	assert_int_equal(job_send_to_come(r, 1, 5), GRAPH_NONE);
	assert_int_equal(job_blocker(r, 2, mark), 0);
	job_rank_free(r);
	free(h);
}

// A gather over one downlink: 3 * 256 frames without a hole (see star.h).
static void an_incast_shares_the_downlink(void **state)
{
	struct hand *h = hand_new(4);
	struct star_result s;

	(void)state;
	for (uint32_t i = 1; i < 4; i++) {
		hand_op(h, i, GRAPH_SEND, 262144, 0, 0);
		hand_op(h, 0, GRAPH_RECV, 262144, i, 0);
	}
	s = star_run(&h->graph, 1, 0, NULL, NULL);
	assert_int_equal(s.over, 4);
	assert_int_equal(s.done, 70041120);
	assert_int_equal(job_split_sum(&s.split), s.done);
	assert_int_equal(s.split.part[JOB_WIRE], star_alone(262144));
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calcs_of_one_cpu_run_one_after_the_other),
		cmocka_unit_test(an_operation_may_wait_for_a_start),
		cmocka_unit_test(a_message_meets_the_first_recv_of_its_source_and_tag),
		cmocka_unit_test(a_recv_of_any_takes_its_turn),
		cmocka_unit_test(a_late_recv_of_any_takes_the_oldest_message),
		cmocka_unit_test(a_late_recv_of_any_source_passes_over_other_tags),
		cmocka_unit_test(a_late_recv_takes_no_message_of_the_next_iteration),
		cmocka_unit_test(iterations_follow_each_other_with_a_gap),
		cmocka_unit_test(the_split_follows_the_operation_that_ended_last),
		cmocka_unit_test(a_rank_without_operations_is_over),
		cmocka_unit_test(what_a_rank_waits_for_can_be_found),
		cmocka_unit_test(an_incast_shares_the_downlink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
