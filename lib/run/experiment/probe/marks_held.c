// SPDX-License-Identifier: BSD-3-Clause
// Held queues: a queue is filled and released. From the instant at which the device resumes, two
// ports together send exactly as much as leaves. So all further frames meet one length, which
// follows from their delay.
#include "marks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "wire/pkt.h"

#define INPUTS  2
#define LEARN   600 // frames of a queue by which `shift` is learnt
#define TRIES   3
#define NEAR    1.5  // frames that a length may be off
#define DRIFT   .004 // frames a frame
#define BESIDE  6    // frames from Kmax at which marks are compared with the length
#define SKIP    200  // frames behind which a queue stays
#define SETTLE  8    // times 2^exponent frames more, until an average has come to it
#define MARGIN  40   // arrivals more than the frames that are looked at
#define ARRIVAL 1    // number of the source of the frames behind the release

// Delay of a frame alone, from its first bit at our port to its last at our other one: the transit
// is one of PROBE_SHORT, and a device that stores and forwards takes the frame's time once more.
static double alone(const struct probe *p)
{
	return (double)p->transit + 2. * (double)p->lab->port[p->cfg->out[0]].cable +
	       2. * (double)probe_wire(p, p->unit) - (double)probe_wire(p, PROBE_SHORT);
}

static void list_hold(struct marks *k, uint32_t share, uint32_t arrivals)
{
	struct probe *p = k->p;
	const tstamp wire = probe_wire(p, p->unit);
	const tstamp release = probe_tb(p) + share * wire + probe_w(p);

	probe_list_new(p, "marks, held");
	probe_add(p, p->cfg->out[0], probe_hold(p, (uint8_t)(1u << k->cls)));
	probe_add(p, p->cfg->out[0], probe_release((uint8_t)(1u << k->cls), release));
	for (unsigned i = 0; i < INPUTS; i++) {
		unsigned port = p->cfg->in[i];
		struct tester_item d = probe_data(p, port, p->cfg->out[0], k->cls, share);

		d.at = probe_tb(p);
		if (share)
			probe_add(p, port, d);
		d.count = arrivals;
		d.at = (tstamp)((int64_t)release + k->shift) + i * wire;
		d.gap = INPUTS * wire;
		d.source = PROBE_SOURCE(port, ARRIVAL);
		probe_add(p, port, d);
	}
	p->list.step.tail = (2 * share + MARGIN) * wire + p->transit + probe_tb(p);
	p->list.step.room = INPUTS * (share + arrivals) + 4096;
	p->list.whole_rate = true;
}

// Instants at which a port's frames of source ARRIVAL left, by number.
static tstamp *when_sent(const struct lab_seen *s, unsigned port, uint32_t arrivals)
{
	tstamp *at = calloc(arrivals, sizeof(*at));

	for (uint32_t i = 0; at && i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];

		if (e->sent && e->frame == TESTER_OURS &&
			e->source == PROBE_SOURCE(port, ARRIVAL) && e->number < arrivals)
			at[e->number] = e->at;
	}
	return at;
}

struct span {
	uint32_t from, to, quarter; // frames of source ARRIVAL, in the order in which they came
	double sum, first, last;    // of their lengths; of the first quarter; of the last
};

// Reads the lengths that frames met from their delays.
static void read_hold(const struct marks *k, const struct lab_seen *s, tstamp *const *sent,
	uint32_t arrivals, struct span *at, struct marks_hold *h)
{
	const struct probe *p = k->p;
	const double wire = (double)probe_wire(p, p->unit), base = alone(p);
	uint32_t j = 0;

	for (uint32_t i = 0; i < s->n && j < at->to; i++) {
		const struct tester_seen *e = &s->entry[i];
		unsigned in = e->source == PROBE_SOURCE(p->cfg->in[1], ARRIVAL);
		double q;

		if (e->sent || e->frame != TESTER_OURS || e->number >= arrivals ||
			e->source != PROBE_SOURCE(p->cfg->in[in], ARRIVAL) || j++ < at->from)
			continue;
		q = ((double)(e->at - sent[in][e->number]) - base) / wire;
		at->sum += q;
		at->first += j - 1 < at->from + at->quarter ? q : 0;
		at->last += j - 1 >= at->to - at->quarter ? q : 0;
		h->n++;
		h->m += (e->tos & 3) == ECN_CE;
	}
}

int marks_hold(struct marks *k, uint32_t length, uint32_t frames, struct marks_hold *h)
{
	const struct probe *p = k->p;
	const uint32_t skip = SKIP + (k->exponent ? SETTLE << k->exponent : 0);
	const uint32_t share = length / INPUTS;
	const uint32_t arrivals = (frames + skip + INPUTS * share + 2 * MARGIN) / INPUTS;
	struct span span = {skip, skip + frames, frames / 4, 0, 0, 0};
	struct lab_sight sight;
	tstamp *sent[INPUTS] = {0};
	int rc;

	*h = (struct marks_hold){0};
	list_hold(k, share, arrivals);
	rc = probe_do(k->p, &sight, &k->why);
	k->p->list.whole_rate = false;
	if (rc)
		return rc;
	for (unsigned i = 0; i < INPUTS; i++) {
		sent[i] = when_sent(&sight.port[p->cfg->in[i]], p->cfg->in[i], arrivals);
		rc = sent[i] ? rc : -ENOMEM;
	}
	if (!rc)
		read_hold(k, &sight.port[p->cfg->out[0]], sent, arrivals, &span, h);
	for (unsigned i = 0; i < INPUTS; i++)
		free(sent[i]);
	k->used += h->n;
	if (!h->n)
		return rc;
	// An arrival waits for the rest of the frame that leaves: half a frame in the mean; and we
	// see it half a loop late.
	h->q = span.sum / h->n + .5 - (double)p->lab->gap / 2 / (double)probe_wire(p, p->unit);
	h->drift = span.quarter ? (span.last - span.first) / span.quarter / h->n : 0;
	return rc;
}

// Learns when arrivals have to begin. *h: the last queue.
static int learn_shift(struct marks *k, uint32_t length, struct marks_hold *h)
{
	const double wire = (double)probe_wire(k->p, k->p->unit);
	int rc = 0;

	for (unsigned try = 0; !rc && try < TRIES; try++) {
		rc = marks_hold(k, length, LEARN, h);
		if (rc || !h->n || fabs(h->q - length) < NEAR)
			break;
		k->shift += (int64_t)((h->q - length) * wire);
	}
	return rc;
}

int marks_steady(struct marks *k, uint32_t unmarked)
{
	struct marks_hold h = {0};
	int rc = learn_shift(k, unmarked - unmarked / 10, &h);

	k->steady = !rc && h.n == LEARN && fabs(h.drift) < DRIFT;
	for (int side = -1; !rc && k->steady && side <= 1; side += 2) {
		rc = marks_hold(k, (uint32_t)((int)unmarked + side * BESIDE), LEARN, &h);
		k->steady =
			!rc && h.n &&
			(side < 0 ? h.q <= unmarked && h.m < h.n : h.q > unmarked && h.m == h.n);
	}
	return rc == -EAGAIN ? 0 : rc;
}

void marks_keep(struct marks *k, const struct marks_hold *h)
{
	if (h->n && k->n_held < MARKS_HELD)
		k->held[k->n_held++] = (struct fit_bin){h->q * k->unit, h->n, h->m};
}
