// SPDX-License-Identifier: BSD-3-Clause
// Two NICs back to back, moved by a small event loop that keeps the contract of design.md 2.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "algo/pacer.h"
#include "nic/nic.h"
#include "rp_lab.h"

#define LAB_PKTS 8192
#define LAB_ROOM 256 // bytes of a descriptor, its header and a short frame
#define LAB_EVS  16384

struct lab;

// Every frame of a sender as it leaves: may mark it or see it; false loses it.
typedef bool (*lab_hook)(struct lab *lab, unsigned from, struct pkt *p, tstamp now);

struct lab_link {
	struct pkt *head, *tail;
};

struct lab {
	struct nic *nic[2];
	struct lab_link link[2]; // from nic 0, from nic 1
	struct ev_ring events[2];
	struct pkt_stack stack;
	struct pkt **slot;
	uint8_t *room;
	struct nic_params p[2];
	struct hdr data_hdr, back_hdr; // 0 to 1, 1 to 0
	struct rc_cfg rc;
	tstamp now, delay;
	uint64_t calls;
	lab_hook hook;
	void *arg;
	struct ev ev[LAB_EVS]; // of both, as they came
	unsigned ev_nic[LAB_EVS];
	unsigned n_ev;
};

static inline struct nic_params lab_nic_params(unsigned i)
{
	return (struct nic_params){
		.name = i ? "b" : "a",
		.mac = {2, 0, 0, 0, 0, (uint8_t)(i + 1)},
		.rate = 100 * RATE_GBPS,
		.mtu = 4300,
		.strict = 1 << 6,
		.pfc_classes = 1 << 3,
		.quanta = 65535,
		.refresh_permille = 500,
		.np = {.mode = NP_WINDOW, .interval_ps = 50 * PS_PER_US},
		.cnp_class = 6,
		.cnp_tos = 0xc2,
		.max_qps = 2048,
		.max_sources = 8,
		.check_icrc = true,
		.peer_check = true,
		.framing = {.queue_extra = 4, .wire_extra = 24},
	};
}

static inline struct rc_params lab_rc_params(void)
{
	return (struct rc_params){
		.verb = RC_WRITE,
		.mtu = 1024,
		.window = 1024,
		.ack_every = 16,
		.rto_ps = PS_PER_MS,
		.retries = 7,
		.rnr_retries = RC_RNR_NO_LIMIT,
		.recovery = RC_GO_BACK_N,
	};
}

// Parameters only; tests change them before lab_start.
static inline void lab_init(struct lab *l)
{
	memset(l, 0, sizeof(*l));
	for (unsigned i = 0; i < 2; i++)
		l->p[i] = lab_nic_params(i);
	l->delay = PS_PER_US;
	l->data_hdr = (struct hdr){.flags = HDR_IPV4, .ethertype = 0x0800, .proto = 17, .id = 1};
	memcpy(l->data_hdr.dst, l->p[1].mac, 6);
	memcpy(l->data_hdr.src, l->p[0].mac, 6);
	l->back_hdr = l->data_hdr;
	l->back_hdr.id = 2;
	memcpy(l->back_hdr.dst, l->p[0].mac, 6);
	memcpy(l->back_hdr.src, l->p[1].mac, 6);

	struct rc_params rp = lab_rc_params();

	assert_int_equal(rc_cfg_init(&l->rc, &rp), 0);
}

static inline void lab_start(struct lab *l)
{
	l->slot = calloc(LAB_PKTS, sizeof(*l->slot));
	l->room = calloc(LAB_PKTS, LAB_ROOM);
	for (unsigned i = 0; i < LAB_PKTS; i++)
		l->slot[i] = (struct pkt *)(l->room + LAB_ROOM * (size_t)i);
	l->stack =
		(struct pkt_stack){.slot = l->slot, .n = LAB_PKTS, .cap = LAB_PKTS, .reserve = 64};
	for (unsigned i = 0; i < 2; i++) {
		l->events[i] = (struct ev_ring){
			.slot = calloc(1024, sizeof(struct ev)), .mask = 1023, .want = ~0ull};
		assert_int_equal(nic_init(&l->nic[i], &l->p[i], &l->stack, &l->events[i]), 0);
	}
}

// A requester in nic 0 and its responder in nic 1; the QPN of both is `qpn`, the flow's number too.
static inline struct nic_qp_params lab_req(const struct lab *l, uint32_t qpn)
{
	return (struct nic_qp_params){
		.flow = qpn,
		.qpn = qpn,
		.peer_qpn = qpn,
		.data_hdr = &l->data_hdr,
		.requester = true,
		.cls = 3,
		.tos = 26 << 2 | ECN_ECT0,
		.rc = &l->rc,
		.message_bytes = 1 << 20,
		.outstanding = 2,
		.stop = TSTAMP_NEVER,
	};
}

static inline void lab_add(struct lab *l, const struct nic_qp_params *req)
{
	struct nic_qp_params rsp = {
		.flow = req->flow,
		.qpn = req->qpn,
		.peer_qpn = req->qpn,
		.data_hdr = req->data_hdr,
		.ack_hdr = &l->back_hdr,
		.cnp_hdr = &l->back_hdr,
		.cls = req->cls,
		.ack_cls = 6,
		.rc = req->rc,
		.echo_ce = rp_asks(req->rp) & RP_ASKS_CE,
	};

	assert_int_equal(nic_add_qp(l->nic[0], req), 0);
	assert_int_equal(nic_add_qp(l->nic[1], &rsp), 0);
}

