// SPDX-License-Identifier: BSD-3-Clause
// Step marks: where a marker looks, its line from Kmin to Kmax, and the fate of frames that cannot
// be marked.
#include "marks.h"

#include <errno.h>
#include <math.h>

#include "wire/pkt.h"

#define FIRST       1024 // frames of the first ramp
#define EDGE        60   // frames at an end of a ramp
#define SHORT       12   // the same, where all frames are marked
#define WHOLE       .98  // of the frames of a ramp came out
#define MOST_IN     3    // inputs of a ramp
#define FRAMES_FEW  8000 // of the first ramps for the line; then twice as many
#define FRAMES_MOST 90000
#define RAMPS       60   // at most at once
#define HELD_LEAST  2000 // frames at one length
#define HELD_MOST   120000
#define CLEAR       10   // rounds behind which a step that is not seen is none
#define ENOUGH      1.15 // times the frames that a half width wants by itself
#define TRIES       3    // looks, where ramps fit no line
#define LADDER      12   // lengths of an average that are looked at first
#define LIKE        .6   // shares of marks that are alike have at least this ratio
#define MARGIN      4    // frames below Kmax that do not count
#define HIGH        .94  // of the line: here a held queue tells most of Pmax
#define ODD         .001 // a line has as large a chi-square in one of 1000
#define LOST        .001 // of the frames: they were dropped
#define LONE        2    // ramps of a frame of each input

enum { NOT_ECT_PASSED, NOT_ECT_DROPPED, NOT_ECT_MARKED }; // words of PROBE_NOT_ECT
enum { MARK_NONE, MARK_AT_ENQUEUE, MARK_AT_DEQUEUE };     // of PROBE_MARK

static const enum probe_figure line_figures[] = {PROBE_MARK, PROBE_MARK_AVERAGED, PROBE_MARK_LINEAR,
	PROBE_KMIN, PROBE_KMAX, PROBE_PMAX, PROBE_NOT_ECT, PROBE_MARK_COUNTS};

#define LINE_FIGURES (sizeof(line_figures) / sizeof(line_figures[0]))

// Writes a state to all figures of the line that have none yet.
static void tell_all(const struct marks *k, enum found_state state, const char *why)
{
	for (unsigned i = 0; i < LINE_FIGURES; i++) {
		const struct found *f = &k->p->found->f[k->cls][line_figures[i]];

		if (f->state == FOUND_NOT && !f->why)
			found_state(k->p->found, k->cls, line_figures[i], state, 0, why);
	}
}

static uint32_t marks_from(const struct marks_ramp *r, uint32_t from, uint32_t to)
{
	uint32_t m = 0;

	for (uint32_t i = from; i < to && i < r->n; i++)
		m += r->ce[i];
	return m;
}

static bool head_is_marked(const struct marks_ramp *r)
{
	return marks_from(r, 0, EDGE) == EDGE;
}

static bool tail_is_marked(const struct marks_ramp *r)
{
	return r->n >= EDGE && marks_from(r, r->n - EDGE, r->n) == EDGE;
}

// Frames of the longest ramp that the settings allow.
static uint32_t longest_ramp(const struct marks *k)
{
	const struct probe *p = k->p;
	double most = (double)p->cfg->most_buffer / k->unit;
	double hold = (double)p->cfg->most_hold / 2 / (double)probe_wire(p, p->unit);
	uint32_t out = p->group[k->cls].out;

	if (out) // frames that each took a unit, when the buffer was overfilled
		most = fmin(most, 4. * out + 4096);
	return (uint32_t)fmin(most, hold);
}

// Doubles the ramp until one end of it is marked throughout, or the device takes no more. *frames:
// those of the last ramp.
static int find_ramp(struct marks *k, uint32_t *frames)
{
	const unsigned inputs = k->p->cfg->n_in < MOST_IN ? k->p->cfg->n_in : MOST_IN;
	const uint32_t most = longest_ramp(k);

	for (*frames = FIRST;;) {
		const struct marks_ramp *r;
		int rc = marks_ramps(k, *frames, 1, ECN_ECT0);

		if (rc)
			return rc;
		r = k->ramp;
		k->saturated = head_is_marked(r) || tail_is_marked(r);
		if (k->saturated)
			return 0;
		if (r->n >= WHOLE * *frames && 2 * *frames <= most)
			*frames *= 2;
		else if (r->n < WHOLE * *frames && k->inputs < inputs)
			k->inputs++;
		else
			return 0;
	}
}

// Where the marker looks, by the first ramp with marks.
static void find_place(struct marks *k)
{
	const struct marks_ramp *r = k->ramp;
	uint32_t third = r->n / 3, first = marks_from(r, 0, third),
		 last = marks_from(r, r->n - third, r->n), less = first < last ? first : last;
	bool alike = less > LIKE * (first < last ? last : first);

	if (k->saturated)
		alike = head_is_marked(r) && marks_from(r, r->n - SHORT, r->n) == SHORT;
	k->averaged = alike;
	k->dequeue = alike || first > last;
}

