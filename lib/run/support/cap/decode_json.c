// SPDX-License-Identifier: BSD-3-Clause
// A frame as one JSON object on one line, with the same words as the text form.
#include <stdio.h>

#include "int.h"
#include "out/out.h"

static void put_mac(struct jw *w, const char *key, const uint8_t m[6])
{
	char text[18];

	jw_str(w, key, units_format_mac(m, text, sizeof(text)));
}

// Writes a 64-bit number as text, because JSON readers keep 53 bits of a number.
static void put_hex64(struct jw *w, const char *key, uint64_t value)
{
	char text[20];

	snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)value);
	jw_str(w, key, text);
}

static void put_frame_time(struct jw *w, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu.%09llu", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns % 1000000000));
	jw_str(w, "time", text);
}

static void put_eth(struct jw *w, const struct eth *e)
{
	put_mac(w, "src_mac", e->src);
	put_mac(w, "dst_mac", e->dst);
	if (e->has_vlan) {
		jw_u64(w, "vlan", e->vlan_tci & 0xfff);
		jw_u64(w, "pcp", e->vlan_tci >> 13);
	}
	if (e->is_stag)
		jw_bool(w, "s_tag", true);
	if (e->has_inner) {
		jw_u64(w, "inner_vlan", e->inner_tci & 0xfff);
		jw_u64(w, "inner_pcp", e->inner_tci >> 13);
	}
	if (e->has_cntag)
		jw_u64(w, "cn_tag", e->cntag);
	jw_u64(w, "ethertype", e->ethertype);
}

static void put_headers(struct jw *w, const struct decoded *x)
{
	if (!x->ext.n)
		return;
	jw_array(w, "extension_headers", true);
	for (unsigned i = 0; i < x->ext.n; i++)
		jw_str(w, NULL, ip6_chain_name(x->ext.kind[i]));
	jw_end(w);
	if (x->ext.cut) {
		jw_str(w, "error", "short_extension_header");
		return;
	}
	jw_u64(w, "upper_proto", x->ext.proto);
	if (x->ext.fragmented)
		jw_u64(w, "fragment_offset", x->ext.frag_off);
	if (x->ext_ports) {
		jw_u64(w, "sport", x->sport);
		jw_u64(w, "dport", x->dport);
	}
}

static void put_ip(struct jw *w, const struct decoded *x)
{
	const struct frame *f = &x->f;
	char text[DECODE_ADDR];

	jw_str(w, "src", decode_addr(x, 0, text));
	jw_str(w, "dst", decode_addr(x, 1, text));
	if (frame_is_rocev1(f)) {
		jw_u64(w, "tclass", f->ip.tos);
		jw_u64(w, "flow_label", f->ip.flow_label);
		jw_u64(w, "hop_limit", f->ip.ttl);
		return;
	}
	jw_u64(w, "proto", f->ip.proto);
	jw_u64(w, "dscp", f->ip.tos >> 2);
	jw_str(w, "ecn", decode_ecn_name(f->ip.tos));
	jw_u64(w, "ttl", f->ip.ttl);
	if (f->udp.len) {
		jw_u64(w, "sport", f->udp.sport);
		jw_u64(w, "dport", f->udp.dport);
	}
	put_headers(w, x);
}

static void put_ext(struct jw *w, const struct frame *f)
{
	unsigned ext = bth_ops[f->bth.opcode].ext;

	if (ext & BTH_EXT_DETH)
		jw_u64(w, "src_qpn", f->ext.deth.sqpn & BTH_PSN_MASK);
	if (ext & BTH_EXT_RETH) {
		put_hex64(w, "va", f->ext.reth.va);
		jw_u64(w, "rkey", f->ext.reth.rkey);
		jw_u64(w, "dma_length", f->ext.reth.dma_len);
	}
	if (ext & BTH_EXT_ATOMIC) {
		put_hex64(w, "va", f->ext.atomic.va);
		jw_u64(w, "rkey", f->ext.atomic.rkey);
		put_hex64(w, "swap_add", f->ext.atomic.swap_add);
		put_hex64(w, "compare", f->ext.atomic.compare);
	}
	if (ext & BTH_EXT_AETH) {
		jw_u64(w, "syndrome", f->ext.aeth.syndrome);
		jw_str(w, "ack", bth_syndrome_name(f->ext.aeth.syndrome));
		jw_u64(w, "msn", f->ext.aeth.msn);
	}
	if (ext & BTH_EXT_CAME)
		jw_u64(w, "came", f->ext.came & BTH_PSN_MASK);
	if (ext & BTH_EXT_IMM)
		jw_u64(w, "imm", f->ext.imm);
	if (ext & BTH_EXT_IETH)
		jw_u64(w, "invalidate_rkey", f->ext.ieth);
}

