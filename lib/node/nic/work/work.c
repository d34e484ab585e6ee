// SPDX-License-Identifier: BSD-3-Clause
// Jobs of a NIC: their memory, which is taken before the run, and their next deadline.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "int.h"

void work_ring_put(struct work_ring *r, uint32_t number)
{
	assert(r->tail - r->head <= r->mask);
	r->of[r->tail++ & r->mask] = number;
}

uint32_t work_ring_take(struct work_ring *r)
{
	return r->of[r->head++ & r->mask];
}

// Makes an empty ring for at least so many numbers.
static int ring_make(struct work_ring *r, uint64_t numbers)
{
	uint32_t room = 16;

	while (room < numbers && room < 1u << 31)
		room *= 2;
	free(r->of);
	*r = (struct work_ring){.of = malloc(room * sizeof(*r->of)), .mask = room - 1};
	return r->of && room >= numbers ? 0 : -ENOMEM;
}

// Makes room for n more elements of an array that has `has`.
static int grow(void *array, uint64_t has, uint64_t more, size_t each)
{
	void **all = array, *now = realloc(*all, (has + more + 1) * each);

	if (!now)
		return -ENOMEM;
	*all = now;
	return 0;
}

static int make(struct nic_work **out, struct nic_fifos *fifos, struct ev_ring *events)
{
	struct nic_work *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->fifos = fifos;
	w->events = events;
	w->near = (struct nic_fifo){NOBODY, NOBODY, NOBODY};
	w->runs = w->put = NOBODY;
	*out = w;
	return wheel_init(&w->timers, 1);
}

void nic_work_fini(struct nic_work *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n_ranks; i++)
		job_rank_free(w->rank[i].r);
	for (uint32_t i = 0; i < w->n_out; i++)
		free(w->out[i].sent);
	for (uint32_t i = 0; i < w->n_in; i++)
		free(w->in[i].born);
	for (unsigned i = 0; i < w->n_jobs; i++)
		free(w->job[i]);
	free(w->job);
	free(w->rank);
	free(w->out);
	free(w->in);
	free(w->send);
	free(w->news.of);
	free(w->leaving.of);
	wheel_fini(&w->timers);
	free(w);
}

// Where a rank of a job is in nic_work.rank; NOBODY: not on this host.
static uint32_t place_of(const struct nic_work *w, const struct work_job *j, uint32_t rank)
{
	uint32_t low = j->first, high = j->first + j->n_ranks;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (w->rank[mid].number < rank)
			low = mid + 1;
		else
			high = mid;
	}
	return low < j->first + j->n_ranks && w->rank[low].number == rank ? low : NOBODY;
}

static int add_ranks(struct nic_work *w, struct work_job *j, const struct nic_job_params *p)
{
	j->first = w->n_ranks;
	for (uint32_t i = 0; i < p->n_ranks; i++) {
		const struct job_params rank = {.graph = p->graph,
			.rank = p->rank[i],
			.iterations = p->iterations,
			.gap = p->gap};
		struct job_rank *r;

		if (p->rank[i] >= p->graph->n_ranks || (i && p->rank[i] <= p->rank[i - 1]))
			return -EINVAL;
		r = job_rank_new(&rank);
		if (!r)
			return -ENOMEM;
		w->rank[w->n_ranks++] = (struct work_rank){.r = r, .job = j, .number = p->rank[i]};
		j->n_ranks++;
	}
	return 0;
}

static int add_out(
	struct nic_work *w, struct work_job *j, const struct nic_job_way *way, uint32_t qp)
{
	struct work_out *o = &w->out[w->n_out];
	struct work_rank *r;

	*o = (struct work_out){.job = j,
		.from = place_of(w, j, way->from),
		.to = way->to,
		.here = qp == NOBODY ? place_of(w, j, way->to) : NOBODY,
		.qp = qp,
		.flow = way->flow,
		.nic = way->nic,
		.apart = way->apart,
		.mail = way->mail,
		.slowest = way->slowest,
		.slowest_ps = rate_byte_ps(way->slowest)};
	if (o->from == NOBODY || (qp == NOBODY) != (o->here != NOBODY) ||
		(qp != NOBODY && (!way->mail || !way->slowest)))
		return -EINVAL;
	if (qp != NOBODY) {
		o->mask = way->mail->mask;
		o->sent = calloc(o->mask + 1ul, sizeof(*o->sent));
		if (!o->sent)
			return -ENOMEM;
		w->fifos->fifo[qp].of = NIC_WORK_JOB | w->n_out;
		w->letters += o->mask + 1ul;
	}
	r = &w->rank[o->from];
	if (!r->n_out++)
		r->first = w->n_out;
	w->n_out++;
	return 0;
}

static int add_in(
	struct nic_work *w, struct work_job *j, const struct nic_job_way *way, uint32_t qp)
{
	uint32_t to = place_of(w, j, way->to);

	if (to == NOBODY || qp == NOBODY || !way->mail)
		return -EINVAL;
	w->in[w->n_in] = (struct work_in){.job = j,
		.to = to,
		.flow = way->flow,
		.mail = way->mail,
		.apart = way->apart,
		.from = way->from,
		.born = malloc((way->mail->mask + 1ul) * sizeof(tstamp))};
	if (!w->in[w->n_in].born)
		return -ENOMEM;
	w->fifos->fifo[qp].of = NIC_WORK_JOB | w->n_in++;
	w->letters += way->mail->mask + 1ul;
	return 0;
}

