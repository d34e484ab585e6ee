// SPDX-License-Identifier: BSD-3-Clause
// The threshold of an ingress group: what XOFF against the frames of other groups says of it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define THRESHOLD_POINTS 8
#define THRESHOLD_OTHERS 3 // groups that hold frames while XOFF is looked for

// XOFF at frame `xoff` of the measured group, while other groups hold so many frames each.
struct threshold_point {
	double held[THRESHOLD_OTHERS];
	double xoff;
};

// All in frames. XOFF(held) = reserve + b (shared - sum of max(0, held - reserve)), where
// b = alpha / (1 + alpha), and all groups have the same reserve.
struct threshold {
	bool dynamic; // else the rest is 0
	double alpha; // the power of two 2^-8..2^7 within 10 %, else as measured
	bool power;   // it is that power of two
	double alpha_raw, alpha_raw_pm;
	double reserve, reserve_pm; // 0: too small to be measured
	double shared, shared_pm;
};

// The power of two within 2^-8..2^7 that is nearest to `raw`, if `raw` lies within this share of
// it; else `raw`.
double threshold_snap(double raw, double within);

// Whether the threshold depends on the frames of others. At point[1] one group holds nearly as much
// as it can: XOFF has to move by more than `noise` frames, and by no less than an alpha of 2^-8
// moves it. At points where one group holds less, XOFF may move by no more than in proportion.
// `alone` is XOFF while the others hold nothing.
bool threshold_moves(double alone, const struct threshold_point *point, unsigned n, double noise);

// An edge: one other group holds `held` frames, the least number with which XOFF comes at frame
// `xoff`, while a second one holds `more`.
struct threshold_edge {
	double held, more, xoff;
};

// Edges, as far as they are known: two with `more` 0, by ascending `held`, and one with `more`.
#define THRESHOLD_EDGES 3

// Fits a dynamic threshold, by least squares through (0, alone). At the first two points one other
// group holds frames. Whole frames of XOFF tell the slope badly where it moves by few of them, and
// they always tell the reserve to 1 / b frames only. Edges tell both to frames of `held`: two of
// them the slope, and the third one the reserve, since a second group takes its reserve once more.
// An edge does not count if one of its groups may hold no more than the reserve, and the third one
// does not if the points contradict it.
struct threshold threshold_fit(double alone, const struct threshold_point *point, unsigned n,
	const struct threshold_edge *edge, unsigned edges);
