// SPDX-License-Identifier: BSD-3-Clause
// Distributions of latency, by group and by open-loop source, and of round trips. They are lent to
// the NICs that receive, from the start of the window on. A NIC, which has one writer, has its own
// of each group that ends at it; at the end of the run those of one group become one.
#include <errno.h>
#include <stdlib.h>

#include "base/index.h"
#include "int.h"

static bool flow_comes(const struct record *r, unsigned i)
{
	const struct scene_flow *f = r->scene->flow[i];
	const struct nic *nic = net_nic(r->net, f->to);

	// The sender must run here: another machine's frames carry the stamps of another clock.
	return nic && scene_is_here(r->scene, f->from) && nic_find_qp(nic, i, false) >= 0;
}

static bool same_part(const struct rec_flow *a, const struct rec_flow *b)
{
	return a->group == b->group && a->scene->to == b->scene->to;
}

// Says which part of its group each flow belongs to, and counts the parts.
static int find_parts(struct record *r, struct index *known)
{
	for (unsigned i = 0; i < r->n_flows; i++) {
		struct rec_flow *f = &r->flow[i];
		uint32_t hash, at, first;

		f->latency = REC_NO_LATENCY;
		if (!flow_comes(r, i))
			continue;
		// Most flows belong to the same part as the flow before them.
		if (i && r->flow[i - 1].latency != REC_NO_LATENCY && same_part(f, f - 1)) {
			f->latency = f[-1].latency;
			continue;
		}
		hash = at = index_hash(f->scene->to, &f->group, sizeof(f->group));
		while ((first = index_next(known, hash, &at)) != INDEX_NONE)
			if (same_part(&r->flow[first], f))
				break;
		f->latency = first == INDEX_NONE ? r->n_latencies++ : r->flow[first].latency;
		if (first == INDEX_NONE && index_add(known, hash, i))
			return -ENOMEM;
	}
	return 0;
}

int record_latency_build(struct record *r)
{
	struct index known = {0};
	int code = find_parts(r, &known);

	index_fini(&known);
	for (unsigned i = 0; i < r->n_sources; i++) {
		struct rec_source *s = &r->source[i];

		s->latency = s->counted ? r->n_latencies++ : REC_NO_LATENCY;
		s->rtt = s->trips ? r->n_latencies++ : REC_NO_LATENCY;
	}
	if (code || !r->n_latencies)
		return code;
	r->latency = calloc(r->n_latencies, sizeof(*r->latency));
	return r->latency ? 0 : -ENOMEM;
}

void record_latency_lend(struct record *r)
{
	for (unsigned i = 0; i < r->n_flows; i++) {
		struct nic *nic = net_nic(r->net, r->scene->flow[i]->to);

		if (r->flow[i].latency != REC_NO_LATENCY)
			nic_qp_lend_latency(nic, (unsigned)nic_find_qp(nic, i, false),
				&r->latency[r->flow[i].latency]);
	}
	for (unsigned i = 0; i < r->n_sources; i++) {
		const struct scene_source *s = r->source[i].scene;

		if (r->source[i].latency != REC_NO_LATENCY)
			nic_gen_lend_latency(net_nic(r->net, s->to), s->gen.source,
				&r->latency[r->source[i].latency]);
		if (r->source[i].rtt != REC_NO_LATENCY)
			nic_trip_lend_rtt(net_nic(r->net, s->from), s->gen.source,
				&r->latency[r->source[i].rtt]);
	}
}

// The counters have the sum of the window, and the extremes of the whole run.
static void bound_flow(struct record *r, const struct rec_flow *f)
{
	const struct nic_qp_stats *rx = rec_flow_rx(f);
	struct hist **of = &r->group[f->group].latency;

	if (f->latency == REC_NO_LATENCY || !rx->data_frames_rx || rx->latency_max == TSTAMP_NEVER)
		return;
	hist_bound(&r->latency[f->latency], rx->latency_sum - f->warm->rx.latency_sum,
		rx->latency_min, rx->latency_max);
	*of = *of ? *of : &r->latency[f->latency];
}

static void settle_source(struct record *r, const struct rec_source *s)
{
	const struct nic_gen_stats *rx = s->rx;

	if (s->trips && s->trips->echo_rx_frames > s->trips->echo_late) {
		hist_bound(&r->latency[s->rtt], s->trips->rtt_sum - s->trips_warm.rtt_sum,
			s->trips->rtt_min, s->trips->rtt_max);
		hist_settle(&r->latency[s->rtt]);
	}
	if (s->latency == REC_NO_LATENCY || rx->rx_frames == rx->undated)
		return;
	hist_bound(&r->latency[s->latency], rx->latency_sum - s->rx_warm.latency_sum,
		rx->latency_min, rx->latency_max);
	hist_settle(&r->latency[s->latency]);
}

// A group at which nothing came has none, so that its pages stay untouched.
void record_latency_finish(struct record *r)
{
	for (unsigned i = 0; i < r->n_flows; i++)
		bound_flow(r, &r->flow[i]);
	for (unsigned i = 0, next = 0; i < r->n_flows; i++) {
		struct hist **of = &r->group[r->flow[i].group].latency;

		// Parts have the order of their first flows.
		if (r->flow[i].latency != next)
			continue;
		if (*of && *of != &r->latency[next])
			hist_merge(*of, &r->latency[next]);
		next++;
	}
	for (unsigned i = 0; i < r->n_groups; i++)
		if (r->group[i].latency)
			hist_settle(r->group[i].latency);
	for (unsigned i = 0; i < r->n_sources; i++)
		settle_source(r, &r->source[i]);
}

void record_latency_free(struct record *r)
{
	free(r->latency);
}
