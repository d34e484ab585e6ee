// SPDX-License-Identifier: BSD-3-Clause
// Tests of collectives: every rank ends with the result that the collective promises, whatever the
// order in which operations happen; messages, bytes and times are those of the algorithms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../job/star.h"
#include "base/prng.h"
#include "collective/collective.h"

#define RANKS  20
#define PARTS  8
#define BLOCKS (RANKS * RANKS)
#define OPS    4096
#define EDGES  (2 * OPS)

// An operation as the sink sees it.
struct seen {
	struct goal_op op;
	struct collective_data data;
	unsigned needs; // operations that have not ended
	bool started, ended, taken;
	uint32_t sum[BLOCKS]; // SEND: what its blocks were when it started
};

// The data of a rank: for each block the set of ranks whose contributions are in it.
struct buffer {
	uint32_t set[PARTS][BLOCKS];
};

static struct seen *ops[RANKS];
static struct edge {
	uint32_t from, to;
} edges[RANKS][EDGES];
static unsigned n_ops[RANKS], n_edges[RANKS];
static uint32_t now;
static struct buffer buffers[RANKS];

static int see_rank(void *arg, uint32_t rank)
{
	(void)arg;
	now = rank;
	n_ops[rank] = n_edges[rank] = 0;
	if (!ops[rank])
		ops[rank] = calloc(OPS, sizeof(**ops));
	return 0;
}

static int see_op(void *arg, const struct goal_op *op, const struct collective_data *data)
{
	struct seen *o;

	(void)arg;
	assert_true(n_ops[now] < OPS);
	o = &ops[now][n_ops[now]++];
	o->op = *op;
	o->data = *data;
	o->needs = 0;
	o->started = o->ended = o->taken = false;
	return 0;
}

static int see_edge(void *arg, uint32_t from, uint32_t to)
{
	(void)arg;
	assert_true(from < to && to < n_ops[now] && n_edges[now] < EDGES);
	edges[now][n_edges[now]++] = (struct edge){from, to};
	ops[now][to].needs++;
	return 0;
}

static const struct collective_sink sink = {see_rank, see_op, see_edge, NULL};

static void end_op(uint32_t rank, uint32_t op);

// A SEND that waits for nothing starts, and takes its blocks as they are. It may end at once.
static void start_send(uint32_t rank, uint32_t op)
{
	struct seen *o = &ops[rank][op];

	o->started = true;
	memcpy(o->sum, &buffers[rank].set[o->data.part][o->data.first],
		o->data.n * sizeof(*o->sum));
	end_op(rank, op);
}

static void end_op(uint32_t rank, uint32_t op)
{
	ops[rank][op].ended = true;
	for (unsigned i = 0; i < n_edges[rank]; i++) {
		uint32_t to = edges[rank][i].to;

		if (edges[rank][i].from == op && !--ops[rank][to].needs &&
			ops[rank][to].op.kind == GRAPH_SEND)
			start_send(rank, to);
	}
}

// A message is there: the RECV adds its blocks, or stores them. A set that is added twice would be
// a wrong sum.
static void take_message(uint32_t rank, struct seen *recv, const struct seen *send)
{
	assert_int_equal(recv->op.amount, send->op.amount);
	assert_int_equal(recv->op.nic, send->op.nic);
	assert_int_equal(recv->data.part, send->data.part);
	assert_int_equal(recv->data.first, send->data.first);
	assert_int_equal(recv->data.n, send->data.n);
	for (uint32_t i = 0; i < recv->data.n; i++) {
		uint32_t *set = &buffers[rank].set[recv->data.part][recv->data.first + i];

		if (recv->data.adds)
			assert_int_equal(*set & send->sum[i], 0);
		*set = recv->data.adds ? *set | send->sum[i] : send->sum[i];
	}
}

