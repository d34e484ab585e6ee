// SPDX-License-Identifier: BSD-3-Clause
// The rate on the wire beside the rate that the reaction point allows (measuring.md M5).
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define PERIOD (100 * PS_PER_US) // at least
#define RATED  256               // flows that are sampled, besides the first of each group
#define GROUPS 1024              // whose first is

// The counter has the FCS, the link preamble and gap too; the reference simulator's framing has
// less.
uint64_t record_rate_wire(const struct rec_flow *f, const struct nic_qp_stats *tx)
{
	int64_t more = (int64_t)f->wire_extra - PKT_FCS;

	return tx->wire_bytes_tx + (uint64_t)more * tx->data_frames_tx;
}

int record_rate_build(struct record *r)
{
	unsigned step = (r->n_flows + RATED - 1) / RATED;

	r->rated = calloc(r->n_flows + 1ul, sizeof(*r->rated));
	if (!r->rated)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_flows; i++) {
		const struct rec_flow *f = &r->flow[i];
		bool is_first = f->group < GROUPS && r->group[f->group].first == i;

		if (f->rp && (i % step == 0 || is_first))
			r->rated[r->n_rated++] = i;
	}
	// One block from the C library: pages without a sample are never touched.
	r->rate_samples = calloc(r->n_rated + 1ul, sizeof(*r->rate_samples));
	if (!r->rate_samples)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_rated; i++)
		r->flow[r->rated[i]].samples = &r->rate_samples[i];
	return 0;
}

void record_rate_free(struct record *r)
{
	free(r->rate_samples);
	free(r->rated);
}

void record_rate_take(struct record *r, tstamp now)
{
	if (tstamp_since(now, r->rate_at) < PERIOD)
		return;
	r->rate_at = now;
	for (unsigned i = 0; i < r->n_rated; i++) {
		struct rec_flow *f = &r->flow[r->rated[i]];
		struct rec_samples *s = f->samples;
		const struct rc_tx *rc = rec_flow_rc(f);

		// A reaction point without an event for this long is taken to keep its last rate.
		if (s->end - s->first == REC_SAMPLES)
			record_stat_settle(r, f, now);
		s->at[s->end++ % REC_SAMPLES] = (struct rec_sample){.t = now,
			.wire_bytes = record_rate_wire(f, rec_flow_tx(f)),
			.waits = rc && rc_tx_waits(rc)};
	}
}

void record_rate_sampled(struct record *r, struct rec_flow *f, const struct rec_sample *s)
{
	unsigned __int128 allowed = rec_flow_book(f)->rate_ps - f->wire_rc_ps; // bit/s times ps
	uint64_t bytes = s->wire_bytes - f->wire_bytes;
	bool busy = bytes || s->waits;

	// The sums of rates begin with the window.
	if (allowed && busy && f->wire_at >= record_window(r))
		record_spread_add(
			r, &r->group[f->group].wire, (double)bytes * 8 * 1e12 / (double)allowed);
	f->wire_at = s->t;
	f->wire_bytes = s->wire_bytes;
	f->wire_rc_ps = rec_flow_book(f)->rate_ps;
}
