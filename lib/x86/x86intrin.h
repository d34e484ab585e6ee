// SPDX-License-Identifier: BSD-3-Clause
// The vector instructions of DPDK's headers, which include <x86intrin.h>. The compiler's own header
// of that name declares AVX-512, too: the compiler reads it for half a second in each file. In a
// build without AVX no inline function of DPDK goes beyond SSE 4.2.
#pragma once

#ifdef __AVX__
#include_next <x86intrin.h>
#else
#include <nmmintrin.h>
#endif
