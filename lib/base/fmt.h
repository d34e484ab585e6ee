// SPDX-License-Identifier: BSD-3-Clause
// Integers as text: the formatter of the sampling path, without printf and without locale.
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/fixed.h"
#include "base/tstamp.h"

#define FMT_MAX 24 // bytes that the longest number takes

// Each writes at p, without a terminating NUL, and returns the end. `p` has room for FMT_MAX bytes;
// bytes behind the end may have changed.
char *fmt_digits(char *p, uint64_t v);

static inline char *fmt_u64(char *p, uint64_t v)
{
	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	return fmt_digits(p, v);
}

extern const char fmt_pairs[201]; // "00" to "99"

// Writes the last n digits of v, with leading zeros and without a NUL. With a constant n the loop
// unrolls, and every division is a multiplication.
static inline char *fmt_tail(char *p, uint32_t v, unsigned n)
{
	char *end = p + n, *at = end;

	for (; n >= 2; n -= 2, v /= 100) {
		at -= 2;
		memcpy(at, fmt_pairs + v % 100 * 2, 2);
	}
	if (n)
		*--at = (char)('0' + v % 10);
	return end;
}

// v / 10^decimals with `decimals` digits behind the point; decimals 1..9, best a constant.
static inline char *fmt_fixed(char *p, uint64_t v, unsigned decimals)
{
	uint64_t power = 1, whole;

	for (unsigned i = 0; i < decimals; i++)
		power *= 10;
	whole = v / power;
	p = fmt_u64(p, whole);
	*p++ = '.';
	return fmt_tail(p, (uint32_t)(v - whole * power), decimals);
}

// The same of a signed value.
char *fmt_fixed_signed(char *p, int64_t v, unsigned decimals);

// Writes v in lower-case hexadecimal with `digits` digits (1..16), with leading zeros.
char *fmt_hex(char *p, uint64_t v, unsigned digits);

// An instant in us, every ps of it: "12" or "12.000345".
char *fmt_us(char *p, tstamp t);

// A rate in Gb/s with six decimals (kb/s), rounded down.
static inline char *fmt_gbps(char *p, uint64_t bits_per_s)
{
	return bits_per_s < 1000 ? fmt_u64(p, 0) : fmt_fixed(p, bits_per_s / 1000, 6);
}

// A fraction in Q0.60 with six decimals, rounded down.
static inline char *fmt_q60(char *p, uint64_t v)
{
	return fmt_fixed(p, fixed_mul(v, 1000000, 60), 6);
}

static inline char *fmt_mem(char *p, const char *s, unsigned len)
{
	memcpy(p, s, len);
	return p + len;
}

// A name that is written often. Its length is known, and a fixed number of bytes is copied, so that
// no loop is needed.
struct fmt_text {
	char s[95];
	uint8_t len;
};

// Cuts what is too long; what would break a line of CSV becomes an underscore.
void fmt_text_set(struct fmt_text *t, const char *s);

// Writes the text. `p` must have room for sizeof(t->s) bytes.
static inline char *fmt_text(char *p, const struct fmt_text *t)
{
	memcpy(p, t->s, 32);
	if (t->len > 32)
		memcpy(p + 32, t->s + 32, sizeof(t->s) - 32);
	return p + t->len;
}
