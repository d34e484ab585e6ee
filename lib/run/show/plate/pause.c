// SPDX-License-Identifier: BSD-3-Clause
// Pauses: a lane for each port and class that was stopped, those that stood longest first.
#include <math.h>
#include <stdlib.h>

#include "int.h"

#define LANES 40

struct lane {
	const json_t *pause;
	double total_us;
	size_t place;
};

static int by_total(const void *a, const void *b)
{
	const struct lane *p = a, *q = b;

	if (p->total_us != q->total_us)
		return p->total_us > q->total_us ? -1 : 1;
	return (p->place > q->place) - (p->place < q->place);
}

// All lanes, in their order; NULL: no memory.
static struct lane *lanes_of(struct plate *p, const json_t *list)
{
	struct lane *lane = PLATE_ROOM(p, json_array_size(list), struct lane);
	const json_t *one;
	size_t i;

	if (!lane)
		return NULL;
	json_array_foreach(list, i, one) lane[i] =
		(struct lane){one, saved_number(one, "total_us"), i};
	qsort(lane, json_array_size(list), sizeof(*lane), by_total);
	return lane;
}

static size_t add_spans(
	struct paper_row *row, const struct lane *lane, double unit_us, unsigned number)
{
	const json_t *span;
	size_t i;

	json_array_foreach(json_object_get(lane->pause, "spans"), i, span) row[i] =
		(struct paper_row){.y = number,
			.low = json_number_value(json_array_get(span, 0)) / unit_us,
			.high = json_number_value(json_array_get(span, 1)) / unit_us};
	return json_array_size(json_object_get(lane->pause, "spans"));
}

void plate_pauses(struct plate *p)
{
	const json_t *list = json_object_get(p->run, "pauses");
	size_t all = json_array_size(list), spans = 0;
	struct lane *lane = lanes_of(p, list);
	const char *names[LANES];
	struct paper_series series = {
		.name = "stopped by PFC or PAUSE", .style = PAPER_SPANS, .colour = 1};
	struct paper f = {.series = &series,
		.n_series = 1,
		.y = {.column = "lane", .title = "", .unit = "", .lane = names}};
	struct paper_row *row;
	double unit_us;

	if (!all || !lane)
		return;
	f.x = plate_time(p, &unit_us);
	f.y.n_lanes = all < LANES ? (unsigned)all : LANES;
	for (unsigned i = 0; i < f.y.n_lanes; i++)
		spans += json_array_size(json_object_get(lane[i].pause, "spans"));
	row = PLATE_ROOM(p, spans, struct paper_row);
	if (!row || !spans)
		return;
	for (unsigned i = 0; i < f.y.n_lanes; i++) {
		series.n += add_spans(row + series.n, &lane[i], unit_us, i);
		names[i] = plate_format(p, "%s.%.0f", saved_text(lane[i].pause, "name"),
			saved_number(lane[i].pause, "class"));
	}
	series.row = row;
	f.title = all > f.y.n_lanes ? plate_format(p, "%s: pauses of %u of %zu ports and classes",
					      p->name, f.y.n_lanes, all)
				    : plate_format(p, "%s: pauses", p->name);
	plate_put(p, &f, "pauses", NULL);
}
