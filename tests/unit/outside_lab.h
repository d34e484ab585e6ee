// SPDX-License-Identifier: BSD-3-Clause
// A bench for observers: a port of 100 Gb/s, where a byte takes 80 ps, and frames that come and
// leave.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "outside/outside.h"
#include "outside/int.h"
#include "wire/bth.h"

#define LAB_BYTE    80ull // ps
#define LAB_QUANTUM (64 * LAB_BYTE)
#define LAB_LEN     1000 // of a frame on the wire
#define LAB_WIRE    (LAB_LEN * LAB_BYTE)
#define LAB_T       (50 * PS_PER_US) // of notification points
#define LAB_NS      PS_PER_NS

// DSCP 24 is class 3, DSCP 0 class 0.
static inline struct outside *lab_new(tstamp delay)
{
	struct outside_params p = {.rate = 100 * RATE_GBPS,
		.delay = delay,
		.wire_extra = PKT_WIRE,
		.queue_extra = PKT_FCS,
		.np_interval = LAB_T};
	struct outside *o;

	p.dscp_to_class[24] = 3;
	assert_int_equal(outside_new(&o, &p), 0);
	return o;
}

// Hosts are told apart by the last byte of their address.
static inline struct hdr lab_hdr(unsigned from, unsigned to)
{
	return (struct hdr){.flags = HDR_IPV4,
		.saddr = {10, 0, 0, (uint8_t)from},
		.daddr = {10, 0, 0, (uint8_t)to},
		.src = {2, 0, 0, 0, 0, (uint8_t)from}};
}

static inline struct pkt lab_pfc(unsigned cls, unsigned quanta, const struct hdr *h)
{
	struct pkt p = {.kind = PKT_PFC, .len = PKT_MIN_LEN, .hdr = h};

	p.u.pfc.enable = (uint8_t)(1u << cls);
	p.u.pfc.quanta[cls] = (uint16_t)quanta;
	return p;
}

static inline struct pkt lab_pause(unsigned quanta, const struct hdr *h)
{
	return (struct pkt){.kind = PKT_PAUSE,
		.len = PKT_MIN_LEN,
		.hdr = h,
		.u.pfc.quanta[0] = (uint16_t)quanta};
}

// A frame of class 3 with LAB_LEN bytes on the wire.
static inline struct pkt lab_frame(unsigned kind, const struct hdr *h)
{
	return (struct pkt){.kind = (uint8_t)kind,
		.len = LAB_LEN - PKT_WIRE,
		.hdr = h,
		.cls = 3,
		.tos = 24 << 2 | ECN_ECT0};
}

static inline struct pkt lab_rc(unsigned kind, const struct hdr *h, uint32_t qpn, uint32_t psn)
{
	struct pkt p = lab_frame(kind, h);

	p.u.rc = (struct pkt_rc){.qpn = qpn, .psn = psn, .payload = 900, .syndrome = AETH_ACK};
	return p;
}
