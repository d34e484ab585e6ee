// SPDX-License-Identifier: BSD-3-Clause
// The answers of a NIC besides RoCE: to ARP, neighbour solicitations and echo requests for its
// address. It learns its neighbours from them. None of it is on the path of data.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame/icmp.h"
#include "int.h"
#include "wire/arp.h"

struct nic_neigh {
	struct neigh_cfg cfg;
	struct neigh n;
	struct nic_neigh_notes notes;
	uint32_t waiting; // answers in the class queue
	tstamp paid;      // until here answers have used their share of the port's time
};

int nic_neigh_init(struct nic *nic)
{
	struct nic_neigh *g;
	struct neigh_params p;
	int rc;

	if (!nic->p.answers)
		return 0;
	g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	nic->neigh = g;
	neigh_defaults(&p);
	p.entries = NIC_NEIGHBOURS + 4 * nic->p.peer_hosts;
	memcpy(p.mac, nic->p.mac, sizeof(p.mac));
	rc = neigh_cfg_init(&g->cfg, &p);
	return rc ? rc : neigh_init(&g->n, &g->cfg, nic->p.seed);
}

void nic_neigh_fini(struct nic *nic)
{
	if (nic->neigh)
		neigh_fini(&nic->neigh->n);
	free(nic->neigh);
}

void nic_neigh_unqueued(struct nic *nic)
{
	nic->neigh->waiting--;
}

static void consumed(struct nic *nic, struct pkt *p)
{
	nic->s.consumed_frames++;
	pkt_put(nic->stack, p);
}

static bool is_own(const struct nic *nic, const uint8_t *ip)
{
	return !memcmp(ip, nic->p.ip, nic->p.ipv6 ? 16 : 4);
}

void nic_next_hop(const struct nic *nic, const struct hdr *h, struct neigh_ip *ip)
{
	const struct nic_gateway *g = &nic->p.gateway;
	const uint8_t *to = h->daddr;

	*ip = (struct neigh_ip){.v6 = h->flags & HDR_IPV6};
	if (g->prefix && !neigh_same_network(to, nic->p.ip, g->prefix))
		to = g->ip;
	memcpy(ip->bytes, to, ip->v6 ? 16 : 4);
}

void nic_readdress(struct hdr *h, const uint8_t mac[6])
{
	typedef uint64_t __attribute__((may_alias)) word_t;
	uint64_t word;

	memcpy(&word, h->dst, sizeof(word));
	memcpy(&word, mac, 6);
	__atomic_store_n((word_t *)h->dst, word, __ATOMIC_RELAXED);
}

const struct nic_neigh_notes *nic_neigh_told(const struct nic *nic)
{
	return &nic->neigh->notes;
}

static void note(struct nic_neigh_note *n, const struct neigh_ip *ip, const uint8_t was[6],
	const uint8_t other[6], tstamp now)
{
	memcpy(n->ip, ip->bytes, sizeof(n->ip));
	memcpy(n->was, was, sizeof(n->was));
	memcpy(n->other, other, sizeof(n->other));
	n->at = now;
}

// A neighbour has another hardware address: frames go there from now on. The message may be no
// proof, so the address is asked for once more, at the new place (RFC 4861 cl. 7.3.3).
static void moved(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now)
{
	bool wanted = nic_peer_moved(nic, ip, mac);
	uint8_t same[6];

	nic->s.neigh_moved++;
	wanted |= nic_target_heard(nic, ip, mac, now);
	if (wanted)
		nic_neigh_find(nic, ip, same, now);
	nic->slow_at = tstamp_min(nic->slow_at, nic_neigh_due(nic));
}

static void heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now)
{
	nic_peer_heard(nic, ip, mac, now);
	nic_target_heard(nic, ip, mac, now);
}

// Learns from the sender of a message. `what`: see neigh_learn().
static void learn(
	struct nic *nic, const uint8_t *ip, const uint8_t mac[6], unsigned what, tstamp now)
{
	struct nic_neigh *g = nic->neigh;
	struct neigh_ip from = {.v6 = nic->p.ipv6};
	uint8_t was[6] = {0};

	memcpy(from.bytes, ip, from.v6 ? 16 : 4);
	if (is_own(nic, ip)) {
		if (!memcmp(mac, nic->p.mac, sizeof(nic->p.mac)))
			return;
		nic->s.address_conflicts++;
		note(&g->notes.conflict, &from, nic->p.mac, mac, now);
		return;
	}
	neigh_look(&g->n, &from, was, now);
	switch (neigh_learn(&g->n, &from, mac, what, now)) {
	case NEIGH_MOVED:
		note(&g->notes.moved, &from, was, mac, now);
		moved(nic, &from, mac, now);
		break;
	case NEIGH_KEPT:
		note(&g->notes.disputed, &from, was, mac, now);
		nic->s.neigh_disputed++;
		break;
	case NEIGH_LEARNED:
	case NEIGH_SAME:
		heard(nic, &from, mac, now);
		break;
	default:
		break;
	}
}

