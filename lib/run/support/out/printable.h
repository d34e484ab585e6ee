// SPDX-License-Identifier: BSD-3-Clause
// Makes text of others safe for a terminal: control characters become escapes.
#pragma once

#include <stddef.h>

#define PRINTABLE_SIZE(n) (4 * (n) + 1) // bytes that a text of n bytes needs at most

// Writes `text` to `buf`, cut to `size` bytes between two characters. UTF-8 stays as it is. These
// bytes become \xNN: bytes of control characters (C0, DEL, C1), bytes of characters that change the
// direction or the line (Unicode's bidirectional controls, U+2028, U+2029), and bytes that are not
// UTF-8. A backslash becomes two. Returns buf.
char *printable(char *buf, size_t size, const char *text);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Bytes of the UTF-8 character (RFC 3629) that `text` begins with; 0: it begins with none.
unsigned printable_utf8(const char *text);

#pragma GCC visibility pop
