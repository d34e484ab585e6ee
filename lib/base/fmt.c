// SPDX-License-Identifier: BSD-3-Clause
// Digits of integers, two at a time.
#include "base/fmt.h"

const char fmt_pairs[201] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

// v, which is below 100, without a zero before it.
static inline char *fmt_lead(char *p, uint32_t v)
{
	unsigned one = v < 10; // digit less

	memcpy(p, fmt_pairs + v * 2 + one, 2);
	return p + 2 - one;
}

// Digits of a number below 10^4 without leading zeros.
static inline char *fmt_lead4(char *p, uint32_t v)
{
	return v < 100 ? fmt_lead(p, v) : fmt_tail(fmt_lead(p, v / 100), v % 100, 2);
}

// Digits of a number below 10^8 without leading zeros.
static inline char *fmt_lead8(char *p, uint32_t v)
{
	return v < 10000 ? fmt_lead4(p, v) : fmt_tail(fmt_lead4(p, v / 10000), v % 10000, 4);
}

static char *fmt_long(char *p, uint64_t v)
{
	uint64_t high = v / 100000000;

	p = high < 100000000 ? fmt_lead8(p, (uint32_t)high) : fmt_long(p, high);
	return fmt_tail(p, (uint32_t)(v - high * 100000000), 8);
}

char *fmt_digits(char *p, uint64_t v)
{
	return v < 100000000 ? fmt_lead8(p, (uint32_t)v) : fmt_long(p, v);
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

	p = us < 10000 ? fmt_lead4(p, (uint32_t)us) : fmt_digits(p, us);
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
