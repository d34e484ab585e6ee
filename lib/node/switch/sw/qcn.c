// SPDX-License-Identifier: BSD-3-Clause
// The switch and QCN: congestion points of its queues, the CNMs that they send, the edge of their
// domain.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cn.h"
#include "wire/cnm.h"

#define CNM_OFF_MOST (26 + CNM_LEN) // where the encapsulated MSDU begins (standards.md 1.3)

int sw_qcn_init(struct sw *sw, const struct sw_params *params)
{
	int rc = 0;

	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++) {
		const struct sw_qcn_params *p = &params->set->cls[c].qcn;

		if (p->on)
			rc = qcn_cp_cfg_init(&sw->qcn[c], &p->cp);
	}
	return rc;
}

int sw_qcn_class(struct sw_cls *k, const struct sw_qcn_params *p)
{
	if (!p->on)
		return 0;
	if (p->cnm_class >= PKT_CLASSES || p->alternate_class >= PKT_CLASSES ||
		p->min_header_octets > CNM_MSDU_MAX)
		return -EINVAL;
	k->hooks |= SW_HOOK_QCN;
	k->cnm_class = p->cnm_class;
	k->min_header_octets = p->min_header_octets;
	return 0;
}

bool sw_qcn_is_edge(const struct sw_params *params, unsigned port)
{
	bool on = false;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		on |= params->set->cls[c].qcn.on;
	return on && params->port[port].cn == SW_CN_EDGE;
}

static void remap(uint8_t *map, unsigned n, unsigned from, uint8_t to)
{
	for (unsigned i = 0; i < n; i++)
		if (map[i] == from)
			map[i] = to;
}

// Frames that arrive in a class with QCN get its alternate class instead.
int sw_qcn_edge(struct sw_set *set, const struct sw_params *params)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct sw_qcn_params *p = &params->set->cls[c].qcn;

		if (!p->on)
			continue;
		if (params->set->cls[p->alternate_class].qcn.on)
			return -EINVAL;
		remap(set->dscp_to_class, sizeof(set->dscp_to_class), c, p->alternate_class);
		remap(set->pcp_to_class, sizeof(set->pcp_to_class), c, p->alternate_class);
	}
	return 0;
}

// CPID: the port's address, then its index and the queue's (standards.md 1.3).
static int add_cp(struct sw *sw, struct sw_port *o, unsigned cls, const struct sw_params *params)
{
	const char *name = params->port[o->index].name;
	struct sw_cp *cp = calloc(1, sizeof(*cp));
	char own[96];

	if (!cp)
		return -ENOMEM;
	snprintf(own, sizeof(own), "%s.%u.cp", name, cls);
	prng_init(&cp->rng, params->seed, own);
	qcn_cp_init(&cp->cp, &sw->qcn[cls], &cp->rng);
	memcpy(cp->cpid, o->rare->pfc_hdr.src, 6);
	put_be16(cp->cpid + 6, (uint16_t)(o->index << 3 | cls));
	o->out[cls].cp = cp;
	return 0;
}

int sw_qcn_port(struct sw *sw, struct sw_port *o, const struct sw_params *params)
{
	enum sw_cn_mode mode = params->port[o->index].cn;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct sw_qcn_params *p = &params->set->cls[c].qcn;
		int rc;

		if (!p->on || mode == SW_CN_DISABLED)
			continue;
		if (mode == SW_CN_EDGE)
			remap(&o->default_class, 1, c, p->alternate_class);
		if (mode != SW_CN_INTERIOR_READY) {
			o->untag |= (uint8_t)(1u << c);
			sw_set_of(sw, params, o->index)->cls[c].hooks |= SW_HOOK_UNTAG;
		}
		rc = add_cp(sw, o, c, params);
		if (rc)
			return rc;
	}
	return 0;
}

void sw_qcn_fini(struct sw_port *o)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		free(o->out[c].cp);
}

// Marks a frame whose CN-TAG is to be removed; returns whether it had one. A frame of our own is
// shorter at once. A foreign frame keeps its length here, because the exit removes the tag.
bool sw_untag(struct sw_port *o, struct pkt *p)
{
	if (!(o->untag >> p->cls & 1) || !pkt_has_cntag(p))
		return false;
	p->flags |= PKT_F_UNTAG_CN;
	o->rare->stats.cn_untagged_frames++;
	if (!(p->flags & PKT_F_FOREIGN) && p->len > PKT_MIN_LEN)
		p->len = p->len < PKT_MIN_LEN + 4 ? PKT_MIN_LEN : (uint16_t)(p->len - 4);
	return true;
}

// Returns the header of a sampled frame. If the switch has forgotten it, reads the fields that a
// CNM needs from the frame's bytes into `room`.
static const struct hdr *header_of(const struct pkt *p, struct hdr *room)
{
	if (p->hdr)
		return p->hdr;
	frame_pkt_eth(p, room);
	return room;
}

static unsigned pcp_of(const struct pkt *p, const struct hdr *h)
{
	return h->flags & HDR_VLAN ? h->vlan_tci >> 13 : p->cls;
}

