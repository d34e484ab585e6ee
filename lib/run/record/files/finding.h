// SPDX-License-Identifier: BSD-3-Clause
// The findings of a self-test: a list of lines, each with a verdict and an advice.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "out/out.h"

enum record_verdict { RECORD_OK, RECORD_NOTE, RECORD_WARNING, RECORD_BAD, RECORD_VERDICTS };

struct record_finding {
	char subject[64]; // "s1:r", "lcore 2", "machine"
	const char *what; // "firmware"; a literal
	enum record_verdict verdict;
	char found[256];  // one line
	char advice[320]; // advice; empty only if the verdict is ok
};

struct record_findings {
	struct record_finding *line;
	unsigned n, room;
	bool lost; // no memory for more
};

extern const char *const record_verdict_names[RECORD_VERDICTS];

// Adds a line. `advice` may be NULL where the verdict is ok.
void record_finding_add(struct record_findings *f, const char *subject, const char *what,
	enum record_verdict verdict, const char *found, const char *advice);
// Lines of that verdict.
unsigned record_finding_count(const struct record_findings *f, enum record_verdict verdict);
// An array `key` of objects, a line each.
void record_finding_put(struct jw *w, const char *key, const struct record_findings *f);
void record_finding_free(struct record_findings *f);
