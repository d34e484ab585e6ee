// SPDX-License-Identifier: BSD-3-Clause
// Runs that differ in their seed only, taken together: mean, 95 % interval and number of each
// figure, as a table and as CSV, and where the seed changes nothing.
#include <math.h>
#include <string.h>

#include "base/student.h"
#include "int.h"
#include "out/out.h"

#define CELL 256 // bytes of a name or a number

// The lines that a group has in the table.
enum part { MEAN, HALF, COUNT, PARTS };

// How many runs of a group went on to their end.
static unsigned count_whole(const struct sweep *s, unsigned group)
{
	unsigned n = 0;

	for (unsigned k = 0; k < sweep_seeds(s); k++)
		n += sweep_is_whole(&s->row[sweep_group_run(s, group, k)]);
	return n;
}

static struct student_sum sum_of(const struct sweep *s, unsigned group, unsigned col)
{
	struct student_sum sum = {0};

	for (unsigned k = 0; k < sweep_seeds(s); k++) {
		const struct sweep_row *row = &s->row[sweep_group_run(s, group, k)];

		if (sweep_is_whole(row))
			student_add(&sum, row->value[col]);
	}
	return sum;
}

// Whether a group has several runs, and no figure differs between them.
static bool is_same(const struct sweep *s, unsigned group)
{
	unsigned runs = count_whole(s, group);

	for (unsigned i = 0; i < s->n_columns; i++) {
		struct student_sum sum = sum_of(s, group, i);

		if (sum.n && (sum.n < runs || sum.least != sum.most))
			return false;
	}
	return runs > 1;
}

static const char *cell(
	const struct sweep *s, unsigned group, unsigned col, enum part part, char *to)
{
	const struct sweep_column *c = &s->column[col];
	struct student_sum sum = sum_of(s, group, col);
	double v = (part == MEAN ? sum.mean : student_half(&sum)) / c->shown;

	if (!sum.n || (part == HALF && isnan(v)))
		return "-";
	if (part == COUNT)
		snprintf(to, CELL, "%u", sum.n);
	else if (isinf(v))
		return "not yet";
	else
		snprintf(to, CELL, "%.*f", c->shown_decimals ? (int)c->shown_decimals : 1, v);
	return to;
}

// Whether a group has a line: of the interval if the seed changes a figure, of the number of runs
// if a figure is missing in some.
static bool has_part(const struct sweep *s, unsigned group, enum part part)
{
	unsigned runs = count_whole(s, group);

	if (part != COUNT)
		return part == MEAN || (runs > 1 && !is_same(s, group));
	for (unsigned i = 0; i < sweep_shown(s); i++) {
		struct student_sum sum = sum_of(s, group, sweep_shown_column(s, i));

		if (sum.n && sum.n < runs)
			return true;
	}
	return false;
}

static const char *label(const struct sweep *s, unsigned group, enum part part, char *to)
{
	if (part == MEAN)
		return sweep_group_name(s, group, to, CELL);
	return part == HALF ? "+- (95 %)" : "seeds";
}

static void measure(const struct sweep *s, int *width)
{
	unsigned n = sweep_shown(s), groups = s->n_runs / sweep_seeds(s);
	char text[CELL];

	width[0] = (int)strlen("mean over seeds");
	for (unsigned g = 0; g < groups; g++)
		for (enum part part = 0; part < PARTS; part++)
			if (has_part(s, g, part))
				sweep_widen(&width[0], label(s, g, part, text));
	for (unsigned i = 0; i < n; i++) {
		unsigned col = sweep_shown_column(s, i);

		width[i + 1] = 0;
		sweep_widen(&width[i + 1], s->column[col].head);
		sweep_widen(&width[i + 1], s->column[col].dim);
		for (unsigned g = 0; g < groups; g++) {
			sweep_widen(&width[i + 1], cell(s, g, col, MEAN, text));
			sweep_widen(&width[i + 1], cell(s, g, col, HALF, text));
		}
	}
}

static void put_group(const struct sweep *s, unsigned group, const int *width, FILE *f)
{
	char text[CELL];

	for (enum part part = 0; part < PARTS; part++) {
		if (!has_part(s, group, part))
			continue;
		fprintf(f, "%-*s", width[0], label(s, group, part, text));
		for (unsigned i = 0; i < sweep_shown(s); i++)
			fprintf(f, "  %*s", width[i + 1],
				cell(s, group, sweep_shown_column(s, i), part, text));
		if (part == MEAN)
			fprintf(f, "  %u%s", count_whole(s, group),
				is_same(s, group) ? ", all the same" : "");
		fputc('\n', f);
	}
}

void sweep_seeds_text(const struct sweep *s, FILE *f)
{
	unsigned groups = s->n_runs / sweep_seeds(s), same = 0;
	int width[SWEEP_COLUMNS + 1];

	if (sweep_seeds(s) < 2)
		return;
	measure(s, width);
	fputc('\n', f);
	sweep_put_heads(s, width, "mean over seeds", "seeds", f);
	for (unsigned g = 0; g < groups; g++) {
		put_group(s, g, width, f);
		same += is_same(s, g);
	}
	if (same)
		fprintf(f, "\nthe seed changes no figure in %u of %u rows\n", same, groups);
}

static void put_heads(const struct sweep *s, struct out *o)
{
	out_str(o, "scenario");
	for (unsigned i = 0; i < s->n_axes; i++) {
		if ((int)i == sweep_seed_axis(s))
			continue;
		out_str(o, ",");
		out_field(o, s->axis[i].path);
	}
	out_str(o, ",seeds,same");
	for (unsigned i = 0; i < s->n_columns; i++) {
		static const char *const ends[] = {"_mean", "_ci95", "_n"};
		char text[CELL];

		for (unsigned k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
			snprintf(text, sizeof(text), "%s%s", s->column[i].name, ends[k]);
			out_str(o, ",");
			out_field(o, text);
		}
	}
	out_str(o, "\n");
}

static void put_number(struct out *o, const struct sweep_column *c, double v)
{
	if (isinf(v))
		out_str(o, ",inf");
	else if (isnan(v))
		out_str(o, ",");
	else
		out_printf(o, ",%.*f", c->decimals < 3 ? 3 : (int)c->decimals, v);
}

void sweep_seeds_csv(const struct sweep *s, struct out *o)
{
	struct scene_set set[SWEEP_AXES];

	put_heads(s, o);
	for (unsigned g = 0; g < s->n_runs / sweep_seeds(s); g++) {
		out_field(o, sweep_pick(s, sweep_group_run(s, g, 0), set));
		for (unsigned i = 0; i < s->n_axes; i++) {
			if ((int)i == sweep_seed_axis(s))
				continue;
			out_str(o, ",");
			out_field(o, set[i].value);
		}
		out_printf(o, ",%u,%s", count_whole(s, g), is_same(s, g) ? "yes" : "no");
		for (unsigned i = 0; i < s->n_columns; i++) {
			struct student_sum sum = sum_of(s, g, i);

			put_number(o, &s->column[i], sum.n ? sum.mean : NAN);
			put_number(o, &s->column[i], student_half(&sum));
			out_printf(o, ",%u", sum.n);
		}
		out_str(o, "\n");
	}
}
