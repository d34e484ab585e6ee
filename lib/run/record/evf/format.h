// SPDX-License-Identifier: BSD-3-Clause
// The parts of a file of events (docs/formats.md, events.bin) and the offset of each number in
// them.
#pragma once

#include "names.h"
#include "out/out.h"
#include "write.h"

#pragma GCC visibility push(hidden)

#define EVF_MAGIC       "quenchev"
#define EVF_MAGIC_END   "ev-ended"
#define EVF_VERSION     1
#define EVF_BLOCK       0x4b425645u // "EVBK"
#define EVF_INDEX       0x58495645u // "EVIX"
#define EVF_TEXTS       0x58545645u // "EVTX"
#define EVF_RECORD      sizeof(struct ev)
#define EVF_RECORD_MOST 248 // bytes of a record of any version: its fields' offsets are bytes

enum {
	EVF_HEAD_BYTES = 16,  // magic, version, length of the description
	EVF_BLOCK_BYTES = 40, // the head of a block
	EVF_ENTRY_BYTES = 48, // of a block in the index
	EVF_END_BYTES = 32,
	EVF_TEXTS_BYTES = 12,     // the head of the texts of later marks: magic, bytes, texts
	EVF_BLOCK_RECORDS = 4096, // that a writer puts into a block
	EVF_BLOCK_RECORDS_MOST = 1 << 16, // that a reader takes
};

// The fields in the head of a block; the index repeats them.
struct evf_block {
	uint64_t at;     // of its head in the file
	uint32_t stored; // bytes behind its head
	uint32_t n, numbers;
	tstamp first, last; // earliest and latest event
	uint64_t types;     // bitmap of the types that it holds
};

// The head of a block, EVF_BLOCK_BYTES, and back; false: none begins here.
void evf_block_put(uint8_t *p, const struct evf_block *b);
bool evf_block_get(struct evf_block *b, const uint8_t *p, uint64_t at);

// Writes and reads the description of records and names that follows the head of a file. The text
// that is read lies in `arena`. -EINVAL if it is no such description, with a line that begins with
// `path`.
struct evf_about {
	uint32_t record_bytes;
	enum evf_compress compress;
};

void evf_about_put(struct out *o, const struct evf_names *n, enum evf_compress compress);
// The marks that have a text by now: an array with room for later ones.
struct evf_texts evf_known_marks(const struct evf_names *n);
struct arena;
int evf_about_get(struct evf_about *a, struct evf_names *n, struct arena *arena, const char *text,
	size_t len, const char *path, struct err *err);

#pragma GCC visibility pop

// Numbers are little-endian, wherever they stand.
static inline uint8_t *evf_put32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
	return p + 4;
}

static inline uint8_t *evf_put64(uint8_t *p, uint64_t v)
{
	return evf_put32(evf_put32(p, (uint32_t)v), (uint32_t)(v >> 32));
}

static inline uint32_t evf_get32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t evf_get64(const uint8_t *p)
{
	return evf_get32(p) | (uint64_t)evf_get32(p + 4) << 32;
}

// A record is struct ev as it lies in memory.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are little-endian");
