// SPDX-License-Identifier: BSD-3-Clause
// A switch of a scenario as the node takes it: its ports with groups, queues, watchdog and shapers,
// and its buffer.
#include <errno.h>
#include <string.h>

#include "int.h"
#include "headroom.h"
#include "late.h"

#define TAG_BYTES    4    // of a VLAN tag
#define XON_OFFSET   3000 // bytes below XOFF where the scenario does not say
#define SHAPER_BURST 8192 // bytes, where the scenario does not say

typedef unsigned long long ull; // of messages

bool hardware_queue_has_size(const struct spec_queue *q)
{
	return q->limit.is_share || q->limit.value != OPT_NONE;
}

uint64_t hardware_queue_whole(const struct draft_port *p, const struct spec_queue *q)
{
	const uint64_t buffer = draft_port_node(p)->sw->buffer;

	return hardware_queue_has_size(q) ? q->reserved + draft_amount(&q->limit, buffer) : buffer;
}

const struct yamldoc_node *hardware_port_place(const struct draft_port *p)
{
	return p->layer ? p->layer->key : draft_port_node(p)->key;
}

#define SONIC_MAC_PHY_BYTES 819.2 // SONiC's 0.8 KiB

static tstamp latency(const struct draft_node *n)
{
	return n->is_switch ? n->sw->latency : n->host->latency;
}

// A sender behind a device may send IP packets of the longest frame with tags before them, and
// these may pass every link of the scene.
uint32_t hardware_port_tags(const struct draft *b, const struct draft_port *p)
{
	bool is_auto = p->spec->mtu == OPT_AUTO && p->link->spec.mtu == OPT_AUTO;

	return is_auto && b->is_cut ? 2 * TAG_BYTES : 0;
}

uint32_t hardware_port_mtu(const struct draft *b, const struct draft_port *p)
{
	uint32_t longest = b->longest > 1514 ? b->longest : 1514;

	if (p->spec->mtu != OPT_AUTO)
		return (uint32_t)p->spec->mtu;
	return p->link->spec.mtu != OPT_AUTO ? (uint32_t)p->link->spec.mtu
					     : longest + hardware_port_tags(b, p);
}

// What either end takes before a frame leaves counts as cable.
static tstamp cable(const struct draft_link *l)
{
	return l->spec.delay + (latency(l->node[0]) + latency(l->node[1]) + 1) / 2;
}

// The same on both clocks: on the real one the poll loop comes on top. The reference simulator's
// nodes have none.
uint16_t hardware_pfc_response(const struct draft *b, const struct draft_node *n, rate_t rate)
{
	uint64_t given = n->is_switch ? n->sw->pfc_response : n->host->pfc_response;

	if (given != OPT_AUTO)
		return (uint16_t)given;
	if (b->s->framing.whole_ns)
		return 0;
	return (uint16_t)headroom_response_quanta(rate);
}

// The bytes that the peer sends in its response time beyond the limit of 802.3 at this speed.
static uint64_t slow_peer(
	const struct draft *b, const struct draft_link *l, const struct draft_node *peer)
{
	uint64_t quanta = hardware_pfc_response(b, peer, l->spec.rate);
	uint64_t allowed = headroom_response_bytes(l->spec.rate);

	return quanta * 64 > allowed ? quanta * 64 - allowed : 0;
}

// The bytes on the wire that arrive after XOFF is due, by standards.md 2.4.
static uint64_t obeyed_bytes(const struct draft *b, const struct draft_port *p)
{
	const struct draft_link *l = p->link;

	return headroom_qbb(l->spec.rate, cable(l), hardware_port_mtu(b, p)) +
	       slow_peer(b, l, l->node[!p->end]);
}

// The headroom for these bytes that a class of a port needs.
uint64_t hardware_port_headroom(const struct draft *b, const struct draft_port *p)
{
	return headroom_auto(obeyed_bytes(b, p), hardware_port_mtu(b, p),
		(uint32_t)p->link->node[p->end]->sw->cell);
}

