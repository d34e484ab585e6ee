// SPDX-License-Identifier: BSD-3-Clause
// The switch under mixed traffic, for callgrind.
#pragma once

// Runs at least `frames` frames through a switch, in bursts of up to `burst` (1..32); `shards`: how
// many it is cut into, which take turns; 1: it is not. Bursts of 1 have shared headers, as in
// virtual time, longer ones headers of their own, as in real time. Prints how many frames there
// were, marked frames, PFC frames sent and drops. 0, or -1 where the switch could not be made, or
// what sw_conserve says.
int sw_mix_run(unsigned burst, unsigned frames, unsigned shards);
