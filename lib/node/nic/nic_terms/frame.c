// SPDX-License-Identifier: BSD-3-Clause
// Lengths of the frames of a queue pair, as its parameters say them.
#include "nic_terms.h"
#include "wire/pkt.h"

// Bytes of Ethernet, IP, UDP, BTH and ICRC in each frame (standards.md 3.1).
static unsigned headers(const struct hdr *h)
{
	return (h->flags & HDR_IPV6 ? 78 : 58) + (h->flags & HDR_VLAN ? 4 : 0);
}

struct nic_frame nic_frame_of(const struct nic_qp_params *p)
{
	bool aeths = p->rc->p.verb == RC_READ, named = p->rc->repairs && p->rc->reth;
	struct nic_frame f = {
		.overhead = p->overhead,
		.reth = p->rc->reth && !p->bare && !named ? 16 : 0,
		.own = aeths || (p->rc->has_imm && !p->bare) ? 4 : 0,
		.least = p->bare ? 0 : PKT_MIN_LEN,
		.form = (uint8_t)((aeths ? NIC_FRAME_AETHS : 0) |
				  (aeths || p->rc->repairs ? NIC_FRAME_ASIDE : 0)),
		.pad_mask = p->bare ? 0 : 3,
	};

	if (!f.overhead && p->data_hdr)
		f.overhead =
			(uint16_t)(headers(p->data_hdr) + (p->data_hdr->flags & HDR_CNTAG ? 4 : 0));
	if (named) // each packet has a RETH
		f.overhead += 16;
	return f;
}

// An AETH behind the headers, of a READ request a RETH (standards.md 3.1).
uint16_t nic_ack_len(const struct nic_qp_params *p)
{
	if (p->ack_len || !p->ack_hdr)
		return p->ack_len;
	return (uint16_t)(headers(p->ack_hdr) + (p->rc->p.verb == RC_READ ? 16 : 4));
}

// A requester's NAK has the header of its data. An AETH follows (standards.md 3.1).
uint16_t nic_nak_len(const struct nic_qp_params *p)
{
	const struct hdr *h = p->requester ? p->data_hdr : p->ack_hdr;

	return h ? (uint16_t)(headers(h) + (h->flags & HDR_CNTAG ? 4 : 0) + 4) : 0;
}

// 16 bytes behind the headers (standards.md 3.2).
uint16_t nic_cnp_len(const struct nic_qp_params *p)
{
	return p->cnp_hdr ? (uint16_t)(headers(p->cnp_hdr) + 16) : 0;
}
