// SPDX-License-Identifier: BSD-3-Clause
// The slowdown of messages by their size: a table for each group that has bins.
#include <math.h>
#include <string.h>

#include "int.h"

#define TABLES 8 // groups that have one at most

static void put_bin(FILE *f, const struct row *b)
{
	static const char *const fct[] = {
		"fct_posted_p50_us", "fct_posted_p99_us", "fct_posted_max_us"};
	static const char *const slowdown[] = {
		"slowdown_p50", "slowdown_p95", "slowdown_p99", "slowdown_p999", "slowdown_max"};

	fprintf(f, "  %13.0f %9.0f %11.0f", at(b, "to_bytes"), at(b, "messages"),
		at(b, "unfinished"));
	for (unsigned i = 0; i < sizeof(fct) / sizeof(fct[0]); i++) {
		double us = at(b, fct[i]);

		fprintf(f, " %10s", isnan(us) ? "-" : DURATION(us));
	}
	for (unsigned i = 0; i < sizeof(slowdown) / sizeof(slowdown[0]); i++) {
		double v = at(b, slowdown[i]);

		if (isnan(v))
			fprintf(f, " %*s", i ? 9 : 13, "-");
		else
			fprintf(f, " %*.*f", i ? 9 : 13, v < 100 ? 3 : 1, v);
	}
	fprintf(f, "\n");
}

static void put_head(FILE *f, const struct summary *s, const char *group)
{
	const struct record *r = s->rec;

	fprintf(f, "\n  %s by size, of the messages posted from %s", group, DURATION(us(r->warm)));
	if (r->scene->drain)
		fprintf(f, " to %s", DURATION(us(tstamp_min(record_posting_end(r), s->to))));
	else
		fprintf(f, " on");
	fprintf(f, "\n  %13s %9s %11s %10s %10s %10s %13s %9s %9s %9s %9s\n", "bytes up to",
		"ended", "unfinished", "FCT p50", "p99", "max", "slowdown p50", "p95", "p99",
		"p99.9", "max");
}

void text_slowdown(FILE *f, const struct summary *s)
{
	const char *group = "";
	unsigned groups = 0;

	for (struct row b = rows(s, KIND_SLOWDOWN); b.i < b.n; b.i++) {
		const char *of = LABEL(&b, "group");

		if (!summary_id(s, KIND_SLOWDOWN, b.i, "number"))
			groups++;
		if (groups > TABLES)
			continue;
		if (strcmp(of, group) != 0)
			put_head(f, s, of);
		group = of;
		put_bin(f, &b);
	}
	if (groups > TABLES)
		fprintf(f, "  summary.json has the bins of %u more group%s\n", groups - TABLES,
			plural(groups - TABLES));
	if (groups)
		fprintf(f, "\n");
}
