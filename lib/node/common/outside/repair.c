// SPDX-License-Identifier: BSD-3-Clause
// Acknowledgements that pass a port, and the latencies of repairs: how long a responder outside
// takes to send a NAK, and how long a requester outside takes to send the lost frame again.
#include "int.h"
#include "wire/bth.h"

// a - b of two PSNs, -2^23 to 2^23 - 1.
static int32_t psn_ahead(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static bool is_nak(const struct pkt *p)
{
	return p->u.rc.syndrome == AETH_NAK_PSN;
}

// Whether a stream of data goes the other way than an acknowledgement, and has sent its PSN lately.
static bool can_be_of(
	const struct stream *s, enum stream_kind kind, const struct ends *ack, uint32_t psn)
{
	int32_t behind;

	if (s->kind != kind || !s->begun || s->is.ipv6 != ack->ipv6 ||
		memcmp(s->is.saddr, ack->daddr, 16) || memcmp(s->is.daddr, ack->saddr, 16))
		return false;
	behind = psn_ahead(s->next, psn);
	return behind > 0 && behind <= PASSED;
}

// The stream of data that a NAK is about; NULL: several may be, or none.
static struct stream *data_of(
	struct outside *o, enum stream_kind kind, const struct ends *ack, uint32_t psn)
{
	struct stream *found = NULL;

	for (unsigned i = 0; i < o->n_streams; i++) {
		if (!can_be_of(&o->stream[i], kind, ack, psn))
			continue;
		if (found)
			return NULL;
		found = &o->stream[i];
	}
	return found;
}

static void psn_passed(struct stream *s, uint32_t psn, tstamp now)
{
	int32_t ahead = s->begun ? psn_ahead(psn, s->next) : 0;

	for (int32_t i = 0; i < ahead && i < PASSED; i++)
		s->passed[(s->next + (uint32_t)i) % PASSED] = 0; // they have not passed
	if (ahead >= 0)
		s->next = (psn + 1) & 0xffffff;
	s->begun = true;
	if (psn_ahead(s->next, psn) <= PASSED)
		s->passed[psn % PASSED] = now;
}

void repair_data_left(struct outside *o, const struct pkt *p, tstamp now)
{
	struct stream *s = stream_of(o, p, STREAM_DATA_OUT);

	if (s)
		psn_passed(s, p->u.rc.psn, now);
}

void repair_data_came(struct outside *o, struct stream *s, const struct pkt *p, tstamp now)
{
	if (s->nak_at && s->nak_psn == p->u.rc.psn) {
		hist_add(&o->repair.reaction, tstamp_since(now, s->nak_at), 1);
		s->nak_at = 0;
	}
	psn_passed(s, p->u.rc.psn, now);
}

// A NAK for `psn` came: the frame behind the lost one has left some time ago.
static void nak_came(
	struct outside *o, struct stream *acks, const struct ends *e, uint32_t psn, tstamp now)
{
	uint32_t behind = (psn + 1) & 0xffffff;
	tstamp left;

	if (!acks->data)
		acks->data = data_of(o, STREAM_DATA_OUT, e, psn);
	if (!acks->data || !can_be_of(acks->data, STREAM_DATA_OUT, e, behind)) {
		o->repair.unpaired++;
		return;
	}
	left = acks->data->passed[behind % PASSED];
	if (left)
		hist_add(&o->repair.generation, tstamp_since(now, left), 1);
}

void repair_ack_came(struct outside *o, const struct pkt *p, tstamp now)
{
	struct stream *s = stream_of(o, p, STREAM_ACK_IN);
	uint32_t psn = p->u.rc.psn;
	struct ends e;
	bool nak = is_nak(p), rnr = (p->u.rc.syndrome & AETH_NAK_PSN) == AETH_RNR_NAK;

	o->repair.naks += nak;
	o->repair.rnr_naks += rnr;
	o->repair.acks += !nak && !rnr;
	if (!s || !outside_ends(&e, p))
		return;
	if (nak)
		nak_came(o, s, &e, psn, now);
	if (nak || rnr)
		return;
	if (s->begun && psn_ahead(psn, s->next) > 0)
		hist_add(&o->repair.ack_step, (uint64_t)psn_ahead(psn, s->next), 1);
	if (!s->begun || psn_ahead(psn, s->next) > 0)
		s->next = psn; // the highest that was acknowledged
	s->begun = true;
}

void repair_ack_left(struct outside *o, const struct pkt *p, tstamp now)
{
	struct stream *s;
	struct ends e;

	if (!is_nak(p))
		return;
	o->repair.sent_naks++;
	if (!outside_ends(&e, p))
		return;
	s = data_of(o, STREAM_DATA_IN, &e, p->u.rc.psn);
	if (!s) {
		o->repair.unpaired++;
		return;
	}
	s->nak_at = now;
	s->nak_psn = p->u.rc.psn;
}
