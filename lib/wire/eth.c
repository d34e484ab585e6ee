// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the Ethernet header with its tags (802.1Q cl. 9; CN-TAG: cl. 33.2).
#include "wire/eth.h"

#include <string.h>

int eth_parse(const uint8_t *bytes, size_t len, struct eth *e)
{
	unsigned off = 14;

	*e = (struct eth){0};
	if (len < off)
		return -1;
	memcpy(e->dst, bytes, 6);
	memcpy(e->src, bytes + 6, 6);
	e->ethertype = get_be16(bytes + 12);
	if (eth_is_vlan(e->ethertype)) {
		off += 4;
		if (len < off)
			return -1;
		e->has_vlan = 1;
		e->is_stag = e->ethertype == ETH_P_8021AD;
		e->vlan_tci = get_be16(bytes + off - 4);
		e->ethertype = get_be16(bytes + off - 2);
	}
	if (e->has_vlan && e->ethertype == ETH_P_8021Q) {
		off += 4;
		if (len < off)
			return -1;
		e->has_inner = 1;
		e->inner_tci = get_be16(bytes + off - 4);
		e->ethertype = get_be16(bytes + off - 2);
	}
	if (e->ethertype == ETH_P_CNTAG) {
		off += 4;
		if (len < off)
			return -1;
		e->has_cntag = 1;
		e->cntag = get_be16(bytes + off - 4);
		e->ethertype = get_be16(bytes + off - 2);
	}
	return (int)off;
}

unsigned eth_render(const struct eth *e, uint8_t *bytes)
{
	unsigned off = 12;

	memcpy(bytes, e->dst, 6);
	memcpy(bytes + 6, e->src, 6);
	if (e->has_vlan) {
		put_be16(bytes + off, e->is_stag ? ETH_P_8021AD : ETH_P_8021Q);
		put_be16(bytes + off + 2, e->vlan_tci);
		off += 4;
	}
	if (e->has_vlan && e->has_inner) {
		put_be16(bytes + off, ETH_P_8021Q);
		put_be16(bytes + off + 2, e->inner_tci);
		off += 4;
	}
	if (e->has_cntag) {
		put_be16(bytes + off, ETH_P_CNTAG);
		put_be16(bytes + off + 2, e->cntag);
		off += 4;
	}
	put_be16(bytes + off, e->ethertype);
	return off + 2;
}
