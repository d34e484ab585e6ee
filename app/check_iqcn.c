// SPDX-License-Identifier: BSD-3-Clause
// What follows for the flow tables of iQCN: when a CNP is due, ages, the limit of each port.
#include <stdio.h>

#include "check.h"
#include "conf/conf.h"

static void print_port(const struct scene_node *n, unsigned port, const struct iqcn_cfg *c, FILE *f)
{
	const struct sw_params *p = &n->u.sw;
	char due[32], age[32], np_age[32], rate[32], rule[64] = "given";
	char limit[32] = "none";

	if (p->iqcn_limit_auto)
		snprintf(rule, sizeof(rule), "auto: 1%% of %s",
			units_format(UNITS_RATE, n->port[port].rate, rate, sizeof(rate)));
	if (p->iqcn.port_cnps_per_s[port])
		snprintf(limit, sizeof(limit), "%llu",
			(unsigned long long)p->iqcn.port_cnps_per_s[port]);
	fprintf(f, "%-20s %10s  %10s  %10s  %15s  %5u  %s\n", n->port[port].name,
		units_format(UNITS_TIME, c->due_ps, due, sizeof(due)),
		units_format(UNITS_TIME, c->age_ps, age, sizeof(age)),
		units_format(UNITS_TIME, c->np_age_ps, np_age, sizeof(np_age)), limit,
		p->iqcn.port_burst, rule);
}

void check_iqcn(const struct scene *s, FILE *f)
{
	bool head = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];
		struct iqcn_cfg c;

		if (n->kind != SCENE_SW || !n->u.sw.iqcn_on || iqcn_cfg_init(&c, &n->u.sw.iqcn))
			continue;
		if (!head)
			fprintf(f,
				"\niQCN (a flow's CNP is due after, a flow is forgotten after; "
				"CNPs of the "
				"switch for the flows of a port)\n%-20s %10s  %10s  %10s  %15s  "
				"%5s  "
				"%s\n",
				"port", "due", "age", "np_age", "port_rate, 1/s", "burst",
				"rule of port_rate");
		head = true;
		for (unsigned p = 0; p < n->n_ports; p++)
			print_port(n, p, &c, f);
	}
}
