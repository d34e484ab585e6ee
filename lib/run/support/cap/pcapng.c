// SPDX-License-Identifier: BSD-3-Clause
// Blocks of pcapng, little-endian always.
#include "pcapng.h"

#include <errno.h>
#include <string.h>

enum {
	BLOCK_SHB = 0x0a0d0d0a,
	BLOCK_IDB = 1,
	BLOCK_ISB = 5,
	BLOCK_EPB = 6,
	MAGIC = 0x1a2b3c4d,
	LINKTYPE_ETHERNET = 1,
	OPT_END = 0,
	OPT_COMMENT = 1,
	SHB_USERAPPL = 4,
	IF_NAME = 2,
	IF_SPEED = 8,
	IF_TSRESOL = 9,
	IF_TSOFFSET = 14,
	EPB_FLAGS = 2,
	ISB_IFRECV = 4,
	ISB_IFDROP = 5,
	ISB_FILTERACCEPT = 6,
	ISB_OSDROP = 7,
	ISB_USRDELIV = 8,
	TSRESOL_NS = 9, // 10^-9 s
	TSRESOL_PS = 12,
};

#define NS_PER_S   1000000000u
#define BLOCK_HEAD 8  // type, length
#define BLOCK_MIN  12 // and length again
#define EPB_FIXED  28 // type, length, interface, two halves of the time, two lengths
#define EPB_TAIL   16 // epb_flags, end of options, length
#define IDB_FIXED  16 // type, length, link type, snap length
#define ISB_FIXED  20 // type, length, interface, two halves of the time

static char *put16(char *p, unsigned v)
{
	p[0] = (char)v;
	p[1] = (char)(v >> 8);
	return p + 2;
}

static char *put32(char *p, uint32_t v)
{
	return put16(put16(p, v & 0xffff), v >> 16);
}

static char *put64(char *p, uint64_t v)
{
	return put32(put32(p, (uint32_t)v), (uint32_t)(v >> 32));
}

// An instant, whose high half comes first.
static char *put_time(char *p, const struct pcapng_clock *clock, tstamp t)
{
	t = clock->ps ? t + clock->begin_ns % NS_PER_S * PS_PER_NS
		      : t / PS_PER_NS + clock->begin_ns;
	return put32(put32(p, (uint32_t)(t >> 32)), (uint32_t)t);
}

static char *option(char *p, unsigned code, const void *value, unsigned len)
{
	p = put16(put16(p, code), len);
	memcpy(p, value, len);
	memset(p + len, 0, -len & 3);
	return p + ((len + 3) & ~3u);
}

static char *option64(char *p, unsigned code, uint64_t value)
{
	char v[8];

	put64(v, value);
	return option(p, code, v, sizeof(v));
}

static char *option_end(char *p)
{
	return put32(p, OPT_END);
}

// Both length fields of the block that ends at p.
static char *finish_block(char *block, char *p)
{
	uint32_t len = (uint32_t)(p - block) + 4;

	put32(block + 4, len);
	return put32(p, len);
}

char *pcapng_section(char *block)
{
	static const char program[] = "quench";
	char *p = put32(block, BLOCK_SHB) + 4;

	p = put32(p, MAGIC);
	p = put16(put16(p, 1), 0);
	p = put64(p, UINT64_MAX); // length of the section: not said
	p = option(p, SHB_USERAPPL, program, sizeof(program) - 1);
	return finish_block(block, option_end(p));
}

char *pcapng_interface(char *block, const char *name, rate_t rate, const struct pcapng_clock *clock)
{
	const char tsresol = clock->ps ? TSRESOL_PS : TSRESOL_NS;
	size_t len = strlen(name);
	char *p = put32(block, BLOCK_IDB) + 4;

	p = put16(put16(p, LINKTYPE_ETHERNET), 0);
	p = put32(p, 0); // frames are whole
	p = option(p, IF_NAME, name, len < 255 ? (unsigned)len : 255);
	p = option64(p, IF_SPEED, rate);
	p = option(p, IF_TSRESOL, &tsresol, 1);
	if (clock->ps && clock->begin_ns)
		p = option64(p, IF_TSOFFSET, clock->begin_ns / NS_PER_S);
	return finish_block(block, option_end(p));
}

static unsigned comment_len(const char *comment)
{
	size_t len = comment ? strlen(comment) : 0;

	return len < PCAPNG_COMMENT ? (unsigned)len : PCAPNG_COMMENT;
}

size_t pcapng_frame_bytes(uint32_t len, const char *comment)
{
	unsigned words = comment_len(comment);

	return EPB_FIXED + ((len + 3ul) & ~3ul) + (words ? 4 + ((words + 3ul) & ~3ul) : 0) +
	       EPB_TAIL;
}

