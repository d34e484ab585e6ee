// SPDX-License-Identifier: BSD-3-Clause
// What queue pairs have in common: their parameters but for what each has for itself, each set kept
// once.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qp.h"

// Bytes of a data frame besides payload and RETH (standards.md 3.1): Ethernet 14, IP 20 or 40, UDP
// 8, BTH 12, ICRC 4.
static uint16_t overhead(const struct nic_qp_params *p)
{
	if (p->overhead || !p->data_hdr)
		return p->overhead;
	return (uint16_t)((p->data_hdr->flags & HDR_IPV6 ? 78 : 58) +
			  (p->data_hdr->flags & HDR_VLAN ? 4 : 0) +
			  (p->data_hdr->flags & HDR_CNTAG ? 4 : 0));
}

// Frames of fixed size by IP version and VLAN (standards.md 3.1, 3.2): over IPv4 ACK 62, CNP and
// READ request 74.
static uint16_t fixed_len(const struct hdr *h, uint16_t ipv4_len)
{
	if (!h)
		return 0;
	return (uint16_t)(ipv4_len + (h->flags & HDR_IPV6 ? 20 : 0) +
			  (h->flags & HDR_VLAN ? 4 : 0));
}

// The set that a queue pair has. Bytes between fields may make two of one, which is only wasteful.
static void of_params(struct nic_kind *k, const struct nic *nic, const struct nic_qp_params *p)
{
	bool reads = p->rc->p.verb == RC_READ;

	memset(k, 0, sizeof(*k));
	memcpy(&k->p, p, sizeof(k->p));
	if (p->requester) {
		k->p.overhead = overhead(p);
		k->reth = p->rc->reth && !p->no_reth ? 16 : 0;
		k->reads = reads;
		k->own = reads || (p->rc->has_imm && !p->no_reth) ? 4 : 0;
		if (reads) // NAKs, with the data's header
			k->p.ack_len = (uint16_t)(fixed_len(p->data_hdr, 62) +
						  (p->data_hdr->flags & HDR_CNTAG ? 4 : 0));
		k->makes_up = tstamp_min(p->catch_up_ps, PACER_AUTO_LEAST);
		k->ring_size = (uint8_t)nic_ring_size(p->outstanding);
	} else {
		k->p.ack_len = p->ack_len ? p->ack_len : fixed_len(p->ack_hdr, reads ? 74 : 62);
		k->cnp_len = fixed_len(p->cnp_hdr, 74);
		k->payload = p->data_hdr ? p->data_hdr->payload : 0;
		k->echo_ce = p->echo_ce || nic->p.cnflag;
	}
	k->p.flow = k->p.qpn = k->p.peer_qpn = k->p.phase = 0;
	k->p.data_hdr = k->p.ack_hdr = k->p.cnp_hdr = NULL;
	k->p.psn = 0;
	k->p.peer = NULL;
}

int nic_kind_get(struct nic *nic, const struct nic_qp_params *p, uint32_t *kind)
{
	struct nic_kind k, *more;
	uint32_t hash, at, i;

	of_params(&k, nic, p);
	i = nic->last_kind[p->requester];
	if (i < nic->n_kinds && !memcmp(nic->kind[i], &k, sizeof(k))) {
		*kind = i; // as a rule
		return 0;
	}
	hash = at = index_hash(0, &k, sizeof(k));
	while ((i = index_next(&nic->kind_of, hash, &at)) != INDEX_NONE)
		if (!memcmp(nic->kind[i], &k, sizeof(k)))
			break;
	if (i == INDEX_NONE) {
		more = nic_room(&nic->kind, nic->n_kinds) ? calloc(1, sizeof(*more)) : NULL;
		if (!more || index_add(&nic->kind_of, hash, nic->n_kinds)) {
			free(more);
			return -ENOMEM;
		}
		memcpy(more, &k, sizeof(k));
		i = nic->n_kinds++;
		nic->kind[i] = more;
	}
	*kind = nic->last_kind[p->requester] = i;
	return 0;
}
