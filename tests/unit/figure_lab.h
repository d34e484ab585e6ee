// SPDX-License-Identifier: BSD-3-Clause
// One run at a time whose figures are asked by their paths.
#pragma once

#include "record_lab.h"

static struct lab l;

static inline double v(const char *path)
{
	return report_value(l.rec, path);
}

// One run for all tests of a program: set up, and torn down.
static inline int figures_of_two(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	return lab_run(&l, NULL, 0, false);
}

static inline int figures_end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}
