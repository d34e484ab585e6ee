// SPDX-License-Identifier: BSD-3-Clause
// A sample of the TCP and UDP checksums of frames that came (RFC 768, 9293: one's complement sum of
// a pseudo-header and the segment).
#include "sums.h"

#include <string.h>

#include "frame/frame.h"

#define IP_PROTO_TCP 6
#define TCP_LEN      20

struct segment {
	const uint8_t *bytes, *addresses;
	uint32_t len, n_addresses;
	uint8_t proto;
};

// The sum does not depend on the order of bytes, nor on how many are added at once (RFC 1071).
static uint64_t sum_of(const uint8_t *o, uint32_t len)
{
	uint64_t sum = 0;
	uint32_t word = 0;

	for (; len >= sizeof(word); o += sizeof(word), len -= (uint32_t)sizeof(word)) {
		memcpy(&word, o, sizeof(word));
		sum += word;
	}
	word = 0;
	memcpy(&word, o, len);
	return sum + word;
}

// False where the frame has no whole segment: another protocol, a fragment, extension headers, or
// cut off.
static bool segment_of(struct segment *g, const struct pkt *p)
{
	const uint8_t *ip = (const uint8_t *)p + p->data_off + p->l3_off;
	uint32_t room = p->len - (uint32_t)p->l3_off, head, end;

	if (p->hdr->flags & HDR_IPV4) {
		head = (ip[0] & 15) * 4u;
		end = get_be16(ip + 2);
		*g = (struct segment){.proto = ip[9], .addresses = ip + 12, .n_addresses = 8};
		if (get_be16(ip + 6) & (IP4_MF | IP4_OFFSET_MASK))
			return false;
	} else {
		head = IP6_LEN;
		end = IP6_LEN + get_be16(ip + 4);
		*g = (struct segment){.proto = ip[6], .addresses = ip + 8, .n_addresses = 32};
	}
	g->bytes = ip + head;
	g->len = end - head;
	if (end > room)
		return false;
	if (g->proto == IP_PROTO_TCP)
		return end >= head + TCP_LEN;
	return g->proto == IP_PROTO_UDP && end >= head + UDP_LEN && get_be16(g->bytes + 6);
}

static bool is_right(const struct segment *g)
{
	uint8_t rest[8] = {[7] = g->proto}; // of the pseudo-header: length, zeros, protocol
	uint64_t sum;

	put_be32(rest, g->len);
	sum = sum_of(g->addresses, g->n_addresses) + sum_of(rest, sizeof(rest)) +
	      sum_of(g->bytes, g->len);

	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

// Frames to pass by after this one.
static uint32_t check_sums(struct mbuf_sums *s, const struct pkt *p)
{
	uint32_t seen = atomic_load_explicit(&s->seen, memory_order_relaxed), wrong;
	struct segment g;

	if (p->kind == PKT_BAD || !p->l3_off || !segment_of(&g, p))
		return MBUF_SUMS_NONE;
	if (!is_right(&g)) {
		wrong = atomic_load_explicit(&s->wrong, memory_order_relaxed);
		atomic_store_explicit(&s->wrong, wrong + 1, memory_order_relaxed);
	}
	atomic_store_explicit(&s->seen, ++seen, memory_order_relaxed);
	if (seen < MBUF_SUMS_FIRST)
		return 0;
	return seen < MBUF_SUMS_MOST ? MBUF_SUMS_EVERY : UINT32_MAX;
}

void mbuf_sums_look(struct mbuf_sums *s, struct pkt *const *burst, unsigned n)
{
	uint64_t i = s->skip;

	while (i < n)
		i += 1ull + check_sums(s, burst[i]);
	s->skip = (uint32_t)(i - n);
}
