// SPDX-License-Identifier: BSD-3-Clause
// The shortest time of a job: every message goes as if it were alone.
#include <errno.h>
#include <stdlib.h>

#include "alone.h"

#define FORGET (1u << 11) // events after which the memory of the graph's pages is given back

struct event {
	tstamp at;
	uint64_t number;       // order of the events of one instant
	struct job_message *m; // it arrives; NULL: the deadline of a rank
	uint32_t rank;
};

struct alone {
	const struct goal *g;
	const struct alone_params *p;
	struct alone_result *r;
	struct job_rank **rank;
	tstamp *asked; // [n_ranks] the deadline for which an event stands
	struct event *heap;
	uint64_t n_heap, room, numbers;
	uint32_t n_over;
	int rc;
};

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->number < b->number;
}

static void put_event(struct alone *a, struct event e)
{
	uint64_t i = a->n_heap, room = a->room ? 2 * a->room : 1024;

	if (i == a->room) {
		struct event *more = realloc(a->heap, room * sizeof(*more));

		if (!more) {
			a->rc = -ENOMEM;
			return;
		}
		a->heap = more;
		a->room = room;
	}
	e.number = a->numbers++;
	for (a->n_heap++; i && is_before(&e, &a->heap[(i - 1) / 2]); i = (i - 1) / 2)
		a->heap[i] = a->heap[(i - 1) / 2];
	a->heap[i] = e;
}

static struct event take_event(struct alone *a)
{
	struct event first = a->heap[0], e = a->heap[--a->n_heap];
	uint64_t i = 0, child;

	while ((child = 2 * i + 1) < a->n_heap) {
		child += child + 1 < a->n_heap && is_before(&a->heap[child + 1], &a->heap[child]);
		if (!is_before(&a->heap[child], &e))
			break;
		a->heap[i] = a->heap[child];
		i = child;
	}
	a->heap[i] = e;
	return first;
}

static tstamp time_of(const struct alone_params *p, uint64_t bytes)
{
	return p->latency + (tstamp)((unsigned __int128)bytes * 8 * PS_PER_S / p->rate);
}

static void post(struct alone *a, const struct job_message *m)
{
	struct job_message *kept = malloc(sizeof(*kept));

	if (!kept) {
		a->rc = -ENOMEM;
		return;
	}
	*kept = *m;
	a->r->messages++;
	a->r->bytes += m->bytes;
	put_event(a, (struct event){.at = m->posted + time_of(a->p, m->bytes), .m = kept});
}

static void take_step(struct alone *a, uint32_t rank)
{
	struct job_step step;

	if (!job_take_step(a->rank[rank], &step))
		return;
	a->n_over++;
	if (a->g->graph.rank[rank].n_recvs + a->g->graph.rank[rank].n_cpus == 0 ||
		step.done < a->r->done)
		return;
	a->r->done = step.done;
	a->r->split = step.split;
	a->r->slowest = rank;
}

static void after_call(struct alone *a, uint32_t rank, tstamp now)
{
	struct job_message m;
	tstamp due;

	while (job_take_send(a->rank[rank], &m))
		post(a, &m);
	take_step(a, rank);
	due = job_deadline(a->rank[rank]);
	if (due == TSTAMP_NEVER || (due >= a->asked[rank] && a->asked[rank] > now))
		return;
	a->asked[rank] = due;
	put_event(a, (struct event){.at = due, .rank = rank});
}

static void arrive(struct alone *a, const struct event *e)
{
	const struct job_message *m = e->m;
	struct job_split took = {.part = {[JOB_WIRE] = e->at - m->posted}};

	if (!job_arrived(a->rank[m->to], m, &took, e->at))
		a->rc = -ENOSPC;
	after_call(a, m->to, e->at);
	job_send_done(a->rank[m->from], m, &took, e->at);
	after_call(a, m->from, e->at);
	free(e->m);
}

static void run(struct alone *a)
{
	for (uint64_t n = 1; a->n_heap; n++) {
		struct event e = take_event(a);

		if (n % FORGET == 0)
			goal_forget(a->g);
		if (a->rc) {
			free(e.m);
		} else if (e.m) {
			arrive(a, &e);
		} else if (job_deadline(a->rank[e.rank]) <= e.at) {
			job_expire(a->rank[e.rank], e.at);
			after_call(a, e.rank, e.at);
		}
	}
}

static void begin(struct alone *a)
{
	uint32_t n = a->g->graph.n_ranks;

	a->rank = calloc(n, sizeof(*a->rank));
	a->asked = calloc(n, sizeof(*a->asked));
	a->rc = a->rank && a->asked ? 0 : -ENOMEM;
	for (uint32_t i = 0; !a->rc && i < n; i++) {
		struct job_params p = {&a->g->graph, i, 1, 0};

		a->asked[i] = TSTAMP_NEVER;
		a->rank[i] = job_rank_new(&p);
		if (!a->rank[i])
			a->rc = -ENOMEM;
	}
	for (uint32_t i = 0; !a->rc && i < n; i++) {
		job_start(a->rank[i], 0);
		after_call(a, i, 0);
		goal_forget(a->g);
	}
}

int alone_run(const struct goal *g, const struct alone_params *p, struct alone_result *r, FILE *why)
{
	struct alone a = {.g = g, .p = p, .r = r};

	*r = (struct alone_result){0};
	begin(&a);
	run(&a);
	r->over = !a.rc && a.n_over == g->graph.n_ranks;
	if (!a.rc)
		a.rc = goal_stuck(&g->graph, a.rank, why);
	for (uint32_t i = 0; a.rank && i < g->graph.n_ranks; i++)
		job_rank_free(a.rank[i]);
	free(a.rank);
	free(a.asked);
	free(a.heap);
	return a.rc;
}
