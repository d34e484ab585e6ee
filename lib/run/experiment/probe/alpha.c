// SPDX-License-Identifier: BSD-3-Clause
// Step `alpha`: whether XOFF depends on the frames of other groups, and how.
#include "int.h"

#include <errno.h>
#include <math.h>

#include "estimate/estimate.h"

#define NOISE  2   // frames by which two counts of a static threshold may differ
#define SLACK  40  // frames beyond XOFF of a coarse fill
#define AGAIN  2   // counts of XOFF once more, where it moved by little
#define LITTLE 16  // frames
#define FINE   400 // frames: where XOFF moves by less, its edges are looked for
#define OTHERS 2   // groups of other ports that hold frames

// XOFF of the measured group, alone and with frames of others.
struct points {
	uint32_t alone;
	struct threshold_point point[THRESHOLD_POINTS];
	unsigned n;
	uint32_t spread; // the most by which counts of one kind differed
	struct threshold_edge edge[THRESHOLD_EDGES];
	unsigned edges; // that are known
	const char *why;
};

// Exact XOFF with others before. 0 and *n, which is 0 if it was not found.
static int count_xoff(
	struct probe *p, unsigned cls, const uint32_t *preload, uint32_t *n, const char **why)
{
	const struct probe_group *g = &p->group[cls];
	uint32_t most = g->n_xoff + SLACK + (uint32_t)(g->d / probe_wire(p, PROBE_SHORT)), near;
	int rc = probe_near_xoff(p, cls, PROBE_SHORT, preload, most, &near);

	*n = 0;
	if (!rc && near)
		rc = probe_find_xoff(p, cls, PROBE_SHORT, preload, near, n);
	if (rc == -EAGAIN)
		*why = "frames of ours stayed in the device";
	return rc < 0 ? rc : 0;
}

static int add_point(
	struct probe *p, unsigned cls, struct points *s, uint32_t second, uint32_t third)
{
	uint32_t preload[TESTER_PORTS] = {0}, n;
	struct threshold_point *to = &s->point[s->n];
	int rc;

	preload[1] = second;
	preload[2] = third;
	rc = count_xoff(p, cls, preload, &n, &s->why);
	if (rc)
		return rc;
	if (!n) {
		s->why = "no XOFF came while others held frames";
		return -EAGAIN;
	}
	*to = (struct threshold_point){.held = {second, third}, .xoff = n};
	s->n++;
	return 0;
}

// Counts XOFF once more while the others hold nothing. Noise makes XOFF come late, so the least
// count is the value.
static int count_alone(struct probe *p, unsigned cls, struct points *s)
{
	uint32_t preload[TESTER_PORTS] = {0}, n, differ;
	int rc = count_xoff(p, cls, preload, &n, &s->why);

	if (rc || !n)
		return rc;
	differ = n > s->alone ? n - s->alone : s->alone - n;
	s->spread = differ > s->spread ? differ : s->spread;
	s->alone = n < s->alone ? n : s->alone;
	return 0;
}

// Counts XOFF of a point once more: the least count is the value.
static int count_again(struct probe *p, unsigned cls, struct points *s, unsigned k)
{
	struct threshold_point *t = &s->point[k];
	double was = t->xoff, differ;
	int rc;

	s->n = k;
	rc = add_point(p, cls, s, (uint32_t)t->held[0], (uint32_t)t->held[1]);
	if (rc)
		return rc;
	differ = fabs(t->xoff - was);
	s->spread = differ > s->spread ? (uint32_t)differ : s->spread;
	t->xoff = fmin(t->xoff, was);
	return 0;
}

static bool moves(const struct points *s)
{
	return threshold_moves(s->alone, s->point, s->n, NOISE + s->spread);
}

// Whether a repeat could show that XOFF did not move, or that it moved in proportion.
static bool is_doubtful(const struct points *s)
{
	double moved = s->alone - s->point[1].xoff;

	return moved > NOISE && (moved < LITTLE || !moves(s));
}

// Whether a fill of so many frames brings XOFF while others hold these. 0 or -errno.
static int ask_fill(struct probe *p, unsigned cls, struct points *s, const uint32_t *preload,
	uint32_t frames, bool *brings)
{
	uint32_t near;
	int rc = probe_near_xoff(p, cls, PROBE_SHORT, preload, frames, &near);

	if (rc == -EAGAIN)
		s->why = "frames of ours stayed in the device";
	*brings = near > 0;
	return rc;
}

// The least number of frames of the second port with which XOFF comes at the same frame as at the
// k-th point. *e stays as it is if counts do not tell it.
static int find_edge(
	struct probe *p, unsigned cls, struct points *s, unsigned k, struct threshold_edge *e)
{
	const struct threshold_point *t = &s->point[k];
	const double period = s->point[1].held[0] / (s->alone - s->point[1].xoff);
	uint32_t high = (uint32_t)t->held[0], low = high - (uint32_t)fmin(high, 1.5 * period + 2);
	uint32_t preload[TESTER_PORTS] = {0, low, (uint32_t)t->held[1]};
	bool brings;
	int rc = ask_fill(p, cls, s, preload, (uint32_t)t->xoff, &brings);

