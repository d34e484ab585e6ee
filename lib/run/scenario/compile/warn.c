// SPDX-License-Identifier: BSD-3-Clause
// Warns of settings of flows and switches that are probably mistakes.
#include <string.h>
#include <errno.h>

#include "int.h"

static void warn_none(struct draft *b)
{
	const struct scene *s = b->s;

	if (!s->n_flows && !s->n_sources && !s->n_loads && !s->n_jobs && !s->probe &&
		!compile_has_other_frames(s))
		draft_warn(b, draft_given(&scene_opts_scene, &b->top, "flows", b->doc),
			"there are no flows, so nothing is sent; "
			"name who sends to whom under `flows`");
}

// A load of which no message comes in the run has no queue pairs.
static void warn_load(struct draft *b, const struct draft_flow *f)
{
	bool any = f->n_qps > 0;

	for (unsigned i = 0; i < b->n_flows && !any; i++)
		any = b->flow[i]->of == f;
	if (!any)
		draft_warn(b, f->key,
			"no message of load '%s' comes in the run; make the run longer, the load "
			"higher or its messages smaller",
			f->name);
}

// The messages that bins count are posted between warm-up and drain.
static void warn_window(struct draft *b)
{
	const struct scene *s = b->s;
	bool bins = false;

	for (unsigned i = 0; i < s->n_flows && !bins; i++)
		bins = s->flow[i]->bins;
	if (bins && s->warmup + s->drain >= s->duration)
		draft_warn(b, draft_given(&scene_opts_scene, &b->top, "drain", b->doc),
			"warmup and drain take all of the duration, so no message counts in the "
			"slowdown by size; make one of them shorter");
}

// Returns whether a switch sends CNPs itself, so that reaction points do not depend on the hosts'
// CNPs alone.
static bool switch_sends_cnps(const struct scene *s)
{
	bool sends = false;

	for (unsigned i = 0; i < s->n_nodes; i++)
		sends |= s->node[i].kind == SCENE_SW &&
			 (s->node[i].u.sw.iqcn_on || s->node[i].u.sw.fast_cnp_on);
	return sends;
}

// The least time between two CNPs for a queue pair; 0: there is a CNP for every CE frame, or none
// at all.
static tstamp np_period(const struct nic_params *nic)
{
	tstamp interval = nic->np.mode == NP_PER_PACKET ? 0 : nic->np.interval_ps;
	tstamp apart = nic->np.cnps_per_s ? PS_PER_S / nic->np.cnps_per_s : 0;

	return nic->np_off || nic->cnflag ? 0 : tstamp_max(interval, apart);
}

// Warns if CNPs come too seldom. A reaction point with free-running timers checks at each decrease
// instant whether a CNP arrived since the last one. If CNPs come more seldom, it mostly sees none.
static void warn_np(struct draft *b, const struct draft_flow *f)
{
	const struct scene *s = b->s;
	char np[32], cut[32];

	for (unsigned i = f->first_qp; i < f->first_qp + f->n_qps; i++) {
		const struct scene_flow *q = s->flow[i];
		tstamp period = np_period(&s->node[q->to].u.nic);

		const struct dcqcn_rp_params *p;

		if (!q->rp || q->rp->kind != RP_DCQCN)
			continue;
		p = &q->rp->u.dcqcn.p;
		if (p->reaction != RP_TIMED || period <= p->cut_interval_ps)
			continue;
		units_format(UNITS_TIME, p->cut_interval_ps, cut, sizeof(cut));
		draft_warn(b, f->key,
			"flow '%s': control '%s' asks every %s whether a CNP came, but '%s' sends "
			"one in %s "
			"at most: its cuts are few and small; np: {interval: %s} suits",
			f->name, q->control, cut, s->node[q->to].name,
			units_format(UNITS_TIME, period, np, sizeof(np)), cut);
		return;
	}
}

static const struct draft_control *control_of(const struct draft *b, const struct scene_flow *q)
{
	unsigned i = 0;

	while (strcmp(b->control[i]->name, q->control))
		i++;
	return b->control[i];
}

