// SPDX-License-Identifier: BSD-3-Clause
// An error message of one line: where, what is wrong and what would be right.
#include "err.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// A text that does not fit keeps its ends: the place of the error at the front, and the error at
// the back.
static void keep_ends(struct err *e, const char *whole, size_t n)
{
	static const char left_out[] = " ... ";
	size_t half = (sizeof(e->text) - sizeof(left_out)) / 2;

	memcpy(e->text, whole, half);
	memcpy(e->text + half, left_out, sizeof(left_out) - 1);
	snprintf(e->text + half + sizeof(left_out) - 1, half + 1, "%s", whole + n - half);
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap, again;
	char *whole;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
	if (n >= (int)sizeof(e->text) && vasprintf(&whole, fmt, again) >= 0) {
		keep_ends(e, whole, (size_t)n);
		free(whole);
	}
	va_end(again);
	va_end(ap);
	// The text quotes what a file or a command line says: it stays one line on a terminal.
	for (char *c = e->text; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	}
	return code;
}
