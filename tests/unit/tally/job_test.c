// SPDX-License-Identifier: BSD-3-Clause
// Iterations of a job, from events made by hand: which rank was last, and parts that sum to the
// time.
#include "rounds.h"

#include "job_figures_lab.h"

#include "base/prng.h"

static const struct rec_job *job(void)
{
	return &n.rec->job[0];
}

static tstamp sum_of(const struct rec_job *j)
{
	return job_split_sum(&j->split) + j->between;
}

static void an_iteration_has_the_split_of_its_last_rank(void **state)
{
	const struct rec_iteration *it;

	(void)state;
	job_open_with(1);
	job_step(0, 0, 10, 100, 50);
	job_step(1, 0, 10, 120, 70);
	job_step(2, 0, 10, 110, 60);
	job_drain();
	it = record_job_iteration(job(), 0);
	assert_non_null(it);
	assert_int_equal(it->last, 1);
	assert_true(it->start == 10 * PS_PER_US && it->end == 120 * PS_PER_US);
	assert_true(it->first == 100 * PS_PER_US);
	assert_true(it->split.part[JOB_WIRE] == 70 * PS_PER_US);
	assert_true(it->split.part[JOB_COMPUTE] == 40 * PS_PER_US);
	assert_true(it->split.part[JOB_WAIT] == 0);
	assert_int_equal(job()->over, 3);
	assert_int_equal(job()->times_last[1], 1);
	assert_true(sum_of(job()) == 110 * PS_PER_US);
	assert_null(record_job_iteration(job(), 1));
	job_close();
}

static void of_equal_ends_the_lowest_rank_is_last(void **state)
{
	(void)state;
	job_open_with(1);
	job_step(2, 0, 10, 120, 1);
	record_drain(n.rec, job_node[2]);
	job_step(1, 0, 10, 120, 2);
	job_step(0, 0, 10, 119, 3);
	job_drain();
	assert_int_equal(record_job_iteration(job(), 0)->last, 1);
	assert_true(job()->split.part[JOB_WIRE] == 2 * PS_PER_US);
	job_close();
}

// The chain began 30 us after the job did.
static void a_rank_that_began_later_waited(void **state)
{
	(void)state;
	job_open_with(1);
	job_step(0, 0, 0, 40, 40);
	job_step(1, 0, 30, 100, 70);
	job_step(2, 0, 0, 40, 40);
	job_drain();
	assert_true(job()->split.part[JOB_WAIT] == 30 * PS_PER_US);
	assert_true(job()->split.part[JOB_WIRE] == 70 * PS_PER_US);
	assert_true(sum_of(job()) == 100 * PS_PER_US);
	job_close();
}

static void time_between_iterations_is_told_apart(void **state)
{
	(void)state;
	job_open_with(2);
	for (unsigned i = 0; i < 3; i++) {
		job_step(i, 0, 0, 100, 100);
		job_step(i, 1, 150, 250, 100);
	}
	job_drain();
	assert_int_equal(job()->ended, 2);
	assert_true(job()->between == 50 * PS_PER_US);
	assert_true(job()->split.part[JOB_WIRE] == 200 * PS_PER_US);
	assert_true(sum_of(job()) == 250 * PS_PER_US);
	job_close();
}

// Rank 0 is in its second iteration from 60 us on, and rank 1 in its first until 100 us: of 140 us
// of the second, 100 count.
static void iterations_that_overlap_count_once(void **state)
{
	(void)state;
	job_open_with(2);
	job_step(0, 0, 0, 50, 50);
	job_step(1, 0, 0, 100, 100);
	job_step(2, 0, 0, 50, 50);
	job_step(0, 1, 60, 200, 70);
	job_step(1, 1, 110, 190, 80);
	job_step(2, 1, 60, 190, 80);
	job_drain();
	assert_true(job()->split.part[JOB_WIRE] == (100 + 50) * PS_PER_US);
	assert_true(job()->split.part[JOB_COMPUTE] == 50 * PS_PER_US);
	assert_true(job()->between == 0);
	assert_true(record_job_iteration(job(), 1)->split.part[JOB_WIRE] == 70 * PS_PER_US);
	job_close();
}

// Rank 0 tells of all of its iterations before the others tell of one.
static void a_rank_may_be_far_ahead(void **state)
{
	enum { MANY = 1000 };

	(void)state;
	job_open_with(MANY);
	for (unsigned rank = 0; rank < 3; rank++)
		for (unsigned i = 0; i < MANY; i++) {
			job_step(rank, i, i * 10, i * 10 + 8 + rank, 8 + rank);
			record_drain(n.rec, job_node[rank]);
		}
	assert_int_equal(job()->ended, MANY);
	assert_int_equal(job()->times_last[2], MANY);
	assert_true(sum_of(job()) == MANY * 10 * PS_PER_US);
	assert_int_equal(record_job_iteration(job(), 0)->last, 2);
	assert_int_equal(record_job_iteration(job(), REC_JOB_KEPT - 1)->number, REC_JOB_KEPT - 1);
	assert_null(record_job_iteration(job(), REC_JOB_KEPT));
	assert_null(record_job_iteration(job(), MANY - REC_JOB_KEPT - 1));
	assert_int_equal(
		record_job_iteration(job(), MANY - REC_JOB_KEPT)->number, MANY - REC_JOB_KEPT);
	job_close();
}

