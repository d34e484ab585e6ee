// SPDX-License-Identifier: BSD-3-Clause
// The switch as an object: parameters compiled once, life and death, commands.
#include "sw.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/have.h"
#include "int.h"

static int check_params(const struct sw_params *p)
{
	if (!p->name || !p->n_ports || p->n_ports > NODE_PORTS || !p->port || !p->n_sets)
		return -EINVAL;
	for (unsigned i = 0; i < p->n_ports; i++) {
		const struct sw_port_params *o = &p->port[i];

		if (!o->name || !o->mtu || o->mtu > PKT_MAX_LEN ||
			o->default_class >= PKT_CLASSES || o->set >= p->n_sets)
			return -EINVAL;
	}
	for (unsigned i = 0; i < p->n_fdb; i++)
		if (p->fdb[i].port >= p->n_ports || p->fdb[i].ecmp > p->n_ecmp)
			return -EINVAL;
	return 0;
}

static bool same_ecfg(const struct eport_cfg *a, const struct eport_cfg *b)
{
	return a->rate == b->rate && a->longest == b->longest && a->strict == b->strict &&
	       !memcmp(a->quantum, b->quantum, sizeof(a->quantum)) &&
	       !memcmp(a->weight, b->weight, sizeof(a->weight));
}

// Ports of the same rate, MTU, weights and strict classes share one compiled configuration.
static int init_eport(struct sw *sw, struct sw_port *o, const struct sw_port_params *p,
	const struct sw_params *sp)
{
	const struct sw_class_params *cls = sp->set[p->set].cls;
	unsigned i = 0, at = (unsigned)(o - sw->port);
	struct eport_params e = {
		.rate = p->rate,
		.mtu = p->mtu,
		.framing = sp->framing,
		.tolerance_ps = sp->tolerance_ps,
	};
	int rc;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		e.strict |= (uint8_t)(cls[c].strict << c);
		e.weight[c] = cls[c].weight;
	}
	rc = eport_cfg_init(&sw->ecfg[sw->n_ecfg], &e);
	if (rc)
		return rc;
	while (!same_ecfg(&sw->ecfg[i], &sw->ecfg[sw->n_ecfg]))
		i++;
	sw->n_ecfg += i == sw->n_ecfg;
	eport_init(&o->e, &sw->ecfg[i], sw->hist ? sw->hist + at * PKT_CLASSES : NULL);
	return 0;
}

static void init_pause(
	struct sw_port *o, const struct sw_port_params *p, const struct sw *sw, bool no_expiry)
{
	const struct sw_cls *cls = o->set->cls;
	uint8_t pfc = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		pfc |= (uint8_t)(cls[c].pfc << c);
	// PAUSE stops every class. PFC only stops classes that have it, unless it is asymmetric.
	o->rare->pause_honour = p->pause_honour;
	o->rare->pfc_mask = sw->pause ? 0 : p->pfc_asym ? 0xff : pfc;
	pause_rx_init(
		&o->rare->prx, p->rate, p->pause_honour || p->pfc_asym ? 0xff : pfc, no_expiry);
	pause_tx_init(&o->rare->ptx, p->rate);
	if (no_expiry)
		pause_tx_no_expiry(&o->rare->ptx);
	if (sw->pause)
		pause_tx_whole(&o->rare->ptx);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (cls[c].pfc)
			pause_tx_set(&o->rare->ptx, c, cls[c].quanta, cls[c].refresh_permille);
	o->rare->pfc_hdr = (struct hdr){
		.dst = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01},
		.ethertype = ETH_P_MAC_CONTROL,
		.id = HDR_ID_NODE,
	};
	memcpy(o->rare->pfc_hdr.src, p->mac, 6);
	memcpy(o->rare->far_mac, p->far_mac, 6);
	o->rare->stats.knows_far = memcmp(p->far_mac, (uint8_t[6]){0}, 6) != 0;
}

// The number of queues of ports that have a marker.
static size_t count_markers(const struct sw *sw, const struct sw_params *p)
{
	size_t n = 0;

	for (unsigned i = 0; i < p->n_ports * PKT_CLASSES; i++)
		n += sw_set_of(sw, p, i / PKT_CLASSES)->cls[i % PKT_CLASSES].mark != SW_MARK_NONE;
	return n;
}

static void init_curves(struct sw_port *o, struct sw *sw)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (o->set->cls[c].mark != SW_MARK_NONE)
			o->out[c].curve = &sw->curve[sw->n_curves++];
}

