// SPDX-License-Identifier: BSD-3-Clause
// The figures of one scene on both clocks, and how far they may be apart.
#include "agree.h"

#include <math.h>

#include "verdict.h"

#define LEAST_FRAMES 100 // of data, for a rate to mean something
#define LEAST_COUNT  25  // events, for their number to mean something
#define SIGMAS       4   // of a number of independent events, that chance gives

static const struct agree_figure figures[] = {
	{"goodput", "total.goodput_gbps", AGREE_RATE, 0.02},
	{"Jain", "jain", AGREE_INDEX, 0.02},
	{"lossless drops", "total.lossless_drops", AGREE_LOSS, 0.2},
	{"drops", "drops", AGREE_COUNT, 0.2},
	{"marks", "marks", AGREE_COUNT, 0.2},
	{"CNPs", "cnp_rx", AGREE_COUNT, 0.2},
};

static enum agree_verdict verdict(bool yes)
{
	return yes ? AGREE_YES : AGREE_NO;
}

static enum agree_verdict judge_count(double limit, double a, double b)
{
	double most = fmax(a, b);

	if (most == 0)
		return AGREE_NONE;
	if (most < LEAST_COUNT)
		return AGREE_TOO_FEW;
	return verdict(fabs(b - a) <= fmax(limit * most, SIGMAS * sqrt(most)));
}

enum agree_verdict agree_judge(const struct agree_figure *f, double a, double b, uint64_t frames)
{
	if (isnan(a) && isnan(b))
		return AGREE_NONE;
	if (f->kind == AGREE_LOSS && (a > 0) == (b > 0))
		return a > 0 ? judge_count(f->limit, a, b) : AGREE_YES;
	if (f->kind == AGREE_LOSS)
		return AGREE_NO;
	if (f->kind == AGREE_COUNT)
		return judge_count(f->limit, a, b);
	if (f->kind == AGREE_RATE && a == 0 && b == 0)
		return AGREE_NONE;
	if (frames < LEAST_FRAMES || isnan(a) || isnan(b))
		return AGREE_TOO_FEW;
	return verdict(fabs(b - a) <= f->limit * (f->kind == AGREE_RATE ? fabs(a) : 1));
}

// Frames of data that reached their receivers in the window.
static uint64_t data_frames(const struct summary *s)
{
	return (uint64_t)(summary_sum(s, KIND_FLOW, "data_frames_rx") +
			  summary_sum(s, KIND_SOURCE, "rx_frames"));
}

static void put_figure(FILE *f, const struct agree_figure *g, double a, double b)
{
	fprintf(f, "  %s ", g->name);
	if (g->kind == AGREE_INDEX)
		fprintf(f, "%.3f and %.3f", a, b);
	else if (g->kind == AGREE_RATE && a > 0)
		fprintf(f, "%+.1f %%", 100 * (b - a) / a);
	else if (g->kind == AGREE_COUNT && a >= LEAST_COUNT)
		fprintf(f, "%+.1f %%", 100 * (b - a) / a);
	else if (g->kind == AGREE_RATE)
		fprintf(f, "%.3f and %.3f Gb/s", a, b);
	else
		fprintf(f, "%.0f and %.0f", a, b);
}

bool verdict_agree(const struct summary *v, const struct summary *r, FILE *f)
{
	uint64_t of_v = data_frames(v), of_r = data_frames(r);
	uint64_t least = of_v < of_r ? of_v : of_r;
	bool ok = true;

	if (least < LEAST_FRAMES) {
		fprintf(f,
			"the clocks were not compared: a window with %llu and %llu frames of data "
			"is too short\n",
			(unsigned long long)of_v, (unsigned long long)of_r);
		return true;
	}
	fprintf(f, "real against virtual:");
	for (unsigned i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		const struct agree_figure *g = &figures[i];
		double a = summary_value(v, g->path), b = summary_value(r, g->path);
		enum agree_verdict is = agree_judge(g, a, b, least);

		if (is == AGREE_NONE)
			continue;
		put_figure(f, g, a, b);
		fputs(is == AGREE_NO          ? " (!)"
			: is == AGREE_TOO_FEW ? " (too few to compare)"
					      : "",
			f);
		ok &= is != AGREE_NO;
	}
	fprintf(f,
		"\n%s (goodput within 2 %%, Jain 0.02, no lossless drops on one clock only;\n"
		"drops, marks and CNPs 20 %% or what chance gives)\n",
		ok ? "the clocks agree" : "the clocks DISAGREE where marked (!)");
	if (!ok && verdict_unsound(r))
		fprintf(f,
			"what differs may be the run on the real clock and not the scene: %s, as "
			"its first lines say\n",
			verdict_unsound(r));
	return ok;
}