static void unanswered(struct nic *nic, const uint8_t *ip)
{
	struct nic_asker *a = nic->neigh->notes.asker, *least = a;
	uint8_t whole[16] = {0};

	memcpy(whole, ip, nic->p.ipv6 ? 16 : 4);
	for (unsigned i = 0; i < NIC_ASKERS; i++) {
		if (a[i].times && !memcmp(a[i].ip, whole, sizeof(whole))) {
			a[i].times++;
			return;
		}
		if (a[i].times < least->times)
			least = &a[i];
	}
	memcpy(least->ip, whole, sizeof(whole));
	least->times++;
}

// Whether the answers' share of the wire has time for an answer as long as its request, or the
// answer is among the first NIC_ANSWERS of a burst.
static bool pays(struct nic *nic, const struct pkt *p, tstamp now)
{
	tstamp each = eport_wire_time(&nic->ecfg, p->len) * NIC_ANSWERS_SHARE;
	struct nic_neigh *g = nic->neigh;

	if (g->paid > now + (NIC_ANSWERS - 1) * each)
		return false;
	g->paid = tstamp_max(g->paid, now) + each;
	return true;
}

bool nic_neigh_may_answer(struct nic *nic, struct pkt *p, const uint8_t *ip, tstamp now)
{
	if (nic->neigh->waiting < NIC_ANSWERS && nic->p.mtu >= ICMP_HEAD_MAX && pays(nic, p, now))
		return true;
	unanswered(nic, ip);
	nic_drop(nic, NIC_DROP_NO_ANSWER, p, now);
	return false;
}

// Sends an answer in the packet of the question, with `len` bytes. So no second packet is needed:
// one frame is consumed and one is made.
static void send_answer(struct nic *nic, struct pkt *p, unsigned len, tstamp now)
{
	p->len = (uint16_t)len;
	frame_to_pkt(p, (uint16_t)nic->p.mtu);
	p->cls = nic->p.cnp_class;
	p->born = now;
	nic->s.consumed_frames++;
	nic->neigh->waiting++;
	nic_queue(nic, nic->p.cnp_class, p, now);
}

void nic_neigh_send(struct nic *nic, struct pkt *p, tstamp now)
{
	p->cls = nic->p.cnp_class;
	p->when = p->born = now;
	p->in_port = 0;
	nic->neigh->waiting += nic->up; // else it is dropped at once
	nic_queue(nic, nic->p.cnp_class, p, now);
	node_touch(&nic->touched, 0);
}

// Sends a request to all hosts, or to the last known address `to`.
static void ask(struct nic *nic, const struct neigh_ip *ip, const uint8_t *to, tstamp now)
{
	bool has_room = nic->stack->data_off && nic->p.mtu >= ICMP_HEAD_MAX;
	struct pkt *p = has_room ? pkt_get_ctl(nic->stack) : NULL;

	if (!p) {
		nic_no_desc(nic, now);
		return;
	}
	*p = (struct pkt){.data_off = nic->stack->data_off};
	if (ip->v6) {
		struct icmp m;

		icmp_solicit(&m, nic->p.mac, nic->p.ip, ip->bytes, to, -1);
		p->len = (uint16_t)icmp_to_frame(&m, NULL, pkt_bytes(p));
		nic->s.nd_solicit++;
	} else {
		struct arp a;

		arp_ask(&a, nic->p.mac, nic->p.ip, ip->bytes, to, -1);
		p->len = (uint16_t)arp_to_frame(&a, pkt_bytes(p));
		nic->s.arp_request++;
	}
	frame_to_pkt(p, (uint16_t)nic->p.mtu);
	nic_neigh_send(nic, p, now);
}

static void silent(struct nic *nic, const struct neigh_ip *ip, tstamp now)
{
	nic_peer_silent(nic, ip, now);
	nic_target_silent(nic, ip);
}

bool nic_neigh_find(struct nic *nic, const struct neigh_ip *ip, uint8_t mac[6], tstamp now)
{
	switch (neigh_resolve(&nic->neigh->n, ip, mac, now)) {
	case NEIGH_CONFIRM:
		ask(nic, ip, mac, now);
		return true;
	case NEIGH_KNOWN:
		return true;
	case NEIGH_ASK:
		ask(nic, ip, NULL, now);
		return false;
	case NEIGH_SILENT:
	case NEIGH_NO_ROOM:
		silent(nic, ip, now);
		return false;
	default:
		return false;
	}
}

