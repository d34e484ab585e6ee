// SPDX-License-Identifier: BSD-3-Clause
// Figures of a run so far: the question to the recorder's thread.
#pragma once

#include "telemetry.h"

#pragma GCC visibility push(hidden)

// Asks for figures; one thread at a time. *out is the caller's. -ESHUTDOWN: the run is over;
// -ETIMEDOUT: the recorder is held up; -ENOMEM.
int telemetry_figures_ask(const struct telemetry_run *run, struct live **out, unsigned timeout_ms);

#pragma GCC visibility pop
