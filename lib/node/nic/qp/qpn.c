// SPDX-License-Identifier: BSD-3-Clause
// QPNs that do not follow from the numbers of queue pairs, because the scenario gives them.
#include "int.h"

int nic_qpn_add(struct nic *nic, uint32_t qpn, unsigned i)
{
	return index_add(&nic->qpn_of, index_hash(0, &qpn, sizeof(qpn)), i);
}

static bool has_qpn(const struct nic_qp *qp, uint32_t qpn)
{
	return qp && (qp->requester ? qp->req.qpn : qp->rsp.qpn) == qpn;
}

struct nic_qp *nic_qpn_find(const struct nic *nic, uint32_t qpn)
{
	uint32_t hash = index_hash(0, &qpn, sizeof(qpn)), at = hash, i;
	struct nic_qp *qp;

	while ((i = index_next(&nic->qpn_of, hash, &at)) != INDEX_NONE)
		if (i < nic->n_qps && has_qpn(nic->qp[i], qpn))
			return nic->qp[i];
	qp = nic_by_number(nic, qpn - nic->p.qpn_base);
	return has_qpn(qp, qpn) ? qp : NULL;
}
