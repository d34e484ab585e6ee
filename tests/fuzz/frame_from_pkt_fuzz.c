// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any descriptor of ours is written within its length, and a whole frame reads back
// the same.
#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"
#include "fuzz.h"

struct slot {
	struct pkt p;
	struct hdr h;
	uint8_t bytes[];
};

// A descriptor and its header from the input's bytes, with the fields that a node must get right
// mended.
static bool shape(struct pkt *p, struct hdr *h, const uint8_t *data, size_t size)
{
	if (size < sizeof(*h) + sizeof(*p))
		return false;
	memcpy(h, data, sizeof(*h));
	memcpy(p, data + sizeof(*h), sizeof(*p));
	p->hdr = h;
	p->kind %= PKT_BAD;
	p->len = (uint16_t)(PKT_MIN_LEN + p->len % 1500);
	h->flags &= HDR_VLAN | HDR_STAG | HDR_INNER | HDR_CNTAG | HDR_IP;
	if (!(h->flags & HDR_VLAN))
		h->flags &= (uint8_t) ~(HDR_STAG | HDR_INNER);
	if ((h->flags & HDR_IP) == HDR_IP)
		h->flags &= (uint8_t)~HDR_IPV6;
	if (p->kind == PKT_DATA || p->kind == PKT_ACK || p->kind == PKT_CNP ||
		p->kind == PKT_ROCE) {
		if (!bth_ops[p->u.rc.opcode].ext || bth_ops[p->u.rc.opcode].kind != p->kind)
			return false;
		if (!(h->flags & HDR_IP))
			h->flags |= HDR_IPV4;
		p->u.rc.pad &= 3;
		h->dport = BTH_UDP_PORT;
		h->proto = IP_PROTO_UDP;
	}
	return true;
}

static bool is_whole(const struct pkt *p, const struct frame *f)
{
	return f->kind == p->kind && f->bth_off && f->payload_len == p->u.rc.payload;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pkt p;
	struct hdr h;
	struct slot *s;
	struct frame f;

	if (!shape(&p, &h, data, size))
		return 0;
	if (h.flags & HDR_IP)
		h.ethertype = h.flags & HDR_IPV4 ? ETH_P_IPV4 : ETH_P_IPV6;
	s = malloc(sizeof(*s) + p.len);
	if (!s)
		return 0;
	fuzz_check(frame_from_pkt(&p, s->bytes) == p.len);
	frame_parse(s->bytes, p.len, &f);
	fuzz_check(!memcmp(f.eth.dst, h.dst, 6) && !memcmp(f.eth.src, h.src, 6));
	if (is_whole(&p, &f)) {
		fuzz_check(frame_icrc_ok(&f, s->bytes));
		fuzz_check(f.bth.psn == (p.u.rc.psn & BTH_PSN_MASK));
		fuzz_check(f.bth.qpn == (p.u.rc.qpn & BTH_PSN_MASK));
		s->p.data_off = sizeof(*s);
		s->p.len = p.len;
		fuzz_check(frame_to_pkt(&s->p, PKT_MAX_LEN) == p.kind);
		fuzz_check(s->p.tos == p.tos && s->p.u.rc.payload == p.u.rc.payload);
		if (!(p.flags & PKT_F_UNTAG_CN))
			fuzz_check(s->h.flags == h.flags);
		if (h.flags & HDR_INNER)
			fuzz_check(s->h.inner_tci == h.inner_tci);
	}
	free(s);
	return 0;
}
