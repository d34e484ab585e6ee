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

// Which of n bytes are `byte`.
INLINE uint64_t equal_bytes(const void *at, unsigned n, uint8_t byte)
{
	const __m128i all = _mm_set1_epi8((char)byte), *b = (const __m128i *)at;
	uint64_t equal = 0;

#pragma GCC unroll 1
	for (unsigned i = 0; i < n; i += 16, b++)
		equal |= (uint64_t)(unsigned)_mm_movemask_epi8(
				 _mm_cmpeq_epi8(_mm_loadu_si128(b), all))
			 << i;
	return equal;
}

// Of four rows that are all ones in each word that is equal: a word for each row, all ones or 0.
INLINE __m128i equal_whole(__m128i a, __m128i b, __m128i c, __m128i d)
{
	return _mm_cmpeq_epi32(equal_packed(a, b, c, d), _mm_set1_epi32(-1));
}

INLINE __m128i equal_four(const __m128i *row, __m128i like)
{
	return equal_whole(_mm_cmpeq_epi32(_mm_loadu_si128(row), like),
		_mm_cmpeq_epi32(_mm_loadu_si128(row + 1), like),
		_mm_cmpeq_epi32(_mm_loadu_si128(row + 2), like),
		_mm_cmpeq_epi32(_mm_loadu_si128(row + 3), like));
}

// Which of n rows of 16 bytes are `like`. Each of them gets the bits of `number` in its byte of
// `of`, which has one for each entry that the array has memory for.
INLINE uint64_t equal_rows(
	const void *at, unsigned n, const void *like, uint8_t *of, uint8_t number)
{
	const __m128i all = _mm_loadu_si128((const __m128i *)like), *row = (const __m128i *)at;
	const __m128i bits = _mm_set1_epi8((char)number);
	uint64_t equal = 0;

#pragma GCC unroll 1
	for (unsigned i = 0; i < n; i += 16, row += 16) {
		__m128i *to = (__m128i *)(of + i);
		__m128i bytes = equal_packed(equal_four(row, all), equal_four(row + 4, all),
			equal_four(row + 8, all), equal_four(row + 12, all));

		equal |= (uint64_t)(unsigned)_mm_movemask_epi8(bytes) << i;
		_mm_storeu_si128(to, _mm_or_si128(_mm_loadu_si128(to), _mm_and_si128(bytes, bits)));
	}
	return equal;
}

// Of four rows which are the same as the next one, as equal_whole has it.
INLINE __m128i equal_to_next_four(const __m128i *row)
{
	__m128i a = _mm_loadu_si128(row), b = _mm_loadu_si128(row + 1),
		c = _mm_loadu_si128(row + 2), d = _mm_loadu_si128(row + 3),
		e = _mm_loadu_si128(row + 4);

	return equal_whole(_mm_cmpeq_epi32(a, b), _mm_cmpeq_epi32(b, c), _mm_cmpeq_epi32(c, d),
		_mm_cmpeq_epi32(d, e));
}

// Which of n rows of 16 bytes are the same as the next one, where row n may be any.
INLINE uint64_t equal_to_next(const void *at, unsigned n)
{
	const __m128i *row = (const __m128i *)at;
	uint64_t equal = 0;

#pragma GCC unroll 1
	for (unsigned i = 0; i < n; i += 16, row += 16)
		equal |= equal_bits(equal_to_next_four(row), equal_to_next_four(row + 4),
				 equal_to_next_four(row + 8), equal_to_next_four(row + 12))
			 << i;
	return equal;
}

#else

INLINE uint64_t equal_bytes(const void *at, unsigned n, uint8_t byte)
{
	uint64_t equal = 0;

	for (unsigned i = 0; i < n; i++)
		equal |= (uint64_t)(((const uint8_t *)at)[i] == byte) << i;
	return equal;
}

INLINE uint64_t equal_rows(
	const void *at, unsigned n, const void *like, uint8_t *of, uint8_t number)
{
	uint64_t equal = 0;

	for (unsigned i = 0; i < n; i++) {
		bool is = !memcmp((const char *)at + i * 16, like, 16);

		equal |= (uint64_t)is << i;
		of[i] |= is ? number : 0;
	}
	return equal;
}

INLINE uint64_t equal_to_next(const void *at, unsigned n)
{
	uint64_t equal = 0;

	for (unsigned i = 0; i < n; i++) {
		const char *row = (const char *)at + i * 16;

		equal |= (uint64_t)!memcmp(row, row + 16, 16) << i;
	}
	return equal;
}

#endif
