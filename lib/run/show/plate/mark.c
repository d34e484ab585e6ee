// SPDX-License-Identifier: BSD-3-Clause
// Marking curves: share of marked frames at each queue length, beside the configured curve.
#include <math.h>

#include "base/binom.h"
#include "int.h"

#define ENOUGH 100 // frames: bins with fewer are counted together with their neighbours

struct bins {
	double *from, *to, *frames, *marked;
	size_t n;
};

static bool read_bins(struct plate *p, const json_t *curve, struct bins *b)
{
	b->n = SIZE_MAX;
	b->from = plate_numbers(p, curve, "from", &b->n);
	b->to = plate_numbers(p, curve, "to", &b->n);
	b->frames = plate_numbers(p, curve, "frames", &b->n);
	b->marked = plate_numbers(p, curve, "marked", &b->n);
	return b->from && b->to && b->frames && b->marked;
}

// Bins that are counted together; they are drawn at the mean length that their frames saw.
struct pool {
	double frames, marked, length;
};

static bool end_pool(struct plate *p, struct pool *o, struct paper_row *to)
{
	double low, high;

	if (!(o->frames > 0))
		return false;
	binom_wilson((uint64_t)o->frames, (uint64_t)o->marked, &low, &high);
	*to = (struct paper_row){.x = o->length / o->frames / 1e3,
		.y = 100 * o->marked / o->frames,
		.low = 100 * low,
		.high = 100 * high,
		.name = plate_format(p, "%.0f of %.0f frames", o->marked, o->frames)};
	*o = (struct pool){0};
	return true;
}

// Bins below Kmin, between both and above Kmax are never counted together.
static size_t measured(
	struct plate *p, const struct bins *b, double kmin, double kmax, struct paper_row *row)
{
	struct pool o = {0};
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		double to = isfinite(b->to[i]) ? b->to[i] : b->from[i];

		if (b->frames[i] > 0 && b->marked[i] >= 0 && isfinite(b->from[i])) {
			o.frames += b->frames[i];
			o.marked += b->marked[i];
			o.length += b->frames[i] * (b->from[i] + to) / 2;
		}
		if (o.frames >= ENOUGH || to == kmin || to == kmax || i + 1 == b->n)
			n += end_pool(p, &o, &row[n]);
	}
	return n;
}

static void put_curve(struct plate *p, const json_t *curve)
{
	const char *name = saved_text(curve, "name");
	double kmin = saved_number(curve, "kmin"), kmax = saved_number(curve, "kmax");
	double pmax = 100 * saved_number(curve, "pmax");
	const struct paper_row slope[] = {{.x = 0}, {.x = kmin / 1e3}, {.x = kmax / 1e3, .y = pmax},
		{.x = kmax / 1e3, .y = 100}};
	const struct paper_line line[] = {{true, kmin / 1e3, "Kmin"}, {true, kmax / 1e3, "Kmax"}};
	struct paper_series series[] = {
		{.name = "configured", .style = PAPER_LINE, .colour = 1, .row = slope, .n = 3},
		{.name = "measured, with its 95 % interval", .style = PAPER_ERRORS}};
	struct paper f = {.series = series, .n_series = 2, .line = line, .n_lines = 2};
	struct paper_row *row;
	struct bins b;
	size_t n;

	f.x = (struct paper_axis){
		.column = "length", .title = "Queue length", .unit = "KB", .scale = PAPER_LINEAR};
	f.y = (struct paper_axis){
		.column = "marked", .title = "Marked frames", .unit = "%", .scale = PAPER_LINEAR};
	f.title = plate_format(p, "%s: marking at %s", p->name, name);
	if (!isfinite(kmax)) {
		series[0] = series[1];
		f.n_series = 1;
	}
	if (!read_bins(p, curve, &b))
		return;
	row = PLATE_ROOM(p, b.n, struct paper_row);
	if (!row)
		return;
	n = measured(p, &b, kmin, kmax, row);
	if (n && row[n - 1].x > kmax / 1e3)
		series[0].n = 4; // the step to 1 matters where frames met it
	series[f.n_series - 1].row = row;
	series[f.n_series - 1].n = n;
	if (n)
		plate_put(p, &f, "marking", name);
}

void plate_marking(struct plate *p)
{
	const json_t *curve;
	size_t i;

	json_array_foreach(json_object_get(p->run, "marking"), i, curve) put_curve(p, curve);
}
