// SPDX-License-Identifier: BSD-3-Clause
// The engine of a rank: an operation that ends starts others, and each takes over the split of the
// chain that started it.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define EARLY_MORE 65536
#define EMPTY      ((struct job_list){GRAPH_NONE, GRAPH_NONE})

void job_list_add(struct job_rank *r, struct job_list *l, uint32_t op)
{
	r->link[op] = GRAPH_NONE;
	*(l->first == GRAPH_NONE ? &l->first : &r->link[l->last]) = op;
	l->last = op;
}

void job_list_cut(struct job_rank *r, struct job_list *l, uint32_t before, uint32_t op)
{
	*(before == GRAPH_NONE ? &l->first : &r->link[before]) = r->link[op];
	if (l->last == op)
		l->last = before;
}

uint32_t job_list_take(struct job_rank *r, struct job_list *l)
{
	uint32_t op = l->first;

	if (op != GRAPH_NONE)
		job_list_cut(r, l, GRAPH_NONE, op);
	return op;
}

// Room for messages that no RECV has asked for: all of two iterations. Ranks that wait for nobody
// may be further ahead, with EARLY_MORE messages.
static uint64_t early_messages(const struct graph_rank *g, uint32_t iterations)
{
	return iterations <= 2 ? (uint64_t)g->incoming * iterations
			       : (uint64_t)g->incoming * 2 + (g->incoming ? EARLY_MORE : 0);
}

static int take_memory(struct job_rank *r)
{
	const struct graph_rank *g = &r->p.graph->rank[r->p.rank];

	r->link = calloc(r->n_ops + 1ul, sizeof(*r->link));
	r->phase = calloc(r->n_ops + 1ul, sizeof(*r->phase));
	r->cpu = calloc(r->n_cpus + 1ul, sizeof(*r->cpu));
	if (!r->link || !r->phase || !r->cpu)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n_cpus; i++)
		r->cpu[i] = (struct job_cpu){.runs = GRAPH_NONE, .waits = EMPTY};
	return job_match_init(r, g->n_recvs, g->n_any, early_messages(g, r->p.iterations));
}

struct job_rank *job_rank_new(const struct job_params *p)
{
	const struct graph_rank *g = &p->graph->rank[p->rank];
	struct job_rank *r;

	if (p->rank >= p->graph->n_ranks || !p->iterations)
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	*r = (struct job_rank){.p = *p,
		.op = graph_ops(p->graph, p->rank),
		.edge = graph_edges(p->graph, p->rank),
		.n_ops = g->n_ops,
		.n_cpus = g->n_cpus,
		.only_sends = !g->n_cpus && !g->n_recvs,
		.ready = EMPTY,
		.sends = EMPTY,
		.next = TSTAMP_NEVER,
		.calc = {.op = GRAPH_NONE}};
	if (take_memory(r)) {
		job_rank_free(r);
		return NULL;
	}
	return r;
}

void job_rank_free(struct job_rank *r)
{
	if (!r)
		return;
	job_match_fini(&r->match);
	free(r->link);
	free(r->phase);
	free(r->cpu);
	free(r);
}

// One edge to `op` is no longer missing.
static void come_nearer(struct job_rank *r, uint32_t op)
{
	if (!--r->link[op])
		job_list_add(r, &r->ready, op);
}

// Lets the operations go on that wait for the start or for the end of `op`.
static void let_go(struct job_rank *r, uint32_t op, bool at_start)
{
	for (uint32_t e = GRAPH_NONE; (e = graph_next(r->edge, &r->op[op], e)) != GRAPH_NONE;)
		if (r->edge[e].at_start == at_start)
			come_nearer(r, r->edge[e].to);
}

static void see_done(struct job_rank *r)
{
	r->step.done = r->now;
	r->step.split = r->split;
}

static void see_end(struct job_rank *r, uint32_t op)
{
	r->phase[op] = JOB_ENDED;
	r->n_ended++;
	if (r->op[op].kind != GRAPH_SEND)
		see_done(r);
	let_go(r, op, false);
}

static void find_next(struct job_rank *r)
{
	r->next = TSTAMP_NEVER;
	for (uint32_t i = 0; i < r->n_cpus; i++)
		if (r->cpu[i].runs != GRAPH_NONE)
			r->next = tstamp_min(r->next, r->cpu[i].end);
}

// The CPU begins with its next CALC, which follows on the operation that has just ended.
static void run_calc(struct job_rank *r, struct job_cpu *c)
{
	c->runs = job_list_take(r, &c->waits);
	if (c->runs == GRAPH_NONE)
		return;
	r->phase[c->runs] = JOB_RUNS;
	c->end = tstamp_add(r->now, r->op[c->runs].amount);
	c->split = r->split;
	c->split.part[JOB_COMPUTE] += r->op[c->runs].amount;
	r->next = tstamp_min(r->next, c->end);
	let_go(r, c->runs, true);
}

static void start_calc(struct job_rank *r, uint32_t op)
{
	struct job_cpu *c = &r->cpu[r->op[op].cpu];

	job_list_add(r, &c->waits, op);
	if (c->runs == GRAPH_NONE)
		run_calc(r, c);
}

