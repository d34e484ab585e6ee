// SPDX-License-Identifier: BSD-3-Clause
// Questions of acceptance tests to a run: sums over sources, XOFF by priority, a DWRR split.
#pragma once

#include <math.h>

#include "acc.h"

// A figure of the open-loop sources whose name starts with `prefix`, summed.
static inline double dut_sum(const struct scn *s, const char *prefix, const char *figure)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < s->scene->n_sources; i++) {
		const char *name = s->scene->source[i]->name;

		if (strncmp(name, prefix, strlen(prefix)) != 0)
			continue;
		sum += acc(s, "source.%s.%s", name, figure);
		n++;
	}
	if (!n)
		fail_msg("no source named %s...\n%s", prefix, s->command);
	return sum;
}

// Frames lost of those sent, percent (the generator's "loss").
static inline double dut_loss(const struct scn *s, const char *prefix)
{
	return 100 * dut_sum(s, prefix, "lost") / dut_sum(s, prefix, "tx_frames");
}

// Drops of the switch of the frames that it received from hosts, percent.
static inline double dut_drop_percent(const struct scn *s)
{
	double rx = 0;

	for (unsigned i = 0; i < s->scene->n_nodes; i++) {
		const struct scene_node *n = &s->scene->node[i];

		for (unsigned p = 0; n->kind == SCENE_SW && p < n->n_ports; p++)
			rx += acc(s, "port.%s.rx_frames", n->port[p].name);
	}
	return 100 * scn_value(s, "drops") / rx;
}

// XOFF frames that the switch sent on `port` for a priority.
static inline double dut_xoff(const struct scn *s, const char *port, unsigned prio)
{
	return acc_pfc(s, "pfc_tx.%s.%u.xoff_frames", port, prio);
}

// How a link of 100 is split among backlogged queues by weight, where none gets more than it wants:
// who wants less than its share is served, what is left is shared among the others.
static inline void dut_split(unsigned n, const double *want, const double *weight, double *gets)
{
	double left = 100;
	bool done[8] = {false};

	for (unsigned i = 0; i < n; i++)
		gets[i] = 0;
	for (;;) {
		double sum = 0, share = left;
		bool again = false;

		for (unsigned i = 0; i < n; i++)
			sum += done[i] ? 0 : weight[i];
		for (unsigned i = 0; i < n; i++) {
			if (done[i])
				continue;
			gets[i] = share * weight[i] / sum;
			if (want[i] > gets[i])
				continue;
			gets[i] = want[i];
			left -= want[i];
			done[i] = again = true;
		}
		if (!again)
			return;
	}
}
