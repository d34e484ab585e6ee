// SPDX-License-Identifier: BSD-3-Clause
// Whether one scene gave the same results on two clocks, as far as this can be decided.
#pragma once

#include <stdint.h>

enum agree_kind {
	AGREE_RATE,  // apart by at most `limit` of the first
	AGREE_INDEX, // apart by at most `limit`
	AGREE_COUNT, // apart by at most `limit` of the larger, or by what chance gives
	// as AGREE_COUNT, for events that must not happen: 0 on one clock requires 0 on the other
	AGREE_LOSS,
};

struct agree_figure {
	const char *name, *path; // path: as of summary_value
	enum agree_kind kind;
	double limit;
};

enum agree_verdict { AGREE_YES, AGREE_NO, AGREE_TOO_FEW, AGREE_NONE };

#pragma GCC visibility push(hidden)

// Judges one figure by its values on both clocks. `frames`: data that the lesser of both windows
// saw. TOO_FEW: what there is says nothing; NONE: the scene has no such figure (both NAN, or a
// count or rate of 0 twice).
enum agree_verdict agree_judge(const struct agree_figure *f, double a, double b, uint64_t frames);

#pragma GCC visibility pop
