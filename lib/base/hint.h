// SPDX-License-Identifier: BSD-3-Clause
// Hints for the compiler about hot code: which way a branch goes, which function is inlined or kept
// apart, which memory is cleared by stores.
#pragma once

#include <stddef.h>
#include <string.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INLINE      static inline __attribute__((always_inline))
#define ASIDE       static __attribute__((noinline)) // seldom called

// Clears n bytes, a small multiple of 32, by stores. For an n that it knows the compiler would take
// a string instruction, which takes longer.
INLINE void clear_small(void *bytes, size_t n)
{
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i += 32)
		memset((char *)bytes + i, 0, 32);
}
