// SPDX-License-Identifier: BSD-3-Clause
// Looks at an instance as tests write them: a line "PATH VALUE" for each figure.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tstamp.h"
#include "top/model.h"

static inline struct metrics top_lab_look(tstamp at, const char *lines)
{
	struct metrics m = {.at_ps = at};
	char path[128];
	double value;
	int n;

	m.list = calloc(256, sizeof(*m.list));
	for (; sscanf(lines, "%127s %lf%n", path, &value, &n) == 2; lines += n)
		m.list[m.n++] = (struct metric){.path = strdup(path), .value = value};
	return m;
}

static inline void top_lab_take(struct top_model *m, tstamp at, const char *lines)
{
	struct metrics look = top_lab_look(at, lines);

	top_model_take(m, &look);
}
