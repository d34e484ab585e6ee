// SPDX-License-Identifier: BSD-3-Clause
// Common to every fuzz target: the entry that libFuzzer and the replay program call, and a check
// that stays.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Unlike assert, not compiled out of a release build.
#define fuzz_check(condition)                                                           \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)
