// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room: the report itself, and the function that writes each of its
// files.
#pragma once

#include "report.h"
#include "summary/summary.h"
#include "text/text.h"
#include "verdict/verdict.h"

// A report: the record that it took, its figures, its table.
struct report {
	struct record *rec;
	struct summary *sum;
	struct verdict verdict;
	char *text; // NULL: no memory
};

#pragma GCC visibility push(hidden)

// summary.json.
int report_json(const struct summary *s, const struct verdict *v, struct err *err);

// Writes the distributions that have values as files into the folder `hdr`, if the user asked for
// them.
int report_hdr(const struct summary *s, struct err *err);

#pragma GCC visibility pop
