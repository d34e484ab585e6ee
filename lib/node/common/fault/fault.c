// SPDX-License-Identifier: BSD-3-Clause
// The injector: finds the records that name a frame, carries them out, and sends frames on.
#include "fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "heard.h"
#include "int.h"
#include "wire/bth.h"

static uint8_t roce_kind(const struct pkt *p)
{
	switch (p->kind) {
	case PKT_DATA:
		return FAULT_DATA;
	case PKT_ACK:
		return (p->u.rc.syndrome & AETH_NAK_PSN) == AETH_NAK_PSN ? FAULT_NAK : FAULT_ACK;
	case PKT_CNP:
		return FAULT_CNP;
	case PKT_ROCE:
		if (p->u.rc.opcode == BTH_RC_READ_REQUEST)
			return FAULT_READ_REQUEST;
		if (p->u.rc.opcode >= BTH_RC_READ_FIRST && p->u.rc.opcode <= BTH_RC_READ_ONLY)
			return FAULT_READ_RESPONSE;
		break;
	}
	return FAULT_OTHER;
}

static bool opcode_begins(uint8_t opcode)
{
	switch (opcode) {
	case BTH_RC_SEND_MIDDLE:
	case BTH_RC_SEND_LAST:
	case BTH_RC_SEND_LAST_IMM:
	case BTH_RC_SEND_LAST_INV:
	case BTH_RC_WRITE_MIDDLE:
	case BTH_RC_WRITE_LAST:
	case BTH_RC_WRITE_LAST_IMM:
	case BTH_RC_READ_MIDDLE:
	case BTH_RC_READ_LAST:
		return false;
	}
	return true;
}

static bool opcode_ends(uint8_t opcode)
{
	switch (opcode) {
	case BTH_RC_SEND_FIRST:
	case BTH_RC_SEND_MIDDLE:
	case BTH_RC_WRITE_FIRST:
	case BTH_RC_WRITE_MIDDLE:
	case BTH_RC_READ_FIRST:
	case BTH_RC_READ_MIDDLE:
		return false;
	}
	return true;
}

uint8_t fault_class(const struct fault *f, const struct pkt *p)
{
	if (f->p.by_pcp && p->hdr->flags & HDR_VLAN)
		return f->p.pcp_to_class[p->hdr->vlan_tci >> 13];
	return f->p.dscp_to_class[pkt_dscp(p)];
}

// Finds the queue pair of a RoCE frame, and lets the records find it that name its address.
static void find_pair(struct fault *f, struct passage *a)
{
	const struct hdr *h = a->pkt->hdr;
	bool is_ipv6 = !(h->flags & HDR_IPV4);
	struct pair_key key = {.qpn = a->pkt->u.rc.qpn, .ipv6 = is_ipv6};
	const struct rules *address;

	memcpy(key.daddr, h->daddr, is_ipv6 ? 16 : 4);
	a->pair = pairs_find(&f->pairs, &key);
	if (a->pair)
		return;
	address = seen_address(f, &key);
	a->pair = seen_add(f, &key, address);
	if (!a->pair && address)
		rules_find(address, &a->facts);
}

static bool needs_first(const struct fault *f, const struct passage *a)
{
	return pair_stream(a->pair, a->facts.kind)->first == FAULT_PSN_SEEN && f->p.heard &&
	       a->facts.kind != FAULT_CNP;
}

// The first PSN of a queue pair whose first frame this is, by its connection's messages.
ASIDE void learn_first(const struct fault *f, const struct passage *a)
{
	struct stream *s = pair_stream(a->pair, a->facts.kind);

	s->first = heard_first(f->p.heard, &a->pair->key, s != &a->pair->stream[0]);
}

