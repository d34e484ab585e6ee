// SPDX-License-Identifier: BSD-3-Clause
// The switch and iQCN: the switch records the CNPs that it forwards, and sends a CNP itself when
// the next one is overdue.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "buffer/buffer.h"
#include "cn.h"
#include "fdb/fdb.h"
#include "shards/shards.h"
#include "wire/bth.h"

int sw_iqcn_class(struct sw_cls *k, const struct sw_class_params *p)
{
	if (p->heavy_bytes > UINT32_MAX || p->heavy_off_bytes > p->heavy_bytes)
		return -EINVAL;
	k->hooks |= SW_HOOK_CNP;
	if (!p->heavy_bytes)
		return 0;
	k->hooks |= SW_HOOK_HEAVY;
	k->heavy_bytes = (uint32_t)p->heavy_bytes;
	k->heavy_off_bytes = (uint32_t)p->heavy_off_bytes;
	return 0;
}

int sw_iqcn_init(struct sw *sw, const struct sw_params *params)
{
	struct iqcn_params p = params->iqcn;
	struct prng salt;
	char name[96];
	int rc;

	p.n_ports = params->n_ports;
	rc = iqcn_cfg_init(&sw->iqcn_cfg, &p);
	if (rc)
		return rc;
	snprintf(name, sizeof(name), "%s.iqcn", params->name);
	prng_init(&salt, params->seed, name);
	sw->iqcn = calloc(1, sizeof(*sw->iqcn));
	rc = sw->iqcn ? iqcn_init(sw->iqcn, &sw->iqcn_cfg, prng_u64(&salt)) : -ENOMEM;
	if (!rc && params->large)
		iqcn_have(sw->iqcn, params->large);
	return rc;
}

void sw_iqcn_fini(struct sw *sw)
{
	if (sw->iqcn)
		iqcn_fini(sw->iqcn);
	free(sw->iqcn);
}

void sw_iqcn_join(struct sw_fabric *f)
{
	for (unsigned k = 0; k < f->n; k++)
		f->iqcn[k] = f->shard[k]->iqcn;
	for (unsigned k = 0; f->iqcn[0] && k < f->n; k++)
		iqcn_join(f->shard[k]->iqcn, f->iqcn, f->n);
}

static void changed(struct sw *sw, struct sw_port *o)
{
	sw_timer_changed(sw, o);
	sw_port_changed(sw, o);
}

void sw_iqcn_learn(struct sw *sw, struct sw_port *o, const struct pkt *p, tstamp now)
{
	iqcn_cnp(sw->iqcn, o->index, p, now);
	if (o->heavy)
		changed(sw, o);
}

// A CNP that came in at `in` was queued. Anyone can write a receiver's addresses into a CNP, but
// not send it from where the receiver lives. A learned address that moves is believed once it has
// stayed for `age`, for the CNP itself may be what moved it. A forger that keeps its own MAC
// address lives where it says, but no data goes to the receiver's IP address there. Of equal ways
// the data may take another one than the CNPs do. The shard that owns the data's port has the flow
// in its table, and any shard may have received the data.
void sw_iqcn_cnp(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp now)
{
	struct sw_port_stats *s = &in->rare->stats;
	unsigned out = in->index;

	if (!sw_fdb_lives(sw, p->hdr, in->index, sw->iqcn_cfg.age_ps, now)) {
		s->iqcn_foreign_cnp++;
		return;
	}
	if (sw->n_ecmp)
		out = sw_fdb_way_back(sw, p->hdr, now);
	if (!iqcn_saw_data(sw->iqcn, p->hdr, now)) {
		s->iqcn_foreign_cnp++;
		return;
	}
	if (!sw->port[out].away)
		sw_iqcn_learn(sw, &sw->port[out], p, now);
	else if (!sw_fabric_flow(sw, SW_MSG_CNP, out, p, now)) {
		s->iqcn_untold_cnp++;
		return;
	}
	s->iqcn_rx_cnp++;
}

// Notes that heavy congestion of a queue begins or ends. A port is heavily congested while one of
// its queues is.
void sw_iqcn_heavy(struct sw *sw, struct sw_port *o, unsigned cls, bool on, tstamp now)
{
	if (!on)
		o->rare->cls[cls].heavy_ps += tstamp_since(now, o->rare->heavy_since[cls]);
	o->rare->heavy_since[cls] = now;
	o->heavy ^= (uint8_t)(1u << cls);
	iqcn_heavy(sw->iqcn, o->index, o->heavy != 0);
	changed(sw, o);
}

void sw_iqcn_account(struct sw_port *o, tstamp now)
{
	for (unsigned left = o->heavy; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);

		o->rare->cls[cls].heavy_ps += tstamp_since(now, o->rare->heavy_since[cls]);
		o->rare->heavy_since[cls] = tstamp_max(now, o->rare->heavy_since[cls]);
	}
}

static bool set_has(const struct sw_ecmp_group *set, unsigned port)
{
	return set->port[port / 64] >> port % 64 & 1;
}

void sw_iqcn_ways_change(struct sw *sw, unsigned port, tstamp now)
{
	for (unsigned i = 0; sw->iqcn && i < sw->n_ecmp; i++)
		for (unsigned k = 0; set_has(&sw->ecmp[i], port) && k < sw->ecmp_set[i].n; k++)
			iqcn_ways_change(sw->iqcn, sw->ecmp_set[i].port[k], now);
}

// Returns the port by which the CNP leaves, and sets its class: the same as for the CNPs of the NP,
// which arrived here with this header.
static unsigned way_of(struct sw *sw, struct sw_port *o, struct pkt *p, tstamp now)
{
	struct sw_way w = sw_way(sw, o, p->hdr, now);

	p->cls = w.cls == SW_CLS_BY_DSCP ? o->set->dscp_to_class[p->tos >> 2] : w.cls;
	return w.out;
}

// IBA A17.9.3; standards.md 3.2: as the NP would send it.
static void send_cnp(struct sw *sw, struct sw_port *o, const struct iqcn_entry *e, tstamp now)
{
	struct pkt *p = sw_get_ctl(sw);
	struct ev *ev;
	unsigned out;

	if (!p) {
		o->rare->stats.cn_no_desc++;
		return;
	}
	*pkt_own_hdr(p) = e->hdr;
	*p = (struct pkt){
		.hdr = pkt_own_hdr(p),
		.when = now,
		.born = now,
		.len = e->len,
		.kind = PKT_CNP,
		.tos = e->tos,
		.in_port = o->index,
		.u.rc = {.opcode = BTH_CNP, .bth = BTH_BECN, .qpn = e->qpn},
	};
	o->rare->stats.iqcn_tx_cnp++;
	ev = ev_put(sw->events, EV_IQCN_TX, now);
	if (ev) {
		ev->iqcn_tx.hdr = e->hdr.id;
		ev->iqcn_tx.waited_ps = e->waited_ps;
		ev->port = o->index;
	}
	out = way_of(sw, o, p, now);
	if (out < SW_OUT_ODD) {
		sw_originate(sw, o, p, out, now);
		return;
	}
	o->rare->cls[p->cls].originated_frames++;
	sw_drop(sw, p, SW_DROP_NO_ROUTE, PKT_NO_PORT, 0, now);
}

// CNPs that are due by now; the caller finds the port's next timer.
void sw_iqcn_timers(struct sw *sw, struct sw_port *o, tstamp now)
{
	const struct iqcn_entry *e;

	while ((e = iqcn_expire(sw->iqcn, o->index, now)))
		send_cnp(sw, o, e, now);
}
