// SPDX-License-Identifier: BSD-3-Clause
// Fast CNP: a flow table keyed by what both directions of a queue pair have in common.
#include "algo/fast_cnp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/have.h"
#include "base/hint.h"
#include "frame/frame.h"

#define NOT_TOLD  UINT32_MAX // instead of a QPN
#define TELL_PART 16         // a flow that is elsewhere is told of so often in its age

int fast_cnp_cfg_init(struct fast_cnp_cfg *cfg, const struct fast_cnp_params *params)
{
	if (!params->entries || params->entries > 1u << 20 || params->interval_ps > PS_PER_S ||
		params->age_ps < PS_PER_US || params->age_ps > 1000 * PS_PER_S)
		return -EINVAL;
	*cfg = (struct fast_cnp_cfg){.p = *params};
	return 0;
}

int fast_cnp_init(struct fast_cnp *q, const struct fast_cnp_cfg *cfg, uint64_t salt)
{
	int rc;

	*q = (struct fast_cnp){.cfg = cfg};
	rc = table_init(&q->table, cfg->p.entries, cfg->p.age_ps, salt);
	if (rc)
		return rc;
	q->entry = have_zeroed(table_slots(&q->table) * sizeof(*q->entry), &q->mem);
	if (q->entry)
		return 0;
	fast_cnp_fini(q);
	return -ENOMEM;
}

void fast_cnp_have(struct fast_cnp *q, void (*large)(void *memory, size_t bytes))
{
	table_have(&q->table, large);
	have_memory(q->entry, table_slots(&q->table) * sizeof(*q->entry), large);
}

void fast_cnp_fini(struct fast_cnp *q)
{
	table_fini(&q->table);
	free(q->mem);
	*q = (struct fast_cnp){0};
}

// The header of a data frame that passes. Where its switch has forgotten that, `room` gets what is
// asked of it, from the frame's bytes.
static const struct hdr *header_of(const struct pkt *data, struct hdr *room)
{
	if (LIKELY(data->hdr != NULL))
		return data->hdr;
	room->flags = 0;
	frame_pkt_flow(data, room);
	return room;
}

static unsigned addr_len(const struct hdr *h)
{
	return h->flags & HDR_IPV4 ? 4 : 16;
}

static uint64_t key_of(const struct hdr *h, const uint8_t sender[16], const uint8_t receiver[16])
{
	uint64_t word[4] = {0}, key = h->sport;

	memcpy(word, sender, addr_len(h));
	memcpy(word + 2, receiver, addr_len(h));
	for (unsigned i = 0; i < 4; i++) {
		key = (key ^ word[i]) * 0x9e3779b97f4a7c15;
		key ^= key >> 32;
	}
	return key;
}

// Whether the entry's flow goes from `sender` to `receiver` with the UDP source port of h.
static bool is_flow(const struct fast_cnp_entry *e, const struct hdr *h, const uint8_t sender[16],
	const uint8_t receiver[16])
{
	unsigned n = addr_len(h);

	return e->hdr.sport == h->sport && !((e->hdr.flags ^ h->flags) & HDR_IP) &&
	       !memcmp(e->hdr.daddr, sender, n) && !memcmp(e->hdr.saddr, receiver, n);
}

// The entry gives way to another flow. A note of a flow that is elsewhere is no loss and is not
// counted.
static void displace(struct fast_cnp *q, const struct fast_cnp_entry *e, tstamp now)
{
	if (e->elsewhere)
		q->n_elsewhere--;
	else if (e->used && tstamp_since(now, e->seen) >= q->cfg->p.age_ps)
		q->stats.aged++;
	else if (e->used)
		q->stats.table_full++;
}

// The entry, which another flow or none had, is this one's from now on.
static void learn(struct fast_cnp *q, struct fast_cnp_entry *e, uint32_t qpn, tstamp now)
{
	displace(q, e, now);
	q->stats.learned++;
	*e = (struct fast_cnp_entry){.qpn = qpn, .used = 1};
}

