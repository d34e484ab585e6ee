// SPDX-License-Identifier: BSD-3-Clause
// Lcores of rt_bench: their turns, and the processor time of a frame on them.
#pragma once

#include "rt_rig.h"

// Runs the switch, or macswap, on all lanes for `seconds` of lane 0's processor time; by the thread
// of lane 0. Returns ns of processor time a frame, of all lanes. `parts`: with readings of the
// clock around the parts of a frame's way (rt_part.h). `fetches`: macswap fetches ahead.
double lane_run_switch(struct bench *b, bool parts);
double lane_run_macswap(struct bench *b, bool fetches);
// The loop of every lane but 0, `arg`, until `quit`: the turns that lane 0 wants.
int lane_follow(void *arg);
void lane_turn_macswap(struct lane *l);
