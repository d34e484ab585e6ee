// SPDX-License-Identifier: BSD-3-Clause
// The injector: finds the records that name a frame, carries them out, and sends frames on.
#include "fault.h"

#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "wire/bth.h"

// A frame on its way through the injector.
struct passage {
	struct pkt *pkt;
	struct pair *pair; // NULL: none is kept
	uint32_t psn;      // as it came; 0: it has none
	uint32_t qpn;
	tstamp now;
	tstamp until;  // it stays until then
	tstamp within; // with `behind`: it goes on then at the latest
	uint32_t behind;
	struct line *line;
	uint32_t hdr;   // id of its header, as it came
	uint16_t bytes; // of it, as it came
	struct facts facts;
};

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

static uint8_t class_of(const struct fault *f, const struct pkt *p)
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

// Finds the records that name the frame.
static void find_records(struct fault *f, struct passage *a)
{
	struct facts *facts = &a->facts;
	const struct pkt *p = a->pkt;

	facts->kind = roce_kind(p);
	facts->cls = class_of(f, p);
	facts->found = f->found;
	if (facts->kind != FAULT_OTHER) {
		a->qpn = p->u.rc.qpn;
		a->psn = facts->kind == FAULT_CNP ? 0 : p->u.rc.psn;
		if (facts->kind & (FAULT_DATA | FAULT_READ_RESPONSE))
			facts->last = opcode_ends(p->u.rc.opcode);
		find_pair(f, a);
	}
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

static void on_put(struct fault *f, struct pkt *p)
{
	p->next = NULL;
	if (f->on)
		f->on_last->next = p;
	else
		f->on = p;
	f->on_last = p;
	f->n_on++;
}

// A frame has gone on: those that wait for it are due when no other one is missing.
static void line_pass(struct fault *f, struct line *line, uint64_t seq, tstamp now)
{
	for (struct held *it = line->first, *next; it; it = next) {
		next = it->next;
		if (it->seq < seq && !--it->behind)
			holds_move(&f->holds, it, it->until <= now ? 0 : it->until);
	}
}

// A frame goes on, and behind it the frames that have waited for it only.
static void go_on(struct fault *f, struct pkt *p, struct pair *pair, uint64_t seq, tstamp now)
{
	for (;;) {
		struct held due;

		on_put(f, p);
		line_pass(f, &f->waits, seq, now);
		if (pair)
			line_pass(f, &pair->waits, seq, now);
		if (holds_due(&f->holds))
			return;
		due = holds_take(&f->holds, f->holds.heap[0]);
		p = due.pkt;
		pair = due.pair;
		seq = due.seq;
	}
}

static void release(struct fault *f, tstamp now)
{
	while (holds_due(&f->holds) <= now) {
		struct held due = holds_take(&f->holds, f->holds.heap[0]);

		go_on(f, due.pkt, due.pair, due.seq, now);
	}
}

static bool stays(const struct passage *a)
{
	return a->behind || a->until > a->now;
}

// Sends a frame or its copy on, or holds it.
static void passage_end(struct fault *f, const struct passage *a, struct pkt *p)
{
	const struct held it = {
		.pkt = p,
		.pair = a->pair,
		.seq = f->seq,
		.at = a->behind ? tstamp_max(a->until, a->within) : a->until,
		.until = a->until,
		.behind = a->behind,
	};

	if (stays(a))
		holds_put(&f->holds, &it, a->behind ? a->line : NULL);
	else
		go_on(f, p, a->pair, f->seq, a->now);
}

static bool act_ecn(struct fault *f, struct passage *a)
{
	if (a->pkt->kind == PKT_BAD || !pkt_is_ip(a->pkt))
		return false;
	pkt_mark_ce(a->pkt);
	f->stats.marked_frames++;
	return true;
}

static bool act_drop(struct fault *f, struct passage *a)
{
	f->stats.dropped_frames++;
	f->stats.dropped_bytes += a->pkt->len + PKT_FCS;
	pkt_put(f->p.stack, a->pkt);
	a->pkt = NULL;
	return true;
}

static bool has_room(const struct fault *f, const struct passage *a)
{
	return stays(a) || f->holds.n < f->holds.room;
}

static bool act_delay(struct fault *f, struct passage *a, const struct fault_record *r)
{
	if (!has_room(f, a))
		return false;
	a->until = tstamp_add(a->until, r->delay);
	f->stats.delayed_frames++;
	return true;
}

static bool act_reorder(
	struct fault *f, struct passage *a, const struct fault_record *r, bool of_port)
{
	if (!has_room(f, a) || !(of_port || a->pair))
		return false;
	a->behind = r->reorder.behind;
	a->within = tstamp_add(a->now, r->reorder.within);
	a->line = of_port ? &f->waits : &a->pair->waits;
	f->stats.reordered_frames++;
	return true;
}

// A copy of a frame; NULL: there is no descriptor, or no room for the bytes.
static struct pkt *copy_of(struct pkt_stack *s, const struct pkt *p)
{
	struct pkt *copy;

	if (p->data_off && p->len > s->room && !s->longer)
		return NULL;
	copy = pkt_get_like(s, p);
	if (copy)
		pkt_clone(copy, p, s->data_off);
	return copy;
}

// Copies fare as the frame does up to here. One more place is kept for the frame if it is to stay.
static bool act_duplicate(struct fault *f, struct passage *a, const struct fault_record *r)
{
	for (uint32_t i = 0; i < r->copies; i++) {
		struct pkt *copy = NULL;

		if (!stays(a) || f->holds.n + 1 < f->holds.room)
			copy = copy_of(f->p.stack, a->pkt);
		if (!copy)
			return false;
		f->stats.copied_frames++;
		passage_end(f, a, copy);
	}
	return true;
}

static bool act(struct fault *f, struct passage *a, uint32_t record)
{
	const struct fault_record *r = &f->p.record[record];

	switch (r->action) {
	case FAULT_ECN:
		return act_ecn(f, a);
	case FAULT_DROP:
		return act_drop(f, a);
	case FAULT_DELAY:
		return act_delay(f, a, r);
	case FAULT_REORDER:
		return act_reorder(f, a, r, f->of_all[record]);
	case FAULT_DUPLICATE:
		return act_duplicate(f, a, r);
	default:
		return false;
	}
}

static void tell(struct fault *f, const struct passage *a, uint32_t record)
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
		if (act(f, a, record)) {
			f->record[record].matched++;
			tell(f, a, record);
		} else {
			f->record[record].missed++;
		}
	}
}

void fault_put(struct fault *f, struct pkt *p, tstamp now)
{
	struct passage a = {.pkt = p, .now = now, .until = now};

	release(f, now);
	f->stats.in_frames++;
	f->seq++;
	find_records(f, &a);
	if (a.facts.n_found)
		hit(f, &a);
	if (a.pkt)
		passage_end(f, &a, a.pkt);
}

struct pkt *fault_get(struct fault *f, tstamp now)
{
	struct pkt *p;

	release(f, now);
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
	return holds_due(&f->holds);
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
