// SPDX-License-Identifier: BSD-3-Clause
// The steps of a sweep that come after its runs.
#pragma once

#include "sweep_run.h"

// A line on stderr. Exit status.
int sweep_run_complain(const char *text);

// Writes sweep.csv, sweep.json and sweep.svg into the folder, prints the table or CSV. Exit status.
int sweep_run_out(const struct sweep_run *s);
