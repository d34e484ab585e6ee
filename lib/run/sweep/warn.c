// SPDX-License-Identifier: BSD-3-Clause
// The warnings of a sweep: how many runs warned, and of what.
#include <string.h>

#include "sweep.h"

#define SHOWN 20 // different warnings that are told

struct told {
	const char *line;
	size_t n;
	unsigned runs, last; // how many have it, and the last of them
};

static struct told *find(struct told *t, unsigned n_told, const char *line, size_t n)
{
	for (unsigned i = 0; i < n_told; i++)
		if (t[i].n == n && !memcmp(t[i].line, line, n))
			return &t[i];
	return NULL;
}

// The lines of a run, each counted once. Returns whether one found no room.
static bool count(struct told *t, unsigned *n_told, const struct sweep *s, unsigned run)
{
	bool full = false;
	size_t n;

	for (const char *at = s->row[run].warned; *at; at += n + 1) {
		struct told *one;

		n = strcspn(at, "\n");
		one = find(t, *n_told, at, n);
		if (!one && *n_told < SHOWN) {
			one = &t[(*n_told)++];
			*one = (struct told){at, n, 1, run};
		} else if (one && one->last != run) {
			one->runs++;
			one->last = run;
		}
		full |= !one;
	}
	return full;
}

void sweep_warnings(const struct sweep *s, FILE *f)
{
	struct told t[SHOWN];
	unsigned n_told = 0, warned = 0;
	bool more = false;

	for (unsigned i = 0; i < s->n_runs; i++) {
		warned += s->row[i].warned[0] != 0;
		more |= count(t, &n_told, s, i);
	}
	if (!warned)
		return;
	fprintf(f, "warnings in %u of %u runs\n", warned, s->n_runs);
	for (unsigned i = 0; i < n_told; i++)
		fprintf(f, "  %u %s: %.*s\n", t[i].runs, t[i].runs == 1 ? "run" : "runs",
			(int)t[i].n, t[i].line);
	if (more)
		fputs("  and others; `quench run` tells those of one run\n", f);
}