// The SEND that the RECV takes: the first of its tag that has started. NULL: none has.
static struct seen *find_send(uint32_t rank, const struct seen *recv)
{
	for (unsigned i = 0; i < n_ops[recv->op.peer]; i++) {
		struct seen *s = &ops[recv->op.peer][i];

		if (s->op.kind == GRAPH_SEND && s->op.peer == rank && s->op.tag == recv->op.tag &&
			!s->taken)
			return s->started ? s : NULL;
	}
	return NULL;
}

// A RECV that may take its message does so. False: it may not.
static bool happen(uint32_t rank, uint32_t op)
{
	struct seen *o = &ops[rank][op], *s;

	if (o->op.kind == GRAPH_SEND || o->ended || o->needs)
		return false;
	s = find_send(rank, o);
	if (!s)
		return false;
	s->taken = true;
	take_message(rank, o, s);
	end_op(rank, op);
	return true;
}

static unsigned start_all(uint32_t ranks)
{
	unsigned recvs = 0;

	for (uint32_t r = 0; r < ranks; r++) {
		for (unsigned i = 0; i < n_ops[r]; i++) {
			recvs += ops[r][i].op.kind == GRAPH_RECV;
			if (ops[r][i].op.kind == GRAPH_SEND && !ops[r][i].needs &&
				!ops[r][i].started)
				start_send(r, i);
		}
	}
	return recvs;
}

// All messages are taken, in a random order.
static void execute(uint32_t ranks, struct prng *g)
{
	unsigned left = start_all(ranks), idle = 0;

	while (left) {
		uint32_t rank = (uint32_t)prng_below(g, ranks), done = 0;
		uint32_t at = n_ops[rank] ? (uint32_t)prng_below(g, n_ops[rank]) : 0;

		for (uint32_t i = 0; i < n_ops[rank] && !done; i++)
			done = happen(rank, (at + i) % n_ops[rank]);
		left -= done;
		idle = done ? 0 : idle + 1;
		assert_true(idle < 1000 * ranks); // else it waits for ever
	}
}

static uint32_t all_of(uint32_t ranks)
{
	return (1u << ranks) - 1;
}

static uint32_t blocks_of(const struct collective_params *p)
{
	uint32_t most = 0;

	for (uint32_t r = 0; r < p->ranks; r++)
		for (unsigned i = 0; i < n_ops[r]; i++)
			if (ops[r][i].data.first + ops[r][i].data.n > most)
				most = ops[r][i].data.first + ops[r][i].data.n;
	return most;
}

// Which block a rank of a ring has whole after a reduce-scatter, and begins an all-gather with.
static uint32_t own_block(const struct collective_params *p, uint32_t rank)
{
	return p->algorithm == COLLECTIVE_RING ? (rank + 1) % p->ranks : rank;
}

static uint32_t at_first(const struct collective_params *p, uint32_t rank, uint32_t block)
{
	switch (p->kind) {
	case COLLECTIVE_ALL_GATHER:
		return block == own_block(p, rank) ? 1u << rank : 0;
	case COLLECTIVE_BROADCAST:
		return rank ? 0 : 1;
	case COLLECTIVE_ALL_TO_ALL:
		return block / p->ranks == rank ? 1u << rank : 0;
	default:
		return 1u << rank;
	}
}

// The set that the block of a rank must be in the end; 0: any set is right.
static uint32_t at_last(const struct collective_params *p, uint32_t rank, uint32_t block)
{
	switch (p->kind) {
	case COLLECTIVE_ALL_REDUCE:
		return all_of(p->ranks);
	case COLLECTIVE_REDUCE_SCATTER:
		return block == own_block(p, rank) ? all_of(p->ranks) : 0;
	case COLLECTIVE_ALL_GATHER:
		return p->algorithm == COLLECTIVE_RING ? 1u << (block + p->ranks - 1) % p->ranks
						       : 1u << block;
	case COLLECTIVE_BROADCAST:
		return 1;
	default:
		return block % p->ranks == rank ? 1u << block / p->ranks : 0;
	}
}

