// SPDX-License-Identifier: BSD-3-Clause
// Step `xoff`: the frame that brings XOFF, by count. If frames are further apart than XOFF takes,
// it is known after which frame XOFF came, however late our own loops are.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#define SLOW     8  // gap of the second look, in frames
#define LAST     10 // frames of the last look, each by itself
#define LOOKS    14
#define REPEATS  3
#define WITHOUT  2 // fills without XOFF that say, where loops are long, that none comes
#define NO_XOFF  1
#define MEASURED 1 // number of the source whose frames are counted

// One fill that ends with frames `gap` apart.
struct look {
	unsigned cls, len;
	const uint32_t *preload;
	uint32_t burst, more; // frames at the line rate, and `gap` apart
	tstamp gap;
	uint32_t at;    // frames that had been sent when XOFF came; 0: it did not
	uint32_t leak;  // frames that came out meanwhile
	tstamp d, loop; // of that XOFF; the longest loop of the step
	const char *why;
};

static void read_look(const struct probe *p, const struct lab_sight *sight, struct look *l)
{
	const uint16_t source = PROBE_SOURCE(p->cfg->in[0], MEASURED);
	const struct lab_seen *s = &sight->port[p->cfg->in[0]];
	uint32_t at = UINT32_MAX;
	const struct tester_seen *x = lab_pfc(s, l->cls, true, &at);
	tstamp last = 0;

	l->at = 0;
	l->leak = 0;
	for (unsigned k = 0; k < p->cfg->n_in; k++)
		for (unsigned of = 0; of <= MEASURED; of++)
			l->leak += lab_came(&sight->port[p->cfg->out[0]],
				PROBE_SOURCE(p->cfg->in[k], of), TSTAMP_NEVER);
	l->loop = sight->gap_longest;
	if (!x)
		return;
	for (uint32_t i = 0; i < s->n && s->entry[i].at < x->at; i++)
		if (s->entry[i].sent && s->entry[i].source == source &&
			s->entry[i].frame == TESTER_OURS) {
			last = s->entry[i].at;
			l->at++;
		}
	l->d = tstamp_since(x->at, last + probe_wire(p, l->len));
}

// 0; -EAGAIN: frames stay in the device, or its watchdog acted; other -errno. Our own faults are
// left in l->why.
static int look_once(struct probe *p, struct look *l)
{
	uint32_t frames[TESTER_PORTS] = {0};
	struct lab_sight sight;
	struct tester_item i;
	tstamp end;
	int rc;

	for (unsigned k = 0; l->preload && k < p->cfg->n_in; k++)
		frames[k] = l->preload[k];
	probe_list_new(p, "xoff");
	end = probe_fill(p, l->cls, frames, PROBE_SHORT);
	i = probe_data(p, p->cfg->in[0], p->cfg->out[0], l->cls, l->burst);
	i.at = end;
	i.len = (uint16_t)l->len;
	i.source = PROBE_SOURCE(p->cfg->in[0], MEASURED);
	if (l->burst) {
		i.after = probe_add(p, p->cfg->in[0], i);
		i.at = l->gap - probe_wire(p, l->len);
	}
	i.count = l->more;
	i.gap = l->gap;
	if (l->more)
		probe_add(p, p->cfg->in[0], i);
	p->list.step.tail =
		2 * tstamp_max(p->group[l->cls].d, 6 * PS_PER_US) + probe_w(p) + probe_more(p);
	rc = probe_do(p, &sight, &l->why);
	if (rc && rc != -EAGAIN)
		return rc;
	read_look(p, &sight, l);
	end = probe_acted(p, &sight, l->cls);
	if (!end)
		return probe_clear(p);
	rc = probe_rest(p, l->cls, end);
	return rc ? rc : -EAGAIN;
}

// look_once(). Where loops are long, ours or the device's, an XOFF may be later than the fill waits
// for it, so that a fill without one is repeated.
static int look(struct probe *p, struct look *l)
{
	unsigned without = probe_is_rough(p) ? WITHOUT : 1;
	int rc = 0;

	l->at = 0;
	for (unsigned k = 0; !rc && !l->at && without && k < 2 * WITHOUT; k++) {
		rc = look_once(p, l);
		without -= !l->leak;
	}
	return rc;
}

int probe_near_xoff(struct probe *p, unsigned cls, unsigned len, const uint32_t *preload,
	uint32_t most, uint32_t *near)
{
	struct look l = {.cls = cls, .len = len, .preload = preload, .burst = most};
	int rc = most ? look(p, &l) : 0;

	*near = rc ? 0 : l.at;
	return rc;
}

