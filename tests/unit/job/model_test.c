// SPDX-License-Identifier: BSD-3-Clause
// Random graphs against a model that knows all ranks at once: every rank ends each iteration when
// the model says, and its split is that of the longest chain.
//
//     QUENCH_SEED=1 build/tests/unit/unit_job_model
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "hand.h"
#include "rounds.h"

#define ROUNDS     400
#define ITERATIONS 3
#define MOST       200 // operations of all ranks

// An operation in an order in which all that it waits for comes before it.
struct node {
	uint32_t rank, op;
	enum graph_kind kind;
	uint32_t deps[4]; // numbers of nodes
	bool at_start[4];
	unsigned n_deps;
	uint32_t send; // RECV: the node of its SEND
	tstamp start, end;
	struct job_split at_start_split, split;
};

struct world {
	struct hand *h;
	struct node node[MOST];
	uint32_t n;
	uint64_t seed;
	tstamp gap;
};

// The parts of a message's time, by its sender, operation and iteration. `acked`: until its last
// ACK.
static struct job_split took_of(
	const struct world *w, uint32_t from, uint32_t op, uint32_t it, bool acked)
{
	struct job_split s = {0};
	struct prng g;
	char name[64];

	snprintf(name, sizeof(name), "%u.%u.%u", from, op, it);
	prng_init(&g, w->seed, name);
	s.part[JOB_WIRE] = 1 + prng_below(&g, 1000000);
	s.part[JOB_PAUSE] = prng_below(&g, 2) ? prng_below(&g, 1000000) : 0;
	s.part[JOB_RATE] = prng_below(&g, 2) ? prng_below(&g, 1000000) : 0;
	s.part[JOB_RESEND] = prng_below(&g, 2) ? prng_below(&g, 1000000) : 0;
	s.part[JOB_WAIT] = prng_below(&g, 2) ? prng_below(&g, 1000000) : 0;
	if (acked)
		s.part[JOB_WIRE] += 1 + prng_below(&g, 100000);
	return s;
}

static void add_deps(struct world *w, struct node *node, struct prng *g)
{
	for (unsigned i = prng_below(g, 4); i && w->n; i--) {
		uint32_t k = (uint32_t)prng_below(g, w->n);
		bool at_start = !prng_below(g, 4);

		if (w->node[k].rank != node->rank)
			continue;
		node->deps[node->n_deps] = k;
		node->at_start[node->n_deps++] = at_start;
		hand_edge(w->h, node->rank, w->node[k].op, node->op, at_start);
	}
}

static void add_message(struct world *w, uint32_t ranks, struct prng *g)
{
	uint32_t from = (uint32_t)prng_below(g, ranks);
	uint32_t to = (from + 1 + (uint32_t)prng_below(g, ranks - 1)) % ranks, tag = w->n;
	struct node *s = &w->node[w->n], *r = &w->node[w->n + 1];

	*s = (struct node){.rank = from,
		.op = hand_op(w->h, from, GRAPH_SEND, 1, to, tag),
		.kind = GRAPH_SEND};
	*r = (struct node){.rank = to,
		.op = hand_op(w->h, to, GRAPH_RECV, 1, from, tag),
		.kind = GRAPH_RECV,
		.send = w->n};
	add_deps(w, s, g);
	w->n++;
	add_deps(w, r, g);
	w->n++;
}

// Each CALC has a CPU of its own: rank_test has those that share one.
static void make_world(struct world *w, struct prng *g)
{
	uint32_t ranks = 2 + (uint32_t)prng_below(g, 6), n = 2 + (uint32_t)prng_below(g, MOST - 3);

	*w = (struct world){.h = hand_new(ranks), .seed = w->seed, .gap = prng_below(g, 2) * 12345};
	while (w->n < n) {
		struct node *c = &w->node[w->n];

		if (prng_below(g, 3)) {
			add_message(w, ranks, g);
			continue;
		}
		*c = (struct node){.rank = (uint32_t)prng_below(g, ranks), .kind = GRAPH_CALC};
		c->op = hand_calc(w->h, c->rank, 1 + prng_below(g, 1000000), (uint16_t)w->n);
		add_deps(w, c, g);
		w->n++;
	}
}

static void split_add(struct job_split *to, const struct job_split *s)
{
	for (unsigned i = 0; i < JOB_PARTS; i++)
		to->part[i] += s->part[i];
}

// When a node starts and ends in an iteration that its rank begins at `begin`.
static void model_node(struct world *w, struct node *n, tstamp begin, uint32_t it)
{
	struct job_split took;

	n->start = begin;
	n->at_start_split = (struct job_split){0};
	for (unsigned i = 0; i < n->n_deps; i++) {
		const struct node *d = &w->node[n->deps[i]];
		tstamp at = n->at_start[i] ? d->start : d->end;

		if (at < n->start || at == begin)
			continue;
		n->start = at;
		n->at_start_split = n->at_start[i] ? d->at_start_split : d->split;
	}
	n->end = n->start;
	n->split = n->at_start_split;
	if (n->kind == GRAPH_CALC) {
		n->end += w->h->op[n->rank][n->op].amount;
		n->split.part[JOB_COMPUTE] += w->h->op[n->rank][n->op].amount;
	} else if (n->kind == GRAPH_SEND) {
		took = took_of(w, n->rank, n->op, it, true);
		n->end += job_split_sum(&took);
		split_add(&n->split, &took);
	} else {
		const struct node *s = &w->node[n->send];

		took = took_of(w, s->rank, s->op, it, false);
		if (s->start + job_split_sum(&took) < n->start)
			return;
		n->end = s->start + job_split_sum(&took);
		n->split = s->at_start_split;
		split_add(&n->split, &took);
	}
}

