// SPDX-License-Identifier: BSD-3-Clause
// Values with units as a scenario writes them: 100Gbps, 55us, 400KB, 20%, 64..1518; exact.
#include "int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t scale; // base units
	bool shown;     // units_format may choose it
};

// Longest first: units_format takes the first that fits.
static const struct unit rate_units[] = {
	{"Tbps", 1000000000000, false},
	{"Gbps", 1000000000, true},
	{"Mbps", 1000000, true},
	{"Kbps", 1000, true},
	{"bps", 1, true},
	{"kbps", 1000, false},
	{"Tb/s", 1000000000000, false},
	{"Gb/s", 1000000000, false},
	{"Mb/s", 1000000, false},
	{"Kb/s", 1000, false},
	{"kb/s", 1000, false},
	{"b/s", 1, false},
	{NULL, 0, false},
};

static const struct unit time_units[] = {
	{"s", 1000000000000, true},
	{"ms", 1000000000, true},
	{"us", 1000000, true},
	{"\xc2\xb5s", 1000000, false}, // U+00B5, the micro sign
	{"\xce\xbcs", 1000000, false}, // U+03BC, the Greek letter
	{"ns", 1000, true},
	{"ps", 1, true},
	{NULL, 0, false},
};

static const struct unit size_units[] = {
	{"GB", 1000000000, true},
	{"GiB", 1ull << 30, true},
	{"MB", 1000000, true},
	{"MiB", 1ull << 20, true},
	{"KB", 1000, true},
	{"KiB", 1ull << 10, true},
	{"B", 1, true},
	{"kB", 1000, false},
	{"", 1, false},
	{NULL, 0, false},
};

static const struct unit clock_units[] = {
	{"GHz", 1000000000, true},
	{"MHz", 1000000, true},
	{"kHz", 1000, true},
	{"Hz", 1, true},
	{NULL, 0, false},
};

static const struct unit pps_units[] = {
	{"Mpps", 1000000, true},
	{"Kpps", 1000, true},
	{"pps", 1, true},
	{"mpps", 1000000, false},
	{"kpps", 1000, false},
	{NULL, 0, false},
};

static const struct unit count_units[] = {{"", 1, true}, {NULL, 0, false}};

static const struct {
	const struct unit *unit;
	const char *example;
} kinds[] = {
	[UNITS_RATE] = {rate_units, "a rate, as in 100Gbps or 40Mbps"},
	[UNITS_TIME] = {time_units, "a time, as in 55us or 1.5ms"},
	[UNITS_SIZE] = {size_units, "a size, as in 400KB (1000), 64KiB (1024) or plain bytes"},
	[UNITS_CLOCK] = {clock_units, "a frequency, as in 250MHz"},
	[UNITS_PPS] = {pps_units, "frames per second, as in 2Mpps"},
	[UNITS_COUNT] = {count_units, "a whole number"},
};

// A number without its point: `scale` is ten to the power of the digits behind the point.
struct decimal {
	uint64_t digits;
	uint64_t scale;
};

#define DIGITS_MAX (UINT64_MAX / 10 - 1)

// Reads "12" or "12.5" at *text and steps over it.
static enum units_error decimal_read(const char **text, struct decimal *d)
{
	const char *c = *text;
	bool point = false;

	*d = (struct decimal){.scale = 1};
	if (*c < '0' || *c > '9')
		return UNITS_NO_NUMBER;
	for (; (*c >= '0' && *c <= '9') || (*c == '.' && !point); c++) {
		if (*c == '.') {
			if (c[1] < '0' || c[1] > '9')
				break;
			point = true;
			continue;
		}
		if (d->digits > DIGITS_MAX || d->scale > DIGITS_MAX)
			return point ? UNITS_NOT_WHOLE : UNITS_TOO_LARGE;
		d->digits = d->digits * 10 + (uint64_t)(*c - '0');
		if (point)
			d->scale *= 10;
	}
	*text = c;
	return UNITS_OK;
}

// Blanks that text from other programs has between a number and its unit, too: U+00A0, which does
// not break a line, the thin U+2009 and the narrow U+202F.
static const char *skip_blanks(const char *c)
{
	static const char *const blanks[] = {" ", "\xc2\xa0", "\xe2\x80\x89", "\xe2\x80\xaf"};
	unsigned i = 0;

	while (i < sizeof(blanks) / sizeof(blanks[0])) {
		size_t n = strlen(blanks[i]);

		if (strncmp(c, blanks[i], n) != 0) {
			i++;
			continue;
		}
		c += n;
		i = 0;
	}
	return c;
}

enum units_error units_parse(enum units_kind kind, const char *text, uint64_t *value)
{
	const char *c = skip_blanks(text);
	const struct unit *u = kinds[kind].unit;
	struct decimal d;
	enum units_error e = decimal_read(&c, &d);

	if (e)
		return e;
	c = skip_blanks(c);
	while (u->name && strcmp(u->name, c) != 0)
		u++;
	if (!u->name)
		return *c ? UNITS_WRONG_UNIT : UNITS_NO_UNIT;

	unsigned __int128 product = (unsigned __int128)d.digits * u->scale;

	if (product % d.scale)
		return UNITS_NOT_WHOLE;
	if (product / d.scale > INT64_MAX)
		return UNITS_TOO_LARGE;
	*value = (uint64_t)(product / d.scale);
	return UNITS_OK;
}

