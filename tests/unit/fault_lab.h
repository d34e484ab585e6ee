// SPDX-License-Identifier: BSD-3-Clause
// A bench for injectors: a pool of packets, frames of queue pairs, checks of the output.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "fault/fault.h"
#include "wire/bth.h"

#define LAB_PKTS    512
#define LAB_EVENTS  1024
#define LAB_ROOM    1600 // bytes of a frame
#define LAB_QPN     17
#define LAB_TARGETS 8

struct lab_pkt {
	struct pkt pkt;
	struct hdr hdr;
	uint8_t bytes[LAB_ROOM];
};

struct lab {
	struct lab_pkt *pkt;
	struct pkt *slot[LAB_PKTS];
	struct pkt_stack stack;
	struct ev event[LAB_EVENTS];
	struct ev_ring ring;
	struct hdr hdr; // of our own queue pairs; the last byte of the address tells them apart
	struct hdr other[LAB_TARGETS];
	struct payload payload[1];
	struct fault *f;
};

static inline void lab_init(struct lab *l)
{
	memset(l, 0, sizeof(*l));
	l->pkt = calloc(LAB_PKTS, sizeof(*l->pkt));
	l->stack = (struct pkt_stack){.slot = l->slot,
		.cap = LAB_PKTS,
		.data_off = offsetof(struct lab_pkt, bytes),
		.room = LAB_ROOM};
	for (unsigned i = 0; i < LAB_PKTS; i++)
		pkt_put(&l->stack, &l->pkt[i].pkt);
	l->ring = (struct ev_ring){
		.slot = l->event, .mask = LAB_EVENTS - 1, .want = 1ull << EV_FAULT};
	for (unsigned i = 0; i < LAB_TARGETS; i++)
		l->other[i] = (struct hdr){.dst = {2, 0, 0, 0, 0, 2},
			.src = {2, 0, 0, 0, 0, 1},
			.ethertype = 0x0800,
			.flags = HDR_IPV4,
			.proto = 17,
			.ttl = 64,
			.saddr = {10, 0, 0, 1},
			.daddr = {10, 0, 0, (uint8_t)(2 + i)},
			.sport = 50000,
			.dport = BTH_UDP_PORT,
			.id = 1 + i};
	l->hdr = l->other[0];
}

static inline void lab_fini(struct lab *l)
{
	fault_free(l->f);
	free(l->pkt);
}

static inline struct fault_target lab_target(
	unsigned to, uint32_t psn, const uint32_t *record, uint32_t n)
{
	return (struct fault_target){.daddr = {10, 0, 0, (uint8_t)(2 + to)},
		.qpn = LAB_QPN,
		.psn = psn,
		.window = 64,
		.record = record,
		.n_records = n};
}

// An injector with the room that tests need.
static inline struct fault_params lab_params(
	struct lab *l, const struct fault_record *record, uint32_t n)
{
	struct fault_params p = {.record = record,
		.n_records = n,
		.seen_pairs = 8,
		.seen_window = 64,
		.held = 64,
		.port = 3,
		.seed = 1,
		.name = "s1:h1",
		.payload = l->payload,
		.stack = &l->stack,
		.events = &l->ring};

	for (unsigned i = 0; i < 64; i++)
		p.dscp_to_class[i] = (uint8_t)(i / 8);
	for (unsigned i = 0; i < 8; i++)
		p.pcp_to_class[i] = (uint8_t)i;
	return p;
}

// One whose records all name the frames to queue pair 0, which begin at PSN `first`.
static inline void lab_one(struct lab *l, struct fault_record *record, uint32_t n, uint32_t first)
{
	struct fault_params p = lab_params(l, record, n);
	uint32_t which[32];
	struct fault_target t = lab_target(0, first, which, n);

	assert_true(n <= 32);
	for (uint32_t i = 0; i < n; i++) {
		which[i] = i;
		record[i].number = i + 1;
		if (!record[i].kinds)
			record[i].kinds = FAULT_DATA;
	}
	p.target = &t;
	p.n_targets = 1;
	assert_int_equal(fault_new(&l->f, &p), 0);
}

static inline struct pkt *lab_frame(
	struct lab *l, unsigned to, uint8_t kind, uint8_t opcode, uint32_t psn)
{
	struct pkt *p = pkt_get(&l->stack);
	uint16_t payload = kind == PKT_DATA ? 1024 : 0;

	assert_non_null(p);
	*p = (struct pkt){.hdr = &l->other[to],
		.len = (uint16_t)(payload ? 1082 : 62),
		.kind = kind,
		.tos = 26 << 2 | ECN_ECT0,
		.u.rc = {.opcode = opcode, .psn = psn, .qpn = LAB_QPN, .payload = payload}};
	return p;
}

static inline struct pkt *lab_data(struct lab *l, uint32_t psn)
{
	return lab_frame(l, 0, PKT_DATA, BTH_RC_SEND_MIDDLE, psn & BTH_PSN_MASK);
}

// A data frame of queue pair 0 arrives.
static inline void lab_put(struct lab *l, uint32_t psn, tstamp now)
{
	fault_put(l->f, lab_data(l, psn), now);
}

// Takes the frames that go on at `now`; writes their PSNs, up to `most`. Returns their number.
static inline unsigned lab_get(struct lab *l, tstamp now, uint32_t *psn, unsigned most)
{
	unsigned n = 0;

	for (struct pkt *p; (p = fault_get(l->f, now)); n++) {
		if (n < most)
			psn[n] = p->u.rc.psn;
		pkt_put(&l->stack, p);
	}
	return n;
}

// Asserts that just the frames with these PSNs go on at `now`, in this order; they end with
// UINT32_MAX.
static inline void lab_expect(struct lab *l, tstamp now, const uint32_t *want)
{
	uint32_t psn[LAB_PKTS];
	unsigned n = lab_get(l, now, psn, LAB_PKTS), i;

	for (i = 0; i < n && want[i] != UINT32_MAX; i++)
		assert_int_equal(psn[i], want[i]);
	assert_int_equal(i, n);
	assert_int_equal(want[i], UINT32_MAX);
}

#define LAB_EXPECT(l, now, ...) lab_expect(l, now, (const uint32_t[]){__VA_ARGS__, UINT32_MAX})
#define LAB_NONE(l, now)        lab_expect(l, now, (const uint32_t[]){UINT32_MAX})

static inline uint64_t lab_matched(const struct lab *l, uint32_t i)
{
	return fault_record_stats(l->f, i).matched;
}

static inline uint64_t lab_missed(const struct lab *l, uint32_t i)
{
	return fault_record_stats(l->f, i).missed;
}

// in + copied + forged = on + dropped + held.
static inline void lab_conserve(const struct lab *l)
{
	const struct fault_stats *s = fault_stats(l->f);

	assert_int_equal(s->in_frames + s->copied_frames + s->forged_frames,
		s->on_frames + s->dropped_frames + fault_held(l->f));
}
