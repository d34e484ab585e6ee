// SPDX-License-Identifier: BSD-3-Clause
// How a text is read as UTF-8, and which characters are not shown.
#include "printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Returns the length in bytes of the UTF-8 character at `c`, and its code point; 0: there is none
// (RFC 3629).
static unsigned decode(const unsigned char *c, uint32_t *code)
{
	unsigned n = *c < 0x80 ? 1 : *c >> 5 == 6 ? 2 : *c >> 4 == 14 ? 3 : *c >> 3 == 30 ? 4 : 0;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	if (n < 2) {
		*code = *c;
		return n;
	}
	*code = *c & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if (c[i] >> 6 != 2) // the end of the text is none either
			return 0;
		*code = *code << 6 | (c[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff || *code >> 11 == 0xd800 >> 11)
		return 0;
	return n;
}

unsigned printable_utf8(const char *text)
{
	uint32_t code;

	return decode((const unsigned char *)text, &code);
}

static bool shows(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0)) // C0, DEL, C1
		return false;
	return c != 0x61c && c != 0x200e && c != 0x200f && !(c >= 0x2028 && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069);
}

// Writes one character as it is to be shown. Returns how many bytes of the text it takes.
static unsigned show_character(char shown[17], const char *text)
{
	uint32_t code;
	unsigned n = decode((const unsigned char *)text, &code), taken = n ? n : 1;

	if (n && shows(code) && code != '\\') {
		snprintf(shown, 17, "%.*s", (int)n, text);
	} else if (code == '\\') {
		snprintf(shown, 17, "\\\\");
	} else {
		for (unsigned i = 0; i < taken; i++)
			snprintf(shown + 4 * i, 5, "\\x%02x", (unsigned char)text[i]);
	}
	return taken;
}

char *printable(char *buf, size_t size, const char *text)
{
	size_t at = 0;

	while (*text) {
		char shown[17];
		unsigned taken = show_character(shown, text);
		size_t n = strlen(shown);

		if (at + n >= size)
			break;
		memcpy(buf + at, shown, n);
		at += n;
		text += taken;
	}
	if (size)
		buf[at] = '\0';
	return buf;
}
