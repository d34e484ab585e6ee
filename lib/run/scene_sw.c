// SPDX-License-Identifier: BSD-3-Clause
// Switches of a scene: classes, thresholds and headroom compiled for every port.
#include <errno.h>
#include <string.h>

#include "run/scene_build.h"

#define FRAME_EXTRA_BITS 160 // preamble, start delimiter and gap
#define PFC_FRAME_BITS   (512 + FRAME_EXTRA_BITS)
#define QUANTUM_BITS     512

// Pause quanta within which a peer stops (802.3 31B.3.7, STANDARDS 2.3), by speed.
static const struct {
	rate_t rate;
	unsigned quanta;
} response[] = {
	{100 * RATE_MBPS, 1},
	{1 * RATE_GBPS, 2},
	{10 * RATE_GBPS, 67},
	{25 * RATE_GBPS, 80},
	{40 * RATE_GBPS, 118},
	{50 * RATE_GBPS, 147},
	{100 * RATE_GBPS, 394},
	{200 * RATE_GBPS, 453},
	{400 * RATE_GBPS, 905},
	{800 * RATE_GBPS, 905},
};

// bits = 2 (8 (mtu + 4) + 160) + 672 + 2 delay rate + 512 quanta(rate)
uint64_t scene_headroom(rate_t rate, tstamp delay, uint32_t mtu)
{
	unsigned i = 0, last = sizeof(response) / sizeof(response[0]) - 1;
	uint64_t frames = 2 * ((uint64_t)(mtu + PKT_FCS) * 8 + FRAME_EXTRA_BITS);
	unsigned __int128 flight = (unsigned __int128)2 * delay * rate;
	uint64_t cable = (uint64_t)((flight + PS_PER_S - 1) / PS_PER_S);

	while (i < last && response[i].rate < rate)
		i++;
	return (frames + PFC_FRAME_BITS + cable + response[i].quanta * QUANTUM_BITS + 7) / 8;
}

// Static as given; dynamic, limit = 2^n (shared - limit).
uint64_t scene_xoff(const struct sw_params *p, unsigned port, unsigned cls)
{
	const struct mmu_pg_params *pg = &p->port[port].pg[cls];
	uint64_t own = 0;

	if (pg->threshold == MMU_STATIC)
		return pg->static_bytes;
	for (unsigned i = 0; i < p->n_ports; i++) {
		for (unsigned c = 0; c < MMU_PGS; c++)
			own += p->port[i].pg[c].reserved_bytes + p->port[i].pg[c].headroom_bytes;
	}

	unsigned up = pg->dynamic_th > 0 ? (unsigned)pg->dynamic_th : 0;
	unsigned down = pg->dynamic_th < 0 ? (unsigned)-pg->dynamic_th : 0;

	return ((p->buffer_bytes - own) << up) / ((1ull << up) + (1ull << down));
}

uint64_t scene_amount(const struct opt_amount *a, uint64_t whole)
{
	if (!a->is_share)
		return a->value;
	return (uint64_t)((unsigned __int128)whole * a->share_ppb / 1000000000);
}

int scene_rate(struct build *b, rate_t *rate, const struct opt_amount *a, rate_t line,
	const struct yamldoc_node *at)
{
	char low[32], whole[32];

	*rate = scene_amount(a, line);
	if (*rate >= RATE_MIN)
		return 0;
	return yamldoc_err(b->err, at, "%s of %s is slower than %s, the least that is paced",
		at->text, units_format(UNITS_RATE, line, whole, sizeof(whole)),
		units_format(UNITS_RATE, RATE_MIN, low, sizeof(low)));
}

static tstamp latency(const struct build_node *n)
{
	return n->is_switch ? n->sw->latency : n->host->latency;
}

uint32_t scene_port_mtu(const struct build *b, const struct build_port *p)
{
	uint32_t longest = b->longest > 1514 ? b->longest : 1514;

	if (p->spec.mtu != OPT_AUTO)
		return (uint32_t)p->spec.mtu;
	return p->link->spec.mtu != OPT_AUTO ? (uint32_t)p->link->spec.mtu : longest;
}

