// SPDX-License-Identifier: BSD-3-Clause
// iQCN: a flow table with its entries in the order of their last CNPs, so that the oldest is due
// first.
#include "algo/iqcn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/have.h"

#define SHARE    100 // one hundredth of a port's rate
#define CNP_BITS (8 * (74 + PKT_WIRE))

uint64_t iqcn_port_share(rate_t rate)
{
	uint64_t n = rate / (SHARE * CNP_BITS);

	return n ? n : 1;
}

static bool params_ok(const struct iqcn_params *p)
{
	return p->n_ports && p->entries && p->entries <= 1u << 20 &&
	       p->rpg_time_reset_ps >= PS_PER_US && p->rpg_time_reset_ps <= PS_PER_S &&
	       p->margin >= 0.01 && p->margin <= 1 && p->path_delay_ps <= PS_PER_S &&
	       p->entry_gap_ps <= PS_PER_S && p->port_burst >= 1 && p->port_burst <= 65536;
}

static bool limits_ok(const struct iqcn_params *p)
{
	for (unsigned i = 0; p->port_cnps_per_s && i < p->n_ports; i++)
		if (p->port_cnps_per_s[i] > PS_PER_S)
			return false;
	return true;
}

int iqcn_cfg_init(struct iqcn_cfg *cfg, const struct iqcn_params *params)
{
	const struct iqcn_params *p = params;
	struct iqcn_cfg c = {.p = *p};

	if (!params_ok(p) || !limits_ok(p))
		return -EINVAL;
	c.due_ps = (tstamp)(p->margin * (double)p->rpg_time_reset_ps + 0.5);
	c.due_ps = tstamp_max(tstamp_since(c.due_ps, p->path_delay_ps), p->entry_gap_ps);
	c.age_ps = p->age_ps ? p->age_ps : 10 * p->rpg_time_reset_ps;
	c.np_age_ps = p->np_age_ps ? p->np_age_ps : PS_PER_S;
	if (!c.due_ps || c.age_ps <= c.due_ps || c.np_age_ps <= c.due_ps)
		return -EINVAL;
	*cfg = c;
	return 0;
}

static void limit(struct iqcn_port *o, uint64_t cnps_per_s, unsigned burst)
{
	o->token_ps = cnps_per_s ? PS_PER_S / cnps_per_s : 0;
	o->burst_ps = (burst - 1) * o->token_ps;
}

#define MARKS_PER_ENTRY 4

// Marks of data: a power of two of them.
static int init_data(struct iqcn *q, uint32_t entries, uint64_t salt)
{
	unsigned bits = 10;

	while (1ull << bits < MARKS_PER_ENTRY * (uint64_t)entries)
		bits++;
	q->data = have_zeroed(sizeof(*q->data) << bits, &q->mem[0]);
	q->data_shift = 64 - bits;
	q->data_salt = salt;
	return q->data ? 0 : -ENOMEM;
}

int iqcn_init(struct iqcn *q, const struct iqcn_cfg *cfg, uint64_t salt)
{
	int rc;

	*q = (struct iqcn){.cfg = cfg};
	rc = table_init(&q->table, cfg->p.entries, TSTAMP_NEVER, salt);
	if (rc)
		return rc;
	q->entry = have_zeroed(table_slots(&q->table) * sizeof(*q->entry), &q->mem[1]);
	q->port = calloc(cfg->p.n_ports, sizeof(*q->port));
	if (!q->entry || !q->port || init_data(q, cfg->p.entries, salt)) {
		iqcn_fini(q);
		return -ENOMEM;
	}
	for (unsigned i = 0; cfg->p.port_cnps_per_s && i < cfg->p.n_ports; i++)
		limit(&q->port[i], cfg->p.port_cnps_per_s[i], cfg->p.port_burst);
	return 0;
}

void iqcn_have(struct iqcn *q, void (*large)(void *memory, size_t bytes))
{
	table_have(&q->table, large);
	have_memory(q->entry, table_slots(&q->table) * sizeof(*q->entry), large);
	have_memory((void *)q->data, sizeof(*q->data) << (64 - q->data_shift), large);
}

