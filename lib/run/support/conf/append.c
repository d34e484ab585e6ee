// SPDX-License-Identifier: BSD-3-Clause
// A text that grows in an array of fixed size.
#include "append.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void append_text(char *buf, size_t size, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
}
