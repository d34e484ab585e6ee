// SPDX-License-Identifier: BSD-3-Clause
// Options that the chosen clock takes no notice of.
#include <string.h>

#include "int.h"

#define LEAST_SAMPLE PS_PER_MS // of the real clock, where nothing stands still for a sample

// The first place that gives a key, and how many there are.
struct found {
	const struct yamldoc_node *at;
	const char *name;
	unsigned n;
};

static void see_option(struct found *f, const char *name, const struct opt_table *t,
	const void *base, const char *key)
{
	const struct yamldoc_node *at = opt_source(t, base, key);

	if (!at)
		return;
	if (!f->n++) {
		f->at = at;
		f->name = name;
	}
}

static void warn_ignored(struct draft *b, const struct found *f, const char *key, const char *why)
{
	char more[32] = "";

	if (f->n > 1)
		snprintf(more, sizeof(more), " and %u more", f->n - 1);
	if (f->n)
		draft_warn_of(
			b, f->at, key, "%s of %s%s counts for nothing %s", key, f->name, more, why);
}

static void see_selftest(struct found *f, const struct draft_port *p)
{
	if (p->spec->selftest != SPEC_SELFTEST_NONE)
		see_option(f, p->name, &scene_opts_port, p->spec, "selftest");
}

static void warn_virtual(struct draft *b)
{
	struct found lcore = {0}, lcores = {0}, switches = {0}, device = {0}, selftest = {0};
	struct found queues = {0}, late = {0}, gateway = {0};

	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];

		if (n->is_switch && n->sw->lcore != OPT_AUTO)
			see_option(&lcore, n->name, &scene_opts_switch, n->sw, "lcore");
		if (!n->is_switch && n->host->lcore != OPT_AUTO)
			see_option(&lcore, n->name, &scene_opts_host, n->host, "lcore");
		if (!n->is_switch)
			see_option(&gateway, n->name, &scene_opts_host, n->host, "gateway");
		if (!n->is_switch && n->host->lcores > 1)
			see_option(&lcores, n->name, &scene_opts_host, n->host, "lcores");
		if (n->is_switch && n->sw->lcores > 1)
			see_option(&switches, n->name, &scene_opts_switch, n->sw, "lcores");
		if (n->is_switch && n->sw->late_loop != OPT_AUTO)
			see_option(&late, n->name, &scene_opts_switch, n->sw, "late_loop");
		for (unsigned p = 0; p < n->n_ports; p++) {
			const struct draft_port *bp = n->port[p];

			if (bp->spec->lcore != OPT_AUTO)
				see_option(&lcore, bp->name, &scene_opts_port, bp->spec, "lcore");
			if (bp->spec->rx_queues > 1)
				see_option(
					&queues, bp->name, &scene_opts_port, bp->spec, "rx_queues");
			see_option(&device, bp->name, &scene_opts_port, bp->spec, "device");
			see_selftest(&selftest, bp);
		}
	}
	warn_ignored(b, &lcore, "lcore",
		"on the virtual clock, which has one thread; it is for --clock real");
	warn_ignored(b, &lcores, "lcores",
		"on the virtual clock, which has one thread; it is for --clock real");
	warn_ignored(b, &switches, "lcores",
		"on the virtual clock, where shards cuts a switch; it is for --clock real");
	warn_ignored(b, &late, "late_loop",
		"on the virtual clock, where no loop is late; it is for --clock real");
	warn_ignored(b, &queues, "rx_queues",
		"on the virtual clock, where no device is opened; it is for --clock real");
	warn_ignored(b, &device, "device",
		"on the virtual clock, where the port has a link like any other; "
		"--clock real opens it");
	warn_ignored(b, &selftest, "selftest",
		"on the virtual clock, where no device is opened; it is for --clock real");
	warn_ignored(b, &gateway, "gateway",
		"on the virtual clock, where no router is between hosts and switches; it is for "
		"--clock real");
}

// Whether a host itself, and not `defaults`, gives a key.
static bool own(const struct draft *b, const struct draft_node *host, const char *key)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_host, host->host, key);

	return at && (!b->top.defaults.hosts || at != yamldoc_get(b->top.defaults.hosts, key));
}

// Warns of options of a host that is external: they would simulate it.
static void warn_external(struct draft *b, const struct draft_node *n)
{
	static const char *const key[] = {
		"replay", "firmware", "rx_buffer", "np", "latency", "max_rate"};

	for (unsigned i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		if (own(b, n, key[i]))
			draft_warn_of(b, opt_source(&scene_opts_host, n->host, key[i]), key[i],
				"%s of %s counts for nothing on the real clock: "
				"the host is behind a device, so it is not ours; "
				"drop it, or give %s a device, too",
				key[i], n->name, n->port[0]->name);
}

static void warn_real(struct draft *b)
{
	const struct yamldoc_node *sample = opt_source(&scene_opts_scene, &b->top, "sample");
	struct found live = {0}, gateway = {0};
	bool device = false;

	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];
		struct found late = {0}, selftest = {0}, shards = {0};

		if (!n->is_switch && n->host->live_pairs != OPT_NONE)
			see_option(&live, n->name, &scene_opts_host, n->host, "live_pairs");

		if (!n->is_switch)
			see_option(&gateway, n->name, &scene_opts_host, n->host, "gateway");
		if (n->external && !n->is_switch)
			warn_external(b, n);
		if (n->is_switch && n->sw->shards > 1)
			see_option(&shards, n->name, &scene_opts_switch, n->sw, "shards");
		for (unsigned p = 0; !n->external && p < n->n_ports; p++) {
			if (!n->port[p]->spec->device) {
				see_selftest(&selftest, n->port[p]);
				continue;
			}
			device = true;
			if (n->is_switch)
				see_option(&late, n->port[p]->name, &scene_opts_switch, n->sw,
					"latency");
			else
				see_option(&late, n->port[p]->name, &scene_opts_host, n->host,
					"latency");
		}
		warn_ignored(b, &shards, "shards",
			"on the real clock, where lcores cuts a switch; it is for --clock virtual");
		warn_ignored(b, &selftest, "selftest", "without device: only a device has a test");
		warn_ignored(b, &late, "latency",
			"on the real clock: frames leave by a device as they come; "
			"links in memory have it");
	}
	warn_ignored(b, &live, "live_pairs",
		"on the real clock, where each queue pair has memory of its own; it is for "
		"--clock virtual");
	if (!device)
		warn_ignored(b, &gateway, "gateway",
			"without a device: only a network outside has a router");
	if (device && sample && b->s->sample && b->s->sample < LEAST_SAMPLE)
		draft_warn(b, sample,
			"sample: on the real clock with devices samples are 1ms apart at least; "
			"write 1ms");
}

void compile_warn_clock(struct draft *b)
{
	if (!b->opts || !b->opts->one_clock)
		return;
	if (b->opts->real)
		warn_real(b);
	else
		warn_virtual(b);
}
