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

// floor(a * b / c); c not 0.
static inline uint64_t fixed_muldiv(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint64_t)((unsigned __int128)a * b / c);
}
