// SPDX-License-Identifier: BSD-3-Clause
// The opcode table (IBA vol. 1 table 38) and the bytes of BTH and extension headers.
#include "wire/bth.h"

#include <string.h>

#include "wire/eth.h"

// Total length in bytes of the extension headers in the bitmap `ext`. The headers follow the BTH in
// the order of their bits.
#define EXT_LEN(ext)                                                                               \
	(!!((ext)&BTH_EXT_RDETH) * 4 + !!((ext)&BTH_EXT_DETH) * 8 + !!((ext)&BTH_EXT_XRCETH) * 4 + \
		!!((ext)&BTH_EXT_FETH) * 4 + !!((ext)&BTH_EXT_RETH) * 16 +                         \
		!!((ext)&BTH_EXT_ATOMIC) * 28 + !!((ext)&BTH_EXT_AETH) * 4 +                       \
		!!((ext)&BTH_EXT_ATOMIC_ACK) * 8 + !!((ext)&BTH_EXT_IMM) * 4 +                     \
		!!((ext)&BTH_EXT_IETH) * 4 + !!((ext)&BTH_EXT_CNP) * BTH_CNP_LEN +                 \
		!!((ext)&BTH_EXT_CAME) * 4)

// Bytes of the headers before header `bit`.
#define EXT_BEFORE(ext, bit) EXT_LEN((ext) & ((bit)-1))

#define ROW(code, text, what, kind_of)                                                           \
	[code] = {                                                                               \
		.name = text,                                                                    \
		.ext = (what) | BTH_EXT_KNOWN,                                                   \
		.ext_len = EXT_LEN(what),                                                        \
		.kind = kind_of,                                                                 \
		.transport = (code)&0xe0,                                                        \
		.len_off =                                                                       \
			(what)&BTH_EXT_RETH ? BTH_LEN + EXT_BEFORE(what, BTH_EXT_RETH) + 12 : 0, \
		.own_off = (what)&BTH_EXT_AETH  ? BTH_LEN + EXT_BEFORE(what, BTH_EXT_AETH)       \
			   : (what)&BTH_EXT_IMM ? BTH_LEN + EXT_BEFORE(what, BTH_EXT_IMM)        \
						: 0,                                             \
		.arg_off = (what)&BTH_EXT_RETH && !((what) & (BTH_EXT_AETH | BTH_EXT_IMM))       \
				   ? BTH_LEN + EXT_BEFORE(what, BTH_EXT_RETH) + 12               \
				   : 0,                                                          \
	}

// SEND and WRITE requests; `all` is what the transport puts into every request.
#define ROWS_REQUEST(base, t, all, kind_of)                                          \
	ROW(base + 0x00, t "_SEND_FIRST", all, kind_of),                             \
		ROW(base + 0x01, t "_SEND_MIDDLE", all, kind_of),                    \
		ROW(base + 0x02, t "_SEND_LAST", all, kind_of),                      \
		ROW(base + 0x03, t "_SEND_LAST_IMM", (all) | BTH_EXT_IMM, kind_of),  \
		ROW(base + 0x04, t "_SEND_ONLY", all, kind_of),                      \
		ROW(base + 0x05, t "_SEND_ONLY_IMM", (all) | BTH_EXT_IMM, kind_of),  \
		ROW(base + 0x06, t "_WRITE_FIRST", (all) | BTH_EXT_RETH, kind_of),   \
		ROW(base + 0x07, t "_WRITE_MIDDLE", all, kind_of),                   \
		ROW(base + 0x08, t "_WRITE_LAST", all, kind_of),                     \
		ROW(base + 0x09, t "_WRITE_LAST_IMM", (all) | BTH_EXT_IMM, kind_of), \
		ROW(base + 0x0a, t "_WRITE_ONLY", (all) | BTH_EXT_RETH, kind_of),    \
		ROW(base + 0x0b, t "_WRITE_ONLY_IMM", (all) | BTH_EXT_RETH | BTH_EXT_IMM, kind_of)

