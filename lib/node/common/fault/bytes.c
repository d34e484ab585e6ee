// SPDX-License-Identifier: BSD-3-Clause
// Actions on bytes: a frame is rendered, changed, and read again as one that came as bytes.
#include <string.h>

#include "field.h"
#include "frame/frame.h"
#include "int.h"
#include "work.h"

#define BYTE 8

// Writes the frame's bytes to the place where they are changed, and reads them there.
static struct pkt *bytes_open(struct fault *f, const struct pkt *p)
{
	struct work *w = f->work;
	const uint8_t *bytes;

	w->pkt = *p;
	w->pkt.len = (uint16_t)frame_shown(p, f->p.payload, w->shown, &bytes);
	w->pkt.data_off = offsetof(struct work, bytes);
	memcpy(w->bytes, bytes, w->pkt.len);
	frame_to_pkt(&w->pkt, PKT_MAX_LEN);
	return &w->pkt;
}

static bool has_room(const struct fault *f, const struct pkt *p)
{
	if (p->data_off)
		return true;
	return f->p.stack->data_off && p->len <= f->p.stack->room;
}

// The frame gets the changed bytes.
static void bytes_close(struct fault *f, struct pkt *p)
{
	const struct work *w = f->work;

	if (!p->data_off)
		p->data_off = f->p.stack->data_off;
	p->len = w->pkt.len;
	memcpy(pkt_bytes(p), w->bytes, p->len);
	frame_to_pkt(p, PKT_MAX_LEN);
}

// The last bit of the payload of a RoCE frame, else of its ICRC; of any other frame its last bit.
static uint32_t last_bit(const struct pkt *p)
{
	const struct field_place at = field_layout(p);
	unsigned end = p->len;

	if (at.bth)
		end = p->u.rc.payload ? at.icrc - p->u.rc.pad : at.end;
	return end * BYTE - 1;
}

bool bytes_corrupt(struct fault *f, struct pkt *p, const struct fault_record *r)
{
	struct pkt *open;
	uint32_t bit;

	if (!has_room(f, p))
		return false;
	open = bytes_open(f, p);
	bit = r->bit == FAULT_NO_BIT ? last_bit(open) : r->bit;
	if (bit / BYTE >= open->len)
		return false;
	pkt_bytes(open)[bit / BYTE] ^= (uint8_t)(0x80 >> bit % BYTE);
	bytes_close(f, p);
	f->stats.corrupted_frames++;
	return true;
}

bool bytes_rewrite(struct fault *f, struct pkt *p, const struct fault_record *r)
{
	if (!has_room(f, p) || !field_write(bytes_open(f, p), r))
		return false;
	bytes_close(f, p);
	f->stats.rewritten_frames++;
	return true;
}
