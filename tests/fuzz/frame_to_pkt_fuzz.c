// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the fast path agrees with the full parser, that of bursts with it, and a patch
// changes what it must and no more.
#include <stdlib.h>
#include <string.h>

#include "../pkt_same.h"
#include "frame/frame.h"
#include "fuzz.h"
#include "mend.h"

#define MTU   1600
#define ALIKE 9 // frames of a burst of one form: a vector, and one more

#define TAGS      4
#define FORMS     (1u << TAGS)
#define TAG_LEN   4  // bytes
#define ADDRESSES 12 // bytes

struct slot {
	struct pkt p;
	struct hdr h;
	uint8_t bytes[]; // exactly as many as the frame has
};

static enum pkt_kind take(struct slot *s, const uint8_t *data, size_t size)
{
	memset(&s->p, 0xa5, sizeof(s->p));
	s->p.data_off = sizeof(*s);
	s->p.len = (uint16_t)size;
	memcpy(s->bytes, data, size);
	return frame_to_pkt(&s->p, MTU);
}

// The frame with tags behind its addresses, of which bits of `form` say which there are, in this
// order: an S-TAG, two 802.1Q tags, a CN-TAG.
static size_t with_tags(uint8_t *to, const uint8_t *data, size_t size, unsigned form)
{
	static const uint8_t tag[TAGS][TAG_LEN] = {{0x88, 0xa8, 0x40, 0x07},
		{0x81, 0x00, 0x60, 0x05}, {0x81, 0x00, 0x20, 0x09}, {0x22, 0xe9, 0x12, 0x34}};
	size_t at = size < ADDRESSES ? size : ADDRESSES, n = at;

	memcpy(to, data, at);
	for (unsigned k = 0; at == ADDRESSES && k < TAGS; k++) {
		memcpy(to + n, tag[k], TAG_LEN);
		n += form >> k & 1 ? TAG_LEN : 0;
	}
	memcpy(to + n, data + at, size - at);
	return n + size - at;
}

static struct slot *slot_of(const uint8_t *data, size_t size, unsigned form)
{
	uint8_t bytes[MTU + TAGS * TAG_LEN];
	size_t len = with_tags(bytes, data, size, form);
	struct slot *s = malloc(sizeof(*s) + len);

	if (!s)
		abort();
	take(s, bytes, len);
	return s;
}

// Checks a burst of n frames, each with the tags of its form.
static void check_burst(
	frame_burst_fn *to_pkt, unsigned n, const uint8_t *form, const uint8_t *data, size_t size)
{
	struct slot *alone[FORMS], *s[FORMS];
	struct frame_place at[FORMS];
	struct pkt *p[FORMS];

	for (unsigned i = 0; i < n; i++) {
		alone[i] = slot_of(data, size, form[i]);
		s[i] = slot_of(data, size, form[i]);
		at[i] = (struct frame_place){s[i]->p.len, sizeof(struct slot)};
		memset(&s[i]->p, 0xa5, sizeof(s[i]->p));
		s[i]->p.hdr = &s[i]->h;
		p[i] = &s[i]->p;
	}
	to_pkt(p, at, n, MTU, 0);
	for (unsigned i = 0; i < n; i++) {
		fuzz_check(pkt_same(p[i], &alone[i]->p, 0));
		free(alone[i]);
		free(s[i]);
	}
}

#if defined(__x86_64__)
// By vectors: equal frames, as they are and with tags, and one with others among them; the last two
// bytes choose the tags.
static void check_alike(const uint8_t *data, size_t size)
{
	unsigned tail = size < 2 ? 0 : get_be16(data + size - 2);
	uint8_t form[ALIKE] = {0};

	check_burst(frame_burst_to_pkt_avx2, ALIKE, form, data, size);
	memset(form, (int)(tail % FORMS), ALIKE);
	check_burst(frame_burst_to_pkt_avx2, ALIKE, form, data, size);
	form[(tail >> 8) % ALIKE] = tail / FORMS % FORMS;
	check_burst(frame_burst_to_pkt_avx2, ALIKE, form, data, size);
}
#endif

static void check_bursts(const uint8_t *data, size_t size)
{
	uint8_t each[FORMS];

	for (unsigned form = 0; form < FORMS; form++)
		each[form] = (uint8_t)form;
	check_burst(frame_burst_to_pkt, FORMS, each, data, size);
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		check_burst(frame_burst_to_pkt_avx2, FORMS, each, data, size);
		check_alike(data, size);
	}
#endif
}

