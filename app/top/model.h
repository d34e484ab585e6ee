// SPDX-License-Identifier: BSD-3-Clause
// Rows of ports, queues and queue pairs, made from looks at an instance. Rates are differences
// between two looks over scene time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "instance/instance.h"

enum top_section { TOP_PORTS, TOP_QUEUES, TOP_FLOWS, TOP_SECTIONS, TOP_ALL = TOP_SECTIONS };

// The values of a row, by its section.
enum top_port { PORT_OUT, PORT_IN, PORT_RATE, PORT_PAUSED, PORT_PAUSING, PORT_DROPS };
enum top_queue { QUEUE_LENGTH, QUEUE_LOW, QUEUE_HIGH, QUEUE_MARKS, QUEUE_PAUSES, QUEUE_DROPS };
enum top_flow { FLOW_RATE, FLOW_RC, FLOW_ALPHA, FLOW_CNPS, FLOW_RESENT, FLOW_SENT };
// The values of the one row of TOP_ALL.
enum top_all {
	ALL_MARKS,
	ALL_CNPS,
	ALL_PAUSES,
	ALL_RESENT,
	ALL_DROPS,
	ALL_LOSSES, // of lossless classes, in the whole run
	ALL_GAP_P99,
	ALL_GAP_MAX,
	TOP_VALUES
};

#define TOP_PASTS 2 // values of a row whose past is kept: its first ones

struct top_row {
	char *name;
	double value[TOP_VALUES]; // NAN: not known
	double mean[TOP_VALUES];  // of the last looks: rows are sorted by it, and do not jump
	float *past;              // [TOP_PASTS][depth]
};

struct top_rows {
	struct top_row *row; // in the order in which the instance names them
	unsigned n, cap;
	uint32_t *place; // hash table of row numbers plus 1
	unsigned places;
};

// Which values a figure of a look goes to.
struct top_slot {
	const struct top_rule *rule; // NULL: none
	uint32_t row;
};

struct top_model {
	struct top_rows of[TOP_SECTIONS + 1];
	struct metrics before;
	struct top_slot *slot; // for each figure of `before`
	char losses[160];      // "headroom 12, tail 3"
	double fastest_gbps;   // rate of the fastest link
	double goodput_gbps;   // of all rows of TOP_FLOWS
	double elapsed_s;      // scene time between the last two looks
	unsigned looks;        // that were taken, gaps too
	unsigned depth;        // looks that pasts hold, a ring
	uint64_t *past_at;     // scene time of each look in the pasts; 0: a gap
	bool no_memory;        // rows are missing
};

#pragma GCC visibility push(hidden)

// Makes a model that keeps the pasts of `depth` looks. -ENOMEM.
int top_model_init(struct top_model *m, unsigned depth);
void top_model_free(struct top_model *m);

// Takes a look, and frees it later. A look at the same scene time as the one before is no news, and
// changes nothing.
void top_model_take(struct top_model *m, struct metrics *look);

// Marks a gap in the pasts, where a look was not taken.
void top_model_gap(struct top_model *m);

// The row of a name; NULL: there is none.
const struct top_row *top_model_row(
	const struct top_model *m, enum top_section s, const char *name);

// A value of the past: `ago` looks before the last one; NAN: not known.
double top_model_past(
	const struct top_model *m, const struct top_row *row, unsigned value, unsigned ago);
// Scene time from that look to the last one in ps.
uint64_t top_model_ago(const struct top_model *m, unsigned ago);

// The patterns of all figures that the model reads, for metrics_ask().
extern const char top_model_patterns[];

#pragma GCC visibility pop