void iqcn_fini(struct iqcn *q)
{
	table_fini(&q->table);
	free(q->port);
	free(q->mem[0]);
	free(q->mem[1]);
	*q = (struct iqcn){0};
}

void iqcn_join(struct iqcn *q, const struct iqcn *const *all, unsigned n)
{
	q->mate = all;
	q->mates = n;
}

// Returns whether the entry belongs to the flow of a CNP. The flow's key is the sender of the data
// (the CNP's destination), the receiver (its source) and the sender's QPN.
static bool is_flow(const struct iqcn_entry *e, const struct hdr *h, uint32_t qpn)
{
	bool ipv4 = h->flags & HDR_IPV4;

	return e->qpn == qpn && !((e->hdr.flags ^ h->flags) & HDR_IP) &&
	       ip_is_same(e->hdr.daddr, h->daddr, ipv4) && ip_is_same(e->hdr.saddr, h->saddr, ipv4);
}

static uint64_t flow_key(const struct hdr *h, uint32_t qpn)
{
	return ip_pair_hash(qpn * 0x9e3779b97f4a7c15, h->daddr, h->saddr, h->flags & HDR_IPV4);
}

static void unlink_entry(struct iqcn *q, uint32_t i)
{
	struct iqcn_entry *e = &q->entry[i];
	struct iqcn_port *o = &q->port[e->port];

	*(e->older ? &q->entry[e->older - 1].newer : &o->oldest) = e->newer;
	*(e->newer ? &q->entry[e->newer - 1].older : &o->newest) = e->older;
	o->flows--;
	q->flows--;
	e->used = 0;
}

static void link_newest(struct iqcn *q, uint32_t i, unsigned port)
{
	struct iqcn_entry *e = &q->entry[i];
	struct iqcn_port *o = &q->port[port];

	e->port = (uint16_t)port;
	e->newer = 0;
	e->older = o->newest;
	*(o->newest ? &q->entry[o->newest - 1].newer : &o->oldest) = i + 1;
	o->newest = i + 1;
	o->flows++;
	q->flows++;
	e->used = 1;
	e->put_off = 0;
}

static void forget(struct iqcn *q, uint32_t i)
{
	unlink_entry(q, i);
	table_del(&q->table, table_key(&q->table, i));
	q->stats.aged++;
}

static tstamp marked(const struct iqcn *q, uint32_t pair)
{
	return atomic_load_explicit(&q->data[pair], memory_order_relaxed);
}

// When data of a pair last passed; 0: never.
static tstamp last_data(const struct iqcn *q, uint32_t pair)
{
	tstamp last = marked(q, pair);

	for (unsigned i = 0; i < q->mates; i++)
		last = tstamp_max(last, marked(q->mate[i], pair));
	return last;
}

tstamp iqcn_seen(const struct iqcn *q, const struct iqcn_entry *e)
{
	return tstamp_max(e->np_last, last_data(q, e->pair));
}

// The marks are not fetched first: a processor has the stores of a whole burst under way.
void iqcn_data_burst(struct iqcn *q, struct pkt *const *burst, unsigned n, tstamp now)
{
	for (; n; n--, burst++)
		iqcn_data(q, (*burst)->hdr, now);
}

bool iqcn_saw_data(const struct iqcn *q, const struct hdr *cnp, tstamp now)
{
	uint32_t i = iqcn_pair(q, cnp->daddr, cnp->saddr, cnp->src, cnp->flags & HDR_IPV4);
	tstamp last = last_data(q, i);

	return last && tstamp_since(now, last) < q->cfg->age_ps;
}

// CNPs that the switch sends itself do not count. Otherwise they would keep a flow known whose data
// ended long ago.
bool iqcn_is_aged(const struct iqcn *q, const struct iqcn_entry *e, tstamp now)
{
	return tstamp_since(now, iqcn_seen(q, e)) >= q->cfg->age_ps ||
	       e->np_last < q->port[e->port].ways_since;
}