static void put_roce(struct jw *w, const struct decoded *x)
{
	const struct frame *f = &x->f;
	char name[DECODE_OPCODE];

	jw_str(w, "opcode", decode_opcode_name(f->bth.opcode, name));
	jw_u64(w, "opcode_number", f->bth.opcode);
	jw_u64(w, "qpn", f->bth.qpn);
	jw_u64(w, "psn", f->bth.psn);
	jw_bool(w, "ackreq", f->bth.bits & BTH_ACKREQ);
	jw_bool(w, "se", f->bth.bits & BTH_SE);
	jw_bool(w, "fecn", f->bth.bits & BTH_FECN);
	jw_bool(w, "becn", f->bth.bits & BTH_BECN);
	jw_u64(w, "pkey", f->bth.pkey);
	put_ext(w, f);
	jw_u64(w, "payload", f->payload_len);
	jw_u64(w, "pad", f->bth.pad);
	jw_str(w, "icrc", decode_icrc_name(x->icrc));
}

static void put_pfc_members(struct jw *w, const struct pkt_pfc *p)
{
	static const char *const sense[] = {
		[PFC_NOTHING] = "none",
		[PFC_XOFF] = "xoff",
		[PFC_XON] = "xon",
		[PFC_MIXED] = "mixed",
	};

	jw_str(w, "sense", sense[pfc_sense(p)]);
	jw_u64(w, "enable", p->enable);
	jw_array(w, "quanta", true);
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		jw_u64(w, NULL, p->quanta[i]);
	jw_end(w);
}

// jw has no signed integers; a double holds these exactly.
static void put_cnm(struct jw *w, const struct frame *f)
{
	const struct cnm *c = &f->cnm;
	char cpid[17];

	for (unsigned i = 0; i < sizeof(c->cpid); i++)
		snprintf(cpid + 2 * i, 3, "%02x", c->cpid[i]);
	jw_u64(w, "qntzfb", c->qntzfb);
	jw_str(w, "cpid", cpid);
	jw_u64(w, "flow_id", f->eth.cntag);
	jw_num(w, "qoffset", c->qoffset, 0);
	jw_num(w, "qdelta", c->qdelta, 0);
	jw_u64(w, "priority", c->priority >> 13);
	put_mac(w, "encapsulated_dst", c->dst);
	jw_u64(w, "encapsulated_length", c->msdu_len);
}

static void put_frame(struct jw *w, const struct decoded *x)
{
	const struct frame *f = &x->f;

	switch (f->kind) {
	case PKT_DATA:
	case PKT_ACK:
	case PKT_CNP:
	case PKT_ROCE:
		put_roce(w, x);
		break;
	case PKT_PFC:
		put_pfc_members(w, &f->pfc.time);
		break;
	case PKT_PAUSE:
		jw_u64(w, "quanta", f->pfc.time.quanta[0]);
		break;
	case PKT_MACCTL:
		jw_u64(w, "opcode_number", f->pfc.opcode);
		break;
	case PKT_CNM:
		put_cnm(w, f);
		break;
	case PKT_GEN:
		jw_u64(w, "source", f->gen.source);
		jw_u64(w, "seq", f->gen.seq);
		if (f->gen.stamped)
			jw_u64(w, "sent_ns", f->gen.stamp_ns);
		break;
	case PKT_BAD:
		jw_str(w, "error", frame_error_name(f->error));
		break;
	default:
		jw_u64(w, "payload", f->payload_len - x->ext.off);
	}
}

static void put_notes(struct jw *w, const struct frame *f)
{
	if (!f->notes)
		return;
	jw_array(w, "notes", true);
	for (unsigned i = 0; i < FRAME_NOTES; i++)
		if (f->notes >> i & 1)
			jw_str(w, NULL, frame_note_name(1u << i));
	jw_end(w);
}

void decode_json(const struct decoded *x, struct out *o)
{
	struct jw w;

	jw_init(&w, o);
	jw_object(&w, NULL, true);
	jw_u64(&w, "frame", x->number);
	put_frame_time(&w, x->ns);
	jw_u64(&w, "length", x->wire_len);
	if (x->len < x->wire_len)
		jw_u64(&w, "captured", x->len);
	jw_str(&w, "kind", x->headers_cut ? "cut" : decode_kind_name(x->f.kind));
	if (x->len >= 14)
		put_eth(&w, &x->f.eth);
	if (x->f.ip.version)
		put_ip(&w, x);
	if (!x->headers_cut) {
		put_frame(&w, x);
		put_notes(&w, &x->f);
	}
	jw_end(&w);
}
