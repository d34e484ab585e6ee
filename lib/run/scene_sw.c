// SPDX-License-Identifier: BSD-3-Clause
// Switches of a scene: classes, thresholds and headroom compiled for every port.
#include <errno.h>
#include <string.h>

#include "run/headroom.h"
#include "run/scene_build.h"

#define SONIC_MAC_PHY_BYTES 819.2 // SONiC's 0.8 KiB

// The ingress pool, with what groups own of it.
static uint64_t ingress_bytes(const struct sw_params *p)
{
	return p->ingress_bytes ? p->ingress_bytes : p->buffer_bytes - p->headroom_pool_bytes;
}

static uint64_t owned_bytes(const struct sw_params *p)
{
	uint64_t own = 0;

	for (unsigned i = 0; i < p->n_ports; i++) {
		for (unsigned c = 0; c < MMU_PGS; c++) {
			const struct mmu_pg_params *pg = &p->port[i].pg[c];

			own += pg->reserved_bytes;
			own += p->headroom_pool_bytes ? 0 : pg->headroom_bytes;
		}
	}
	return own;
}

// Static as given; dynamic, limit = 2^n (shared - limit).
uint64_t scene_xoff(const struct sw_params *p, unsigned port, unsigned cls)
{
	const struct mmu_pg_params *pg = &p->port[port].pg[cls];

	if (pg->threshold == MMU_STATIC)
		return pg->static_bytes;

	uint64_t shared = ingress_bytes(p) - owned_bytes(p);

	unsigned up = pg->dynamic_th > 0 ? (unsigned)pg->dynamic_th : 0;
	unsigned down = pg->dynamic_th < 0 ? (unsigned)-pg->dynamic_th : 0;

	return (shared << up) / ((1ull << up) + (1ull << down));
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

// What either end takes before a frame leaves counts as cable.
static tstamp cable(const struct build_link *l)
{
	return l->spec.delay + (latency(l->node[0]) + latency(l->node[1]) + 1) / 2;
}

// What the peer says to take longer than 802.3 allows at this speed, octets.
static uint64_t slow_peer(const struct build_link *l, const struct build_node *peer)
{
	uint64_t quanta = peer->is_switch ? peer->sw->pfc_response : peer->host->pfc_response;
	uint64_t allowed = headroom_response_bytes(l->spec.rate);

	return quanta * 64 > allowed ? quanta * 64 - allowed : 0;
}

// What a port's class needs by STANDARDS 2.4.
uint64_t scene_port_headroom(const struct build *b, const struct build_port *p)
{
	const struct build_link *l = p->link;
	uint64_t sum = headroom_qbb(l->spec.rate, cable(l), scene_port_mtu(b, p));
	const struct spec_switch *sw = l->node[p->end]->sw;

	sum += slow_peer(l, l->node[!p->end]);
	return headroom_in_cells(sum, (uint32_t)sw->cell);
}

// The same by SONiC's formula, all frames being small; no gearbox.
static uint64_t sonic_headroom(const struct build *b, const struct build_port *p)
{
	const struct build_link *l = p->link;
	const struct headroom_sonic h = {
		.rate = l->spec.rate,
		.cable_bytes = 2 * (double)cable(l) * (double)l->spec.rate / 8 / PS_PER_S,
		.port_mtu = scene_port_mtu(b, p) + PKT_FCS,
		.lossless_mtu = (b->longest ? b->longest : 1514) + PKT_FCS,
		.cell_bytes = (uint32_t)l->node[p->end]->sw->cell,
		.small_percent = 100,
		.mac_phy_bytes = SONIC_MAC_PHY_BYTES,
	};

	return headroom_sonic(&h).xoff;
}

static uint64_t headroom_of(const struct build *b, const struct build_port *p, uint64_t given)
{
	if (given == OPT_AUTO)
		return scene_port_headroom(b, p);
	return given == OPT_WORD(0) ? sonic_headroom(b, p) : given;
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
	pg->headroom_bytes = headroom_of(b, p, pfc->headroom);
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

// What is not given has no limit but its pool's.
static void port_queue(struct mmu_queue_params *q, const struct build_node *n,
	const struct build_port *p, unsigned cls)
{
	const struct spec_queue *spec = &p->spec.cls[cls].queue;
	bool is_static = spec->limit.is_share || spec->limit.value != OPT_NONE;
	bool is_dynamic = opt_source(sub_table("queue"), spec, "dynamic_th");

	*q = (struct mmu_queue_params){
		.lossless = n->sw->cls[cls].lossless,
		.limited = is_static || is_dynamic,
		.threshold = is_static ? MMU_STATIC : MMU_DYNAMIC,
		.reserved_bytes = spec->reserved,
		.static_bytes = is_static ? scene_amount(&spec->limit, n->sw->buffer) : 0,
		.dynamic_th = spec->dynamic_th,
	};
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

// At the port where it is given there, else at every port of the switch.
static int port_watchdog(struct build *b, struct sw_port_params *to, const struct build_node *n,
	const struct build_port *p)
{
	const struct spec_wd *wd = &p->spec.wd;
	const struct yamldoc_node *at = opt_source(&scene_opts_port, &p->spec, "pfc_watchdog");

	at = at ? at : opt_source(&scene_opts_switch, n->sw, "pfc_watchdog");
	if (!at)
		return 0;
	if (wd->detection < wd->poll || wd->restoration < wd->poll)
		return yamldoc_err(b->err,
			given(&scene_opts_wd, wd,
				wd->detection < wd->poll ? "detection" : "restoration", at),
			"%s: the watchdog's detection and restoration take a poll at least; make them "
			"longer, or poll more often",
			p->name);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		to->wd_classes |=
			(uint8_t)((n->sw->cls[c].lossless && n->sw->cls[c].pfc.enable) << c);
	to->wd = (struct pfcwd_params){
		.poll = wd->poll,
		.detection = wd->detection,
		.restoration = wd->restoration,
		.rule = wd->rule,
		.action = wd->action,
	};
	return 0;
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
	to->pfc_response = n->sw->pfc_response;
	to->cn = n->port[port]->spec.cn_mode;
	rc = port_watchdog(b, to, n, n->port[port]);
	for (unsigned c = 0; !rc && c < MMU_PGS; c++) {
		rc = port_pg(b, &to->pg[c], n, n->port[port], c);
		port_queue(&to->queue[c], n, n->port[port], c);
	}
	return rc;
}

typedef unsigned long long ull; // of messages

static int too_small(struct build *b, const struct build_node *n, const struct sw_params *p)
{
	uint64_t headroom = 0, own = owned_bytes(p);

	for (unsigned i = 0; i < n->n_ports && !p->headroom_pool_bytes; i++)
		for (unsigned c = 0; c < MMU_PGS; c++)
			headroom += p->port[i].pg[c].headroom_bytes;
	return yamldoc_err(b->err, given(&scene_opts_switch, n->sw, "buffer", n->key),
		"switch '%s': reserved (%llu) and headroom (%llu) of its %u ports leave nothing of the "
		"%s (%llu) to share; make it larger than %llu",
		n->name, (ull)(own - headroom), (ull)headroom, n->n_ports,
		p->ingress_bytes ? "ingress pool" : "buffer", (ull)ingress_bytes(p), (ull)own);
}

static int check_egress(struct build *b, const struct build_node *n, const struct sw_params *p,
	const struct yamldoc_node *at)
{
	uint64_t reserved[2] = {0};

	for (unsigned i = 0; i < n->n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++)
			reserved[!p->port[i].queue[c].lossless] +=
				p->port[i].queue[c].reserved_bytes;
	for (unsigned k = 0; k < 2; k++) {
		uint64_t size = p->egress_bytes[k] ? p->egress_bytes[k] : p->buffer_bytes;

		if (reserved[k] > size)
			return yamldoc_err(b->err, at,
				"switch '%s': its queues reserve %llu of the egress_%s pool (%llu); "
				"make that larger",
				n->name, (ull)reserved[k], k ? "lossy" : "lossless", (ull)size);
	}
	return 0;
}

static int check_buffer(struct build *b, const struct build_node *n, const struct sw_params *p)
{
	const struct yamldoc_node *pools = given(&scene_opts_switch, n->sw, "pools", n->key);

	if (p->headroom_pool_bytes >= p->buffer_bytes ||
		p->ingress_bytes > p->buffer_bytes - p->headroom_pool_bytes)
		return yamldoc_err(b->err, pools,
			"switch '%s': pools for ingress (%llu) and headroom (%llu) do not fit into the "
			"buffer (%llu)",
			n->name, (ull)p->ingress_bytes, (ull)p->headroom_pool_bytes,
			(ull)p->buffer_bytes);
	if (owned_bytes(p) >= ingress_bytes(p))
		return too_small(b, n, p);
	return check_egress(b, n, p, pools);
}

static uint64_t pool_bytes(const struct build_node *n, const struct opt_amount *a)
{
	uint64_t bytes = scene_amount(a, n->sw->buffer);

	return bytes == OPT_NONE ? 0 : bytes;
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
		.monitor = true,
		.cell_bytes = (uint32_t)n->sw->cell,
		.headroom_pool_bytes = pool_bytes(n, &n->sw->pools.headroom),
		.ingress_bytes = pool_bytes(n, &n->sw->pools.ingress),
		.egress_bytes = {pool_bytes(n, &n->sw->pools.egress_lossless),
			pool_bytes(n, &n->sw->pools.egress_lossy)}};
	memcpy(p->dscp_to_class, n->sw->dscp_map, sizeof(p->dscp_to_class));
	memcpy(p->pcp_to_class, n->sw->pcp_map, sizeof(p->pcp_to_class));
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++)
		rc = switch_class(b, &p->cls[c], n, c);
	for (unsigned i = 0; !rc && i < n->n_ports; i++)
		rc = switch_port(b, &port[i], n, i);
	if (!rc)
		rc = scene_switch_cn(b, p, n);
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
