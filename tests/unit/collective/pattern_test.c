// SPDX-License-Identifier: BSD-3-Clause
// Tests of patterns of training: their times where a closed form is known, and their bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "../job/star.h"
#include "collective/collective.h"

static uint64_t sent[64]; // bytes of each rank
static uint64_t messages;

static void add_up(const struct graph *g)
{
	messages = 0;
	for (uint32_t r = 0; r < g->n_ranks; r++) {
		sent[r] = 0;
		for (uint32_t i = 0; i < g->rank[r].n_ops; i++) {
			const struct graph_op *o = &graph_ops(g, r)[i];

			if (o->kind != GRAPH_SEND)
				continue;
			sent[r] += o->amount;
			messages++;
		}
	}
}

static struct star_result run_pattern(const struct pattern_params *p)
{
	struct star_result s;
	struct goal g;
	struct err err;

	assert_int_equal(goal_init(&g, p->ranks, ".", &err), 0);

	struct collective_sink into = collective_into(&g);

	assert_int_equal(pattern_make(p, &into), 0);
	goal_end(&g);
	add_up(&g.graph);
	s = star_run(&g.graph, 1, 0, NULL, NULL);
	assert_int_equal(s.over, p->ranks);
	assert_int_equal(job_split_sum(&s.split), s.done);
	goal_fini(&g);
	return s;
}

// (m + P - 1)(f + g), and A(n) once on each way at each boundary of stages.
static void a_pipeline_takes_its_closed_form(void **state)
{
	(void)state;
	for (unsigned kind = PATTERN_GPIPE; kind <= PATTERN_1F1B; kind++) {
		for (uint32_t stages = 2; stages <= 5; stages++) {
			struct pattern_params p = {.kind = kind,
				.ranks = stages,
				.bytes = 1024,
				.forward = PS_PER_MS,
				.backward = 2 * PS_PER_MS,
				.micro = 8};
			struct star_result s = run_pattern(&p);
			tstamp work = (p.micro + stages - 1) * (p.forward + p.backward);
			tstamp way = 2 * (stages - 1) * star_alone(p.bytes);

			assert_int_equal(messages, 2 * (stages - 1) * p.micro);
			assert_int_equal(s.split.part[JOB_COMPUTE], work);
			if (kind == PATTERN_GPIPE)
				assert_int_equal(s.done, work + way);
			else // a stage that alternates waits for each micro-batch to come back
				assert_in_range(s.done, work + way, work + p.micro * way);
		}
	}
}

// Where the buckets are short, only the last all-reduce is seen behind the backward pass.
static void buckets_overlap_the_backward_pass(void **state)
{
	struct pattern_params p = {.kind = PATTERN_DATA_PARALLEL,
		.ranks = 4,
		.bytes = 8 << 20,
		.forward = PS_PER_MS,
		.backward = 8 * PS_PER_MS,
		.buckets = 8,
		.algorithm = COLLECTIVE_RING};
	struct star_result s = run_pattern(&p);

	(void)state;
	assert_int_equal(s.done, p.forward + p.backward + 6 * star_alone(p.bytes / 8 / 4));
	assert_int_equal(s.split.part[JOB_COMPUTE], 9 * PS_PER_MS);
	for (uint32_t r = 0; r < p.ranks; r++)
		assert_int_equal(sent[r], 2 * 3 * (p.bytes / 4));
	// Where they are long, all all-reduces follow the first bucket.
	p.backward = 8 * PS_PER_US;
	s = run_pattern(&p);
	assert_int_equal(s.done, p.forward + PS_PER_US + 8 * 6 * star_alone(p.bytes / 8 / 4));
}

// Without a skew each rank sends (N - 1) / N of its bytes, four times in a layer.
static void experts_get_their_shares(void **state)
{
	struct pattern_params p = {.kind = PATTERN_EXPERTS,
		.ranks = 4,
		.bytes = 4 << 20,
		.forward = PS_PER_MS,
		.backward = 2 * PS_PER_MS,
		.layers = 2};
	struct star_result s = run_pattern(&p);
	const uint64_t matrix[9] = {0, 1000, 2000, 3000, 0, 0, 5000, 7000, 0};

	(void)state;
	for (uint32_t r = 0; r < p.ranks; r++)
		assert_int_equal(sent[r], 4 * p.layers * (3 << 20));
	assert_int_equal(s.split.part[JOB_COMPUTE], 6 * PS_PER_MS);
	// 1 : 1/2 : 1/3 : 1/4 = 12 : 6 : 4 : 3 of 25; what comes to an expert goes back
	p.skew = 1;
	p.bytes = 25 << 20;
	p.layers = 1;
	run_pattern(&p);
	for (uint32_t r = 0; r < p.ranks; r++) {
		uint64_t own = (uint64_t[]){12, 6, 4, 3}[r] << 20;

		assert_in_range(sent[r], 2 * (p.bytes - own + 3 * own) - 16,
			2 * (p.bytes - own + 3 * own) + 16);
	}
	p.ranks = 3;
	p.matrix = matrix;
	run_pattern(&p);
	assert_int_equal(sent[0], 2 * (3000 + 8000));
	assert_int_equal(sent[1], 2 * (3000 + 8000));
	assert_int_equal(sent[2], 2 * (12000 + 2000));
	assert_int_equal(messages, 4 * 5);
}

