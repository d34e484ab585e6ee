// SPDX-License-Identifier: BSD-3-Clause
// Jobs in the table: how long each took, and below it what the time went to.
#include <math.h>
#include <string.h>

#include "int.h"

#define SHOWN 16 // jobs that the table has

static const struct {
	const char *figure, *name;
} parts[] = {
	{"wire_us", "wire"},
	{"compute_us", "compute"},
	{"pause_us", "pause"},
	{"rate_us", "rate cut"},
	{"resend_us", "resend"},
	{"wait_us", "wait"},
	{"between_us", "between iterations"},
};

// Three decimals of a microsecond, where the time is short.
static const char *time_text(char to[32], double us)
{
	if (isnan(us))
		return "-";
	if (us >= 1e4)
		return text_duration(to, 32, us);
	snprintf(to, 32, "%.3f us", us);
	return to;
}

#define TIME(us) time_text((char[32]){0}, us)

static void put_bus(FILE *f, double gbps)
{
	if (isnan(gbps))
		fprintf(f, " %9s", "-");
	else
		fprintf(f, " %9.3f", gbps);
}

static void put_slowest(FILE *f, const struct row *j)
{
	double rank = at(j, "slowest_rank");

	if (!isnan(rank))
		fprintf(f, "  rank %.0f (%s), %.0f %%", rank, LABEL(j, "slowest_host"),
			at(j, "slowest_percent"));
	fprintf(f, "\n");
}

// Shares of the time by cause. A cause without a share is left out.
static void put_parts(FILE *f, const struct row *j, int width)
{
	const char *before = "of it";
	double all = 0;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		all += at(j, parts[i].figure);
	if (isnan(all)) // of a job in several parts
		return;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		double part = at(j, parts[i].figure);

		if (!(part > 0))
			continue;
		if (*before != ',')
			fprintf(f, "  %-*s ", width, "");
		fprintf(f, "%s %s %.1f %%", before, parts[i].name, 100 * part / all);
		before = ",";
	}
	if (*before == ',')
		fprintf(f, "\n");
}

static void put_job(FILE *f, const struct row *j, int width)
{
	char done[48];

	snprintf(done, sizeof(done), "%llu/%llu", count(j, "iterations_done"),
		count(j, "iterations"));
	fprintf(f, "  %-*s %6llu %11s %12s %12s", width, LABEL(j, "job"), count(j, "ranks"), done,
		TIME(at(j, "completion_us")), TIME(at(j, "iteration_mean_us")));
	put_bus(f, at(j, "busbw_gbps"));
	put_slowest(f, j);
	put_parts(f, j, width);
	if (count(j, "ranks_open"))
		fprintf(f, "  %-*s NOT OVER: %llu rank%s\n", width, "", count(j, "ranks_open"),
			plural(count(j, "ranks_open")));
}

void text_jobs(FILE *f, const struct summary *s)
{
	struct row j = rows(s, KIND_JOB);
	int width = 8;

	if (!j.n)
		return;
	for (; j.i < j.n && j.i < SHOWN; j.i++)
		if ((int)strlen(LABEL(&j, "job")) > width)
			width = (int)strlen(LABEL(&j, "job"));
	fprintf(f, "\n  %-*s %6s %11s %12s %12s %9s  %s\n", width, "job", "ranks", "iterations",
		"completion", "iteration", "bus Gb/s", "last of an iteration");
	for (j.i = 0; j.i < j.n && j.i < SHOWN; j.i++)
		put_job(f, &j, width);
	if (j.i < j.n)
		fprintf(f, "  %u more job%s; `jobs` in summary.json has each\n", j.n - j.i,
			plural(j.n - j.i));
	fprintf(f, "\n");
}
