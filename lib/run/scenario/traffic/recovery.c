// SPDX-License-Identifier: BSD-3-Clause
// Selective repeat of a queue pair: how many packets may be in flight, and how long it waits for an
// answer, by the way that its packets take.
#include <errno.h>
#include <string.h>

#include "base/fixed.h"
#include "int.h"

#define NACK_LEN   66 // bytes of a NACK over IPv4
#define NACK_LEAST 62 // and of one that counts as an ACK

static bool repairs(const struct spec_flow *s)
{
	return s->recovery != SPEC_GO_BACK_N;
}

static const struct yamldoc_node *said(const struct draft_flow *f, const char *key)
{
	return opt_source(&scene_opts_flow, f->spec, key);
}

// The first of its keys that says something, though the flow goes back n. NULL: none does.
static const char *idle_key(const struct spec_flow *s)
{
	return s->cap != OPT_AUTO          ? "cap"
	       : s->rto_low != OPT_AUTO    ? "rto_low"
	       : s->rto_high != OPT_AUTO   ? "rto_high"
	       : s->nack_threshold != 1    ? "nack_threshold"
	       : s->nack_bytes != NACK_LEN ? "nack_bytes"
					   : NULL;
}

static int refuse_idle(struct draft *b, const struct draft_flow *f)
{
	const char *key = idle_key(f->spec);

	if (!key)
		return 0;
	return yamldoc_err(b->err, draft_given(&scene_opts_flow, f->spec, key, f->key),
		"flow '%s' goes back n, and has no use for %s; give it recovery: irn or skip, or "
		"leave the key out",
		f->name, key);
}

static void warn_of(struct draft *b, const struct draft_flow *f, const struct yamldoc_node *map,
	const char *key, const char *why)
{
	const struct yamldoc_item *own = yamldoc_find(map, key);

	if (own)
		draft_warn(b, own->key,
			"flow '%s': its recovery has no use for %s; %s; leave the key out", f->name,
			key, why);
}

void traffic_recovery_warn(
	struct draft *b, const struct draft_flow *f, const struct yamldoc_node *map)
{
	const struct spec_flow *s = f->spec;
	struct spec_flow usual = {0};

	if (!repairs(s))
		return;
	opt_init(&scene_opts_flow, &usual);
	if (s->window != usual.window)
		warn_of(b, f, map, "window", "cap limits the packets in flight");
	if (s->ack_every != usual.ack_every)
		warn_of(b, f, map, "ack_every", "each packet is answered");
	if (s->rto != usual.rto)
		warn_of(b, f, map, "rto", "rto_low and rto_high are its timeouts");
}

int traffic_recovery_check(struct draft *b, const struct draft_flow *f)
{
	const struct spec_flow *s = f->spec;
	const struct yamldoc_node *at = said(f, "recovery") ? said(f, "recovery") : f->key;

	if (f->is_open_loop)
		return 0;
	if (!repairs(s))
		return refuse_idle(b, f);
	if (b->s->hpcc_sim)
		return yamldoc_err(b->err, at,
			"framing hpcc_sim has a recovery of its own; leave `recovery` out");
	if (s->nack_bytes != NACK_LEAST && s->nack_bytes != NACK_LEN)
		return yamldoc_err(b->err, said(f, "nack_bytes"),
			"a NACK has 66 bytes, or 62 if it counts as an ACK");
	if (s->recovery == SPEC_SKIP && s->nack_threshold != 1)
		return yamldoc_err(b->err, said(f, "nack_threshold"),
			"flow '%s': recovery skip goes back at the first NACK; take recovery: irn, "
			"or leave nack_threshold out",
			f->name);
	if (s->nack_bytes == NACK_LEAST && b->opts && b->opts->real)
		return yamldoc_err(b->err, said(f, "nack_bytes"),
			"flow '%s': on the real clock a NACK has 66 bytes; leave nack_bytes out",
			f->name);
	return 0;
}

// Goes from a node that was reached to the other end of one of its links.
static unsigned reach_by(
	struct draft *b, const struct draft_reach *from, unsigned port, uint32_t bytes, unsigned n)
{
	const struct draft_node *node = from->node, *to = draft_peer(node, port);
	const struct draft_link *l = node->port[port]->link;
	struct draft_reach *at = &b->reach[b->n_nodes + to->place];
	tstamp frame = rate_time(rate_byte_ps(l->spec.rate), bytes + PKT_WIRE);
	tstamp ack = rate_time(rate_byte_ps(l->spec.rate), PKT_MIN_LEN + 2 + PKT_WIRE);
	tstamp stays = to->is_switch ? to->sw->latency : 0;
	struct draft_reach r = *from;

