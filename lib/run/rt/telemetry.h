// SPDX-License-Identifier: BSD-3-Clause
// DPDK telemetry of a run: registers and counters of its nodes, asked for by name while it runs.
#pragma once

#pragma GCC visibility push(hidden)

struct rt;

// Registers the commands with DPDK, once in a process, after EAL's start.
void telemetry_register(void);

// From here on they are answered from `rt`, by the lcores; until telemetry_close, which waits for a
// question that is being answered. What is asked outside this time is told so.
void telemetry_open(struct rt *rt);
void telemetry_close(void);

#pragma GCC visibility pop