// Frames up to XOFF, by two rates: XOFF comes d later, which is fewer frames at the slower one.
// 0; NO_XOFF; -errno.
static int estimate(struct probe *p, struct look *l, uint32_t near, double *n)
{
	const tstamp f = probe_wire(p, l->len);
	const uint32_t wide = (uint32_t)((6 * PS_PER_US + 20 * p->lab->gap) / f) + 10;
	const uint32_t beyond = 8 + (uint32_t)tstamp_min(32, 2 * PS_PER_US / f);
	int rc;

	for (unsigned k = 0; k < LOOKS; k++) {
		l->burst = near > wide ? near - wide : 0;
		l->more = wide + beyond;
		l->gap = SLOW * f;
		rc = look(p, l);
		if (rc)
			return rc;
		if (!l->at) {
			near += wide + beyond;
			continue;
		}
		if (l->at <= l->burst) {
			near = l->at;
			continue;
		}
		*n = l->at < near ? l->at - (near - l->at) / (SLOW - 1.0) : l->at - 2.0;
		return 0;
	}
	return NO_XOFF;
}

// The frame that brings XOFF lies between these counts: `none` frames bring none, `some` bring one.
struct bracket {
	double none, some, by;
};

// Where the next burst ends: `by` further on or back, or in the middle, if that is nearer.
static double bracket_move(struct bracket *k, double from, bool on)
{
	double to = on ? from + k->by : from - k->by, mid = (k->none + k->some - LAST) / 2;

	k->by *= 2;
	if (k->some > 0 && (on ? to > mid : to < mid))
		to = mid;
	return to < 0 ? 0 : to;
}

// Counts of frames up to XOFF. A count is sure if no loop of ours was so long in its step that XOFF
// could have come a frame earlier; else it is that or less.
struct counts {
	unsigned sure, all, wanted;
	uint32_t least, count[REPEATS]; // the sure ones
};

static bool counts_are_enough(const struct counts *c)
{
	return c->sure == c->wanted || c->all == c->wanted + REPEATS;
}

static void count_take(struct probe *p, const struct look *l, struct counts *c)
{
	const tstamp d = p->group[l->cls].d;
	const bool sure = !l->loop || l->gap > tstamp_max(d, l->d) + l->loop;

	c->least = c->all++ && c->least < l->at ? c->least : l->at;
	if (!sure)
		return;
	c->count[c->sure++] = l->at;
	p->group[l->cls].d = l->d;
}

// Looks for XOFF after one of a few frames, which are further apart than XOFF takes. 0; NO_XOFF;
// -errno.
static int count_exactly(
	struct probe *p, struct look *l, uint32_t near, double n, struct counts *counts)
{
	const tstamp f = probe_wire(p, l->len);
	const uint32_t most = probe_most_frames(p, l->len);
	const double ahead = near > n ? (near - n) * (double)f : 0;
	struct bracket in = {.by = LAST - 2};
	double burst = n > 4 ? n - 4 : 0;
	int rc;

	for (unsigned k = 0; k < 2 * LOOKS && !counts_are_enough(counts); k++) {
		tstamp d = p->group[l->cls].d ? p->group[l->cls].d : (tstamp)ahead + f;

		l->burst = burst < most ? (uint32_t)burst : most;
		l->more = LAST;
		l->gap = d + 3 * d / 10 + 2 * p->lab->gap + f;
		rc = look(p, l);
		if (rc)
			return rc;
		if (!l->at) {
			in.none = l->burst + LAST > in.none ? l->burst + LAST : in.none;
			burst = bracket_move(&in, burst, true);
		} else if (l->at <= l->burst) {
			in.some = in.some > 0 && in.some < l->at ? in.some : l->at;
			burst = bracket_move(&in, burst, false);
		} else {
			count_take(p, l, counts);
			burst = l->at > 4 ? l->at - 4.0 : 0;
		}
	}
	return counts->all ? 0 : NO_XOFF;
}

// Where loops are long, each count may be too high, by the same reason several times. So fills of
// fewer and fewer frames are asked whether XOFF comes at all. Only a fill that brings none ends
// that.
static int confirm(struct probe *p, struct look *l, uint32_t *least)
{
	uint32_t none = 0;

	l->more = 0;
	for (uint32_t by = 1; *least - none > 1; by *= 2) {
		uint32_t middle = none + (*least - none) / 2;
		int rc;

		l->burst = by < *least - middle ? *least - by : middle;
		rc = look(p, l);
		if (rc || (l->why && l->why != probe_late))
			return rc;
		if (l->at)
			*least = l->at < l->burst ? l->at : l->burst;
		else
			none = l->burst;
	}
	return 0;
}

