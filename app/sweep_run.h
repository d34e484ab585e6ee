// SPDX-License-Identifier: BSD-3-Clause
// A sweep under way: its runs in processes, its files, its table.
#pragma once

#include <limits.h>

#include "sweep/sweep.h"
#include "session.h"

struct sweep_run {
	struct session all; // what every run has in common; the first
	struct sweep plan;
	unsigned jobs; // at once; 0: one for each processor
	bool csv, files;
	const char *plot; // two columns; NULL: no sweep.svg
	unsigned plot_axis[2];
	char *dir; // where its files go
	bool show; // progress
	unsigned ended;
};

// Makes the folder, runs everything, writes and prints. Exit status.
int sweep_run(struct sweep_run *s);
