// SPDX-License-Identifier: BSD-3-Clause
// Numbers as columns show them: short, with a unit where sizes differ widely.
#pragma once

#include <stddef.h>

enum top_form {
	FORM_GBPS,
	FORM_LINK,    // "25G"
	FORM_PERCENT, // "12.5%"
	FORM_COUNT,   // "1234", "12.3k"
	FORM_BYTES,   // "12.3K": 1000 bytes are a K
	FORM_RATIO,   // "0.181"
};

#define TOP_TEXT 24

#pragma GCC visibility push(hidden)

// Returns buf; "-" of a number that is not known.
const char *top_text(char buf[static TOP_TEXT], enum top_form form, double value);

#pragma GCC visibility pop
