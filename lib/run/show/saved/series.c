// SPDX-License-Identifier: BSD-3-Clause
// The samples of timeseries.csv.
#include "series.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"

enum { TIME, KIND, OBJECT, VALUE };

static const char *const names[VALUE + SAVED_COLS] = {
	[TIME] = "time_us",
	[KIND] = "kind",
	[OBJECT] = "object",
	[VALUE + SAVED_QLEN] = "qlen_bytes",
	[VALUE + SAVED_QLEN_MEAN] = "qlen_mean_bytes",
	[VALUE + SAVED_QLEN_MAX] = "qlen_max_bytes",
	[VALUE + SAVED_TX_GBPS] = "tx_gbps",
	[VALUE + SAVED_MARKED] = "ecn_marked_frames",
	[VALUE + SAVED_DROPPED] = "dropped_frames",
	[VALUE + SAVED_PAUSED_US] = "paused_us",
	[VALUE + SAVED_GOODPUT_GBPS] = "goodput_gbps",
	[VALUE + SAVED_RC_GBPS] = "rc_gbps",
	[VALUE + SAVED_RT_GBPS] = "rt_gbps",
	[VALUE + SAVED_ALPHA] = "alpha",
	[VALUE + SAVED_CNP_RX] = "cnp_rx",
};

static const char *const kinds[SAVED_KINDS] = {"queue", "rxbuf", "flow"};

void saved_series_close(struct saved *s)
{
	csv_close(&s->series.csv);
	s->series.open = false;
}

bool saved_series(struct saved *s)
{
	struct saved_series *r = &s->series;
	int ret;

	saved_series_close(s);
	r->bad = (struct bad){0};
	ret = csv_open(&r->csv, s->dir, "timeseries.csv", ',');
	if (ret) {
		if (ret != -ENOENT)
			saved_miss(s, "timeseries.csv cannot be read: %s.", strerror(-ret));
		else if (!saved_left_out(s, "timeseries.csv"))
			saved_miss(s, "timeseries.csv is missing.");
		return false;
	}
	if (csv_next(&r->csv) == CSV_ROW)
		for (unsigned c = 0; c < VALUE + SAVED_COLS; c++)
			r->column[c] = csv_find(r->csv.cell, r->csv.n, names[c]);
	r->width = r->csv.n;
	r->open =
		r->width && r->column[TIME] >= 0 && r->column[KIND] >= 0 && r->column[OBJECT] >= 0;
	if (!r->open) {
		saved_miss(s, "timeseries.csv does not begin with the names of its columns.");
		saved_series_close(s);
	}
	return r->open;
}

static bool sample(struct saved *s)
{
	struct saved_series *r = &s->series;
	struct saved_sample *v = &r->sample;
	char **c = r->csv.cell;
	const char *name;
	unsigned kind = 0;
	int line;

	if (r->csv.n != r->width || !csv_fixed(c[r->column[TIME]], 6, &v->t))
		return false;
	while (kind < SAVED_KINDS && strcmp(kinds[kind], c[r->column[KIND]]) != 0)
		kind++;
	if (kind == SAVED_KINDS)
		return false;
	v->kind = kind;
	for (unsigned i = 0; i < SAVED_COLS; i++) {
		int at = r->column[VALUE + i];

		v->value[i] = NAN;
		if (at >= 0 && !csv_real(c[at], &v->value[i]))
			return false;
	}
	name = c[r->column[OBJECT]];
	line = *name ? lexicon_number(&s->lines, name, strlen(name)) : -1;
	v->object = (unsigned)line;
	return line >= 0;
}

const struct saved_sample *saved_sample(struct saved *s)
{
	struct saved_series *r = &s->series;
	enum csv_got got;

	if (!r->open)
		return NULL;
	while ((got = csv_next(&r->csv)) == CSV_ROW) {
		if (sample(s))
			return &r->sample;
		if (!r->bad.n++)
			r->bad.first = r->csv.number;
	}
	if (got == CSV_CUT)
		saved_miss(s, "timeseries.csv ends within line %llu.",
			(unsigned long long)r->csv.number);
	saved_miss_lines(s, "timeseries.csv", &r->bad);
	saved_series_close(s);
	return NULL;
}

unsigned saved_lines(const struct saved *s)
{
	return s->lines.n;
}

const char *saved_line(const struct saved *s, unsigned i)
{
	return i < s->lines.n ? s->lines.text[i] : "";
}
