// SPDX-License-Identifier: BSD-3-Clause
// Declarations that the files of room fdb share.
#pragma once

#include "fdb.h"

#pragma GCC visibility push(hidden)

static inline uint16_t sw_fdb_vid(const struct hdr *h)
{
	return h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;
}

// The way of a frame for whose destination the FDB has `value`.
static inline uint16_t sw_fdb_out(
	const struct sw *sw, uint32_t value, const struct hdr *h, unsigned port)
{
	if (UNLIKELY(value >= SW_ECMP && value < SW_OUT_ODD))
		value = sw_ecmp_way(sw, value - SW_ECMP, sw_ecmp_hash(sw->ecmp_salt, h));
	return value == port ? SW_OUT_SAME : (uint16_t)value;
}

// The FDB's value for a static entry.
static inline uint32_t sw_fdb_value(const struct sw_fdb_params *f)
{
	return f->ecmp ? SW_ECMP + f->ecmp - 1u : f->port;
}

// fdb.c: learns the source, and returns the FDB's value for the destination, or SW_OUT_*. Each step
// is exact.
uint32_t sw_fdb_look_up(struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now);

#pragma GCC visibility pop
