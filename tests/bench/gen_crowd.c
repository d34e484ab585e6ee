// SPDX-License-Identifier: BSD-3-Clause
// Two NICs for benchmarks: many queue pairs that all want to send, and who answers them.
#include "gen_crowd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algo/pacer.h"
#include "eal/eal.h"
#include "wire/bth.h"

#define MTU        4300 // longest frame
#define ACK_EVERY  16
#define TURN       32   // frames of the link in one turn
#define MESSAGE    1024 // frames of a message, where it has more than one
#define SMALL      64   // octets of a frame that is a message of its own
#define SMALL_DATA 4    // octets of its payload
#define LARGE      4178 // of IPv6 with a tag; others are IPv4
#define IP6_TAGGED 82   // octets besides payload: Ethernet, 802.1Q tag, IPv6, UDP, BTH, ICRC
#define IP4_PLAIN  58

double crowd_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

bool crowd_stack(struct pkt_stack *s, unsigned n, unsigned room)
{
	size_t bytes = (sizeof(struct pkt) + room + 63) / 64 * 64;

	*s = (struct pkt_stack){.slot = malloc(2ul * n * sizeof(struct pkt *)), .cap = 2 * n};
	for (unsigned i = 0; s->slot && i < n; i++) {
		struct pkt *p = aligned_alloc(64, bytes);

		if (!p)
			return false;
		pkt_put(s, p);
	}
	return s->slot != NULL;
}

// Octets of payload of a frame in the middle of a message.
static uint32_t payload(const struct crowd_params *p)
{
	if (p->octets <= SMALL)
		return SMALL_DATA;
	return p->octets - (crowd_is_v6(p->octets) ? IP6_TAGGED : IP4_PLAIN);
}

static int add_nic(struct crowd *c, struct nic **nic, uint8_t number)
{
	struct nic_params p = {
		.name = number ? "to" : "from",
		.mac = {2, 0, 0, 0, 0, number},
		.rate = c->p.rate,
		.mtu = MTU,
		.pfc_classes = 1 << 3,
		.quanta = 65535,
		.np = {.mode = NP_WINDOW, .interval_ps = 50 * PS_PER_US},
		.cnp_class = 6,
		.max_qps = c->p.qps,
		.strict = 1 << 6,
		.framing = {.queue_extra = PKT_FCS, .wire_extra = PKT_WIRE},
		.tolerance_ps = c->p.tolerance_ps,
		.check_icrc = number && c->p.check_icrc,
		.check_payload = number && c->p.payload,
		.payload = c->p.payload,
		.large = eal_huge_pages,
	};

	return nic_init(nic, &p, c->stack, &c->events);
}

bool crowd_is_v6(unsigned octets)
{
	return octets == LARGE;
}

static void make_headers(struct crowd *c)
{
	bool large = crowd_is_v6(c->p.octets);

	for (unsigned i = 0; i < c->p.qps; i++)
		c->hdr[i] = (struct hdr){.dst = {2, 0, 0, 0, 0, 1},
			.src = {2},
			.vlan_tci = 3 << 13,
			.ethertype = large ? ETH_P_IPV6 : ETH_P_IPV4,
			.saddr = {10, 0, 0, 1},
			.daddr = {10, 0, 0, 2},
			.sport = (uint16_t)(49152 + i % 16384),
			.dport = BTH_UDP_PORT,
			.flags = large ? HDR_IPV6 | HDR_VLAN : HDR_IPV4,
			.proto = IP_PROTO_UDP,
			.ttl = 64,
			.payload = c->p.payload != NULL,
			.id = i + 1};
	c->answer = c->hdr[0];
	memcpy(c->answer.dst, c->hdr[0].src, 6);
	memcpy(c->answer.src, c->hdr[0].dst, 6);
	c->answer.id = c->p.qps + 1;
}

static int add_pair(struct crowd *c, uint32_t q)
{
	uint32_t bytes = payload(&c->p);
	bool small = c->p.octets <= SMALL;
	struct nic_qp_params req = {
		.flow = q,
		.qpn = q,
		.peer_qpn = q,
		.data_hdr = &c->hdr[q - 1],
		.requester = true,
		.cls = 3,
		.tos = 24 << 2 | ECN_ECT0,
		.overhead = (uint16_t)(c->p.octets - bytes),
		.rc = &c->rc,
		.rp = c->p.cuts ? &c->rp : NULL,
		.rate_limit = c->p.limit,
		.message_bytes = small ? bytes : bytes * MESSAGE,
		.outstanding = small ? RC_MESSAGES : 4,
		.catch_up_ps = PACER_AUTO,
		.stop = TSTAMP_NEVER,
		.phase = c->p.drawn ? q * 2654435761u
				    : (uint32_t)(((uint64_t)q << 32) / (c->p.qps + 1)),
	};
	struct nic_qp_params rsp = {
		.qpn = q,
		.peer_qpn = q,
		.data_hdr = &c->hdr[q - 1],
		.ack_hdr = &c->answer,
		.cnp_hdr = &c->answer,
		.cls = 3,
		.ack_cls = 6,
		.rc = &c->rc,
	};
	int rc = nic_add_qp(c->from, &req);

	return !rc && c->to ? nic_add_qp(c->to, &rsp) : rc;
}

