// SPDX-License-Identifier: BSD-3-Clause
// Headroom of a lossless group, for the frame that crosses XOFF and for later ones: 802.1Qbb's sum,
// and SONiC's formula.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "base/tstamp.h"

// SONiC's formula (its buffer_headroom_mellanox.lua; standards.md 2.4). Frames with FCS.
struct headroom_sonic {
	rate_t rate;
	double cable_bytes; // both ways: 2 * delay * rate / 8
	uint32_t port_mtu;
	uint32_t lossless_mtu;
	uint32_t cell_bytes;
	unsigned small_percent; // share of 64-byte frames, 0..100
	double mac_phy_bytes;   // delay of MAC and PHY
	double gearbox_bytes;
	double pipeline_bytes; // what the pipeline holds: XON
	bool eight_lanes;      // one port MTU more
};

// The sizes as a switch is configured, in whole KiB.
struct headroom_sizes {
	uint64_t xoff, xon, size;
};

// Pause quanta that a peer may go on for at `rate` between the last bit of XOFF and its stop: those
// of 802.3 31B.3.7 (standards.md 2.3). A speed between two of the table answers like the next
// higher one.
unsigned headroom_response_quanta(rate_t rate);

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// The same in bytes, 64 in a quantum.
uint64_t headroom_response_bytes(rate_t rate);

// The bytes on the wire that arrive after XOFF is due, by 802.1Qbb's sum (standards.md 2.4): two
// longest frames that had just begun, one each way, the PFC frame, the cable both ways (`delay`:
// one way, ps) and the peer's response. `mtu`: longest frame without FCS.
uint64_t headroom_qbb(rate_t rate, tstamp delay, uint32_t mtu);

// Returns the bytes of buffer that `wire_bytes` can take in cells, in the worst case: 64-byte
// frames, or frames whose last byte needs one more cell.
uint64_t headroom_in_cells(uint64_t wire_bytes, uint32_t cell_bytes);

// Returns the headroom that loses nothing if `after_bytes` arrive on the wire after XOFF was due.
// XOFF is due when a frame no longer fits under the threshold; that frame is in headroom as a
// whole, and may have the longest length.
uint64_t headroom_auto(uint64_t after_bytes, uint32_t mtu, uint32_t cell_bytes);

struct headroom_sizes headroom_sonic(const struct headroom_sonic *p);

#pragma GCC visibility pop
