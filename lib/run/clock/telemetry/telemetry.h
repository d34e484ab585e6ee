// SPDX-License-Identifier: BSD-3-Clause
// DPDK telemetry of a run: registers, counters and figures, asked for by name while it runs.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "lcores/lcores.h"
#include "live/live.h"

// The figures so far. A thread of DPDK's asks for them, and the recorder's thread makes them.
struct telemetry_figures {
	atomic_bool wanted;
	struct live *_Atomic made; // NULL: not yet, or memory is out
	atomic_bool answered;
};

// The run that answers.
struct telemetry_run {
	struct rt_world *world; // its lcores answer for their nodes
	const char *instance;   // its name for other processes
	unsigned dilate;
	struct telemetry_figures *figures;
	struct rt_bell *bell; // wakes the recorder's thread; NULL: none
};

// Registers the commands with DPDK, once in a process, after EAL's start.
void telemetry_register(void);

// From this call on the lcores answer questions from `run`. telemetry_close() ends this, and waits
// for a question that is being answered. At other times the answer is that no run goes on.
void telemetry_open(const struct telemetry_run *run);
void telemetry_close(void);

// Returns true once for each question for figures. The recorder's thread calls it.
bool telemetry_figures_wanted(struct telemetry_figures *f);
// Answers with the figures; NULL: memory is out.
void telemetry_figures_give(struct telemetry_figures *f, struct live *made);