static inline void lab_drain_events(struct lab *l, unsigned i)
{
	const struct ev *e;

	while ((e = ev_get(&l->events[i]))) {
		if (l->n_ev == LAB_EVS)
			continue;
		l->ev_nic[l->n_ev] = i;
		l->ev[l->n_ev++] = *e;
	}
}

// How many events of a type nic i gave, and the n-th of them.
static inline unsigned lab_evs(const struct lab *l, unsigned i, enum ev_type type)
{
	unsigned n = 0;

	for (unsigned k = 0; k < l->n_ev; k++)
		n += l->ev_nic[k] == i && l->ev[k].type == type;
	return n;
}

static inline const struct ev *lab_ev(
	const struct lab *l, unsigned i, enum ev_type type, unsigned n)
{
	for (unsigned k = 0; k < l->n_ev; k++)
		if (l->ev_nic[k] == i && l->ev[k].type == type && !n--)
			return &l->ev[k];
	fail_msg("nic %u has no such event %u", i, type);
	return NULL;
}

static inline void lab_send(struct lab *l, unsigned from, struct pkt *p)
{
	struct lab_link *k = &l->link[from];
	const struct eport *e = nic_eport(l->nic[from]);

	if (l->hook && !l->hook(l, from, p, l->now)) {
		pkt_put(&l->stack, p);
		return;
	}
	p->when = l->now + eport_wire_time(e->cfg, p->len) + l->delay;
	p->next = NULL;
	if (k->head)
		k->tail->next = p;
	else
		k->head = p;
	k->tail = p;
}

// tx of one NIC at lab.now, as often as it is due.
static inline void lab_tx(struct lab *l, unsigned i)
{
	struct pkt *burst[4];
	unsigned n;

	do {
		n = nic_tx(l->nic[i], 0, burst, 4, l->now);
		l->calls++;
		for (unsigned k = 0; k < n; k++)
			lab_send(l, i, burst[k]);
		lab_drain_events(l, i);
		if (n < 4)
			assert_true(nic_deadline(l->nic[i], 0) > l->now);
	} while (nic_deadline(l->nic[i], 0) <= l->now);
}

static inline tstamp lab_next(const struct lab *l)
{
	tstamp t = TSTAMP_NEVER;

	for (unsigned i = 0; i < 2; i++) {
		t = tstamp_min(t, nic_deadline(l->nic[i], 0));
		if (l->link[i].head)
			t = tstamp_min(t, l->link[i].head->when);
	}
	return t;
}

// Runs all that happens up to and at `until`; lab.now is then `until`.
static inline void lab_run(struct lab *l, tstamp until)
{
	tstamp t;

	while ((t = lab_next(l)) <= until) {
		l->now = tstamp_max(l->now, t);
		for (unsigned i = 0; i < 2; i++) {
			struct lab_link *k = &l->link[i];
			unsigned to = !i;
			tstamp before = nic_deadline(l->nic[to], 0);

			while (k->head && k->head->when <= l->now) {
				struct pkt *p = k->head;

				k->head = p->next;
				nic_rx(l->nic[to], 0, &p, 1, l->now);
				lab_drain_events(l, to);
			}
			if (nic_deadline(l->nic[to], 0) != before)
				assert_true(nic_touched(l->nic[to])->word[0] & 1);
			nic_touched(l->nic[to])->word[0] = 0;
		}
		for (unsigned i = 0; i < 2; i++)
			if (nic_deadline(l->nic[i], 0) <= l->now)
				lab_tx(l, i);
	}
	l->now = until;
}

static inline int lab_ctl(struct lab *l, unsigned i, struct ctl ctl)
{
	int rc = nic_ctl(l->nic[i], &ctl, l->now);

	assert_true(nic_touched(l->nic[i])->word[0] & 1);
	lab_drain_events(l, i);
	return rc;
}

// A frame that nic `to` receives now, out of nowhere.
static inline void lab_rx(struct lab *l, unsigned to, const struct pkt *frame)
{
	struct pkt *p = pkt_get_ctl(&l->stack);

	*p = *frame;
	p->when = p->when ? p->when : l->now;
	if (!p->hdr)
		p->hdr = to ? &l->data_hdr : &l->back_hdr;
	nic_rx(l->nic[to], 0, &p, 1, l->now);
	lab_drain_events(l, to);
}

// Both NICs add up and, once links and queues are empty, every descriptor is back.
static inline void lab_end(struct lab *l)
{
	char why[200] = "";
	unsigned held = 0;

	for (unsigned i = 0; i < 2; i++) {
		const struct eport *e = nic_eport(l->nic[i]);

		if (nic_conserve(l->nic[i], why, sizeof(why)))
			fail_msg("%s", why);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			held += e->q[c].frames;
		held += e->q[EPORT_CTL].frames;
		for (struct pkt *p = l->link[i].head; p; p = p->next)
			held++;
	}
	assert_int_equal(l->stack.n + held, LAB_PKTS);
	for (unsigned i = 0; i < 2; i++) {
		nic_fini(l->nic[i]);
		free(l->events[i].slot);
	}
	free(l->slot);
	free(l->room);
}
