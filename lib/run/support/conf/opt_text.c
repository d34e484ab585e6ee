// SPDX-License-Identifier: BSD-3-Clause
// Option tables as text: the type and range of a row, its value, the nearest key.
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "int.h"

enum units_kind opt_units(const struct opt *row)
{
	switch (row->type) {
	case OPT_RATE:
	case OPT_RATE_SHARE:
	case OPT_RATE_PPS:
		return UNITS_RATE;
	case OPT_TIME:
	case OPT_TIME_RANGE:
		return UNITS_TIME;
	case OPT_SIZE:
	case OPT_SIZE_SHARE:
	case OPT_SIZE_SPEED:
		return UNITS_SIZE;
	case OPT_CLOCK:
		return UNITS_CLOCK;
	default:
		return UNITS_COUNT;
	}
}

static bool is_choice(const struct opt *row)
{
	return row->type == OPT_ENUM || row->type == OPT_CHOICE;
}

static void append_choice(char *buf, size_t size, const char *comma, const char *name)
{
	size_t n = strcspn(name, "(");

	append_text(buf, size, "%s%.*s%s", comma, (int)n, name, name[n] ? "(N)" : "");
}

char *opt_wants(const struct opt *row, char *buf, size_t size)
{
	static const char *const words[] = {
		[OPT_BOOL] = "true or false",
		[OPT_INT] = "a whole number",
		[OPT_REAL] = "a number, as in 0.5 or 1/256",
		[OPT_PERCENT] = "a share, as in 20% or 0.2",
		[OPT_RATE_SHARE] = "a rate, as in 40Gbps, or a share of the link, as in 5%",
		[OPT_RATE_PPS] = "a rate, as in 40Gbps, frames per second, as in 2Mpps, or a share "
				 "of the link, as in 5%",
		[OPT_SIZE_SHARE] = "a size, as in 400KB, or a share of the buffer, as in 50%",
		[OPT_SIZE_SPEED] = "a size, as in 400KB, for each Gbps of the link, as in "
				   "4KB/Gbps, or a share of the buffer, as in 50%",
		[OPT_SHARE] = "a share, as in 50%",
		[OPT_TEXT] = "a text",
		[OPT_MAC] = "an address, as in 02:00:00:00:00:01",
		[OPT_IP] = "an address, as in 10.0.0.1 or fd00::1",
		[OPT_RANGE] = "a number or a range, as in 64..1518",
		[OPT_TIME_RANGE] = "a time, as in 55us, or a range, as in 0..10us",
		[OPT_BITS] = "a list of classes, as in [3, 4]",
		[OPT_SLOTS] = "a map of numbers, as in {26: 3}",
		[OPT_NODE] = "a name, a range as in h1..8, or a list of them",
		[OPT_WORDS] = "a word, or a list of words as in [mark, drop]",
		[OPT_MAP] = "a map of options, as in {key: value}",
		[OPT_KEYED] = "a map by number, as in {3: {key: value}}",
		[OPT_SECTION] = "a map by name, as in {name: {key: value}}",
		[OPT_LIST] = "a list, each line beginning with '-'",
	};
	bool known = row->type < sizeof(words) / sizeof(words[0]) && words[row->type];

	snprintf(buf, size, "%s",
		is_choice(row) ? "one of "
		: known        ? words[row->type]
			       : units_example(opt_units(row)));
	if (row->type == OPT_MAP && !row->sub->n)
		snprintf(buf, size, "nothing behind it");
	if (row->type == OPT_ANY)
		snprintf(buf, size, "a value, as in %s", row->example);
	for (unsigned i = 0; is_choice(row) && row->names[i]; i++)
		append_choice(buf, size, i ? ", " : "", row->names[i]);
	for (unsigned i = 0; !is_choice(row) && row->names && row->names[i]; i++)
		append_text(buf, size, ", or %s", row->names[i]);
	if (row->flags & OPT_F_AUTO)
		append_text(buf, size, ", or auto");
	if (row->flags & OPT_F_NONE)
		append_text(buf, size, ", or none");
	return buf;
}

static char *format_limit(const struct opt *row, int64_t v, char *buf, size_t size)
{
	if (row->type == OPT_REAL)
		snprintf(buf, size, "%.10g", (double)v / 1e6);
	else if (row->type == OPT_PERCENT)
		snprintf(buf, size, "%.10g%%", (double)v / 1e4);
	else if (v < 0)
		snprintf(buf, size, "%" PRId64, v);
	else
		units_format(opt_units(row), (uint64_t)v, buf, size);
	return buf;
}

