// SPDX-License-Identifier: BSD-3-Clause
// The switch and Fast CNP: for a frame that it marks it sends the CNP itself, beside CE or in its
// place.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cn.h"
#include "fdb/fdb.h"
#include "shards/shards.h"
#include "wire/bth.h"

// A CNP without FCS (standards.md 3.2): over IPv4 without Ethernet, what IPv6 adds.
enum { CNP_LEN = 60, CNP_IPV6 = 20 };

int sw_fast_cnp_class(struct sw_cls *k, const struct sw_class_params *p)
{
	if ((unsigned)p->fast_cnp > SW_FAST_CNP_BESIDE)
		return -EINVAL;
	k->hooks |= SW_HOOK_ACK;
	if (p->fast_cnp == SW_FAST_CNP_OFF || k->mark == SW_MARK_NONE)
		return 0;
	k->hooks |= SW_HOOK_MARK;
	k->fast_ce = p->fast_cnp == SW_FAST_CNP_BESIDE;
	return 0;
}

// Returns whether no port marks frames of a class that Fast CNP is for.
static bool lacks_marker(const struct sw *sw, const struct sw_params *params, unsigned cls)
{
	bool marks = params->set->cls[cls].fast_cnp == SW_FAST_CNP_OFF;

	for (unsigned i = 0; i < sw->n_sets; i++)
		marks |= sw->set[i].cls[cls].mark != SW_MARK_NONE;
	return !marks;
}

int sw_fast_cnp_init(struct sw *sw, const struct sw_params *params)
{
	const struct sw_fast_cnp_params *p = &params->fast_cnp;
	struct prng salt;
	char name[96];
	int rc;

	if (p->cnp_class >= PKT_CLASSES)
		return -EINVAL;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (lacks_marker(sw, params, c))
			return -EINVAL;
	rc = fast_cnp_cfg_init(&sw->fast_cnp_cfg, &p->table);
	if (rc)
		return rc;
	sw->fast_cnp_class = p->cnp_class;
	sw->fast_cnp_tos = p->cnp_tos;
	snprintf(name, sizeof(name), "%s.fast_cnp", params->name);
	prng_init(&salt, params->seed, name);
	sw->fast_cnp = calloc(1, sizeof(*sw->fast_cnp));
	rc = sw->fast_cnp ? fast_cnp_init(sw->fast_cnp, &sw->fast_cnp_cfg, prng_u64(&salt))
			  : -ENOMEM;
	if (!rc && params->large)
		fast_cnp_have(sw->fast_cnp, params->large);
	return rc;
}

void sw_fast_cnp_fini(struct sw *sw)
{
	if (sw->fast_cnp)
		fast_cnp_fini(sw->fast_cnp);
	free(sw->fast_cnp);
}

// Learns from an ACK that this shard has received at `in` and forwards. Anyone can write a
// receiver's addresses into an ACK, and CNPs would slow the queue pair that it names. So an ACK is
// believed where its source lives, as sw_iqcn_cnp() believes a CNP. Frames are marked where the
// data leaves. If that is a port of another shard, the flow is in that shard's table, and the shard
// is told of the ACK. If there is no room for the message, the next ACK is told.
void sw_fast_cnp_ack(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp now)
{
	unsigned out = sw->fabric ? sw_fdb_way_back(sw, p->hdr, now) : PKT_NO_PORT;
	struct fast_cnp_entry *e;

	if (!sw_fdb_lives(sw, p->hdr, in->index, sw->fast_cnp_cfg.p.age_ps, now)) {
		in->rare->stats.fast_cnp_foreign_ack++;
		return;
	}
	if (out == PKT_NO_PORT || !sw->port[out].away) {
		fast_cnp_ack(sw->fast_cnp, p, now);
		return;
	}
	e = fast_cnp_ack_elsewhere(sw->fast_cnp, p, sw_of(sw, out)->shard, now);
	if (e && sw_fabric_flow(sw, SW_MSG_ACK, out, p, now))
		fast_cnp_told(sw->fast_cnp, e, p, now);
}

// Writes the CNP as the receiver would send it (IBA A17.9.3; standards.md 3.2), with the addresses
// and UDP ports of the receiver's ACK.
static void fill_cnp(
	struct pkt *cnp, const struct sw *sw, const struct fast_cnp_entry *e, tstamp now)
{
	struct hdr *h = pkt_own_hdr(cnp);

	*h = e->hdr;
	h->id = 0;
	h->flags &= (uint8_t) ~(HDR_CNTAG | HDR_REGION);
	if (h->flags & HDR_VLAN)
		h->vlan_tci = hdr_tci(h->vlan_tci, sw->fast_cnp_class);
	if (h->flags & HDR_INNER)
		h->inner_tci = hdr_tci(h->inner_tci, sw->fast_cnp_class);
	*cnp = (struct pkt){
		.hdr = h,
		.when = now,
		.born = now,
		.len = (uint16_t)(hdr_eth_len(h->flags) + CNP_LEN +
				  (h->flags & HDR_IPV6 ? CNP_IPV6 : 0)),
		.kind = PKT_CNP,
		.tos = sw->fast_cnp_tos,
		.cls = sw->fast_cnp_class,
		.u.rc = {.opcode = BTH_CNP, .bth = BTH_BECN, .qpn = e->qpn},
	};
}

// The CNP goes back through the port where the frame came in. False: there is no descriptor for it.
static bool send_cnp(struct sw *sw, struct sw_port *o, const struct pkt *p,
	struct fast_cnp_entry *e, uint64_t seen_bytes, tstamp now)
{
	struct pkt *cnp = sw_get_ctl(sw);
	struct ev *ev;

	if (!cnp) {
		o->rare->stats.cn_no_desc++;
		return false;
	}
	fill_cnp(cnp, sw, e, now);
	fast_cnp_sent(sw->fast_cnp, e, now);
	o->rare->stats.fast_cnp_tx++;
	ev = ev_put(sw->events, EV_FAST_CNP_TX, now);
	if (ev) {
		ev->mark.hdr = pkt_hdr_id(p);
		ev->mark.psn = p->u.rc.psn;
		ev->mark.queue_bytes = seen_bytes;
		ev->port = o->index;
		ev->cls = p->cls;
	}
	if (sw->iqcn) { // takes it for the receiver's
		sw_iqcn_learn(sw, o, cnp, now);
		o->rare->stats.iqcn_rx_cnp++;
	}
	sw_originate(sw, o, cnp, p->in_port, now);
	return true;
}

bool sw_fast_cnp_marked(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint64_t seen_bytes, tstamp now)
{
	struct fast_cnp_entry *e;
	bool told = false;

	if (p->kind != PKT_DATA)
		return false;
	switch (fast_cnp_marked(sw->fast_cnp, p, &e, now)) {
	case FAST_CNP_UNKNOWN:
		o->rare->stats.fast_cnp_unknown++;
		break;
	case FAST_CNP_SUPPRESSED:
		o->rare->stats.fast_cnp_suppressed++;
		told = true;
		break;
	case FAST_CNP_SEND:
		told = send_cnp(sw, o, p, e, seen_bytes, now);
		break;
	}
	return told && !o->set->cls[p->cls].fast_ce;
}
