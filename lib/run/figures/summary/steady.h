// SPDX-License-Identifier: BSD-3-Clause
// Whether a series is steady: the start that MSER-5 leaves out, and the distance of the halves of
// its window.
//
// K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
// Simulation 69(6), 1997 (MSER; MSER-5 has batches of five values); K. Hoad, S. Robinson and
// R. Davies, "Automating warm-up length estimation", J. Operational Research Society 61, 2010 (the
// end of a series proposes no cut, because a few values look steady by chance); A. M. Law and
// W. D. Kelton, "Simulation Modeling and Analysis", on batch means.
#pragma once

#pragma GCC visibility push(hidden)

#define STEADY_LEAST   100  // values of the shortest window that can be judged
#define STEADY_DIFFERS 0.05 // of the larger mean: smaller differences are no matter

enum steady_is {
	STEADY_YES,
	STEADY_LATE,   // the start lasts beyond half of the series, and into the window
	STEADY_DRIFTS, // the halves of the window differ
};

struct steady {
	enum steady_is is;
	// values at the start that MSER-5 leaves out, a multiple of five; at most half of all
	// unless STEADY_LATE
	unsigned cut;
	double before, after; // means of the window before and behind the cut
	double first, second; // means of both halves of the window
	double interval;      // half of the 99 % interval of the difference of equal halves
};

// Judges the n values of a series; the window is those from `from` on, STEADY_LEAST at least. A
// difference of less than `least` is no matter either.
void steady_judge(struct steady *s, const float *x, unsigned n, unsigned from, double least);

#pragma GCC visibility pop