static void model_iteration(
	struct world *w, uint32_t it, tstamp begin[HAND_RANKS], struct job_step step[HAND_RANKS])
{
	for (uint32_t r = 0; r < w->h->graph.n_ranks; r++)
		step[r] = (struct job_step){.iteration = it, .start = begin[r], .ended = begin[r]};
	for (uint32_t i = 0; i < w->n; i++) {
		struct node *n = &w->node[i];
		struct job_step *s = &step[n->rank];

		model_node(w, n, begin[n->rank], it);
		s->ended = tstamp_max(s->ended, n->end);
		if (n->kind != GRAPH_SEND && n->end >= s->done) {
			s->done = n->end;
			s->split = n->split;
		}
	}
	for (uint32_t r = 0; r < w->h->graph.n_ranks; r++)
		begin[r] = step[r].ended + w->gap;
}

struct due {
	tstamp at;
	bool acked;
	struct job_message m;
	struct job_split took;
};

struct net {
	struct world *w;
	struct job_rank *rank[HAND_RANKS];
	struct due due[2 * MOST];
	unsigned n_due;
	struct job_step want[ITERATIONS][HAND_RANKS];
	unsigned n_steps;
};

static void put_due(struct net *n, const struct job_message *m, bool acked)
{
	struct due d = {.acked = acked,
		.m = *m,
		.took = took_of(n->w, m->from, m->op, m->iteration, acked)};

	d.at = m->posted + job_split_sum(&d.took);
	d.took.part[JOB_WAIT] = 0; // the rest of the time
	assert_true(n->n_due < 2 * MOST);
	n->due[n->n_due++] = d;
}

static void after_call(struct net *n, uint32_t rank)
{
	struct job_message m;
	struct job_step step;

	while (job_take_send(n->rank[rank], &m)) {
		put_due(n, &m, false);
		put_due(n, &m, true);
	}
	if (job_take_step(n->rank[rank], &step)) {
		const struct job_step *want = &n->want[step.iteration][rank];

		assert_int_equal(step.start, want->start);
		assert_int_equal(step.ended, want->ended);
		n->n_steps++;
		if (!n->w->h->rank[rank].n_recvs && !n->w->h->rank[rank].n_cpus)
			return;
		assert_int_equal(step.done, want->done);
		assert_memory_equal(&step.split, &want->split, sizeof(step.split));
	}
}

// The earliest thing that happens. False: nothing does.
static bool go_on(struct net *n)
{
	uint32_t ranks = n->w->h->graph.n_ranks, first = 0;
	tstamp at = TSTAMP_NEVER;
	struct due d;

	for (uint32_t i = 0; i < ranks + n->n_due; i++) {
		tstamp t = i < ranks ? job_deadline(n->rank[i]) : n->due[i - ranks].at;

		if (t < at) {
			at = t;
			first = i;
		}
	}
	if (at == TSTAMP_NEVER)
		return false;
	if (first < ranks) {
		job_expire(n->rank[first], at);
		after_call(n, first);
		return true;
	}
	d = n->due[first - ranks];
	n->due[first - ranks] = n->due[--n->n_due];
	if (d.acked)
		job_send_done(n->rank[d.m.from], &d.m, &d.took, at);
	else
		assert_true(job_arrived(n->rank[d.m.to], &d.m, &d.took, at));
	after_call(n, d.acked ? d.m.from : d.m.to);
	return true;
}

static void run_round(uint64_t seed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct net *n = calloc(1, sizeof(*n));
	tstamp begin[HAND_RANKS] = {0};
	struct prng g;

	assert_true(w && n);
	prng_init(&g, seed, "job");
	w->seed = seed;
	make_world(w, &g);
	n->w = w;
	for (uint32_t it = 0; it < ITERATIONS; it++)
		model_iteration(w, it, begin, n->want[it]);
	for (uint32_t i = 0; i < w->h->graph.n_ranks; i++) {
		struct job_params p = {&w->h->graph, i, ITERATIONS, w->gap};

		n->rank[i] = job_rank_new(&p);
		assert_non_null(n->rank[i]);
	}
	for (uint32_t i = 0; i < w->h->graph.n_ranks; i++) {
		job_start(n->rank[i], 0);
		after_call(n, i);
	}
	while (go_on(n))
		;
	assert_int_equal(n->n_steps, ITERATIONS * w->h->graph.n_ranks);
	for (uint32_t i = 0; i < w->h->graph.n_ranks; i++)
		job_rank_free(n->rank[i]);
	free(w->h);
	free(w);
	free(n);
}

static void ranks_do_as_the_model_says(void **state)
{
	const char *from = getenv("QUENCH_SEED");
	uint64_t seed = from ? strtoull(from, NULL, 10) : 1;

	(void)state;
	for (unsigned i = 0; i < rounds_of(ROUNDS); i++) {
		print_message("seed %llu\n", (unsigned long long)seed + i);
		run_round(seed + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_do_as_the_model_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
