// SPDX-License-Identifier: BSD-3-Clause
// Averages of queue lengths, from counts alone. Each frame that joins moves an average by
//   avg += (q - avg) 2^-n
// so in a ramp the average lags behind the queue by (2^n - 1) frames, whatever their length is. Two
// ramps, of frames of one length and of a multiple of it, differ by that lag.
#include "marks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "wire/pkt.h"

#define TIMES 4  // the longer frames
#define USUAL 7  // exponent of an average that is looked for first
#define FEW   4  // ramps
#define LOOK  64 // frames of a ramp beyond the edge
#define FINE  1  // frames to which the edge of a ramp that is marked as a whole is found

double marks_average(unsigned exponent, uint32_t frames)
{
	double lag = (double)((1u << exponent) - 1);

	return frames - lag * (1 - pow(1 - 1. / (1u << exponent), frames));
}

uint32_t marks_joined(const struct marks *k, double length)
{
	double n = length;

	for (unsigned i = 0; i < 40; i++) // it converges as 2^-n of the average does
		n += length - marks_average(k->exponent, (uint32_t)(n + .5));
	return (uint32_t)(n + .5);
}

// At dequeue all frames of a ramp are marked by one length, the average of its last arrival. *edge:
// the longest ramp, of at most `frames` frames, with a frame that is not marked.
static int edge_by_halves(struct marks *k, uint32_t frames, uint32_t *edge)
{
	uint32_t lo = 1, hi = frames;
	int rc = 0;

	while (!rc && hi - lo > FINE) {
		uint32_t middle = (lo + hi) / 2, m = 0;

		rc = marks_ramps(k, middle, 1, ECN_ECT0);
		for (uint32_t j = 0; !rc && j < k->ramp->n; j++)
			m += k->ramp->ce[j];
		if (rc || m == k->ramp->n)
			hi = middle;
		else
			lo = middle;
	}
	*edge = lo;
	return rc;
}

// The last place of the last ramps with a frame that is not marked.
static uint32_t last_unmarked(const struct marks *k)
{
	uint32_t edge = 0;

	for (unsigned r = 0; r < k->n_ramps; r++)
		for (uint32_t j = edge; j < k->ramp[r].n; j++)
			if (!k->ramp[r].ce[j])
				edge = j + 1;
	return edge;
}

// At enqueue: the last place of a ramp of `frames` with a frame that is not marked. The first ramp
// tells how long those behind it have to be.
static int edge_of_ramps(struct marks *k, uint32_t frames, uint32_t *edge)
{
	int rc = marks_ramps(k, frames, 1, ECN_ECT0);
	uint32_t more;

	*edge = rc ? 0 : last_unmarked(k);
	rc = rc ? rc : marks_ramps(k, *edge + *edge / 16 + LOOK, FEW, ECN_ECT0);
	more = rc ? 0 : last_unmarked(k);
	*edge = more > *edge ? more : *edge;
	return rc;
}

// The edges of ramps of shorter and of longer frames, in frames. `frames`: a ramp of the shorter
// ones that is long enough.
static int find_edges(struct marks *k, uint32_t frames, unsigned times, uint32_t edge[2])
{
	const uint16_t unit = k->p->unit;
	int rc;

	if (k->dequeue) {
		rc = edge_by_halves(k, frames, &edge[0]);
		k->p->unit = (uint16_t)(times * (unit + PKT_FCS) - PKT_FCS);
		rc = rc ? rc : edge_by_halves(k, frames, &edge[1]);
	} else {
		rc = edge_of_ramps(k, frames, &edge[0]);
		k->p->unit = (uint16_t)(times * (unit + PKT_FCS) - PKT_FCS);
		// with the longest lag the longer frames need nearly as many
		rc = rc ? rc : edge_of_ramps(k, edge[0] + LOOK, &edge[1]);
	}
	k->p->unit = unit;
	return rc;
}

// The exponent with which both edges are at one average.
static unsigned exponent_of(const uint32_t edge[2], unsigned times)
{
	double best = INFINITY;
	unsigned at = 0;

	// n = 1 lags by one frame, which ramps of such frames cannot tell.
	for (unsigned n = 0; n <= MARKS_EXPONENT; n += n ? 1 : 2) {
		double apart = fabs(marks_average(n, edge[0]) - times * marks_average(n, edge[1]));

		if (apart < best) {
			best = apart;
			at = n;
		}
	}
	return at;
}

int marks_find_exponent(struct marks *k, uint32_t frames)
{
	uint32_t edge[2] = {0};
	int rc = 0;

	for (k->idle = USUAL;; k->idle = k->exponent) {
		rc = find_edges(k, frames, TIMES, edge);
		k->exponent = rc ? 0 : exponent_of(edge, TIMES);
		rc = rc || k->dequeue ? rc : marks_tell_exponent(k, edge[0]);
		if (rc || k->exponent <= k->idle)
			break;
	}
	k->averaged |= k->exponent > 0;
	k->idle = k->exponent;
	k->edge = edge[0];
	return rc;
}