void nic_neigh_timer(struct nic *nic, tstamp now)
{
	struct neigh_ip ip;
	uint8_t mac[6];
	enum neigh_next next;

	while ((next = neigh_expire(&nic->neigh->n, &ip, mac, now)) != NEIGH_NOTHING) {
		if (next == NEIGH_SILENT)
			silent(nic, &ip, now);
		else
			ask(nic, &ip, next == NEIGH_CONFIRM ? mac : NULL, now);
	}
}

tstamp nic_neigh_due(const struct nic *nic)
{
	return nic->neigh ? neigh_deadline(&nic->neigh->n) : TSTAMP_NEVER;
}

static void rx_arp(struct nic *nic, struct pkt *p, tstamp now)
{
	struct arp a;
	bool for_us;

	if (!arp_from_frame(pkt_bytes(p), p->len, &a)) {
		nic_drop(nic, NIC_DROP_BAD_REQUEST, p, now);
		return;
	}
	nic->s.arp_rx++;
	for_us = is_own(nic, a.tpa) && !arp_announces(&a);
	learn(nic, a.spa, a.sha,
		arp_announces(&a)     ? NEIGH_TELLS
		: !for_us             ? 0
		: a.op == ARP_REQUEST ? NEIGH_FOR_US
		: a.op == ARP_REPLY   ? NEIGH_PROVES
				      : 0,
		now);
	if (!for_us || a.op != ARP_REQUEST) {
		consumed(nic, p);
		return;
	}
	if (!nic_neigh_may_answer(nic, p, a.spa, now))
		return;
	nic->s.arp_reply++;
	arp_reply(&a, nic->p.mac, &a);
	send_answer(nic, p, arp_to_frame(&a, pkt_bytes(p)), now);
}

static void rx_solicit(struct nic *nic, struct pkt *p, struct icmp *m, tstamp now)
{
	nic->s.nd_rx++;
	if (!is_own(nic, m->target)) {
		consumed(nic, p);
		return;
	}
	if (m->has_mac)
		learn(nic, m->ip.saddr, m->mac, NEIGH_FOR_US, now);
	if (!nic_neigh_may_answer(nic, p, m->ip.saddr, now))
		return;
	nic->s.nd_reply++;
	icmp_advertise(m, nic->p.mac, m);
	send_answer(nic, p, icmp_to_frame(m, NULL, pkt_bytes(p)), now);
}

// An advertisement without link-layer address option can only confirm the known address.
static void rx_advert(struct nic *nic, struct pkt *p, const struct icmp *m, tstamp now)
{
	unsigned what = (m->flags & ND_SOLICITED ? NEIGH_PROVES : 0) |
			(m->flags & ND_OVERRIDE && m->has_mac ? 0 : NEIGH_WEAK);

	nic->s.nd_rx++;
	learn(nic, m->target, m->has_mac ? m->mac : m->eth.src, what, now);
	consumed(nic, p);
}

static void rx_ping(struct nic *nic, struct pkt *p, struct icmp *m, tstamp now)
{
	uint8_t *bytes = pkt_bytes(p);

	if (!is_own(nic, m->ip.daddr)) {
		nic_drop(nic, NIC_DROP_NOT_FOR_US, p, now);
		return;
	}
	nic->s.ping_rx++;
	if (!nic_neigh_may_answer(nic, p, m->ip.saddr, now))
		return;
	nic->s.ping_reply++;
	icmp_echo_reply(m, nic->p.mac, m);
	send_answer(nic, p, icmp_to_frame(m, bytes + m->data_off, bytes), now);
}

// False: it is not ours to read.
static bool rx_icmp(struct nic *nic, struct pkt *p, tstamp now)
{
	struct icmp m;
	enum icmp_verdict v = icmp_from_frame(pkt_bytes(p), p->len, &m);

	if (v == ICMP_UNKNOWN)
		return false;
	if (v) {
		nic_drop(nic, NIC_DROP_BAD_REQUEST, p, now);
		return true;
	}
	if (m.kind == ICMP_ND_SOLICIT)
		rx_solicit(nic, p, &m, now);
	else if (m.kind == ICMP_ND_ADVERT)
		rx_advert(nic, p, &m, now);
	else if (m.kind == ICMP_ECHO_REQUEST && !(m.eth.dst[0] & 1))
		rx_ping(nic, p, &m, now);
	else
		return false;
	return true;
}

bool nic_neigh_rx(struct nic *nic, struct pkt *p, tstamp now)
{
	const struct hdr *h = p->hdr;

	if (!nic->neigh || p->kind != PKT_OTHER || !(p->flags & PKT_F_FOREIGN))
		return false;
	if (nic->p.ipv6)
		return h->flags & HDR_IPV6 && h->proto == IP_PROTO_ICMPV6 && rx_icmp(nic, p, now);
	if (h->flags & HDR_IPV4)
		return h->proto == IP_PROTO_ICMP && rx_icmp(nic, p, now);
	if (h->ethertype != ETH_P_ARP)
		return false;
	rx_arp(nic, p, now);
	return true;
}
