// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of the terminal's table: figures by name, times with a unit.
#pragma once

#include "text.h"

#pragma GCC visibility push(hidden)

typedef unsigned long long ull;

#define DURATION(us) text_duration((char[32]){0}, 32, us)

static inline double us(tstamp ps)
{
	return (double)ps / 1e6;
}

// Object i of the n objects of a kind; the table reads its figures.
struct row {
	const struct summary *s;
	enum kind_id kind;
	unsigned i, n;
};

static inline struct row rows(const struct summary *s, enum kind_id kind)
{
	return (struct row){.s = s, .kind = kind, .n = s->set[kind].n};
}

static inline double at(const struct row *r, const char *figure)
{
	return summary_at(r->s, r->kind, r->i, figure);
}

static inline ull count(const struct row *r, const char *figure)
{
	return summary_count(r->s, r->kind, r->i, figure);
}

#define LABEL(row, name) summary_label((row)->s, (row)->kind, (row)->i, name, (char[KIND_NAME]){0})

static inline bool is(const struct row *r, const char *name)
{
	return summary_is(r->s, r->kind, r->i, name);
}

static inline const char *size_text(char *to, size_t size, double bytes)
{
	if (bytes >= 1e7)
		snprintf(to, size, "%.2f MB", bytes / 1e6);
	else
		snprintf(to, size, "%.1f KB", bytes / 1e3);
	return to;
}

#define SIZE(bytes) size_text((char[32]){0}, 32, (double)(bytes))

// The unit in which three decimals of a rate say something.
struct rate_unit {
	double gbps; // one of it
	const char *name;
};

static inline struct rate_unit rate_unit(double gbps)
{
	if (!(gbps < 0.1) || gbps <= 0)
		return (struct rate_unit){1, "Gb/s"};
	return gbps < 1e-4 ? (struct rate_unit){1e-6, "kb/s"} : (struct rate_unit){1e-3, "Mb/s"};
}

// Writes a rate with its unit. `given`: the scenario gives the rate, so trailing zeros are left
// out.
static inline const char *rate_text(char *to, size_t size, double gbps, bool given)
{
	struct rate_unit unit = rate_unit(gbps);

	snprintf(to, size, given ? "%.4g %s" : "%.3f %s", gbps / unit.gbps, unit.name);
	return to;
}

#define RATE(gbps)       rate_text((char[32]){0}, 32, gbps, false)
#define RATE_GIVEN(gbps) rate_text((char[32]){0}, 32, gbps, true)

static inline unsigned class_of(const struct row *r)
{
	return (unsigned)summary_id(r->s, r->kind, r->i, "class");
}

static inline double total(const struct summary *s, const char *figure)
{
	return summary_at(s, KIND_TOTAL, 0, figure);
}

static inline ull total_count(const struct summary *s, const char *figure)
{
	return summary_count(s, KIND_TOTAL, 0, figure);
}

// Parts of the table: traffic, jobs, slowdown by size, queues and buffers, congestion points,
// notification points and switches that send CNPs, queues that stood still, discarded frames,
// faults.
void text_traffic(FILE *f, const struct summary *s);
void text_jobs(FILE *f, const struct summary *s);
void text_slowdown(FILE *f, const struct summary *s);
void text_queues(FILE *f, const struct summary *s);
void text_cps(FILE *f, const struct summary *s);
void text_cn(FILE *f, const struct summary *s);
void text_watchdog(FILE *f, const struct summary *s);
void text_drops(FILE *f, const struct summary *s);
void text_faults(FILE *f, const struct summary *s);

// Writes the nodes behind observed ports; nothing if no port is observed.
void text_outside(FILE *f, const struct summary *s);

// Writes the queue pairs that have failed; nothing if there are none.
void text_failures(FILE *f, const struct summary *s);

// The addresses that hosts and sources learned, and a hint for each that is missing.
void text_neighbours(FILE *f, const struct summary *s);

// Requests that were refused, with what would help.
void text_refused(FILE *f, const struct summary *s);

// The verdicts: whether nothing was lost, the scenario's criteria, and the lines or events that the
// files lack.
void text_verdicts(FILE *f, const struct summary *s, const struct verdict *v);

#pragma GCC visibility pop
