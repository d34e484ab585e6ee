// SPDX-License-Identifier: BSD-3-Clause
// The self-test before a run: which lcore serves which device, and the lines about its findings.
#include "self.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include "selftest/selftest.h"

#define DRIFT_NS 20000000u // that the clock is watched for at least

int rt_self_node(const struct rt *rt)
{
	const struct scene *s = rt->scene;
	int node = -1;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			const struct scene_port *port = &s->node[i].port[p];
			int its = port->device ? dev_node(port) : -1;

			if (its < 0)
				continue;
			if (node >= 0 && its != node) {
				rt_say(rt,
					"%s is on NUMA node %d, another port on node %d: the "
					"packets lie where there is room, and some ports reach far "
					"for them",
					port->name, its, node);
				return -1;
			}
			node = its;
		}
	return node;
}

static bool has_pci(const struct rt *rt)
{
	char name[16];

	for (unsigned i = 0; i < rt->n_dev; i++)
		if (eal_pci(rt->dev[i].port->device, name, sizeof(name)))
			return true;
	return false;
}

static void test_machine(struct rt *rt)
{
	unsigned cpu[RTE_MAX_LCORE];
	struct eal_machine m = {.root = "", .cpu = cpu, .pci = has_pci(rt)};
	struct rt_instant now = rt_instant_get();
	struct rt_instant from = rt->calibrated;

	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		cpu[m.n_cpus++] = (unsigned)rte_lcore_to_cpu_id((int)rt->world.lcore[i]->id);
	while (now.raw_ns - from.raw_ns < DRIFT_NS) {
		rte_delay_us_sleep(1000);
		now = rt_instant_get();
	}
	eal_machine_drift(&rt->self, rt_clock_error_ppm(&rt->clock, &from, &now),
		(double)(now.raw_ns - from.raw_ns) * 1e-6);
	eal_machine_look(&m, &rt->self);
}

void rt_self_test(struct rt *rt, const struct watch *links)
{
	unsigned k = 0;

	for (unsigned i = 0; i < rt->scene->n_nodes; i++)
		for (unsigned p = 0; p < rt->scene->node[i].n_ports; p++) {
			unsigned lcore = rt->world.lcore[rt_world_lcore(&rt->world, i, p)]->id;
			struct selftest_place at = {.watch = links,
				.number = k,
				.lcore = lcore,
				.lcore_node = (int)rte_lcore_to_socket_id(lcore),
				.pool_node = rt->pool->socket_id};

			if (rt->scene->node[i].port[p].device)
				selftest_check(&rt->dev[k++], &at, &rt->self);
		}
	selftest_probe(rt->dev, rt->n_dev, rt->opts->stop, &rt->self);
	test_machine(rt);
	rt->run.self_test = &rt->self;
}

// Names the subjects of the notes, each once.
static void say_notes(const struct rt *rt, unsigned notes)
{
	const struct record_finding *l = rt->self.line;
	char about[160] = "";
	size_t n = 0;

	for (unsigned i = 0; i < rt->self.n && n < sizeof(about); i++) {
		unsigned k = 0;

		while (k < i && (l[k].verdict != RECORD_NOTE || strcmp(l[k].what, l[i].what) != 0))
			k++;
		if (l[i].verdict == RECORD_NOTE && k == i)
			n += (size_t)snprintf(
				about + n, sizeof(about) - n, "%s%s", n ? ", " : "", l[i].what);
	}
	rt_say(rt, "self-test: %u note%s (%s); `quench ports` and manifest.json have %s", notes,
		plural(notes), about, notes == 1 ? "it" : "them");
}

void rt_self_say(const struct rt *rt)
{
	unsigned notes = record_finding_count(&rt->self, RECORD_NOTE);

	for (unsigned i = 0; i < rt->self.n; i++) {
		const struct record_finding *l = &rt->self.line[i];

		if (l->verdict == RECORD_WARNING || l->verdict == RECORD_BAD)
			rt_say(rt, "self-test: %s: %s: %s: %s; %s", l->subject, l->what,
				record_verdict_names[l->verdict], l->found, l->advice);
	}
	if (notes)
		say_notes(rt, notes);
}
