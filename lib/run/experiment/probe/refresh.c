// SPDX-License-Identifier: BSD-3-Clause
// Step `refresh`: how a device keeps up a pause. Two ports at the line rate keep a group above XOFF
// without any pause of ours, so that no watchdog acts.
#include "int.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "estimate/estimate.h"
#include "wire/pfc.h"

#define LEN    1020 // of its frames
#define PAUSES 2.2  // of the device, that it lasts at least
#define ROUGH  2    // times as long where loops are long
#define FEW    4    // gaps tell no deviation

// The XOFFs and XONs of a group while it was overloaded.
struct refresh {
	struct repeats gap; // between two XOFFs without an XON in between, ps
	unsigned xoffs, xons;
	uint16_t quanta, quanta_most; // the least and the most of all
	tstamp first;
	const struct tester_control *frame; // of the first one
};

static tstamp last_sent(const struct lab_seen *s)
{
	for (uint32_t i = s->n; i-- > 0;)
		if (s->entry[i].sent && s->entry[i].frame == TESTER_OURS)
			return s->entry[i].at;
	return 0;
}

static void note_xoff(struct refresh *r, const struct lab_seen *s, const struct tester_seen *e,
	unsigned cls, tstamp before)
{
	uint16_t quanta = lab_control(s, e)->pfc.quanta[cls];

	if (!r->xoffs++) {
		r->frame = lab_control(s, e);
		r->first = e->at;
		r->quanta = r->quanta_most = quanta;
	}
	r->quanta = quanta < r->quanta ? quanta : r->quanta;
	r->quanta_most = quanta > r->quanta_most ? quanta : r->quanta_most;
	if (before)
		repeats_add(&r->gap, (double)(e->at - before));
}

// Reads the XOFFs and XONs that came before the last frame of the port left.
static void read_pauses(struct refresh *r, const struct lab_seen *s, unsigned cls)
{
	uint32_t off = UINT32_MAX, on = UINT32_MAX;
	const struct tester_seen *xoff = lab_pfc(s, cls, true, &off);
	const struct tester_seen *xon = lab_pfc(s, cls, false, &on);
	tstamp end = last_sent(s), before = 0;

	while (xoff && xoff->at < end) {
		bool flap = false;

		for (; xon && xon < xoff; xon = lab_pfc(s, cls, false, &on))
			flap = r->xoffs > 0;
		r->xons += flap;
		note_xoff(r, s, xoff, cls, flap ? 0 : before);
		before = xoff->at;
		xoff = lab_pfc(s, cls, true, &off);
	}
	r->xons += xon && xon->at < end && r->xoffs;
}

// Words of PROBE_PFC_FRAME.
enum { FRAME_RIGHT, FRAME_VECTOR, FRAME_DST, FRAME_SRC };

static unsigned frame_word(const struct tester_control *f, unsigned cls)
{
	static const uint8_t nobody[6];

	if (memcmp(f->dst, pfc_dst, sizeof(f->dst)) != 0)
		return FRAME_DST;
	if (f->src[0] & 1 || !memcmp(f->src, nobody, sizeof(nobody)))
		return FRAME_SRC;
	return f->pfc.enable & ~(1u << cls) || f->pfc.enable_high ? FRAME_VECTOR : FRAME_RIGHT;
}

// The error that loops give the gaps, ps. Where ours are long, so may be those of the device, which
// only the deviation of the gaps shows.
static double gaps_error(const struct probe *p, struct refresh *r, const struct lab_sight *s)
{
	const double gap = (double)s->gap, longest = (double)s->gap_longest;

	if (!probe_is_rough(p))
		return longest > (double)probe_w(p) ? longest : gap;
	repeats_leave_out(&r->gap, 2 * (double)probe_wire(p, LEN) + 3 * gap, NULL);
	return (r->gap.n < FEW ? longest : gap) + 2 * repeats_deviation(&r->gap);
}

