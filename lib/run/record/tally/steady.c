// SPDX-License-Identifier: BSD-3-Clause
// The course of a run in equal intervals: the lengths of queues, and the bytes that the main group
// received.
// Its values are differences of sums that exist already, so taking them changes no event.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define LEAST_STEP PS_PER_US // shorter intervals hold too few frames

static tstamp span_of(const struct record *r)
{
	return r->scene->duration - r->scene->drain;
}

// A first pass begins with shorter intervals, so that a part of the run has all of them.
void record_steady_build(struct record *r)
{
	struct rec_steady *s = &r->steady;
	const unsigned n = REC_STEADY * (r->first_pass ? REC_FINER : 1);

	s->step = tstamp_max((span_of(r) + n - 1) / n, LEAST_STEP);
	for (unsigned i = 1; i < r->n_groups; i++)
		if (r->group[i].n > r->group[s->group].n)
			s->group = i;
}

tstamp record_steady_due(const struct record *r)
{
	const struct rec_steady *s = &r->steady;
	tstamp due = (s->n + 1) * s->step;

	return due <= span_of(r) ? due : TSTAMP_NEVER;
}

static void take_queue(struct record *r, struct rec_queue *q, unsigned end, tstamp now)
{
	const struct rec_steady *s = &r->steady;
	const struct hist *h = rec_queue_hist(q);
	struct rec_lengths *l = q->lengths;
	unsigned __int128 sum;
	float mean;

	if (!h)
		return;
	if (!l)
		l = q->lengths = calloc(1, sizeof(*l));
	if (!l) {
		record_fail(r, -ENOMEM, "no memory for the course of queues");
		return;
	}
	sum = rec_queue_byte_ps(q, h, now);
	mean = sum > l->byte_ps ? (float)((double)(sum - l->byte_ps) / (double)(now - s->taken))
				: 0;
	for (unsigned i = s->n; i < end; i++)
		l->bytes[i] = mean;
	l->byte_ps = sum;
}

static void take_group(struct record *r, unsigned end)
{
	struct rec_steady *s = &r->steady;
	uint64_t sum = 0;

	for (unsigned i = 0; i < r->n_flows; i++)
		if (r->flow[i].group == s->group)
			sum += rec_flow_rx(&r->flow[i])->rx_bytes;
	for (unsigned i = s->n; i < end; i++)
		s->bytes[i] = (float)((double)(sum - s->rx_bytes) / (end - s->n));
	s->rx_bytes = sum;
}

static void fold_values(float *x, float by)
{
	for (unsigned i = 0; i < REC_STEADY / 2; i++)
		x[i] = (x[2 * i] + x[2 * i + 1]) / by;
}

// Makes one interval of two, because there is no room for another one. Lengths are means, the
// group's bytes are sums.
static void fold(struct record *r)
{
	struct rec_steady *s = &r->steady;

	for (unsigned i = 0; i < r->n_queues; i++)
		if (r->queue[i].lengths)
			fold_values(r->queue[i].lengths->bytes, 2);
	fold_values(s->bytes, 1);
	s->n /= 2;
	s->step *= 2;
}

// On the real clock a look may come late: then its intervals get one mean. One that comes in the
// drain counts for nothing. A queue of a host can only be the bottleneck where no switch is.
void record_steady_take(struct record *r, tstamp now)
{
	struct rec_steady *s = &r->steady;
	tstamp span = span_of(r), until = tstamp_min(now, span);
	unsigned end;

	if (s->n == REC_STEADY && record_steady_due(r) <= until)
		fold(r);
	end = (unsigned)(until / s->step);
	if (end <= s->n || (now > span && r->scene->drain))
		return;
	for (unsigned i = 0; i < r->n_queues; i++) {
		struct rec_queue *q = &r->queue[i];

		if (q->q->max_bytes && (q->sw || !r->n_watched))
			take_queue(r, q, end, now);
	}
	take_group(r, end);
	s->n = end;
	s->takes++;
	s->taken = now;
}