// After a CNP the RDMA IP lets RDMA_IP_QP_OST_CNP requests be outstanding. A flow that posts no
// more is never stopped by that. Most flows post fewer and mean it; one that names the number, or
// whose control names the brake's time, hardly.
static void warn_brake(struct draft *b, const struct draft_flow *f)
{
	const struct scene_flow *q = f->n_qps ? b->s->flow[f->first_qp] : NULL;
	const struct rdma_ip_reg_params *ip = q ? rp_registers(q->rp) : NULL;
	const struct draft_control *c;

	if (!ip || q->req.outstanding > RDMA_IP_QP_OST_CNP || !ip->init.qp.tx_wqe_ost_limit_en ||
		!ip->init.qp.cnp_timer_thrd)
		return;
	c = control_of(b, q);
	if (!opt_source(&scene_opts_flow, f->spec, "outstanding") &&
		!opt_source(traffic_control_table(c), traffic_control_spec(c), "cnp_timer_thrd"))
		return;
	draft_warn(b, draft_given(&scene_opts_flow, f->spec, "outstanding", f->key),
		"flow '%s': outstanding %u is not above the %u requests that control '%s' allows "
		"after a "
		"CNP: its brake never acts; %u to %u let it",
		f->name, q->req.outstanding, RDMA_IP_QP_OST_CNP, c->name, RDMA_IP_QP_OST_CNP + 1,
		RDMA_IP_QP_OST);
}

// After how long without a CNP a reaction point raises its rate; TSTAMP_NEVER: by other rules.
static tstamp rises_after(const struct rp_cfg *rp)
{
	const struct rdma_ip_reg_params *ip = rp_registers(rp);

	if (ip && ip->init.qp.rp.nocnp_timer_th)
		return ip->init.qp.rp.nocnp_timer_th * PS_PER_US;
	return rp && rp->kind == RP_DCQCN ? rp->u.dcqcn.p.rate_timer_ps : TSTAMP_NEVER;
}

// A switch whose CNPs of iQCN come when the sender has raised its rate already.
static void warn_iqcn(struct draft *b, const struct draft_flow *f)
{
	const struct scene_flow *q = f->n_qps ? b->s->flow[f->first_qp] : NULL;
	tstamp rises = q ? rises_after(q->rp) : TSTAMP_NEVER;

	for (unsigned i = 0; i < b->n_nodes && rises != TSTAMP_NEVER; i++) {
		const struct draft_node *n = b->node[i];
		const struct yamldoc_node *at =
			n->is_switch && !n->external
				? opt_source(&scene_opts_class, &n->sw->cls[q->cls], "iqcn")
				: NULL;
		struct iqcn_cfg c;
		char due[32], own[32];

		if (!at || iqcn_cfg_init(&c, &b->s->node[n->index].u.sw.iqcn) || c.due_ps < rises)
			continue;
		draft_warn(b, at,
			"%s class %u: a CNP of iqcn is due %s after the last one, and control '%s' "
			"of flow '%s' raises its rate after %s: it comes too late; write "
			"rpg_time_reset: %s",
			n->name, q->cls, units_format(UNITS_TIME, c.due_ps, due, sizeof(due)),
			q->control, f->name, units_format(UNITS_TIME, rises, own, sizeof(own)),
			own);
	}
}

static void warn_flows(struct draft *b)
{
	bool by_switch = switch_sends_cnps(b->s);

	warn_none(b);
	warn_window(b);
	for (unsigned i = 0; i < b->n_flows; i++) {
		const struct draft_flow *f = b->flow[i];

		if (f->is_open_loop)
			continue;
		if (f->sizes && !f->of)
			warn_load(b, f);
		if (!by_switch)
			warn_np(b, f);
		warn_brake(b, f);
		warn_iqcn(b, f);
	}
}

static char *bytes(uint64_t n, char *buf, size_t size)
{
	return units_format(UNITS_SIZE, n, buf, size);
}

static const struct yamldoc_node *key_of_map(const char *map, const void *base, const char *key)
{
	return opt_source(hardware_class_table(map), base, key);
}