// SENDs of these ranks that may wait at a time: of one iteration.
static uint64_t most_sends(const struct nic_job_params *p)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < p->n_ranks && p->rank[i] < p->graph->n_ranks; i++)
		n += p->graph->rank[p->rank[i]].n_ops - p->graph->rank[p->rank[i]].n_recvs;
	return n;
}

static int take_memory(struct nic_work *w, const struct nic_job_params *p)
{
	int rc = grow(&w->rank, w->n_ranks, p->n_ranks, sizeof(*w->rank));

	if (!rc)
		rc = grow(&w->out, w->n_out, p->n_out, sizeof(*w->out));
	if (!rc)
		rc = grow(&w->in, w->n_in, p->n_in, sizeof(*w->in));
	if (!rc)
		rc = grow(&w->job, w->n_jobs, 1, sizeof(struct work_job *));
	if (!rc)
		rc = nic_fifos_grow(w->fifos, most_sends(p));
	if (!rc)
		rc = grow(&w->send, w->fifos->room, 0, sizeof(*w->send));
	return rc;
}

static int add_ways(
	struct nic_work *w, struct work_job *j, const struct nic_job_params *p, const uint32_t *qp)
{
	int rc = 0;

	j->first_out = w->n_out;
	for (uint32_t i = 0; !rc && i < p->n_out; i++)
		rc = add_out(w, j, &p->out[i], qp[i]);
	j->n_out = w->n_out - j->first_out;
	for (uint32_t i = 0; !rc && i < p->n_in; i++)
		rc = add_in(w, j, &p->in[i], qp[p->n_out + i]);
	if (!rc)
		rc = ring_make(&w->news, w->letters);
	if (!rc)
		rc = ring_make(&w->leaving, w->letters);
	return rc;
}

int nic_work_add(struct nic_work **work, const struct nic_job_params *p, const uint32_t *qp,
	struct nic_fifos *fifos, struct ev_ring *events)
{
	int rc = *work ? 0 : make(work, fifos, events);
	struct nic_work *w = *work;
	struct work_job *j;

	if (!rc)
		rc = take_memory(w, p);
	if (rc)
		return rc;
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	j->p = *p;
	j->p.rank = NULL;
	j->p.out = j->p.in = NULL;
	w->job[w->n_jobs++] = j;
	rc = add_ranks(w, j, p);
	if (!rc)
		rc = add_ways(w, j, p, qp);
	if (!rc)
		rc = wheel_grow(&w->timers, w->n_ranks + 1);
	for (uint32_t i = j->first; !rc && i < w->n_ranks; i++)
		wheel_set(&w->timers, i, p->start);
	return rc;
}

static bool has_near(const struct nic_work *w)
{
	return w->meets || w->near.head != NOBODY;
}

tstamp nic_work_at(const struct nic_work *w)
{
	return has_near(w) || work_ring_has(&w->news) ? 0 : wheel_first(&w->timers);
}

void nic_work_step(struct nic_work *w, tstamp now)
{
	uint32_t i;

	if (has_near(w)) {
		work_rank_meet(w, now);
		return;
	}
	if (work_ring_has(&w->news)) {
		work_message_news(w, now);
		return;
	}
	if (wheel_first(&w->timers) > now)
		return;
	i = wheel_first_id(&w->timers);
	if (i < w->n_ranks)
		work_rank_due(w, i, now);
	else
		work_message_leaving(w, now);
}

static const struct work_job *job_of(const struct nic_work *w, uint32_t number)
{
	for (unsigned i = 0; w && i < w->n_jobs; i++)
		if (w->job[i]->p.number == number)
			return w->job[i];
	return NULL;
}

static bool goes_on(const struct nic_work *w, const struct work_job *j)
{
	for (uint32_t i = j->first; i < j->first + j->n_ranks; i++)
		if (wheel_at(&w->timers, i) != TSTAMP_NEVER)
			return true;
	for (uint32_t i = j->first_out; i < j->first_out + j->n_out; i++) {
		const struct work_out *o = &w->out[i];

		if (o->qp != NOBODY && !o->failed &&
			(o->acked != o->posted || w->fifos->fifo[o->qp].head != NOBODY))
			return true;
	}
	return has_near(w) || work_ring_has(&w->news) || work_ring_has(&w->leaving);
}

struct nic_job_state nic_work_state(const struct nic_work *w, uint32_t number)
{
	const struct work_job *j = job_of(w, number);
	struct nic_job_state s = {0};

	if (!j)
		return s;
	s.ranks = j->n_ranks;
	s.lost = j->lost;
	for (uint32_t i = j->first; i < j->first + j->n_ranks; i++)
		s.over += job_is_over(w->rank[i].r);
	s.goes_on = goes_on(w, j);
	return s;
}

struct job_rank *nic_work_rank(const struct nic_work *w, uint32_t number, uint32_t rank)
{
	const struct work_job *j = job_of(w, number);
	uint32_t i = j ? place_of(w, j, rank) : NOBODY;

	return i == NOBODY ? NULL : w->rank[i].r;
}