// Fills the header of a CNM: to the source of the sampled frame, in its VLANs, with its CN-TAG
// (flow ID 0: it had none). The destination of the sampled frame is written where frame_from_pkt()
// takes it from.
static void fill_hdr(
	struct hdr *h, const struct sw_port *o, const struct hdr *sampled, unsigned cnm_class)
{
	unsigned tags = sampled->flags & HDR_VLAN ? sampled->flags & (HDR_STAG | HDR_INNER) : 0;

	*h = (struct hdr){
		.vlan_tci = hdr_tci(sampled->flags & HDR_VLAN ? sampled->vlan_tci : 0, cnm_class),
		.inner_tci = tags & HDR_INNER ? hdr_tci(sampled->inner_tci, cnm_class) : 0,
		.ethertype = ETH_P_CNM,
		.flags = (uint8_t)(HDR_VLAN | HDR_CNTAG | tags),
		.cntag = sampled->flags & HDR_CNTAG ? sampled->cntag : 0,
	};
	memcpy(h->dst, sampled->src, 6);
	memcpy(h->src, o->rare->pfc_hdr.src, 6);
	memcpy(h->daddr, sampled->dst, 6);
}

// The first bytes of the sampled frame's MSDU, from its EtherType on; returns how many there are. A
// frame without bytes is rendered into `room` first.
static unsigned msdu_of(const struct pkt *p, const struct hdr *h, uint8_t *room, unsigned size,
	uint8_t *to, unsigned n)
{
	bool tagged = p->flags & PKT_F_FOREIGN ? h->flags & HDR_CNTAG : pkt_has_cntag(p);
	unsigned flags = tagged ? h->flags | HDR_CNTAG : h->flags & ~HDR_CNTAG;
	unsigned off = hdr_eth_len(flags) - 2;
	const uint8_t *bytes = (const uint8_t *)p + p->data_off;

	if (!p->data_off) {
		if (p->len > size)
			return 0;
		frame_from_pkt(p, room);
		bytes = room;
	}
	if (off >= p->len)
		return 0;
	n = n < p->len - off ? n : p->len - off;
	memcpy(to, bytes + off, n);
	return n;
}

// Gives a CNM bytes that end with the encapsulated MSDU.
static void encapsulate(struct pkt_stack *s, struct pkt *cnm, const struct pkt *p,
	const struct hdr *sampled, unsigned wanted)
{
	uint8_t msdu[CNM_MSDU_MAX], *bytes = (uint8_t *)cnm + s->data_off;
	unsigned off = hdr_eth_len(cnm->hdr->flags) + CNM_LEN, n;

	if (s->room < CNM_OFF_MOST + CNM_MSDU_MAX)
		return;
	n = msdu_of(p, sampled, bytes, s->room, msdu, wanted);
	if (off + n > PKT_MIN_LEN)
		cnm->len = (uint16_t)(off + n);
	frame_from_pkt(cnm, bytes);
	put_be16(bytes + off - 2, (uint16_t)n);
	memcpy(bytes + off, msdu, n);
	cnm->flags = PKT_F_FOREIGN;
	cnm->data_off = s->data_off;
}

// The CNM about frame p goes back through the port where that came in.
static void send_cnm(struct sw *sw, struct sw_port *o, const struct pkt *p,
	const struct qcn_cp_feedback *fb, tstamp now)
{
	const struct sw_cls *k = &o->set->cls[p->cls];
	struct pkt *cnm = sw_get_ctl(sw);
	const struct hdr *sampled;
	struct hdr *h, room;

	if (!cnm) {
		o->rare->stats.cn_no_desc++;
		return;
	}
	sampled = header_of(p, &room);
	h = pkt_own_hdr(cnm);
	fill_hdr(h, o, sampled, k->cnm_class);
	*cnm = (struct pkt){
		.hdr = h,
		.when = now,
		.born = now,
		.len = PKT_MIN_LEN,
		.kind = PKT_CNM,
		.cls = k->cnm_class,
		.u.cnm = {.qoffset = fb->qoffset,
			.qdelta = fb->qdelta,
			.flow_id = h->cntag,
			.qntzfb = fb->qntzfb,
			.priority = (uint8_t)pcp_of(p, sampled)},
	};
	memcpy(cnm->u.cnm.cpid, o->out[p->cls].cp->cpid, sizeof(cnm->u.cnm.cpid));
	if (k->min_header_octets)
		encapsulate(sw->stack, cnm, p, sampled, k->min_header_octets);
	o->rare->cls[p->cls].cnm_tx_frames++;
	sw_originate(sw, o, cnm, p->in_port, now);
}

void sw_qcn_frames(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint32_t bytes, tstamp now)
{
	struct qcn_cp *cp = &o->out[p->cls].cp->cp;
	uint32_t qlen = o->e.q[p->cls].bytes;
	struct qcn_cp_feedback fb;
	struct ev *ev;

	if (p->kind == PKT_CNM || !qcn_cp_frame(cp, bytes, qlen, &fb))
		return;
	ev = ev_put(sw->events, EV_CNM_TX, now);
	if (ev) {
		ev->cnm_tx.hdr = pkt_hdr_id(p);
		ev->cnm_tx.queue_bytes = qlen;
		ev->cnm_tx.qntzfb = fb.qntzfb;
		ev->port = o->index;
		ev->cls = p->cls;
	}
	send_cnm(sw, o, p, &fb, now);
}