// Headroom of a class at the ports of a switch: the first that has too little, and how many more.
static void warn_headroom(struct draft *b, const struct draft_node *n, unsigned cls)
{
	const struct sw_params *p = &b->s->node[n->index].u.sw;
	const struct draft_port *first = NULL;
	uint64_t needed, has = 0, lacks = 0;
	char have[32], want[32], more[48] = "";
	unsigned ports = 0;

	for (unsigned i = 0; i < n->n_ports && !b->s->hpcc_sim; i++) {
		const struct mmu_pg_params *pg = &p->port[i].pg[cls];

		needed = hardware_port_headroom(b, n->port[i]);
		if (!pg->lossless || pg->headroom_bytes >= needed || ports++)
			continue;
		first = n->port[i];
		has = pg->headroom_bytes;
		lacks = needed;
	}
	if (!first)
		return;
	if (ports > 1)
		snprintf(more, sizeof(more), " (%u more port%s too little)", ports - 1,
			ports == 2 ? " has" : "s have");
	bytes(lacks, want, sizeof(want));
	if (!has)
		draft_warn(b, key_of_map("pfc", &first->spec->cls[cls].pfc, "headroom"),
			"%s class %u is lossless with headroom 0: what still comes after XOFF is "
			"lost; rate, delay and MTU ask for %s%s",
			first->name, cls, want, more);
	else
		draft_warn(b, key_of_map("pfc", &first->spec->cls[cls].pfc, "headroom"),
			"%s class %u: headroom %s is below the %s that rate, delay and MTU ask "
			"for; frames may be lost%s",
			first->name, cls, bytes(has, have, sizeof(have)), want, more);
}

// Static thresholds do not shrink when many ports congest at once; dynamic ones do.
static void warn_sum(struct draft *b, const struct draft_node *n)
{
	const struct sw_params *p = &b->s->node[n->index].u.sw;
	uint64_t sum = 0, whole = p->ingress_bytes, most = 0;
	unsigned groups = 0;
	char all[32], room[32];

	if (!whole)
		whole = p->buffer_bytes - p->headroom_pool_bytes;
	for (unsigned i = 0; i < p->n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++) {
			const struct mmu_pg_params *pg = &p->port[i].pg[c];

			if (!pg->lossless)
				continue;
			most = pg->headroom_bytes > most ? pg->headroom_bytes : most;
			sum += pg->reserved_bytes;
			sum += p->headroom_pool_bytes ? 0 : pg->headroom_bytes;
			sum += pg->threshold == MMU_STATIC ? pg->static_bytes : 0;
			groups += pg->threshold == MMU_STATIC;
		}
	if (groups && sum > whole)
		draft_warn(b, draft_given(&scene_opts_switch, n->sw, "buffer", n->key),
			"%s: XOFF and headroom of its lossless groups are %s, more than the %s "
			"that "
			"there are: if many congest at once, frames may be lost",
			n->name, bytes(sum, all, sizeof(all)), bytes(whole, room, sizeof(room)));
	if (p->headroom_pool_bytes && p->headroom_pool_bytes < most)
		draft_warn(b, draft_given(&scene_opts_switch, n->sw, "pools", n->key),
			"%s: the headroom pool of %s is below the %s of a single group; "
			"frames may be lost",
			n->name, bytes(p->headroom_pool_bytes, room, sizeof(room)),
			bytes(most, all, sizeof(all)));
}

// The ports of a switch that have one set, and a class of it.
struct set_ports {
	struct draft *b;
	const struct draft_node *n;
	const struct sw_params *p;
	unsigned set, cls;
	const struct draft_port *first; // the first of the ports
	char who[96];                   // the switch, or its ports if others are not like them
};

static const struct sw_class_params *class_of(const struct set_ports *a)
{
	return &a->p->set[a->set].cls[a->cls];
}

static const struct spec_class *spec_of(const struct set_ports *a)
{
	return &a->first->spec->cls[a->cls];
}

static void find_ports(
	struct set_ports *a, struct draft *b, const struct draft_node *n, unsigned set)
{
	unsigned ports = 0;

