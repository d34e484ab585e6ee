// SPDX-License-Identifier: BSD-3-Clause
// Step weights: each class against a reference class, both offered the whole line, so that the
// frames that leave tell their shares. Only two queues are filled at a time: with all eight the
// buffer would limit them, too.
#include "int.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "wire/pkt.h"

#define LEN     252  // bytes without FCS
#define FRAMES  5000 // of each class
#define MOST    80000
#define OUT_OF  .5  // of the frames come out before both queues are sure to stand
#define UNTIL   .98 // of them: then the senders end
#define FEW     2   // frames of a class that has nothing: another is strict before it
#define ROUNDS  8   // turns of the scheduler that are enough
#define BEATEN  3   // classes that only a strict reference beats
#define STRANGE .001

// Frames of a pair of classes.
struct duel {
	uint32_t a, b; // frames of the class and of the reference, in whole turns
	uint32_t turns;
	const char *why; // NULL: it counts
	bool others;     // somebody else sent
};

struct weights {
	struct probe *p;
	uint8_t known, strict, beaten; // bitmaps
	unsigned ref;
	double share[PKT_CLASSES], pm[PKT_CLASSES]; // of the reference's
	const char *why[PKT_CLASSES];
	bool others;
};

static void list_duel(struct probe *p, unsigned cls, unsigned ref, uint32_t frames)
{
	const unsigned of[2] = {cls, ref};

	probe_list_new(p, "weights");
	for (unsigned i = 0; i < 2; i++) {
		struct tester_item d = probe_data(p, p->cfg->in[i], p->cfg->out[0], of[i], frames);

		d.len = LEN;
		probe_add(p, p->cfg->in[i], d);
	}
	p->list.whole_rate = true;
	p->list.step.tail = frames * probe_wire(p, LEN) + p->transit + 2 * probe_w(p);
	p->list.step.room = 2 * frames + 4096;
}

// A DSCP does not show the class where PCPs decide: any frame may be of it.
static bool is_of(const struct probe *p, uint8_t tos, unsigned cls)
{
	if (p->cfg->by_pcp)
		return true;
	return tos >> 2 == probe_dscp(p, cls) || p->found->dscps[cls] >> (tos >> 2) & 1;
}

// Others' frames: a pair in whose classes they are tells nothing.
static void read_others(
	const struct probe *p, const struct lab_seen *s, unsigned cls, unsigned ref, struct duel *d)
{
	uint32_t n = 0, same = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];

		if (e->sent || e->frame != TESTER_OTHER)
			continue;
		n++;
		same += is_of(p, e->tos, cls) || is_of(p, e->tos, ref);
	}
	d->others = n > STRANGE * s->n;
	if (same > STRANGE * s->n)
		d->why = "somebody else sends in this class, or in the one beside it";
}

// Counts frames between the first and the last turn that begins in the middle of the step, where
// both queues have frames.
static void read_duel(
	const struct probe *p, const struct lab_seen *s, uint32_t frames, struct duel *d)
{
	const uint32_t from = (uint32_t)(OUT_OF * frames), to = (uint32_t)(UNTIL * frames);
	uint32_t all[2] = {0}, since[2] = {0}, j = 0;
	unsigned before = 1;

	for (uint32_t i = 0; i < s->n && j < to; i++) {
		const struct tester_seen *e = &s->entry[i];
		unsigned is_ref = e->source == PROBE_SOURCE(p->cfg->in[1], 0);

		if (e->sent || e->frame != TESTER_OURS || j++ < from)
			continue;
		if (before && !is_ref && all[1]) {
			if (d->turns++) {
				d->a = all[0] - since[0];
				d->b = all[1] - since[1];
			} else {
				since[0] = all[0];
				since[1] = all[1];
			}
		}
		all[is_ref]++;
		before = is_ref;
	}
	if (d->turns < 2 || all[0] <= FEW || all[1] <= FEW) {
		d->a = all[0];
		d->b = all[1];
	}
}