// Finds the records that name the frame.
static void find_records(struct fault *f, struct passage *a)
{
	struct facts *facts = &a->facts;
	const struct pkt *p = a->pkt;

	facts->now = a->now;
	facts->kind = roce_kind(p);
	facts->cls = fault_class(f, p);
	facts->found = f->found;
	if (facts->kind != FAULT_OTHER) {
		a->qpn = p->u.rc.qpn;
		a->psn = facts->kind == FAULT_CNP ? 0 : p->u.rc.psn;
		if (facts->kind & (FAULT_DATA | FAULT_READ_RESPONSE))
			facts->last = opcode_ends(p->u.rc.opcode);
		find_pair(f, a);
	}
	if (a->pair && UNLIKELY(needs_first(f, a)))
		learn_first(f, a);
	if (a->pair) {
		struct sighting seen =
			pair_saw(a->pair, facts->kind, p->u.rc.psn, opcode_begins(p->u.rc.opcode));

		facts->has_psn = seen.has_psn;
		facts->psn = seen.psn;
		facts->nth = seen.nth;
		facts->pass = seen.pass;
		if (a->pair->own)
			rules_find(a->pair->own, facts);
		if (a->pair->address)
			rules_find(a->pair->address, facts);
	}
	rules_find(f->all, facts);
}

void fault_tell(struct fault *f, const struct passage *a, uint32_t record)
{
	const struct fault_record *r = &f->p.record[record];
	struct ev *e = ev_put(f->p.events, EV_FAULT, a->now);

	if (!e)
		return;
	e->port = f->p.port;
	e->cls = a->facts.cls;
	e->fault = (struct ev_fault){
		.record = r->number,
		.hdr = a->hdr,
		.psn = a->psn,
		.qpn = a->qpn,
		.nth = a->facts.nth,
		.bytes = a->bytes,
		.action = (uint8_t)r->action,
		.kind = a->facts.kind,
	};
}

// The records act in their order; the frame ends where one drops it.
static void hit(struct fault *f, struct passage *a)
{
	a->hdr = pkt_hdr_id(a->pkt);
	a->bytes = a->pkt->len;
	for (uint32_t i = 0; i < a->facts.n_found && a->pkt; i++) {
		uint32_t record = a->facts.found[i];
		const struct fault_record *r = &f->p.record[record];

		if (r->by_chance && !chance_hits(&f->chance[record], &r->chance, a->bytes))
			continue;
		if (action_do(f, a, record)) {
			f->record[record].matched++;
			fault_tell(f, a, record);
		} else {
			f->record[record].missed++;
		}
	}
}

void fault_put(struct fault *f, struct pkt *p, tstamp now)
{
	struct passage a = {.pkt = p, .now = now, .until = now};

	exit_release(f, now);
	f->stats.in_frames++;
	f->seq++;
	if (UNLIKELY(f->p.heard && p->kind == PKT_ROCE && p->flags & PKT_F_FOREIGN))
		heard_take(f->p.heard, p);
	find_records(f, &a);
	if (a.facts.n_found)
		hit(f, &a);
	if (a.pkt)
		action_end(f, &a, a.pkt);
}

struct pkt *fault_get(struct fault *f, tstamp now)
{
	struct pkt *p;

	exit_release(f, now);
	p = f->on;
	if (!p)
		return NULL;
	f->on = p->next;
	f->n_on--;
	f->stats.on_frames++;
	return p;
}

tstamp fault_deadline(const struct fault *f)
{
	return tstamp_min(holds_due(&f->holds), f->forges);
}

uint32_t fault_held(const struct fault *f)
{
	return f->holds.n + f->n_on;
}

void fault_each_held(const struct fault *f, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	for (uint32_t i = 0; i < f->holds.n; i++)
		fn(arg, f->holds.heap[i]->pkt);
	for (const struct pkt *p = f->on; p; p = p->next)
		fn(arg, p);
}

const struct fault_stats *fault_stats(const struct fault *f)
{
	return &f->stats;
}

struct fault_record_stats fault_record_stats(const struct fault *f, uint32_t i)
{
	return f->record[i];
}