	*a = (struct set_ports){.b = b, .n = n, .p = &b->s->node[n->index].u.sw, .set = set};
	for (unsigned i = n->n_ports; i-- > 0;)
		if (a->p->port[i].set == set) {
			a->first = n->port[i];
			ports++;
		}
	if (a->p->n_sets == 1)
		snprintf(a->who, sizeof(a->who), "%s", n->name);
	else if (ports == 1)
		snprintf(a->who, sizeof(a->who), "%s", a->first->name);
	else
		snprintf(a->who, sizeof(a->who), "%s (and %u port%s like it)", a->first->name,
			ports - 1, plural(ports - 1));
}

// The least XOFF, at any port, of the groups with pfc whose classes have the queue of this class;
// UINT64_MAX: none.
static uint64_t least_xoff(const struct set_ports *a)
{
	const struct sw_params *p = a->p;
	uint64_t xoff = UINT64_MAX;

	for (unsigned i = 0; i < p->n_ports * PKT_CLASSES; i++) {
		unsigned port = i / PKT_CLASSES, cls = i % PKT_CLASSES;
		const struct sw_set_params *in = sw_port_set(p, port);
		uint64_t one;

		if (p->set[a->set].queue_map[cls] != a->cls || !in->cls[cls].pfc)
			continue;
		one = hardware_xoff(&a->b->s->node[a->n->index], port, in->pg_map[cls]);
		xoff = one < xoff ? one : xoff;
	}
	return xoff;
}

// The bytes that the queues of each egress pool reserve.
static void sum_reserves(const struct sw_params *p, uint64_t reserved[2])
{
	reserved[0] = reserved[1] = 0;
	for (unsigned i = 0; i < p->n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++)
			reserved[mmu_queue_pool(&p->port[i].queue[c])] +=
				p->port[i].queue[c].reserved_bytes;
}

// Returns the bytes that a queue may hold when all other queues of its pool are empty. `reserved`:
// by sum_reserves().
static uint64_t queue_room(
	const struct sw_params *p, const struct mmu_queue_params *q, const uint64_t reserved[2])
{
	uint64_t shared = p->egress_bytes[mmu_queue_pool(q)], limit;

	shared = (shared ? shared : p->buffer_bytes) - reserved[mmu_queue_pool(q)];
	limit = shared;
	if (q->limited && q->threshold == MMU_STATIC)
		limit = q->static_bytes < shared ? q->static_bytes : shared;
	else if (q->limited)
		limit = hardware_alone(q->dynamic_th, shared);
	return q->reserved_bytes + limit;
}

// Returns the least that the lossless group of one sender holds before the sender stops;
// UINT64_MAX: no port has such a group.
static uint64_t least_fill(const struct set_ports *a)
{
	uint64_t fill = UINT64_MAX;

	for (unsigned i = 0; i < a->p->n_ports; i++) {
		unsigned pg = sw_port_set(a->p, i)->pg_map[a->cls];
		uint64_t all = hardware_xoff(&a->b->s->node[a->n->index], i, pg) +
			       a->p->port[i].pg[pg].headroom_bytes;

		if (a->p->port[i].pg[pg].lossless && all < fill)
			fill = all;
	}
	return fill;
}

// A queue of frames from lossless groups that is full before the group of a single sender is.
static void warn_queue(const struct set_ports *a)
{
	unsigned queue = a->p->set[a->set].queue_map[a->cls];
	uint64_t room = UINT64_MAX, fill = least_fill(a), reserved[2];
	char most[32], least[32];

	sum_reserves(a->p, reserved);
	for (unsigned i = 0; i < a->p->n_ports; i++) {
		uint64_t to = queue_room(a->p, &a->p->port[i].queue[queue], reserved);

		if (a->p->port[i].set == a->set && to < room)
			room = to;
	}
	if (fill != UINT64_MAX && room < fill)
		draft_warn(a->b, draft_given(&scene_opts_switch, a->n->sw, "classes", a->n->key),
			"%s class %u is lossless, but its egress queue drops from %s on: "
			"one sender may fill %s before it is stopped",
			a->who, a->cls, bytes(room, most, sizeof(most)),
			bytes(fill, least, sizeof(least)));
}

