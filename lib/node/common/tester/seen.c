// SPDX-License-Identifier: BSD-3-Clause
// Entries of frames that left or arrived in a step.
#include <string.h>

#include "int.h"
#include "wire/eth.h"
#include "wire/pfc.h"

#define BACK 16 // entries of control frames in which an equal one is looked for

static bool is_control(const struct pkt *p)
{
	return p->kind == PKT_PFC || p->kind == PKT_PAUSE || p->kind == PKT_MACCTL;
}

// The opcode and fields of a MAC control frame that is no PFC or PAUSE of its kind: of ours by its
// header, else by its bytes.
static void read_other(struct pfc *f, const struct pkt *p)
{
	unsigned off = hdr_eth_len(p->hdr->flags);

	if (!p->data_off) {
		f->opcode = p->hdr->sport ? p->hdr->sport : MACCTL_PFC;
		if (f->opcode == MACCTL_PFC || f->opcode == MACCTL_PAUSE)
			f->time = p->u.pfc;
	} else if (p->len >= off + PFC_LEN) {
		pfc_parse((const uint8_t *)p + p->data_off + off, f);
	}
}

static void read_control(struct tester_control *c, const struct pkt *p)
{
	struct pfc f = {
		.opcode = p->kind == PKT_PAUSE ? MACCTL_PAUSE : MACCTL_PFC, .time = p->u.pfc};

	if (p->kind == PKT_MACCTL) {
		f = (struct pfc){0};
		read_other(&f, p);
	}
	*c = (struct tester_control){.opcode = f.opcode, .pfc = f.time};
	memcpy(c->src, p->hdr->src, sizeof(c->src));
	memcpy(c->dst, p->hdr->dst, sizeof(c->dst));
}

static bool same(const struct tester_control *a, const struct tester_control *b)
{
	return a->opcode == b->opcode && !memcmp(a->src, b->src, sizeof(a->src)) &&
	       !memcmp(a->dst, b->dst, sizeof(a->dst)) && a->pfc.enable == b->pfc.enable &&
	       a->pfc.enable_high == b->pfc.enable_high &&
	       !memcmp(a->pfc.quanta, b->pfc.quanta, sizeof(a->pfc.quanta));
}

// The place of a control frame among those of the step; -1: there is no room.
static int64_t place(struct tester_step *s, const struct pkt *p)
{
	struct tester_control c;

	read_control(&c, p);
	for (uint32_t i = s->n_control, k = 0; i && k < BACK; i--, k++)
		if (same(&s->control[i - 1], &c))
			return i - 1;
	if (s->n_control == s->control_room)
		return -1;
	s->control[s->n_control] = c;
	return s->n_control++;
}

static void read_gen(const struct tester *t, struct tester_seen *e, const struct pkt *p)
{
	uint32_t seq = p->u.gen.seq;

	if (p->u.gen.source >> 16 != t->p.salt)
		return;
	e->frame = seq / TESTER_NUMBERS == (t->step->number & 15) ? TESTER_OURS : TESTER_EARLIER;
	e->source = (uint16_t)p->u.gen.source;
	e->number = seq % TESTER_NUMBERS;
}

void tester_see(struct tester *t, const struct pkt *p, bool sent, tstamp at)
{
	struct tester_step *s = t->step;
	struct tester_seen e = {.at = at,
		.len = p->len,
		.frame = TESTER_OTHER,
		.tos = p->tos,
		.sent = sent,
		.pcp = TESTER_UNTAGGED};
	int64_t number = 0;

	if (!s)
		return;
	if (p->hdr && p->hdr->flags & HDR_VLAN)
		e.pcp = (uint8_t)(p->hdr->vlan_tci >> 13);
	if (is_control(p) && s->n_seen < s->room) {
		number = place(s, p);
		e.frame = TESTER_CONTROL;
		e.number = (uint32_t)number;
	} else if (p->kind == PKT_GEN) {
		read_gen(t, &e, p);
	}
	if (s->n_seen == s->room || number < 0) {
		s->unseen++;
		t->s.unseen_frames++;
		return;
	}
	s->seen[s->n_seen++] = e;
}
