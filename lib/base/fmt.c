// SPDX-License-Identifier: BSD-3-Clause
// Digits of integers, two at a time.
#include "base/fmt.h"

const char fmt_pairs[201] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

static const uint32_t power10[10] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

// Number of decimal digits of v, not 0: its bits times log10(2), as 1233 / 4096, is one too few or
// right.
static unsigned length(uint32_t v)
{
	unsigned n = (32 - (unsigned)__builtin_clz(v)) * 1233 >> 12;

	return n + (n < 10 && v >= power10[n]);
}

char *fmt_digits(char *p, uint64_t v)
{
	uint64_t high = v / 1000000000;

	if (v <= UINT32_MAX)
		return fmt_tail(p, (uint32_t)v, length((uint32_t)v));
	return fmt_tail(fmt_u64(p, high), (uint32_t)(v - high * 1000000000), 9);
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
	return fmt_tail(p, (uint32_t)ps, 6);
}

void fmt_text_set(struct fmt_text *t, const char *s)
{
	memset(t, 0, sizeof(*t));
	for (; *s && t->len < sizeof(t->s) - 1; s++)
		t->s[t->len++] = *s == ',' || *s == '"' || (unsigned char)*s < ' ' ? '_' : *s;
}
