// SPDX-License-Identifier: BSD-3-Clause
// Completion times split by their causes (measuring.md M7): the wire, pauses of the sender, cuts of
// its rate, frames sent again with the waits for timeouts, and all else.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

// The time that the sender's link takes for a packet of this payload, ps.
static tstamp frame_ps(const struct record *r, const struct rec_flow *f, uint64_t payload)
{
	uint32_t len = nic_frame_len(&f->ideal->frame, (uint32_t)payload, false, 0);
	rate_t rate = r->scene->node[f->scene->from].port[0].rate;

	return rate_time(rate_byte_ps(rate), len + f->wire_extra);
}

static struct rec_loss *loss_of(struct record *r, struct rec_flow *f)
{
	if (!f->loss)
		f->loss = calloc(1, sizeof(*f->loss));
	if (!f->loss)
		record_fail(r, -ENOMEM, "no memory for the losses of a flow");
	return f->loss;
}

// Until t, ps in which the sender's class was paused.
static double paused(const struct record *r, const struct rec_flow *f, tstamp t)
{
	const struct rec_port *p = record_obj_port(r, f->scene->from, 0);
	const struct rec_episodes *e = p->episodes ? &p->episodes[f->scene->cls] : NULL;

	if (!e)
		return 0;
	if (e->began != TSTAMP_NEVER && t > e->began)
		return record_sum_last(&e->ended) + (double)(t - e->began);
	return record_sum_at(&e->ended, t);
}

void record_split_resent(struct record *r, struct rec_flow *f, const struct ev *e)
{
	struct rec_loss *l = f->slowest ? loss_of(r, f) : NULL;
	double sum, wire;

	if (!l)
		return;
	sum = record_sum_last(&l->resent);
	wire = (double)(e->resent.bytes + f->wire_extra) * 8e12 / (double)f->slowest;
	record_sum_add(r, &l->resent, e->t, sum);
	record_sum_add(r, &l->resent, e->t, sum + wire);
	if (e->t < record_window(r))
		return;
	l->resent_frames++;
	l->resent_ps += wire;
}

// The queue pair has waited since its last frame was through, but for pauses.
void record_split_timeout(struct record *r, struct rec_flow *f, const struct ev *e)
{
	struct rec_loss *l = f->nic && f->slowest ? loss_of(r, f) : NULL;
	uint64_t mtu = f->scene->rc->p.mtu, bytes = f->scene->req.message_bytes;
	tstamp from = e->retry.active_at;
	double sum, wait;

	if (!l)
		return;
	if (f->scene->rc->p.verb != RC_READ)
		from += frame_ps(r, f, bytes && bytes < mtu ? bytes : mtu);
	if (l->waited.n)
		from = tstamp_max(from, l->waited.point[l->waited.n - 1].t);
	from = tstamp_min(from, e->t);
	sum = record_sum_last(&l->waited);
	wait = (double)(e->t - from) - (paused(r, f, e->t) - paused(r, f, from));
	record_sum_add(r, &l->waited, from, sum);
	record_sum_add(r, &l->waited, e->t, sum + wait);
	if (e->t < record_window(r))
		return;
	l->timeouts++;
	l->waited_ps += wait;
}

// Bits that its rate has allowed in the window, by its book. gcc converts 64 bits faster than 128.
static double book_bits(const struct rp_book *b)
{
	return (double)(uint64_t)(b->rate_ps >> 32) * (0x1p32 / 1e12);
}

// Until t, in the window; not where a reaction was told too late.
static void allow(struct record *r, struct rec_flow *f, tstamp t, double bits)
{
	if (UNLIKELY(!f->allowed.n))
		record_sum_add(r, &f->allowed, record_window(r), 0);
	if (LIKELY(f->allowed.n && t >= f->allowed.point[f->allowed.n - 1].t))
		record_sum_add(r, &f->allowed, t, bits);
}

void record_split_reacted(struct record *r, struct rec_flow *f, tstamp t)
{
	allow(r, f, t, book_bits(&f->book));
}

// Until t, behind the last reaction or before it.
static void allow_since(struct record *r, struct rec_flow *f, tstamp t)
{
	tstamp window = record_window(r), since = tstamp_max(f->book.since, window);
	double more = t > since ? (double)f->book.rate * (double)(t - since) / 1e12 : 0;

	if (t >= window)
		allow(r, f, t, book_bits(&f->book) + more);
}

// The part of the time from `from` to `to` by which its rate kept the queue pair from the speed of
// its slowest link.
static double cut_share(struct record *r, struct rec_flow *f, tstamp from, tstamp to)
{
	double mean;

	if (!f->rp || f->limiter)
		return 0;
	allow_since(r, f, to);
	from = tstamp_max(from, record_window(r));
	if (to <= from)
		return 0;
	mean = (record_sum_at(&f->allowed, to) - record_sum_at(&f->allowed, from)) * 1e12 /
	       (double)(to - from);
	return mean < (double)f->slowest ? 1 - mean / (double)f->slowest : 0;
}

// Causes may overlap where a message waits for several at once: later ones of this list lose.
static double part_of(double *left, double part)
{
	double taken = part < *left ? part : *left;

	taken = taken > 0 ? taken : 0;
	*left -= taken;
	return taken;
}

void record_split_done(struct record *r, struct rec_flow *f, const struct ev *e, tstamp ideal)
{
	tstamp since = rec_message_since(f, &e->message), last = f->packet_ps, until;
	struct rec_split *s[] = {&f->split, &r->group[f->group].split};
	double left = (double)(e->t - since), resent, waited = 0, stopped, cut, part[REC_CAUSES];

	if (!ideal || !f->nic)
		return;
	// From then on the last frame was on its way, and nothing could hold the sender back.
	until = e->t - tstamp_min(e->t - since, ideal < last ? ideal : last);
	resent = f->loss ? record_sum_at(&f->loss->resent, until) -
				   record_sum_at(&f->loss->resent, since)
			 : 0;
	if (f->loss)
		waited = record_sum_at(&f->loss->waited, until) -
			 record_sum_at(&f->loss->waited, since);
	stopped = paused(r, f, until) - paused(r, f, since);
	cut = ((double)(until - since) - stopped - waited) * cut_share(r, f, since, until);
	part[REC_WIRE] = part_of(&left, (double)ideal);
	part[REC_RESEND] = part_of(&left, resent + waited);
	part[REC_PAUSE] = part_of(&left, stopped);
	part[REC_CUT] = part_of(&left, cut);
	part[REC_QUEUE] = left;
	for (unsigned i = 0; i < 2; i++) {
		s[i]->messages++;
		for (unsigned k = 0; k < REC_CAUSES; k++)
			s[i]->ps[k] += part[k];
	}
	record_sum_forget(&f->allowed, since);
	if (f->loss)
		record_sum_forget(&f->loss->resent, since);
	if (f->loss)
		record_sum_forget(&f->loss->waited, since);
}

void record_split_free(struct record *r)
{
	for (unsigned i = 0; r->flow && i < r->n_flows; i++) {
		record_sum_free(&r->flow[i].allowed);
		if (!r->flow[i].loss)
			continue;
		record_sum_free(&r->flow[i].loss->resent);
		record_sum_free(&r->flow[i].loss->waited);
		free(r->flow[i].loss);
	}
	for (unsigned i = 0; r->port && i < r->n_ports; i++)
		for (unsigned k = 0; r->port[i].episodes && k < REC_EPISODES; k++)
			record_sum_free(&r->port[i].episodes[k].ended);
}
