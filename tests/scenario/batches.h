// SPDX-License-Identifier: BSD-3-Clause
// A figure of independent runs: its mean, and how far that is known.
#pragma once

#include <math.h>

#define BATCHES 10
// Student's t with nine degrees of freedom, beyond which as few means lie as beyond 3 sigma.
#define T 4.09

// The figure, run by run.
struct batches {
	double value[BATCHES];
	unsigned n;
};

static inline double mean(const struct batches *b)
{
	double sum = 0;

	for (unsigned i = 0; i < b->n; i++)
		sum += b->value[i];
	return sum / b->n;
}

static inline double sigma_of_mean(const struct batches *b)
{
	double sum = 0;

	for (unsigned i = 0; i < b->n; i++)
		sum += pow(b->value[i] - mean(b), 2);
	return sqrt(sum / (b->n - 1) / b->n);
}
