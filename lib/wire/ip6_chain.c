// SPDX-License-Identifier: BSD-3-Clause
// One step for each extension header of IPv6, which checks the length before it reads.
#include "wire/ip6_chain.h"

#include <stddef.h>

#include "wire/eth.h"

const char *ip6_chain_name(uint8_t next)
{
	switch (next) {
	case IP6_HOP_BY_HOP:
		return "hop-by-hop";
	case IP6_ROUTING:
		return "routing";
	case IP6_FRAGMENT:
		return "fragment";
	case IP6_ESP:
		return "ESP";
	case IP6_AH:
		return "AH";
	case IP6_DEST_OPTIONS:
		return "destination options";
	case IP6_MOBILITY:
		return "mobility";
	case IP6_HIP:
		return "HIP";
	case IP6_SHIM6:
		return "shim6";
	default:
		return NULL;
	}
}

// Bytes of a header of this kind that begins with these bytes. The length of AH counts words of
// four bytes (RFC 4302 cl. 2.2), that of the others words of eight.
static unsigned header_len(uint8_t kind, const uint8_t *bytes)
{
	if (kind == IP6_FRAGMENT || kind == IP6_ESP)
		return 8;
	return kind == IP6_AH ? (bytes[1] + 2u) * 4 : (bytes[1] + 1u) * 8;
}

void ip6_chain_walk(struct ip6_chain *x, uint8_t next, const uint8_t *bytes, unsigned len)
{
	unsigned off = 0;

	*x = (struct ip6_chain){.proto = next};
	while (ip6_chain_name(x->proto)) {
		uint8_t kind = x->proto;

		if (x->n < IP6_CHAIN_MOST)
			x->kind[x->n++] = kind;
		else
			x->cut = true;
		x->cut |= len - off < 8 || header_len(kind, bytes + off) > len - off;
		if (x->cut)
			break;
		if (kind == IP6_ESP)
			break;
		x->proto = bytes[off];
		if (kind == IP6_FRAGMENT) {
			x->fragmented = true;
			x->frag_off = get_be16(bytes + off + 2) & 0xfff8;
		}
		off += header_len(kind, bytes + off);
		if (x->frag_off)
			break;
	}
	x->off = (uint16_t)off;
}
