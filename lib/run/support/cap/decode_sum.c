// SPDX-License-Identifier: BSD-3-Clause
// A capture in one table: frames counted by kind, and queue pairs in a hash that grows. Only kinds
// and queue pairs that occur have a row.
#include "decode_sum.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

void decode_sum_init(struct decode_sum *s)
{
	*s = (struct decode_sum){0};
}

void decode_sum_fini(struct decode_sum *s)
{
	free(s->qp);
	*s = (struct decode_sum){0};
}

// FNV-1a over address and number.
static uint32_t hash(const uint8_t addr[16], uint32_t qpn)
{
	uint32_t h = 2166136261u;

	for (unsigned i = 0; i < 16; i++)
		h = (h ^ addr[i]) * 16777619u;
	for (unsigned i = 0; i < 3; i++)
		h = (h ^ (qpn >> 8 * i & 255)) * 16777619u;
	return h;
}

// Returns the slot of a queue pair, or the free slot in which it belongs.
static struct decode_qp *qp_place(const struct decode_sum *s, const uint8_t addr[16], uint32_t qpn)
{
	uint32_t at = hash(addr, qpn) & (s->places - 1);

	while (s->qp[at].version &&
		(s->qp[at].qpn != qpn || memcmp(s->qp[at].daddr, addr, 16) != 0))
		at = (at + 1) & (s->places - 1);
	return &s->qp[at];
}

// Keeps at least half of the places free.
static int grow_qps(struct decode_sum *s)
{
	struct decode_sum bigger = *s;

	if (s->n_qps * 2 < s->places)
		return 0;
	bigger.places = s->places ? 2 * s->places : 64;
	bigger.qp = calloc(bigger.places, sizeof(*bigger.qp));
	if (!bigger.qp)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->places; i++)
		if (s->qp[i].version)
			*qp_place(&bigger, s->qp[i].daddr, s->qp[i].qpn) = s->qp[i];
	free(s->qp);
	s->qp = bigger.qp;
	s->places = bigger.places;
	return 0;
}

static int add_qp(struct decode_sum *s, const struct decoded *x)
{
	const struct frame *f = &x->f;
	struct decode_qp *q;

	if (grow_qps(s))
		return -ENOMEM;
	q = qp_place(s, f->ip.daddr, f->bth.qpn);
	if (!q->version) {
		memcpy(q->daddr, f->ip.daddr, 16);
		q->version = f->ip.version;
		q->qpn = f->bth.qpn;
		s->n_qps++;
	}
	q->ce += !frame_is_rocev1(f) && (f->ip.tos & 3) == ECN_CE;
	q->bad_icrc += x->icrc == DECODE_ICRC_BAD;
	if (f->kind == PKT_CNP) {
		q->cnps++;
	} else if (f->kind == PKT_ACK) {
		q->acks++;
		q->naks += f->ext.aeth.syndrome >> 5 != 0;
	} else {
		q->requests++;
		q->payload_bytes += f->payload_len;
	}
	return 0;
}

static void count_frame(struct decode_count *c, uint32_t bytes)
{
	c->frames++;
	c->bytes += bytes;
}

static void add_pfc(struct decode_sum *s, const struct pkt_pfc *p)
{
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		if (!(p->enable >> i & 1))
			continue;
		if (p->quanta[i])
			s->xoff[i]++;
		else
			s->xon[i]++;
	}
}

int decode_sum_add(struct decode_sum *s, const struct decoded *x)
{
	const struct frame *f = &x->f;

	s->frames++;
	s->bytes += x->wire_len;
	if (x->at_ns > s->last_ns)
		s->last_ns = x->at_ns;
	s->vlan += f->eth.has_vlan;
	s->inner += f->eth.has_inner;
	s->cntag += f->eth.has_cntag;
	s->rocev1 += frame_is_rocev1(f);
	if (f->ip.version && !frame_is_rocev1(f))
		count_frame(&s->ecn[f->ip.tos & 3], x->wire_len);
	if (x->headers_cut) {
		s->cut++;
		return 0;
	}
	count_frame(&s->kind[f->kind], x->wire_len);
	s->icrc[x->icrc]++;
	if (f->error)
		s->error[f->error]++;
	for (unsigned i = 0; i < FRAME_NOTES; i++)
		s->note[i] += f->notes >> i & 1;
	if (f->kind == PKT_PFC)
		add_pfc(s, &f->pfc.time);
	if (!f->bth_off || f->error)
		return 0;
	count_frame(&s->opcode[f->bth.opcode], x->wire_len);
	return add_qp(s, x);
}

#define QP_ROWS 32 // more queue pairs than that are said, not shown

typedef unsigned long long ull;

static void put_count(struct out *o, const char *name, const struct decode_count *c)
{
	if (c->frames)
		out_printf(o, "  %-20s %12llu %15llu\n", name, (ull)c->frames, (ull)c->bytes);
}

static void put_number(struct out *o, const char *name, uint64_t frames)
{
	if (frames)
		out_printf(o, "  %-20s %12llu\n", name, (ull)frames);
}

static void put_totals(const struct decode_sum *s, const char *name, struct out *o)
{
	out_printf(o, "%s: %llu frame%s, %llu bytes in %llu.%09llu s\n", name, (ull)s->frames,
		plural(s->frames), (ull)s->bytes, (ull)s->last_ns / 1000000000,
		(ull)s->last_ns % 1000000000);
}

static void put_kinds(const struct decode_sum *s, struct out *o)
{
	out_printf(o, "\n  %-20s %12s %15s\n", "kind", "frames", "bytes");
	for (unsigned i = 0; i < PKT_KINDS; i++)
		put_count(o, decode_kind_name(i), &s->kind[i]);
	put_number(o, "cut by the capture", s->cut);
	put_number(o, "with a VLAN tag", s->vlan);
	put_number(o, "with two of them", s->inner);
	put_number(o, "with a CN-TAG", s->cntag);
	put_number(o, "RoCEv1", s->rocev1);
}

