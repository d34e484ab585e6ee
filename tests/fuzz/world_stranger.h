// SPDX-License-Identifier: BSD-3-Clause
// The strangers of a world: each has the wire of a device, answers what leaves there as a peer
// would, and makes of any bytes a frame that gets past the first checks.
#pragma once

#include "../floods.h"
#include "frame/cm_msg.h"
#include "wire/icrc.h"
#include "world_net.h"

#define STRANGERS 2
#define THEIRS    0x40 // first QPN of a stranger whom RDMA-CM connects
#define QPS       8    // of a stranger
#define READ_MOST 1024 // bytes of a response

// The last frames that left, one of each kind: RoCEv2 requests but SEND and WRITE (RDMA-CM, READ),
// SEND and WRITE, acknowledges, all else.
enum { HEARD_OTHER, HEARD_ROCE, HEARD_DATA, HEARD_ACK, HEARD };

struct heard {
	uint8_t bytes[FLOOD_MAX + 200];
	unsigned len;
};

struct stranger {
	const char *host[2]; // that it talks to
	uint16_t port;       // at which its host waits for RDMA-CM
	uint8_t mac[6], ip[4];
	unsigned node, at; // the device
	struct heard heard[HEARD];
	uint32_t psn;       // of the last RoCEv2 frame
	uint32_t ours[QPS]; // QPN of the scene's end, by QPN of the stranger's
	unsigned n_ours;
	uint32_t host_qpn; // of a host that has accepted the stranger's connection
	unsigned host_now; // that it talks to
};

static inline void stranger_init(struct stranger *s, const struct world *w, unsigned k)
{
	static const struct stranger known[STRANGERS] = {
		{.host = {"h1", "h2"},
			.port = 18516,
			.mac = {2, 0xee, 0, 0, 0, 4},
			.ip = {10, 0, 0, 4}},
		{.host = {"h3", "h3"},
			.port = 18518,
			.mac = {2, 0xee, 0, 0, 0, 5},
			.ip = {10, 0, 0, 5}},
	};
	static const char *const device[STRANGERS] = {"s1:x1", "h3:x2"};

	*s = known[k];
	fuzz_check(scene_port(w->scene, device[k], &s->node, &s->at));
}

static inline const struct scene_node *stranger_host(
	const struct world *w, const struct stranger *s)
{
	return &w->scene->node[scene_node(w->scene, s->host[s->host_now & 1])];
}

static inline void stranger_hears(struct stranger *s, const struct pkt *p, const uint8_t *bytes)
{
	struct heard *h = &s->heard[p->kind == PKT_ROCE   ? HEARD_ROCE
				    : p->kind == PKT_DATA ? HEARD_DATA
				    : p->kind == PKT_ACK  ? HEARD_ACK
							  : HEARD_OTHER];

	fuzz_check(p->len <= sizeof(h->bytes));
	memcpy(h->bytes, bytes, p->len);
	h->len = p->len;
	if (pkt_is_roce(p->kind))
		s->psn = p->u.rc.psn;
}

// A RoCEv2 frame of the stranger to the host that it talks to.
static inline struct frame stranger_frame(const struct world *w, const struct stranger *s)
{
	const struct scene_node *host = stranger_host(w, s);
	struct frame f = {.kind = PKT_DATA,
		.eth = {.ethertype = ETH_P_IPV4},
		.ip = {.version = 4, .ttl = 64, .proto = IP_PROTO_UDP, .frag = IP4_DF},
		.udp = {.sport = 0xc123, .dport = BTH_UDP_PORT},
		.bth = {.pkey = BTH_PKEY}};

	memcpy(f.eth.dst, host->mac, 6);
	memcpy(f.eth.src, s->mac, 6);
	memcpy(f.ip.saddr, s->ip, 4);
	memcpy(f.ip.daddr, host->ip, 4);
	return f;
}

