// SPDX-License-Identifier: BSD-3-Clause
// The course of a run in equal intervals: the lengths of queues, and the bytes that the main group
// received.
// Its values are differences of sums that exist already, so taking them changes no event.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define LEAST_STEP PS_PER_US // shorter intervals hold too few frames
#define NEAR       8         // turns of a loop by which its memory is fetched earlier

static tstamp span_of(const struct record *r)
{
	return r->scene->duration - r->scene->drain;
}

// A queue of a host can only be the bottleneck where no switch is.
static void port_add(struct rec_steady *s, const struct rec_port *p, bool switches)
{
	if (p->queue && (p->sw || !switches) && rec_queue_hist(p->queue))
		s->port[s->n_ports++] = (struct rec_steady_port){.e = p->e, .queue = p->queue};
}

// A first pass begins with shorter intervals, so that a part of the run has all of them.
int record_steady_build(struct record *r)
{
	struct rec_steady *s = &r->steady;
	const unsigned n = REC_STEADY * (r->first_pass ? REC_FINER : 1);

	s->step = tstamp_max((span_of(r) + n - 1) / n, LEAST_STEP);
	s->room = (unsigned)(span_of(r) / s->step);
	s->room = s->room < REC_STEADY ? s->room : REC_STEADY;
	for (unsigned i = 1; i < r->n_groups; i++)
		if (r->group[i].n > r->group[s->group].n)
			s->group = i;
	s->port = calloc(r->n_ports + 1ul, sizeof(*s->port));
	if (!s->port)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++)
		port_add(s, &r->port[i], r->n_watched);
	s->lengths = calloc((size_t)s->n_ports * PKT_CLASSES + 1, sizeof(struct rec_lengths *));
	return s->lengths ? 0 : -ENOMEM;
}

void record_steady_free(struct record *r)
{
	for (unsigned i = 0; i < r->steady.n_lengths; i++)
		free(r->steady.lengths[i]);
	free(r->steady.lengths);
	free(r->steady.port);
}

tstamp record_steady_due(const struct record *r)
{
	const struct rec_steady *s = &r->steady;
	tstamp due = (s->n + 1) * s->step;

	return due <= span_of(r) ? due : TSTAMP_NEVER;
}

// The queues of a port that have held a frame since the last look get room for their lengths.
static void add_used(struct record *r, struct rec_steady_port *p)
{
	struct rec_steady *s = &r->steady;

	for (unsigned left = p->e->used & ~(unsigned)p->used; left; left &= left - 1) {
		struct rec_queue *q = &p->queue[__builtin_ctz(left)];
		struct rec_lengths *l = calloc(1, sizeof(*l) + s->room * sizeof(l->bytes[0]));

		if (!l) {
			record_fail(r, -ENOMEM, "no memory for the course of queues");
			return;
		}
		l->q = q->q;
		l->hist = rec_queue_hist(q);
		q->lengths = s->lengths[s->n_lengths++] = l;
		p->used |= (uint8_t)(left & -left);
	}
}

static void take_queue(const struct rec_steady *s, struct rec_lengths *l, unsigned end, tstamp now)
{
	unsigned __int128 sum = rec_queue_byte_ps(l->q, l->hist, now);
	float mean = sum > l->byte_ps
			     ? (float)((double)(sum - l->byte_ps) / (double)(now - s->taken))
			     : 0;

	for (unsigned i = s->n; i < end; i++)
		l->bytes[i] = mean;
	l->byte_ps = sum;
}

// Little of this is in the cache, so what a later turn needs is fetched in each turn.
static void take_queues(struct record *r, unsigned end, tstamp now)
{
	struct rec_steady *s = &r->steady;

	for (unsigned i = 0; i < s->n_ports; i++) {
		__builtin_prefetch(s->port[i + NEAR < s->n_ports ? i + NEAR : i].e);
		add_used(r, &s->port[i]);
	}
	for (unsigned i = 0; i < s->n_lengths; i++) {
		unsigned far = i + 2 * NEAR, near = i + NEAR;

		if (far < s->n_lengths) {
			__builtin_prefetch(s->lengths[far]);
			__builtin_prefetch(&s->lengths[far]->bytes[s->n], 1);
			__builtin_prefetch(s->lengths[near]->q);
			__builtin_prefetch(&s->lengths[near]->hist->sum);
		}
		take_queue(s, s->lengths[i], end, now);
	}
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

	for (unsigned i = 0; i < s->n_lengths; i++)
		fold_values(s->lengths[i]->bytes, 2);
	fold_values(s->bytes, 1);
	s->n /= 2;
	s->step *= 2;
}

// On the real clock a look may come late: then its intervals get one mean. One that comes in the
// drain counts for nothing.
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
	take_queues(r, end, now);
	take_group(r, end);
	s->n = end;
	s->takes++;
	s->taken = now;
}
