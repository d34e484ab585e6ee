// SPDX-License-Identifier: BSD-3-Clause
// The properties that queue pairs share: their parameters, except those that each has for itself.
// Each set is kept once.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// The set that a queue pair has. Bytes between fields may make two of one, which is only wasteful.
static void of_params(struct nic_kind *k, const struct nic *nic, const struct nic_qp_params *p)
{
	memset(k, 0, sizeof(*k));
	memcpy(&k->p, p, sizeof(k->p));
	if (p->requester) {
		k->frame = nic_frame_of(p);
		k->p.overhead = k->frame.overhead;
		k->makes_up = tstamp_min(p->catch_up_ps, PACER_AUTO_LEAST);
		k->ring_size = (uint8_t)nic_ring_size(p->outstanding);
	} else {
		k->p.ack_len = nic_ack_len(p);
		k->nack_len = (uint16_t)(k->p.ack_len + p->nack_more);
		k->cnp_len = nic_cnp_len(p);
		k->cnp_tos = nic->p.cnp_tos;
		if (p->has_cnp_ecn)
			k->cnp_tos = (uint8_t)((k->cnp_tos & ~3u) | p->cnp_ecn);
		k->payload = p->data_hdr ? p->data_hdr->payload : 0;
		k->echo_ce = p->echo_ce || nic->p.cnflag;
		k->ring_size =
			p->rc->p.verb == RC_READ ? (uint8_t)nic_ring_size(p->outstanding) : 0;
	}
	if (!p->requester && p->rc->p.verb != RC_READ) { // its peer alone posts messages
		k->p.message_bytes = 0;
		k->p.outstanding = 0;
		k->p.count = 0;
		k->p.start = k->p.stop = 0;
	}
	k->nak_len = nic_nak_len(p);
	k->p.flow = k->p.qpn = k->p.number = k->p.peer_qpn = k->p.phase = 0;
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
