// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the Ethernet header with its tags (802.1Q cl. 9; CN-TAG: cl. 33.2).
#include "wire/eth.h"

#include <string.h>

// Reads the tag at *off and moves *off behind it. e->ethertype is the tag's EtherType before, and
// the next one afterwards. False: the frame ends within the tag.
static bool take_tag(struct eth *e, const uint8_t *bytes, size_t len, unsigned *off, uint16_t *tci)
{
	*off += 4;
	if (len < *off)
		return false;
	*tci = get_be16(bytes + *off - 4);
	e->ethertype = get_be16(bytes + *off - 2);
	return true;
}

static unsigned put_tag(uint8_t *bytes, unsigned off, uint16_t ethertype, uint16_t tci)
{
	put_be16(bytes + off, ethertype);
	put_be16(bytes + off + 2, tci);
	return off + 4;
}

int eth_parse(const uint8_t *bytes, size_t len, struct eth *e)
{
	unsigned off = 14;
	bool stag;

	*e = (struct eth){0};
	if (len < off)
		return -1;
	memcpy(e->dst, bytes, 6);
	memcpy(e->src, bytes + 6, 6);
	e->ethertype = get_be16(bytes + 12);
	if (eth_is_vlan(e->ethertype)) {
		stag = e->ethertype == ETH_P_8021AD;
		if (!take_tag(e, bytes, len, &off, &e->vlan_tci))
			return -1;
		e->has_vlan = 1;
		e->is_stag = stag;
	}
	if (e->has_vlan && e->ethertype == ETH_P_8021Q) {
		if (!take_tag(e, bytes, len, &off, &e->inner_tci))
			return -1;
		e->has_inner = 1;
	}
	if (e->ethertype == ETH_P_CNTAG) {
		if (!take_tag(e, bytes, len, &off, &e->cntag))
			return -1;
		e->has_cntag = 1;
	}
	return (int)off;
}

unsigned eth_render(const struct eth *e, uint8_t *bytes)
{
	unsigned off = 12;

	memcpy(bytes, e->dst, 6);
	memcpy(bytes + 6, e->src, 6);
	if (e->has_vlan)
		off = put_tag(bytes, off, e->is_stag ? ETH_P_8021AD : ETH_P_8021Q, e->vlan_tci);
	if (e->has_vlan && e->has_inner)
		off = put_tag(bytes, off, ETH_P_8021Q, e->inner_tci);
	if (e->has_cntag)
		off = put_tag(bytes, off, ETH_P_CNTAG, e->cntag);
	put_be16(bytes + off, e->ethertype);
	return off + 2;
}