static int init_port(struct sw *sw, unsigned i, const struct sw_params *params)
{
	const struct sw_port_params *p = &params->port[i];
	struct sw_port *o = &sw->port[i];
	int rc;

	o->set = sw_set_of(sw, params, i);
	o->rare = &sw->rare[i];
	o->rare->cls = &sw->class_stats[i * PKT_CLASSES];
	rc = init_eport(sw, o, p, params);
	if (rc)
		return rc;
	sw->n_ports = i + 1;
	rc = sw_wd_init(o, p);
	if (!rc)
		rc = sw_response_init(o, p);
	if (!rc)
		rc = sw_shape_init(sw, o, p);
	if (rc)
		return rc;
	o->index = (uint16_t)i;
	o->away = sw->fabric && i % sw->fabric->n != sw->shard;
	o->ring = o->away ? sw->fabric->ring[sw->shard][i % sw->fabric->n] : NULL;
	o->mtu = o->max_len = (uint16_t)p->mtu;
	o->flags |= (p->trust == SW_TRUST_PCP ? SW_PORT_TRUSTS_PCP : 0) |
		    (o->shape ? SW_PORT_SHAPED : 0);
	o->default_class = p->default_class;
	o->ctl_at = TSTAMP_NEVER;
	o->deadline = o->timer = o->wd ? o->wd->next : TSTAMP_NEVER;
	prng_init(&o->rng, params->seed, p->name);
	init_pause(o, p, sw, params->pause_no_expiry);
	if (sw->curve)
		init_curves(o, sw);
	rc = sw_wred_port(o);
	if (rc)
		return rc;
	sw->up[i / 64] |= 1ull << i % 64;
	if (o->away) {
		o->max_len = 0;
		o->deadline = o->timer = TSTAMP_NEVER;
	}
	return sw_qcn_port(sw, o, params);
}

// Makes what most queues never write to. It is one block, because the C library takes a large one
// from the kernel, zeroed: pages that nothing uses are never touched.
static int init_seldom(struct sw *sw, const struct sw_params *p)
{
	const size_t queues = (size_t)p->n_ports * PKT_CLASSES;
	const size_t curves = count_markers(sw, p);
	const size_t hist = p->monitor ? queues * sizeof(*sw->hist) : 0;
	const size_t curve = p->monitor ? curves * sizeof(*sw->curve) : 0;
	char *at = calloc(1, hist + curve + queues * sizeof(*sw->class_stats));

	sw->seldom = at;
	if (!at)
		return -ENOMEM;
	sw->hist = hist ? (struct hist *)at : NULL;
	sw->curve = curve ? (struct red_curve *)(at + hist) : NULL;
	sw->class_stats = (struct sw_class_stats *)(at + hist + curve);
	return 0;
}

static int init_ports(struct sw *sw, const struct sw_params *p)
{
	sw->port = have_zeroed(p->n_ports * sizeof(*sw->port), &sw->port_mem);
	sw->rare = calloc(p->n_ports, sizeof(*sw->rare));
	sw->ecfg = calloc(p->n_ports, sizeof(*sw->ecfg));
	if (!sw->port || !sw->rare || !sw->ecfg || init_seldom(sw, p))
		return -ENOMEM;
	for (unsigned i = 0; i < p->n_ports; i++) {
		int rc = init_port(sw, i, p);

		if (rc)
			return rc;
	}
	return 0;
}

static int init(struct sw *sw, const struct sw_params *p)
{
	int rc = check_params(p);

	sw->pause = p->pause;
	if (!rc)
		rc = sw_set_init(sw, p);
	if (!rc)
		rc = sw_qcn_init(sw, p);
	if (rc)
		return rc;
	sw->queue_extra = p->framing.queue_extra;
	rc = sw_fdb_init(sw, p);
	if (!rc)
		rc = sw_buffer_init(sw, p);
	if (!rc)
		rc = init_ports(sw, p);
	if (!rc && p->iqcn_on)
		rc = sw_iqcn_init(sw, p);
	if (!rc && p->fast_cnp_on)
		rc = sw_fast_cnp_init(sw, p);
	return rc;
}

static void free_one(struct sw *sw)
{
	if (!sw)
		return;
	for (unsigned i = 0; i < sw->n_ports; i++) {
		free(sw->port[i].wd);
		sw_response_fini(&sw->port[i]);
		free(sw->port[i].shape);
		sw_qcn_fini(&sw->port[i]);
		sw_wred_fini(&sw->port[i]);
	}
	sw_iqcn_fini(sw);
	sw_fast_cnp_fini(sw);
	mmu_pools_fini(&sw->pools);
	mmu_pools_cfg_fini(&sw->pools_cfg);
	mmu_fini(&sw->mmu);
	mmu_cfg_fini(&sw->mmu_cfg);
	sw_fdb_fini(sw);
	free(sw->rare);
	free(sw->ecfg);
	free(sw->seldom);
	free(sw->port_mem);
	free(sw->set_mem);
	free(sw->mem);
}

