// SPDX-License-Identifier: BSD-3-Clause
// The output of a model as text: CSV with one header, or JSON lines.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "out/out.h"

struct model;
struct model_row;

struct show {
	struct out *o;
	const struct model *model;
	bool json;
	const atomic_bool *stop; // set: the row that is shown is the last
};

// The line of CSV that names the columns; nothing of JSON.
void show_head(const struct show *s);

// Writes a row with the model's state and registers. `arg`: the struct show. False: it is the last
// row, because the stop flag is set or writing fails.
bool show_row(void *arg, const struct model_row *row);