// A packet of an answer to a queue pair; the sender frees it.
static void answer(struct crowd *c, enum pkt_kind kind, uint32_t qpn, uint32_t psn, tstamp now)
{
	struct pkt *p = pkt_get_ctl(c->stack);

	*p = (struct pkt){.hdr = &c->answer,
		.when = now,
		.born = now,
		.len = kind == PKT_CNP ? 74 : 62,
		.kind = (uint8_t)kind,
		.cls = 6,
		.u.rc = {.opcode = kind == PKT_CNP ? BTH_CNP : BTH_RC_ACK,
			.syndrome = kind == PKT_CNP ? 0 : AETH_ACK,
			.psn = psn,
			.qpn = qpn}};
	nic_rx(c->from, 0, &p, 1, now);
}

static int configure(struct crowd *c)
{
	bool small = c->p.octets <= SMALL;
	struct rc_params rc = {.verb = small ? RC_SEND : RC_WRITE,
		.mtu = small ? 256 : payload(&c->p),
		.window = 4096,
		.ack_every = ACK_EVERY,
		.rto_ps = 1000 * PS_PER_S,
		.retries = RC_NO_LIMIT,
		.recovery = RC_GO_BACK_N};
	struct dcqcn_rp_params rp;
	int status = rc_cfg_init(&c->rc, &rc);

	if (!status)
		status = dcqcn_rp_profile(&rp, "paper", c->p.rate);
	c->rp.kind = RP_DCQCN;
	return status ? status : dcqcn_rp_cfg_init(&c->rp.u.dcqcn, &rp);
}

int crowd_init(struct crowd *c, const struct crowd_params *params, struct pkt_stack *stack)
{
	int rc;

	*c = (struct crowd){.stack = stack, .p = *params};
	c->events.slot = &c->ev;
	c->hdr = aligned_alloc(64, params->qps * sizeof(*c->hdr));
	if (!c->hdr)
		return -ENOMEM;
	if (!c->p.turn_ps)
		c->p.turn_ps = (tstamp)TURN * (c->p.octets + PKT_WIRE) * 8 * PS_PER_S / c->p.rate;
	if (!c->p.tolerance_ps)
		c->p.tolerance_ps = 2 * c->p.turn_ps;
	make_headers(c);
	rc = configure(c);
	if (!rc)
		rc = add_nic(c, &c->from, 0);
	if (!rc && params->responders)
		rc = add_nic(c, &c->to, 1);
	for (uint32_t q = 1; !rc && q <= params->qps; q++)
		rc = add_pair(c, q);
	for (uint32_t q = 1; !rc && q <= params->qps; q++)
		for (unsigned i = 0; i < params->cuts; i++)
			answer(c, PKT_CNP, q, 0, i);
	if (rc)
		crowd_fini(c);
	return rc;
}

void crowd_fini(struct crowd *c)
{
	if (c->from)
		nic_fini(c->from);
	if (c->to)
		nic_fini(c->to);
	free(c->hdr);
}

unsigned crowd_turn(struct crowd *c, struct pkt **burst)
{
	tstamp at = nic_deadline(c->from, 0);
	unsigned n = 0;

	c->now += c->p.turn_ps;
	while (!n) {
		if (at == TSTAMP_NEVER)
			return 0;
		c->now = tstamp_max(c->now, at);
		n = nic_tx(c->from, 0, burst, CROWD_BURST, c->now);
		at = nic_deadline(c->from, 0);
	}
	c->frames += n;
	c->turns++;
	return n;
}

void crowd_acknowledge(struct crowd *c, struct pkt *const *burst, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct pkt_rc *rc = &burst[i]->u.rc;

		if ((rc->psn + rc->qpn) % ACK_EVERY == 0)
			answer(c, PKT_ACK, rc->qpn, rc->psn, c->now);
	}
}

void crowd_return(struct crowd *c)
{
	while (nic_deadline(c->to, 0) != TSTAMP_NEVER) {
		struct pkt *burst[CROWD_BURST];
		tstamp now = tstamp_max(c->now, nic_deadline(c->to, 0));
		unsigned n = nic_tx(c->to, 0, burst, CROWD_BURST, now);

		c->now = now;
		nic_rx(c->from, 0, burst, n, now);
	}
}

rate_t crowd_rate(const struct crowd *c)
{
	struct rp_look look;

	return nic_qp_look(c->from, 0, &look) ? look.rc : c->p.limit;
}

uint64_t crowd_repeated(const struct crowd *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < c->p.qps; i++)
		sum += nic_qp_stats(c->from, i)->data_frames_retransmitted;
	return sum;
}
