// SPDX-License-Identifier: BSD-3-Clause
// Frames that a fault forges: CNP, NAK and CNM to the sender of a queue pair, and PFC.
#include <errno.h>
#include <string.h>

#include "fault_int.h"
#include "wire/bth.h"
#include "wire/eth.h"
#include "wire/pfc.h"

#define NAK_LEN 4 // AETH

static uint16_t roce_len(const struct hdr *h, unsigned ext)
{
	const unsigned ip = h->flags & HDR_IPV6 ? 40 : 20, udp = 8, icrc = 4;

	return (uint16_t)(hdr_eth_len(h->flags) + ip + udp + BTH_LEN + ext + icrc);
}

static void forge_cnp(struct fault_make *m, struct scene_forge *g, const struct scene_flow *f)
{
	const struct draft_node *host = m->b->node[0];

	for (unsigned i = 0; i < m->b->n_nodes; i++)
		if (m->b->node[i]->index == f->to)
			host = m->b->node[i];
	g->hdr = f->hdr_cnp;
	g->pkt = (struct pkt){.kind = PKT_CNP,
		.len = roce_len(&f->hdr_cnp, BTH_CNP_LEN),
		.tos = (uint8_t)(hardware_dscp(host, host->host->cnp_class) << 2 | ECN_ECT0),
		.u.rc = {.opcode = BTH_CNP, .bth = BTH_BECN}};
}

static void forge_nak(
	struct scene_forge *g, const struct scene_flow *f, const struct spec_forge *spec)
{
	g->hdr = f->hdr_ack;
	g->psn = spec->psn;
	g->pkt = (struct pkt){.kind = PKT_ACK,
		.len = roce_len(&f->hdr_ack, NAK_LEN),
		.tos = f->rsp.ack_tos,
		.u.rc = {.opcode = BTH_RC_ACK, .syndrome = spec->syndrome, .arg = spec->msn}};
}

// To the source of the flow's frames, with their CN-TAG; from the far end of the port.
static void forge_cnm(
	struct scene_forge *g, const struct scene_flow *f, const struct spec_forge *spec)
{
	const struct hdr *h = &f->hdr_data;

	g->hdr.vlan_tci = h->flags & HDR_VLAN ? h->vlan_tci : (uint16_t)(f->cls << 13);
	g->hdr.ethertype = ETH_P_CNM;
	g->hdr.flags = HDR_VLAN | HDR_CNTAG;
	g->hdr.cntag = h->flags & HDR_CNTAG ? h->cntag : 0;
	memcpy(g->hdr.dst, h->src, 6);
	memcpy(g->hdr.daddr, h->dst, 6);
	g->pkt = (struct pkt){.kind = PKT_CNM,
		.len = PKT_MIN_LEN,
		.u.cnm = {.qoffset = (int16_t)spec->qoffset,
			.qdelta = (int16_t)spec->qdelta,
			.flow_id = g->hdr.cntag,
			.qntzfb = spec->qntzfb,
			.priority = f->cls}};
	memcpy(g->pkt.u.cnm.cpid, g->hdr.src, 6);
}

static void forge_pfc(struct scene_forge *g, const struct spec_forge *spec)
{
	g->hdr.ethertype = ETH_P_MAC_CONTROL;
	memcpy(g->hdr.dst, pfc_dst, 6);
	g->pkt = (struct pkt){
		.kind = PKT_PFC, .len = PKT_MIN_LEN, .u.pfc = {.enable = spec->classes}};
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		g->pkt.u.pfc.quanta[c] = spec->classes >> c & 1 ? spec->quanta : 0;
}

static const char *const frame_names[] = {"CNP", "NAK", "CNM", "PFC frame"};

// Refuses a field that the forged frame does not have.
static int check_fields(struct fault_make *m, const struct spec_forge *spec)
{
	static const struct {
		const char *key, *frame;
		enum spec_forged of;
	} own[] = {
		{"psn", "nak", SPEC_FORGE_NAK},
		{"msn", "nak", SPEC_FORGE_NAK},
		{"syndrome", "nak", SPEC_FORGE_NAK},
		{"qntzfb", "cnm", SPEC_FORGE_CNM},
		{"qoffset", "cnm", SPEC_FORGE_CNM},
		{"qdelta", "cnm", SPEC_FORGE_CNM},
		{"classes", "pfc", SPEC_FORGE_PFC},
		{"quanta", "pfc", SPEC_FORGE_PFC},
	};
	const struct opt_table *t = opt_row(&scene_opts_action, "forge")->sub;

	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i].of != spec->frame && opt_source(t, spec, own[i].key))
			return yamldoc_err(m->b->err, opt_source(t, spec, own[i].key),
				"forge: a %s has no %s; leave it out, or write frame: %s",
				frame_names[spec->frame], own[i].key, own[i].frame);
	return 0;
}

