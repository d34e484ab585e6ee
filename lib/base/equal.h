// SPDX-License-Identifier: BSD-3-Clause
// Which entries of a small array are equal to one: a bitmap, found for sixteen of them at once.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/hint.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define EQUAL_MOST 64 // entries of an array

// An array has memory for a multiple of 16 entries. Bits from n on, which is the number of entries,
// mean nothing. Loops are not unrolled: they have four rounds at most, and another number of them
// in each burst.

#if defined(__SSE2__)

// Packs four vectors of words, each all ones or 0, into a byte for each word, and a bit.
INLINE __m128i equal_packed(__m128i a, __m128i b, __m128i c, __m128i d)
{
	return _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
}

INLINE uint64_t equal_bits(__m128i a, __m128i b, __m128i c, __m128i d)
{
	return (unsigned)_mm_movemask_epi8(equal_packed(a, b, c, d));
}

// Which of n words of 32 bits are `word`.
INLINE uint64_t equal_words(const void *at, unsigned n, uint32_t word)
{
	const __m128i all = _mm_set1_epi32((int)word), *w = (const __m128i *)at;
	uint64_t equal = 0;

#pragma GCC unroll 1
	for (unsigned i = 0; i < n; i += 16, w += 4)
		equal |= equal_bits(_mm_cmpeq_epi32(_mm_loadu_si128(w), all),
				 _mm_cmpeq_epi32(_mm_loadu_si128(w + 1), all),
				 _mm_cmpeq_epi32(_mm_loadu_si128(w + 2), all),
				 _mm_cmpeq_epi32(_mm_loadu_si128(w + 3), all))
			 << i;
	return equal;
}

#else

INLINE uint64_t equal_words(const void *at, unsigned n, uint32_t word)
{
	uint64_t equal = 0;

	for (unsigned i = 0; i < n; i++) {
		uint32_t w;

		memcpy(&w, (const char *)at + i * sizeof(w), sizeof(w));
		equal |= (uint64_t)(w == word) << i;
	}
	return equal;
}

#endif
