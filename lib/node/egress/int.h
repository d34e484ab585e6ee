// SPDX-License-Identifier: BSD-3-Clause
// What the files of room egress share: frames that leave a queue give their buffer back together.
#pragma once

#include "buffer/buffer.h"
#include "egress.h"

#pragma GCC visibility push(hidden)

// The sums of frames of one ingress port and group that leave a queue.
struct leaving {
	unsigned n;
	uint32_t bytes;  // of the queue
	uint32_t held;   // whole cells, where the buffer has two sides
	uint32_t by_ecn; // frames by codepoint, 8 bits each
};

// n more frames like p leave, whose codepoints are counted elsewhere.
INLINE void leaving_add_bytes(
	const struct sw *sw, struct leaving *l, const struct pkt *p, unsigned n)
{
	uint32_t bytes = p->len + sw->queue_extra;

	l->n += n;
	l->bytes += n * bytes;
	if (UNLIKELY(sw->two_sided))
		l->held += n * mmu_cells(&sw->pools_cfg, bytes);
}

// n more frames like p leave.
INLINE void leaving_add(const struct sw *sw, struct leaving *l, const struct pkt *p, unsigned n)
{
	leaving_add_bytes(sw, l, p, n);
	l->by_ecn += n << 8 * pkt_ecn(p);
}

// Notes for sw_as_came which of the frames from `burst` on, a place in the burst of sw_tx, leave as
// they came (bitmap).
INLINE void leaving_as_came(struct sw *sw, struct pkt *const *burst, uint64_t which)
{
	size_t at = (size_t)(burst - sw->burst);

	if (LIKELY(at < 64))
		sw->as_came |= which << at;
}

// leave.c
// Gives back the buffer of frames of queue `cls` of port `out`, one of which is p. Where another
// shard has received them they are alike.
void leaving_release(struct sw *sw, const struct pkt *p, unsigned out, int cls,
	const struct leaving *l, tstamp now);

#pragma GCC visibility pop
