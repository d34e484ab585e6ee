// SPDX-License-Identifier: BSD-3-Clause
// Fixed-point arithmetic: products wider than 64 bits, rounding named.
#pragma once

#include <stdint.h>

// floor(a * b / 2^shift), shift 0..127; the result must fit 64 bits.
static inline uint64_t fixed_mul(uint64_t a, uint64_t b, unsigned shift)
{
	return (uint64_t)((unsigned __int128)a * b >> shift);
}

// a * b / 2^shift rounded to nearest, shift 1..127.
static inline uint64_t fixed_mul_near(uint64_t a, uint64_t b, unsigned shift)
{
	unsigned __int128 half = (unsigned __int128)1 << (shift - 1);

	return (uint64_t)(((unsigned __int128)a * b + half) >> shift);
}

// floor(a * b / c); c not 0. Most products fit 64 bits, and the division of 128 is a call.
static inline uint64_t fixed_muldiv(uint64_t a, uint64_t b, uint64_t c)
{
	unsigned __int128 ab = (unsigned __int128)a * b;

	if (ab >> 64)
		return (uint64_t)(ab / c);
	return (uint64_t)ab / c;
}
