// SPDX-License-Identifier: BSD-3-Clause
// What a scene may say but hardly means: markers behind thresholds, headroom too small.
#include <errno.h>
#include <string.h>

#include "run/scene_build.h"

static char *bytes(uint64_t n, char *buf, size_t size)
{
	return units_format(UNITS_SIZE, n, buf, size);
}

// One group of a switch's port.
static void warn_pg(struct build *b, const struct build_node *n, unsigned port, unsigned cls)
{
	const struct sw_params *p = &b->s->node[n->index].u.sw;
	const struct mmu_pg_params *pg = &p->port[port].pg[cls];
	const struct build_port *bp = n->port[port];
	uint64_t needed = scene_port_headroom(b, bp);
	char have[32], want[32];

	if (!pg->lossless || pg->headroom_bytes >= needed || b->s->hpcc)
		return;
	scene_warn(b, opt_source(scene_class_table("pfc"), &bp->spec.cls[cls].pfc, "headroom"),
		"%s class %u: headroom %s is below the %s that rate, delay and MTU ask for; frames may "
		"be lost",
		bp->name, cls, bytes(pg->headroom_bytes, have, sizeof(have)),
		bytes(needed, want, sizeof(want)));
}

static void warn_class(struct build *b, const struct build_node *n, unsigned cls)
{
	const struct sw_params *p = &b->s->node[n->index].u.sw;
	const struct sw_class_params *c = &p->cls[cls];
	const struct spec_class *spec = &n->sw->cls[cls];
	const struct opt_table *wred = scene_class_table("wred");
	uint64_t xoff = UINT64_MAX;
	char min[32], low[32];

	if (spec->lossless && !spec->pfc.enable)
		scene_warn(b, opt_source(scene_class_table("pfc"), &spec->pfc, "enable"),
			"%s class %u is lossless without pfc: what headroom cannot hold is lost",
			n->name, cls);
	if (c->mark == SW_MARK_NONE)
		return;
	if (c->red.pmax == 0)
		scene_warn(b, opt_source(wred, &spec->wred, "probability"),
			"%s class %u: probability 0%%: nothing is marked up to Kmax, everything above",
			n->name, cls);
	for (unsigned i = 0; i < p->n_ports && c->pfc; i++) {
		uint64_t one = scene_xoff(p, i, cls);

		xoff = one < xoff ? one : xoff;
	}
	if (c->pfc && c->red.kmin_bytes > xoff)
		scene_warn(b, opt_source(wred, &spec->wred, "min"),
			"%s class %u: Kmin %s is above XOFF %s: a single sender is paused before it is "
			"marked",
			n->name, cls, bytes(c->red.kmin_bytes, min, sizeof(min)),
			bytes(xoff, low, sizeof(low)));
}

// The class that the first switch gives a flow's data.
static void warn_flow(struct build *b, const struct build_flow *f, const struct build_node *from)
{
	const struct build_node *sw = scene_peer(from, 0);
	bool tagged = f->spec.vlan != OPT_NONE;
	bool raw = f->is_open_loop && f->spec.open_loop.raw;
	unsigned dscp =
		f->spec.dscp == OPT_AUTO ? scene_dscp(from, f->spec.cls) : (unsigned)f->spec.dscp;
	unsigned pcp =
		f->spec.pcp == OPT_AUTO ? scene_pcp(from, f->spec.cls) : (unsigned)f->spec.pcp;
	unsigned cls;

	if (!sw->is_switch)
		return;
	if (tagged && (raw || sw->sw->trust == SW_TRUST_PCP))
		cls = sw->sw->pcp_map[pcp];
	else
		cls = raw ? sw->sw->default_class : sw->sw->dscp_map[dscp];
	if (cls != f->spec.cls)
		scene_warn(b, f->key,
			"flow '%s' has class %u, but switch '%s' puts its frames into class %u",
			f->name, f->spec.cls, sw->name, cls);
}

int scene_warnings(struct build *b)
{
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct build_node *n = b->node[i];

		if (!n->is_switch || n->external)
			continue;
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			warn_class(b, n, c);
			for (unsigned p = 0; p < n->n_ports; p++)
				warn_pg(b, n, p, c);
		}
	}
	for (unsigned i = 0; i < b->n_flows; i++)
		warn_flow(b, b->flow[i], b->flow[i]->pair[0].from);
	return 0;
}
