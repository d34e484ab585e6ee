// SPDX-License-Identifier: BSD-3-Clause
// The observer: it tells the kinds of frames apart and hands each to the parts that measure it.
#include "outside.h"

#include <errno.h>
#include <stdlib.h>

#include "int.h"
#include "wire/bth.h"

#define QUANTUM_BYTES 64 // 512 bit times

int outside_new(struct outside **out, const struct outside_params *p)
{
	// Memory from calloc() costs nothing until it is used: histograms touch few of their pages.
	struct outside *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->p = *p;
	o->ps = rate_byte_ps(p->rate);
	o->quantum = rate_time(o->ps, QUANTUM_BYTES);
	o->slack = tstamp_max(rate_time(o->ps, PKT_MIN_LEN + p->wire_extra), p->clock_error);
	for (unsigned i = 0; i < OUTSIDE_ROWS; i++) {
		o->row[i].last = TSTAMP_NEVER;
		o->row[i].asking.xon = TSTAMP_NEVER;
	}
	*out = o;
	return 0;
}

void outside_free(struct outside *o)
{
	free(o);
}

uint32_t outside_hash(const uint8_t a[16], const uint8_t b[16], uint32_t number, unsigned kind)
{
	uint32_t h = (2166136261u ^ kind) * 16777619u;

	for (unsigned i = 0; i < 16; i++) {
		h = (h ^ a[i]) * 16777619u;
		h = (h ^ b[i]) * 16777619u;
	}
	h = (h ^ number) * 16777619u;
	return h ^ h >> 15;
}

static unsigned class_of(const struct outside *o, const struct pkt *p)
{
	if (o->p.by_pcp && p->hdr->flags & HDR_VLAN)
		return o->p.pcp_to_class[p->hdr->vlan_tci >> 13];
	return o->p.dscp_to_class[pkt_dscp(p)];
}

static bool is_mac_control(const struct pkt *p)
{
	return p->kind == PKT_PFC || p->kind == PKT_PAUSE || p->kind == PKT_MACCTL;
}

// READ responses carry data, as SEND and WRITE requests do; READ requests and atomics do not.
static bool is_data(const struct pkt *p)
{
	return p->kind == PKT_DATA || (p->kind == PKT_ROCE && p->u.rc.payload);
}

void outside_came(struct outside *o, const struct pkt *p, tstamp now)
{
	o->totals.came_frames++;
	if (p->kind == PKT_PFC || p->kind == PKT_PAUSE) {
		asked_pfc(o, p, now);
		return;
	}
	if (is_mac_control(p) || p->kind == PKT_BAD)
		return;
	answer_frame(o, p, class_of(o, p), now);
	if (is_data(p) || p->kind == PKT_GEN) {
		o->totals.ce_came += pkt_is_ip(p) && pkt_ecn(p) == ECN_CE;
		stream_came(o, p, now);
	} else if (p->kind == PKT_CNP) {
		cnp_came(o, p, now);
	} else if (p->kind == PKT_ACK) {
		repair_ack_came(o, p, now);
	}
}

void outside_left(struct outside *o, const struct pkt *p, tstamp now)
{
	tstamp begin = tstamp_max(now, o->free_at), end = begin + outside_wire(o, p);

	o->free_at = end;
	o->totals.left_frames++;
	if (p->kind == PKT_PFC || p->kind == PKT_PAUSE) {
		answer_pfc(o, p, begin, end);
		return;
	}
	if (is_mac_control(p) || p->kind == PKT_BAD)
		return;
	asked_own(o, p, begin);
	if (is_data(p)) {
		if (pkt_ecn(p) == ECN_CE) {
			o->totals.ce_left++;
			cnp_ce(o, p, end);
		}
		repair_data_left(o, p, end);
	} else if (p->kind == PKT_ACK) {
		repair_ack_left(o, p, end);
	}
}

const struct outside_totals *outside_totals(const struct outside *o)
{
	return &o->totals;
}

const struct outside_asked *outside_asked(const struct outside *o, unsigned row)
{
	return &o->row[row].asked;
}

const struct outside_answer *outside_answer(const struct outside *o, unsigned row)
{
	return &o->row[row].answer;
}

const struct outside_repair *outside_repair(const struct outside *o)
{
	return &o->repair;
}
