// SPDX-License-Identifier: BSD-3-Clause
// How the peer of a switch's port obeyed XOFF (measures.md M2), beside what 802.3 allows and what
// headroom that takes.
#include <math.h>

#include "summary.h"

#define QUANTUM_BITS 512
#define XOFF_OCTETS  (PKT_MIN_LEN + PKT_WIRE)

double summary_pfc_limit(rate_t rate)
{
	// 802.3 31B.3.7, in pause quanta.
	static const struct {
		unsigned gbps, quanta;
	} limit[] = {{1, 2}, {10, 67}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453},
		{400, 905}};

	for (unsigned i = 0; i < sizeof(limit) / sizeof(limit[0]); i++)
		if (rate == limit[i].gbps * RATE_GBPS)
			return limit[i].quanta;
	return NAN;
}

// What came after XOFF stands for time at the link's rate: XOFF itself, the way there and back, and
// the peer.
static double response_us(const struct rec_port *p, double bytes)
{
	double bits = 8 * (bytes - XOFF_OCTETS);
	double us = bits * 1e6 / (double)p->scene->rate - 2 * (double)p->scene->delay / PS_PER_US;

	return us > 0 ? us : 0;
}

void summary_pfc(struct summary_pause *o, const struct record *r, const struct rec_answer *a)
{
	const struct summary_dist *d = &o->after_bytes;

	o->quanta_resp = o->quanta_limit = NAN;
	if (!a || !a->n)
		return;
	o->after_bytes = summary_dist(a->wire, 1);
	o->after_max_bytes = a->max_bytes;
	o->t_resp_us = (struct summary_dist){.n = a->n,
		.mean = response_us(o->port, d->mean),
		.min = response_us(o->port, d->min),
		.p1 = response_us(o->port, d->p1),
		.p50 = response_us(o->port, d->p50),
		.p95 = response_us(o->port, d->p95),
		.p99 = response_us(o->port, d->p99),
		.max = response_us(o->port, d->max)};
	o->quanta_resp = o->t_resp_us.max * 1e-6 * (double)o->port->scene->rate / QUANTUM_BITS;
	o->quanta_limit = summary_pfc_limit(o->port->scene->rate);
	// The frame that crosses XOFF, and what comes in while XOFF waits for a longest frame on
	// its way out.
	o->headroom_needed_bytes =
		o->after_max_bytes +
		2 * (r->scene->max_frame + (uint64_t)r->scene->framing.queue_extra);
}