// Each ramp is a single length.
static bool is_flat(const struct marks *k)
{
	return k->averaged && k->dequeue;
}

// Queues can be held: two ports send, nobody else does, and our loop is quick enough.
static bool can_hold(const struct marks *k)
{
	return k->saturated && k->p->cfg->n_in > 1 && !k->p->others &&
	       k->p->lab->gap <= 2 * probe_wire(k->p, k->p->unit);
}

// A round of ramps: `frames` each, `all` in all.
static int more_ramps(struct marks *k, uint32_t frames, uint32_t all)
{
	const tstamp most = k->p->cfg->most_step / marks_ramp_time(k, frames);
	unsigned n = all / frames;
	int rc;

	n = n < 2 ? 2 : n > RAMPS ? RAMPS : n;
	rc = marks_ramps(k, frames, n < most ? n : most > 0 ? (unsigned)most : 1, ECN_ECT0);
	return rc ? rc : marks_count(k);
}

// Lengths of an average from near 0 to Kmax, and those around the longest with an unmarked frame.
static int climb(struct marks *k, uint32_t edge)
{
	const double top = marks_average(k->exponent, edge);
	int rc = 0;

	for (unsigned i = 1; !rc && i < LADDER; i++) {
		uint32_t n = marks_joined(k, top * i / LADDER);

		rc = more_ramps(k, n ? n : 1, FRAMES_FEW / LADDER);
	}
	for (uint32_t n = edge > 2 ? edge - 2 : 1; !rc && n < edge + 3; n++)
		rc = more_ramps(k, n, 1);
	return rc;
}

// A length that tells most, and how many frames are to meet it.
struct look {
	double q; // in frames
	uint32_t frames;
};

// Just below Kmax for Pmax, just above Kmin for Kmin.
static struct look next_look(const struct marks *k, const struct fit_line *l, unsigned round)
{
	const bool for_pmax =
		!marks_pmax_is_known(k, l) && (marks_kmin_is_known(k, l) || round % 2);
	const double width = l->kmax - l->kmin, narrow = marks_narrow(k);
	double part = for_pmax ? HIGH : fmin(.3, fmax(.04, 2.5 * l->kmin_pm / width));
	double p = part * l->pmax,
	       want = for_pmax ? narrow * p : narrow * l->kmin * l->pmax / width;
	double n = fmax(HELD_LEAST, ENOUGH * p * (1 - p) * pow(1.96 / want, 2));
	double most = (double)k->p->cfg->most_step / 2 / (double)probe_wire(k->p, k->p->unit);

	return (struct look){
		(l->kmin + part * width) / k->unit, (uint32_t)fmin(fmin(HELD_MOST, most), n)};
}

// Many frames at one length: of a queue that is held, or of ramps whose average has come to it.
static int more_at(struct marks *k, const struct fit_line *l, unsigned round)
{
	const struct look at = next_look(k, l, round);
	const double width = (l->kmax - l->kmin) / k->unit;
	struct marks_hold h;
	int rc;

	if (!k->steady)
		return more_ramps(k, marks_joined(k, at.q), at.frames);
	rc = marks_hold(k, (uint32_t)at.q, at.frames, &h);
	k->steady = !rc && fabs(h.drift) * h.n < fmax(MARGIN, .02 * width);
	if (k->steady && h.q * k->unit < l->kmax - MARGIN * k->unit)
		marks_keep(k, &h);
	return rc == -EAGAIN ? 0 : rc;
}

// Frames of the next ramps: up to Kmax, or more of those just above Kmin.
static uint32_t next_ramps(const struct marks *k, const struct fit_line *l,
	const struct marks_step *step, unsigned round)
{
	double top = k->saturated ? 1.02 * step->top + EDGE / 2 : k->lengths;

	if (round % 3 && step->clear && !marks_kmin_is_known(k, l))
		top = (.7 * l->kmin + .3 * l->kmax) / k->unit;
	return marks_joined(k, top);
}

// Whether the settings leave frames and time.
static bool may_go_on(const struct marks *k)
{
	const struct probe_cfg *cfg = k->p->cfg;

	return k->used < cfg->most_frames &&
	       (!cfg->most_time || k->p->lab->scene_time < cfg->most_time);
}

