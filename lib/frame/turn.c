// SPDX-License-Identifier: BSD-3-Clause
// Sending a frame back: swaps addresses and ports in a header and in bytes, and refuses frames
// whose answer would do harm.
#include "frame/turn.h"

#include <assert.h>
#include <string.h>

#include "wire/eth.h"
#include "wire/ip.h"

static void exchange(uint8_t *a, uint8_t *b, unsigned n)
{
	uint8_t kept[16];

	memcpy(kept, a, n);
	memcpy(a, b, n);
	memcpy(b, kept, n);
}

void turn_hdr(struct hdr *h)
{
	uint16_t sport = h->sport;

	exchange(h->dst, h->src, sizeof(h->src));
	exchange(h->saddr, h->daddr, sizeof(h->daddr));
	h->sport = h->dport;
	h->dport = sport;
}

void turn_frame(struct pkt *p)
{
	uint8_t *o = pkt_bytes(p), *ip = o + p->l3_off;

	assert(p->flags & PKT_F_FOREIGN && p->hdr == pkt_own_hdr(p));
	turn_hdr(pkt_own_hdr(p));
	exchange(o, o + 6, 6);
	if (!(p->hdr->flags & HDR_IP))
		return;
	if (p->hdr->flags & HDR_IPV4) {
		exchange(ip + 12, ip + 16, 4);
		ip += (ip[0] & 15) * 4u;
	} else {
		exchange(ip + 8, ip + 24, 16);
		ip += IP6_LEN;
	}
	exchange(ip, ip + 2, 2);
}

// Returns whether an IPv4 address names no host: 0.0.0.0/8, multicast, reserved addresses, and
// broadcast.
static bool names_host4(const uint8_t *addr)
{
	return addr[0] && addr[0] < 224;
}

static bool names_host6(const uint8_t *addr)
{
	static const uint8_t nobody[16];

	return addr[0] != 0xff && memcmp(addr, nobody, sizeof(nobody)) != 0;
}

static bool is_fragment(const struct pkt *p)
{
	const uint8_t *ip = (const uint8_t *)p + p->data_off + p->l3_off;

	return (ip[6] << 8 | ip[7]) & (IP4_MF | IP4_OFFSET_MASK);
}

bool turn_may(const struct pkt *p)
{
	static const uint8_t nobody[6];
	const struct hdr *h = p->hdr;

	if (h->src[0] & 1 || !memcmp(h->src, nobody, 6) || !memcmp(h->src, h->dst, 6))
		return false;
	if (h->flags & HDR_IPV4)
		return names_host4(h->saddr) && memcmp(h->saddr, h->daddr, 4) != 0 &&
		       !is_fragment(p);
	if (h->flags & HDR_IPV6)
		return names_host6(h->saddr) && memcmp(h->saddr, h->daddr, 16) != 0;
	return true;
}