static void check_fields(const struct slot *s, const struct frame *f)
{
	fuzz_check(s->p.kind == f->kind);
	fuzz_check(s->p.hdr == &s->h && s->p.flags == PKT_F_FOREIGN);
	fuzz_check(!memcmp(s->h.dst, f->eth.dst, 6) && !memcmp(s->h.src, f->eth.src, 6));
	fuzz_check(s->p.tos == f->ip.tos);
	fuzz_check(s->p.l3_off == (f->ip.version ? f->l3_off : 0));
	fuzz_check(s->h.sport == f->udp.sport && s->h.dport == f->udp.dport);
	fuzz_check(!(s->h.flags & HDR_VLAN) == !f->eth.has_vlan);
	fuzz_check(!(s->h.flags & HDR_STAG) == !f->eth.is_stag);
	fuzz_check(!(s->h.flags & HDR_INNER) == !f->eth.has_inner);
	fuzz_check(s->h.vlan_tci == f->eth.vlan_tci);
	if (f->eth.has_inner)
		fuzz_check(s->h.inner_tci == f->eth.inner_tci);
	fuzz_check(!(s->h.flags & HDR_CNTAG) == !f->eth.has_cntag);
	if (f->kind == PKT_BAD)
		fuzz_check(s->p.u.bad == f->error);
	else if (f->bth_off)
		fuzz_check(s->p.u.rc.psn == f->bth.psn && s->p.u.rc.qpn == f->bth.qpn &&
			   s->p.u.rc.payload == f->payload_len);
}

static void check_reth(const struct slot *s, const struct frame *f)
{
	uint64_t va;
	uint32_t rkey, bytes;

	if (!pkt_is_roce(f->kind) || !bth_ops[f->bth.opcode].len_off)
		return;
	frame_pkt_reth(&s->p, &va, &rkey, &bytes);
	fuzz_check(
		va == f->ext.reth.va && rkey == f->ext.reth.rkey && bytes == f->ext.reth.dma_len);
}

// CE alone: ToS becomes CE, everything else that the parser sees stays, and so does the ICRC's
// verdict.
static void check_mark(struct slot *s, const struct frame *f, const uint8_t *data, size_t size)
{
	struct frame marked;
	unsigned changed = 0;

	if (!s->p.l3_off)
		return;
	pkt_mark_ce(&s->p);
	frame_patch(&s->p);
	fuzz_check(s->p.len == size && pkt_bytes(&s->p) == s->bytes);
	if (pkt_is_roce(f->kind))
		fuzz_check(frame_pkt_icrc_ok(&s->p) == frame_icrc_ok(f, data));
	fuzz_check(frame_parse(s->bytes, size, &marked) == f->error);
	fuzz_check(marked.kind == f->kind && marked.ip.tos == (f->ip.tos | ECN_CE));
	for (size_t i = 0; i < size; i++)
		changed += s->bytes[i] != data[i];
	fuzz_check(changed <= (f->ip.version == 4 ? 3 : 1));
	if (f->bth_off && !f->error)
		fuzz_check(frame_icrc_ok(f, data) == frame_icrc_ok(&marked, s->bytes));
}

static void check_strip(struct slot *s, const struct frame *f, size_t size)
{
	struct frame bare;
	unsigned tag = f->eth.has_cntag ? 4 : 0;

	s->p.flags |= PKT_F_UNTAG_CN;
	frame_patch(&s->p);
	fuzz_check(s->p.len == size - tag || (s->p.len == PKT_MIN_LEN && size - tag < PKT_MIN_LEN));
	fuzz_check(pkt_bytes(&s->p) + s->p.len <= s->bytes + size);
	frame_parse(pkt_bytes(&s->p), s->p.len, &bare);
	if (eth_is_vlan(f->eth.ethertype) || f->eth.ethertype == ETH_P_CNTAG)
		return; // another tag behind the CN-TAG is read now
	fuzz_check(!memcmp(&bare.eth.dst, &f->eth.dst, 12));
	fuzz_check(bare.eth.has_vlan == f->eth.has_vlan && bare.eth.vlan_tci == f->eth.vlan_tci);
	fuzz_check(
		bare.eth.has_inner == f->eth.has_inner && bare.eth.inner_tci == f->eth.inner_tci);
	fuzz_check(bare.eth.ethertype == f->eth.ethertype);
	if (s->p.l3_off)
		fuzz_check(bare.l3_off == s->p.l3_off && bare.ip.tos == f->ip.tos);
}

static enum frame_error one_frame(const uint8_t *data, size_t size)
{
	struct slot *s = malloc(sizeof(*s) + size);
	struct frame f;

	if (!s)
		abort();
	frame_parse(data, size, &f);
	take(s, data, size);
	check_fields(s, &f);
	check_reth(s, &f);
	check_bursts(data, size);
	frame_patch(&s->p);
	fuzz_check(!memcmp(s->bytes, data, size));
	check_mark(s, &f, data, size);
	if (f.kind != PKT_BAD) {
		take(s, data, size);
		check_strip(s, &f, size);
	}
	free(s);
	return f.error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= MTU && one_frame(data, size) == FRAME_BAD_IP_CHECKSUM) {
		uint8_t *mended = mend_checksum(data, size);

		one_frame(mended, size);
		free(mended);
	}
	return 0;
}
