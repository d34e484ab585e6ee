// SPDX-License-Identifier: BSD-3-Clause
// Room traffic makes queue pairs and sources of the flows that a draft says, with their controls,
// payloads, headers and starts. It needs rooms draft and hardware.
#pragma once

#include "draft/draft.h"

// The keys of a control, and the values that the scenario gives them.
const struct opt_table *traffic_control_table(const struct draft_control *c);
const void *traffic_control_spec(const struct draft_control *c);

// Steps, in this order.
int traffic_controls(struct draft *b);
int traffic_flows_read(struct draft *b);
int traffic_pools(struct draft *b); // groups that flows name: before any queue pair
int traffic_flows(struct draft *b);
int traffic_jobs(struct draft *b);  // gives jobs to the scene, once their queue pairs are there
int traffic_bins(struct draft *b);  // of groups, once all queue pairs are there
int traffic_peers(struct draft *b); // once headers are whole
// The control that scene_opts asks for.
int traffic_control_asked(struct draft *b);
int traffic_spread(struct draft *b); // starts, once all flows are there