// The entry in slot i gives way to another flow.
static void displace(struct iqcn *q, uint32_t i, tstamp now)
{
	if (iqcn_is_aged(q, &q->entry[i], now))
		q->stats.aged++;
	else
		q->stats.table_full++;
	unlink_entry(q, i);
}

void iqcn_cnp(struct iqcn *q, unsigned port, const struct pkt *cnp, tstamp now)
{
	const struct hdr *h = cnp->hdr;
	uint32_t qpn = cnp->u.rc.qpn;
	uint32_t i = table_put(&q->table, flow_key(h, qpn), 0, false, now);
	struct iqcn_entry *e = &q->entry[i];
	bool known = e->used && is_flow(e, h, qpn) && !iqcn_is_aged(q, e, now);

	if (known)
		unlink_entry(q, i);
	else if (e->used)
		displace(q, i, now);
	if (!known) {
		q->stats.learned++;
		e->tx_cnps = 0;
		e->pair = iqcn_pair(q, h->daddr, h->saddr, h->src, h->flags & HDR_IPV4);
	}
	e->hdr = *h;
	e->qpn = qpn;
	e->len = cnp->len;
	e->tos = cnp->tos;
	e->last = e->np_last = now;
	link_newest(q, i, port);
	q->port[port].rx_cnps++;
	q->stats.rx_cnps++;
}

void iqcn_tidy(struct iqcn *q, tstamp now)
{
	for (unsigned port = 0; port < q->cfg->p.n_ports; port++)
		for (uint32_t i = q->port[port].oldest, next; i; i = next) {
			next = q->entry[i - 1].newer;
			if (iqcn_is_aged(q, &q->entry[i - 1], now))
				forget(q, i - 1);
		}
}

void iqcn_ways_change(struct iqcn *q, unsigned port, tstamp now)
{
	q->port[port].ways_since = now;
}

void iqcn_heavy(struct iqcn *q, unsigned port, bool heavy)
{
	q->port[port].heavy = heavy;
}

// GCRA: the instant from which the port has a token.
static tstamp token_at(const struct iqcn_port *o)
{
	return tstamp_since(o->tat, o->burst_ps);
}

// Notes that the port's oldest flow is due but has to wait for a token; each wait counts once.
// Returns NULL, for iqcn_expire().
static const struct iqcn_entry *put_off(struct iqcn *q, struct iqcn_entry *e)
{
	q->stats.capped += !e->put_off;
	e->put_off = 1;
	return NULL;
}

// The port's oldest flow gets its CNP.
static const struct iqcn_entry *send(struct iqcn *q, struct iqcn_port *o, tstamp now)
{
	uint32_t i = o->oldest - 1;
	struct iqcn_entry *e = &q->entry[i];

	o->tat = tstamp_max(o->tat, now) + o->token_ps;
	unlink_entry(q, i);
	link_newest(q, i, e->port);
	e->waited_ps = now - e->last;
	e->last = now;
	table_touch(&q->table, i, now);
	e->tx_cnps++;
	o->tx_cnps++;
	q->stats.tx_cnps++;
	return e;
}

const struct iqcn_entry *iqcn_expire(struct iqcn *q, unsigned port, tstamp now)
{
	struct iqcn_port *o = &q->port[port];

	while (o->oldest) {
		uint32_t i = o->oldest - 1;
		struct iqcn_entry *e = &q->entry[i];

		if (iqcn_is_aged(q, e, now)) {
			forget(q, i);
			continue;
		}
		if (!o->heavy || tstamp_since(now, e->last) < q->cfg->due_ps)
			return NULL;
		if (tstamp_since(now, e->np_last) >= q->cfg->np_age_ps)
			forget(q, i); // the data may be another queue pair's
		else
			return now < token_at(o) ? put_off(q, e) : send(q, o, now);
	}
	return NULL;
}

tstamp iqcn_deadline(const struct iqcn *q, unsigned port)
{
	const struct iqcn_port *o = &q->port[port];
	const struct iqcn_entry *e;

	if (!o->heavy || !o->oldest)
		return TSTAMP_NEVER;
	e = &q->entry[o->oldest - 1];
	return tstamp_max(e->last + q->cfg->due_ps, e->put_off ? token_at(o) : 0);
}
