// SPDX-License-Identifier: BSD-3-Clause
// The figures of a run against those of reference runs that differ in the seed only: does it look
// like one more of them?
#include "agree.h"
#include "predict.h"

#include <math.h>
#include <string.h>

#define FAMILY       0.01 // probability that a run like the others parts in any figure
#define MARGIN       0.02 // of the middle: by so much the clocks may be apart, besides chance
#define MARGIN_COUNT 3    // events
#define WIDE         0.5  // of the middle

struct agree_figure {
	const char *name;
	double (*value)(const struct summary *s, const char *path);
	const char *path;
	enum predict_scale scale;
	bool never; // events that must not happen: one is a difference where the others have none
};

// What queue pairs and open-loop sources deliver.
static double goodput(const struct summary *s, const char *path)
{
	return summary_value(s, path) + summary_sum(s, KIND_SOURCE, "rx_gbps");
}

static double in_us(const struct summary *s, const char *path)
{
	return summary_value(s, path) / 1e6;
}

// A latency of the main group, or the mean of the sources' where there is no group.
static double latency(const struct summary *s, const char *path)
{
	const char *figure = strchr(path, '.') + 1;
	double value = summary_value(s, path), sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; isnan(value) && i < s->set[KIND_SOURCE].n; i++) {
		double one = summary_at(s, KIND_SOURCE, i, figure);

		n += !isnan(one);
		sum += isnan(one) ? 0 : one;
	}
	return n ? sum / n : value;
}

static const struct agree_figure figures[] = {
	{"goodput Gb/s", goodput, "goodput_gbps", PREDICT_LOG, false},
	{"Jain", summary_value, "jain", PREDICT_LOGIT, false},
	{"lossless drops", summary_value, "lossless_drops", PREDICT_ROOT, true},
	{"drops", summary_value, "drops", PREDICT_ROOT, false},
	{"marks", summary_value, "marks", PREDICT_ROOT, false},
	{"CNPs", summary_value, "cnp_rx", PREDICT_ROOT, false},
	{"pauses", summary_value, "pauses", PREDICT_ROOT, false},
	{"pause time us", in_us, "pause_ps", PREDICT_LOG, false},
	{"queue mean bytes", summary_value, "bottleneck.mean_bytes", PREDICT_LOG, false},
	{"queue p99 bytes", summary_value, "bottleneck.p99_bytes", PREDICT_LOG, false},
	{"latency p50 us", latency, "main.latency_p50_us", PREDICT_LOG, false},
	{"latency p99 us", latency, "main.latency_p99_us", PREDICT_LOG, false},
	{"FCT p50 us", summary_value, "fct_p50_us", PREDICT_LOG, false},
	{"FCT p99 us", summary_value, "fct_p99_us", PREDICT_LOG, false},
};

_Static_assert(sizeof(figures) / sizeof(figures[0]) == VERDICT_FIGURES, "a value each");

const char *agree_name(unsigned i)
{
	return figures[i].name;
}

void verdict_figures(const struct summary *s, struct verdict_figures *to)
{
	for (unsigned i = 0; i < VERDICT_FIGURES; i++)
		to->value[i] = figures[i].value(s, figures[i].path);
	to->frames = summary_sum(s, KIND_FLOW, "data_frames_rx") +
		     summary_sum(s, KIND_SOURCE, "rx_frames");
}

// The values of a figure in the reference runs.
struct spread {
	bool known, zero, equal; // by all; all are 0, the same
	double least, most;
};

static struct spread spread_of(const struct verdict_figures *ref, unsigned n, unsigned figure)
{
	struct spread s = {.known = true, .least = INFINITY, .most = -INFINITY};

	for (unsigned i = 0; i < n; i++) {
		double x = ref[i].value[figure];

		s.known &= !isnan(x);
		s.least = fmin(s.least, x);
		s.most = fmax(s.most, x);
	}
	s.equal = s.known && s.least == s.most;
	s.zero = s.equal && s.most == 0;
	return s;
}

// How far a run may lie beyond the interval.
static double margin(const struct agree_figure *f, double middle)
{
	double off = MARGIN * middle;

	if (f->scale == PREDICT_ROOT && !(f->never && middle == 0))
		off = fmax(off, MARGIN_COUNT);
	return off;
}

