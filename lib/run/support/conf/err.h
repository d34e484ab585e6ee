// SPDX-License-Identifier: BSD-3-Clause
// An error message of one line: where, what is wrong and what would be right.
#pragma once

#include <stdio.h>

#define ERR_HINT 1536 // room for what would be right: the longest list of keys, with its end
#define ERR_TEXT (ERR_HINT + 512)

struct err {
	char text[ERR_TEXT];
};

// Writes the line and gives `code` back, so that a failing call is one statement.
__attribute__((format(printf, 3, 4))) int err_set(struct err *e, int code, const char *fmt, ...);