// The line. `frames`: those of a ramp that is long enough.
static int find_line(struct marks *k, uint32_t frames, struct fit_line *l, struct marks_step *step)
{
	const double margin = k->saturated ? MARGIN : 0;
	uint32_t length = frames;
	uint32_t all = FRAMES_FEW;
	bool fits = false, tried = false;
	int rc = 0;

	if (k->saturated && length > k->edge + k->edge / 16 + EDGE)
		length = k->edge + k->edge / 16 + EDGE;
	for (unsigned round = 0; !rc && may_go_on(k); round++) {
		if (fits && step->clear && (k->steady || is_flat(k)))
			rc = more_at(k, l, round);
		else
			rc = is_flat(k) ? climb(k, k->edge) : more_ramps(k, length, all);
		if (rc == -EAGAIN && fits)
			return 0; // as exactly as the steps before told
		fits = !rc && marks_fit(k, k->saturated ? marks_unmarked(k) : k->lengths - 1,
				      margin, l, step);
		step->clear |= round > CLEAR;
		if (fits && step->clear && marks_kmin_is_known(k, l) &&
			(!k->saturated || marks_pmax_is_known(k, l)))
			break;
		if (fits && !tried && step->is && can_hold(k))
			rc = rc ? rc : marks_steady(k, marks_unmarked(k));
		if (fits)
			length = next_ramps(k, l, step, round);
		tried |= fits;
		all = 2 * all < FRAMES_MOST ? 2 * all : FRAMES_MOST;
		length = length < frames ? length : frames;
	}
	return rc ? rc : fits ? 0 : -ENOMSG;
}

static void write_line(struct marks *k, const struct fit_line *l, const struct marks_step *step)
{
	struct probe_found *f = k->p->found;
	double odds = marks_shape(k, l, step->is ? MARGIN : 0);

	found_is(f, k->cls, PROBE_MARK, k->dequeue ? MARK_AT_DEQUEUE : MARK_AT_ENQUEUE, 0);
	found_is(f, k->cls, PROBE_MARK_AVERAGED, k->averaged, 0);
	if (odds < ODD && k->p->lab->gap > probe_wire(k->p, k->p->unit)) {
		static const enum probe_figure of_line[] = {
			PROBE_MARK_LINEAR, PROBE_KMIN, PROBE_KMAX, PROBE_PMAX};

		k->irregular = true;
		for (unsigned i = 0; i < sizeof(of_line) / sizeof(*of_line); i++)
			found_state(f, k->cls, of_line[i], FOUND_INVALID, 0, marks_irregular);
		return;
	}
	found_is(f, k->cls, PROBE_MARK_LINEAR, odds >= ODD, 0);
	found_is(f, k->cls, PROBE_KMIN, l->kmin, l->kmin_pm);
	if (k->saturated) {
		found_is(f, k->cls, PROBE_KMAX, l->kmax, l->kmax_pm > 0 ? l->kmax_pm : k->unit / 2);
		found_is(f, k->cls, PROBE_PMAX, 100 * l->pmax, 100 * l->pmax_pm);
		return;
	}
	found_state(f, k->cls, PROBE_KMAX, FOUND_AT_LEAST, l->kmax,
		"the device takes no queue at which all frames are marked");
	found_state(f, k->cls, PROBE_PMAX, FOUND_AT_LEAST, 100 * l->pmax,
		"the share of marks at the longest queue");
}

// Frames that cannot be marked: whether they are missing in a ramp of which none was, or marked.
static int find_not_ect(struct marks *k, uint32_t frames)
{
	int rc = marks_ramps(k, frames, 1, ECN_NOT_ECT);

	if (rc)
		return rc;
	found_is(k->p->found, k->cls, PROBE_NOT_ECT,
		marks_from(k->ramp, 0, k->ramp->n)     ? NOT_ECT_MARKED
		: k->ramp->n < (1 - LOST) * frames - 1 ? NOT_ECT_DROPPED
						       : NOT_ECT_PASSED,
		0);
	return 0;
}

// Log likelihood of the last ramps, of shortest frames, if each counts `bytes`.
static double likelihood_of_ramps(const struct marks *k, const struct fit_line *l, double bytes)
{
	double sum = 0;

	for (unsigned r = 0; r < k->n_ramps; r++)
		for (uint32_t j = 0; j < k->ramp[r].n; j++) {
			uint32_t q = marks_length(k, j, k->ramp[r].n);
			double p = fmin(1 - 1e-6, fmax(1e-6, fit_line_at(l, q * bytes)));

			sum += k->ramp[r].ce[j] ? log(p) : log1p(-p);
		}
	return sum;
}

