// SPDX-License-Identifier: BSD-3-Clause
// What the compiler is told of hot code: which way a branch goes, and what is to stand in its
// caller or by itself.
#pragma once

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INLINE      static inline __attribute__((always_inline))
#define ASIDE       static __attribute__((noinline)) // seldom called
