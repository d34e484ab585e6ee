// SPDX-License-Identifier: BSD-3-Clause
// Headroom of a lossless group: the sums of standards.md 2.4.
#include "headroom.h"

#include <math.h>

#define FCS_BYTES        4
#define MIN_BYTES        64
#define GAP_BYTES        20 // preamble, start delimiter and gap
#define FRAME_EXTRA_BITS (GAP_BYTES * 8)
#define PFC_FRAME_BITS   (512 + FRAME_EXTRA_BITS)
#define QUANTUM_BYTES    64

// Pause quanta within which a peer stops (802.3 31B.3.7, standards.md 2.3), by speed.
static const struct {
	rate_t rate;
	unsigned quanta;
} response[] = {
	{100 * RATE_MBPS, 1},
	{1 * RATE_GBPS, 2},
	{10 * RATE_GBPS, 67},
	{25 * RATE_GBPS, 80},
	{40 * RATE_GBPS, 118},
	{50 * RATE_GBPS, 147},
	{100 * RATE_GBPS, 394},
	{200 * RATE_GBPS, 453},
	{400 * RATE_GBPS, 905},
	{800 * RATE_GBPS, 905},
};

unsigned headroom_response_quanta(rate_t rate)
{
	unsigned i = 0, last = sizeof(response) / sizeof(response[0]) - 1;

	while (i < last && response[i].rate < rate)
		i++;
	return response[i].quanta;
}

uint64_t headroom_response_bytes(rate_t rate)
{
	return (uint64_t)headroom_response_quanta(rate) * QUANTUM_BYTES;
}

// bits = 2 (8 (mtu + 4) + 160) + 672 + 2 delay rate + 512 quanta(rate)
uint64_t headroom_qbb(rate_t rate, tstamp delay, uint32_t mtu)
{
	uint64_t frames = 2 * ((uint64_t)(mtu + FCS_BYTES) * 8 + FRAME_EXTRA_BITS);
	unsigned __int128 flight = (unsigned __int128)2 * delay * rate;
	uint64_t cable = (uint64_t)((flight + PS_PER_S - 1) / PS_PER_S);

	return (frames + PFC_FRAME_BITS + cable + headroom_response_bytes(rate) * 8 + 7) / 8;
}

// The largest ceil(n / cell) * cell / (n + 20) is at the smallest frame or at the first behind it
// that begins a cell.
uint64_t headroom_in_cells(uint64_t wire_bytes, uint32_t cell_bytes)
{
	uint64_t small = (uint64_t)(MIN_BYTES + cell_bytes - 1) / cell_bytes;
	uint64_t next = small * cell_bytes + 1;
	double at_small = (double)(small * cell_bytes) / (MIN_BYTES + GAP_BYTES);
	double at_next = (double)((small + 1) * cell_bytes) / (double)(next + GAP_BYTES);
	double most = fmax(1, fmax(at_small, at_next));

	if (cell_bytes <= 1)
		return wire_bytes;
	return (uint64_t)ceil((double)wire_bytes * most);
}

// ceil((mtu + 4) / cell) cell + in_cells(after)
uint64_t headroom_auto(uint64_t after_bytes, uint32_t mtu, uint32_t cell_bytes)
{
	uint64_t crossing = mtu + FCS_BYTES;

	if (cell_bytes > 1)
		crossing = (crossing + cell_bytes - 1) / cell_bytes * cell_bytes;
	return crossing + headroom_in_cells(after_bytes, cell_bytes);
}

static uint64_t whole_kib(double bytes)
{
	return (uint64_t)ceil(bytes / 1024) * 1024;
}

// worst = ceil(cell > 128 ? cell / 64 : 2 cell / (1 + cell))
// s     = 100 * 64 / ((small * 64 + (100 - small) * lossless_mtu) / 100)
// occ   = (100 - s + s worst) / 100
// prop  = port_mtu + cable + 2 gearbox + mac_phy + response
// xoff  = roundup1024(lossless_mtu + prop occ), xon = roundup1024(pipeline)
// size  = roundup1024(xoff + xon [+ port_mtu with eight lanes])
struct headroom_sizes headroom_sonic(const struct headroom_sonic *p)
{
	double cell = p->cell_bytes, mtu = p->lossless_mtu, small = p->small_percent;
	double worst = ceil(cell > 2 * MIN_BYTES ? cell / MIN_BYTES : 2 * cell / (1 + cell));
	double s = 100 * MIN_BYTES / ((small * MIN_BYTES + (100 - small) * mtu) / 100);
	double occ = (100 - s + s * worst) / 100;
	double prop = p->port_mtu + p->cable_bytes + 2 * p->gearbox_bytes + p->mac_phy_bytes +
		      (double)headroom_response_bytes(p->rate);
	struct headroom_sizes h = {
		.xoff = whole_kib(mtu + prop * occ),
		.xon = whole_kib(p->pipeline_bytes),
	};

	h.size = whole_kib((double)(h.xoff + h.xon) + (p->eight_lanes ? p->port_mtu : 0));
	return h;
}
