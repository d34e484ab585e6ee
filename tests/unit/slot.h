// SPDX-License-Identifier: BSD-3-Clause
// A descriptor with its private header and room for bytes, as a pool lays them out.
#pragma once

#include <stddef.h>

#include "bytes.h"
#include "frame/frame.h"

#define ROOM 2048

struct slot {
	struct pkt p;
	struct hdr h;
	uint8_t bytes[ROOM];
};

static inline enum pkt_kind take(struct slot *s, const uint8_t *bytes, unsigned len)
{
	memset(&s->p, 0xa5, sizeof(s->p));
	s->p.data_off = offsetof(struct slot, bytes);
	s->p.len = (uint16_t)len;
	memcpy(s->bytes, bytes, len);
	return frame_to_pkt(&s->p, ROOM);
}

static inline enum pkt_kind take_hex(struct slot *s, const char *text)
{
	uint8_t o[ROOM] = {0};

	return take(s, o, hex_bytes(text, o));
}
