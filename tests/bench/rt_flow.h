// SPDX-License-Identifier: BSD-3-Clause
// The frames of rt_bench: RoCEv2 between two hosts, or between as many pairs of hosts as flows.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The headers before UDP.
enum flow_form {
	FLOW_IP4,
	FLOW_IP6,
	FLOW_VLAN_IP4,
	FLOW_VLAN_IP6,
	FLOW_CNTAG_IP4,
	FLOW_QINQ_IP4, // two VLAN tags of 802.1Q
	FLOW_QINQ_IP6,
	FLOW_FORMS,
};

struct flow_traffic {
	unsigned flows;      // each way
	bool macs;           // each flow has two hosts of its own; else two hosts have them all
	unsigned octets;     // of a frame, without FCS; FLOW_IMIX
	enum flow_form form; // of the first flow
	unsigned more_forms; // those behind it, which the flows have in turn
	// Receivers of way 0 and classes of each, beyond the first, which frames have in turn.
	unsigned more_hosts, more_classes;
};

#define FLOW_IMIX 0 // of 12 frames 7 have 64 octets, 4 have 594, 1 has 1514

// Sets the forms that are called this: one, or "mixed" for all of them. False: nothing is called
// so.
bool flow_set_forms(struct flow_traffic *t, const char *name);
// All these names, each with a blank before it.
const char *flow_form_names(void);
// Octets that a frame of any of the forms needs at least.
unsigned flow_least(const struct flow_traffic *t);
// Octets of frame number k, and of one in the mean.
unsigned flow_octets(const struct flow_traffic *t, unsigned k);
double flow_mean(const struct flow_traffic *t);
// Writes frame number k of a host at port `way` (0 or 1) as that host sends it. The first `flows`
// numbers are one frame of each flow; then they begin again. Returns its length.
unsigned flow_write(
	const struct flow_traffic *t, unsigned way, unsigned k, uint8_t *bytes, size_t size);
// Which of the queues of receivers and classes frame number k is for.
unsigned flow_queue(const struct flow_traffic *t, unsigned k);
// Makes a capture of frames 0 to n - 1 of a host at port `way`.
void flow_save(const struct flow_traffic *t, unsigned way, unsigned n, const char *path);
