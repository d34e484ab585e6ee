// SPDX-License-Identifier: BSD-3-Clause
// A frame as a line: instant, length, addresses, DSCP, ECN codepoint, ICRC, and its kind with the
// fields of that kind.
#include <stdio.h>
#include <time.h>

#include "int.h"

#define LABEL 18 // columns of the frame's name

static void put_bytes(unsigned n, struct out *o)
{
	out_printf(o, "  %u byte%s", n, plural(n));
}

static void put_rc(const struct frame *f, struct out *o)
{
	const struct bth_op *op = &bth_ops[f->bth.opcode];
	char name[DECODE_OPCODE];

	out_printf(o, "%-*s  QPN 0x%06x  PSN %u", LABEL, decode_opcode_name(f->bth.opcode, name),
		f->bth.qpn, f->bth.psn);
	if (f->bth.bits & BTH_ACKREQ)
		out_str(o, "  AckReq");
	if (f->bth.bits & BTH_SE)
		out_str(o, "  SE");
	if (f->bth.bits & BTH_FECN)
		out_str(o, "  FECN");
	if (f->bth.bits & BTH_BECN)
		out_str(o, "  BECN");
	if (op->ext & BTH_EXT_DETH)
		out_printf(o, "  from QPN 0x%06x", f->ext.deth.sqpn & BTH_PSN_MASK);
	if (op->ext & BTH_EXT_RETH)
		out_printf(o, "  VA 0x%llx R_Key 0x%x DMA length %u",
			(unsigned long long)f->ext.reth.va, f->ext.reth.rkey, f->ext.reth.dma_len);
	if (op->ext & BTH_EXT_ATOMIC)
		out_printf(o, "  VA 0x%llx R_Key 0x%x", (unsigned long long)f->ext.atomic.va,
			f->ext.atomic.rkey);
	if (op->ext & BTH_EXT_AETH)
		out_printf(
			o, "  %s MSN %u", bth_syndrome_name(f->ext.aeth.syndrome), f->ext.aeth.msn);
	if (op->ext & BTH_EXT_CAME)
		out_printf(o, " came %u", f->ext.came & BTH_PSN_MASK);
	if (op->ext & BTH_EXT_IMM)
		out_printf(o, "  ImmDt 0x%08x", f->ext.imm);
	if (op->ext & BTH_EXT_IETH)
		out_printf(o, "  invalidate R_Key 0x%x", f->ext.ieth);
	if (f->payload_len)
		put_bytes(f->payload_len, o);
	if (f->bth.pad)
		out_printf(o, " + pad %u", f->bth.pad);
}

// Time of `quanta` at the assumed rate, to the nanosecond.
static void put_quanta(const struct decode *d, unsigned quanta, struct out *o)
{
	uint64_t ns = (quanta * pfc_quantum_ps(d->rate) + PS_PER_NS / 2) / PS_PER_NS;

	out_printf(o, "%u quanta", quanta);
	if (d->rate)
		out_printf(o, " = %llu.%03llu us", (unsigned long long)ns / 1000,
			(unsigned long long)ns % 1000);
}

static void put_pfc_words(const struct decode *d, const struct pkt_pfc *p, struct out *o)
{
	static const char *const name[] = {
		[PFC_NOTHING] = "PFC no class",
		[PFC_XOFF] = "PFC XOFF",
		[PFC_XON] = "PFC XON",
		[PFC_MIXED] = "PFC mixed",
	};
	enum pfc_sense sense = pfc_sense(p);
	const char *gap = "";

	out_printf(o, "%-*s  ", LABEL, name[sense]);
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		if (!(p->enable >> i & 1))
			continue;
		out_printf(o, "%sp%u", gap, i);
		gap = ", ";
		if (p->quanta[i]) {
			out_str(o, " ");
			put_quanta(d, p->quanta[i], o);
		} else if (sense == PFC_MIXED) {
			out_str(o, " XON");
		}
	}
}

