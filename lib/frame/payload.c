// SPDX-License-Identifier: BSD-3-Clause
// Payload of each kind, made in pieces.
#include "frame/payload.h"

#include <endian.h>
#include <string.h>

#define PIECE 256 // bytes that payload_holds compares at a time; a multiple of 8

// A place in a payload: where the next piece begins.
struct at {
	size_t off;       // bytes before it
	uint64_t bits[2]; // PRBS: the 128 bits before it, the oldest first
};

// a[n] = a[n - 31] ^ a[n - 28] (x^31 + x^28 + 1). Squared twice, it is a[n] = a[n - 124] ^
// a[n - 112], which gives 64 bits at once.
static uint64_t prbs_next(struct at *at)
{
	uint64_t old = at->bits[0], new = at->bits[1];
	uint64_t next = (old << 4 | new >> 60) ^ (old << 16 | new >> 48);

	at->bits[0] = new;
	at->bits[1] = next;
	return next;
}

// The first 31 bits follow from number and flow and are not all 0; they are no part of the payload.
static void prbs_begin(struct at *at, uint32_t number, uint32_t who)
{
	uint32_t seed = (number * 0x9e3779b1u ^ who * 0x85ebca6bu) >> 1;
	uint64_t s = seed ? seed : 1;

	unsigned __int128 bits = 0;

	for (unsigned i = 0; i < 5; i++) { // 28 bits follow from 31 at once
		s = s << 28 | ((s >> 3 ^ s) & 0xfffffff);
		bits = bits << 28 | (s & 0xfffffff);
	}
	at->bits[0] = (uint64_t)(bits >> 64);
	at->bits[1] = (uint64_t)bits;
}

typedef uint8_t sixteen __attribute__((vector_size(16)));

// Bytes that count up from `from`.
static void put_counter(uint8_t from, uint8_t *bytes, size_t len)
{
	sixteen v = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	size_t i = 0;

	for (v += from; i + 16 <= len; i += 16, v += 16)
		memcpy(bytes + i, &v, 16);
	for (; i < len; i++)
		bytes[i] = (uint8_t)(from + i);
}

static void put_prbs(struct at *at, uint8_t *bytes, size_t len)
{
	size_t i = 0;

	for (; i + 8 <= len; i += 8) {
		uint64_t next = prbs_next(at);

		next = htobe64(next);
		memcpy(bytes + i, &next, 8);
	}
	for (uint64_t next = i < len ? prbs_next(at) : 0; i < len; i++, next <<= 8)
		bytes[i] = (uint8_t)(next >> 56);
}

static void put_file(const struct payload *p, size_t from, uint8_t *bytes, size_t len)
{
	from %= p->n;
	while (len) {
		size_t part = len < p->n - from ? len : p->n - from;

		memcpy(bytes, p->file + from, part);
		bytes += part;
		len -= part;
		from = 0;
	}
}

// The next `len` bytes; all pieces but the last have PIECE.
static void put_piece(
	const struct payload *p, struct at *at, uint32_t number, uint8_t *bytes, size_t len)
{
	switch (p->kind) {
	case PAYLOAD_ZEROS:
		memset(bytes, 0, len);
		break;
	case PAYLOAD_FIXED:
		for (size_t i = 0; i < len; i++)
			bytes[i] = p->word[i % sizeof(p->word)];
		break;
	case PAYLOAD_COUNTER:
		put_counter((uint8_t)(number + at->off), bytes, len);
		break;
	case PAYLOAD_PRBS:
		put_prbs(at, bytes, len);
		break;
	case PAYLOAD_FILE:
		put_file(p, (size_t)((uint64_t)number * p->step % p->n) + at->off, bytes, len);
		break;
	}
	at->off += len;
}

static void begin_pattern(const struct payload *p, struct at *at, uint32_t number, uint32_t who)
{
	*at = (struct at){0};
	if (p->kind == PAYLOAD_PRBS)
		prbs_begin(at, number, who);
}

void payload_put(const struct payload *p, uint32_t number, uint32_t who, uint8_t *bytes, size_t len)
{
	struct at at;

	begin_pattern(p, &at, number, who);
	put_piece(p, &at, number, bytes, len);
}

bool payload_holds(
	const struct payload *p, uint32_t number, uint32_t who, const uint8_t *bytes, size_t len)
{
	uint8_t want[PIECE];
	struct at at;

	begin_pattern(p, &at, number, who);
	if (payload_is_fixed(p)) // all pieces are alike
		put_piece(p, &at, number, want, len < PIECE ? len : PIECE);
	for (size_t i = 0; i < len; i += PIECE) {
		size_t n = len - i < PIECE ? len - i : PIECE;

		if (!payload_is_fixed(p))
			put_piece(p, &at, number, want, n);
		if (memcmp(bytes + i, want, n))
			return false;
	}
	return true;
}
