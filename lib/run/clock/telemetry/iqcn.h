// SPDX-License-Identifier: BSD-3-Clause
// Flows that a switch with iQCN knows, as an answer over DPDK telemetry.
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

struct rte_tel_data;

// Fills the dictionary `d` from an answered query: the figures of the table, and an array for each
// column with an element for each flow. 0, or what DPDK says.
int telemetry_iqcn(struct rte_tel_data *d, const struct scene *s, const struct query *q);

#pragma GCC visibility pop