static void put_macctl(const struct decode *d, const struct frame *f, struct out *o)
{
	if (f->kind == PKT_PFC) {
		put_pfc_words(d, &f->pfc.time, o);
	} else if (f->kind == PKT_PAUSE) {
		unsigned quanta = f->pfc.time.quanta[0];

		out_printf(o, "%-*s  ", LABEL, quanta ? "PAUSE XOFF" : "PAUSE XON");
		put_quanta(d, quanta, o);
	} else {
		out_printf(o, "%-*s  opcode 0x%04x", LABEL, "MAC control", f->pfc.opcode);
	}
}

static void put_cnm(const struct frame *f, struct out *o)
{
	const struct cnm *c = &f->cnm;

	out_printf(o, "%-*s  QntzFb %u  CPID ", LABEL, "CNM", c->qntzfb);
	for (unsigned i = 0; i < sizeof(c->cpid); i++)
		out_printf(o, "%02x", c->cpid[i]);
	out_printf(o, "  flow 0x%04x  QOffset %d (Q - Qeq %+d bytes)  QDelta %d (%+d bytes)",
		f->eth.cntag, c->qoffset, -64 * c->qoffset, c->qdelta, 64 * c->qdelta);
	out_printf(o, "  priority %u  sampled frame to %02x:%02x:%02x:%02x:%02x:%02x",
		c->priority >> 13, c->dst[0], c->dst[1], c->dst[2], c->dst[3], c->dst[4],
		c->dst[5]);
}

// What follows the extension headers of an IPv6 packet, then their names.
static void put_ext(const struct decoded *x, struct out *o)
{
	const struct ip6_chain *e = &x->ext;
	const char *last = ip6_chain_name(e->kind[e->n - 1]), *name = decode_proto_name(e->proto);
	unsigned behind = e->n;
	char number[32];

	snprintf(number, sizeof(number), "IP protocol %u", e->proto);
	out_printf(o, "%-*s", LABEL, e->cut ? "malformed" : name ? name : number);
	if (e->cut)
		out_printf(o, "  ends within the %s header", last);
	if (x->ext_ports)
		out_printf(o, "  port %u to %u", x->sport, x->dport);
	if (e->frag_off)
		out_printf(o, "  fragment at %u", e->frag_off);
	if (!e->cut)
		put_bytes(x->f.payload_len - e->off, o);
	if (e->cut || e->proto == IP6_ESP)
		behind--;
	for (unsigned i = 0; i < behind; i++)
		out_printf(o, "%s%s", i ? ", " : "  behind ", ip6_chain_name(e->kind[i]));
}

static void put_other(const struct decoded *x, struct out *o)
{
	const struct frame *f = &x->f;
	const char *name = f->ip.version ? decode_proto_name(f->ip.proto)
					 : decode_ethertype_name(f->eth.ethertype);
	char number[32];

	if (x->ext.n) {
		put_ext(x, o);
		return;
	}
	if (f->ip.version)
		snprintf(number, sizeof(number), "IP protocol %u", f->ip.proto);
	else
		snprintf(number, sizeof(number), "EtherType 0x%04x", f->eth.ethertype);
	out_printf(o, "%-*s", LABEL, name ? name : number);
	if (f->ip.frag & (IP4_MF | IP4_OFFSET_MASK))
		out_printf(o, "  fragment at %u", (f->ip.frag & IP4_OFFSET_MASK) * 8);
	put_bytes(f->payload_len, o);
}

static void put_what(const struct decode *d, const struct decoded *x, struct out *o)
{
	const struct frame *f = &x->f;

	switch (f->kind) {
	case PKT_DATA:
	case PKT_ACK:
	case PKT_CNP:
	case PKT_ROCE:
		put_rc(f, o);
		break;
	case PKT_PFC:
	case PKT_PAUSE:
	case PKT_MACCTL:
		put_macctl(d, f, o);
		break;
	case PKT_CNM:
		put_cnm(f, o);
		break;
	case PKT_GEN:
		out_printf(o, "%-*s  source %u  seq %u", LABEL, "open loop", f->gen.source,
			f->gen.seq);
		if (f->gen.stamped)
			out_printf(o, "  sent at %u ns", f->gen.stamp_ns);
		break;
	case PKT_UDP:
		out_printf(o, "%-*s  port %u to %u", LABEL, "UDP", f->udp.sport, f->udp.dport);
		put_bytes(f->payload_len, o);
		break;
	case PKT_BAD:
		out_printf(o, "%-*s  %s", LABEL, "malformed", frame_error_name(f->error));
		if (f->error == FRAME_BAD_OPCODE)
			out_printf(o, " 0x%02x", f->bth.opcode);
		break;
	default:
		put_other(x, o);
	}
}