static void run_collective(const struct collective_params *p, struct prng *g)
{
	uint32_t parts = p->channels * p->chunks, blocks;

	assert_int_equal(collective_make(p, &sink), 0);
	blocks = blocks_of(p);
	for (uint32_t r = 0; r < p->ranks; r++)
		for (uint32_t k = 0; k < parts; k++)
			for (uint32_t b = 0; b < blocks; b++)
				buffers[r].set[k][b] = at_first(p, r, b);
	execute(p->ranks, g);
	for (uint32_t r = 0; r < p->ranks; r++)
		for (uint32_t k = 0; k < parts; k++)
			for (uint32_t b = 0; b < blocks; b++)
				if (at_last(p, r, b))
					assert_int_equal(buffers[r].set[k][b], at_last(p, r, b));
}

static void every_rank_ends_with_its_result(void **state)
{
	struct prng g;

	(void)state;
	prng_init(&g, 1, "collective");
	for (unsigned kind = 0; kind < COLLECTIVE_KINDS; kind++) {
		for (unsigned algorithm = 0; algorithm < COLLECTIVE_ALGORITHMS; algorithm++) {
			struct collective_params p = {.kind = kind,
				.algorithm = algorithm,
				.bytes = 1000,
				.channels = 1,
				.chunks = 1};

			if (!collective_has(kind, algorithm))
				continue;
			for (p.ranks = 2; p.ranks <= RANKS; p.ranks++)
				run_collective(&p, &g);
			p.channels = 2;
			p.chunks = 3;
			for (p.ranks = 2; p.ranks <= 9; p.ranks++)
				run_collective(&p, &g);
		}
	}
}

static uint64_t sent_by(uint32_t rank)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n_ops[rank]; i++)
		if (ops[rank][i].op.kind == GRAPH_SEND)
			sum += ops[rank][i].op.amount;
	return sum;
}

static uint64_t bytes_of(enum collective_kind kind, enum collective_algorithm algorithm,
	uint32_t ranks, uint64_t bytes, uint32_t rank)
{
	struct collective_params p = {kind, algorithm, ranks, bytes, 1, 1};

	assert_int_equal(collective_make(&p, &sink), 0);
	return sent_by(rank);
}

// The octets that each rank sends, by the closed forms; S = 2^20.
static void ranks_send_the_octets_of_the_closed_forms(void **state)
{
	const uint64_t s = 1 << 20;

	(void)state;
	for (uint32_t n = 2; n <= 16; n *= 2) {
		uint32_t m = (uint32_t)__builtin_ctz(n);

		for (uint32_t r = 0; r < n; r++) {
			uint64_t ring = s / n * (n - 1);

			assert_int_equal(bytes_of(0, COLLECTIVE_RING, n, s, r), 2 * ring);
			assert_int_equal(bytes_of(0, COLLECTIVE_DOUBLING, n, s, r), m * s);
			assert_int_equal(
				bytes_of(0, COLLECTIVE_HALVING_DOUBLING, n, s, r), 2 * ring);
			assert_int_equal(
				bytes_of(COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_HALVING, n, s, r),
				ring);
			assert_int_equal(
				bytes_of(COLLECTIVE_ALL_GATHER, COLLECTIVE_DOUBLING, n, s, r),
				ring);
			assert_int_equal(
				bytes_of(COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_PAIRWISE, n, s, r),
				ring);
			assert_int_equal(
				bytes_of(COLLECTIVE_ALL_TO_ALL, COLLECTIVE_AT_ONCE, n, s, r),
				(n - 1) * s);
			assert_true(bytes_of(0, COLLECTIVE_DOUBLE_TREE, n, s, r) <= 2 * s);
		}
	}
}

static struct star_result time_of(enum collective_kind kind, enum collective_algorithm algorithm,
	uint32_t ranks, uint64_t bytes, uint32_t chunks)
{
	struct collective_params p = {kind, algorithm, ranks, bytes, 1, chunks};
	struct star_result s;
	struct goal g;
	struct err err;

	assert_int_equal(goal_init(&g, ranks, ".", &err), 0);

	struct collective_sink into = collective_into(&g);

	assert_int_equal(collective_make(&p, &into), 0);
	goal_end(&g);
	s = star_run(&g.graph, 1, 0, NULL, NULL);
	assert_int_equal(s.over, ranks);
	assert_int_equal(job_split_sum(&s.split), s.done);
	goal_fini(&g);
	return s;
}