static void warn_marker(const struct set_ports *a)
{
	const struct sw_class_params *c = class_of(a);
	const struct spec_wred *wred = &spec_of(a)->wred;
	uint64_t xoff = least_xoff(a);
	char min[32], low[32];

	if (c->red.pmax == 0)
		draft_warn(a->b, key_of_map("wred", wred, "probability"),
			"%s class %u: probability 0%%: "
			"nothing is marked up to Kmax, everything above",
			a->who, a->cls);
	bytes(c->red.kmin_bytes, min, sizeof(min));
	if (c->red.kmin_bytes >= a->p->buffer_bytes)
		draft_warn(a->b, key_of_map("wred", wred, "min"),
			"%s class %u: Kmin %s is not below the buffer, %s: nothing is ever marked",
			a->who, a->cls, min, bytes(a->p->buffer_bytes, low, sizeof(low)));
	else if (c->red.kmin_bytes > xoff)
		draft_warn(a->b, key_of_map("wred", wred, "min"),
			"%s class %u: Kmin %s is above XOFF %s: "
			"a single sender is paused before it is marked",
			a->who, a->cls, min, bytes(xoff, low, sizeof(low)));
	if (c->tail_limit_bytes && c->red.kmin_bytes >= c->tail_limit_bytes)
		draft_warn(a->b, key_of_map("wred", wred, "min"),
			"%s class %u: Kmin %s is not below tail_limit %s: "
			"frames are dropped before any is marked",
			a->who, a->cls, min, bytes(c->tail_limit_bytes, low, sizeof(low)));
}

// Options of PFC where nothing is ever paused, and nobody said that it is not to be.
static void warn_pfc(struct draft *b, const struct draft_node *n, unsigned cls)
{
	const struct spec_class *spec = &n->sw->cls[cls];
	const struct yamldoc_node *at = opt_source(&scene_opts_class, spec, "pfc");

	if (n->sw->flow_control == SPEC_PAUSE || opt_source(&scene_opts_class, spec, "lossless"))
		return;
	for (unsigned i = 0; i < n->n_ports; i++)
		if (hardware_pg_is_lossless(n->port[i], cls))
			return;
	if (at && spec->pfc.enable)
		draft_warn(b, at,
			"%s class %u has pfc, but is not lossless: it pauses nobody and drops; "
			"write lossless: true",
			n->name, cls);
}

static void warn_class(const struct set_ports *a)
{
	const struct sw_class_params *c = class_of(a);
	const struct spec_class *spec = spec_of(a);
	bool queue = a->p->port[a->first->link->port[a->first->end]].queue[a->cls].lossless;

	if (hardware_pg_is_lossless(a->first, a->cls) && !spec->pfc.enable)
		draft_warn(a->b, key_of_map("pfc", &spec->pfc, "enable"),
			"%s class %u is lossless without pfc: what headroom cannot hold is lost",
			a->who, a->cls);
	if (queue && c->wred == SW_WRED_ALL)
		draft_warn(a->b, key_of_map("wred", &spec->wred, "ecn"),
			"%s class %u is lossless, but its wred has ecn: false: it drops", a->who,
			a->cls);
	if (queue && c->tail_limit_bytes)
		draft_warn(a->b, opt_source(&scene_opts_class, spec, "tail_limit"),
			"%s class %u is lossless, but its tail_limit drops", a->who, a->cls);
	warn_queue(a);
	if (c->mark != SW_MARK_NONE)
		warn_marker(a);
}

