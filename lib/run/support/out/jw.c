// SPDX-License-Identifier: BSD-3-Clause
// JSON text (RFC 8259) with the same bytes for the same values on every machine.
#include "jw.h"

#include <assert.h>
#include <math.h>

#include "printable.h"

void jw_init(struct jw *w, struct out *out)
{
	*w = (struct jw){.out = out};
}

static bool bit(uint16_t map, unsigned i)
{
	return map >> i & 1;
}

// A new line at this depth.
static void newline(struct jw *w)
{
	static const char line[1 + 2 * JW_DEPTH + 1] = "\n                                ";

	_Static_assert(JW_DEPTH == 16, "the line is as long as the deepest level needs");
	out_put(w->out, line, 1 + 2 * w->depth);
}

// Writes the comma and the line feed before a key, or before a value of an array.
static void separate(struct jw *w)
{
	bool has = bit(w->has, w->depth);

	if (has)
		out_put(w->out, ",", 1);
	if (w->depth && !bit(w->flat, w->depth))
		newline(w);
	else if (w->depth && has)
		out_put(w->out, " ", 1);
	w->has |= (uint16_t)(1u << w->depth);
}

// Writes a character that is not ASCII. A byte that is no UTF-8 becomes U+FFFD, because readers
// refuse a whole file for it. Returns the bytes of the text that this took.
static unsigned put_character(struct out *o, const char *s)
{
	unsigned n = printable_utf8(s);

	if (n)
		out_put(o, s, n);
	else
		out_str(o, "\\ufffd");
	return n ? n : 1;
}

// Returns whether a character needs no escape in a JSON string.
static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

// Bytes of 8 that are 0 have their top bit set, and so may bytes above them.
static uint64_t zero_bytes(uint64_t w)
{
	return (w - UINT64_C(0x0101010101010101)) & ~w;
}

// The plain characters at the start of a text of n bytes, eight at a time.
static size_t plain_bytes(const char *s, size_t n)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t w, odd;

		memcpy(&w, s + i, sizeof(w));
		odd = w | ((w - 0x20 * each) & ~w) | zero_bytes(w ^ '"' * each) |
		      zero_bytes(w ^ '\\' * each);
		if (odd & 0x80 * each)
			break;
	}
	while (i < n && is_plain((unsigned char)s[i]))
		i++;
	return i;
}

static void quoted(struct out *o, const char *s)
{
	const char *end = s + strlen(s);

	out_put(o, "\"", 1);
	for (; *s; s++) {
		size_t plain = plain_bytes(s, (size_t)(end - s));
		char esc[6] = "\\u00";
		unsigned char c;

		out_put(o, s, plain);
		s += plain;
		c = (unsigned char)*s;
		if (!c)
			break;
		if (c == '"' || c == '\\') {
			out_put(o, "\\", 1);
			out_put(o, s, 1);
		} else if (c == '\n') {
			out_put(o, "\\n", 2);
		} else if (c == '\t') {
			out_put(o, "\\t", 2);
		} else if (c < 0x20) {
			fmt_hex(esc + 4, c, 2);
			out_put(o, esc, 6);
		} else {
			s += put_character(o, s) - 1;
		}
	}
	out_put(o, "\"", 1);
}

void jw_key(struct jw *w, const char *quoted, size_t n)
{
	separate(w);
	out_put(w->out, quoted, n);
	w->keyed = true;
}

// Begins a member: its key. Values in an array have none.
static void put_key(struct jw *w, const char *key)
{
	separate(w);
	quoted(w->out, key);
	out_put(w->out, ": ", 2);
	w->keyed = true;
}

static void value(struct jw *w, const char *key)
{
	if (key)
		put_key(w, key);
	else if (!w->keyed)
		separate(w);
	w->keyed = false;
}

static void open_level(struct jw *w, const char *key, bool flat, bool array)
{
	unsigned level;

	value(w, key);
	flat = flat || bit(w->flat, w->depth);
	assert(w->depth + 1 < JW_DEPTH);
	level = 1u << ++w->depth;
	w->has &= (uint16_t)~level;
	w->flat = (uint16_t)(flat ? w->flat | level : w->flat & ~level);
	w->array = (uint16_t)(array ? w->array | level : w->array & ~level);
	out_put(w->out, array ? "[" : "{", 1);
}

void jw_object(struct jw *w, const char *key, bool flat)
{
	open_level(w, key, flat, false);
}

void jw_array(struct jw *w, const char *key, bool flat)
{
	open_level(w, key, flat, true);
}

void jw_end(struct jw *w)
{
	bool array = bit(w->array, w->depth);
	bool broken = bit(w->has, w->depth) && !bit(w->flat, w->depth);

	w->depth--;
	if (broken)
		newline(w);
	out_put(w->out, array ? "]" : "}", 1);
	if (!w->depth)
		out_put(w->out, "\n", 1);
}

void jw_str(struct jw *w, const char *key, const char *s)
{
	value(w, key);
	quoted(w->out, s);
}

void jw_number(struct jw *w, const char *key, const char *text)
{
	value(w, key);
	out_str(w->out, text);
}

void jw_u64(struct jw *w, const char *key, uint64_t v)
{
	char text[FMT_MAX];

	value(w, key);
	out_put(w->out, text, (size_t)(fmt_u64(text, v) - text));
}

void jw_i64(struct jw *w, const char *key, int64_t v)
{
	if (v >= 0) {
		jw_u64(w, key, (uint64_t)v);
		return;
	}
	value(w, key);
	out_put(w->out, "-", 1);
	w->keyed = true;
	jw_u64(w, NULL, 0 - (uint64_t)v);
}

void jw_bool(struct jw *w, const char *key, bool v)
{
	value(w, key);
	out_str(w->out, v ? "true" : "false");
}

void jw_null(struct jw *w, const char *key)
{
	value(w, key);
	out_str(w->out, "null");
}

void jw_num(struct jw *w, const char *key, double v, unsigned decimals)
{
	static const double scale[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	char text[FMT_MAX], *end = text;

	if (!isfinite(v) || fabs(v * scale[decimals]) >= 9e18) {
		jw_null(w, key);
		return;
	}
	value(w, key);

	long long n = llround(v * scale[decimals]);

	if (decimals) {
		end = fmt_fixed_signed(text, n, decimals);
	} else {
		if (n < 0)
			*end++ = '-';
		end = fmt_u64(end, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
	}
	out_put(w->out, text, (size_t)(end - text));
}
