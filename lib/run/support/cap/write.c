// SPDX-License-Identifier: BSD-3-Clause
// pcapng (draft-ietf-opsawg-pcapng): section header, interfaces, enhanced packets; little-endian
// always.
#include "cap.h"

#include <errno.h>
#include <stdlib.h>

#include "out/out.h"

enum {
	BLOCK_SHB = 0x0a0d0d0a,
	BLOCK_IDB = 1,
	BLOCK_EPB = 6,
	MAGIC = 0x1a2b3c4d,
	LINKTYPE_ETHERNET = 1,
	OPT_END = 0,
	SHB_USERAPPL = 4,
	IF_NAME = 2,
	IF_SPEED = 8,
	IF_TSRESOL = 9,
	IF_TSOFFSET = 14,
	EPB_FLAGS = 2,
	TSRESOL_NS = 9, // 10^-9 s
	TSRESOL_PS = 12,
};

#define NS_PER_S  1000000000u
#define EPB_FIXED 28 // type, length, interface, two halves of the time, two lengths
#define EPB_TAIL  16 // epb_flags, end of options, length

struct capw {
	struct out out;
	uint64_t begin_ns; // since 1970, of instant 0
	unsigned n;
	uint16_t *unit; // of each interface's timestamps, ps
};

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

static char *option(char *p, unsigned code, const void *value, unsigned len)
{
	p = put16(put16(p, code), len);
	memcpy(p, value, len);
	memset(p + len, 0, -len & 3);
	return p + ((len + 3) & ~3u);
}

static char *option_end(char *p)
{
	return put32(p, OPT_END);
}

// Both length fields of the block that ends at p, and hands it to the file.
static void finish_block(struct out *o, char *block, char *p)
{
	uint32_t len = (uint32_t)(p - block) + 4;

	put32(block + 4, len);
	out_upto(o, put32(p, len));
}

int capw_open(struct capw **out, const char *path, struct err *err)
{
	static const char program[] = "quench";
	struct capw *w = calloc(1, sizeof(*w));
	char *block, *p;
	int code;

	if (!w)
		return err_set(err, -ENOMEM, "%s: no memory", path);
	code = out_open(&w->out, path, err);
	if (code) {
		free(w);
		return code;
	}
	block = out_room(&w->out, 64);
	p = put32(block, BLOCK_SHB) + 4;
	p = put32(p, MAGIC);
	p = put16(put16(p, 1), 0);
	p = put64(p, UINT64_MAX); // length of the section: not said
	p = option(p, SHB_USERAPPL, program, sizeof(program) - 1);
	finish_block(&w->out, block, option_end(p));
	*out = w;
	return 0;
}

void capw_begin(struct capw *w, uint64_t ns)
{
	w->begin_ns = ns;
}

int capw_interface(struct capw *w, const char *name, rate_t rate, bool ps)
{
	const char tsresol = ps ? TSRESOL_PS : TSRESOL_NS;
	size_t len = strlen(name);
	uint16_t *more = realloc(w->unit, (w->n + 1) * sizeof(*more));
	char *block, *p, speed[8], offset[8];

	if (!more)
		return -ENOMEM;
	w->unit = more;
	w->unit[w->n] = ps ? 1 : PS_PER_NS;
	block = out_room(&w->out, 512);
	put64(speed, rate);
	p = put32(block, BLOCK_IDB) + 4;
	p = put16(put16(p, LINKTYPE_ETHERNET), 0);
	p = put32(p, 0); // frames are whole
	p = option(p, IF_NAME, name, len < 255 ? (unsigned)len : 255);
	p = option(p, IF_SPEED, speed, sizeof(speed));
	p = option(p, IF_TSRESOL, &tsresol, 1);
	if (ps && w->begin_ns) {
		put64(offset, w->begin_ns / NS_PER_S);
		p = option(p, IF_TSOFFSET, offset, sizeof(offset));
	}
	finish_block(&w->out, block, option_end(p));
	return (int)w->n++;
}

// The timestamp in a frame's block, in the unit of the interface.
static uint64_t timestamp(const struct capw *w, unsigned interface, tstamp t)
{
	if (w->unit[interface] == 1)
		return t + w->begin_ns % NS_PER_S * PS_PER_NS;
	return t / PS_PER_NS + w->begin_ns;
}

size_t capw_bytes(uint32_t len)
{
	return EPB_FIXED + ((len + 3ul) & ~3ul) + EPB_TAIL;
}

int capw_frame(
	struct capw *w, unsigned interface, tstamp t, int dir, const uint8_t *bytes, uint32_t len)
{
	char *block, *p;

	if (interface >= w->n || len > 0xffff)
		return -EINVAL;
	t = timestamp(w, interface, t);
	block = out_room(&w->out, EPB_FIXED + len + 3 + EPB_TAIL);
	p = put32(block, BLOCK_EPB) + 4;
	p = put32(p, interface);
	p = put32(put32(p, (uint32_t)(t >> 32)), (uint32_t)t);
	p = put32(put32(p, len), len);
	memcpy(p, bytes, len);
	memset(p + len, 0, -len & 3);
	p += (len + 3) & ~3u;
	p = put16(put16(p, EPB_FLAGS), 4);
	p = put32(p, (uint32_t)dir);
	finish_block(&w->out, block, option_end(p));
	return -w->out.error;
}

const char *capw_path(const struct capw *w)
{
	return w->out.path;
}

int capw_error(const struct capw *w)
{
	return w->out.error;
}

int capw_close(struct capw *w, struct err *err)
{
	int code = w ? out_close(&w->out, err) : 0;

	if (w)
		free(w->unit);
	free(w);
	return code;
}
