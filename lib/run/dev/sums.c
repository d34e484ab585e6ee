// SPDX-License-Identifier: BSD-3-Clause
// A sample of the TCP and UDP checksums of frames that came (RFC 768, 9293: one's complement sum of
// a pseudo-header and the segment).
#include "sums.h"

#include "wire/frame.h"

#define IP_PROTO_TCP 6
#define TCP_LEN      20

struct segment {
	const uint8_t *bytes, *addresses;
	uint32_t len, n_addresses;
	uint8_t proto;
};

static uint64_t sum_of(const uint8_t *o, uint32_t len)
{
	uint64_t sum = len & 1 ? (uint32_t)o[len - 1] << 8 : 0;

	for (uint32_t i = 0; i + 1 < len; i += 2)
		sum += get_be16(o + i);
	return sum;
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
	uint64_t sum =
		sum_of(g->addresses, g->n_addresses) + g->proto + g->len + sum_of(g->bytes, g->len);

	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

void dev_sums_look(struct dev_sums *s, const struct pkt *p)
{
	uint32_t seen = atomic_load_explicit(&s->seen, memory_order_relaxed), wrong;
	struct segment g;

	if (p->kind == PKT_BAD || !p->l3_off || !segment_of(&g, p))
		return; // the next one then
	if (!is_right(&g)) {
		wrong = atomic_load_explicit(&s->wrong, memory_order_relaxed);
		atomic_store_explicit(&s->wrong, wrong + 1, memory_order_relaxed);
	}
	atomic_store_explicit(&s->seen, ++seen, memory_order_relaxed);
	if (seen >= DEV_SUMS_FIRST)
		s->skip = seen < DEV_SUMS_MOST ? DEV_SUMS_EVERY : UINT32_MAX;
}