// Refuses frames that come faster than the link carries them.
static int check_pace(struct fault_make *m, const struct spec_forge *spec, uint32_t len)
{
	const struct opt_table *t = opt_row(&scene_opts_action, "forge")->sub;
	rate_t rate = m->node->port[m->port]->link->spec.rate;
	tstamp least = rate_time(rate_byte_ps(rate), len + PKT_WIRE);

	if (spec->every == OPT_NONE || spec->every >= least)
		return 0;
	return yamldoc_err(m->b->err, draft_given(t, spec, "every", m->at),
		"forge: 'every' is below %.6g ns, the time that the frame takes on the link; write "
		"a longer one",
		(double)least / PS_PER_NS);
}

// The queue pair that the frame is for.
static int find_flow(struct fault_make *m, struct scene_forge *g, const char *frame)
{
	const struct scene_fault_pair *p = m->f->pair;

	if (!m->f->n_pairs || p->flow == SCENE_FAULT_GIVEN)
		return yamldoc_err(m->b->err, m->at,
			"forge: a %s goes to a queue pair of the scenario; name it by qp", frame);
	if (m->f->n_pairs > 1)
		return yamldoc_err(m->b->err, m->at,
			"forge: a %s goes to one queue pair, and %s and %u more are named; name "
			"one by qp",
			frame, m->b->s->flow[p->flow]->name, m->f->n_pairs - 1);
	g->flow = p->flow;
	return 0;
}

static int make_frame(struct fault_make *m, struct scene_forge *g, const struct spec_forge *spec)
{
	const struct draft_port *from = draft_far_port(m->node->port[m->port]);
	const struct scene_node *peer = &m->b->s->node[draft_port_node(from)->index];
	int rc = spec->frame == SPEC_FORGE_PFC ? 0 : find_flow(m, g, frame_names[spec->frame]);

	if (rc)
		return rc;
	memcpy(g->hdr.src, peer->port[from->link->port[from->end]].mac, 6);
	if (spec->frame == SPEC_FORGE_CNP)
		forge_cnp(m, g, m->b->s->flow[g->flow]);
	else if (spec->frame == SPEC_FORGE_NAK)
		forge_nak(g, m->b->s->flow[g->flow], spec);
	else if (spec->frame == SPEC_FORGE_CNM)
		forge_cnm(g, m->b->s->flow[g->flow], spec);
	else
		forge_pfc(g, spec);
	return 0;
}

static int times(struct fault_make *m, const struct spec_forge *spec)
{
	const struct opt_table *t = opt_row(&scene_opts_action, "forge")->sub;
	struct fault_record *r = &m->f->record;
	const bool again = spec->every != OPT_NONE;

	r->forge.start = tstamp_add(r->begins, spec->start);
	r->forge.every = again ? spec->every : 0;
	r->forge.count = spec->count == OPT_NONE   ? 0
			 : spec->count == OPT_AUTO ? !again
						   : spec->count;
	if (again || r->forge.count == 1)
		return 0;
	return yamldoc_err(m->b->err, draft_given(t, spec, "count", m->at),
		"forge: several frames need the time between them; give `every`");
}

int fault_forge(struct fault_make *m, const struct spec_forge *spec)
{
	static const char *const choice[] = {
		"psn", "nth", "pass", "share", "gilbert", "bit_error_rate", "class", "dir"};
	struct scene_forge *g = draft_get(m->b, sizeof(*g));
	int rc = g ? times(m, spec) : -ENOMEM;

	if (!rc)
		rc = check_fields(m, spec);
	for (unsigned i = 0; !rc && i < sizeof(choice) / sizeof(choice[0]); i++)
		if (opt_source(&scene_opts_fault, &m->spec, choice[i]))
			return yamldoc_err(m->b->err, fault_place(m, choice[i]),
				"forge: '%s' chooses among frames that come, and this one makes "
				"some; leave it out",
				choice[i]);
	if (rc)
		return rc;
	g->flow = SCENE_FAULT_GIVEN;
	m->f->forge = g;
	rc = make_frame(m, g, spec);
	if (!rc)
		rc = check_pace(m, spec, g->pkt.len);
	m->f->n_pairs = 0;
	m->f->record.kinds = FAULT_ALL;
	m->f->record.forge.bytes = g->bytes;
	m->f->record.forge.len = g->pkt.len;
	return rc;
}
