// SPDX-License-Identifier: BSD-3-Clause
// One line that tells a user where, what is wrong and what would be right.
#include "err.h"

#include <stdarg.h>

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	// The text quotes what a file or a command line says: it stays one line on a terminal.
	for (char *c = e->text; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	}
	return code;
}