// The same by SONiC's formula, all frames being small; no gearbox.
static uint64_t sonic_headroom(const struct draft *b, const struct draft_port *p)
{
	const struct draft_link *l = p->link;
	const struct headroom_sonic h = {
		.rate = l->spec.rate,
		.cable_bytes = 2 * (double)cable(l) * (double)l->spec.rate / 8 / PS_PER_S,
		.port_mtu = hardware_port_mtu(b, p) + PKT_FCS,
		.lossless_mtu = (b->longest ? b->longest : 1514) + PKT_FCS,
		.cell_bytes = (uint32_t)l->node[p->end]->sw->cell,
		.small_percent = 100,
		.mac_phy_bytes = SONIC_MAC_PHY_BYTES,
	};

	return headroom_sonic(&h).xoff;
}

static uint64_t headroom_of(const struct draft *b, const struct draft_port *p, uint64_t given)
{
	if (given == OPT_AUTO)
		return hardware_port_headroom(b, p);
	return given == OPT_WORD(0) ? sonic_headroom(b, p) : given;
}

static int lossless_pg(struct draft *b, struct mmu_pg_params *pg, const struct draft_port *p,
	const struct spec_class *c)
{
	const struct opt_table *t = hardware_class_table("pfc");
	const struct spec_pfc *pfc = &c->pfc;
	uint64_t whole = hardware_queue_whole(p, &c->queue), xon = draft_amount(&pfc->xon, whole);
	bool is_static = pfc->xoff.is_share || pfc->xoff.value != OPT_NONE;
	char low[DRAFT_SAID], high[DRAFT_SAID];

	pg->lossless = true;
	pg->threshold = is_static ? MMU_STATIC : MMU_DYNAMIC;
	pg->static_bytes = is_static ? draft_amount(&pfc->xoff, whole) : 0;
	pg->dynamic_th = pfc->dynamic_th;
	pg->reserved_bytes = pfc->reserved;
	pg->headroom_bytes = headroom_of(b, p, pfc->headroom);
	pg->xon_bytes = xon == OPT_NONE ? 0 : xon;
	pg->xon_offset_bytes = pfc->xon_offset == OPT_AUTO ? XON_OFFSET : pfc->xon_offset;
	if (!is_static)
		return 0;
	if (pg->xon_bytes > pg->static_bytes)
		return yamldoc_err(b->err, draft_given(t, pfc, "xon", hardware_port_place(p)),
			"xon %s is above xoff %s; it must be at or below it",
			draft_said(t, pfc, "xon", pg->xon_bytes, low, sizeof(low)),
			draft_said(t, pfc, "xoff", pg->static_bytes, high, sizeof(high)));
	// An XON that is given alone is the level itself.
	if (xon != OPT_NONE && pfc->xon_offset == OPT_AUTO)
		pg->xon_offset_bytes = pg->static_bytes - xon;
	if (pg->xon_offset_bytes > pg->static_bytes)
		return yamldoc_err(b->err, draft_given(t, pfc, "xoff", hardware_port_place(p)),
			"xoff %s is below xon_offset %s, so there would be no XON; raise it",
			draft_said(t, pfc, "xoff", pg->static_bytes, low, sizeof(low)),
			draft_said(t, pfc, "xon_offset", pg->xon_offset_bytes, high, sizeof(high)));
	return 0;
}

static int port_pg(
	struct draft *b, struct mmu_pg_params *pg, const struct draft_port *p, unsigned cls)
{
	const struct spec_class *c = &p->spec->cls[cls];
	const struct spec_drop *drop = &c->drop;

	if (hardware_pg_is_lossless(p, cls))
		return lossless_pg(b, pg, p, c);

	bool is_static = drop->limit.is_share || drop->limit.value != OPT_NONE;

