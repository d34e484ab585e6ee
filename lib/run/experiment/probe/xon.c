// SPDX-License-Identifier: BSD-3-Clause
// Step `xon`: how many frames are left of a group when XON comes.
#include "int.h"

#include <errno.h>
#include <math.h>

#define BEHIND  2  // frames of the fill behind the one that brings XOFF
#define SLOW    4  // the last frames of the fill, so far apart that XOFF falls behind its own
#define WINDOW  12 // frames that are let out one by one on either side of the coarse value
#define ROUNDS  6
#define ANSWERS 3 // tries of a question, since no answer is not a no

// An answer: frames of the group that were left when XON came, give or take `pm`.
struct xon {
	bool known;
	double left, pm;
	const char *why;
};

static double in_frames(const struct probe *p, tstamp t)
{
	return (double)t / (double)probe_wire(p, PROBE_SHORT);
}

// Fills the group until XOFF and BEHIND frames more, `beside` of them to out[1]; out[0] holds the
// class, and so does out[1] if it gets any. The instant at which the fill is over.
static tstamp build_fill(struct probe *p, unsigned cls, uint32_t beside)
{
	const struct probe_group *g = &p->group[cls];
	const struct probe_cfg *cfg = p->cfg;
	tstamp f = probe_wire(p, PROBE_SHORT), apart = g->d + g->d / 3 + 2 * p->lab->gap + f;
	uint32_t fast = g->n_xoff > beside + SLOW ? g->n_xoff + BEHIND - SLOW - beside : 0;
	struct tester_item i = probe_data(p, cfg->in[0], cfg->out[0], cls, beside);
	int32_t last = TESTER_AT_START;

	probe_list_new(p, "xon");
	probe_add(p, cfg->out[0], probe_hold(p, (uint8_t)(1u << cls)));
	i.at = probe_tb(p);
	i.len = PROBE_SHORT;
	if (beside) {
		probe_add(p, cfg->out[1], probe_hold(p, (uint8_t)(1u << cls)));
		i.to = (uint8_t)cfg->out[1];
		last = i.after = probe_add(p, cfg->in[0], i);
		i.at = probe_w(p);
		i.to = (uint8_t)cfg->out[0];
		i.source = PROBE_SOURCE(cfg->in[0], 1);
	}
	if (fast) {
		i.count = fast;
		last = probe_add(p, cfg->in[0], i);
	}
	if (last != TESTER_AT_START) {
		i.after = last;
		i.at = apart;
	}
	i.gap = apart;
	i.count = g->n_xoff + BEHIND - beside - fast;
	probe_add(p, cfg->in[0], i);
	return probe_tb(p) + (beside + fast) * f + 2 * probe_w(p) + i.count * apart;
}

// A try of the fine step: `out` frames had come out when XON came; `at_once` of them with the last.
struct fine {
	bool xoff, xon;
	uint32_t sent, came, out, at_once;
};

// Lets `first` frames out at once and then one with each pause that expires: pauses are half a
// frame shorter than the time between them.
static int let_out(struct probe *p, unsigned cls, uint32_t first, struct fine *t, const char **why)
{
	const struct probe_group *g = &p->group[cls];
	tstamp f = probe_wire(p, PROBE_SHORT), end = build_fill(p, cls, 0) + g->d + probe_w(p);
	unsigned quanta = (unsigned)((g->d + g->d / 3 + 2 * p->lab->gap) / p->quantum) + 2;
	struct tester_item pause = probe_pfc((uint8_t)(1u << cls), quanta);
	const struct lab_seen *in, *out;
	const struct tester_seen *e;
	struct lab_sight sight;
	uint32_t at = UINT32_MAX;
	int rc;

	probe_add(p, p->cfg->out[0], probe_release((uint8_t)(1u << cls), end));
	pause.at = first ? end + first * f - f / 2 : end + f;
	pause.gap = quanta * p->quantum + f / 2;
	pause.count = 2 * WINDOW + 6;
	probe_add(p, p->cfg->out[0], pause);
	p->list.step.tail = pause.gap + probe_tb(p) + (g->n_xoff + BEHIND) * f;
	rc = probe_count(p, &sight, why);
	if (rc)
		return rc;
	in = &sight.port[p->cfg->in[0]];
	out = &sight.port[p->cfg->out[0]];
	*t = (struct fine){.sent = g->n_xoff + BEHIND};
	t->came = lab_came(out, PROBE_SOURCE(p->cfg->in[0], 0), TSTAMP_NEVER);
	e = lab_pfc(in, cls, true, &at);
	t->xoff = e != NULL;
	e = e ? lab_pfc(in, cls, false, &at) : NULL;
	t->xon = e && e->at > end;
	if (t->xon) {
		tstamp by = e->at + p->lab->port[p->cfg->out[0]].cable + f / 2 -
			    p->lab->port[p->cfg->in[0]].cable;

		t->out = lab_came(out, PROBE_SOURCE(p->cfg->in[0], 0), by);
		t->at_once = t->out - lab_came(out, PROBE_SOURCE(p->cfg->in[0], 0), by - pause.gap);
	}
	return 0;
}

