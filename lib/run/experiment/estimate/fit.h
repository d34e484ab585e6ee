// SPDX-License-Identifier: BSD-3-Clause
// A line of probabilities that is fitted to counts of marks at queue lengths:
//   p(q) = 0 up to kmin, pmax (q - kmin) / (kmax - kmin) up to kmax, 1 above.
#pragma once

#include <stdbool.h>

// Of `n` frames that met the mean length `q`, `m` were marked.
struct fit_bin {
	double q, n, m;
};

struct fit_line {
	double kmin, kmax, pmax;
	// Half widths of 95 % by the expected Fisher information of both parameters that were
	// fitted; 0 where a parameter was given.
	double kmin_pm, kmax_pm, pmax_pm;
	double log_likelihood;
};

// Probability of a mark at length q.
double fit_line_at(const struct fit_line *l, double q);

// Fits kmin and pmax by maximum likelihood; kmax is given, as a step tells it. Bins above kmax do
// not count. False: up to kmax no frame was marked, or every frame was.
bool fit_step(const struct fit_bin *bin, unsigned n, double kmax, struct fit_line *l);

// Fits kmin and kmax; pmax is 1, so the line has no step. `unmarked`: the longest length at which a
// frame was not marked. False as above.
bool fit_whole(const struct fit_bin *bin, unsigned n, double unmarked, struct fit_line *l);

// Log likelihood of the counts, all bins: -INFINITY where the line excludes them.
double fit_likelihood(const struct fit_bin *bin, unsigned n, const struct fit_line *l);

// The share of the chi-square distribution above the deviation of the counts from the line, for
// bins up to l->kmax. Bins that stand side by side are taken together until at least 5 marks and 5
// frames without are expected. `n` bins by length; 1: there is nothing to judge.
double fit_shape(const struct fit_bin *bin, unsigned n, const struct fit_line *l);
