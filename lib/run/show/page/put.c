// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a page's data: few characters each, because there are many.
#include <math.h>

#include "int.h"

void put_real(struct jw *w, const char *key, double value)
{
	char text[32];

	if (!isfinite(value)) {
		jw_null(w, key);
		return;
	}
	snprintf(text, sizeof(text), "%.9g", value);
	jw_number(w, key, text);
}

void put_us(struct jw *w, const char *key, tstamp t)
{
	char text[32];

	*fmt_us(text, t) = '\0';
	jw_number(w, key, text);
}

void put_reals(struct jw *w, const char *key, const double *value, size_t n)
{
	jw_array(w, key, true);
	for (size_t i = 0; i < n; i++) {
		char text[32];

		if (isfinite(value[i])) {
			snprintf(text, sizeof(text), "%.6g", value[i]);
			jw_number(w, NULL, text);
		} else {
			jw_null(w, NULL);
		}
	}
	jw_end(w);
}
