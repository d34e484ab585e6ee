// SPDX-License-Identifier: BSD-3-Clause
// What lost packets cost their queue pairs: frames sent again, and time.
#include <math.h>

#include "verdict.h"

static double cost_ps(const struct host_flow *f)
{
	const struct rec_loss *l = f->rec->loss;

	return l ? l->resent_ps + l->waited_ps : 0;
}

static const struct host_flow *flow_at(const struct summary *s, unsigned i)
{
	return set_at(&s->set[KIND_FLOW], i);
}

// Whether flow i comes before flow k in the order of what their losses cost.
static bool is_before(const struct summary *s, unsigned i, unsigned k)
{
	double a = cost_ps(flow_at(s, i)), b = cost_ps(flow_at(s, k));

	return a > b || (!(a < b) && i < k);
}

void verdict_lost_find(struct verdict_lost *to, const struct summary *s)
{
	*to = (struct verdict_lost){0};
	for (unsigned i = 0; i < s->set[KIND_FLOW].n; i++) {
		unsigned at = to->n;

		if (!(cost_ps(flow_at(s, i)) > 0))
			continue;
		to->flows++;
		while (at && is_before(s, i, to->flow[at - 1])) {
			if (at < VERDICT_LOST)
				to->flow[at] = to->flow[at - 1];
			at--;
		}
		if (at < VERDICT_LOST)
			to->flow[at] = i;
		to->n += to->n < VERDICT_LOST;
	}
}

void verdict_lost_text(
	const struct verdict_lost *l, const struct summary *s, unsigned i, char *text, size_t size)
{
	const struct host_flow *f = flow_at(s, l->flow[i]);
	const struct rec_loss *loss = f->rec->loss;
	int64_t lost = record_flow_lost(s->rec, f->rec, f->tx.data_frames_tx, f->rx.data_frames_rx);
	unsigned long long naks = f->tx.nak_rx, timeouts = loss->timeouts;
	char each[96] = "", head[48] = "";

	if (lost > 0) {
		snprintf(head, sizeof(head), "%llu frame%s lost, ", (unsigned long long)lost,
			plural((uint64_t)lost));
		snprintf(each, sizeof(each), "; each lost frame cost %.1f frames and %.3f us",
			(double)loss->resent_frames / (double)lost,
			cost_ps(f) / (double)lost / PS_PER_US);
	}
	snprintf(text, size,
		"%s: %s%llu NAK%s, %llu timeout%s; %llu frame%s sent again, which took %.3f us of "
		"wire time, after %.3f us of waiting for timeouts%s",
		f->rec->scene->name, head, naks, plural(naks), timeouts, plural(timeouts),
		(unsigned long long)loss->resent_frames, plural(loss->resent_frames),
		loss->resent_ps / PS_PER_US, loss->waited_ps / PS_PER_US, each);
}