// Initialises a switch. `f`: the fabric whose shard k it becomes; NULL: it is not cut.
static int init_one(struct sw **out, struct sw_fabric *f, unsigned k,
	const struct sw_params *params, struct pkt_stack *stack, struct ev_ring *events)
{
	void *mem;
	struct sw *sw = have_zeroed(sizeof(*sw), &mem);
	int rc;

	if (!sw)
		return -ENOMEM;
	sw->mem = mem;
	sw->stack = stack;
	sw->events = events;
	if (f)
		sw_fabric_join(sw, f, k);
	rc = init(sw, params);
	if (rc)
		free_one(sw);
	else
		*out = sw;
	return rc;
}

int sw_init(struct sw **sw, const struct sw_params *params, struct pkt_stack *stack,
	struct ev_ring *events)
{
	return init_one(sw, NULL, 0, params, stack, events);
}

int sw_shard_init(struct sw **out, struct sw_fabric *f, unsigned k, const struct sw_params *params,
	struct pkt_stack *stack, struct ev_ring *events)
{
	int rc = init_one(out, f, k, params, stack, events);

	if (rc)
		return rc;
	sw_buffer_pools(*out);
	return 0;
}

void sw_fini(struct sw *sw)
{
	struct sw_fabric *f = sw ? sw->fabric : NULL;

	for (unsigned k = 0; f && k < f->n; k++)
		free_one(f->shard[k]);
	if (f)
		sw_fabric_free(f);
	else
		free_one(sw);
}

void sw_forget_headers(struct sw *sw)
{
	unsigned hooks = 0;

	for (unsigned i = 0; i < sw->n_sets * PKT_CLASSES; i++)
		hooks |= sw->set[i / PKT_CLASSES].cls[i % PKT_CLASSES].hooks;
	for (unsigned i = 0; hooks && i < sw->n_sets * PKT_CLASSES; i++)
		sw->set[i / PKT_CLASSES].cls[i % PKT_CLASSES].hooks |= SW_HOOK_FORGET;
	sw->forgets = !hooks;
}

tstamp sw_deadline(const struct sw *sw, unsigned port)
{
	return sw->port[port].deadline;
}

tstamp sw_urgent(const struct sw *sw, unsigned port)
{
	const struct sw_port *o = &sw->port[port];
	tstamp t = o->e.nonempty >> EPORT_CTL & 1 ? 0 : o->ctl_at;

	return t == TSTAMP_NEVER ? t : tstamp_max(t, eport_free_at(&o->e));
}

uint8_t sw_pauses(const struct sw *sw, unsigned port, tstamp now)
{
	const struct sw *at = sw_of(sw, port);

	return sw_queues_of(at, &at->port[port], pause_rx_at(&at->rare[port].prx, now));
}

uint8_t sw_shut(const struct sw *sw, unsigned port)
{
	const struct sw_wd *wd = sw_of(sw, port)->port[port].wd;

	return wd ? wd->shut : 0;
}

void sw_shut_dropped(struct sw *sw, unsigned port, unsigned cls, unsigned frames)
{
	assert(sw_of(sw, port) == sw && sw_shut(sw, port) >> cls & 1);
	sw->port[port].wd->stats[cls].tx_dropped_frames += frames;
}

struct node_touched *sw_touched(struct sw *sw)
{
	return &sw->touched;
}

// Handles pauses that have run out, storms that have ended and polls that are due by `now`.
void sw_timers(struct sw *sw, struct sw_port *o, tstamp now)
{
	sw_pause_timers(sw, o, now);
	if (o->shape && now >= o->shape->s.next)
		sw_shape_look(sw, o, now);
	if (o->wd && now >= o->wd->next)
		sw_wd_poll(sw, o, now);
	sw_timer_changed(sw, o);
	sw_ctl_changed(sw, o);
}

