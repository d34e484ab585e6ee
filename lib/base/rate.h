// SPDX-License-Identifier: BSD-3-Clause
// Rates in bit/s and the time that bytes take at a rate, without division on the hot path.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"

typedef uint64_t rate_t; // bit/s

#define RATE_KBPS 1000ull
#define RATE_MBPS 1000000ull
#define RATE_GBPS 1000000000ull
#define RATE_MIN  (100 * RATE_KBPS) // the slowest rate whose byte time fits the Q format

typedef uint64_t byte_ps; // ps per byte, Q44.20

#define RATE_FRACTION ((1ull << 20) - 1) // of a byte_ps: the bits below a ps

// Time of one byte at `rate` (RATE_MIN and up; lower values are taken as RATE_MIN), Q44.20:
// 8e12 * 2^20 / rate, rounded to nearest. Exact where 8e12 / rate is whole (10, 25, 40, 100, 400
// Gb/s).
static inline byte_ps rate_byte_ps(rate_t rate)
{
	if (rate < RATE_MIN)
		rate = RATE_MIN;
	return ((8 * PS_PER_S << 20) + rate / 2) / rate;
}

// Time of `bytes` (up to 64 KiB), ps, rounded down.
static inline tstamp rate_time(byte_ps ps, uint32_t bytes)
{
	return (bytes * ps) >> 20;
}

// A gate that frames pass one after the other, as a token bucket: each takes the time of its bytes,
// and another one may begin while `at` is no later than `until`.
struct rate_gate {
	byte_ps ps; // 0: it holds nothing up
	tstamp at, until;
};

// Time of `bytes` at `rate` as the reference simulator reckons it, ps in whole ns. Its seconds are
// a double, cut to 2^-64 s and then to ns, so that what would be whole ns mostly comes out one
// less. The same to the bit, in integers. The time is below 1 s.
tstamp rate_simulator_exact(rate_t rate, uint32_t bytes);

// Like rate_simulator_exact(), with one division. The double differs from the quotient by at most
// 2^-53 of it, and the cut takes less than 2^-34 ns. So both give the same whole ns if the
// quotient's fraction of a ns is larger than the cut, and if bits * 10^9 is below 2^53.
static inline tstamp rate_simulator_time(rate_t rate, uint32_t bytes)
{
	uint64_t scaled = 8ull * bytes * (PS_PER_S / PS_PER_NS), ns = scaled / rate;

	if (__builtin_expect(scaled - ns * rate <= rate >> 33 || scaled >> 53, 0))
		return rate_simulator_exact(rate, bytes);
	return ns * PS_PER_NS;
}

// bytes * 8 / time in bit/s; 0 where time is 0. For reports.
static inline rate_t rate_of(uint64_t bytes, tstamp time)
{
	return time ? (rate_t)((unsigned __int128)bytes * (8 * PS_PER_S) / time) : 0;
}
