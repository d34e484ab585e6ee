// SPDX-License-Identifier: BSD-3-Clause
// An event as a line of a table for people, or as a JSON object on a line.
#pragma once

#include "names.h"
#include "out/out.h"

// The columns of a table.
struct evf_table {
	int event, object, flow;    // characters
	unsigned class_at, flow_at; // columns of the file; 0: it has none
};

void evf_table_init(struct evf_table *t, const struct evf_names *n);
void evf_table_head(const struct evf_table *t, struct out *o);
// Writes one event as a row. `number` as for evf_line().
void evf_table_row(const struct evf_table *t, const struct evf_names *n, const struct ev *e,
	uint64_t number, struct out *o);

// The columns of events.csv that the event has, then its other fields.
void evf_json(const struct evf_names *n, const struct ev *e, uint64_t number, struct out *o);
