// SPDX-License-Identifier: BSD-3-Clause
// Ports of a scene's switches: thresholds, headroom, queue limits, shapers and the watchdog.
#include <errno.h>
#include <string.h>

#include "headroom.h"
#include "int.h"

#define SONIC_MAC_PHY_BYTES 819.2 // SONiC's 0.8 KiB

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

// A poll loop (real clock) has a response of its own, and the reference simulator's nodes have
// none.
uint16_t scene_pfc_response(const struct build *b, const struct build_node *n, rate_t rate)
{
	uint64_t given = n->is_switch ? n->sw->pfc_response : n->host->pfc_response;

	if (given != OPT_AUTO)
		return (uint16_t)given;
	if (b->s->framing.whole_ns || (b->opts && b->opts->real))
		return 0;
	return (uint16_t)headroom_response_quanta(rate);
}

// What the peer says to take longer than 802.3 allows at this speed, bytes.
static uint64_t slow_peer(
	const struct build *b, const struct build_link *l, const struct build_node *peer)
{
	uint64_t quanta = scene_pfc_response(b, peer, l->spec.rate);
	uint64_t allowed = headroom_response_bytes(l->spec.rate);

	return quanta * 64 > allowed ? quanta * 64 - allowed : 0;
}

// What a port's class needs by standards.md 2.4.
uint64_t scene_port_headroom(const struct build *b, const struct build_port *p)
{
	const struct build_link *l = p->link;
	uint32_t mtu = scene_port_mtu(b, p);
	uint64_t after = headroom_qbb(l->spec.rate, cable(l), mtu);

	after += slow_peer(b, l, l->node[!p->end]);
	return headroom_auto(after, mtu, (uint32_t)l->node[p->end]->sw->cell);
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

static bool has_size(const struct spec_queue *q)
{
	return q->limit.is_share || q->limit.value != OPT_NONE;
}

// What XOFF and XON are shares of: the class's queue at this port where that has a size, else the
// switch's buffer.
static uint64_t whole_of(const struct build_node *n, const struct spec_queue *q)
{
	return has_size(q) ? q->reserved + scene_amount(&q->limit, n->sw->buffer) : n->sw->buffer;
}

static int lossless_pg(struct build *b, struct mmu_pg_params *pg, const struct build_node *n,
	const struct build_port *p, const struct spec_class *c)
{
	const struct opt_table *t = scene_class_table("pfc");
	const struct spec_pfc *pfc = &c->pfc;
	uint64_t whole = whole_of(n, &c->queue), xon = scene_amount(&pfc->xon, whole);
	bool is_static = pfc->xoff.is_share || pfc->xoff.value != OPT_NONE;

	pg->lossless = true;
	pg->threshold = is_static ? MMU_STATIC : MMU_DYNAMIC;
	pg->static_bytes = is_static ? scene_amount(&pfc->xoff, whole) : 0;
	pg->dynamic_th = pfc->dynamic_th;
	pg->reserved_bytes = pfc->reserved;
	pg->headroom_bytes = headroom_of(b, p, pfc->headroom);
	pg->xon_bytes = xon == OPT_NONE ? 0 : xon;
	pg->xon_offset_bytes = pfc->xon_offset;
	if (!is_static)
		return 0;
	if (pg->xon_bytes > pg->static_bytes)
		return yamldoc_err(b->err, scene_given(t, pfc, "xon", n->key),
			"xon %llu is above xoff %llu; it must be at or below it",
			(unsigned long long)pg->xon_bytes, (unsigned long long)pg->static_bytes);
	// An XON that is given alone is the level itself.
	if (xon != OPT_NONE && !opt_source(t, pfc, "xon_offset"))
		pg->xon_offset_bytes = pg->static_bytes - xon;
	if (pg->xon_offset_bytes > pg->static_bytes)
		return yamldoc_err(b->err, scene_given(t, pfc, "xoff", n->key),
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
	if (scene_pg_is_lossless(n->sw, cls))
		return lossless_pg(b, pg, n, p, c);

	bool is_static = drop->limit.is_share || drop->limit.value != OPT_NONE;

	pg->threshold = is_static ? MMU_STATIC : MMU_DYNAMIC;
	pg->static_bytes = is_static ? scene_amount(&drop->limit, n->sw->buffer) : 0;
	pg->dynamic_th = drop->dynamic_th;
	pg->reserved_bytes = drop->reserved;
	return 0;
}

// Some class that it serves is in a lossless group.
static bool queue_is_lossless(const struct spec_switch *sw, unsigned queue)
{
	bool lossless = false;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		lossless |= sw->queue_map[c] == queue && scene_pg_is_lossless(sw, sw->pg_map[c]);
	return lossless;
}

// What is not given has no limit but its pool's.
static void port_queue(struct mmu_queue_params *q, const struct build_node *n,
	const struct build_port *p, unsigned cls)
{
	const struct spec_queue *spec = &p->spec.cls[cls].queue;
	bool is_static = has_size(spec);
	bool is_dynamic = opt_source(scene_class_table("queue"), spec, "dynamic_th");

	*q = (struct mmu_queue_params){
		.lossless = queue_is_lossless(n->sw, cls),
		.limited = is_static || is_dynamic,
		.threshold = is_static ? MMU_STATIC : MMU_DYNAMIC,
		.reserved_bytes = spec->reserved,
		.static_bytes = is_static ? scene_amount(&spec->limit, n->sw->buffer) : 0,
		.dynamic_th = spec->dynamic_th,
	};
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
			scene_given(&scene_opts_wd, wd,
				wd->detection < wd->poll ? "detection" : "restoration", at),
			"%s: the watchdog's detection and restoration take a poll at least; make "
			"them "
			"longer, or poll more often",
			p->name);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		to->wd_classes |=
			(uint8_t)(scene_pg_has_pfc(n->sw, n->sw->pg_map[c]) << n->sw->queue_map[c]);
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

static int shaped_rate(struct build *b, rate_t *rate, const struct opt_amount *a, rate_t line,
	const struct yamldoc_node *at)
{
	return !a->is_share && a->value == OPT_NONE ? 0 : scene_rate(b, rate, a, line, at);
}

static int port_shapers(struct build *b, struct sw_port_params *to, const struct build_node *n,
	const struct build_port *p)
{
	const struct opt_table *t = scene_class_table("queue");
	int rc = shaped_rate(b, &to->shaper_rate, &p->spec.max_rate, to->rate,
		opt_source(&scene_opts_port, &p->spec, "max_rate"));

	to->shaper_burst = (uint32_t)n->sw->shaper_burst;
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++) {
		const struct spec_queue *q = &p->spec.cls[c].queue;

		rc = shaped_rate(
			b, &to->min_rate[c], &q->min_rate, to->rate, opt_source(t, q, "min_rate"));
		if (!rc)
			rc = shaped_rate(b, &to->max_rate[c], &q->max_rate, to->rate,
				opt_source(t, q, "max_rate"));
		if (!rc && to->max_rate[c] && to->min_rate[c] > to->max_rate[c])
			rc = yamldoc_err(b->err, opt_source(t, q, "min_rate"),
				"%s queue %u: min_rate is above max_rate; it must be at or below "
				"it",
				p->name, c);
	}
	return rc;
}

static int share_text(struct build *b, char **to, const struct spec_class *c)
{
	char xoff[32];

	if (!c->pfc.xoff.is_share ||
		!opt_format(opt_row(scene_class_table("pfc"), "xoff"), &c->pfc, xoff, sizeof(xoff)))
		return 0;
	*to = arena_format(b->a, "%s %s", xoff, has_size(&c->queue) ? "queue" : "buffer");
	return *to ? 0 : -ENOMEM;
}

int scene_swport(
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
	to->pause_honour = scene_obeys_pause(n, port);
	to->pfc_response = scene_pfc_response(b, n, sp->rate);
	to->cn = n->port[port]->spec.cn_mode;
	to->pfc_asym = n->port[port]->spec.pfc_asym;
	rc = port_watchdog(b, to, n, n->port[port]);
	if (!rc)
		rc = port_shapers(b, to, n, n->port[port]);
	for (unsigned c = 0; !rc && c < MMU_PGS; c++) {
		rc = port_pg(b, &to->pg[c], n, n->port[port], c);
		if (!rc && to->pg[c].lossless)
			rc = share_text(b, &b->s->node[n->index].port[port].share[c],
				&n->port[port]->spec.cls[c]);
		port_queue(&to->queue[c], n, n->port[port], c);
	}
	return rc;
}