// What a port's class needs by STANDARDS 2.4. What either end takes before a frame leaves counts as
// cable.
uint64_t scene_port_headroom(const struct build *b, const struct build_port *p)
{
	const struct build_link *l = p->link;
	tstamp ends = latency(l->node[0]) + latency(l->node[1]);

	return scene_headroom(l->spec.rate, l->spec.delay + (ends + 1) / 2, scene_port_mtu(b, p));
}

static const struct yamldoc_node *given(const struct opt_table *t, const void *base,
	const char *key, const struct yamldoc_node *otherwise)
{
	const struct yamldoc_node *n = opt_source(t, base, key);

	return n ? n : otherwise;
}

// The table of a map inside a class.
static const struct opt_table *sub_table(const char *key)
{
	return opt_row(&scene_opts_class, key)->sub;
}

static int lossless_pg(struct build *b, struct mmu_pg_params *pg, const struct build_node *n,
	const struct build_port *p, const struct spec_pfc *pfc)
{
	const struct opt_table *t = sub_table("pfc");
	uint64_t xon = scene_amount(&pfc->xon, n->sw->buffer);
	bool is_static = pfc->xoff.is_share || pfc->xoff.value != OPT_NONE;

	pg->lossless = true;
	pg->threshold = is_static ? MMU_STATIC : MMU_DYNAMIC;
	pg->static_bytes = is_static ? scene_amount(&pfc->xoff, n->sw->buffer) : 0;
	pg->dynamic_th = pfc->dynamic_th;
	pg->reserved_bytes = pfc->reserved;
	pg->headroom_bytes = pfc->headroom == OPT_AUTO ? scene_port_headroom(b, p) : pfc->headroom;
	pg->xon_bytes = xon == OPT_NONE ? 0 : xon;
	pg->xon_offset_bytes = pfc->xon_offset;
	if (!is_static)
		return 0;
	if (pg->xon_bytes > pg->static_bytes)
		return yamldoc_err(b->err, given(t, pfc, "xon", n->key),
			"xon %llu is above xoff %llu; it must be at or below it",
			(unsigned long long)pg->xon_bytes, (unsigned long long)pg->static_bytes);
	// An XON that is given alone is the level itself.
	if (xon != OPT_NONE && !opt_source(t, pfc, "xon_offset"))
		pg->xon_offset_bytes = pg->static_bytes - xon;
	if (pg->xon_offset_bytes > pg->static_bytes)
		return yamldoc_err(b->err, given(t, pfc, "xoff", n->key),
			"xoff %llu is below xon_offset %llu, so there would be no XON; raise it",
			(unsigned long long)pg->static_bytes,
			(unsigned long long)pg->xon_offset_bytes);
	return 0;
}

static int port_pg(struct build *b, struct mmu_pg_params *pg, const struct build_node *n,
	const struct build_port *p, unsigned cls)
{
	const struct spec_class *c = &p->spec.cls[cls];
	const struct spec_drop *drop = &c->drop;

	// The port's copy was taken before: what is said of the class as a whole is the switch's.
	if (n->sw->cls[cls].lossless)
		return lossless_pg(b, pg, n, p, &c->pfc);

	bool is_static = drop->limit.is_share || drop->limit.value != OPT_NONE;

	pg->threshold = is_static ? MMU_STATIC : MMU_DYNAMIC;
	pg->static_bytes = is_static ? scene_amount(&drop->limit, n->sw->buffer) : 0;
	pg->dynamic_th = drop->dynamic_th;
	pg->reserved_bytes = drop->reserved;
	return 0;
}

static int class_wred(struct build *b, struct sw_class_params *to, const struct build_node *n,
	const struct spec_wred *w, const struct yamldoc_node *at)
{
	const struct opt_table *t = sub_table("wred");
	uint64_t min = scene_amount(&w->min, n->sw->buffer);
	uint64_t max = scene_amount(&w->max, n->sw->buffer);
	bool hpcc = b->top.framing == SPEC_HPCC;

	if (min == OPT_NONE && max == OPT_NONE && !at)
		return 0;
	if (min == OPT_NONE || max == OPT_NONE)
		return yamldoc_err(b->err, at ? at : n->key,
			"wred has %s; the marker wants both min and max, as in {min: 100KB, max: 400KB}",
			min != OPT_NONE   ? "no max"
			: max != OPT_NONE ? "no min"
					  : "neither min nor max");
	if (min > max)
		return yamldoc_err(b->err, given(t, w, "min", n->key),
			"wred min %llu is above max %llu", (unsigned long long)min,
			(unsigned long long)max);
	to->mark = w->mark == SPEC_ENQUEUE ? SW_MARK_ENQUEUE : SW_MARK_DEQUEUE;
	to->red = (struct red_params){.kmin_bytes = min,
		.kmax_bytes = max,
		.pmax = w->probability,
		.not_ect = w->not_ect};
	to->red_excludes_frame = hpcc;
	to->mark_any = hpcc;
	return 0;
}