	if (at->hops && at->hops <= from->hops)
		return n;
	r.node = to;
	r.hops++;
	r.trip += frame + ack + 2 * (l->spec.delay + stays);
	r.frame = tstamp_max(r.frame, frame);
	r.slowest = !r.slowest || l->spec.rate < r.slowest ? l->spec.rate : r.slowest;
	if (to->is_switch && to->sw->buffer > r.buffer)
		r.buffer = to->sw->buffer;
	if (!at->hops)
		b->reach[n++].node = to;
	if (r.trip > at->trip) // of several shortest ways the longest
		*at = r;
	return n;
}

// Finds the shortest ways of a host: b->reach has the nodes in the order of their distance, and
// behind these the way to each by its place.
static int reach_all(struct draft *b, const struct draft_node *from, uint32_t bytes)
{
	unsigned n = 1;

	if (b->reach_from == from)
		return 0;
	if (!b->reach)
		b->reach = draft_scrap(b, 2ul * b->n_nodes * sizeof(*b->reach));
	if (!b->reach)
		return -ENOMEM;
	memset(b->reach, 0, 2ul * b->n_nodes * sizeof(*b->reach));
	b->reach[0].node = b->reach[b->n_nodes + from->place].node = from;
	b->reach_from = from;
	for (unsigned i = 0; i < n; i++) {
		const struct draft_node *node = b->reach[i].node;

		for (unsigned p = 0; p < node->n_ports && (node->is_switch || !i); p++)
			if (draft_peer(node, p) != from)
				n = reach_by(b, &b->reach[b->n_nodes + node->place], p, bytes, n);
	}
	return 0;
}

// Bytes of its longest data frame.
static uint32_t frame_bytes(const struct scene_flow *q, const struct rc_params *p)
{
	const struct rc_cfg cfg = {
		.p = *p, .repairs = true, .reth = p->verb == RC_WRITE || p->verb == RC_WRITE_IMM};
	const struct nic_qp_params qp = {.data_hdr = &q->hdr_data, .rc = &cfg};
	const struct nic_frame frame = nic_frame_of(&qp);

	return nic_frame_len(&frame, p->mtu, true, 0);
}

// How long the slowest link takes for the largest buffer.
static tstamp drain_time(const struct draft_reach *r)
{
	return r->slowest ? fixed_muldiv(r->buffer, 8 * PS_PER_S, r->slowest) : 0;
}

// A READ keeps all responses of a message that come early, for a request has no window.
static uint64_t auto_cap(
	const struct draft_reach *r, const struct rc_params *p, const struct spec_flow *s)
{
	uint64_t trip = r->frame ? (r->trip + r->frame - 1) / r->frame : IRN_CAP_MAX;
	uint64_t packets = p->verb == RC_READ ? (s->message + p->mtu - 1) / p->mtu : 0;

	return trip > packets ? trip : packets;
}

int traffic_recovery(struct draft *b, const struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *pair, struct rc_params *to)
{
	const struct spec_flow *s = f->spec;
	const struct draft_reach *r;
	uint64_t cap = s->cap;
	int rc = repairs(s) ? reach_all(b, pair->from, frame_bytes(q, to)) : 0;

	if (rc || !repairs(s))
		return rc;
	if (pair->from->outside || pair->to->outside)
		return yamldoc_err(b->err, said(f, "recovery"),
			"flow '%s': '%s' is an external host, which knows go_back_n alone", f->name,
			pair->from->outside ? pair->from->name : pair->to->name);
	r = &b->reach[b->n_nodes + pair->to->place];
	to->recovery = s->recovery == SPEC_IRN ? RC_IRN : RC_SKIP;
	if (cap == OPT_AUTO)
		cap = auto_cap(r, to, s);
	to->window = cap < IRN_CAP_MAX ? (uint32_t)cap : IRN_CAP_MAX;
	to->rto_ps = s->rto_high;
	if (s->rto_high == OPT_AUTO)
		to->rto_ps = r->trip + drain_time(r);
	to->rto_low_ps = s->rto_low == OPT_AUTO ? to->rto_ps / 3 : s->rto_low;
	to->nack_threshold = s->nack_threshold;
	if (to->rto_low_ps <= to->rto_ps)
		return 0;
	return yamldoc_err(b->err, said(f, "rto_low"),
		"flow '%s': rto_low is %.6g us and rto_high %.6g us; the timeout for few packets "
		"is no longer than the one for many",
		f->name, (double)to->rto_low_ps / PS_PER_US, (double)to->rto_ps / PS_PER_US);
}