static int find(struct probe *p, struct look *l, uint32_t near, struct counts *counts)
{
	const tstamp f = probe_wire(p, l->len), d = p->group[l->cls].d;
	double n = near - (double)d / (double)f;
	int rc = 0;

	if (!d || p->lab->gap > f)
		rc = estimate(p, l, near, &n);
	rc = rc ? rc : count_exactly(p, l, near, n, counts);
	return rc || !probe_is_rough(p) ? rc : confirm(p, l, &counts->least);
}

int probe_find_xoff(struct probe *p, unsigned cls, unsigned len, const uint32_t *preload,
	uint32_t near, uint32_t *n)
{
	struct look l = {.cls = cls, .len = len, .preload = preload};
	struct counts counts = {.wanted = p->lab->gap < probe_wire(p, len) ? 1 : REPEATS};
	int rc = find(p, &l, near, &counts);

	*n = rc ? 0 : counts.least;
	return rc;
}

void probe_write_xoff(struct probe *p, unsigned cls)
{
	const struct probe_group *g = &p->group[cls];
	const double u = probe_unit(p);
	struct found *xoff = &p->found->f[cls][PROBE_XOFF];
	struct found *drops = &p->found->f[cls][PROBE_DROPS_FIRST];

	if (!g->n_xoff)
		return;
	if (drops->state == FOUND_NONE)
		drops->value = g->n_xoff * u;
	if (xoff->state == FOUND_VARIES) {
		xoff->least *= u / xoff->pm;
		xoff->value *= u / xoff->pm;
		xoff->most *= u / xoff->pm;
		xoff->pm = u;
	} else {
		xoff->value = g->n_xoff * u;
		xoff->pm = u;
	}
	if (g->lost)
		found_is(p->found, cls, PROBE_HEADROOM,
			g->out > g->n_xoff ? (g->out - g->n_xoff) * u : 0, u);
	else
		found_state(p->found, cls, PROBE_HEADROOM, FOUND_AT_LEAST,
			g->out > g->n_xoff ? (g->out - g->n_xoff) * u : 0,
			p->most_hold < p->cfg->most_hold ? probe_dog : "no frame was dropped");
}

static int by_size(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

// Whether counts differ. Where loops are long, counts differ anyway, and fills of the least number
// of frames must bring XOFF each time. 0, 1, or -errno.
static int counts_vary(struct probe *p, struct look *l, struct counts *c)
{
	bool all = true;

	qsort(c->count, c->sure, sizeof(*c->count), by_size);
	if (!probe_is_rough(p))
		return c->sure == REPEATS && c->count[REPEATS - 1] > c->count[0] + 1;
	l->burst = c->least;
	for (unsigned k = 1; k < REPEATS; k++) {
		int rc = look(p, l);

		if (rc)
			return rc;
		all &= l->at > 0;
	}
	return !all;
}

// The figure, by counts of frames; bytes come with probe_write_xoff().
static void write_counts(
	struct probe *p, unsigned cls, const struct counts *c, bool vary, const char *why)
{
	struct found *f = &p->found->f[cls][PROBE_XOFF];

	p->group[cls].n_xoff = c->least;
	*f = (struct found){.state = p->others ? FOUND_OTHERS : FOUND_IS, .why = why};
	if (!vary || c->sure < REPEATS || why || p->others)
		return;
	f->state = FOUND_VARIES;
	f->pm = 1;
	f->least = c->count[0];
	f->value = c->count[REPEATS / 2];
	f->most = c->count[REPEATS - 1];
}

int probe_xoff(struct probe *p, unsigned cls)
{
	struct look l = {.cls = cls, .len = PROBE_SHORT};
	struct counts counts = {.wanted = REPEATS};
	int rc = find(p, &l, p->group[cls].n_xoff_near, &counts);

	if (rc < 0)
		return rc;
	if (rc) {
		found_state(p->found, cls, PROBE_XOFF, FOUND_NOT, 0,
			l.why ? l.why : "XOFF was not found again");
		return 0;
	}
	if (l.why && l.why != probe_late) {
		found_state(p->found, cls, PROBE_XOFF, FOUND_INVALID, 0, l.why);
		return 0;
	}
	rc = counts_vary(p, &l, &counts);
	if (rc < 0)
		return rc;
	write_counts(p, cls, &counts, rc > 0, l.why);
	probe_write_xoff(p, cls);
	return 0;
}