static inline unsigned stranger_mad(
	const struct world *w, const struct stranger *s, const struct cm_msg *m, uint8_t *to)
{
	struct frame f = stranger_frame(w, s);
	struct hdr h = {.flags = HDR_IPV4, .ethertype = ETH_P_IPV4, .ttl = 64, .sport = 0xc123};
	uint8_t mad[MAD_LEN];

	memcpy(h.dst, f.eth.dst, 6);
	memcpy(h.src, f.eth.src, 6);
	memcpy(h.saddr, f.ip.saddr, 16);
	memcpy(h.daddr, f.ip.daddr, 16);
	cm_msg_render(m, mad);
	return mad_frame(&h, 0, 1, mad, to);
}

// The stranger asks for a connection.
static inline unsigned asks_req(
	const struct world *w, struct stranger *s, unsigned how, uint8_t *to)
{
	struct cm_ip who = {.version = 4, .port = 4000};
	struct cm_msg m = {.tid = 7 + (how >> 4),
		.kind = CM_REQ,
		.local_id = 0x1000 + (how >> 4),
		.u.req = {.service_id = CM_SERVICE_TCP | s->port,
			.qpn = THEIRS + QPS + (how >> 4),
			.psn = 100,
			.responder_resources = 4,
			.initiator_depth = 4,
			.remote_response_timeout = how & 15,
			.local_response_timeout = 4,
			.retry_count = 7,
			.rnr_retry_count = 7,
			.pkey = BTH_PKEY,
			.mtu = 3,
			.max_cm_retries = 3}};

	memcpy(who.saddr, s->ip, 4);
	memcpy(who.daddr, stranger_host(w, s)->ip, 4);
	cm_ip_render(&who, m.data);
	cm_gid(4, who.saddr, m.u.req.primary.local_gid);
	cm_gid(4, who.daddr, m.u.req.primary.remote_gid);
	return stranger_mad(w, s, &m, to);
}

static inline void answer_req(
	struct stranger *s, const struct cm_msg *req, unsigned how, struct cm_msg *m)
{
	uint8_t region[CM_DATA_MAX] = {0};

	if (how % 8 == 7) {
		m->kind = CM_REJ;
		m->u.rej =
			(struct cm_rej){.reason = (uint16_t)(how >> 3), .answered = CM_ANSWERS_REQ};
		return;
	}
	if (how % 8 == 6) {
		m->kind = CM_MRA;
		m->u.mra = (struct cm_mra){.service_timeout = (uint8_t)(how >> 3)};
		return;
	}
	s->ours[s->n_ours % QPS] = req->u.req.qpn;
	m->kind = CM_REP;
	m->u.rep = (struct cm_rep){.qpn = THEIRS + s->n_ours++ % QPS,
		.psn = 100,
		.responder_resources = 4,
		.initiator_depth = 4,
		.rnr_retry_count = 7};
	put_be32(
		region + 4, 0x1000); // an address, a key and a length, as the scene's own REPs have
	put_be32(region + 8, 0x77);
	put_be32(region + 12, 1u << 20);
	memcpy(m->data, region, sizeof(m->data));
}

static inline void answer_rep(
	struct stranger *s, const struct cm_msg *rep, unsigned how, struct cm_msg *m)
{
	m->kind = how % 8 == 7 ? CM_REJ : CM_RTU;
	s->host_qpn = rep->u.rep.qpn;
}

static inline unsigned answer_mad(
	const struct world *w, struct stranger *s, const struct frame *f, unsigned how, uint8_t *to)
{
	const uint8_t *mad = s->heard[HEARD_ROCE].bytes + f->payload_off;
	struct cm_msg got, m = {0};

	if (f->payload_len != MAD_LEN || cm_msg_parse(mad, &got))
		return 0;
	m.tid = got.tid;
	m.local_id = got.kind == CM_REQ ? 0x2000 + s->n_ours : got.remote_id;
	m.remote_id = got.local_id;
	if (got.kind == CM_REQ)
		answer_req(s, &got, how, &m);
	else if (got.kind == CM_REP)
		answer_rep(s, &got, how, &m);
	else if (got.kind == CM_DREQ)
		m.kind = CM_DREP;
	else
		m.kind = how & 1 ? CM_DREQ : CM_RTU;
	if (m.kind == CM_DREQ)
		m.u.dreq_qpn = s->ours[how >> 1 & (QPS - 1)];
	return stranger_mad(w, s, &m, to);
}