	pg->threshold = is_static ? MMU_STATIC : MMU_DYNAMIC;
	pg->static_bytes =
		is_static ? draft_amount(&drop->limit, draft_port_node(p)->sw->buffer) : 0;
	pg->dynamic_th = drop->dynamic_th;
	pg->reserved_bytes = drop->reserved;
	return 0;
}

// Returns whether a queue serves a class that is lossless at its port.
static bool queue_is_lossless(const struct draft_port *p, unsigned queue)
{
	bool lossless = false;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		lossless |= p->spec->queue_map[c] == queue &&
			    hardware_pg_is_lossless(p, p->spec->pg_map[c]);
	return lossless;
}

static bool has_bytes(const struct opt_amount *a)
{
	return a->is_share || a->value != OPT_NONE;
}

static bool has_one_egress_pool(const struct draft_node *n)
{
	return has_bytes(&n->sw->pools.egress);
}

// Sets the parameters of a port's queue. Without a limit in the file, only its pool limits the
// queue.
static void port_queue(struct mmu_queue_params *q, const struct draft_node *n,
	const struct draft_port *p, unsigned cls)
{
	const struct spec_queue *spec = &p->spec->cls[cls].queue;
	bool is_static = hardware_queue_has_size(spec);
	bool is_dynamic = opt_source(hardware_class_table("queue"), spec, "dynamic_th");

	*q = (struct mmu_queue_params){
		.lossless = queue_is_lossless(p, cls),
		.one_pool = has_one_egress_pool(n),
		.limited = is_static || is_dynamic,
		.threshold = is_static ? MMU_STATIC : MMU_DYNAMIC,
		.reserved_bytes = spec->reserved,
		.static_bytes = is_static ? draft_amount(&spec->limit, n->sw->buffer) : 0,
		.dynamic_th = spec->dynamic_th,
	};
}

// Sets the PFC watchdog of a port: the port's own, else the switch's.
static int port_watchdog(struct draft *b, struct sw_port_params *to, const struct draft_node *n,
	const struct draft_port *p)
{
	const struct spec_wd *wd = &p->spec->wd;
	const struct yamldoc_node *at = opt_source(&scene_opts_port, p->spec, "pfc_watchdog");

	at = at ? at : opt_source(&scene_opts_switch, n->sw, "pfc_watchdog");
	if (!at)
		return 0;
	if (wd->detection < wd->poll || wd->restoration < wd->poll)
		return yamldoc_err(b->err,
			draft_given(&scene_opts_wd, wd,
				wd->detection < wd->poll ? "detection" : "restoration", at),
			"%s: the watchdog's detection and restoration take a poll at least; make "
			"them "
			"longer, or poll more often",
			p->name);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		to->wd_classes |= (uint8_t)(hardware_pg_has_pfc(p, p->spec->pg_map[c])
					    << p->spec->queue_map[c]);
	to->wd = (struct pfcwd_params){
		.poll = wd->poll,
		.detection = wd->detection,
		.restoration = wd->restoration,
		.rule = wd->rule,
		.action = wd->action,
	};
	to->wd_off = !wd->enable;
	return 0;
}

// Sets the rate of a shaper from the option `key` of `base`, whose table is t.
static int shaped_rate(struct draft *b, rate_t *rate, const struct opt_amount *a, rate_t line,
	const struct opt_table *t, const void *base, const char *key)
{
	if (!a->is_share && a->value == OPT_NONE)
		return 0;
	return draft_rate(b, rate, a, line, opt_source(t, base, key));
}