// Six senders write to two targets: three share a link.
static void a_checkpoint_is_an_incast(void **state)
{
	struct pattern_params p = {.kind = PATTERN_CHECKPOINT,
		.ranks = 8,
		.bytes = 262144,
		.forward = PS_PER_MS,
		.targets = 2};
	struct star_result s = run_pattern(&p);

	(void)state;
	assert_int_equal(s.done, PS_PER_MS + 70041120);
	assert_int_equal(s.split.part[JOB_WAIT], 2 * 256 * STAR_TAU);
}

// Four all-reduces a layer and micro-batch, none beside any other.
static void tensor_parallel_alternates_with_all_reduces(void **state)
{
	struct pattern_params p = {.kind = PATTERN_TENSOR,
		.ranks = 4,
		.bytes = 1 << 20,
		.forward = 1000001,
		.backward = 2 * PS_PER_US,
		.micro = 3,
		.layers = 2,
		.algorithm = COLLECTIVE_RING};
	struct star_result s = run_pattern(&p);
	tstamp all_reduce = 6 * star_alone(p.bytes / 4);

	(void)state;
	assert_int_equal(s.done, 6 * (p.forward + p.backward + 4 * all_reduce));
	assert_int_equal(s.split.part[JOB_COMPUTE], 6 * (p.forward + p.backward));
	for (uint32_t r = 0; r < p.ranks; r++)
		assert_int_equal(sent[r], 24 * 2 * 3 * (p.bytes / 4));
}

// Where the work of a layer is long, only the first all-gather and the last reduce-scatter are seen
// beside it; where there is none, all collectives follow each other.
static void sharded_weights_are_gathered_while_layers_work(void **state)
{
	struct pattern_params p = {.kind = PATTERN_FSDP,
		.ranks = 4,
		.bytes = 16 << 20,
		.forward = PS_PER_MS,
		.backward = 2 * PS_PER_MS,
		.layers = 4,
		.algorithm = COLLECTIVE_RING};
	struct star_result s = run_pattern(&p);
	tstamp one = 3 * star_alone(p.bytes / 4 / 4);

	(void)state;
	assert_int_equal(s.done, 4 * (p.forward + p.backward) + 2 * one);
	assert_int_equal(s.split.part[JOB_COMPUTE], 4 * (p.forward + p.backward));
	for (uint32_t r = 0; r < p.ranks; r++)
		assert_int_equal(sent[r], 3 * 3 * (p.bytes / 4));
	p.forward = p.backward = 0;
	s = run_pattern(&p);
	assert_int_equal(s.done, 12 * one);
}

static void what_is_out_of_range_is_refused(void **state)
{
	struct goal g;
	struct err err;
	struct pattern_params p = {
		.kind = PATTERN_CHECKPOINT, .ranks = 4, .bytes = 1, .targets = 4};
	struct collective_sink into;

	(void)state;
	assert_int_equal(goal_init(&g, 4, ".", &err), 0);
	into = collective_into(&g);
	assert_int_equal(pattern_make(&p, &into), -EINVAL);
	p.kind = PATTERN_GPIPE;
	assert_int_equal(pattern_make(&p, &into), -EINVAL);
	p.kind = PATTERN_EXPERTS;
	p.layers = 1;
	p.skew = -1;
	assert_int_equal(pattern_make(&p, &into), -EINVAL);
	p.kind = PATTERN_DATA_PARALLEL;
	p.buckets = 1;
	p.algorithm = COLLECTIVE_PAIRWISE;
	assert_int_equal(pattern_make(&p, &into), -EINVAL);
	p.kind = PATTERN_TENSOR;
	p.algorithm = COLLECTIVE_RING;
	assert_int_equal(pattern_make(&p, &into), -EINVAL); // no micro-batches
	p.micro = UINT32_MAX;
	assert_int_equal(pattern_make(&p, &into), -EINVAL);
	p.kind = PATTERN_FSDP;
	p.algorithm = COLLECTIVE_DOUBLING; // all-gathers have it, reduce-scatters do not
	assert_int_equal(pattern_make(&p, &into), -EINVAL);
	goal_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipeline_takes_its_closed_form),
		cmocka_unit_test(buckets_overlap_the_backward_pass),
		cmocka_unit_test(experts_get_their_shares),
		cmocka_unit_test(a_checkpoint_is_an_incast),
		cmocka_unit_test(tensor_parallel_alternates_with_all_reduces),
		cmocka_unit_test(sharded_weights_are_gathered_while_layers_work),
		cmocka_unit_test(what_is_out_of_range_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
