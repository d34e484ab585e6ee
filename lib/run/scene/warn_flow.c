// SPDX-License-Identifier: BSD-3-Clause
// What flows may hardly mean: none at all, CNPs too seldom for a timed reaction point, a brake that
// never acts.
#include <string.h>

#include "int.h"

// Something else than flows brings frames: a capture, a device, an event.
static bool has_other_frames(const struct scene *s)
{
	bool has = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		has |= s->node[i].kind == SCENE_REPLAY;
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			has |= s->node[i].port[p].device != NULL;
	}
	for (unsigned i = 0; i < s->n_events; i++)
		has |= s->event[i].ctl.type == CTL_PFC_STORM ||
		       s->event[i].ctl.type == CTL_MAC_FRAMES;
	return has;
}

static void warn_none(struct build *b)
{
	const struct scene *s = b->s;

	if (!s->n_flows && !s->n_sources && !has_other_frames(s))
		scene_warn(b, scene_given(&scene_opts_scene, &b->top, "flows", b->doc),
			"there are no flows, so nothing is sent; name who sends to whom under "
			"`flows`");
}

// A switch that sends CNPs itself, so that reaction points do not hang on hosts alone.
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

// A reaction point of free-running timers asks at each decrease instant whether a CNP came since
// the last one. Where they come more seldom it sees none most of the time.
static void warn_np(struct build *b, const struct build_flow *f)
{
	const struct scene *s = b->s;
	char np[32], cut[32];

	for (unsigned i = f->first_qp; i < f->first_qp + f->n_qps; i++) {
		const struct scene_flow *q = s->flow[i];
		tstamp period = np_period(&s->node[q->to].u.nic);

		if (!q->rp || q->rp->p.reaction != RP_TIMED || period <= q->rp->p.cut_interval_ps)
			continue;
		units_format(UNITS_TIME, q->rp->p.cut_interval_ps, cut, sizeof(cut));
		scene_warn(b, f->key,
			"flow '%s': control '%s' asks every %s whether a CNP came, but '%s' sends "
			"one in %s "
			"at most: its cuts are few and small; np: {interval: %s} suits",
			f->name, q->control, cut, s->node[q->to].name,
			units_format(UNITS_TIME, period, np, sizeof(np)), cut);
		return;
	}
}

static const struct build_control *control_of(const struct build *b, const struct scene_flow *q)
{
	unsigned i = 0;

	while (strcmp(b->control[i]->name, q->control))
		i++;
	return b->control[i];
}

// After a CNP the RDMA IP lets RDMA_IP_QP_OST_CNP requests be outstanding. A flow that posts no
// more is never stopped by that. Most flows post fewer and mean it; one that names the number, or
// whose control names the brake's time, hardly.
static void warn_brake(struct build *b, const struct build_flow *f)
{
	const struct scene_flow *q = f->n_qps ? b->s->flow[f->first_qp] : NULL;
	const struct build_control *c;

	if (!q || !q->rdma_ip || q->req.outstanding > RDMA_IP_QP_OST_CNP ||
		!q->rdma_ip->init.qp.tx_wqe_ost_limit_en || !q->rdma_ip->init.qp.cnp_timer_thrd)
		return;
	c = control_of(b, q);
	if (!opt_source(&scene_opts_flow, &f->spec, "outstanding") &&
		!opt_source(&scene_opts_rdma_ip, &c->ip, "cnp_timer_thrd"))
		return;
	scene_warn(b, scene_given(&scene_opts_flow, &f->spec, "outstanding", f->key),
		"flow '%s': outstanding %u is not above the %u requests that control '%s' allows "
		"after a "
		"CNP: its brake never acts; %u to %u let it",
		f->name, q->req.outstanding, RDMA_IP_QP_OST_CNP, c->name, RDMA_IP_QP_OST_CNP + 1,
		RDMA_IP_QP_OST);
}

void scene_warn_flows(struct build *b)
{
	bool by_switch = switch_sends_cnps(b->s);

	warn_none(b);
	for (unsigned i = 0; i < b->n_flows; i++) {
		const struct build_flow *f = b->flow[i];

		if (f->is_open_loop)
			continue;
		if (!by_switch)
			warn_np(b, f);
		warn_brake(b, f);
	}
}