char *opt_limits(const struct opt *row, char *buf, size_t size)
{
	char low[32], high[32];

	*buf = 0;
	if ((row->min || row->max) && row->type != OPT_MAC)
		snprintf(buf, size, "%s..%s", format_limit(row, row->min, low, sizeof(low)),
			format_limit(row, row->max, high, sizeof(high)));
	return buf;
}

static void format_number(const struct opt *row, uint64_t v, char *buf, size_t size)
{
	for (unsigned i = 0; row->names && row->names[i]; i++) {
		if (v == OPT_WORD(i)) {
			snprintf(buf, size, "%s", row->names[i]);
			return;
		}
	}
	if (row->flags & OPT_F_AUTO && v == OPT_AUTO)
		snprintf(buf, size, "auto");
	else if (row->flags & OPT_F_NONE && (v == OPT_NONE || (!v && row->min > 0)))
		snprintf(buf, size, "none");
	else
		units_format(opt_units(row), v, buf, size);
}

static void format_int(const struct opt *row, const void *at, char *buf, size_t size)
{
	int64_t v;

	if (row->size == 4)
		v = *(const int32_t *)at;
	else
		v = *(const int64_t *)at;
	snprintf(buf, size, "%" PRId64, v);
}

static void format_real(const struct opt *row, const void *at, char *buf, size_t size)
{
	bool percent = row->type == OPT_PERCENT;
	double v;

	memcpy(&v, at, sizeof(v));
	v *= percent ? 100 : 1;
	// A parameter rarely has more digits than ten; where it has, all that matter.
	snprintf(buf, size, "%.10g", v);
	if (strtod(buf, NULL) != v && !percent)
		snprintf(buf, size, "%.17g", v);
	if (percent)
		append_text(buf, size, "%%");
}

static void format_bits(uint8_t bits, char *buf, size_t size)
{
	const char *comma = "";

	snprintf(buf, size, "[");
	for (unsigned i = 0; i < 8; i++) {
		if (bits >> i & 1) {
			append_text(buf, size, "%s%u", comma, i);
			comma = ", ";
		}
	}
	append_text(buf, size, "]");
}

// Runs of the same value share a key: {0..7: 0, 8..15: 1}.
static void format_slots(const struct opt *row, const void *at, char *buf, size_t size)
{
	uint32_t each = row->size / row->count;
	const char *p = at, *comma = "";

	snprintf(buf, size, "{");
	for (unsigned i = 0, j; i < row->count; i = j) {
		uint64_t v = 0;

		memcpy(&v, p + i * each, each);
		for (j = i + 1; j < row->count && memcmp(p + i * each, p + j * each, each) == 0;)
			j++;
		if (j - i > 1)
			append_text(buf, size, "%s%u..%u: %" PRIu64, comma, i, j - 1, v);
		else
			append_text(buf, size, "%s%u: %" PRIu64, comma, i, v);
		comma = ", ";
	}
	append_text(buf, size, "}");
}

static bool format_node(const struct yamldoc_node *n, char *buf, size_t size)
{
	const char *comma = "";

	bool map = n && n->type == YAMLDOC_MAP;

	*buf = 0;
	if (!n)
		return false;
	if (n->type == YAMLDOC_SCALAR) {
		snprintf(buf, size, "%s", n->text);
		return true;
	}
	snprintf(buf, size, map ? "{" : "[");
	for (unsigned i = 0; i < n->n; i++) {
		char one[256];

		format_node(n->item[i].value, one, sizeof(one));
		append_text(buf, size, "%s", comma);
		if (map)
			append_text(buf, size, "%s: ", n->item[i].key->text);
		append_text(buf, size, "%s", one);
		comma = ", ";
	}
	append_text(buf, size, map ? "}" : "]");
	return true;
}

static void format_amount(const struct opt *row, const void *at, char *buf, size_t size)
{
	const struct opt_amount *a = at;

	if (a->is_share)
		units_format_share(a->share_ppb, buf, size);
	else if (a->is_pps)
		units_format(UNITS_PPS, a->value, buf, size);
	else
		format_number(row, a->value, buf, size);
	if (a->per_gbps)
		append_text(buf, size, OPT_PER_GBPS);
}