static int port_shapers(struct draft *b, struct sw_port_params *to, const struct draft_node *n,
	const struct draft_port *p)
{
	const struct opt_table *t = hardware_class_table("queue");
	int rc = shaped_rate(b, &to->shaper_rate, &p->spec->max_rate, to->rate, &scene_opts_port,
		p->spec, "max_rate");

	to->shaper_auto = n->sw->shaper_burst == OPT_AUTO;
	to->shaper_burst = to->shaper_auto ? SHAPER_BURST : (uint32_t)n->sw->shaper_burst;
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++) {
		const struct spec_queue *q = &p->spec->cls[c].queue;

		rc = shaped_rate(b, &to->min_rate[c], &q->min_rate, to->rate, t, q, "min_rate");
		if (!rc)
			rc = shaped_rate(
				b, &to->max_rate[c], &q->max_rate, to->rate, t, q, "max_rate");
		if (!rc && to->max_rate[c] && to->min_rate[c] > to->max_rate[c])
			rc = yamldoc_err(b->err, opt_source(t, q, "min_rate"),
				"%s queue %u: min_rate is above max_rate; it must be at or below "
				"it",
				p->name, c);
	}
	return rc;
}

static int share_text(struct draft *b, char **to, const struct spec_class *c)
{
	char xoff[32];

	if (!c->pfc.xoff.is_share || !opt_format(opt_row(hardware_class_table("pfc"), "xoff"),
					     &c->pfc, xoff, sizeof(xoff)))
		return 0;
	*to = arena_format(
		b->a, "%s %s", xoff, hardware_queue_has_size(&c->queue) ? "queue" : "buffer");
	return *to ? 0 : -ENOMEM;
}

static int switch_port(
	struct draft *b, struct sw_port_params *to, const struct draft_node *n, unsigned port)
{
	struct scene_port *sp = &b->s->node[n->index].port[port];
	int rc = 0;

	sp->obeyed_bytes = obeyed_bytes(b, n->port[port]);
	to->name = sp->name;
	memcpy(to->mac, sp->mac, sizeof(to->mac));
	hardware_far_mac(n, port, to->far_mac);
	to->rate = sp->rate;
	to->mtu = sp->mtu;
	to->trust = n->port[port]->spec->trust;
	to->default_class = n->port[port]->spec->default_class;
	to->pause_honour = hardware_obeys_pause(n, port);
	to->pfc_response = hardware_pfc_response(b, n, sp->rate);
	to->cn = n->port[port]->spec->cn_mode;
	to->pfc_asym = n->port[port]->spec->pfc_asym;
	rc = port_watchdog(b, to, n, n->port[port]);
	if (!rc)
		rc = port_shapers(b, to, n, n->port[port]);
	for (unsigned c = 0; !rc && c < MMU_PGS; c++) {
		rc = port_pg(b, &to->pg[c], n->port[port], c);
		if (!rc && to->pg[c].lossless)
			rc = share_text(b, &b->s->node[n->index].port[port].share[c],
				&n->port[port]->spec->cls[c]);
		port_queue(&to->queue[c], n, n->port[port], c);
	}
	return rc;
}

// Returns the size of the ingress pool, the reserves of its groups included.
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

// Returns the bytes of a shared pool that each of n groups may take while all of them are at their
// dynamic threshold: limit = 2^dynamic_th (shared - n limit).
static uint64_t limit_among(int dynamic_th, uint64_t shared, unsigned n)
{
	unsigned up = dynamic_th > 0 ? (unsigned)dynamic_th : 0;
	unsigned down = dynamic_th < 0 ? (unsigned)-dynamic_th : 0;

	return (shared << up) / (((uint64_t)n << up) + (1ull << down));
}

uint64_t hardware_alone(int dynamic_th, uint64_t shared)
{
	return limit_among(dynamic_th, shared, 1);
}

// Notes what is left to share of the ingress pool.
static void note_shared(struct scene_node *to)
{
	uint64_t all = ingress_bytes(&to->u.sw), own = owned_bytes(&to->u.sw);

	to->shared_bytes = all > own ? all - own : 0;
}

