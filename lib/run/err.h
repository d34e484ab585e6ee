// SPDX-License-Identifier: BSD-3-Clause
// One line that tells a user where, what is wrong and what would be right.
#pragma once

#include <stdio.h>

struct err {
	char text[512];
};

// Writes the line and gives `code` back, so that a failing call is one statement.
__attribute__((format(printf, 3, 4))) int err_set(struct err *e, int code, const char *fmt, ...);
