// SPDX-License-Identifier: BSD-3-Clause
// The payload of our frames. It follows from the flow and the frame's own number, so that a
// receiver can tell whether it arrived as it was sent.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum payload_kind {
	PAYLOAD_ZEROS,
	PAYLOAD_FIXED,   // `word` over and over
	PAYLOAD_COUNTER, // byte i is the frame's number + i, modulo 256
	PAYLOAD_PRBS,    // x^31 + x^28 + 1, begun anew in each frame
	PAYLOAD_FILE,    // `file` round and round
};

struct payload {
	enum payload_kind kind;
	uint8_t word[4];     // fixed; in the order of the wire
	const uint8_t *file; // its n bytes, n > 0
	size_t n;
	uint32_t step; // a frame begins with the file's byte number * step modulo n
};

// Whether the payload is the same in all frames, except for its length.
static inline bool payload_is_fixed(const struct payload *p)
{
	return p->kind <= PAYLOAD_FIXED;
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Writes the first `len` bytes of the payload of frame `number` (PSN, sequence number) of `who`
// (destination QPN, source).
void payload_put(
	const struct payload *p, uint32_t number, uint32_t who, uint8_t *bytes, size_t len);

// Returns whether these payload bytes are in the frame.
bool payload_holds(
	const struct payload *p, uint32_t number, uint32_t who, const uint8_t *bytes, size_t len);

#pragma GCC visibility pop
