// SPDX-License-Identifier: BSD-3-Clause
// The figures of a running instance at one moment, all pages of them.
#pragma once

#include "instance.h"

struct metric {
	char *path; // "queue.s1:r.3.length_bytes"
	double value;
	unsigned decimals; // as the instance told it
};

struct metrics {
	struct metric *list; // by kind, and by object within a kind
	unsigned n;
	uint64_t at_ps;
	char timing[128]; // words for a timing that loops have broken; "": it is held
	unsigned pages;   // that it took
};

// Asks for the figures that fit one of the patterns (live_path_fits; "": all). -errno and a line,
// as instance_ask; -EAGAIN where other clients ask so often that no moment lasts. *m is for
// metrics_free in any case.
int metrics_ask(
	struct metrics *m, const struct instance *from, const char *patterns, struct err *err);
void metrics_free(struct metrics *m);
