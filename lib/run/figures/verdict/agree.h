// SPDX-License-Identifier: BSD-3-Clause
// Whether a run is one more of several reference runs, figure by figure.
#pragma once

#include "verdict.h"

enum agree_is {
	AGREE_NONE, // not judged: a run has no such figure, or all of them have 0
	AGREE_YES,
	AGREE_WIDE, // yes, but the band exceeds half of the middle: the figure cannot tell
	AGREE_NO,
};

struct agree_judged {
	enum agree_is is;
	double value;             // of the run
	double middle, low, high; // of the reference runs; NAN where AGREE_NONE
	bool same;                // in all reference runs, so that the band has no chance in it
};

#pragma GCC visibility push(hidden)

// The name of figure i, with its unit.
const char *agree_name(unsigned i);

// Judges all figures of a run by n >= 2 reference runs. Returns how many have parted.
unsigned agree_judge(struct agree_judged judged[static VERDICT_FIGURES],
	const struct verdict_figures *ref, unsigned n, const struct verdict_figures *run);

#pragma GCC visibility pop