enum units_error units_parse_share(const char *text, uint64_t *ppb)
{
	const char *c = skip_blanks(text);
	struct decimal d;
	enum units_error e = decimal_read(&c, &d);

	if (e)
		return e;
	c = skip_blanks(c);
	if (strcmp(c, "%") != 0)
		return *c ? UNITS_WRONG_UNIT : UNITS_NO_UNIT;

	unsigned __int128 parts = (unsigned __int128)d.digits * 10000000; // 10^9 / 100

	if (parts % d.scale)
		return UNITS_NOT_WHOLE;
	if (parts / d.scale > 1000000000)
		return UNITS_TOO_LARGE;
	*ppb = (uint64_t)(parts / d.scale);
	return UNITS_OK;
}

enum units_error units_parse_real(const char *text, double *value)
{
	const char *c = skip_blanks(text);
	struct decimal num, den = {.digits = 1, .scale = 1};
	enum units_error e = decimal_read(&c, &num);

	if (e)
		return e;
	c = skip_blanks(c);
	if (strcmp(c, "%") == 0) {
		den.digits = 100;
		c++;
	} else if (*c == '/') {
		c = skip_blanks(c + 1);
		e = decimal_read(&c, &den);
		if (e)
			return e;
	}
	if (*c || !den.digits)
		return UNITS_WRONG_UNIT;
	// Both products are exact in a double for the few digits that a parameter has.
	*value = (double)num.digits * (double)den.scale / ((double)den.digits * (double)num.scale);
	return UNITS_OK;
}

// Reads the n bytes before the dots of a range. A value without a unit has the unit of `end`.
static enum units_error parse_low(
	enum units_kind kind, const char *text, int n, const char *end, uint64_t *low)
{
	char word[64];
	enum units_error e;

	snprintf(word, sizeof(word), "%.*s", n, text);
	e = units_parse(kind, word, low);
	if (e != UNITS_NO_UNIT)
		return e;
	snprintf(word, sizeof(word), "%.*s%s", n, text, end + strspn(end, " .0123456789"));
	return units_parse(kind, word, low);
}

enum units_error units_parse_range(
	enum units_kind kind, const char *text, uint64_t *low, uint64_t *high)
{
	const char *dots = strstr(text, ".."), *end = dots ? dots + 2 : text;
	uint64_t a = 0, b = 0;
	enum units_error e = units_parse(kind, end, &b);

	if (!e && dots)
		e = parse_low(kind, text, (int)(dots - text), end, &a);
	if (e)
		return e;
	*low = dots ? a : b;
	*high = b;
	return UNITS_OK;
}

// Writes thousandths / 1000 without trailing zeros, then the unit.
static char *format_milli(unsigned __int128 thousandths, const char *unit, char *buf, size_t size)
{
	uint64_t whole = (uint64_t)(thousandths / 1000);
	unsigned rest = (unsigned)(thousandths % 1000);
	int width = 3;

	while (rest && rest % 10 == 0) {
		rest /= 10;
		width--;
	}
	if (rest)
		snprintf(buf, size, "%" PRIu64 ".%0*u%s", whole, width, rest, unit);
	else
		snprintf(buf, size, "%" PRIu64 "%s", whole, unit);
	return buf;
}

char *units_format(enum units_kind kind, uint64_t value, char *buf, size_t size)
{
	const struct unit *u = kinds[kind].unit;

	for (; u->name; u++) {
		bool binary = u->scale > 1 && (u->scale & (u->scale - 1)) == 0;
		// Sizes read best with one decimal at most, so that 65536 is 64KiB and not
		// 65.536KB.
		unsigned decimals = binary ? 1 : kind == UNITS_SIZE ? 10 : 1000;

		if (!u->shown || value < u->scale)
			continue;
		if ((unsigned __int128)value * decimals % u->scale == 0)
			return format_milli(
				(unsigned __int128)value * 1000 / u->scale, u->name, buf, size);
	}
	// Zero has no natural unit: the last one shown, which is the base unit.
	const char *base = kind == UNITS_RATE    ? "bps"
			   : kind == UNITS_TIME  ? "us"
			   : kind == UNITS_CLOCK ? "Hz"
						 : "";

	snprintf(buf, size, "%" PRIu64 "%s", value, base);
	return buf;
}

char *units_format_share(uint64_t ppb, char *buf, size_t size)
{
	uint64_t whole = ppb / 10000000, rest = ppb % 10000000;
	int width = 7;

	while (rest && rest % 10 == 0) {
		rest /= 10;
		width--;
	}
	if (rest)
		snprintf(buf, size, "%" PRIu64 ".%0*" PRIu64 "%%", whole, width, rest);
	else
		snprintf(buf, size, "%" PRIu64 "%%", whole);
	return buf;
}

const char *units_example(enum units_kind kind)
{
	return kinds[kind].example;
}

bool units_parse_mac(const char *text, uint8_t mac[6])
{
	static const char digits[] = "0123456789abcdefABCDEF";
	uint8_t o[6];

	for (unsigned i = 0; i < 6; i++) {
		size_t n = strspn(text, digits);

		if (!n || n > 2 || text[n] != (i < 5 ? ':' : 0))
			return false;
		o[i] = (uint8_t)strtoul(text, NULL, 16);
		text += n + 1;
	}
	memcpy(mac, o, sizeof(o));
	return true;
}

char *units_format_mac(const uint8_t mac[6], char *buf, size_t size)
{
	snprintf(buf, size, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		mac[5]);
	return buf;
}
