// SPDX-License-Identifier: BSD-3-Clause
// Stamps of a device, mapped to the scene's time by the lower hull of (stamp, reading).
#include "stamp.h"

#include <math.h>
#include <string.h>

#define SPAN     (5 * PS_PER_S)   // the map is of one to two of these
#define LEAST    (10 * PS_PER_MS) // of points, from which on the map is known
#define FIT      (1 * PS_PER_MS)  // between two fits
#define SET      (1 * PS_PER_MS)  // a stamp so far ahead or back: the device's clock was set
#define NEAR_PPM 1000.0           // a tick so near to a unit is meant to be that unit

// Whether b is on or above the line from a to c, so that it is no corner of the lower hull.
static bool is_above(struct stamp_point a, struct stamp_point b, struct stamp_point c)
{
	return (__int128)(b.at - a.at) * (__int128)(c.ticks - a.ticks) >=
	       (__int128)(c.at - a.at) * (__int128)(b.ticks - a.ticks);
}

// Adds a point behind all others (A. Andrew's monotone chain). Without room the oldest goes.
static void add_point(struct stamp_hull *h, struct stamp_point p)
{
	while (h->n > 1 && is_above(h->p[h->n - 2], h->p[h->n - 1], p))
		h->n--;
	if (h->n == STAMP_HULL)
		memmove(h->p, h->p + 1, --h->n * sizeof(h->p[0]));
	h->p[h->n++] = p;
}

// Time of the line since its base.
static double line_at(const struct stamp_map *m, uint64_t ticks)
{
	return (double)(int64_t)(ticks - m->base.ticks) * m->tick_ps;
}

// How far a point is above the line.
static double height(const struct stamp_map *m, struct stamp_point p)
{
	return (double)(int64_t)(p.at - m->base.at) - line_at(m, p.ticks);
}

// How far the line may be off. Its corners are frames that were read soonest, but not as soon as
// a frame can be. Of n frames whose delays exceed the least delay by x on average, the soonest
// exceeds it by x / n, if delays are exponential; ten times that, and two ticks.
static tstamp bound_of(const struct stamp_map *m)
{
	uint64_t n = m->frames + m->frames_before;
	double over = n ? (m->over + m->over_before) / (double)n : 0;

	return (tstamp)(2 * m->tick_ps + (n ? 10 * over / (double)n : 0));
}

// Takes the edge at the middle of all points.
static void fit(struct stamp_map *m)
{
	struct stamp_hull h = m->before;
	const struct stamp_point *p = h.p;
	uint64_t middle;

	for (unsigned i = 0; i < m->now.n; i++)
		add_point(&h, m->now.p[i]);
	if (h.n < 2 || h.p[h.n - 1].at - h.p[0].at < LEAST)
		return;
	middle = h.p[0].ticks + (h.p[h.n - 1].ticks - h.p[0].ticks) / 2;
	while (p[1].ticks < middle)
		p++;
	m->base = *p;
	m->tick_ps = (double)(p[1].at - p->at) / (double)(p[1].ticks - p->ticks);
	m->bound = bound_of(m);
	m->known = true;
}

static const struct stamp_point *last_of(const struct stamp_map *m)
{
	const struct stamp_hull *h = m->now.n ? &m->now : &m->before;

	return h->n ? h->p + h->n - 1 : NULL;
}

// Returns whether the device's clock was set, forward or back, since `last`.
static bool was_set(const struct stamp_map *m, const struct stamp_point *last, struct stamp_point p)
{
	if (!m->known)
		return p.ticks < last->ticks;
	return height(m, p) < -(double)SET ||
	       (double)(int64_t)(last->ticks - p.ticks) * m->tick_ps > (double)SET;
}

void stamp_learn(struct stamp_map *m, uint64_t ticks, tstamp now)
{
	const struct stamp_point p = {ticks, now}, *last = last_of(m);

	if (last && was_set(m, last, p)) {
		m->now.n = m->before.n = 0;
		m->known = false;
		m->resets++;
		last = NULL;
	}
	if (last && ticks <= last->ticks) // queues of a device may overtake each other
		return;
	if (now >= m->turn) {
		m->turn = now + SPAN;
		m->before = m->now;
		m->now.n = 0;
		m->frames_before = m->frames;
		m->over_before = m->over;
		m->frames = 0;
		m->over = 0;
	}
	m->frames += m->known;
	m->over += m->known ? fmax(height(m, p), 0) : 0;
	add_point(&m->now, p);
	if (now < m->next)
		return;
	m->next = now + FIT;
	fit(m);
}

tstamp stamp_time(const struct stamp_map *m, uint64_t ticks, tstamp now)
{
	double at = (double)m->base.at + line_at(m, ticks);

	return at <= 0 ? 0 : tstamp_min((tstamp)at, now);
}

double stamp_drift_ppm(const struct stamp_map *m)
{
	static const double units[] = {PS_PER_NS, PS_PER_US};

	for (unsigned i = 0; m->known && i < 2; i++) {
		double ppm = (units[i] / m->tick_ps - 1) * 1e6;

		if (fabs(ppm) < NEAR_PPM)
			return ppm;
	}
	return NAN;
}
