// SPDX-License-Identifier: BSD-3-Clause
// The first failure of a record, which is reported when the record is closed.
#include "tally.h"

#include <stdarg.h>

void record_fail(struct record *r, int code, const char *fmt, ...)
{
	va_list ap;

	if (r->error)
		return;
	r->error = code;
	va_start(ap, fmt);
	vsnprintf(r->err.text, sizeof(r->err.text), fmt, ap);
	va_end(ap);
}
