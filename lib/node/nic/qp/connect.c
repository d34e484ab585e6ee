// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that find their peer's queue pair by RDMA-CM before they send. None of this is on the
// path of data.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame/mad.h"
#include "int.h"
#include "wire/bth.h"
#include "wire/eth.h"

#define LIFE        cm_time(14) // 67 ms: packet life time
#define RESPONSE    cm_time(17) // 537 ms: either side answers within it
#define ACK_DELAY   cm_time(10) // 4 ms
#define LONGEST     (60 * PS_PER_S)
#define RETRIES     5
#define HALF_OPEN   1024
#define SOURCE_PORT 0xc000    // of UDP, of MADs
#define TICK        PS_PER_MS // timers of connections that are nearer to each other wait together
#define DOUBT       19        // 2.1 s: code of the time in which a peer shows that it lives
#define REGION      16        // private data: address, key and length of the peer's region

// The path MTU of its flow, as cm_mtu.
static uint8_t mtu_code(const struct nic *nic, const struct nic_peer *r)
{
	uint32_t mtu = nic_peer_transport(nic, r->qp)->mtu;
	uint8_t code = 1;

	while (code < 5 && cm_mtu(code) != mtu)
		code++;
	return code;
}

void nic_connect_init(struct nic *nic)
{
	struct nic_connector *g = &nic->peers->connector;

	prng_init(&g->rng, nic->p.seed ^ nic->p.salt, nic->p.name);
	g->at = TSTAMP_NEVER;
}

void nic_connect_fini(struct nic *nic)
{
	free(nic->peers->connector.cm);
	free(nic->peers->connector.of);
}

// Makes room for one more connection, and for its predecessor, which may still be in TimeWait. No
// connection exists yet.
int nic_connect_room(struct nic *nic)
{
	struct nic_connector *g = &nic->peers->connector;
	unsigned room = g->room ? 2 * g->room : 2;

	g->places += 2;
	if (g->places <= g->room)
		return 0;
	free(g->cm);
	free(g->of);
	g->cm = calloc(room, sizeof(*g->cm));
	g->of = calloc(room, sizeof(struct nic_peer *));
	g->room = room;
	return g->cm && g->of ? 0 : -ENOMEM;
}

// An EUI-64 of the hardware address.
static uint64_t guid(const uint8_t mac[6])
{
	return (uint64_t)(mac[0] ^ 2) << 56 | (uint64_t)mac[1] << 48 | (uint64_t)mac[2] << 40 |
	       0xfffe000000 | (uint64_t)mac[3] << 16 | (uint64_t)mac[4] << 8 | mac[5];
}

// Makes the table of connections, before the first one, when all queue pairs have been added.
static int cm_begin(struct nic *nic)
{
	const struct nic_peers *peers = nic->peers;
	struct nic_connector *g = &nic->peers->connector;
	struct cm_params p = {.ca_guid = guid(nic->p.mac) ^ nic->p.salt,
		.life_ps = LIFE,
		.response_ps = RESPONSE,
		.delay_ps = ACK_DELAY,
		.longest_ps = LONGEST,
		.retries = RETRIES,
		.mtu = 4096};
	int rc;

	if (g->table.cm || !g->places)
		return 0;
	rc = cm_cfg_init(&g->cfg, &p);
	if (!rc)
		rc = cm_table_init(&g->table, &g->cfg, g->cm, g->places, HALF_OPEN, &g->rng);
	for (unsigned i = 0; !rc && i < peers->n; i++) {
		const struct nic_peer *r = peers->peer[i];
		uint64_t id = CM_SERVICE_TCP | r->p.port;
		bool known = false;

		for (unsigned k = 0; k < g->table.services; k++)
			known |= g->table.service[k] == id;
		if (r->state == NIC_PEER_LISTENS && r->p.port && !known)
			rc = cm_table_listen(&g->table, id);
	}
	return rc;
}