void fast_cnp_ack(struct fast_cnp *q, const struct pkt *ack, tstamp now)
{
	const struct hdr *h = ack->hdr;
	uint32_t qpn = ack->u.rc.qpn;
	struct fast_cnp_entry *e =
		&q->entry[table_put(&q->table, key_of(h, h->daddr, h->saddr), 0, false, now)];

	if (!e->used || e->elsewhere || !is_flow(e, h, h->daddr, h->saddr) ||
		tstamp_since(now, e->seen) >= q->cfg->p.age_ps)
		learn(q, e, qpn, now);
	if (e->qpn != qpn) {
		e->qpn = qpn;
		e->sure = tstamp_add(now, q->cfg->p.age_ps);
		q->stats.ambiguous++;
	}
	e->hdr = *h;
	e->seen = now;
}

// The other table is told at once of a QPN that changes, so that the flow is in doubt there. While
// it is in doubt, further changes are told with the next regular message.
struct fast_cnp_entry *fast_cnp_ack_elsewhere(
	struct fast_cnp *q, const struct pkt *ack, unsigned to, tstamp now)
{
	const struct hdr *h = ack->hdr;
	struct fast_cnp_entry *e =
		&q->entry[table_put(&q->table, key_of(h, h->daddr, h->saddr), 0, false, now)];
	bool same = e->used && is_flow(e, h, h->daddr, h->saddr);

	if (!same || !e->elsewhere || e->to != to) {
		if (!same || e->elsewhere)
			displace(q, e, now);
		*e = (struct fast_cnp_entry){
			.hdr = *h, .qpn = NOT_TOLD, .used = 1, .elsewhere = 1, .to = (uint8_t)to};
		q->n_elsewhere++;
	}
	if (tstamp_since(now, e->seen) >= q->cfg->p.age_ps / TELL_PART)
		return e;
	return e->qpn != ack->u.rc.qpn && now >= e->sure ? e : NULL;
}

void fast_cnp_told(
	const struct fast_cnp *q, struct fast_cnp_entry *e, const struct pkt *ack, tstamp now)
{
	if (e->qpn != ack->u.rc.qpn && e->qpn != NOT_TOLD)
		e->sure = tstamp_add(now, q->cfg->p.age_ps);
	e->qpn = ack->u.rc.qpn;
	e->seen = now;
}

uint32_t fast_cnp_flows(const struct fast_cnp *q)
{
	return q->table.n - q->n_elsewhere;
}

static uint64_t key_of_data(const struct pkt *data)
{
	struct hdr room;
	const struct hdr *h = header_of(data, &room);

	return key_of(h, h->saddr, h->daddr);
}

static bool is_of_flow(const struct fast_cnp_entry *e, const struct pkt *data)
{
	struct hdr room;
	const struct hdr *h = header_of(data, &room);

	return is_flow(e, h, h->saddr, h->daddr);
}

// What Fast CNP says of a frame whose flow has this slot; TABLE_NONE: the flow is not known.
static struct fast_cnp_said verdict_of(
	const struct fast_cnp *q, uint32_t slot, const struct pkt *data, tstamp now)
{
	struct fast_cnp_entry *e = slot != TABLE_NONE ? &q->entry[slot] : NULL;

	if (!e || e->elsewhere || !is_of_flow(e, data) || now < e->sure)
		return (struct fast_cnp_said){NULL, FAST_CNP_UNKNOWN};
	return (struct fast_cnp_said){e, now < e->next ? FAST_CNP_SUPPRESSED : FAST_CNP_SEND};
}

enum fast_cnp_verdict fast_cnp_marked(
	const struct fast_cnp *q, const struct pkt *data, struct fast_cnp_entry **entry, tstamp now)
{
	uint32_t slot = table_get(&q->table, key_of_data(data), now);
	struct fast_cnp_said said = verdict_of(q, slot, data, now);

	*entry = said.entry;
	return said.verdict;
}

void fast_cnp_marked_burst(const struct fast_cnp *q, struct pkt *const *burst, uint64_t marked,
	struct fast_cnp_said *said, tstamp now)
{
	const struct table_set *set[64];
	uint64_t key[64];
	uint32_t slot[64];

	for (uint64_t left = marked; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		key[i] = key_of_data(burst[i]);
		set[i] = table_set_of(&q->table, key[i]);
		table_fetch(set[i]);
	}
	for (uint64_t left = marked; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		slot[i] = table_find(&q->table, set[i], key[i], now);
		if (slot[i] != TABLE_NONE)
			__builtin_prefetch(&q->entry[slot[i]]);
	}
	for (uint64_t left = marked; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		said[i] = verdict_of(q, slot[i], burst[i], now);
	}
}
