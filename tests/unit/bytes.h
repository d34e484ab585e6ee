// SPDX-License-Identifier: BSD-3-Clause
// Test frames: written in hexadecimal, or read from a classic pcap file (floor 1 has no libpcap).
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes of hexadecimal text, blanks ignored. Returns their number.
static inline unsigned hex_bytes(const char *text, uint8_t *bytes)
{
	unsigned n = 0, nibble = 0, digits = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		nibble = nibble << 4 |
			 (unsigned)(*text <= '9' ? *text - '0' : (*text | 32) - 'a' + 10);
		if (++digits % 2 == 0)
			bytes[n++] = (uint8_t)nibble;
	}
	return n;
}

struct test_cap {
	uint8_t *file;
	size_t size;
	size_t at;
};

// Opens tests/data/`name`; a test without its data cannot go on.
static inline struct test_cap test_cap_open(const char *name)
{
	struct test_cap c = {.at = 24};
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", TEST_DATA, name);
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		abort();
	}
	fseek(f, 0, SEEK_END);
	c.size = (size_t)ftell(f);
	rewind(f);
	c.file = malloc(c.size);
	if (!c.file || fread(c.file, 1, c.size, f) != c.size ||
		memcmp(c.file, "\xd4\xc3\xb2\xa1", 4)) {
		fprintf(stderr, "%s: not a little-endian pcap file\n", path);
		abort();
	}
	fclose(f);
	return c;
}

// The next frame, in place; NULL at the end (which frees the file).
static inline const uint8_t *test_cap_next(struct test_cap *c, unsigned *len)
{
	const uint8_t *record = c->file + c->at;
	uint32_t caplen;

	*len = 0;
	if (c->at + 16 > c->size) {
		free(c->file);
		return NULL;
	}
	memcpy(&caplen, record + 8, 4);
	c->at += 16 + caplen;
	*len = caplen;
	return record + 16;
}
