// SPDX-License-Identifier: BSD-3-Clause
// Numbers as columns show them: short, with a unit where sizes differ widely.
#include "text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

// A number below 1000 with the letter of its thousands: "999", "1.20k", "45.6M". `whole`: it has no
// decimals where it has no letter.
static const char *scaled(char *buf, double value, const char *letters, bool whole)
{
	unsigned i = 0;

	while (value >= 999.5 && letters[i + 1]) {
		value /= 1000;
		i++;
	}
	if (!i && (whole || value >= 99.95 || value == 0))
		snprintf(buf, TOP_TEXT, "%.0f", value);
	else if (!i)
		snprintf(buf, TOP_TEXT, "%.1f", value);
	else
		snprintf(buf, TOP_TEXT, "%.*f%c",
			value < 9.995   ? 2
			: value < 99.95 ? 1
					: 0,
			value, letters[i]);
	return buf;
}

const char *top_text(char buf[static TOP_TEXT], enum top_form form, double value)
{
	if (isnan(value)) {
		snprintf(buf, TOP_TEXT, "-");
		return buf;
	}
	switch (form) {
	case FORM_GBPS:
		snprintf(buf, TOP_TEXT, "%.*f", value < 99.995 ? 2 : value < 999.95 ? 1 : 0, value);
		break;
	case FORM_LINK:
		if (value < 0.9995)
			snprintf(buf, TOP_TEXT, "%.0fM", value * 1000);
		else
			snprintf(buf, TOP_TEXT, "%.4gG", value);
		break;
	case FORM_PERCENT:
		snprintf(buf, TOP_TEXT, "%.1f%%", value);
		break;
	case FORM_COUNT:
		return scaled(buf, value, " kMGT", false);
	case FORM_BYTES:
		return scaled(buf, value, " KMGT", true);
	case FORM_RATIO:
		snprintf(buf, TOP_TEXT, "%.3f", value);
		break;
	}
	return buf;
}
