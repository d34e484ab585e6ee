// SPDX-License-Identifier: BSD-3-Clause
// Fast CNP: a flow table. Its key is the fields that both directions of a queue pair have in
// common.
#include "algo/fast_cnp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/have.h"
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

// The flow of data that an ACK is about: it goes the other way, with the same UDP source port.
static struct frame_flow flow_of_ack(const struct pkt *ack)
{
	struct frame_flow f = frame_hdr_flow(ack->hdr);

	return (struct frame_flow){f.dst, f.src, f.daddr, f.saddr, f.sport, f.ipv4};
}

// A hash of the UDP port and of the MAC address that the data goes to. An ACK that comes from
// another MAC address finds no entry of this flow, whatever else it says.
static uint64_t seed_of(const struct frame_flow *f)
{
	uint16_t high;
	uint32_t low;

	memcpy(&high, f->dst, sizeof(high));
	memcpy(&low, f->dst + sizeof(high), sizeof(low));
	return ((uint64_t)f->sport << 48 ^ (uint64_t)high << 32 ^ low) * 0x9e3779b97f4a7c15;
}

static uint64_t flow_key(const struct frame_flow *f)
{
	return ip_pair_hash(seed_of(f), f->saddr, f->daddr, f->ipv4);
}

// Returns whether the entry belongs to this flow. An entry has the header of an ACK, so its
// addresses are swapped.
static bool is_flow(const struct fast_cnp_entry *e, const struct frame_flow *f)
{
	return e->hdr.sport == f->sport && !(e->hdr.flags & HDR_IPV4) == !f->ipv4 &&
	       memcmp(e->hdr.src, f->dst, sizeof(e->hdr.src)) == 0 &&
	       ip_is_same(e->hdr.daddr, f->saddr, f->ipv4) &&
	       ip_is_same(e->hdr.saddr, f->daddr, f->ipv4);
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

// Gives the entry, which is free or belongs to another flow, to this flow.
static void learn_flow(struct fast_cnp *q, struct fast_cnp_entry *e, uint32_t qpn, tstamp now)
{
	displace(q, e, now);
	q->stats.learned++;
	*e = (struct fast_cnp_entry){.qpn = qpn, .used = 1};
}

void fast_cnp_ack(struct fast_cnp *q, const struct pkt *ack, tstamp now)
{
	struct frame_flow flow = flow_of_ack(ack);
	uint32_t qpn = ack->u.rc.qpn;
	struct fast_cnp_entry *e = &q->entry[table_put(&q->table, flow_key(&flow), 0, false, now)];

	if (!e->used || e->elsewhere || !is_flow(e, &flow) ||
		tstamp_since(now, e->seen) >= q->cfg->p.age_ps)
		learn_flow(q, e, qpn, now);
	if (e->qpn != qpn) {
		e->qpn = qpn;
		e->sure = tstamp_add(now, q->cfg->p.age_ps);
		q->stats.ambiguous++;
	}
	e->hdr = *ack->hdr;
	e->seen = now;
}

// If the QPN changes, the other table learns it at once, so that the flow is in doubt there too.
// While it is in doubt, further changes go with the next regular message.
struct fast_cnp_entry *fast_cnp_ack_elsewhere(
	struct fast_cnp *q, const struct pkt *ack, unsigned to, tstamp now)
{
	struct frame_flow flow = flow_of_ack(ack);
	struct fast_cnp_entry *e = &q->entry[table_put(&q->table, flow_key(&flow), 0, false, now)];
	bool same = e->used && is_flow(e, &flow);

	if (!same || !e->elsewhere || e->to != to) {
		if (!same || e->elsewhere)
			displace(q, e, now);
		*e = (struct fast_cnp_entry){.hdr = *ack->hdr,
			.qpn = NOT_TOLD,
			.used = 1,
			.elsewhere = 1,
			.to = (uint8_t)to};
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

enum fast_cnp_verdict fast_cnp_marked(
	const struct fast_cnp *q, const struct pkt *data, struct fast_cnp_entry **entry, tstamp now)
{
	struct frame_flow flow = frame_pkt_flow(data);
	uint32_t slot = table_get(&q->table, flow_key(&flow), now);
	struct fast_cnp_entry *e = slot != TABLE_NONE ? &q->entry[slot] : NULL;

	*entry = NULL;
	if (!e || e->elsewhere || !is_flow(e, &flow) || now < e->sure)
		return FAST_CNP_UNKNOWN;
	*entry = e;
	return now < e->next ? FAST_CNP_SUPPRESSED : FAST_CNP_SEND;
}
