// SPDX-License-Identifier: BSD-3-Clause
// Streams of frames: their bursts, the CE in them, and the first number that is missing.
#include "int.h"

static bool is_stream(const struct stream *s, const struct ends *e, uint32_t number, unsigned kind)
{
	return s->kind == kind && s->is.number == number && s->is.ipv6 == e->ipv6 &&
	       !memcmp(s->is.saddr, e->saddr, 16) && !memcmp(s->is.daddr, e->daddr, 16);
}

static void stream_begin(struct outside *o, struct stream *s, const struct ends *e, uint32_t number,
	enum stream_kind kind)
{
	s->kind = (uint8_t)kind;
	s->is = (struct outside_stream){.open_loop = kind == STREAM_GEN_IN,
		.ipv6 = e->ipv6,
		.number = number,
		.first_missing = OUTSIDE_NONE};
	memcpy(s->is.saddr, e->saddr, 16);
	memcpy(s->is.daddr, e->daddr, 16);
	if (kind == STREAM_DATA_IN || kind == STREAM_GEN_IN)
		o->shown[o->n_shown++] = (uint16_t)(s - o->stream);
}

struct stream *stream_of(struct outside *o, const struct pkt *p, enum stream_kind kind)
{
	const unsigned slots = 2 * OUTSIDE_STREAMS;
	uint32_t number = kind == STREAM_GEN_IN ? p->u.gen.source : p->u.rc.qpn, at;
	struct stream *s;
	struct ends e;

	if (!outside_ends(&e, p))
		return NULL;
	if (o->newest && is_stream(o->newest, &e, number, kind))
		return o->newest;
	at = outside_hash(e.saddr, e.daddr, number, kind);
	for (; o->stream_at[at % slots]; at++) {
		s = &o->stream[o->stream_at[at % slots] - 1];
		if (is_stream(s, &e, number, kind))
			return o->newest = s;
	}
	if (o->n_streams == OUTSIDE_STREAMS) {
		o->totals.unknown++;
		return NULL;
	}
	s = &o->stream[o->n_streams++];
	o->stream_at[at % slots] = (uint16_t)o->n_streams;
	stream_begin(o, s, &e, number, kind);
	return o->newest = s;
}

// The number of a frame of an open-loop source. Sources count from 0.
static void number_seen(struct stream *s, uint32_t seq)
{
	int32_t ahead = (int32_t)(seq - s->next);

	if (ahead < 0) { // it has come late
		s->is.missing -= s->is.missing != 0;
		if (s->is.first_missing == seq)
			s->is.first_missing = OUTSIDE_NONE;
		return;
	}
	if (ahead > 0 && !s->is.missing)
		s->is.first_missing = s->next;
	s->is.missing += (uint32_t)ahead;
	s->next = seq + 1;
}

static void index_seen(struct stream *s, bool marked)
{
	struct outside_stream *is = &s->is;

	if (!marked)
		return;
	is->ce_frames++;
	is->last_ce_most = s->index > is->last_ce_most ? s->index : is->last_ce_most;
	if (s->ce_in_burst)
		return;
	s->ce_in_burst = true;
	if (!is->ce_bursts || s->index < is->first_ce_least)
		is->first_ce_least = s->index;
	if (s->index > is->first_ce_most)
		is->first_ce_most = s->index;
	is->ce_bursts++;
}

void stream_came(struct outside *o, const struct pkt *p, tstamp now)
{
	bool open_loop = p->kind == PKT_GEN;
	struct stream *s = stream_of(o, p, open_loop ? STREAM_GEN_IN : STREAM_DATA_IN);
	tstamp first = now - tstamp_min(outside_wire(o, p), now);

	if (!s)
		return;
	if (s->is.frames && tstamp_since(first, s->last) < o->slack) {
		s->index++;
	} else {
		s->index = 0;
		s->ce_in_burst = false;
		s->is.bursts++;
	}
	s->last = now;
	s->is.frames++;
	s->is.bytes += p->len + (uint64_t)o->p.queue_extra;
	index_seen(s, pkt_is_ip(p) && pkt_ecn(p) == ECN_CE);
	if (open_loop)
		number_seen(s, p->u.gen.seq);
	else
		repair_data_came(o, s, p, now);
}

const struct outside_stream *outside_stream(const struct outside *o, unsigned i)
{
	return i < o->n_shown ? &o->stream[o->shown[i]].is : NULL;
}
