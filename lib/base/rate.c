// SPDX-License-Identifier: BSD-3-Clause
// Wire times as the reference simulator cuts them to whole ns.
#include "base/rate.h"

#define MANTISSA 53 // bits of a double

static unsigned bit_length(uint64_t v)
{
	return 64 - (unsigned)__builtin_clzll(v);
}

// v / rate as a double: *shift, and its mantissa, rounded to the nearest, to the even one if two
// are. The value is mantissa / 2^shift.
static uint64_t divide(uint64_t v, rate_t rate, unsigned *shift)
{
	unsigned __int128 q, rest;

	*shift = MANTISSA + bit_length(rate) - bit_length(v);
	q = ((unsigned __int128)v << *shift) / rate;
	if (q >> MANTISSA)
		q = ((unsigned __int128)v << --*shift) / rate;
	rest = 2 * (((unsigned __int128)v << *shift) - q * rate);
	return (uint64_t)q + (rest > rate || (rest == rate && q & 1));
}

tstamp rate_simulator_exact(rate_t rate, uint32_t bytes)
{
	uint64_t bits = 8ull * bytes, seconds;
	unsigned shift;

	if (!bits)
		return 0;
	seconds = divide(bits, rate, &shift);
	seconds = shift > 64 ? seconds >> (shift - 64) : seconds << (64 - shift);
	return (tstamp)((unsigned __int128)seconds * (PS_PER_S / PS_PER_NS) >> 64) * PS_PER_NS;
}