static uint64_t shared_among(const struct scene_node *sw, unsigned port, unsigned pg, unsigned n)
{
	const struct mmu_pg_params *of = &sw->u.sw.port[port].pg[pg];

	if (of->threshold == MMU_STATIC)
		return of->static_bytes;
	return limit_among(of->dynamic_th, sw->shared_bytes, n);
}

uint64_t hardware_shared(const struct scene_node *sw, unsigned port, unsigned pg)
{
	return shared_among(sw, port, pg, 1);
}

uint64_t hardware_xoff_among(const struct scene_node *sw, unsigned port, unsigned pg, unsigned n)
{
	return sw->u.sw.port[port].pg[pg].reserved_bytes + shared_among(sw, port, pg, n);
}

uint64_t hardware_xoff(const struct scene_node *sw, unsigned port, unsigned pg)
{
	return hardware_xoff_among(sw, port, pg, 1);
}

uint64_t hardware_xon(const struct scene_node *sw, unsigned port, unsigned pg)
{
	const struct mmu_pg_params *of = &sw->u.sw.port[port].pg[pg];

	return of->reserved_bytes +
	       mmu_xon_at(hardware_shared(sw, port, pg), of->xon_bytes, of->xon_offset_bytes);
}

// The table of a map inside a class.
const struct opt_table *hardware_class_table(const char *key)
{
	return opt_row(&scene_opts_class, key)->sub;
}

bool hardware_pg_is_lossless(const struct draft_port *p, unsigned pg)
{
	return draft_port_node(p)->sw->flow_control == SPEC_PAUSE ? pg == p->spec->pg_map[0]
								  : p->spec->cls[pg].lossless;
}

bool hardware_pg_has_pfc(const struct draft_port *p, unsigned pg)
{
	return hardware_pg_is_lossless(p, pg) && p->spec->cls[pg].pfc.enable;
}

bool hardware_peer_pauses(const struct draft_node *n, unsigned port)
{
	const struct draft_node *peer = draft_peer(n, port);

	return peer->is_switch && peer->sw->flow_control == SPEC_PAUSE;
}

bool hardware_obeys_pause(const struct draft_node *n, unsigned port)
{
	enum spec_honour honour = n->is_switch ? n->sw->pause_honour : n->host->pause_honour;

	if (honour != SPEC_HONOUR_AUTO)
		return honour == SPEC_HONOUR;
	return hardware_peer_pauses(n, port) || (n->is_switch && n->sw->flow_control == SPEC_PAUSE);
}

static int too_small(struct draft *b, const struct draft_node *n, const struct sw_params *p)
{
	uint64_t headroom = 0, own = owned_bytes(p);

	for (unsigned i = 0; i < n->n_ports && !p->headroom_pool_bytes; i++)
		for (unsigned c = 0; c < MMU_PGS; c++)
			headroom += p->port[i].pg[c].headroom_bytes;
	return yamldoc_err(b->err, draft_given(&scene_opts_switch, n->sw, "buffer", n->key),
		"switch '%s': reserved (%llu bytes) and headroom (%llu bytes) of its %u ports "
		"leave nothing of the %s (%llu bytes) to share; make it larger than %llu bytes",
		n->name, (ull)(own - headroom), (ull)headroom, n->n_ports,
		p->ingress_bytes ? "ingress pool" : "buffer", (ull)ingress_bytes(p), (ull)own);
}

static int check_egress(struct draft *b, const struct draft_node *n, const struct sw_params *p,
	const struct yamldoc_node *at)
{
	uint64_t reserved[2] = {0};

	for (unsigned i = 0; i < n->n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++)
			reserved[mmu_queue_pool(&p->port[i].queue[c])] +=
				p->port[i].queue[c].reserved_bytes;
	for (unsigned k = 0; k < 2; k++) {
		uint64_t size = p->egress_bytes[k] ? p->egress_bytes[k] : p->buffer_bytes;

		if (reserved[k] > size)
			return yamldoc_err(b->err, at,
				"switch '%s': its queues reserve %llu of the egress%s pool "
				"(%llu); "
				"make that larger",
				n->name, (ull)reserved[k],
				has_one_egress_pool(n) ? ""
				: k                    ? "_lossy"
						       : "_lossless",
				(ull)size);
	}
	return 0;
}