// Sends a message of the connection manager to the host that `to` addresses.
static void send_cm(struct nic *nic, const struct hdr *to, const struct cm_msg *m, tstamp now)
{
	struct pkt *p = nic->stack->room >= MAD_FRAME_MAX ? pkt_get_ctl(nic->stack) : NULL;
	uint8_t mad[MAD_LEN];
	struct hdr h = *to;

	if (!p) {
		nic_no_desc(nic, now);
		return;
	}
	h.sport = SOURCE_PORT;
	h.flags &= (uint8_t) ~(HDR_CNTAG | HDR_REGION);
	h.id = 0;
	*p = (struct pkt){0};
	cm_msg_render(m, mad);
	mad_to_pkt(p, nic->stack->data_off, &h, 0, nic->peers->connector.mad_psn++ & BTH_PSN_MASK,
		mad);
	nic->s.cm_tx++;
	nic_neigh_send(nic, p, now);
}

// The header of what answers a message: to the host that has sent it, whoever that is.
static struct hdr back_to(const struct nic *nic, const struct hdr *from)
{
	struct hdr h = *from;

	memcpy(h.dst, from->src, sizeof(h.dst));
	memcpy(h.src, nic->p.mac, sizeof(h.src));
	memcpy(h.saddr, from->daddr, sizeof(h.saddr));
	memcpy(h.daddr, from->saddr, sizeof(h.daddr));
	h.ttl = 64;
	return h;
}

// After a call to a connection: what it has to send goes, and its timer counts. `h`: where to, as
// the connection has no peer of ours; NULL: to its peer.
static void settle(struct nic *nic, struct cm *cm, const struct hdr *h, tstamp now)
{
	struct nic_connector *g = &nic->peers->connector;
	const struct nic_peer *r = g->of[cm_table_slot(&g->table, cm)];
	struct cm_msg m;

	if (cm_tx(cm, &m) && (h || r))
		send_cm(nic, h ? h : nic_peer_hdr(r), &m, now);
	if (cm->state != CM_IDLE)
		g->at = tstamp_min(g->at, tstamp_max(cm_deadline(cm), now + TICK));
}

// Our side of the connection. The counter of READs belongs to the side that requests them.
static struct cm_qp our_qp(const struct nic *nic, const struct nic_peer *r)
{
	const struct nic_qp *qp = r->qp;
	const struct rc_params *p = nic_peer_transport(nic, qp);
	uint8_t reads = (uint8_t)(p->verb == RC_READ ? p->rd_atomic : 0);
	struct cm_qp q = {.qpn = qp->requester ? qp->req.qpn : qp->rsp.qpn, .rnr_retry_count = 7};

	if (nic_peer_asks(r)) {
		q.psn = qp->requester ? qp->req.tx.next : 0;
		q.initiator_depth = reads;
		q.retry_count = (uint8_t)(p->retries < 7 ? p->retries : 7);
		q.rnr_retry_count = (uint8_t)p->rnr_retries;
	} else {
		q.psn = nic_source(qp) ? nic_source(qp)->epsn : qp->rsp.rx.epsn;
		q.responder_resources = reads;
		if (r->cm && q.responder_resources > r->cm->remote.initiator_depth)
			q.responder_resources = r->cm->remote.initiator_depth;
	}
	return q;
}

void nic_connect_to(struct nic *nic, struct nic_peer *r, tstamp now)
{
	struct nic_connector *g = &nic->peers->connector;
	const struct hdr *h = nic_peer_hdr(r);
	unsigned version = h->flags & HDR_IPV6 ? 6 : 4;
	struct cm_ip ip = {.version = (uint8_t)version, .port = h->sport};
	uint8_t data[CM_IP_LEN];
	struct cm_call call = {.service_id = CM_SERVICE_TCP | r->p.port,
		.qp = our_qp(nic, r),
		.hop_limit = 64,
		.data = data,
		.data_len = sizeof(data)};

	memcpy(ip.saddr, h->saddr, 16);
	memcpy(ip.daddr, h->daddr, 16);
	cm_ip_render(&ip, data);
	cm_gid(version, h->saddr, call.local_gid);
	cm_gid(version, h->daddr, call.remote_gid);
	r->state = NIC_PEER_ASKED;
	r->cm = cm_begin(nic) ? NULL : cm_table_open(&g->table);
	if (!r->cm) {
		nic_peer_give_up(nic, r, RC_PEER_FULL, now);
		return;
	}
	r->cm->mtu_code = mtu_code(nic, r);
	r->epsn = call.qp.psn;
	r->nak_sent = r->refused = false;
	g->of[cm_table_slot(&g->table, r->cm)] = r;
	cm_connect(r->cm, &call, now);
	settle(nic, r->cm, NULL, now);
}

