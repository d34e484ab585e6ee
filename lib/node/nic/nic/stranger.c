// SPDX-License-Identifier: BSD-3-Clause
// RoCE frames that do not come from the peer of their queue pair: anybody who knows the MAC address
// and a QPN can send one.
#include <string.h>

#include "base/index.h"
#include "int.h"
#include "wire/bth.h"

#define PKEY_PARTITION 0x7fff // the top bit says only whether the sender is a full member
#define EVENT_PERIOD   PS_PER_S

static const uint8_t v4_mapped[12] = {[10] = 0xff, [11] = 0xff}; // RFC 4291 2.5.5.2

// An IPv4 address and the same address mapped into IPv6 are one address: both become the latter.
static void canonical(uint8_t to[16], const uint8_t *ip, unsigned flags)
{
	if (flags & HDR_IPV6) {
		memcpy(to, ip, 16);
		return;
	}
	memcpy(to, v4_mapped, sizeof(v4_mapped));
	memcpy(to + sizeof(v4_mapped), ip, 4);
}

static bool same_ip(
	const struct hdr *a, const uint8_t *ip_a, const struct hdr *b, const uint8_t *ip_b)
{
	uint8_t first[16], second[16];

	if ((a->flags & b->flags) & HDR_IPV4)
		return !memcmp(ip_a, ip_b, 4);
	canonical(first, ip_a, a->flags);
	canonical(second, ip_b, b->flags);
	return !memcmp(first, second, sizeof(first));
}

static bool is_of_peer(const struct nic_qp *qp, const struct pkt *p)
{
	// The header of frames that the queue pair sends: from us, to its peer.
	const struct hdr *ours = qp->requester ? qp->req.data_hdr : qp->rsp.ack_hdr;

	return same_ip(p->hdr, p->hdr->saddr, ours, ours->daddr) &&
	       same_ip(p->hdr, p->hdr->daddr, ours, ours->saddr) &&
	       (frame_pkt_pkey(p) & PKEY_PARTITION) == (BTH_PKEY & PKEY_PARTITION);
}

// Returns whether a drop is reported as an event: the first one of a sender in a second. If two
// senders share a place of the table, only one is reported. So a flood from ever new addresses
// cannot fill the record.
static bool is_told(struct nic *nic, const struct hdr *from, tstamp now)
{
	uint32_t at = index_hash(0, from->saddr, sizeof(from->saddr)) % NIC_STRANGERS;
	tstamp *last = &nic->stranger_told[at];

	if (*last != TSTAMP_NEVER && tstamp_since(now, *last) < EVENT_PERIOD)
		return false;
	*last = now;
	return true;
}

bool nic_is_stranger(struct nic *nic, const struct nic_qp *qp, struct pkt *p, tstamp now)
{
	if (is_of_peer(qp, p))
		return false;
	nic->s.rx_wrong_peer++;
	if (!nic->p.peer_check)
		return false;
	if (is_told(nic, p->hdr, now)) {
		nic_drop(nic, NIC_DROP_WRONG_PEER, p, now);
	} else {
		nic->s.drop[NIC_DROP_WRONG_PEER]++;
		pkt_put(nic->stack, p);
	}
	return true;
}