// `alarm`: the probability that a run like the others parts in this figure.
static struct agree_judged judge(
	const struct verdict_figures *ref, unsigned n, unsigned figure, double value, double alarm)
{
	const struct agree_figure *f = &figures[figure];
	const struct spread s = spread_of(ref, n, figure);
	struct agree_judged j = {
		.value = value, .middle = NAN, .low = NAN, .high = NAN, .same = s.equal};
	double x[VERDICT_REFERENCES], off;

	if (!s.known || isnan(value) || (s.zero && value == 0))
		return j;
	for (unsigned i = 0; i < n; i++)
		x[i] = ref[i].value[figure];
	if (s.equal) {
		j.middle = j.low = j.high = s.most;
	} else {
		struct predict p = predict_next(x, n, f->scale, alarm);

		j.middle = p.middle;
		j.low = p.low;
		j.high = p.high;
	}
	off = margin(f, j.middle);
	j.low = fmax(j.low - off, 0);
	j.high += off;
	if (f->scale == PREDICT_LOGIT)
		j.high = fmin(j.high, 1);
	off = fmax(j.high - j.middle, j.middle - j.low);
	j.is = value < j.low || value > j.high ? AGREE_NO
	       : off > WIDE * j.middle         ? AGREE_WIDE
					       : AGREE_YES;
	return j;
}

// The figures that differ among the reference runs share FAMILY in equal parts (Bonferroni).
unsigned agree_judge(struct agree_judged judged[static VERDICT_FIGURES],
	const struct verdict_figures *ref, unsigned n, const struct verdict_figures *run)
{
	unsigned differ = 0, parted = 0;

	for (unsigned i = 0; i < VERDICT_FIGURES; i++) {
		const struct spread s = spread_of(ref, n, i);

		differ += s.known && !s.equal;
	}
	for (unsigned i = 0; i < VERDICT_FIGURES; i++) {
		judged[i] = judge(ref, n, i, run->value[i], FAMILY / (differ ? differ : 1));
		parted += judged[i].is == AGREE_NO;
	}
	return parted;
}

// Writes the likely cause of a difference, as far as the run knows one.
static void put_cause(FILE *f, const struct summary *s, unsigned figure)
{
	const struct record_run *run = &s->run;
	uint64_t full = run->imissed + run->rx_nombuf + run->ring_drops;
	double late = summary_at(s, KIND_INSTRUMENT, 0, "pfc_late_mean_us");
	bool of_pauses = !strncmp(figures[figure].name, "pause", 5);

	if (run->timing_broken)
		fprintf(f, "the run broke its timing: %s", run->timing_text);
	else if (full)
		fprintf(f, "%llu frames found a ring full", (unsigned long long)full);
	else if (verdict_unsound(s))
		fprintf(f, "the run was not sound: %s", verdict_unsound(s));
	else if (of_pauses && !isnan(late))
		fprintf(f, "loops added %.3g us to pfc_response on average", late);
	else if (run->loop_gap_max_ps)
		fprintf(f, "loops of %.3g us (p99), %.3g us at most",
			(double)run->loop_gap_p99_ps / 1e6, (double)run->loop_gap_max_ps / 1e6);
	else
		fprintf(f, "not known");
}

static void put_figure(FILE *f, const struct summary *s, unsigned i, const struct agree_judged *j)
{
	if (j->is == AGREE_NONE)
		return;
	fprintf(f, "  %-16s  %10.5g  %10.5g .. %-10.5g  %10.5g%s\n", figures[i].name, j->middle,
		j->low, j->high, j->value,
		j->is == AGREE_NO     ? "  (!)"
		: j->is == AGREE_WIDE ? "  not discriminating"
				      : "");
	if (j->is != AGREE_NO)
		return;
	fprintf(f, "  %16s  likely cause: ", "");
	put_cause(f, s, i);
	fputs(j->same ? "; no seed changes the figure, so its band has no chance in it\n" : "\n",
		f);
}

static double least_frames(const struct verdict_figures *ref, unsigned n)
{
	double least = ref[0].frames;

	for (unsigned i = 1; i < n; i++)
		least = fmin(least, ref[i].frames);
	return least;
}

bool verdict_agree(
	const struct verdict_figures *ref, unsigned n, const struct summary *run, FILE *f)
{
	struct agree_judged judged[VERDICT_FIGURES];
	struct verdict_figures figure;
	double least = least_frames(ref, n);
	unsigned parted;

	verdict_figures(run, &figure);
	if (fmin(least, figure.frames) < VERDICT_FRAMES) {
		fprintf(f,
			"the clocks were not compared: a window with %.0f and %.0f frames of data "
			"is too short\n",
			least, figure.frames);
		return true;
	}
	parted = agree_judge(judged, ref, n, &figure);
	fprintf(f, "%u runs in virtual time, and one in real time:\n", n);
	fprintf(f, "  %-16s  %10s  %10s .. %-10s  %10s\n", "", "virtual", "at least", "at most",
		"real");
	for (unsigned i = 0; i < VERDICT_FIGURES; i++)
		put_figure(f, run, i, &judged[i]);
	fputs(parted ? "the clocks DISAGREE where marked (!)" : "the clocks agree", f);
	fputs(" (of runs of the same scene, chance puts 1 % outside a band)\n", f);
	return !parted;
}