// Seconds since the first frame, with every nanosecond.
static void put_elapsed(int64_t ns, struct out *o)
{
	uint64_t abs = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;
	char text[32];

	snprintf(text, sizeof(text), "%s%llu.%09llu", ns < 0 ? "-" : "",
		(unsigned long long)(abs / 1000000000), (unsigned long long)(abs % 1000000000));
	out_printf(o, "%13s", text);
}

static void put_addr(struct decode *d, const struct decoded *x, int end, struct out *o)
{
	char text[DECODE_ADDR];
	int n = (int)strlen(decode_addr(x, end, text));

	if (n > d->addr_width[end])
		d->addr_width[end] = n;
	out_printf(o, "  %-*s", d->addr_width[end], text);
}

void decode_text_head(struct decode *d, const struct decoded *first, struct out *o)
{
	time_t s = (time_t)(first->ns / 1000000000);
	char when[32], text[DECODE_ADDR];
	struct tm tm;

	for (int end = 0; end < 2; end++) {
		int n = (int)strlen(decode_addr(first, end, text));

		if (n > d->addr_width[end])
			d->addr_width[end] = n;
	}
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", gmtime_r(&s, &tm));
	out_printf(o, "first frame at %s.%09llu UTC\n", when,
		(unsigned long long)(first->ns % 1000000000));
	out_printf(o, "%13s", "time s");
	if (d->port_width)
		out_printf(o, "  %-*s", d->port_width, "port");
	out_printf(o, "  %5s  %-*s  %-*s  %4s  %-7s  %-4s  %s\n", "len", d->addr_width[0], "source",
		d->addr_width[1], "destination", "dscp", "ecn", "icrc", "frame");
}

static void put_vlans(const struct eth *e, struct out *o)
{
	if (e->has_vlan)
		out_printf(o, "  %s %u pcp %u", e->is_stag ? "s-vlan" : "vlan", e->vlan_tci & 0xfff,
			e->vlan_tci >> 13);
	if (e->has_inner)
		out_printf(o, "  inner vlan %u pcp %u", e->inner_tci & 0xfff, e->inner_tci >> 13);
}

void decode_text(struct decode *d, const struct decoded *x, struct out *o)
{
	const struct frame *f = &x->f;

	put_elapsed(x->at_ns, o);
	if (d->port_width)
		out_printf(o, "  %-*s", d->port_width, x->port ? x->port : "");
	out_printf(o, "  %5u", x->wire_len);
	put_addr(d, x, 0, o);
	put_addr(d, x, 1, o);
	if (f->ip.version && !frame_is_rocev1(f))
		out_printf(o, "  %4u  %-7s", f->ip.tos >> 2, decode_ecn_name(f->ip.tos));
	else
		out_printf(o, "  %4s  %-7s", "-", "-");
	out_printf(o, "  %-4s  ", decode_icrc_name(x->icrc));
	if (x->headers_cut)
		out_printf(o, "%-*s  %u of %u bytes captured", LABEL, "cut", x->len, x->wire_len);
	else
		put_what(d, x, o);
	if (frame_is_rocev1(f) && f->bth_off)
		out_str(o, "  RoCEv1");
	put_vlans(&f->eth, o);
	if (f->eth.has_cntag && f->kind != PKT_CNM)
		out_printf(o, "  CN-TAG 0x%04x", f->eth.cntag);
	for (unsigned i = 0; i < FRAME_NOTES && !x->headers_cut; i++)
		if (f->notes >> i & 1)
			out_printf(o, "  [%s]", frame_note_name(1u << i));
	if (x->comment)
		out_printf(o, "  (%s)", x->comment);
	out_str(o, "\n");
}
