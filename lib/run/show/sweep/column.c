// SPDX-License-Identifier: BSD-3-Clause
// Columns of a sweep that can be drawn: figures, and varied paths whose values are numbers.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"

// The units that values of a varied path may have, and the divisor for the drawing.
static const struct sweep_scale scales[] = {
	{true, UNITS_COUNT, 1, ""},
	{false, UNITS_TIME, 1e6, "us"},
	{false, UNITS_SIZE, 1e3, "KB"},
	{false, UNITS_RATE, 1e9, "Gb/s"},
	{false, UNITS_CLOCK, 1e6, "MHz"},
};

bool sweep_scale_parse(const struct sweep_scale *to, const char *text, double *value)
{
	uint64_t whole;

	if (to->plain)
		return units_parse_real(text, value) == UNITS_OK;
	if (units_parse(to->kind, text, &whole) != UNITS_OK)
		return false;
	*value = (double)whole / to->unit;
	return true;
}

const struct sweep_scale *sweep_scale_of(const struct sweep_axis *a)
{
	double ignored;

	for (unsigned i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		unsigned n = 0;

		while (n < a->n && sweep_scale_parse(&scales[i], a->value[n], &ignored))
			n++;
		if (n == a->n)
			return &scales[i];
	}
	return NULL;
}

const char *sweep_column_name(const struct sweep *s, unsigned col)
{
	return col < s->n_columns ? s->column[col].name : s->axis[col - s->n_columns].path;
}

static bool can_be_drawn(const struct sweep *s, unsigned col)
{
	return col < s->n_columns || sweep_scale_of(&s->axis[col - s->n_columns]);
}

static int column_named(const struct sweep *s, const char *name, size_t n)
{
	for (unsigned i = 0; i < s->n_columns + s->n_axes; i++) {
		const char *one = sweep_column_name(s, i);

		if (strlen(one) == n && !memcmp(one, name, n) && can_be_drawn(s, i))
			return (int)i;
	}
	return -1;
}

// The column of a name that is n bytes long; it may be an older name of a figure.
static int find_column(const struct sweep *s, const char *name, size_t n)
{
	int col = column_named(s, name, n);
	char was[SUMMARY_PATH], now[SUMMARY_PATH];

	snprintf(was, sizeof(was), "%.*s", (int)n, name);
	if (col < 0 && summary_path_now(was, now, sizeof(now)))
		col = column_named(s, now, strlen(now));
	return col;
}

int sweep_plot_axes(const struct sweep *s, const char *text, unsigned axis[2], struct err *err)
{
	const char *comma = strchr(text, ',');
	int x = comma ? find_column(s, text, (size_t)(comma - text)) : -1;
	int y = comma ? find_column(s, comma + 1, strlen(comma + 1)) : -1;
	char list[ERR_HINT] = "";

	if (x >= 0 && y >= 0) {
		axis[0] = (unsigned)x;
		axis[1] = (unsigned)y;
		return 0;
	}
	for (unsigned i = 0; i < s->n_columns + s->n_axes; i++) {
		size_t len = strlen(list);

		if (can_be_drawn(s, i))
			snprintf(list + len, sizeof(list) - len, "%s%s", len ? ", " : "",
				sweep_column_name(s, i));
	}
	return err_set(err, -EINVAL,
		"--plot '%.200s': "
		"two columns of numbers of sweep.csv by their names, X,Y, out of %s",
		text, list);
}

double sweep_axis_place(const struct sweep *s, unsigned run, unsigned col)
{
	struct scene_set set[SWEEP_AXES];
	double value = NAN;

	if (col < s->n_columns)
		return s->row[run].value[col] / s->column[col].shown;
	sweep_pick(s, run, set);
	sweep_scale_parse(sweep_scale_of(&s->axis[col - s->n_columns]),
		set[col - s->n_columns].value, &value);
	return value;
}
