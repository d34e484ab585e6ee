// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of step marks: its ramps, its held queues, and the counts that they add up.
#pragma once

#include "estimate/estimate.h"
#include "int.h"

#pragma GCC visibility push(hidden)

#define MARKS_HELD     160 // held lengths of a class
#define MARKS_EXPONENT 10  // of an average, at most

// A ramp: frames that came out of a queue that had filled up, in their order.
struct marks_ramp {
	uint32_t n;
	uint32_t leak; // of them that came before the release
	bool *ce;      // of each, in struct marks: lent until the next ramps
};

struct marks {
	struct probe *p;
	unsigned cls;
	unsigned inputs; // ports that fill
	unsigned slow;   // each sends a frame in so many times its time
	double unit;     // bytes of a frame with FCS, as the device counts it
	bool dequeue;    // the marker looks when a frame leaves, not when it joins
	bool averaged;
	unsigned exponent; // n of an average that moves by 2^-n; 0: it looks at the queue as it is
	unsigned idle;     // the exponent for which ramps leave the average time to fall; 0: none
	uint32_t edge;     // frames of a ramp up to the last with an unmarked one
	bool saturated;    // lengths were reached at which all frames are marked
	bool irregular;    // loops are long, and no line explains the ramps
	unsigned tries;    // so many looks may follow this one
	uint64_t used;     // frames that have met the marker
	const char *why;   // what was wrong with the last step

	// The last ramps.
	struct marks_ramp *ramp;
	unsigned n_ramps;
	bool *ce;
	size_t ce_room;

	// Frames and marks by length, in frames; and at lengths that were held, in bytes.
	uint32_t lengths; // room of the two
	uint32_t *frames, *marked;
	struct fit_bin held[MARKS_HELD];
	unsigned n_held;

	// Held queues: arrivals begin `shift` behind the release; steady: the length stays, and is
	// the one that the delays say.
	int64_t shift; // ps
	bool steady;
};

// A queue that was held.
struct marks_hold {
	double q;      // its mean length, in frames
	double drift;  // of its length, in frames a frame
	uint32_t n, m; // frames that met it, marks
};

// marks_ramp.c. Does `ramps` ramps of `frames` frames each. 0; -EAGAIN: our instrument was at
// fault, -ENOMSG: the device does not hold them, both with k->why; other -errno.
int marks_ramps(struct marks *k, uint32_t frames, unsigned ramps, unsigned ecn);
extern const char marks_irregular[];
// The time of one ramp, nearly.
tstamp marks_ramp_time(const struct marks *k, uint32_t frames);
// The length, in frames, that the marker saw for frame j of a ramp of which n joined.
uint32_t marks_length(const struct marks *k, uint32_t j, uint32_t n);
// Adds the last ramps to the counts by length.
int marks_count(struct marks *k);
// The longest length with an unmarked frame; 0: there is none.
uint32_t marks_unmarked(const struct marks *k);
void marks_free(struct marks *k);

// marks_held.c. Holds a queue at `length` frames while `frames` meet it.
int marks_hold(struct marks *k, uint32_t length, uint32_t frames, struct marks_hold *h);
// Learns k->shift, so that a queue stays. k->steady says whether it does, and whether lengths by
// delay are right: at `unmarked` frames, above which all frames are marked, the marks must agree.
int marks_steady(struct marks *k, uint32_t unmarked);
// Adds a held queue to the counts.
void marks_keep(struct marks *k, const struct marks_hold *h);

// How a line ends at Kmax.
struct marks_step {
	bool is;    // in a step from Pmax to 100 %
	bool clear; // the counts tell whether it is a step
	double top; // Kmax of the line that ends later, in frames
};

// marks_fit.c. Fits the line to all counts. `unmarked`: the longest length with an unmarked frame,
// in frames; `margin`: so many frames below it do not count.
bool marks_fit(const struct marks *k, double unmarked, double margin, struct fit_line *l,
	struct marks_step *step);
// The half width that the settings ask for, as a part of the value, and whether a figure has it.
double marks_narrow(const struct marks *k);
bool marks_kmin_is_known(const struct marks *k, const struct fit_line *l);
bool marks_pmax_is_known(const struct marks *k, const struct fit_line *l);
// The chi-square of the last fit, and the curve of the findings.
double marks_shape(const struct marks *k, const struct fit_line *l, double margin);
int marks_curve(const struct marks *k, const struct fit_line *l);

// marks_avg.c. The average behind `frames` frames that joined an empty queue, in frames.
double marks_average(unsigned exponent, uint32_t frames);
// How many frames have joined when the average is `length` frames.
uint32_t marks_joined(const struct marks *k, double length);
// Finds k->exponent and k->edge by ramps of at most `frames` frames, which are marked at the end.
int marks_find_exponent(struct marks *k, uint32_t frames);

// marks_exponent.c. At enqueue: the exponent that explains ramps of short and of long frames best.
// k->exponent is near it; `edge`: the last place, nearly, of a ramp with an unmarked frame.
int marks_tell_exponent(struct marks *k, uint32_t edge);

#pragma GCC visibility pop