// The sum of A(n(S / 2^j)), j = 1..m.
static tstamp halves(uint64_t bytes, uint32_t m)
{
	tstamp sum = 0;

	for (uint32_t j = 1; j <= m; j++)
		sum += star_alone(bytes >> j);
	return sum;
}

// Times of algorithms whose steps wait, on links without ACKs.
static void steps_take_the_time_of_the_closed_forms(void **state)
{
	const uint64_t s = 1 << 18;

	(void)state;
	for (uint32_t n = 4; n <= 16; n *= 2) {
		uint32_t m = (uint32_t)__builtin_ctz(n);
		tstamp ring = (n - 1) * star_alone(s / n), pair = (n - 1) * star_alone(s);

		assert_int_equal(time_of(0, COLLECTIVE_RING, n, s, 1).done, 2 * ring);
		assert_int_equal(time_of(1, COLLECTIVE_RING, n, s, 1).done, ring);
		assert_int_equal(time_of(2, COLLECTIVE_RING, n, s, 1).done, ring);
		assert_int_equal(time_of(0, COLLECTIVE_DOUBLING, n, s, 1).done, m * star_alone(s));
		assert_int_equal(
			time_of(0, COLLECTIVE_HALVING_DOUBLING, n, s, 1).done, 2 * halves(s, m));
		assert_int_equal(time_of(1, COLLECTIVE_HALVING, n, s, 1).done, halves(s, m));
		assert_int_equal(time_of(2, COLLECTIVE_DOUBLING, n, s, 1).done, halves(s, m));
		assert_int_equal(time_of(1, COLLECTIVE_PAIRWISE, n, s, 1).done, ring);
		assert_int_equal(time_of(2, COLLECTIVE_PAIRWISE, n, s, 1).done, ring);
		assert_int_equal(time_of(3, COLLECTIVE_PAIRWISE, n, s, 1).done, pair);
		// a SEND that waits for another waits for its ACK
		assert_int_equal(time_of(4, COLLECTIVE_BINOMIAL, n, s, 1).done,
			m * star_alone(s) + (m - 1) * STAR_ACK);
		assert_true(time_of(3, COLLECTIVE_AT_ONCE, n, s, 1).done >=
			    ((n - 1) * 256 + 1) * STAR_TAU + 2 * STAR_DELAY);
	}
	assert_int_equal(time_of(3, COLLECTIVE_AT_ONCE, 4, s, 1).done, 70041120);
	// Three and six ranks: two steps more, in which other ranks go on and share their links.
	tstamp three = 3 * star_alone(s), six = 2 * star_alone(s) + 2 * halves(s, 2);

	assert_in_range(time_of(0, COLLECTIVE_DOUBLING, 3, s, 1).done, three, three * 3 / 2);
	assert_in_range(time_of(0, COLLECTIVE_HALVING_DOUBLING, 6, s, 1).done, six, six * 3 / 2);
}

// Two children share the downlink of their parent: 2 n + 1 frames for an up step.
static void a_tree_takes_its_depth_up_and_down(void **state)
{
	const uint64_t s = 1 << 18;
	tstamp two = (2 * 256 + 1) * STAR_TAU + 2 * STAR_DELAY;

	(void)state;
	// 0 - 2 - {1, 3}: up 1 and 3 to 2, 2 to 0; down 0 to 2, 2 to 1 and 3
	assert_int_equal(time_of(0, COLLECTIVE_TREE, 4, s, 1).done, 2 * two + 2 * star_alone(s));
	// slices overlap, and two trees have both directions of the links
	assert_true(time_of(0, COLLECTIVE_TREE, 8, s, 8).done <
		    time_of(0, COLLECTIVE_TREE, 8, s, 1).done);
	assert_true(time_of(0, COLLECTIVE_DOUBLE_TREE, 8, s, 8).done <
		    time_of(0, COLLECTIVE_TREE, 8, s, 8).done);
}

