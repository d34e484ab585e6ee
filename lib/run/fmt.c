// SPDX-License-Identifier: BSD-3-Clause
// Digits of integers, two at a time.
#include "run/fmt.h"

static const char pairs[201] = "00010203040506070809101112131415161718192021222324"
			       "25262728293031323334353637383940414243444546474849"
			       "50515253545556575859606162636465666768697071727374"
			       "75767778798081828384858687888990919293949596979899";

static const uint64_t power10[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

// Number of decimal digits of v.
static unsigned length(uint64_t v)
{
	unsigned n = 1;

	while (v >= 10000) {
		v /= 10000;
		n += 4;
	}
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

// Writes the `n` last digits of v at p.
static char *digits(char *p, uint64_t v, unsigned n)
{
	char *end = p + n, *at = end;

	while (n >= 2) {
		at -= 2;
		memcpy(at, pairs + v % 100 * 2, 2);
		v /= 100;
		n -= 2;
	}
	if (n)
		*--at = (char)('0' + v % 10);
	return end;
}

char *fmt_digits(char *p, uint64_t v)
{
	return digits(p, v, length(v));
}

char *fmt_fixed(char *p, uint64_t v, unsigned decimals)
{
	uint64_t whole = v / power10[decimals];

	p = fmt_u64(p, whole);
	*p++ = '.';
	return digits(p, v - whole * power10[decimals], decimals);
}

char *fmt_fixed_signed(char *p, int64_t v, unsigned decimals)
{
	if (v < 0)
		*p++ = '-';
	return fmt_fixed(p, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, decimals);
}

char *fmt_hex(char *p, uint64_t v, unsigned n)
{
	for (unsigned i = n; i-- > 0; v >>= 4)
		p[i] = "0123456789abcdef"[v & 15];
	return p + n;
}

char *fmt_us(char *p, tstamp t)
{
	uint64_t us = t / PS_PER_US, ps = t - us * PS_PER_US;

	p = fmt_u64(p, us);
	if (!ps)
		return p;
	*p++ = '.';
	return digits(p, ps, 6);
}
