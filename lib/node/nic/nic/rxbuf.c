// SPDX-License-Identifier: BSD-3-Clause
// The receive buffer of a slow receiver: a fluid that drains at a rate, and its XOFF and XON.
#include <errno.h>

#include "base/fixed.h"
#include "int.h"

int nic_rxbuf_init(struct nic_rxbuf *b, const struct nic_rxbuf_params *p)
{
	*b = (struct nic_rxbuf){0};
	if (!p->drain_rate)
		return 0;
	if (p->drain_rate < RATE_MIN || !p->size_bytes || p->size_bytes > UINT32_MAX)
		return -EINVAL;
	if (p->xoff_bytes > p->size_bytes || (p->xoff_bytes && p->xon_bytes >= p->xoff_bytes))
		return -EINVAL;
	b->ps = rate_byte_ps(p->drain_rate);
	b->size_ps = fixed_mul(p->size_bytes, b->ps, 20);
	b->xoff_ps = p->xoff_bytes ? fixed_mul(p->xoff_bytes, b->ps, 20) : TSTAMP_NEVER;
	b->xon_ps = fixed_mul(p->xon_bytes, b->ps, 20);
	return 0;
}

// With NIC_TRUST_SENDER a frame between nodes in memory still has the sender's class in the
// descriptor; bytes say it by PCP, else by the class selector of the DSCP (RFC 2474).
unsigned nic_class_of(const struct nic *nic, const struct pkt *p)
{
	const struct nic_class_maps *m = &nic->p.maps;
	bool tagged = p->hdr->flags & HDR_VLAN, ip = p->hdr->flags & HDR_IP;
	unsigned pcp = p->hdr->vlan_tci >> 13, dscp = p->tos >> 2;

	if (m->trust == NIC_TRUST_SENDER && !(p->flags & PKT_F_FOREIGN))
		return p->cls;
	if (m->trust == NIC_TRUST_SENDER)
		return tagged ? pcp : dscp >> 3;
	if (tagged && (m->trust == NIC_TRUST_PCP || !ip))
		return m->pcp_to_class[pcp];
	return ip ? m->dscp_to_class[dscp] : 0;
}

static void xoff(struct nic *nic, const struct pkt *p, tstamp now)
{
	uint8_t bit = (uint8_t)(1u << nic_class_of(nic, p));

	if (!(nic->p.pfc_classes & bit) || nic->rxbuf.xoff & bit)
		return;
	nic->rxbuf.xoff |= bit;
	pause_tx_xoff(&nic->pt, nic_class_of(nic, p), now);
	nic->slow_at = tstamp_min(nic->slow_at, nic->rxbuf.empty_at - nic->rxbuf.xon_ps);
}

// Puts a frame into the model of the receive buffer; false: it overflows. The model is a fluid, and
// concerns the buffer only: it does not delay the effects of the frame (ACK, CNP, completion).
bool nic_rxbuf_put(struct nic *nic, const struct pkt *p, tstamp now)
{
	struct nic_rxbuf *b = &nic->rxbuf;
	tstamp fill = tstamp_since(b->empty_at, now);

	fill += rate_time(b->ps, p->len + nic->ecfg.framing.queue_extra);
	if (fill > b->size_ps)
		return false;
	b->empty_at = now + fill;
	b->max_ps = tstamp_max(b->max_ps, fill);
	if (fill >= b->xoff_ps)
		xoff(nic, p, now);
	return true;
}

// Sends XON once the fill is at or below its threshold: closed form empty_at - xon_ps. Frames that
// came after this instant was computed have moved it.
void nic_rxbuf_drained(struct nic *nic, tstamp now)
{
	struct nic_rxbuf *b = &nic->rxbuf;

	if (!b->xoff)
		return;
	if (tstamp_since(b->empty_at, now) > b->xon_ps) {
		nic->slow_at = tstamp_min(nic->slow_at, b->empty_at - b->xon_ps);
		return;
	}
	for (unsigned left = b->xoff & ~nic->storm; left; left &= left - 1)
		pause_tx_xon(&nic->pt, (unsigned)__builtin_ctz(left), now);
	b->xoff = 0;
}

uint64_t nic_rxbuf_bytes(const struct nic *nic, tstamp now)
{
	return nic_rxbuf_drains(&nic->rxbuf, tstamp_since(nic->rxbuf.empty_at, now));
}

uint64_t nic_rxbuf_max(const struct nic *nic)
{
	return nic_rxbuf_drains(&nic->rxbuf, nic->rxbuf.max_ps);
}
