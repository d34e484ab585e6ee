// SPDX-License-Identifier: BSD-3-Clause
// The star of star.h, event by event.
#include "star.h"

#include <assert.h>
#include <stdlib.h>

#define PAYLOAD 1024u
#define OTHER   82u   // bytes of a frame on the wire besides its payload
#define BYTE    80ull // ps at 100 Gb/s

struct message {
	struct job_message m;
	uint64_t left; // bytes to be sent
	bool begun;
	struct message *next; // to the same receiver
};

enum what { AT_SWITCH, AT_HOST, ACKED, HOST_FREE, PORT_FREE, RANK };

struct event {
	tstamp at;
	uint64_t number; // order of events of one instant
	enum what what;
	uint32_t host;
	tstamp wire;
	struct message *message; // of which this is a frame
	bool last;
};

struct frame {
	struct event e;
	struct frame *next;
};

struct host {
	struct message **first, **last; // [n] by receiver
	uint32_t turn;
	bool busy, port_busy;
	struct frame *queue, *queue_last; // at the switch, to this host
	tstamp asked;                     // the deadline for which a RANK event stands
};

struct star {
	const struct graph *g;
	struct job_rank **rank;
	struct host *host;
	struct event *heap;
	uint64_t n_heap, room, numbers;
	struct star_result r;
};

static bool is_before(const struct event *a, const struct event *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	return a->what != b->what ? a->what < b->what : a->number < b->number;
}