static int switch_class(
	struct build *b, struct sw_class_params *to, const struct build_node *n, unsigned cls)
{
	const struct spec_class *c = &n->sw->cls[cls];
	uint64_t tail = scene_amount(&c->tail_limit, n->sw->buffer);

	to->strict = c->strict;
	to->weight = c->weight;
	to->force_ce = c->force_ce;
	to->tail_limit_bytes = tail == OPT_NONE ? 0 : tail;
	to->pfc = c->lossless && c->pfc.enable;
	to->quanta = c->pfc.quanta;
	to->refresh_permille = c->pfc.refresh;
	return class_wred(b, to, n, &c->wred, opt_source(&scene_opts_class, c, "wred"));
}

static int switch_port(
	struct build *b, struct sw_port_params *to, const struct build_node *n, unsigned port)
{
	const struct scene_port *sp = &b->s->node[n->index].port[port];
	int rc = 0;

	to->name = sp->name;
	memcpy(to->mac, sp->mac, sizeof(to->mac));
	to->rate = sp->rate;
	to->mtu = sp->mtu;
	to->trust = n->sw->trust;
	to->default_class = n->sw->default_class;
	to->pause_honour = n->sw->pause_honour;
	for (unsigned c = 0; !rc && c < MMU_PGS; c++)
		rc = port_pg(b, &to->pg[c], n, n->port[port], c);
	return rc;
}

static int check_buffer(struct build *b, const struct build_node *n, const struct sw_params *p)
{
	uint64_t reserved = 0, headroom = 0;

	for (unsigned i = 0; i < n->n_ports; i++) {
		for (unsigned c = 0; c < MMU_PGS; c++) {
			reserved += p->port[i].pg[c].reserved_bytes;
			headroom += p->port[i].pg[c].headroom_bytes;
		}
	}
	if (reserved + headroom < p->buffer_bytes)
		return 0;
	return yamldoc_err(b->err, given(&scene_opts_switch, n->sw, "buffer", n->key),
		"switch '%s': reserved (%llu) and headroom (%llu) of its %u ports leave nothing of the "
		"buffer (%llu) to share; make it larger than %llu",
		n->name, (unsigned long long)reserved, (unsigned long long)headroom, n->n_ports,
		(unsigned long long)p->buffer_bytes, (unsigned long long)(reserved + headroom));
}

static int scene_switch(struct build *b, const struct build_node *n)
{
	struct sw_params *p = &b->s->node[n->index].u.sw;
	struct sw_port_params *port = scene_get(b, n->n_ports * sizeof(*port));
	int rc = 0;

	if (!port)
		return -ENOMEM;
	*p = (struct sw_params){.name = n->name,
		.seed = b->s->seed,
		.n_ports = n->n_ports,
		.port = port,
		.buffer_bytes = n->sw->buffer,
		.fdb_age_ps = n->sw->fdb_age,
		.framing = b->s->framing,
		.pause_no_expiry = b->s->hpcc,
		.monitor = true};
	memcpy(p->dscp_to_class, n->sw->dscp_map, sizeof(p->dscp_to_class));
	memcpy(p->pcp_to_class, n->sw->pcp_map, sizeof(p->pcp_to_class));
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++)
		rc = switch_class(b, &p->cls[c], n, c);
	for (unsigned i = 0; !rc && i < n->n_ports; i++)
		rc = switch_port(b, &port[i], n, i);
	return rc ? rc : check_buffer(b, n, p);
}

int scene_switches(struct build *b)
{
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct build_node *n = b->node[i];
		int rc = n->is_switch && !n->external ? scene_switch(b, n) : 0;

		if (rc)
			return rc;
	}
	return 0;
}
