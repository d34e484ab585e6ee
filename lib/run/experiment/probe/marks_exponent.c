// SPDX-License-Identifier: BSD-3-Clause
// Which average a marker at enqueue looks at. An average lags behind the queue of a ramp by a
// number of frames, so ramps of short and of long frames meet one line only with the right
// exponent. It has the greatest likelihood.
#include "marks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "wire/pkt.h"

#define SIZES  2
#define LONG   1518 // bytes of a long frame with FCS at most
#define BINS   160  // of a size
#define RAMPS  4    // of the first round; then twice as many
#define MOST   64   // ramps of a round
#define SURE   8    // log likelihood by which an exponent is better than any other
#define BEYOND 1.06 // times the length of the last unmarked frame: so far a ramp goes
#define LEAST  1e-4 // the least probability of a count: a line does not hold to the last frame

// Frames and marks at each place of ramps of one size.
struct places {
	uint32_t *frames, *marked;
	uint32_t n;
	unsigned times; // k->unit: bytes of a frame
};

struct sizes {
	struct places of[SIZES];
	struct fit_bin bin[SIZES * BINS];
	unsigned n;
	double longest; // length with an unmarked frame, bytes
};

// The average that a frame met, in bytes.
static double length_at(
	const struct marks *k, const struct places *s, unsigned exponent, uint32_t place)
{
	return s->times * k->unit * marks_average(exponent, place + 1);
}

static void make_bins(const struct marks *k, struct sizes *s, unsigned exponent)
{
	s->n = 0;
	s->longest = 0;
	for (unsigned i = 0; i < SIZES; i++) {
		const struct places *of = &s->of[i];
		const uint32_t wide = of->n / BINS + 1;

		for (uint32_t j = 0; j < of->n; j++) {
			double q = length_at(k, of, exponent, j);
			struct fit_bin *to = &s->bin[s->n + j / wide];

			if (j % wide == 0)
				*to = (struct fit_bin){0};
			to->q += q * of->frames[j];
			to->n += of->frames[j];
			to->m += of->marked[j];
			if (of->marked[j] < of->frames[j])
				s->longest = fmax(s->longest, q);
		}
		s->n += (of->n + wide - 1) / wide;
	}
	for (unsigned i = 0; i < s->n; i++)
		s->bin[i].q /= fmax(1, s->bin[i].n);
}

static double likelihood(
	const struct marks *k, const struct sizes *s, unsigned exponent, const struct fit_line *l)
{
	double sum = 0;

	for (unsigned i = 0; i < SIZES; i++)
		for (uint32_t j = 0; j < s->of[i].n; j++) {
			double p = fit_line_at(l, length_at(k, &s->of[i], exponent, j));
			uint32_t m = s->of[i].marked[j];

			p = fmin(1 - LEAST, fmax(LEAST, p));
			sum += m * log(p) + (s->of[i].frames[j] - m) * log1p(-p);
		}
	return sum;
}

// Log likelihood of the best line with this exponent.
static double best_line(const struct marks *k, struct sizes *s, unsigned exponent)
{
	double best = -INFINITY;
	struct fit_line l;

	make_bins(k, s, exponent);
	if (fit_step(s->bin, s->n, s->longest, &l))
		best = likelihood(k, s, exponent, &l);
	if (fit_whole(s->bin, s->n, s->longest, &l))
		best = fmax(best, likelihood(k, s, exponent, &l));
	return best;
}

// Sets k->exponent to the best one. Returns by how much it is better than the second.
static double choose(struct marks *k, struct sizes *s)
{
	double best = -INFINITY, second = -INFINITY;

	// n = 1 lags by one frame, which is what a marker that leaves the frame itself out does.
	for (unsigned n = 0; n <= MARKS_EXPONENT; n += n ? 1 : 2) {
		double now = best_line(k, s, n);

		second = fmax(second, fmin(now, best));
		if (now > best) {
			best = now;
			k->exponent = n;
		}
	}
	return best - second;
}

static int has_places(struct places *s, uint32_t n)
{
	s->n = n;
	s->frames = calloc(n, sizeof(*s->frames));
	s->marked = calloc(n, sizeof(*s->marked));
	return s->frames && s->marked ? 0 : -ENOMEM;
}

static int add_ramps(struct marks *k, struct places *s, unsigned ramps)
{
	const uint16_t unit = k->p->unit;
	int rc;

	k->p->unit = (uint16_t)(s->times * (unit + PKT_FCS) - PKT_FCS);
	rc = marks_ramps(k, s->n, ramps, ECN_ECT0);
	k->p->unit = unit;
	for (unsigned r = 0; !rc && r < k->n_ramps; r++)
		for (uint32_t j = 0; j < k->ramp[r].n && j < s->n; j++) {
			s->frames[j]++;
			s->marked[j] += k->ramp[r].ce[j];
		}
	return rc;
}

// Ramps of long frames come to the same average, even if it moves half as fast as it seems to.
static int size_places(struct marks *k, struct sizes *s, uint32_t edge)
{
	const unsigned exponent = k->exponent;
	const double top = BEYOND * marks_average(exponent, edge);
	uint32_t frames;
	int rc;

	s->of[0].times = 1;
	s->of[1].times = (unsigned)fmax(2, floor(LONG / k->unit));
	k->exponent = exponent < MARKS_EXPONENT ? exponent + 1 : exponent;
	frames = marks_joined(k, top / s->of[1].times) + k->inputs;
	k->exponent = exponent;
	rc = has_places(&s->of[0], (uint32_t)(BEYOND * edge) + k->inputs);
	return rc ? rc : has_places(&s->of[1], frames);
}

int marks_tell_exponent(struct marks *k, uint32_t edge)
{
	struct sizes s = {0};
	int rc = size_places(k, &s, edge);

	for (unsigned ramps = RAMPS; !rc && ramps <= MOST; ramps *= 2) {
		for (unsigned i = 0; !rc && i < SIZES; i++)
			rc = add_ramps(k, &s.of[i], ramps);
		if (!rc && choose(k, &s) > SURE)
			break;
	}
	for (unsigned i = 0; i < SIZES; i++) {
		free(s.of[i].frames);
		free(s.of[i].marked);
	}
	return rc;
}
