// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of iQCN: a small table, CNPs and data.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "defaults.h"
#include "algo/iqcn.h"

#define US    PS_PER_US
#define NEVER TSTAMP_NEVER

// Four ports, 64 entries.
static inline struct iqcn_params defaults(void)
{
	struct iqcn_params p;

	iqcn_defaults(&p);
	p.n_ports = 4;
	p.entries = 64;
	return p;
}

static inline void setup(struct iqcn *q, struct iqcn_cfg *cfg, const struct iqcn_params *p)
{
	assert_int_equal(iqcn_cfg_init(cfg, p), 0);
	assert_int_equal(iqcn_init(q, cfg, 1), 0);
}

// The CNP from receiver `from` to sender `to` for its QP; valid until the next call.
static inline const struct pkt *cnp(uint8_t from, uint8_t to, uint32_t qpn)
{
	static struct hdr h;
	static struct pkt p;

	h = (struct hdr){.flags = HDR_IPV4, .saddr = {10, 0, 0, from}, .daddr = {10, 0, 0, to}};
	h.src[5] = from;
	h.dst[5] = to;
	p = (struct pkt){.hdr = &h, .kind = PKT_CNP, .len = 74, .tos = 0xc2};
	p.u.rc.qpn = qpn;
	return &p;
}

// Data of sender `from` for receiver `to`.
static inline void data(struct iqcn *q, uint8_t from, uint8_t to, tstamp now)
{
	struct hdr h = {.flags = HDR_IPV4, .saddr = {10, 0, 0, from}, .daddr = {10, 0, 0, to}};

	h.dst[5] = to;
	iqcn_data(q, &h, now);
}