	if (rc || brings)
		return rc;
	while (high - low > 1) {
		preload[1] = (low + high) / 2;
		rc = ask_fill(p, cls, s, preload, (uint32_t)t->xoff, &brings);
		if (rc)
			return rc;
		if (brings)
			high = preload[1];
		else
			low = preload[1];
	}
	*e = (struct threshold_edge){high, t->held[1], t->xoff};
	return 0;
}

// Finds the edges of the points, if XOFF moves by few frames and counts are exact.
static int find_edges(struct probe *p, unsigned cls, struct points *s)
{
	int rc = 0;

	if (!moves(s) || s->alone - s->point[1].xoff > FINE || s->spread ||
		p->lab->gap > probe_wire(p, PROBE_SHORT))
		return 0;
	for (unsigned k = 0; !rc && k < s->n; k++) {
		rc = find_edge(p, cls, s, k, &s->edge[k]);
		if (!s->edge[k].held)
			break;
		s->edges = k + 1;
	}
	return rc;
}

static int take_points(struct probe *p, unsigned cls, struct points *s)
{
	uint32_t n = s->alone;
	int rc = add_point(p, cls, s, (uint32_t)(0.45 * n), 0);

	if (!rc)
		rc = add_point(p, cls, s, (uint32_t)(0.9 * n), 0);
	for (unsigned i = 0; !rc && i < AGAIN && is_doubtful(s); i++) {
		rc = count_alone(p, cls, s);
		for (unsigned k = 0; !rc && k < 2; k++)
			rc = count_again(p, cls, s, k);
	}
	if (!rc && p->cfg->n_in > 2 && moves(s))
		// in[2] fills first, when the buffer is emptier, so it may hold more.
		rc = add_point(p, cls, s, (uint32_t)(0.8 * s->point[1].xoff), (uint32_t)(0.9 * n));
	return rc ? rc : find_edges(p, cls, s);
}

static void found_static(struct probe *p, unsigned cls, const struct points *s)
{
	struct found *f = p->found->f[cls];
	double moved = s->alone - s->point[1].xoff, least = exp2(-8);

	found_is(p->found, cls, PROBE_THRESHOLD, 0, 0);
	if (moved > NOISE + s->spread) {
		f[PROBE_THRESHOLD] = (struct found){.state = FOUND_VARIES,
			.why = "XOFF moved, but not in proportion to the frames of others"};
		return;
	}
	if (least / (1 + least) * s->point[1].held[0] <= NOISE + s->spread)
		f[PROBE_THRESHOLD].why = "or dynamic with an alpha too small to be told";
	for (unsigned k = PROBE_ALPHA; k <= PROBE_SHARED; k++)
		found_state(p->found, cls, k, FOUND_NONE, 0, "the threshold is static");
}

static void found_dynamic(struct probe *p, unsigned cls, const struct points *s)
{
	struct threshold t = threshold_fit(s->alone, s->point, s->n, s->edge, s->edges);
	double u = probe_unit(p);
	struct found *f = p->found->f[cls];

	if (!t.dynamic) {
		f[PROBE_THRESHOLD] = (struct found){
			.state = FOUND_VARIES, .why = "no alpha fits the counts of XOFF"};
		return;
	}
	found_is(p->found, cls, PROBE_THRESHOLD, 1, 0);
	found_is(p->found, cls, PROBE_ALPHA, t.alpha, t.power ? 0 : t.alpha_raw_pm);
	found_is(p->found, cls, PROBE_ALPHA_RAW, t.alpha_raw, t.alpha_raw_pm);
	found_is(p->found, cls, PROBE_SHARED, t.shared * u, t.shared_pm * u);
	found_is(p->found, cls, PROBE_RESERVE, t.reserve * u, t.reserve_pm * u);
	if (f[PROBE_HYSTERESIS].state == FOUND_IS)
		f[PROBE_HYSTERESIS].why = "of a dynamic threshold: its offset / (1 + alpha)";
}

static int found_threshold(struct probe *p, unsigned cls, const struct points *s)
{
	double u = probe_unit(p);
	struct probe_curve *c =
		found_curve(p->found, "alpha", cls, "frames of other groups, bytes", "XOFF, bytes");

	if (!c || found_point(c, 0, s->alone * u, 1))
		return -ENOMEM;
	for (unsigned i = 0; i < s->n; i++)
		if (found_point(c, (s->point[i].held[0] + s->point[i].held[1]) * u,
			    s->point[i].xoff * u, 1))
			return -ENOMEM;
	if (moves(s))
		found_dynamic(p, cls, s);
	else
		found_static(p, cls, s);
	return 0;
}

int probe_alpha(struct probe *p, unsigned cls)
{
	struct points s = {.alone = p->group[cls].n_xoff};
	int rc = -EAGAIN;

	if (!s.alone)
		s.why = "XOFF is not known";
	else if (p->cfg->n_in < 2)
		s.why = "wants two ports in `in`";
	else
		rc = take_points(p, cls, &s);
	if (!rc)
		return found_threshold(p, cls, &s);
	if (rc != -EAGAIN)
		return rc;
	for (unsigned k = PROBE_THRESHOLD; k <= PROBE_SHARED; k++)
		found_state(p->found, cls, k, FOUND_NOT, 0, s.why);
	return 0;
}