static void found_gaps(struct probe *p, struct refresh *r, unsigned cls, const struct lab_sight *s)
{
	double pause = (double)r->quanta * (double)p->quantum, us = 1e-6;
	const double wire = (double)probe_wire(p, LEN) * us;
	double least, mid, most, pm = us * gaps_error(p, r, s);
	struct found *f = p->found->f[cls];

	least = repeats_least(&r->gap) * us;
	mid = repeats_median(&r->gap) * us;
	most = repeats_most(&r->gap) * us;
	found_is(p->found, cls, PROBE_REFRESH, mid, pm);
	found_is(p->found, cls, PROBE_REFRESH_SHARE, 100 * mid / (pause * us),
		100 * pm / (pause * us));
	if (most - least > 2 * (double)s->gap_longest * us + wire) {
		f[PROBE_REFRESH].state = FOUND_VARIES;
		f[PROBE_REFRESH].least = least;
		f[PROBE_REFRESH].most = most;
	}
}

static void found_pauses(
	struct probe *p, struct refresh *r, unsigned cls, const struct lab_sight *s)
{
	tstamp pause = r->quanta * p->quantum, watched;
	const struct lab_seen *seen = &s->port[p->cfg->in[0]];

	found_is(p->found, cls, PROBE_QUANTA, r->quanta, 0);
	if (r->quanta_most != r->quanta) {
		p->found->f[cls][PROBE_QUANTA].state = FOUND_VARIES;
		p->found->f[cls][PROBE_QUANTA].least = r->quanta;
		p->found->f[cls][PROBE_QUANTA].most = r->quanta_most;
	}
	found_is(p->found, cls, PROBE_PFC_FRAME, frame_word(r->frame, cls), 0);
	found_is(p->found, cls, PROBE_FLAPS, r->xons > 0, 0);
	watched = last_sent(seen) - r->first;
	if (r->gap.n)
		found_gaps(p, r, cls, s);
	else if (r->xons)
		found_state(p->found, cls, PROBE_REFRESH, FOUND_NOT, 0,
			"an XON came before the next XOFF");
	else if (watched < 2 * pause)
		found_state(p->found, cls, PROBE_REFRESH, FOUND_NOT, 0,
			"the step was too short for two pauses");
	else
		found_state(p->found, cls, PROBE_REFRESH, FOUND_NONE, (double)watched * 1e-6,
			"the pause runs out");
}

static void build_overload(struct probe *p, unsigned cls)
{
	const struct probe_group *g = &p->group[cls];
	double pauses = probe_is_rough(p) ? ROUGH * PAUSES : PAUSES;
	tstamp last = (tstamp)(pauses * g->quanta * (double)p->quantum) + 3 * probe_tb(p) +
		      4ull * (g->n_xoff ? g->n_xoff : g->n_xoff_near) * probe_wire(p, p->unit);
	uint32_t frames = (uint32_t)(last / probe_wire(p, LEN)) + 1;

	probe_list_new(p, "refresh");
	for (unsigned k = 0; k < 2; k++) {
		struct tester_item i = probe_data(p, p->cfg->in[k], p->cfg->out[0], cls, frames);

		i.len = LEN;
		probe_add(p, p->cfg->in[k], i);
	}
}

int probe_refresh(struct probe *p, unsigned cls)
{
	struct refresh r = {0};
	struct lab_sight sight;
	const char *why;
	int rc;

	if (p->cfg->n_in < 2 || !p->group[cls].quanta) {
		found_state(p->found, cls, PROBE_REFRESH, FOUND_NOT, 0,
			p->cfg->n_in < 2 ? "wants two ports in `in`" : "no XOFF is known");
		return 0;
	}
	build_overload(p, cls);
	rc = probe_count(p, &sight, &why);
	if (rc && rc != -EAGAIN)
		return rc;
	read_pauses(&r, &sight.port[p->cfg->in[0]], cls);
	if (!r.xoffs)
		found_state(p->found, cls, PROBE_REFRESH, FOUND_NOT, 0,
			"no XOFF came while two ports sent at the line rate");
	else
		found_pauses(p, &r, cls, &sight);
	if (rc && r.xoffs && !isnan(found_value(p->found, cls, PROBE_REFRESH)))
		found_state(p->found, cls, PROBE_REFRESH, FOUND_INVALID,
			p->found->f[cls][PROBE_REFRESH].value, why);
	return 0;
}
