// SPDX-License-Identifier: BSD-3-Clause
// The frames of rt_bench: RoCEv2 between two hosts, or between as many pairs of hosts as flows.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_traffic {
	unsigned flows;  // each way
	bool macs;       // each flow has two hosts of its own; else two hosts have them all
	unsigned octets; // of a frame, without FCS; FLOW_IMIX
};

#define FLOW_IMIX 0 // of 12 frames 7 have 64 octets, 4 have 594, 1 has 1514

// Octets of frame number k, and of one in the mean.
unsigned flow_octets(const struct flow_traffic *t, unsigned k);
double flow_mean(const struct flow_traffic *t);
// Writes frame number k of a host at port `way` (0 or 1) as that host sends it. The first `flows`
// numbers are one frame of each flow; then they begin again. Returns its length.
unsigned flow_write(
	const struct flow_traffic *t, unsigned way, unsigned k, uint8_t *bytes, size_t size);
// Makes a capture of frames 0 to n - 1 of a host at port `way`.
void flow_save(const struct flow_traffic *t, unsigned way, unsigned n, const char *path);