// Returns whether a peer has connected to this queue pair, the connection is established, and no
// other peer waits for its end.
static bool holds(const struct nic_peer *r)
{
	return !nic_peer_asks(r) && r->state == NIC_PEER_UP && r->cm &&
	       r->cm->state == CM_ESTABLISHED && !r->heir;
}

// Returns the queue pair that waits for a connection to this service from this address, or, with
// `has`, one that has such a connection; NULL: there is none.
static struct nic_peer *find_asked(
	const struct nic_peers *g, const struct pkt *p, uint64_t service, bool has)
{
	for (unsigned i = 0; i < g->n; i++) {
		struct nic_peer *r = g->peer[i];
		const struct hdr *h = nic_peer_hdr(r);

		if ((has ? holds(r) : r->state == NIC_PEER_LISTENS) &&
			(CM_SERVICE_TCP | r->p.port) == service &&
			!memcmp(h->daddr, p->hdr->saddr, h->flags & HDR_IPV6 ? 16 : 4))
			return r;
	}
	return NULL;
}

// Connects the queue pair of a REQ to one of ours that listens. The private data of the REP names
// its memory region. Nothing is stored there, but requests for other memory are refused.
static void take_peer(
	struct nic *nic, struct nic_peer *r, struct cm *cm, const uint8_t mac[6], tstamp now)
{
	struct nic_connector *g = &nic->peers->connector;
	uint8_t data[REGION] = {0};
	struct cm_qp qp;

	r->cm = cm;
	g->of[cm_table_slot(&g->table, cm)] = r;
	nic_peer_set_mac(r, mac);
	if (r->qp->requester)
		nic_read_serve(nic, r->qp, cm->remote.qpn, prng_u32(&g->rng) & BTH_PSN_MASK);
	else
		nic_rsp_connect(nic, r->qp, cm->remote.qpn, prng_u32(&g->rng) & BTH_PSN_MASK);
	rc_guard_begin(&r->guard);
	r->state = NIC_PEER_ASKED;
	put_be64(data, r->p.va);
	put_be32(data + 8, r->p.rkey);
	put_be32(data + 12, r->p.length);
	qp = our_qp(nic, r);
	cm_accept(cm, &qp, data, sizeof(data), now);
}

// Handles a REQ for which no queue pair listens. It may come from a peer that was killed, started
// again and forgot its connection, or from a peer that wants one connection too many. To tell them
// apart, the present owner of the connection is probed, and the new peer waits.
static void doubt(
	struct nic *nic, struct nic_peer *r, struct cm *cm, const uint8_t mac[6], tstamp now)
{
	struct nic_connector *g = &nic->peers->connector;

	g->of[cm_table_slot(&g->table, cm)] = r;
	r->heir = cm;
	memcpy(r->heir_mac, mac, sizeof(r->heir_mac));
	cm_mra(cm, DOUBT);
	cm_probe(r->cm, now);
	settle(nic, r->cm, NULL, now);
}

// Takes a REQ: the next queue pair that listens gets it.
static void asked(
	struct nic *nic, struct cm *cm, const struct cm_msg *m, const struct pkt *p, tstamp now)
{
	struct nic_connector *g = &nic->peers->connector;
	struct nic_peer *listens = find_asked(nic->peers, p, m->u.req.service_id, false);
	struct nic_peer *r =
		listens ? listens : find_asked(nic->peers, p, m->u.req.service_id, true);

	g->of[cm_table_slot(&g->table, cm)] = NULL;
	if (!r || mtu_code(nic, r) != cm->mtu_code)
		cm_reject(cm, r ? CM_REJ_BAD_MTU : CM_REJ_NO_QP, NULL, 0, now);
	else if (listens)
		take_peer(nic, r, cm, p->hdr->src, now);
	else
		doubt(nic, r, cm, p->hdr->src, now);
}