static void put_opcodes(const struct decode_sum *s, struct out *o)
{
	bool any = false;

	for (unsigned i = 0; i < 256; i++) {
		char name[DECODE_OPCODE];

		if (!s->opcode[i].frames)
			continue;
		if (!any)
			out_printf(o, "\n  %-20s %12s %15s\n", "opcode", "frames", "bytes");
		any = true;
		put_count(o, decode_opcode_name((uint8_t)i, name), &s->opcode[i]);
	}
}

static void put_verdicts(const struct decode_sum *s, struct out *o)
{
	static const unsigned order[] = {ECN_NOT_ECT, ECN_ECT0, ECN_ECT1, ECN_CE};
	uint64_t ip = 0;

	for (unsigned i = 0; i < 4; i++)
		ip += s->ecn[i].frames;
	if (ip)
		out_printf(o, "\n  %-20s %12s %15s\n", "ECN codepoint", "frames", "bytes");
	for (unsigned i = 0; i < 4; i++)
		put_count(o, decode_ecn_name(order[i]), &s->ecn[order[i]]);
	if (s->icrc[DECODE_ICRC_OK] + s->icrc[DECODE_ICRC_BAD] + s->icrc[DECODE_ICRC_CUT])
		out_printf(o, "\n  %-20s %12s\n", "ICRC", "frames");
	for (unsigned i = DECODE_ICRC_OK; i <= DECODE_ICRC_CUT; i++)
		put_number(o, decode_icrc_name(i), s->icrc[i]);
}

static void put_pfc_counts(const struct decode_sum *s, struct out *o)
{
	if (!s->kind[PKT_PFC].frames)
		return;
	out_printf(o, "\n  %-20s %12s %15s\n", "PFC priority", "XOFF", "XON");
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		if (s->xoff[i] || s->xon[i])
			out_printf(
				o, "  %-20u %12llu %15llu\n", i, (ull)s->xoff[i], (ull)s->xon[i]);
}

static void put_faults(const struct decode_sum *s, struct out *o)
{
	bool odd = false;

	if (s->kind[PKT_BAD].frames)
		out_printf(o, "\n  %-20s %12s\n", "malformed", "frames");
	for (unsigned i = 1; i < FRAME_ERRORS; i++)
		put_number(o, frame_error_name(i), s->error[i]);
	for (unsigned i = 0; i < FRAME_NOTES; i++)
		odd = odd || s->note[i];
	if (odd)
		out_printf(o, "\n  %-20s %12s\n", "odd", "frames");
	for (unsigned i = 0; i < FRAME_NOTES; i++)
		put_number(o, frame_note_name(1u << i), s->note[i]);
}

static uint64_t frames_to(const struct decode_qp *q)
{
	return q->requests + q->acks + q->cnps;
}

// Most frames first.
static int by_frames(const void *a, const void *b)
{
	const struct decode_qp *x = *(const struct decode_qp *const *)a;
	const struct decode_qp *y = *(const struct decode_qp *const *)b;
	uint64_t n = frames_to(x), m = frames_to(y);
	int order = memcmp(x->daddr, y->daddr, sizeof(x->daddr));

	if (n != m)
		return n > m ? -1 : 1;
	if (order)
		return order;
	return (x->qpn > y->qpn) - (x->qpn < y->qpn);
}

static void put_qp(const struct decode_qp *q, int width, struct out *o)
{
	char addr[DECODE_ADDR];

	inet_ntop(q->version == 4 ? AF_INET : AF_INET6, q->daddr, addr, sizeof(addr));
	out_printf(o, "  %-*s  0x%06x %10llu %15llu %9llu %8llu %6llu %8llu %9llu\n", width, addr,
		q->qpn, (ull)q->requests, (ull)q->payload_bytes, (ull)q->ce, (ull)q->acks,
		(ull)q->naks, (ull)q->cnps, (ull)q->bad_icrc);
}

static void put_qps(const struct decode_sum *s, struct out *o)
{
	const struct decode_qp **row = calloc(s->n_qps + 1, sizeof(*row));
	unsigned n = 0;
	int width = 15;

	if (!s->n_qps || !row) {
		free(row);
		return;
	}
	for (uint32_t i = 0; i < s->places; i++) {
		char addr[DECODE_ADDR];
		const struct decode_qp *q = &s->qp[i];

		if (!q->version)
			continue;
		row[n++] = q;
		inet_ntop(q->version == 4 ? AF_INET : AF_INET6, q->daddr, addr, sizeof(addr));
		width = (int)strlen(addr) > width ? (int)strlen(addr) : width;
	}
	qsort(row, n, sizeof(*row), by_frames);
	out_printf(o, "\n  %-*s  %-8s %10s %15s %9s %8s %6s %8s %9s\n", width, "destination", "QPN",
		"data", "payload bytes", "CE", "ACKs", "NAKs", "CNPs", "ICRC BAD");
	for (unsigned i = 0; i < n && i < QP_ROWS; i++)
		put_qp(row[i], width, o);
	if (n > QP_ROWS)
		out_printf(o, "  and %u more queue pair%s\n", n - QP_ROWS, plural(n - QP_ROWS));
	free(row);
}

void decode_sum_print(const struct decode_sum *s, const char *name, struct out *o)
{
	put_totals(s, name, o);
	put_kinds(s, o);
	put_opcodes(s, o);
	put_verdicts(s, o);
	put_pfc_counts(s, o);
	put_qps(s, o);
	put_faults(s, o);
}
