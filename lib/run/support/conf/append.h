// SPDX-License-Identifier: BSD-3-Clause
// A text that grows in an array of fixed size.
#pragma once

#include <stddef.h>

// printf at the end of the text in `buf`, which is cut where the array ends.
__attribute__((format(printf, 3, 4))) void append_text(
	char *buf, size_t size, const char *fmt, ...);