// The connection stands: who waited for its end does so in vain.
static void turn_away(struct nic *nic, struct nic_peer *r, tstamp now)
{
	struct cm *heir = r->heir;

	r->heir = NULL;
	if (!heir)
		return;
	cm_reject(heir, CM_REJ_NO_QP, NULL, 0, now);
	settle(nic, heir, NULL, now);
}

// The queue pair listens again, and somebody has waited for that.
static void inherit(struct nic *nic, struct nic_peer *r, tstamp now)
{
	struct cm *heir = r->heir;

	r->heir = NULL;
	take_peer(nic, r, heir, r->heir_mac, now);
	settle(nic, heir, NULL, now);
}

// A REP: what it says of the peer's queue pair, of the PSN that the peer expects, and of its
// memory, unless the scenario says so.
static void answered(
	struct nic *nic, struct nic_peer *r, struct cm *cm, const struct cm_msg *m, tstamp now)
{
	if (!r->qp->requester && !cm_initiator_depth(cm)) {
		cm_reject(cm, CM_REJ_FEW_RESOURCES, NULL, 0, now);
		nic_peer_give_up(nic, r, RC_PEER_NO_READS, now);
		return;
	}
	if (r->qp->requester) {
		r->qp->req.peer_qpn = cm->remote.qpn;
		rc_tx_begin(&r->qp->req.tx, cm->remote.psn);
	} else {
		nic_read_connect(r->qp, cm->remote.qpn, cm->remote.psn, cm_initiator_depth(cm));
	}
	if (!r->p.has_region) {
		r->p.data->va = get_be64(m->data);
		r->p.data->rkey = get_be32(m->data + 8);
	}
	cm_ready(cm);
	nic_peer_up(nic, r, now);
}

// Whether it has messages to send or to ask for.
static bool is_busy(const struct nic_qp *qp)
{
	if (qp->requester)
		return qp->running || qp->req.tx.messages;
	return qp->rsp.read->running || qp->rsp.read->tx.messages;
}

// The connection has ended. A requester that still had messages fails.
static void parted(struct nic *nic, struct nic_peer *r, tstamp now)
{
	bool was_up = r->state == NIC_PEER_UP;

	r->state = NIC_PEER_PARTED;
	if (nic_source(r->qp))
		nic_read_serve(nic, r->qp, 0, 0);
	else if (was_up && nic_peer_asks(r) && is_busy(r->qp))
		nic_peer_give_up(nic, r, RC_PEER_PARTED, now);
}

static void forgotten(struct nic *nic, struct nic_peer *r, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_PEER_LOST, now);

	if (ev)
		ev->qp.flow = nic_flow(r->qp);
	r->lost++;
	parted(nic, r, now);
}

static void happened(struct nic *nic, struct cm *cm, enum cm_event e, const struct cm_msg *m,
	const struct pkt *p, tstamp now)
{
	struct nic_connector *g = &nic->peers->connector;
	struct nic_peer *r = g->of[cm_table_slot(&g->table, cm)];

	if (e == CM_EV_REQUEST) {
		asked(nic, cm, m, p, now);
		return;
	}
	if (r && r->heir == cm && (cm->state == CM_IDLE || cm->state == CM_TIMEWAIT))
		r->heir = NULL; // it waits no more
	if (!r || r->cm != cm)
		return;
	if (e == CM_EV_REPLY) {
		answered(nic, r, cm, m, now);
	} else if (e == CM_EV_UP) {
		nic_peer_up(nic, r, now);
	} else if (e == CM_EV_PARTING) {
		parted(nic, r, now);
		cm_disconnect(cm, now);
	} else if (e == CM_EV_STALE || e == CM_EV_DOWN) {
		parted(nic, r, now);
	} else if (e == CM_EV_ALIVE) {
		turn_away(nic, r, now);
	} else if (e == CM_EV_LOST || (e == CM_EV_REJECTED && r->heir)) {
		forgotten(nic, r, now);
	} else if (e == CM_EV_REJECTED || e == CM_EV_REFUSED || e == CM_EV_FAILED) {
		r->reason = cm->reason;
		r->unanswered += e == CM_EV_FAILED && !nic_peer_asks(r);
		nic_peer_give_up(
			nic, r, e == CM_EV_FAILED ? RC_PEER_SILENT : RC_PEER_REJECTED, now);
	}
	if (cm->state != CM_IDLE && cm->state != CM_TIMEWAIT)
		return;
	r->cm = NULL; // the table ends it, and the place may be another's then
	if (nic_peer_asks(r))
		return;
	r->state = NIC_PEER_LISTENS;
	if (r->heir)
		inherit(nic, r, now);
}