static void format_range(const struct opt *row, const void *at, char *buf, size_t size)
{
	const struct opt_range *r = at;
	char high[32];

	format_number(row, r->low, buf, size);
	if (r->low == r->high)
		return;
	format_number(row, r->high, high, sizeof(high));
	append_text(buf, size, "..%s", high);
}

static bool format_text(const char *text, char *buf, size_t size)
{
	*buf = 0;
	if (!text)
		return false;

	// The text is quoted if it might read as something else.
	bool plain = *text && !strpbrk(text, ":#{}[],&*!|>'\"%@` \t");

	append_text(buf, size, plain ? "%s" : "\"", text);
	for (; !plain && *text; text++)
		append_text(buf, size, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	if (!plain)
		append_text(buf, size, "\"");
	return true;
}

// An enum, or a choice, whose first member is one.
static bool format_choice(const struct opt *row, const void *at, char *buf, size_t size)
{
	const char *name = row->names[*(const unsigned *)at];
	size_t n = strcspn(name, "(");

	snprintf(buf, size, "%.*s", (int)n, name);
	if (name[n])
		append_text(buf, size, "(%" PRIu64 ")", ((const struct opt_choice *)at)->n);
	return true;
}

static bool format_mac(const struct opt *row, const uint8_t *o, char *buf, size_t size)
{
	static const uint8_t zero[6];

	if (row->flags & OPT_F_AUTO && !memcmp(o, zero, sizeof(zero)))
		snprintf(buf, size, "auto");
	else
		units_format_mac(o, buf, size);
	return true;
}

static bool format_ip(const struct opt_ip *ip, char *buf, size_t size)
{
	return inet_ntop(ip->v6 ? AF_INET6 : AF_INET, ip->bytes, buf, (socklen_t)size);
}

static void format_share(const struct opt *row, const void *at, char *buf, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, at, row->size);
	units_format_share(v * 1000000, buf, size);
}

bool opt_format(const struct opt *row, const void *base, char *buf, size_t size)
{
	const void *at = (const char *)base + row->offset;
	uint64_t v = 0;

	switch (row->type) {
	case OPT_BOOL:
		snprintf(buf, size, "%s", *(const bool *)at ? "true" : "false");
		return true;
	case OPT_INT:
		format_int(row, at, buf, size);
		return true;
	case OPT_REAL:
	case OPT_PERCENT:
		format_real(row, at, buf, size);
		return true;
	case OPT_RATE_SHARE:
	case OPT_RATE_PPS:
	case OPT_SIZE_SHARE:
	case OPT_SIZE_SPEED:
		format_amount(row, at, buf, size);
		return true;
	case OPT_SHARE:
		format_share(row, at, buf, size);
		return true;
	case OPT_ENUM:
	case OPT_CHOICE:
		return format_choice(row, at, buf, size);
	case OPT_TEXT:
		return format_text(*(const char *const *)at, buf, size);
	case OPT_MAC:
		return format_mac(row, at, buf, size);
	case OPT_IP:
		return format_ip(at, buf, size);
	case OPT_RANGE:
	case OPT_TIME_RANGE:
		format_range(row, at, buf, size);
		return true;
	case OPT_BITS:
		format_bits(*(const uint8_t *)at, buf, size);
		return true;
	case OPT_SLOTS:
		format_slots(row, at, buf, size);
		return true;
	case OPT_NODE:
	case OPT_WORDS:
	case OPT_ANY:
		return format_node(*(const struct yamldoc_node *const *)at, buf, size);
	case OPT_UINT:
	case OPT_RATE:
	case OPT_TIME:
	case OPT_SIZE:
	case OPT_CLOCK:
		memcpy(&v, at, row->size);
		format_number(row, v, buf, size);
		return true;
	default:
		return false;
	}
}

// Returns Damerau's distance of two words (swapped neighbours count once). -1: it is more than a
// third of the longer word, or the words differ over more than 31 letters.
int opt_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), longer = n > m ? n : m;
	int d[32][32];

	for (; n && m && *a == *b; a++, b++, n--)
		m--;
	for (; n && m && a[n - 1] == b[m - 1]; n--)
		m--;
	if (n > 31 || m > 31)
		return -1;
	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j) {
				d[i][j] = (int)(i + j);
				continue;
			}

			int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[n][m] * 3 <= (int)longer ? d[n][m] : -1;
}
