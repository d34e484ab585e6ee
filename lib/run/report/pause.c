// SPDX-License-Identifier: BSD-3-Clause
// The pause table (measures.md M1), and how the peer of a switch's port obeyed XOFF (M2), beside
// what 802.3 allows and what headroom that takes.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "summary.h"

#define QUANTUM_BITS 512
#define XOFF_BYTES   (PKT_MIN_LEN + PKT_WIRE)

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
	double bits = 8 * (bytes - XOFF_BYTES);
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

static struct pause_stats pause_window(
	const struct pause_stats *now, const struct pause_stats *then)
{
	return (struct pause_stats){
		.xoff_frames = now->xoff_frames - then->xoff_frames,
		.xon_frames = now->xon_frames - then->xon_frames,
		.refresh_frames = now->refresh_frames - then->refresh_frames,
		.transitions_on = now->transitions_on - then->transitions_on,
		.transitions_off = now->transitions_off - then->transitions_off,
		.expired = now->expired - then->expired,
		.pause_requested_ps = now->pause_requested_ps - then->pause_requested_ps,
		.pause_effective_ps = now->pause_effective_ps - then->pause_effective_ps,
	};
}

static void pause_make(struct summary *s, const struct record *r, const struct rec_port *p,
	unsigned prio, bool sent)
{
	const struct pause_stats *now = sent ? &p->tx->stats[prio] : &p->rx->stats[prio];
	const struct pause_stats *then = sent ? &p->warm.tx[prio] : &p->warm.rx[prio];
	const struct rec_episodes *e =
		p->episodes ? &p->episodes[prio + (sent ? PAUSE_PRIOS : 0)] : NULL;
	struct summary_pause *o;

	// PAUSE stops a priority without a PFC frame.
	if (!now->xoff_frames && !now->xon_frames && !now->transitions_on)
		return;
	o = &s->pause[s->n_pauses++];
	*o = (struct summary_pause){
		.port = p,
		.prio = (uint8_t)prio,
		.sent = sent,
		.w = pause_window(now, then),
		.longest_ps = now->longest_pause_ps,
		.episode_us = summary_dist(e ? e->length : NULL, 1e6),
	};
	if (e && e->began != TSTAMP_NEVER)
		o->running_us = (double)tstamp_since(s->to, e->began) / 1e6;
	summary_pfc(o, r, sent && e ? &e->answer : NULL);
	if (s->to > s->from)
		o->effective_percent =
			100 * (double)o->w.pause_effective_ps / (double)(s->to - s->from);
}

int summary_pauses(struct summary *s, const struct record *r)
{
	s->pause = calloc((size_t)r->n_ports * REC_EPISODES + 1, sizeof(*s->pause));
	if (!s->pause)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned k = 0; k < (r->port[i].tx ? REC_EPISODES : PAUSE_PRIOS); k++)
			pause_make(s, r, &r->port[i], k % PAUSE_PRIOS, k >= PAUSE_PRIOS);
	return 0;
}