// Between refresh and the end of a pause there must be time for a longest frame that the port has
// just begun, and for the PFC frame.
static void warn_refresh(const struct set_ports *a)
{
	const struct spec_pfc *pfc = &spec_of(a)->pfc;
	uint64_t bits = 0, left = pfc->refresh < 1000 ? 512 * (1000 - pfc->refresh) : 0;

	for (unsigned i = 0; i < a->n->n_ports; i++) {
		uint64_t one = 8 * (hardware_port_mtu(a->b, a->n->port[i]) + PKT_WIRE) + 672;

		bits = a->p->port[i].set == a->set && one > bits ? one : bits;
	}
	if (!hardware_pg_is_lossless(a->first, a->cls) || !pfc->enable || !pfc->refresh ||
		a->b->s->hpcc_sim)
		return;
	if (!left)
		draft_warn(a->b, key_of_map("pfc", pfc, "refresh"),
			"%s class %u: a pause runs out before its refresh at 100 %%", a->who,
			a->cls);
	else if (pfc->quanta * left < 1000 * bits)
		draft_warn(a->b, key_of_map("pfc", pfc, "quanta"),
			"%s class %u: a pause of %u quanta may run out before its refresh, which "
			"waits "
			"for a longest frame; %llu are enough",
			a->who, a->cls, pfc->quanta,
			(unsigned long long)((1000 * bits + left - 1) / left));
}

// PAUSE that the other end does not obey, and PFC of another switch that this one does not.
static void warn_peer(struct draft *b, const struct draft_node *n, unsigned port)
{
	const struct draft_node *peer = draft_peer(n, port);
	const char *name = n->port[port]->name;
	bool pfc = false;

	if (!hardware_obeys_pause(peer, n->port[port]->link->port[!n->port[port]->end]))
		draft_warn(b,
			peer->is_switch ? opt_source(&scene_opts_switch, peer->sw, "pause_honour")
					: opt_source(&scene_opts_host, peer->host, "pause_honour"),
			"%s sends PAUSE, but '%s' does not obey it (pause_honour): "
			"frames may be lost",
			name, peer->name);
	for (unsigned c = 0; peer->is_switch && c < PKT_CLASSES; c++)
		pfc |= peer->sw->flow_control == SPEC_PFC &&
		       hardware_pg_has_pfc(draft_far_port(n->port[port]), c);
	if (pfc)
		draft_warn(b, opt_source(&scene_opts_switch, n->sw, "flow_control"),
			"%s has flow_control: pause and does not obey the PFC that '%s' sends: "
			"frames may be lost there",
			name, peer->name);
}

// A switch whose ports send PAUSE.
static void warn_pause(struct draft *b, const struct draft_node *n)
{
	if (n->sw->flow_control != SPEC_PAUSE)
		return;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (c != n->sw->pg_map[0] && n->sw->cls[c].lossless)
			draft_warn(b, opt_source(&scene_opts_class, &n->sw->cls[c], "pfc"),
				"%s class %u: "
				"with flow_control: pause a port has one group, class %u's; "
				"pfc here counts for nothing",
				n->name, c, n->sw->pg_map[0]);
	for (unsigned p = 0; p < n->n_ports; p++) {
		if (hardware_pg_has_pfc(n->port[p], n->port[p]->spec->pg_map[0]))
			warn_peer(b, n, p);
		if (n->port[p]->spec->pfc_asym)
			draft_warn(b, opt_source(&scene_opts_port, n->port[p]->spec, "pfc_asym"),
				"%s: pfc_asym counts for nothing where the switch has "
				"flow_control: pause",
				n->port[p]->name);
	}
}

// The first port whose device's ring may be full before a loop is as late as the switch says: then
// frames are lost before it, whatever headroom it has. Shorter frames fill the ring sooner.
static void warn_ring(struct draft *b, const struct draft_node *n)
{
	const struct scene_port *port = b->s->node[n->index].port;
	char late[32], kept[32];

	for (unsigned p = 0; n->sw->late_loop != OPT_AUTO && p < n->n_ports; p++) {
		byte_ps byte = rate_byte_ps(port[p].rate);
		tstamp room = SCENE_RING * rate_time(byte, PKT_MIN_LEN + PKT_WIRE);
		tstamp each = port[p].late_loop / SCENE_RING;
		uint32_t len = (uint32_t)((unsigned __int128)(each << 20) / byte);

		if (!port[p].device || port[p].late_loop <= room)
			continue;
		draft_warn(b, opt_source(&scene_opts_switch, n->sw, "late_loop"),
			"%s: late_loop %s is more than the ring of its device keeps, %u frames: "
			"frames below %u bytes are lost before the switch then (ring_full); "
			"of the shortest the ring keeps %s",
			port[p].name,
			units_format(UNITS_TIME, port[p].late_loop, late, sizeof(late)), SCENE_RING,
			len - PKT_WIRE + PKT_FCS + 1,
			units_format(
				UNITS_TIME, room - room % (PS_PER_US / 10), kept, sizeof(kept)));
		return;
	}
}