// A class against the reference, with more frames until there are turns enough.
static int duel(struct probe *p, unsigned cls, unsigned ref, struct duel *d)
{
	for (uint32_t frames = FRAMES;; frames *= 4) {
		struct lab_sight sight;
		int rc;

		list_duel(p, cls, ref, frames);
		*d = (struct duel){0};
		rc = probe_do(p, &sight, &d->why);
		p->list.whole_rate = false;
		if (rc == -EAGAIN && d->why == probe_late)
			d->why = NULL; // counts hold all the same
		else if (rc)
			return rc == -EAGAIN ? 0 : rc;
		read_others(p, &sight.port[p->cfg->out[0]], cls, ref, d);
		read_duel(p, &sight.port[p->cfg->out[0]], frames, d);
		if (d->turns > ROUNDS || d->a <= FEW || d->b <= FEW || 4 * frames > MOST)
			return 0;
	}
}

// All classes against the reference.
static int compare_all(struct weights *w)
{
	w->beaten = 0;
	w->share[w->ref] = 1;
	w->pm[w->ref] = 0;
	w->why[w->ref] = NULL;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		struct duel d;
		int rc;

		if (c == w->ref || !(w->known >> c & 1) || w->strict >> c & 1)
			continue;
		rc = duel(w->p, c, w->ref, &d);
		if (rc)
			return rc;
		w->why[c] = d.why;
		w->others |= d.others;
		if (d.why)
			continue;
		if (d.b <= FEW) {
			w->strict |= (uint8_t)(1u << c);
		} else if (d.a <= FEW) {
			w->beaten |= (uint8_t)(1u << c);
			w->why[c] = "the class that it was compared with left it nothing";
		} else {
			w->share[c] = (double)d.a / d.b;
			w->pm[c] = w->share[c] * (1. / d.a + 1. / d.b);
		}
	}
	return 0;
}

// Whether the reference itself is strict, so that the highest class that it beats is the next one.
static bool next_reference(struct weights *w)
{
	const int others = __builtin_popcount(w->known & ~w->strict) - 1;

	if (!w->beaten || __builtin_popcount(w->beaten) < (others < BEATEN ? others : BEATEN))
		return false;
	w->strict |= (uint8_t)(1u << w->ref);
	w->ref = 31 - (unsigned)__builtin_clz(w->beaten);
	return true;
}

// The class with the least weight, which counts 1.
static unsigned least_class(const struct weights *w)
{
	unsigned least = w->ref;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (w->share[c] > 0 && !w->why[c] && !(w->strict >> c & 1) &&
			w->share[c] < w->share[least])
			least = c;
	return least;
}

static void weights_write(const struct weights *w)
{
	struct probe_found *f = w->p->found;
	const unsigned one = least_class(w);
	const double least = w->share[one], wide = w->pm[one] / least;
	const char *unknown =
		w->p->cfg->by_pcp ? "no PCP of it is known" : "no DSCP of it is known";

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		bool strict = w->strict >> c & 1;

		if (!(w->known >> c & 1)) {
			found_state(f, c, PROBE_WEIGHT, FOUND_NOT, 0, unknown);
			found_state(f, c, PROBE_STRICT, FOUND_NOT, 0, unknown);
			continue;
		}
		if (w->why[c]) {
			enum found_state state =
				w->others || w->beaten >> c & 1 ? FOUND_NOT : FOUND_INVALID;

			found_state(f, c, PROBE_WEIGHT, state, 0, w->why[c]);
			found_state(f, c, PROBE_STRICT, state, 0, w->why[c]);
			continue;
		}
		found_is(f, c, PROBE_STRICT, strict, 0);
		if (strict)
			found_state(f, c, PROBE_WEIGHT, FOUND_NOT, 0, "it is strict");
		else
			found_is(f, c, PROBE_WEIGHT, w->share[c] / least,
				c == one ? 0 : (w->pm[c] + w->share[c] * wide) / least);
		if (w->others && !strict)
			f->f[c][PROBE_WEIGHT].state = FOUND_OTHERS;
	}
}

int probe_weights(struct probe *p)
{
	struct weights w = {.p = p};
	int rc;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (probe_reaches(p, c))
			w.known |= (uint8_t)(1u << c);
	if (__builtin_popcount(w.known) < 2) {
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			found_state(p->found, c, PROBE_WEIGHT, FOUND_NOT, 0,
				"wants a DSCP of a second class");
			found_state(p->found, c, PROBE_STRICT, FOUND_NOT, 0,
				"wants a DSCP of a second class");
		}
		return 0;
	}
	w.ref = (unsigned)__builtin_ctz(w.known & p->obeys ? w.known & p->obeys : w.known);
	do
		rc = compare_all(&w);
	while (!rc && next_reference(&w));
	if (!rc)
		weights_write(&w);
	return rc;
}
