// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes are read as ARP and ICMP without fault; what is good is answered by a
// frame that is good and says the same.
#include <stdlib.h>
#include <string.h>

#include "frame/icmp.h"
#include "fuzz.h"
#include "mend.h"
#include "wire/arp.h"

static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};

static bool same_vlans(const struct eth *a, const struct eth *b)
{
	return a->has_vlan == b->has_vlan && a->is_stag == b->is_stag &&
	       a->has_inner == b->has_inner && a->vlan_tci == b->vlan_tci &&
	       a->inner_tci == b->inner_tci;
}

static bool same(const struct icmp *a, const struct icmp *b)
{
	return a->kind == b->kind && a->id == b->id && a->seq == b->seq &&
	       a->data_len == b->data_len && a->has_mac == b->has_mac && a->flags == b->flags &&
	       !memcmp(a->target, b->target, 16) && !memcmp(a->mac, b->mac, 6) &&
	       !memcmp(a->ip.saddr, b->ip.saddr, 16) && !memcmp(a->ip.daddr, b->ip.daddr, 16) &&
	       a->ip.tos == b->ip.tos && a->ip.ttl == b->ip.ttl && same_vlans(&a->eth, &b->eth);
}

static void arp(const uint8_t *data, size_t size)
{
	uint8_t out[ARP_FRAME_MAX];
	struct arp a, back;
	unsigned n;

	if (!arp_from_frame(data, size, &a))
		return;
	arp_reply(&a, mac, &a);
	n = arp_to_frame(&a, out);
	fuzz_check(n >= PKT_MIN_LEN && n <= sizeof(out));
	fuzz_check(arp_from_frame(out, n, &back));
	fuzz_check(back.op == ARP_REPLY && !memcmp(back.sha, mac, 6));
	fuzz_check(!memcmp(back.tpa, a.tpa, 4) && !memcmp(back.spa, a.spa, 4));
	fuzz_check(same_vlans(&back.eth, &a.eth));
}

// The answer is made where the question stands, as a NIC does for an address of its own.
static void answer(struct icmp *m, const uint8_t *data, size_t size)
{
	size_t room = size > ICMP_HEAD_MAX ? size : ICMP_HEAD_MAX;
	uint8_t *frame = malloc(room);
	struct icmp reply, back;
	unsigned n;

	if (!frame)
		abort();
	memcpy(frame, data, size);
	m->ip.daddr[0] = 10;
	if (m->kind == ICMP_ND_SOLICIT)
		icmp_advertise(m, mac, &reply);
	else
		icmp_echo_reply(m, mac, &reply);
	n = icmp_to_frame(&reply, frame + m->data_off, frame);
	fuzz_check(n <= room);
	fuzz_check(icmp_from_frame(frame, n, &back) == ICMP_OK);
	fuzz_check(same(&reply, &back));
	fuzz_check(!memcmp(frame + back.data_off, data + m->data_off, m->data_len));
	free(frame);
}

static enum icmp_verdict icmp(const uint8_t *data, size_t size)
{
	struct icmp m, back;
	enum icmp_verdict v = icmp_from_frame(data, size, &m);
	uint8_t *again;
	unsigned n;

	if (v)
		return v;
	fuzz_check((size_t)m.data_off + m.data_len <= size);
	again = malloc(ICMP_HEAD_MAX + m.data_len);
	if (!again)
		abort();
	n = icmp_to_frame(&m, data + m.data_off, again);
	fuzz_check(n <= (unsigned)ICMP_HEAD_MAX + m.data_len);
	fuzz_check(icmp_from_frame(again, n, &back) == ICMP_OK && same(&m, &back));
	free(again);
	if (m.kind == ICMP_ND_SOLICIT || m.kind == ICMP_ECHO_REQUEST)
		answer(&m, data, size);
	return ICMP_OK;
}

// Makes the checksum of ICMP right, where that alone was wrong.
static void mended(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size), *o;
	struct frame f;
	uint16_t sum;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	frame_parse(copy, size, &f);
	o = copy + f.payload_off;
	memset(o + 2, 0, 2);
	sum = (uint16_t) ~(f.ip.version == 6 ? ip_sum_upper6(copy + f.l3_off, IP_PROTO_ICMPV6, o,
						       f.payload_len)
					     : ip_sum_bytes(o, f.payload_len));
	memcpy(o + 2, &sum, 2);
	fuzz_check(icmp(copy, size) != ICMP_BAD_CHECKSUM);
	free(copy);
}

static void any(const uint8_t *data, size_t size)
{
	arp(data, size);
	if (icmp(data, size) == ICMP_BAD_CHECKSUM)
		mended(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame f;

	any(data, size);
	if (frame_parse(data, size, &f) == FRAME_BAD_IP_CHECKSUM) {
		uint8_t *copy = mend_checksum(data, size);

		any(copy, size);
		free(copy);
	}
	return 0;
}
