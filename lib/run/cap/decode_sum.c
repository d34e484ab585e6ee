// SPDX-License-Identifier: BSD-3-Clause
// Counting frames by what decode saw in them; queue pairs in a hash that grows.
#include "decode_sum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

// The place of a queue pair, or the free one where it belongs.
static struct decode_qp *place(const struct decode_sum *s, const uint8_t addr[16], uint32_t qpn)
{
	uint32_t at = hash(addr, qpn) & (s->places - 1);

	while (s->qp[at].version &&
		(s->qp[at].qpn != qpn || memcmp(s->qp[at].daddr, addr, 16) != 0))
		at = (at + 1) & (s->places - 1);
	return &s->qp[at];
}

// Keeps at least half of the places free.
static int grow(struct decode_sum *s)
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
			*place(&bigger, s->qp[i].daddr, s->qp[i].qpn) = s->qp[i];
	free(s->qp);
	s->qp = bigger.qp;
	s->places = bigger.places;
	return 0;
}

static int add_qp(struct decode_sum *s, const struct decoded *x)
{
	const struct frame *f = &x->f;
	struct decode_qp *q;

	if (grow(s))
		return -ENOMEM;
	q = place(s, f->ip.daddr, f->bth.qpn);
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

static void count(struct decode_count *c, uint32_t bytes)
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
	s->cntag += f->eth.has_cntag;
	s->rocev1 += frame_is_rocev1(f);
	if (f->ip.version && !frame_is_rocev1(f))
		count(&s->ecn[f->ip.tos & 3], x->wire_len);
	if (x->headers_cut) {
		s->cut++;
		return 0;
	}
	count(&s->kind[f->kind], x->wire_len);
	s->icrc[x->icrc]++;
	if (f->error)
		s->error[f->error]++;
	for (unsigned i = 0; i < FRAME_NOTES; i++)
		s->note[i] += f->notes >> i & 1;
	if (f->kind == PKT_PFC)
		add_pfc(s, &f->pfc.time);
	if (!f->bth_off || f->error)
		return 0;
	count(&s->opcode[f->bth.opcode], x->wire_len);
	return add_qp(s, x);
}