// One frame at a time, from the coarse value on.
static int look_fine(struct probe *p, unsigned cls, struct xon *x)
{
	const struct probe_group *g = &p->group[cls];
	uint32_t all = g->n_xoff + BEHIND,
		 out = all - (g->left_at_xon < all ? g->left_at_xon : all);

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t first = out > WINDOW ? out - WINDOW : 0;
		struct fine t;
		int rc = let_out(p, cls, first, &t, &x->why);

		if (!rc)
			rc = probe_emptied(p, &x->why);
		if (rc)
			return rc;
		if (!t.xoff || t.came != t.sent) {
			x->why = t.xoff ? "frames of the fill were lost" : "no XOFF came";
			continue;
		}
		if (!t.xon || t.out > all) {
			if (out >= all) {
				x->why = "no XON came before the group was empty";
				return 0;
			}
			out = out + 2 * WINDOW < all ? out + 2 * WINDOW : all;
			continue;
		}
		if (first && t.out < first + 2) {
			out = t.out;
			continue;
		}
		*x = (struct xon){true, all - t.out, t.at_once > 1 ? t.at_once : 1, NULL};
		return 0;
	}
	return 0;
}

// Whether XON comes when `beside` frames of the fill have left by out[1]. 1, 0; -EAGAIN: no answer;
// other -errno: the probe ends.
static int comes(struct probe *p, unsigned cls, uint32_t beside, const char **why)
{
	const struct probe_cfg *cfg = p->cfg;
	struct lab_sight sight;
	int rc = 0;

	*why = "no XOFF came";
	for (unsigned k = 0; !rc && k < ANSWERS; k++) {
		uint32_t at = UINT32_MAX, none = UINT32_MAX;
		const struct lab_seen *in = &sight.port[cfg->in[0]];
		const char *wrong;

		build_fill(p, cls, beside);
		p->list.step.tail = p->group[cls].d + 2 * probe_w(p);
		rc = probe_once(p, &sight, &wrong);
		if (!rc && (!wrong || wrong == probe_late) && lab_pfc(in, cls, true, &at) &&
			!lab_pfc(in, cls, false, &at)) {
			probe_list_new(p, "xon");
			probe_add(p, cfg->out[1], probe_release((uint8_t)(1u << cls), 0));
			p->list.step.tail =
				probe_tb(p) + beside * probe_wire(p, PROBE_SHORT) + probe_w(p);
			rc = probe_once(p, &sight, &wrong);
			if (!rc && probe_left(&sight.port[cfg->out[1]],
					   PROBE_SOURCE(cfg->in[0], 0)) == beside) {
				bool came = lab_pfc(in, cls, false, &none) != NULL;

				rc = probe_emptied(p, why);
				return rc ? rc : came;
			}
			*why = "frames of the fill were lost";
		}
		if (wrong && wrong != probe_late)
			*why = wrong;
		if (!rc)
			rc = probe_emptied(p, why);
	}
	return rc ? rc : -EAGAIN;
}

// By counts alone, between two egress ports: bisection of the frames that have to leave.
static int look_by_count(struct probe *p, unsigned cls, struct xon *x)
{
	const struct probe_group *g = &p->group[cls];
	uint32_t all = g->n_xoff + BEHIND,
		 out = all - (g->left_at_xon < all ? g->left_at_xon : all);
	uint32_t step = (uint32_t)fmax(8, 20 * in_frames(p, p->lab->gap));
	uint32_t low = out > step ? out - step : 0, high = out + step < all ? out + step : all;
	int rc;

	for (; (rc = comes(p, cls, high, &x->why)) == 0 && high < all; step *= 2) {
		low = high;
		high = high + 2 * step < all ? high + 2 * step : all;
	}
	if (rc == 0)
		x->why = "no XON came before the group was empty";
	if (rc != 1)
		return rc;
	for (; low && (rc = comes(p, cls, low, &x->why)) == 1; step *= 2) {
		high = low;
		low = low > 2 * step ? low - 2 * step : 0;
	}
	while (rc >= 0 && high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		rc = comes(p, cls, mid, &x->why);
		if (rc == 1)
			high = mid;
		else if (rc == 0)
			low = mid;
	}
	if (rc >= 0)
		*x = (struct xon){true, all - high, 1, NULL};
	return rc < 0 ? rc : 0;
}

// The instant at which XON came, in frames of `overfill`.
static void take_coarse(struct probe *p, unsigned cls, struct xon *x)
{
	const struct probe_group *g = &p->group[cls];

	*x = (struct xon){g->left_at_xon > 0, g->left_at_xon,
		2 + ceil(in_frames(p, p->lab->gap_longest)), "no XON came when it was released"};
}

static void found_xon(struct probe *p, unsigned cls, const struct xon *x)
{
	double u = probe_unit(p), n = p->group[cls].n_xoff;

	if (!x->known) {
		found_state(p->found, cls, PROBE_XON, FOUND_NOT, 0, x->why);
		found_state(p->found, cls, PROBE_HYSTERESIS, FOUND_NOT, 0, x->why);
		return;
	}
	found_is(p->found, cls, PROBE_XON, x->left * u, x->pm * u);
	found_is(p->found, cls, PROBE_HYSTERESIS, fmax(0, n - x->left) * u, x->pm * u);
}

int probe_xon(struct probe *p, unsigned cls)
{
	struct xon x = {.why = "XOFF is not known"};
	int rc = 0;

	if (!p->group[cls].n_xoff) {
		found_xon(p, cls, &x);
		return 0;
	}
	if (p->lab->gap < probe_wire(p, PROBE_SHORT))
		rc = look_fine(p, cls, &x);
	else if (p->cfg->n_out > 1)
		rc = look_by_count(p, cls, &x);
	else
		take_coarse(p, cls, &x);
	if (rc && rc != -EAGAIN)
		return rc;
	found_xon(p, cls, &x);
	return 0;
}