// The QPN of the scene's end whose frames go to this QPN of the stranger's.
static inline uint32_t ours_of(const struct world *w, const struct stranger *s, uint32_t theirs)
{
	if (theirs - THEIRS < QPS)
		return s->ours[theirs - THEIRS];
	for (unsigned i = 0; i < w->scene->n_flows; i++) {
		const struct scene_flow *f = w->scene->flow[i];

		if (f->peer && f->peer->qpn == theirs)
			return f->peer->ours;
	}
	return BTH_QPN_BASE + 1 + (theirs & 7);
}

// A request of the stranger's own, on the connection that it has asked for.
static inline unsigned asks_roce(
	const struct world *w, const struct stranger *s, unsigned how, uint8_t *to)
{
	static const uint8_t opcode[] = {
		BTH_RC_SEND_ONLY, BTH_RC_WRITE_ONLY_IMM, BTH_RC_READ_REQUEST, BTH_RC_WRITE_FIRST};
	static const uint8_t payload[READ_MOST];
	struct frame f = stranger_frame(w, s);
	bool reads;
	int n;

	f.bth.opcode = opcode[how & 3];
	reads = f.bth.opcode == BTH_RC_READ_REQUEST;
	f.kind = bth_ops[f.bth.opcode].kind;
	f.bth.bits = BTH_ACKREQ;
	f.bth.qpn = s->host_qpn;
	f.bth.psn = 100 + (how >> 2 & 7);
	f.ip.tos = how & 32 ? ECN_CE : ECN_ECT0;
	f.payload_len = reads ? 0 : READ_MOST;
	f.ext.reth.dma_len = reads || (how & 3) == 3 ? 3000 : READ_MOST;
	n = frame_render(&f, payload, to, FLOOD_MAX, PKT_MIN_LEN);
	return n < 0 ? 0 : (unsigned)n;
}

// A connection, a request on it, or an announcement of the stranger's address.
static inline unsigned stranger_asks(
	const struct world *w, struct stranger *s, unsigned how, uint8_t *to)
{
	struct arp a;

	s->host_now = 1;
	if (how >= 192)
		return asks_roce(w, s, how, to);
	if (how < 128)
		return asks_req(w, s, how, to);
	arp_announce(&a, s->mac, s->ip, -1);
	return arp_to_frame(&a, to);
}

static inline void answer_read(struct frame *f, const struct frame *to, unsigned how)
{
	static const uint8_t part[] = {
		BTH_RC_READ_ONLY, BTH_RC_READ_FIRST, BTH_RC_READ_MIDDLE, BTH_RC_READ_LAST};
	unsigned k = how >> 4 & 3;

	f->kind = PKT_ROCE;
	f->bth.opcode = part[to->ext.reth.dma_len > READ_MOST && !k ? 1 : k];
	f->bth.psn = (to->bth.psn + (how & 15)) & BTH_PSN_MASK;
	f->ext.aeth.syndrome = AETH_ACK;
	f->payload_len =
		to->ext.reth.dma_len < READ_MOST ? (uint16_t)to->ext.reth.dma_len : READ_MOST;
}

// A READ gets data, all else an ACK, a NAK, a CNP or data of the stranger's own.
static inline unsigned answer_roce(const struct world *w, const struct stranger *s,
	const struct frame *to, unsigned how, uint8_t *out)
{
	static const uint8_t syndrome[] = {AETH_ACK, AETH_ACK, AETH_NAK_PSN, AETH_NAK_ACCESS,
		AETH_RNR_NAK + 4, AETH_ACK, AETH_ACK, AETH_NAK_OPERATION};
	static const uint8_t payload[PKT_MAX_LEN];
	struct frame f = stranger_frame(w, s);
	int n;

	f.bth.qpn = ours_of(w, s, to->bth.qpn);
	f.bth.psn = to->bth.psn;
	if (to->bth.opcode == BTH_RC_READ_REQUEST && how < 128) {
		answer_read(&f, to, how);
	} else if (to->bth.opcode == BTH_RC_ACK || how >= 192) {
		f.bth.opcode = how & 1 ? BTH_RC_READ_REQUEST : BTH_RC_WRITE_ONLY;
		f.kind = bth_ops[f.bth.opcode].kind;
		f.bth.bits = BTH_ACKREQ;
		f.bth.psn = (to->bth.psn + 1 + (how >> 1 & 3)) & BTH_PSN_MASK;
		f.ip.tos = how & 8 ? ECN_CE : ECN_ECT0;
		f.payload_len = how & 1 ? 0 : 256;
		f.ext.reth.dma_len = how & 1 ? 3000 : 256;
	} else if (how % 8 == 5) {
		f.kind = PKT_CNP;
		f.bth.opcode = BTH_CNP;
		f.bth.bits = BTH_BECN;
		f.bth.psn = 0;
	} else {
		f.kind = PKT_ACK;
		f.bth.opcode = BTH_RC_ACK;
		f.ext.aeth.syndrome = syndrome[how % 8];
		f.ext.aeth.msn = how >> 3 & 7;
	}
	n = frame_render(&f, payload, out, FLOOD_MAX, PKT_MIN_LEN);
	return n < 0 ? 0 : (unsigned)n;
}

