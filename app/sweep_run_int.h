// SPDX-License-Identifier: BSD-3-Clause
// The steps of a sweep that come after its runs.
#pragma once

#include "sweep_run.h"

// A line on stderr. Exit status.
int sweep_run_complain(const char *text);

// Writes sweep.csv, sweep.json and sweep.svg into the folder, prints the table or CSV. Exit status.
int sweep_run_out(const struct sweep_run *s);

// What the runs were warned of, on stderr.
void sweep_run_warnings(const struct sweep_run *s);

// The scene of a run, as scene_load.
int sweep_run_load(const struct sweep_run *s, unsigned i, struct scene **scene, struct err *err);

// -EINVAL with a line where a column of --column is one that no run can have.
int sweep_run_columns(struct sweep_run *s, struct err *err);
