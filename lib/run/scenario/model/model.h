// SPDX-License-Identifier: BSD-3-Clause
// Room model: one reaction point by itself, fed from a trace, as the golden model for a test bench.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rp/rp.h"
#include "conf/conf.h"

struct model;
struct trace_event;

// One thing that happened: an event of the trace, or a timer that expired in between.
struct model_row {
	tstamp at;
	uint64_t line;     // of the trace; 0: a timer's
	const char *event; // "cnp", "timer"
	enum rp_event result;
	bool has_value; // a register was read or written
	uint64_t value;
};

// Called behind each event: the model is as that event left it. False: nothing more is wanted.
typedef bool model_see(void *arg, const struct model_row *row);

// A reaction point at time 0 as `cfg` says; `seed` is for its random decisions (QCN). An RDMA IP
// has a register file with queue pair 1, brought up. -ENOMEM and a line.
int model_new(struct model **model, const struct rp_cfg *cfg, uint64_t seed, model_see *see,
	void *arg, struct err *err);
void model_free(struct model *m);

// Takes the next event of a trace, after all timer events that are due by then. -EACCES and a line
// where a register cannot be written, -ENXIO where it is another queue pair's; nothing has been
// shown of that event then. -EFAULT and a line where a plug-in has failed, by which nothing more is
// shown. -ECANCELED where nothing more is wanted.
int model_take(struct model *m, const struct trace_event *e, struct err *err);

#include "show.h"
#include "trace.h"

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The state of the reaction point at `now`, the instant of the row that is shown; see rp_states.
unsigned model_states(const struct model *m, struct rp_state *row, tstamp now);

// The registers of the reaction point: all of rdma_ip_fields for queue pair 1. NULL: it has none.
struct rdma_ip_reg *model_registers(const struct model *m);

#pragma GCC visibility pop