static void start_op(struct job_rank *r, uint32_t op)
{
	if (r->op[op].kind == GRAPH_CALC) {
		start_calc(r, op);
		return;
	}
	r->phase[op] = JOB_RUNS;
	if (r->only_sends)
		see_done(r);
	let_go(r, op, true);
	if (r->op[op].kind == GRAPH_SEND)
		job_list_add(r, &r->sends, op);
	else if (job_match_recv(r, op))
		see_end(r, op);
}

static void end_iteration(struct job_rank *r)
{
	r->step.ended = r->now;
	if (r->step.done == TSTAMP_NEVER)
		see_done(r);
	r->has_step = true;
	r->between = ++r->n_iterations < r->p.iterations;
	r->next = r->between ? tstamp_add(r->now, r->p.gap) : TSTAMP_NEVER;
}

// Starts all operations that nothing holds back any more.
static void cascade(struct job_rank *r)
{
	uint32_t op;

	while ((op = job_list_take(r, &r->ready)) != GRAPH_NONE)
		start_op(r, op);
	if (r->n_ended == r->n_ops)
		end_iteration(r);
}

static void start_iteration(struct job_rank *r)
{
	r->step = (struct job_step){
		.iteration = r->n_iterations, .start = r->now, .done = TSTAMP_NEVER};
	r->split = (struct job_split){0};
	r->n_ended = 0;
	r->between = false;
	r->next = TSTAMP_NEVER;
	r->match.n_posted = 0;
	memset(r->phase, JOB_WAITS, r->n_ops);
	for (uint32_t op = 0; op < r->n_ops; op++) {
		r->link[op] = r->op[op].needs;
		if (!r->link[op])
			job_list_add(r, &r->ready, op);
	}
	cascade(r);
}

// A call begins. The driver has taken what the last one left.
static void begin(struct job_rank *r, tstamp now)
{
	assert(r->sends.first == GRAPH_NONE && !r->has_step);
	r->now = now;
	r->calc.op = GRAPH_NONE;
}

// The chain goes on by a message: `took` divides its time, and the rest is waiting.
static void carry(struct job_rank *r, const struct job_message *m, const struct job_split *took)
{
	tstamp rest = r->now - m->posted - job_split_sum(took);

	if (m->posted == TSTAMP_NEVER) {
		r->split = (struct job_split){.unknown = true};
		return;
	}
	assert(job_split_sum(took) <= r->now - m->posted);
	r->split = m->so_far;
	for (unsigned i = 0; i < JOB_PARTS; i++)
		r->split.part[i] += took->part[i];
	r->split.part[JOB_WAIT] += rest;
}

void job_start(struct job_rank *r, tstamp now)
{
	begin(r, now);
	start_iteration(r);
}

bool job_arrived(
	struct job_rank *r, const struct job_message *m, const struct job_split *took, tstamp now)
{
	uint32_t op;

	begin(r, now);
	op = job_match_message(r, m);
	if (op == GRAPH_NONE)
		return job_match_keep(r, m);
	carry(r, m, took);
	see_end(r, op);
	cascade(r);
	return true;
}

void job_send_done(
	struct job_rank *r, const struct job_message *m, const struct job_split *took, tstamp now)
{
	begin(r, now);
	assert(r->phase[m->op] == JOB_RUNS);
	carry(r, m, took);
	see_end(r, m->op);
	cascade(r);
}

tstamp job_deadline(const struct job_rank *r)
{
	return r->next;
}

void job_expire(struct job_rank *r, tstamp now)
{
	struct job_cpu *c = r->cpu;
	uint32_t op;

	if (now < r->next || r->next == TSTAMP_NEVER)
		return;
	begin(r, now);
	if (r->between) {
		start_iteration(r);
		return;
	}
	while (c->runs == GRAPH_NONE || c->end != r->next)
		c++;
	r->split = c->split;
	r->split.part[JOB_WAIT] += now - c->end;
	op = c->runs;
	r->calc = (struct job_calc){.op = op, .start = c->end - r->op[op].amount};
	run_calc(r, c);
	find_next(r);
	see_end(r, op);
	cascade(r);
}

bool job_take_send(struct job_rank *r, struct job_message *m)
{
	uint32_t op = job_list_take(r, &r->sends);
	const struct graph_op *o = &r->op[op];

	if (op == GRAPH_NONE)
		return false;
	*m = (struct job_message){.from = r->p.rank,
		.to = o->peer,
		.tag = o->tag,
		.op = op,
		.iteration = r->step.iteration,
		.bytes = o->amount,
		.nic = o->nic,
		.posted = r->now,
		.so_far = r->split};
	return true;
}

bool job_take_step(struct job_rank *r, struct job_step *step)
{
	if (!r->has_step)
		return false;
	*step = r->step;
	r->has_step = false;
	return true;
}

bool job_take_calc(struct job_rank *r, struct job_calc *calc)
{
	*calc = r->calc;
	r->calc.op = GRAPH_NONE;
	return calc->op != GRAPH_NONE;
}

bool job_is_over(const struct job_rank *r)
{
	return r->n_iterations == r->p.iterations;
}
