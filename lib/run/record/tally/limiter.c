// SPDX-License-Identifier: BSD-3-Clause
// Reaction points that flows share (QCN): which flows share one, and its effects on each of them.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

// The node and the number of the reaction point that a flow shares; -1: it has its own, or none.
static int shares(const struct rec_flow *f)
{
	return f->nic ? nic_qp_shares(f->nic, f->qp) : -1;
}

// Orders flows by sender and reaction point. Within one reaction point, the queue pair that was
// added last comes first.
static int by_limiter(const void *a, const void *b, void *record)
{
	const struct record *r = record;
	const struct rec_flow *x = &r->flow[*(const unsigned *)a],
			      *y = &r->flow[*(const unsigned *)b];
	int one = shares(x), two = shares(y);

	if (x->scene->from != y->scene->from)
		return x->scene->from < y->scene->from ? -1 : 1;
	if (one != two)
		return one < two ? -1 : 1;
	return (x->qp < y->qp) - (x->qp > y->qp);
}

static bool are_together(const struct rec_flow *x, const struct rec_flow *y)
{
	return x->nic == y->nic && shares(x) == shares(y);
}

static int add_limiter(struct record *r, unsigned *flow, unsigned n)
{
	struct rec_limiter *l = &r->limiter[r->n_limiters++];

	*l = (struct rec_limiter){.flow = flow, .n = n, .book = r->flow[flow[0]].book};
	for (unsigned i = 0; i < n; i++) {
		struct rec_flow *f = &r->flow[flow[i]];

		f->limiter = l;
		l->kept |= record_flow_kept(r, flow[i]);
		l->n_sampled += f->samples != NULL;
	}
	l->sampled = calloc(l->n_sampled + 1ul, sizeof(*l->sampled));
	if (!l->sampled)
		return -ENOMEM;
	l->n_sampled = 0;
	for (unsigned i = 0; i < n; i++)
		if (r->flow[flow[i]].samples)
			l->sampled[l->n_sampled++] = flow[i];
	return 0;
}

int record_limiters_build(struct record *r)
{
	unsigned n = 0;
	int code = 0;

	for (unsigned i = 0; i < r->n_flows; i++)
		n += shares(&r->flow[i]) >= 0;
	if (!n)
		return 0;
	r->sharing = calloc(n, sizeof(*r->sharing));
	r->limiter = calloc(n, sizeof(*r->limiter));
	if (!r->sharing || !r->limiter)
		return -ENOMEM;
	n = 0;
	for (unsigned i = 0; i < r->n_flows; i++)
		if (shares(&r->flow[i]) >= 0)
			r->sharing[n++] = i;
	qsort_r(r->sharing, n, sizeof(*r->sharing), by_limiter, r);
	for (unsigned i = 0, end; i < n && !code; i = end) {
		for (end = i + 1; end < n; end++)
			if (!are_together(&r->flow[r->sharing[i]], &r->flow[r->sharing[end]]))
				break;
		code = add_limiter(r, &r->sharing[i], end - i);
	}
	return code;
}

void record_limiters_free(struct record *r)
{
	for (unsigned i = 0; i < r->n_limiters; i++)
		free(r->limiter[i].sampled);
	free(r->limiter);
	free(r->sharing);
}

// The events of a reaction point.
#define OF_REACTION_POINTS (1ull << EV_RP | 1ull << EV_RP_ALPHA | 1ull << EV_CNM_RX)

const struct rec_limiter *record_limiter_of(const struct record *r, const struct ev *e)
{
	uint32_t flow;

	if (!r->n_limiters || !(OF_REACTION_POINTS >> e->type & 1))
		return NULL;
	flow = e->type == EV_CNM_RX ? e->cnm_rx.flow : e->rp.flow;
	return flow < r->n_flows ? r->flow[flow].limiter : NULL;
}

struct ev record_limiter_event(const struct ev *e, unsigned flow)
{
	struct ev own = *e;

	if (e->type == EV_CNM_RX)
		own.cnm_rx.flow = flow;
	else
		own.rp.flow = flow;
	return own;
}

// Takes the samples of one instant together, for all flows of the limiter. Flows are sampled at the
// same instants, and the book then goes on to the next one.
void record_limiter_settle(struct record *r, struct rec_limiter *l, tstamp t)
{
	const struct rec_sample *s;

	while (l->n_sampled && (s = record_rate_next(&r->flow[l->sampled[0]], t))) {
		rp_book_upto(&l->book, s->t);
		record_rate_sampled(r, &r->flow[l->sampled[0]], s);
		for (unsigned i = 1; i < l->n_sampled; i++) {
			struct rec_flow *f = &r->flow[l->sampled[i]];

			record_rate_sampled(r, f, record_rate_next(f, t));
		}
	}
}