// The stranger's answer to the last frame of a kind that it got. Returns its length, 0: none.
static inline unsigned stranger_answers(
	const struct world *w, struct stranger *s, unsigned kind, unsigned how, uint8_t *to)
{
	const struct heard *h = &s->heard[kind % HEARD];
	struct frame f;
	struct arp a;

	if (arp_from_frame(h->bytes, h->len, &a)) {
		arp_reply(&a, s->mac, &a);
		return arp_to_frame(&a, to);
	}
	if (!h->len || frame_parse(h->bytes, h->len, &f) || !f.bth_off)
		return 0;
	for (unsigned i = 0; i < 2; i++)
		if (!memcmp(w->scene->node[scene_node(w->scene, s->host[i])].ip, f.ip.saddr, 4))
			s->host_now = i;
	return f.bth.qpn == MAD_QPN ? answer_mad(w, s, &f, how, to)
				    : answer_roce(w, s, &f, how, to);
}

enum { MEND_MAC = 1, MEND_IP = 2, MEND_QPN = 4, MEND_PSN = 8, MEND_ICRC = 16 };

static inline void mend_ip(
	uint8_t *o, unsigned len, const struct world *w, const struct stranger *s)
{
	unsigned head = (o[0] & 15u) * 4;

	if (o[0] >> 4 != 4 || len < 28)
		return;
	if (head < 20 || head > len)
		head = 20;
	o[0] = (uint8_t)(0x40 | head / 4);
	put_be16(o + 2, (uint16_t)len);
	memcpy(o + 12, s->ip, 4);
	memcpy(o + 16, stranger_host(w, s)->ip, 4);
	if (o[9] == IP_PROTO_UDP && len >= head + 8)
		put_be16(o + head + 4, (uint16_t)(len - head));
	ip_put_checksum(o, head);
}

// Makes some things right, as `how` says: MEND_*.
static inline void stranger_mends(
	const struct world *w, struct stranger *s, unsigned how, uint8_t *o, unsigned len)
{
	struct frame f;

	s->host_now = how >> 7;
	if (how & MEND_MAC && len >= 6)
		memcpy(o, stranger_host(w, s)->mac, 6);
	frame_parse(o, len, &f);
	if (how & MEND_IP && f.l3_off && f.l3_off + 20u <= len)
		mend_ip(o + f.l3_off, len - f.l3_off, w, s);
	if (frame_parse(o, len, &f) || !f.bth_off)
		return;
	if (how & MEND_QPN)
		put_be32(o + f.bth_off + 4, BTH_QPN_BASE + 1 + (f.bth.qpn & 7));
	if (how & MEND_PSN)
		put_be32(o + f.bth_off + 8, (uint32_t)o[f.bth_off + 8] << 24 |
						    ((s->psn + (f.bth.psn & 7)) & BTH_PSN_MASK));
	if (how & MEND_ICRC && !frame_is_rocev1(&f))
		icrc_put(
			o + f.trailer_off - ICRC_LEN, icrc_compute(o + f.l3_off, ip_len(&f.ip),
							      f.trailer_off - ICRC_LEN - f.l3_off));
}