// Whether the marker counts bytes or the cells of the buffer: shortest frames leave most of a cell
// empty, and one of the two explains their marks better.
static int find_counted(struct marks *k, const struct fit_line *l)
{
	const uint16_t unit = k->p->unit;
	const uint32_t frames = marks_joined(k, 1.3 * l->kmax / k->unit) + EDGE;
	double bytes, cells;
	int rc;

	if (unit == PROBE_SHORT || !k->saturated) {
		found_state(k->p->found, k->cls, PROBE_MARK_COUNTS, FOUND_NOT, 0,
			unit == PROBE_SHORT ? "a shortest frame fills a cell"
					    : "wants a queue at which all frames are marked");
		return 0;
	}
	k->p->unit = PROBE_SHORT;
	rc = marks_ramps(k, frames, 4, ECN_ECT0);
	k->p->unit = unit;
	if (rc)
		return rc;
	bytes = likelihood_of_ramps(k, l, PROBE_SHORT + PKT_FCS);
	cells = likelihood_of_ramps(k, l, k->unit);
	found_is(k->p->found, k->cls, PROBE_MARK_COUNTS, cells > bytes, 0);
	return 0;
}

// Whether frames are marked that find the queue empty, and an average of it near 0. The first of
// these ramps may follow a full queue.
static int find_always(struct marks *k, bool *always)
{
	int rc;

	k->idle = MARKS_EXPONENT;
	rc = marks_ramps(k, k->inputs, LONE, ECN_ECT0);
	*always = !rc;
	for (unsigned r = 1; r < k->n_ramps && *always; r++)
		*always = k->ramp[r].n && marks_from(&k->ramp[r], 0, k->ramp[r].n) == k->ramp[r].n;
	k->idle = k->exponent;
	return rc;
}

// The line of a device that marks every frame ends at the shortest queue that there is.
static int write_always(struct marks *k)
{
	static const char why[] = "all frames are marked";
	const double least = k->inputs * k->unit;
	int rc = find_not_ect(k, EDGE);

	found_state(k->p->found, k->cls, PROBE_KMIN, FOUND_AT_MOST, least, why);
	found_state(k->p->found, k->cls, PROBE_KMAX, FOUND_AT_MOST, least, why);
	k->why = rc ? k->why : why;
	return rc ? rc : -ENOMSG;
}

// Finds the line, and then the figures that need it.
static int measure(struct marks *k, uint32_t frames)
{
	struct fit_line l = {0};
	struct marks_step step = {0};
	bool always = false;
	int rc = 0;

	if (k->saturated && (k->averaged || !k->dequeue))
		rc = marks_find_exponent(k, frames);
	else
		k->edge = frames;
	if (!rc && k->edge <= 1)
		rc = find_always(k, &always);
	if (!rc && always)
		return write_always(k);
	if (!rc && k->averaged && !k->exponent) {
		found_is(k->p->found, k->cls, PROBE_MARK, MARK_AT_DEQUEUE, 0);
		found_is(k->p->found, k->cls, PROBE_MARK_AVERAGED, 1, 0);
		k->why = k->saturated ? "no average of its queue explains the marks"
				      : "an average wants a queue at which all frames are marked";
		return -ENOMSG;
	}
	if (!rc)
		rc = find_line(k, frames, &l, &step);
	if (rc)
		return rc;
	write_line(k, &l, &step);
	if (k->irregular && k->tries)
		return 0;
	rc = marks_curve(k, &l);
	if (!rc && k->saturated)
		rc = find_not_ect(k, marks_joined(k, 1.1 * l.kmax / k->unit) + EDGE);
	return rc ? rc : find_counted(k, &l);
}

// One look at the marks, after which `tries` more may follow. *again: the ramps fit no line.
static int look_at_marks(struct probe *p, unsigned cls, unsigned tries, bool *again)
{
	struct marks k = {
		.p = p,
		.tries = tries,
		.cls = cls,
		.inputs = p->cfg->n_in > 1 ? 2 : 1,
		.slow = 1,
		.unit = p->unit + PKT_FCS,
		.shift = (int64_t)p->response - (int64_t)p->transit,
	};
	uint32_t frames;
	int rc = find_ramp(&k, &frames);

	if (!rc && !marks_from(k.ramp, 0, k.ramp->n)) {
		found_state(p->found, cls, PROBE_MARK, FOUND_NONE, k.ramp->n * k.unit, NULL);
		tell_all(&k, FOUND_NOT, "no frame is marked");
	} else if (!rc) {
		find_place(&k);
		rc = measure(&k, frames);
	}
	if (rc == -EAGAIN)
		tell_all(&k, FOUND_INVALID, k.why);
	if (rc == -ENOMSG)
		tell_all(&k, FOUND_NOT, k.why ? k.why : "the marks are too few to tell");
	*again = k.irregular;
	marks_free(&k);
	return rc == -EAGAIN || rc == -ENOMSG ? 0 : rc;
}

int probe_marks(struct probe *p, unsigned cls)
{
	bool again = true;
	int rc = 0;

	for (unsigned tries = TRIES; !rc && again && tries--;)
		rc = look_at_marks(p, cls, tries, &again);
	return rc;
}
