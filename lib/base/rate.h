// SPDX-License-Identifier: BSD-3-Clause
// Rates in bit/s and the time that octets take at a rate, without division on the hot path.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"

typedef uint64_t rate_t; // bit/s

#define RATE_KBPS 1000ull
#define RATE_MBPS 1000000ull
#define RATE_GBPS 1000000000ull
#define RATE_MIN  (100 * RATE_KBPS) // the slowest rate whose octet time fits the Q format

typedef uint64_t octet_ps; // ps per octet, Q44.20

// Time of one octet at `rate` (RATE_MIN and up; lower values are taken as RATE_MIN), Q44.20:
// 8e12 * 2^20 / rate, rounded to nearest. Exact where 8e12 / rate is whole (10, 25, 40, 100, 400
// Gb/s).
static inline octet_ps rate_octet_ps(rate_t rate)
{
	if (rate < RATE_MIN)
		rate = RATE_MIN;
	return ((8 * PS_PER_S << 20) + rate / 2) / rate;
}

// Time of `octets` (up to 64 KiB), ps, rounded down.
static inline tstamp rate_time(octet_ps ps, uint32_t octets)
{
	return (octets * ps) >> 20;
}

// octets * 8 / time in bit/s; 0 where time is 0. For reports.
static inline rate_t rate_of(uint64_t octets, tstamp time)
{
	return time ? (rate_t)((unsigned __int128)octets * (8 * PS_PER_S) / time) : 0;
}