static void put_event(struct star *s, struct event e)
{
	uint64_t i = s->n_heap++;

	if (i == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->heap = realloc(s->heap, s->room * sizeof(*s->heap));
		assert(s->heap);
	}
	e.number = s->numbers++;
	for (; i && is_before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = e;
}

static struct event take_event(struct star *s)
{
	struct event first = s->heap[0], e = s->heap[--s->n_heap];
	uint64_t i = 0, child;

	while ((child = 2 * i + 1) < s->n_heap) {
		child += child + 1 < s->n_heap && is_before(&s->heap[child + 1], &s->heap[child]);
		if (!is_before(&s->heap[child], &e))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = e;
	return first;
}

// The host begins a frame of the next receiver whose turn it is.
static void serve_host(struct star *s, uint32_t h, tstamp now)
{
	struct host *host = &s->host[h];

	for (uint32_t i = 1; !host->busy && i <= s->g->n_ranks; i++) {
		uint32_t to = (host->turn + i) % s->g->n_ranks;
		struct message *m = host->first[to];
		uint64_t bytes;

		if (!m)
			continue;
		bytes = m->left < PAYLOAD ? m->left : PAYLOAD;
		m->left -= bytes;
		host->turn = to;
		host->busy = true;
		if (!m->left)
			host->first[to] = m->next;
		s->r.frames++;

		tstamp wire = (bytes + OTHER) * BYTE;

		put_event(s, (struct event){.at = now + wire, .what = HOST_FREE, .host = h});
		put_event(s, (struct event){.at = now + wire + STAR_DELAY,
				     .what = AT_SWITCH,
				     .host = to,
				     .wire = wire,
				     .message = m,
				     .last = !m->left});
	}
}

static void serve_port(struct star *s, uint32_t h, tstamp now)
{
	struct host *host = &s->host[h];
	struct frame *f = host->queue;

	if (host->port_busy || !f)
		return;
	host->queue = f->next;
	host->port_busy = true;
	put_event(s, (struct event){.at = now + f->e.wire, .what = PORT_FREE, .host = h});
	f->e.what = AT_HOST;
	f->e.at = now + f->e.wire + STAR_DELAY;
	put_event(s, f->e);
	free(f);
}

static void take_step(struct star *s, uint32_t rank)
{
	struct job_step step;

	if (!job_take_step(s->rank[rank], &step))
		return;
	if (!job_is_over(s->rank[rank]))
		return;
	s->r.over++;
	s->r.ended = tstamp_max(s->r.ended, step.ended);
	if (s->g->rank[rank].n_recvs + s->g->rank[rank].n_cpus == 0 || step.done < s->r.done)
		return;
	s->r.done = step.done;
	s->r.split = step.split;
	s->r.slowest = rank;
}

// After each call of a rank: its sends are posted, its step is read, its deadline is asked.
static void after_call(struct star *s, uint32_t rank, tstamp now)
{
	struct host *host = &s->host[rank];
	struct job_message m;
	tstamp due;

	while (job_take_send(s->rank[rank], &m)) {
		struct message *new = calloc(1, sizeof(*new));

		*new = (struct message){.m = m, .left = m.bytes ? m.bytes : 1};
		if (host->first[m.to])
			host->last[m.to]->next = new;
		else
			host->first[m.to] = new;
		host->last[m.to] = new;
	}
	serve_host(s, rank, now);
	take_step(s, rank);
	due = job_deadline(s->rank[rank]);
	if (due < host->asked || host->asked <= now) {
		host->asked = due;
		if (due != TSTAMP_NEVER)
			put_event(s, (struct event){.at = due, .what = RANK, .host = rank});
	}
}

static void arrive(struct star *s, const struct event *e)
{
	struct job_split took = {.part = {[JOB_WIRE] = star_alone(e->message->m.bytes)}};
	struct event ack = *e;

	ack.at += STAR_ACK;
	ack.what = ACKED;
	put_event(s, ack);
	job_arrived(s->rank[e->host], &e->message->m, &took, e->at);
	after_call(s, e->host, e->at);
}

static void acked(struct star *s, const struct event *e)
{
	const struct job_message *m = &e->message->m;
	struct job_split took = {.part = {[JOB_WIRE] = star_alone(m->bytes) + STAR_ACK}};

	job_send_done(s->rank[m->from], m, &took, e->at);
	after_call(s, m->from, e->at);
	free(e->message);
}

static void at_switch(struct star *s, const struct event *e)
{
	struct host *host = &s->host[e->host];
	struct frame *f = malloc(sizeof(*f));

	*f = (struct frame){*e, NULL};
	if (host->queue)
		host->queue_last->next = f;
	else
		host->queue = f;
	host->queue_last = f;
	serve_port(s, e->host, e->at);
}

static void handle(struct star *s, const struct event *e)
{
	switch (e->what) {
	case AT_SWITCH:
		at_switch(s, e);
		break;
	case AT_HOST:
		if (e->last)
			arrive(s, e);
		break;
	case ACKED:
		acked(s, e);
		break;
	case HOST_FREE:
		s->host[e->host].busy = false;
		serve_host(s, e->host, e->at);
		break;
	case PORT_FREE:
		s->host[e->host].port_busy = false;
		serve_port(s, e->host, e->at);
		break;
	case RANK:
		if (job_deadline(s->rank[e->host]) <= e->at) {
			job_expire(s->rank[e->host], e->at);
			after_call(s, e->host, e->at);
		}
	}
}

static void start(struct star *s, uint32_t iterations, tstamp gap)
{
	uint32_t n = s->g->n_ranks;

	s->rank = calloc(n, sizeof(*s->rank));
	s->host = calloc(n, sizeof(*s->host));
	for (uint32_t i = 0; i < n; i++) {
		struct job_params p = {s->g, i, iterations, gap};

		s->rank[i] = job_rank_new(&p);
		assert(s->rank[i]);
		s->host[i].first = calloc(n, sizeof(*s->host[i].first));
		s->host[i].last = calloc(n, sizeof(*s->host[i].last));
		s->host[i].asked = TSTAMP_NEVER;
		s->host[i].turn = i; // the next rank comes first
	}
	for (uint32_t i = 0; i < n; i++) {
		job_start(s->rank[i], 0);
		after_call(s, i, 0);
	}
}

struct star_result star_run(const struct graph *g, uint32_t iterations, tstamp gap,
	void (*look)(struct job_rank *const *rank, void *arg), void *arg)
{
	struct star s = {.g = g};

	start(&s, iterations, gap);
	while (s.n_heap) {
		struct event e = take_event(&s);

		handle(&s, &e);
	}
	if (look)
		look(s.rank, arg);
	for (uint32_t i = 0; i < g->n_ranks; i++) {
		job_rank_free(s.rank[i]);
		free(s.host[i].first);
		free(s.host[i].last);
	}
	free(s.rank);
	free(s.host);
	free(s.heap);
	return s.r;
}
