// SPDX-License-Identifier: BSD-3-Clause
// Eight words at once: the operations of AVX2 that parsing a burst takes, under names of their own.
// A lane is one of the words. Who includes this has asked whether the machine is an x86.
#pragma once

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/hint.h"

#define LANES 8
#define EVERY 0xff // lane

#define AVX2        __attribute__((target("avx2")))
#define AVX2_INLINE INLINE AVX2

typedef __m256i vec;

AVX2_INLINE uint32_t load32(const uint8_t *o)
{
	uint32_t v;

	memcpy(&v, o, sizeof(v));
	return v;
}

AVX2_INLINE vec v_of(const void *words)
{
	return _mm256_load_si256(words);
}

AVX2_INLINE void v_put(void *words, vec a)
{
	_mm256_store_si256(words, a);
}

AVX2_INLINE vec v_zero(void)
{
	return _mm256_setzero_si256();
}

AVX2_INLINE vec v_and(vec a, vec b)
{
	return _mm256_and_si256(a, b);
}

// Returns the bits of `b` that are not set in `a`. With a mask as `a` this is `b` in the lanes in
// which the mask is zero.
AVX2_INLINE vec v_unless(vec a, vec b)
{
	return _mm256_andnot_si256(a, b);
}

AVX2_INLINE vec v_or(vec a, vec b)
{
	return _mm256_or_si256(a, b);
}

AVX2_INLINE vec v_add(vec a, vec b)
{
	return _mm256_add_epi32(a, b);
}

AVX2_INLINE vec v_sub(vec a, vec b)
{
	return _mm256_sub_epi32(a, b);
}

// Not zero where the words differ.
AVX2_INLINE vec v_differ(vec a, vec b)
{
	return _mm256_xor_si256(a, b);
}

// Return, lane by lane, all ones if `a` and `b` are equal, or if `a` is greater; else 0.
AVX2_INLINE vec v_equal(vec a, vec b)
{
	return _mm256_cmpeq_epi32(a, b);
}

AVX2_INLINE vec v_greater(vec a, vec b)
{
	return _mm256_cmpgt_epi32(a, b);
}

// Returns, lane by lane, `a` if the mask is all ones, else `b`.
AVX2_INLINE vec v_choose(vec mask, vec a, vec b)
{
	return _mm256_blendv_epi8(b, a, mask);
}

AVX2_INLINE vec v_shuffle(vec a, const uint8_t *by)
{
	return _mm256_shuffle_epi8(a, v_of(by));
}

AVX2_INLINE vec v_right(vec a, int bits)
{
	return _mm256_srli_epi32(a, bits);
}

AVX2_INLINE vec v_left(vec a, int bits)
{
	return _mm256_slli_epi32(a, bits);
}

AVX2_INLINE vec v_pair(__m128i low, __m128i high)
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

AVX2_INLINE unsigned lanes_in(vec mask)
{
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask));
}

AVX2_INLINE __m128i row_at(const uint8_t *o)
{
	return _mm_loadu_si128((const __m128i *)o);
}

AVX2_INLINE __m128i half_of(vec a, bool high)
{
	return high ? _mm256_extracti128_si256(a, 1) : _mm256_castsi256_si128(a);
}

// The low halves of two rows, or the high ones, as one.
AVX2_INLINE vec join(vec a, vec b, bool high)
{
	return high ? _mm256_permute2x128_si256(a, b, 0x31)
		    : _mm256_inserti128_si256(a, _mm256_castsi256_si128(b), 1);
}

// Rows, the first of which has those of lanes 0 and 4, become columns, and columns such rows.
AVX2_INLINE void turn(vec r[LANES / 2])
{
	vec a = _mm256_unpacklo_epi32(r[0], r[1]), b = _mm256_unpackhi_epi32(r[0], r[1]);
	vec c = _mm256_unpacklo_epi32(r[2], r[3]), d = _mm256_unpackhi_epi32(r[2], r[3]);

	r[0] = _mm256_unpacklo_epi64(a, c);
	r[1] = _mm256_unpackhi_epi64(a, c);
	r[2] = _mm256_unpacklo_epi64(b, d);
	r[3] = _mm256_unpackhi_epi64(b, d);
}