static int check_buffer(struct draft *b, const struct draft_node *n, const struct sw_params *p)
{
	const struct yamldoc_node *pools = draft_given(&scene_opts_switch, n->sw, "pools", n->key);

	if (has_one_egress_pool(n) && n->sw->shards > 1)
		return yamldoc_err(b->err, pools,
			"switch '%s': pools.egress goes without shards; give egress_lossless and "
			"egress_lossy",
			n->name);
	if (has_one_egress_pool(n) &&
		(has_bytes(&n->sw->pools.egress_lossless) || has_bytes(&n->sw->pools.egress_lossy)))
		return yamldoc_err(b->err, pools,
			"switch '%s': pools.egress is for all queues; leave out egress_lossless "
			"and egress_lossy",
			n->name);
	if (p->headroom_pool_bytes >= p->buffer_bytes ||
		p->ingress_bytes > p->buffer_bytes - p->headroom_pool_bytes)
		return yamldoc_err(b->err, pools,
			"switch '%s': pools for ingress (%llu) and headroom (%llu) do not fit "
			"into the "
			"buffer (%llu)",
			n->name, (ull)p->ingress_bytes, (ull)p->headroom_pool_bytes,
			(ull)p->buffer_bytes);
	if (owned_bytes(p) >= ingress_bytes(p))
		return too_small(b, n, p);
	return check_egress(b, n, p, pools);
}

static uint64_t pool_bytes(const struct draft_node *n, const struct opt_amount *a)
{
	uint64_t bytes = draft_amount(a, n->sw->buffer);

	return bytes == OPT_NONE ? 0 : bytes;
}

static int hardware_switch(struct draft *b, const struct draft_node *n)
{
	struct sw_params *p = &b->s->node[n->index].u.sw;
	struct sw_port_params *port = draft_get(b, n->n_ports * sizeof(*port));
	struct sw_set_params *set = NULL;
	int rc;

	if (!port)
		return -ENOMEM;
	*p = (struct sw_params){.name = n->name,
		.seed = b->s->seed,
		.n_ports = n->n_ports,
		.port = port,
		.buffer_bytes = n->sw->buffer,
		.fdb_age_ps = n->sw->fdb_age,
		.framing = b->s->framing,
		.pause_no_expiry = b->s->hpcc_sim,
		.pause = n->sw->flow_control == SPEC_PAUSE,
		.monitor = true,
		.cell_bytes = (uint32_t)n->sw->cell,
		.headroom_pool_bytes = pool_bytes(n, &n->sw->pools.headroom),
		.ingress_bytes = pool_bytes(n, &n->sw->pools.ingress),
		.egress_bytes = {
			pool_bytes(n, has_one_egress_pool(n) ? &n->sw->pools.egress
							     : &n->sw->pools.egress_lossless),
			pool_bytes(n, &n->sw->pools.egress_lossy)}};
	rc = hardware_sets(b, &set, &p->n_sets, port, n);
	p->set = set;
	for (unsigned i = 0; !rc && i < n->n_ports; i++)
		rc = switch_port(b, &port[i], n, i);
	if (!rc)
		note_shared(&b->s->node[n->index]);
	if (!rc)
		rc = hardware_switch_cn(b, p, set, n);
	if (!rc)
		rc = check_buffer(b, n, p);
	if (!rc)
		rc = late_loops(b, n, p, port);
	if (!rc)
		note_shared(&b->s->node[n->index]);
	return rc;
}

int hardware_switches(struct draft *b)
{
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];
		int rc = n->is_switch && !n->external ? hardware_switch(b, n) : 0;

		if (rc)
			return rc;
	}
	return 0;
}