// Returns whether a message comes from the host whose connection it names. If it names no
// connection of ours, it passes, and the table decides.
static bool may_say(const struct nic_connector *g, const struct cm_msg *m, const struct hdr *from)
{
	const struct cm *cm = m->kind == CM_REQ ? NULL : cm_table_find(&g->table, m->remote_id);
	const struct nic_peer *r = cm ? g->of[cm_table_slot(&g->table, cm)] : NULL;
	const struct hdr *h = r ? nic_peer_hdr(r) : from;

	return !r || ((h->flags & HDR_IP) == (from->flags & HDR_IP) &&
			     !memcmp(h->daddr, from->saddr, h->flags & HDR_IPV6 ? 16 : 4));
}

void nic_connect_traffic(struct nic *nic, struct nic_peer *r, tstamp now)
{
	enum cm_event e;

	if ((r->state != NIC_PEER_ASKED && !r->heir) || !r->cm)
		return;
	e = cm_traffic(r->cm);
	if (e == CM_EV_UP)
		nic_peer_up(nic, r, now);
	else if (e == CM_EV_ALIVE)
		turn_away(nic, r, now);
	nic_peer_reckon(nic);
}

bool nic_connect_rx(struct nic *nic, struct pkt *p, tstamp now)
{
	struct nic_connector *g;
	const uint8_t *mad;
	struct cm_msg m, reply = {0};
	struct cm *cm = NULL;
	bool strange, answers;
	enum cm_event e;
	struct hdr back;

	if (!nic->peers || !(p->flags & PKT_F_FOREIGN) || p->kind != PKT_ROCE)
		return false;
	g = &nic->peers->connector;
	switch (mad_of_pkt(p, &mad)) {
	case MAD_NOT_GSI:
		return false;
	case MAD_OK:
		break;
	default:
		nic_drop(nic, NIC_DROP_BAD_REQUEST, p, now);
		return true;
	}
	if (cm_begin(nic) || cm_msg_parse(mad, &m) || !g->table.cm || !may_say(g, &m, p->hdr)) {
		nic_drop(nic, NIC_DROP_BAD_REQUEST, p, now);
		return true;
	}
	nic->s.cm_rx++;
	back = back_to(nic, p->hdr);
	e = cm_table_rx(&g->table, &m, &cm, &reply, now);
	if (cm)
		happened(nic, cm, e, &m, p, now);
	// The number of peers bounds the answers to them, but nothing bounds the answers to
	// strangers.
	strange = cm && !g->of[cm_table_slot(&g->table, cm)];
	answers = (!strange && reply.kind == CM_NO_MSG) ||
		  nic_neigh_may_answer(nic, p, back.daddr, now);
	if (cm)
		settle(nic, cm, strange && answers ? &back : NULL, now);
	if (answers && reply.kind != CM_NO_MSG)
		send_cm(nic, &back, &reply, now);
	nic_peer_reckon(nic);
	if (answers) {
		nic->s.consumed_frames++;
		pkt_put(nic->stack, p);
	}
	return true;
}

void nic_connect_timer(struct nic *nic, tstamp now)
{
	struct nic_connector *g = &nic->peers->connector;
	uint32_t at = 0;
	struct cm *cm;

	if (now < g->at)
		return;
	while ((cm = cm_table_due(&g->table, &at, now))) {
		happened(nic, cm, cm_expire(cm, now), NULL, NULL, now);
		settle(nic, cm, NULL, now);
	}
	g->at = tstamp_max(cm_table_deadline(&g->table), now + TICK);
}

void nic_connect_end(struct nic *nic, struct nic_peer *r, tstamp now)
{
	if (!r->cm || r->cm->state != CM_ESTABLISHED)
		return;
	r->state = NIC_PEER_PARTED;
	cm_disconnect(r->cm, now);
	settle(nic, r->cm, NULL, now);
	nic_peer_reckon(nic);
}