#define NO GRAPH_NONE

static void is_tree(uint32_t n, bool second, const uint32_t *parent)
{
	for (uint32_t r = 0; r < n; r++) {
		struct collective_tree t = collective_tree_of(n, r, second);

		assert_int_equal(t.parent, parent[r]);
		for (unsigned i = 0; i < 2; i++)
			if (t.child[i] != NO)
				assert_int_equal(parent[t.child[i]], r);
	}
}

// Shapes of NCCL's trees, worked out from its rule by hand.
static void trees_have_the_shape_of_nccl(void **state)
{
	(void)state;
	is_tree(4, false, (const uint32_t[]){NO, 2, 0, 2});
	is_tree(4, true, (const uint32_t[]){1, 3, 1, NO});
	is_tree(8, false, (const uint32_t[]){NO, 2, 4, 2, 0, 6, 4, 6});
	is_tree(8, true, (const uint32_t[]){1, 3, 1, 7, 5, 3, 5, NO});
	is_tree(5, false, (const uint32_t[]){NO, 2, 4, 2, 0});
	is_tree(5, true, (const uint32_t[]){1, NO, 3, 0, 3});
}

// Each rank but the root is the child of exactly one rank, and an inner rank of at most one tree.
static void trees_span_all_ranks(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 130; n++) {
		for (unsigned second = 0; second < 2; second++) {
			unsigned children = 0, roots = 0;

			for (uint32_t r = 0; r < n; r++) {
				struct collective_tree t = collective_tree_of(n, r, second);

				roots += t.parent == NO;
				for (unsigned i = 0; i < 2; i++) {
					if (t.child[i] == NO)
						continue;
					children++;
					assert_int_equal(
						collective_tree_of(n, t.child[i], second).parent,
						r);
				}
			}
			assert_int_equal(roots, 1);
			assert_int_equal(children, n - 1);
		}
	}
}

static void what_is_out_of_range_is_refused(void **state)
{
	struct collective_params good = {0, COLLECTIVE_RING, 4, 1000, 1, 1}, p;

	(void)state;
	assert_int_equal(collective_make(&good, &sink), 0);
	p = good;
	p.algorithm = COLLECTIVE_BINOMIAL;
	assert_int_equal(collective_make(&p, &sink), -EINVAL);
	p = good;
	p.ranks = 1;
	assert_int_equal(collective_make(&p, &sink), -EINVAL);
	p = good;
	p.chunks = 0;
	assert_int_equal(collective_make(&p, &sink), -EINVAL);
	p = good;
	p.ranks = COLLECTIVE_RANKS;
	p.chunks = COLLECTIVE_CHUNKS;
	assert_int_equal(collective_make(&p, &sink), -EINVAL);
}

// 1.5 for an all-reduce of four ranks.
static void the_bus_bandwidth_is_that_of_nccl_tests(void **state)
{
	(void)state;
	assert_true(collective_bus_factor(COLLECTIVE_ALL_REDUCE, 4) == 1.5);
	assert_true(collective_bus_factor(COLLECTIVE_ALL_TO_ALL, 4) == 0.75);
	assert_true(collective_bus_factor(COLLECTIVE_BROADCAST, 4) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rank_ends_with_its_result),
		cmocka_unit_test(ranks_send_the_octets_of_the_closed_forms),
		cmocka_unit_test(steps_take_the_time_of_the_closed_forms),
		cmocka_unit_test(a_tree_takes_its_depth_up_and_down),
		cmocka_unit_test(trees_have_the_shape_of_nccl),
		cmocka_unit_test(trees_span_all_ranks),
		cmocka_unit_test(what_is_out_of_range_is_refused),
		cmocka_unit_test(the_bus_bandwidth_is_that_of_nccl_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