static void a_rank_that_is_not_over_holds_the_iteration(void **state)
{
	(void)state;
	job_open_with(2);
	job_step(0, 0, 0, 100, 100);
	job_step(2, 0, 0, 100, 100);
	job_drain();
	record_stat_finish(n.rec, PS_PER_MS);
	assert_int_equal(job()->ended, 0);
	assert_int_equal(job()->over, 0);
	assert_null(record_job_iteration(job(), 0));
	job_close();
}

// The first iteration of rank 1 found no room in the ring.
static void lost_events_hold_nothing_up(void **state)
{
	(void)state;
	job_open_with(2);
	job_step(0, 0, 0, 90, 90);
	job_step(2, 0, 0, 95, 95);
	for (unsigned i = 0; i < 3; i++)
		job_step(i, 1, 100, 200, 100);
	job_drain();
	record_stat_finish(n.rec, PS_PER_MS);
	assert_int_equal(job()->ended, 2);
	assert_int_equal(job()->over, 3);
	assert_int_equal(record_job_iteration(job(), 0)->last, 2);
	assert_true(sum_of(job()) == 200 * PS_PER_US);
	job_close();
}

// A rank whose chain came from another process tells no parts.
static void step_unknown(uint32_t rank, uint32_t iteration, uint64_t start, uint64_t done)
{
	struct ev *e = ev_put(
		&net_node(n.net, job_node[rank])->events, EV_JOB_STEP, (done + 2) * PS_PER_US);

	assert_non_null(e);
	e->cls = 1;
	e->job_step = (struct ev_job_step){
		JOB_RANK_AT + rank, iteration, start * PS_PER_US, done * PS_PER_US};
}

static void parts_of_a_chain_from_another_process_are_unknown(void **state)
{
	(void)state;
	job_open_with(2);
	step_unknown(0, 0, 0, 90);
	job_step(1, 0, 0, 100, 100);
	job_step(2, 0, 0, 95, 95);
	job_step(0, 1, 110, 190, 80);
	job_step(2, 1, 110, 195, 85);
	step_unknown(1, 1, 110, 200);
	job_drain();
	assert_int_equal(job()->ended, 2);
	assert_false(record_job_iteration(job(), 0)->split.unknown);
	assert_true(record_job_iteration(job(), 0)->split.part[JOB_WIRE] == 100 * PS_PER_US);
	assert_true(record_job_iteration(job(), 1)->split.unknown);
	assert_int_equal(job_split_sum(&record_job_iteration(job(), 1)->split), 0);
	assert_true(record_job_iteration(job(), 1)->end == 200 * PS_PER_US);
	assert_true(job()->split.unknown);
	assert_true(job()->between == 10 * PS_PER_US);
	job_close();
}

static void one_round(struct prng *p, uint64_t seed, unsigned iterations)
{
	tstamp at[3] = {0}, first = TSTAMP_NEVER, last = 0;

	job_open_with(iterations);
	for (unsigned i = 0; i < iterations; i++)
		for (unsigned rank = 0; rank < 3; rank++) {
			struct job_split s = {0};
			tstamp start = at[rank] + prng_below(p, 3000000), done = start;

			for (unsigned k = 0; k < JOB_PARTS; k++)
				done += s.part[k] = prng_below(p, 2) ? prng_below(p, 9999999) : 0;
			job_step_ps(rank, i, start, done, at[rank] = done + prng_below(p, 99), &s);
			first = i ? first : tstamp_min(first, start);
			last = tstamp_max(last, done);
			record_drain(n.rec, job_node[rank]);
		}
	record_stat_finish(n.rec, last);
	if (sum_of(job()) != last - first || job()->ended != iterations)
		fail_msg("seed %llu: %llu, not %llu ps", (unsigned long long)seed,
			(unsigned long long)sum_of(job()), (unsigned long long)(last - first));
	for (unsigned i = 0; i < iterations; i++) {
		const struct rec_iteration *it = record_job_iteration(job(), i);

		if (job_split_sum(&it->split) != it->end - it->start)
			fail_msg("seed %llu: iteration %u", (unsigned long long)seed, i);
	}
	job_close();
}

static void parts_always_sum_to_the_time(void **state)
{
	(void)state;
	for (unsigned round = 0; round < rounds_of(20); round++) {
		uint64_t seed = 4000 + round;
		struct prng p;

		prng_init(&p, seed, "job");
		one_round(&p, seed, 1 + (unsigned)prng_below(&p, 40));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_iteration_has_the_split_of_its_last_rank),
		cmocka_unit_test(of_equal_ends_the_lowest_rank_is_last),
		cmocka_unit_test(a_rank_that_began_later_waited),
		cmocka_unit_test(time_between_iterations_is_told_apart),
		cmocka_unit_test(iterations_that_overlap_count_once),
		cmocka_unit_test(a_rank_may_be_far_ahead),
		cmocka_unit_test(a_rank_that_is_not_over_holds_the_iteration),
		cmocka_unit_test(lost_events_hold_nothing_up),
		cmocka_unit_test(parts_of_a_chain_from_another_process_are_unknown),
		cmocka_unit_test(parts_always_sum_to_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