// READ, atomics and the acknowledge; `resp` is what the transport puts into every response.
#define ROWS_RELIABLE(base, t, all, resp, ack_kind)                                           \
	ROW(base + 0x0c, t "_READ_REQUEST", (all) | BTH_EXT_RETH, PKT_ROCE),                  \
		ROW(base + 0x0d, t "_READ_FIRST", (resp) | BTH_EXT_AETH, PKT_ROCE),           \
		ROW(base + 0x0e, t "_READ_MIDDLE", resp, PKT_ROCE),                           \
		ROW(base + 0x0f, t "_READ_LAST", (resp) | BTH_EXT_AETH, PKT_ROCE),            \
		ROW(base + 0x10, t "_READ_ONLY", (resp) | BTH_EXT_AETH, PKT_ROCE),            \
		ROW(base + 0x11, t "_ACK", (resp) | BTH_EXT_AETH, ack_kind),                  \
		ROW(base + 0x12, t "_ATOMIC_ACK", (resp) | BTH_EXT_AETH | BTH_EXT_ATOMIC_ACK, \
			PKT_ROCE),                                                            \
		ROW(base + 0x13, t "_CMP_SWAP", (all) | BTH_EXT_ATOMIC, PKT_ROCE),            \
		ROW(base + 0x14, t "_FETCH_ADD", (all) | BTH_EXT_ATOMIC, PKT_ROCE)

#define ROWS_INVALIDATE(base, t, all, kind_of)                               \
	ROW(base + 0x16, t "_SEND_LAST_INV", (all) | BTH_EXT_IETH, kind_of), \
		ROW(base + 0x17, t "_SEND_ONLY_INV", (all) | BTH_EXT_IETH, kind_of)

#define VENDOR(code)   ROW(code, "VENDOR", 0, PKT_ROCE)
#define VENDOR4(code)  VENDOR(code), VENDOR(code + 1), VENDOR(code + 2), VENDOR(code + 3)
#define VENDOR16(code) VENDOR4(code), VENDOR4(code + 4), VENDOR4(code + 8), VENDOR4(code + 12)

const struct bth_op bth_ops[256] = {
	ROWS_REQUEST(BTH_TRANSPORT_RC, "RC", 0, PKT_DATA),
	ROWS_RELIABLE(BTH_TRANSPORT_RC, "RC", 0, 0, PKT_ACK),
	ROWS_INVALIDATE(BTH_TRANSPORT_RC, "RC", 0, PKT_DATA),
	ROW(BTH_RC_FLUSH, "RC_FLUSH", BTH_EXT_FETH | BTH_EXT_RETH, PKT_ROCE),
	ROW(BTH_RC_ATOMIC_WRITE, "RC_ATOMIC_WRITE", BTH_EXT_RETH, PKT_ROCE),
	ROWS_REQUEST(BTH_TRANSPORT_UC, "UC", 0, PKT_ROCE),
	ROWS_REQUEST(BTH_TRANSPORT_RD, "RD", BTH_EXT_RDETH | BTH_EXT_DETH, PKT_ROCE),
	ROWS_RELIABLE(
		BTH_TRANSPORT_RD, "RD", BTH_EXT_RDETH | BTH_EXT_DETH, BTH_EXT_RDETH, PKT_ROCE),
	ROW(BTH_TRANSPORT_RD + 0x15, "RD_RESYNC", BTH_EXT_RDETH | BTH_EXT_DETH, PKT_ROCE),
	ROW(BTH_TRANSPORT_UD + 0x04, "UD_SEND_ONLY", BTH_EXT_DETH, PKT_ROCE),
	ROW(BTH_TRANSPORT_UD + 0x05, "UD_SEND_ONLY_IMM", BTH_EXT_DETH | BTH_EXT_IMM, PKT_ROCE),
	ROW(BTH_CNP, "CNP", BTH_EXT_CNP, PKT_CNP),
	ROWS_REQUEST(BTH_TRANSPORT_XRC, "XRC", BTH_EXT_XRCETH, PKT_ROCE),
	ROWS_RELIABLE(BTH_TRANSPORT_XRC, "XRC", BTH_EXT_XRCETH, 0, PKT_ROCE),
	ROWS_INVALIDATE(BTH_TRANSPORT_XRC, "XRC", BTH_EXT_XRCETH, PKT_ROCE),
	VENDOR4(0xc0),
	VENDOR(0xc4),
	VENDOR(0xc5),
	ROW(0xc6, "IRN_WRITE_FIRST", BTH_EXT_RETH, PKT_DATA),
	ROW(0xc7, "IRN_WRITE_MIDDLE", BTH_EXT_RETH, PKT_DATA),
	ROW(0xc8, "IRN_WRITE_LAST", BTH_EXT_RETH, PKT_DATA),
	ROW(0xc9, "IRN_WRITE_LAST_IMM", BTH_EXT_RETH | BTH_EXT_IMM, PKT_DATA),
	ROW(0xca, "IRN_WRITE_ONLY", BTH_EXT_RETH, PKT_DATA),
	ROW(0xcb, "IRN_WRITE_ONLY_IMM", BTH_EXT_RETH | BTH_EXT_IMM, PKT_DATA),
	VENDOR4(0xcc),
	VENDOR(0xd0),
	ROW(BTH_IRN_NACK, "IRN_NACK", BTH_EXT_AETH | BTH_EXT_CAME, PKT_ACK),
	VENDOR(0xd2),
	VENDOR(0xd3),
	VENDOR4(0xd4),
	VENDOR4(0xd8),
	VENDOR4(0xdc),
	VENDOR16(0xe0),
	VENDOR16(0xf0),
};