static void link_down(struct sw *sw, struct sw_port *o, tstamp now)
{
	struct ev *ev;

	sw_iqcn_ways_change(sw, o->index, now);
	if (o->away) {
		sw->up[o->index / 64] &= ~(1ull << o->index % 64);
		sw_fdb_flush(sw, o->index);
		return;
	}
	if (!o->max_len)
		return;
	ev = ev_put(sw->events, EV_LINK_DOWN, now);
	if (ev) {
		ev->port = o->index;
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			ev->link.queue_bytes += o->e.q[c].bytes;
	}
	o->max_len = 0;
	sw->up[o->index / 64] &= ~(1ull << o->index % 64);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		sw_flush(sw, o, c, SW_DROP_LINK_DOWN, now);
	sw_fdb_flush(sw, o->index);
	sw_pfc_link(sw, o, now);
}

static void link_up(struct sw *sw, struct sw_port *o, tstamp now)
{
	struct ev *ev;

	sw_iqcn_ways_change(sw, o->index, now);
	if (o->away) {
		sw->up[o->index / 64] |= 1ull << o->index % 64;
		sw->gen++;
		return;
	}
	if (o->max_len)
		return;
	ev = ev_put(sw->events, EV_LINK_UP, now);
	if (ev)
		ev->port = o->index;
	o->max_len = o->mtu;
	sw->up[o->index / 64] |= 1ull << o->index % 64;
	sw->gen++; // its flows of equal ways come back
	sw_pfc_link(sw, o, now);
}

// Makes a port's configuration with another DWRR weight. 0 or -EINVAL.
static int make_weight(
	struct eport_cfg *cfg, const struct sw_port *o, unsigned cls, uint64_t weight)
{
	*cfg = *o->e.cfg;
	return weight > UINT16_MAX ? -EINVAL : eport_cfg_weight(cfg, cls, (uint16_t)weight);
}

// Changes a DWRR weight: the port gets its own copy of the configuration.
int sw_set_weight(struct sw_port *o, unsigned cls, uint64_t weight)
{
	struct eport_cfg cfg;
	int rc = make_weight(&cfg, o, cls, weight);

	if (rc)
		return rc;
	o->rare->ecfg = cfg;
	o->e.cfg = &o->rare->ecfg;
	return 0;
}

// Carries out a command at one port. A watchdog command to all ports skips ports without a
// watchdog.
static int port_ctl(struct sw *sw, struct sw_port *o, const struct ctl *ctl, tstamp now)
{
	if (o->away)
		return 0;
	if (ctl->type == CTL_WEIGHT)
		return sw_set_weight(o, ctl->cls, ctl->a);
	if (!o->wd)
		return ctl->port == PKT_NO_PORT ? 0 : -EINVAL;
	if (ctl->type == CTL_PFCWD_START)
		sw_wd_start(sw, o, now);
	else
		sw_wd_stop(sw, o, now);
	return 0;
}

// A weight for a queue that is strict at one of the ports changes none of them.
static int ports_ctl(struct sw *sw, const struct ctl *ctl, tstamp now)
{
	bool all = ctl->port == PKT_NO_PORT;
	unsigned from = all ? 0 : ctl->port, to = all ? sw->n_ports : ctl->port + 1u;
	struct eport_cfg cfg;
	int rc = 0;

	for (unsigned i = from; !rc && ctl->type == CTL_WEIGHT && i < to; i++)
		rc = make_weight(&cfg, &sw->port[i], ctl->cls, ctl->a);
	for (unsigned i = from; !rc && i < to; i++)
		rc = port_ctl(sw, &sw->port[i], ctl, now);
	return rc;
}

// Commands that may be to all ports at once.
#define FOR_ALL                                                                                  \
	(1u << CTL_FDB_FLUSH | 1u << CTL_WEIGHT | 1u << CTL_PFCWD_START | 1u << CTL_PFCWD_STOP | \
		1u << CTL_ADOPT)

int sw_ctl(struct sw *sw, const struct ctl *ctl, tstamp now)
{
	bool all = ctl->port == PKT_NO_PORT && FOR_ALL >> ctl->type & 1;

	if (!all && ctl->port >= sw->n_ports)
		return -EINVAL;
	switch (ctl->type) {
	case CTL_WEIGHT:
	case CTL_PFCWD_START:
	case CTL_PFCWD_STOP:
		return ports_ctl(sw, ctl, now);
	case CTL_LINK_DOWN:
		link_down(sw, &sw->port[ctl->port], now);
		return 0;
	case CTL_LINK_UP:
		link_up(sw, &sw->port[ctl->port], now);
		return 0;
	case CTL_FDB_FLUSH:
		sw_fdb_flush(sw, ctl->port);
		return 0;
	case CTL_PFC_STORM:
		return sw_storm(sw, ctl, now);
	case CTL_ADOPT:
		sw_adopt(sw, ctl->with, now);
		return 0;
	default:
		return -EINVAL;
	}
}