char *pcapng_frame(char *block, const struct pcapng_clock *clock, const struct pcapng_frame *f)
{
	unsigned words = comment_len(f->comment);
	char *p = put32(block, BLOCK_EPB) + 4;

	p = put32(p, f->interface);
	p = put_time(p, clock, f->t);
	p = put32(put32(p, f->len), f->len);
	memcpy(p, f->bytes, f->len);
	memset(p + f->len, 0, -f->len & 3);
	p += (f->len + 3) & ~3u;
	if (words)
		p = option(p, OPT_COMMENT, f->comment, words);
	p = put16(put16(p, EPB_FLAGS), 4);
	p = put32(p, (uint32_t)f->dir);
	return finish_block(block, option_end(p));
}

char *pcapng_statistics(char *block, unsigned interface, const struct pcapng_clock *clock, tstamp t,
	const struct pcapng_counts *n)
{
	char *p = put32(block, BLOCK_ISB) + 4;

	p = put32(p, interface);
	p = put_time(p, clock, t);
	p = option64(p, ISB_IFRECV, n->seen);
	p = option64(p, ISB_IFDROP, n->lost);
	p = option64(p, ISB_FILTERACCEPT, n->accepted);
	p = option64(p, ISB_OSDROP, n->unsent);
	p = option64(p, ISB_USRDELIV, n->accepted - n->unsent);
	return finish_block(block, option_end(p));
}

static uint32_t get16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) | get16(p + 2) << 16;
}

static uint64_t get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static void take_option(struct pcapng_block *b, unsigned code, const uint8_t *value, unsigned len)
{
	bool is_text = (b->kind == PCAPNG_FRAME && code == OPT_COMMENT) ||
		       (b->kind == PCAPNG_PORT && code == IF_NAME);

	if (is_text && len <= PCAPNG_COMMENT) {
		memcpy(b->text, value, len);
		b->text[len] = '\0';
	} else if (b->kind == PCAPNG_FRAME && code == EPB_FLAGS && len == 4) {
		b->dir = (int)(get32(value) & 3);
	} else if (b->kind == PCAPNG_STATS && len == 8) {
		uint64_t *to = code == ISB_IFRECV         ? &b->counts.seen
			       : code == ISB_IFDROP       ? &b->counts.lost
			       : code == ISB_FILTERACCEPT ? &b->counts.accepted
			       : code == ISB_OSDROP       ? &b->counts.unsent
							  : NULL;

		if (to)
			*to = get64(value);
	}
}

// False: an option goes beyond the block.
static bool take_options(struct pcapng_block *b, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4 && get16(p) != OPT_END) {
		unsigned code = get16(p), len = get16(p + 2), padded = (len + 3) & ~3u;

		p += 4;
		if (padded > end - p)
			return false;
		take_option(b, code, p, len);
		p += padded;
	}
	return true;
}

static bool take_body(struct pcapng_block *b, uint32_t type, const uint8_t *p)
{
	const uint8_t *end = p + b->size - 4, *options = end;

	if (type == BLOCK_EPB) {
		uint32_t len = b->size >= EPB_FIXED + 4 ? get32(p + 20) : UINT32_MAX;

		if (len > b->size - EPB_FIXED - 4)
			return false;
		b->kind = PCAPNG_FRAME;
		b->time = (uint64_t)get32(p + 12) << 32 | get32(p + 16);
		b->bytes = p + EPB_FIXED;
		b->len = len;
		options = b->bytes + ((len + 3) & ~3u);
	} else if (type == BLOCK_IDB && b->size >= IDB_FIXED + 4) {
		b->kind = PCAPNG_PORT;
		options = p + IDB_FIXED;
	} else if (type == BLOCK_ISB && b->size >= ISB_FIXED + 4) {
		b->kind = PCAPNG_STATS;
		options = p + ISB_FIXED;
	}
	if (b->kind == PCAPNG_FRAME || b->kind == PCAPNG_STATS)
		b->interface = get32(p + BLOCK_HEAD);
	return options <= end && take_options(b, options, end);
}

int pcapng_read(struct pcapng_block *b, const uint8_t *p, size_t n)
{
	if (n < BLOCK_HEAD)
		return 0;
	*b = (struct pcapng_block){.size = get32(p + 4)};
	if (b->size < BLOCK_MIN || b->size % 4 || b->size > PCAPNG_BLOCK_MOST)
		return -EINVAL;
	if (n < b->size)
		return 0;
	if (get32(p + b->size - 4) != b->size || !take_body(b, get32(p), p))
		return -EINVAL;
	return (int)b->size;
}
