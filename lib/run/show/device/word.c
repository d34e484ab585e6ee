// SPDX-License-Identifier: BSD-3-Clause
// Values of figures in words: with separators, units and bounds.
#include <math.h>
#include <string.h>

#include "device.h"

const char *const device_state_name[] = {
	[FOUND_NOT] = "not_measured",
	[FOUND_IS] = "is",
	[FOUND_AT_LEAST] = "at_least",
	[FOUND_AT_MOST] = "at_most",
	[FOUND_NONE] = "none",
	[FOUND_VARIES] = "varies",
	[FOUND_OTHERS] = "others",
	[FOUND_INVALID] = "invalid",
};

// Digits in groups of three, as in 1,804,992.
static char *grouped(double value, char *buf, size_t size)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%.0f", fabs(value));
	size_t at = 0;

	if (value <= -0.5 && size > 1)
		buf[at++] = '-';
	for (int i = 0; i < n && at + 2 < size; i++) {
		if (i && (n - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = 0;
	return buf;
}

// A number without unit: whole, a fraction 1/16 of a power of two, or with five digits.
static char *plain(double value, char *buf, size_t size)
{
	if (value > 0 && value < 1 && 1 / value == round(1 / value) && 1 / value <= 256)
		snprintf(buf, size, "1/%.0f", 1 / value);
	else
		snprintf(buf, size, "%.5g", value);
	return buf;
}

char *device_time_text(tstamp t, char *buf, size_t size)
{
	double us = (double)t / PS_PER_US;

	if (us < 1000)
		snprintf(buf, size, "%.4gus", us);
	else if (us < 1e6)
		snprintf(buf, size, "%.4gms", us / 1e3);
	else
		snprintf(buf, size, "%.4gs", us / 1e6);
	return buf;
}

char *device_value_text(enum probe_figure fig, double value, char *buf, size_t size)
{
	const struct probe_figure_row *row = &probe_figure[fig];
	char number[DEVICE_TEXT];

	if (!row->unit)
		snprintf(buf, size, "%s", row->word[(unsigned)value]);
	else if (!strcmp(row->unit, "B"))
		snprintf(buf, size, "%s B", grouped(value, number, sizeof(number)));
	else if (!*row->unit)
		plain(value, buf, size);
	else if (!strcmp(row->unit, "us"))
		snprintf(buf, size, "%.*f us", fabs(value) < 1000 ? 3 : 1,
			fabs(value) < 0.0005 ? 0 : value);
	else
		snprintf(buf, size, "%.5g %s", value, row->unit);
	return buf;
}

// A half width: whole bytes, else two digits.
static void pm_text(enum probe_figure fig, double pm, char *buf, size_t size)
{
	const char *unit = probe_figure[fig].unit;

	if (unit && !strcmp(unit, "B"))
		device_value_text(fig, pm, buf, size);
	else
		snprintf(buf, size, "%.2g%s%s", pm, unit && *unit ? " " : "", unit ? unit : "");
}

char *device_found_text(const struct device_line *l, char *buf, size_t size)
{
	const struct found *f = l->found;
	char value[DEVICE_TEXT];

	// A figure of words is not there up to so many bytes.
	device_value_text(
		f->state == FOUND_NONE && !probe_figure[l->figure].unit ? PROBE_KMAX : l->figure,
		f->value, value, sizeof(value));
	switch (f->state) {
	case FOUND_NOT:
	case FOUND_INVALID:
		snprintf(buf, size, "-");
		break;
	case FOUND_AT_LEAST:
		snprintf(buf, size, ">= %s", value);
		break;
	case FOUND_AT_MOST:
		snprintf(buf, size, "<= %s", value);
		break;
	case FOUND_NONE:
		snprintf(buf, size, f->value ? "none up to %s" : "none", value);
		break;
	default:
		snprintf(buf, size, "%s", value);
	}
	return buf;
}

char *device_pm_text(const struct device_line *l, char *buf, size_t size)
{
	const struct found *f = l->found;
	char least[DEVICE_TEXT], most[DEVICE_TEXT];

	*buf = 0;
	if (f->state == FOUND_VARIES)
		snprintf(buf, size, "%s..%s",
			device_value_text(l->figure, f->least, least, sizeof(least)),
			device_value_text(l->figure, f->most, most, sizeof(most)));
	else if ((f->state == FOUND_IS || f->state == FOUND_OTHERS) && f->pm > 0)
		pm_text(l->figure, f->pm, buf, size);
	return buf;
}

char *device_configured_text(const struct device_line *l, char *buf, size_t size)
{
	static const char *const bound[] = {
		[DEVICE_EQUAL] = "", [DEVICE_NO_LESS] = ">= ", [DEVICE_NO_MORE] = "<= "};
	char value[DEVICE_TEXT];

	*buf = 0;
	if (l->configured.given)
		snprintf(buf, size, "%s%s", bound[l->configured.bound],
			device_value_text(l->figure, l->configured.value, value, sizeof(value)));
	return buf;
}