#define MUCH 1000000000ull // bytes from which on it is said

// Warns if a run needs much memory, and says which part of the scenario needs most of it.
static void warn_memory(struct draft *b)
{
	struct scene_memory m = scene_memory(b->s);
	const char *most =
		"packets at once: smaller buffers and windows or shorter links take less";

	if (m.all <= MUCH)
		return;
	if (m.nodes > m.packets && m.nodes > m.pairs)
		most = "nodes and queues: fewer hosts take less";
	else if (m.pairs > m.packets)
		most = "queue pairs: fewer take less";
	draft_warn(b, b->doc, "the run may take %.1f GB of memory, most of it for %s",
		(double)m.all / 1e9, most);
}

// Whether a switch sends PFC of a class by a port, and the switch at the other end goes on there.
static bool is_unobeyed(struct draft *b, const struct draft_node *n, unsigned port, unsigned cls)
{
	const struct draft_port *far = draft_far_port(n->port[port]);
	const struct draft_node *peer = draft_peer(n, port);

	return peer->is_switch && !peer->external && peer->sw->flow_control == SPEC_PFC &&
	       !far->spec->pfc_asym &&
	       sw_port_set(&b->s->node[n->index].u.sw, port)->cls[cls].pfc &&
	       !sw_port_set(&b->s->node[peer->index].u.sw, far->link->port[far->end])->cls[cls].pfc;
}

// The first port of a switch whose PFC of a class the other end does not obey, and how many more.
static void warn_unobeyed(struct draft *b, const struct draft_node *n, unsigned cls)
{
	const struct draft_port *first = NULL, *far;
	const struct yamldoc_node *at;
	unsigned ports = 0;
	char more[48] = "";

	for (unsigned i = n->n_ports; n->sw->flow_control == SPEC_PFC && i-- > 0;)
		if (is_unobeyed(b, n, i, cls)) {
			first = n->port[i];
			ports++;
		}
	if (!first)
		return;
	far = draft_far_port(first);
	at = opt_source(&scene_opts_class, &far->spec->cls[cls], "lossless");
	if (ports > 1)
		snprintf(more, sizeof(more), " (%u more port%s likewise)", ports - 1,
			plural(ports - 1));
	draft_warn(b, at ? at : draft_port_node(far)->key,
		"%s sends PFC of class %u, but '%s' has no pfc for it and does not obey: "
		"frames may be lost%s",
		first->name, cls, far->name, more);
}

static void warn_switch_class(struct draft *b, const struct draft_node *n, unsigned cls)
{
	struct set_ports a;

	warn_pfc(b, n, cls);
	for (unsigned i = 0; i < b->s->node[n->index].u.sw.n_sets; i++) {
		find_ports(&a, b, n, i);
		a.cls = cls;
		warn_class(&a);
		warn_refresh(&a);
	}
	warn_headroom(b, n, cls);
	warn_unobeyed(b, n, cls);
}

int compile_warnings(struct draft *b)
{
	int rc;

	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];

		if (!n->is_switch || n->external)
			continue;
		warn_sum(b, n);
		warn_pause(b, n);
		warn_ring(b, n);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			warn_switch_class(b, n, c);
	}
	rc = compile_warn_ways(b, switch_sends_cnps(b->s));
	warn_flows(b);
	compile_warn_clock(b);
	warn_memory(b);
	if (rc || compile_warn_loops(b))
		return err_set(b->err, -ENOMEM, "out of memory");
	return 0;
}
