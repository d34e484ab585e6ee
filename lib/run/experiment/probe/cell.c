// SPDX-License-Identifier: BSD-3-Clause
// Step `cell`: the bytes of a cell of the buffer, by the numbers of frames of each length that
// bring XOFF.
#include "int.h"

#include <math.h>

#define LONG     1500 // bytes with FCS of the long frames
#define MOST     22.2 // cells of a long frame, where cells can be told; of bytes it has 23.4
#define ROOM     600  // cells that are left for long frames; the rest is filled by short ones
#define SHARE    16   // frames that take one or two cells, and one in FRACTION of those up to XOFF
#define FRACTION 50
#define UNKNOWN  0

// Whether frames of `len` bytes with FCS take more than one cell: so many short frames are before
// them that XOFF comes if they take two, and not if they take one. 0, 1, or -errno.
static int takes_two(struct probe *p, unsigned cls, unsigned len)
{
	const uint32_t n = p->group[cls].n_xoff,
		       share = n > 4 * SHARE ? SHARE + n / FRACTION : n / 3;
	const uint32_t before[TESTER_PORTS] = {n - share - share / 2};
	uint32_t near;
	int rc = probe_near_xoff(p, cls, len - PKT_FCS, before, share, &near);

	return rc ? rc : near != 0;
}

// The longest frame that takes one cell; `lo` does, and hi + 1 does not. -errno.
static int bisect(struct probe *p, unsigned cls, unsigned lo, unsigned hi)
{
	while (lo < hi) {
		unsigned mid = (lo + hi + 1) / 2;
		int two = takes_two(p, cls, mid);

		if (two < 0)
			return two;
		if (two)
			hi = mid - 1;
		else
			lo = mid;
	}
	return (int)lo;
}

// How many long frames bring XOFF where `room` cells are left: 0 and *n, 1: none does, or -errno.
static int count_long(struct probe *p, unsigned cls, uint32_t room, uint32_t *n)
{
	const uint32_t before[TESTER_PORTS] = {p->group[cls].n_xoff - room};
	uint32_t near = 0, most = room / 6 + (uint32_t)(6 * PS_PER_US / probe_wire(p, LONG)) + 8;
	int rc = 0;

	for (; !rc && !near && most < 4 * room + 64; most *= 2)
		rc = probe_near_xoff(p, cls, LONG - PKT_FCS, before, most, &near);
	if (rc || !near)
		return rc ? rc : 1;
	return probe_find_xoff(p, cls, LONG - PKT_FCS, before, near, n);
}

static int find_cell(struct probe *p, unsigned cls)
{
	const uint32_t all = p->group[cls].n_xoff, room = all - 1 < ROOM ? all - 1 : ROOM;
	uint32_t n;
	int rc = count_long(p, cls, room, &n);
	double least, most;

	if (rc)
		return rc < 0 ? rc : UNKNOWN;
	if ((double)room / n > MOST)
		return 1;
	// A long frame takes k cells: (n - 1) k < room, and n k > room - 1.
	least = fmax(1, floor((room - 1.0) / n));
	most = n > 1 ? ceil(room / (n - 1.0)) : room;
	return bisect(p, cls, (unsigned)fmax(64, ceil(LONG / (most + 1))),
		least > 1 ? (unsigned)ceil(LONG / (least - 1)) : LONG);
}

int probe_cell(struct probe *p, unsigned cls)
{
	const struct found *known = &p->found->f[PROBE_DEVICE][PROBE_CELL];
	int cell;

	if (known->state == FOUND_IS) {
		probe_write_xoff(p, cls);
		return 0;
	}
	cell = find_cell(p, cls);
	if (cell == UNKNOWN) {
		found_state(p->found, PROBE_DEVICE, PROBE_CELL, FOUND_NOT, 0,
			"frames of 1500 bytes brought no XOFF");
		return 0;
	}
	if (cell < 0)
		return cell;
	found_is(p->found, PROBE_DEVICE, PROBE_CELL, cell, 0);
	p->unit = cell > 64 ? (uint16_t)(cell - PKT_FCS) : PROBE_SHORT;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		probe_write_xoff(p, c);
	return 0;
}