void bth_parse(const uint8_t *bytes, struct bth *b)
{
	b->opcode = bytes[0];
	b->bits = bth_bits(bytes);
	b->pad = bytes[1] >> 4 & 3;
	b->version = bytes[1] & 15;
	b->pkey = get_be16(bytes + 2);
	b->resv6 = bytes[4] & 0x3f;
	b->qpn = get_be24(bytes + 5);
	b->resv7 = bytes[8] & 0x7f;
	b->psn = get_be24(bytes + 9);
}

unsigned bth_render(const struct bth *b, uint8_t *bytes)
{
	bytes[0] = b->opcode;
	bytes[1] = (uint8_t)((b->bits & BTH_SE ? 0x80 : 0) | (b->bits & BTH_MIGREQ ? 0x40 : 0) |
			     (b->pad & 3) << 4 | (b->version & 15));
	put_be16(bytes + 2, b->pkey);
	bytes[4] = (uint8_t)((b->bits & BTH_FECN ? 0x80 : 0) | (b->bits & BTH_BECN ? 0x40 : 0) |
			     (b->resv6 & 0x3f));
	put_be24(bytes + 5, b->qpn);
	bytes[8] = (uint8_t)((b->bits & BTH_ACKREQ ? 0x80 : 0) | (b->resv7 & 0x7f));
	put_be24(bytes + 9, b->psn);
	return BTH_LEN;
}

static uint16_t bth_label_port(uint32_t label)
{
	return (uint16_t)(0xc000 | ((label & 0x3fff) ^ ((label & 0xfc000) >> 14)));
}

uint16_t bth_source_port(uint32_t one, uint32_t two)
{
	uint64_t v = (uint64_t)one * two;

	v ^= v >> 20;
	v ^= v >> 40;
	return bth_label_port((uint32_t)(v & 0xfffff));
}

const char *bth_syndrome_name(uint8_t syndrome)
{
	if (syndrome >> 5 == 0)
		return "ACK";
	if (syndrome >> 5 == 1)
		return "RNR NAK";
	switch (syndrome) {
	case AETH_NAK_PSN:
		return "NAK PSN sequence error";
	case AETH_NAK_INVALID:
		return "NAK invalid request";
	case AETH_NAK_ACCESS:
		return "NAK remote access error";
	case AETH_NAK_OPERATION:
		return "NAK remote operational error";
	default:
		return "reserved";
	}
}
