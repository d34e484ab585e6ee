// SPDX-License-Identifier: BSD-3-Clause
// Room tester has the port of an instrument: the lists of frames that it sends in the steps of an
// experiment, and its entries of the frames that left and arrived.
//
// In a step a tester sends the frames of a list of items, and keeps an entry for each frame that
// leaves or arrives. It obeys no pause.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "wire/pkt.h"

enum tester_kind {
	TESTER_DATA, // frames of a source, which the receiver knows by its number
	TESTER_MAC,  // MAC control frames
	TESTER_HOLD, // MAC control frames each `gap`, in later steps, too, until they are released
	TESTER_RELEASE, // one PFC frame with XON for classes; it ends the holds of these classes
};

#define TESTER_UNTAGGED 8 // tester_item.pcp of a frame without a VLAN tag
#define TESTER_AT_START (-1)
#define TESTER_PORTS    64

// Frames of one kind, `gap` apart. Of several that are due, MAC control frames leave first, then
// frames of the item with the lowest number.
struct tester_item {
	enum tester_kind kind;
	// `at` counts from the last bit of the last frame of this item, which has a lower number
	// in the same list; TESTER_AT_START: from the step's start.
	int32_t after;
	tstamp at;      // of the first frame: its first bit leaves
	uint32_t count; // frames; 0: until the step ends. TESTER_HOLD and TESTER_RELEASE: 0
	tstamp gap;     // from first bit to first bit; 0: as the wire takes them
	uint16_t len;   // bytes without FCS, 60..PKT_MAX_LEN; of MAC control at least 60, too

	// TESTER_DATA
	uint8_t to;       // number of the tester that is to get them (struct tester_params)
	uint8_t tos;      // DSCP and ECN of the first frame; each further one has `tos_step` more
	uint8_t tos_step; // modulo 256
	uint8_t pcp;      // TESTER_UNTAGGED, or 0..7: with a tag of VLAN 0 and this priority
	uint16_t source;  // its frames have numbers from 0 on, also in later items of a step

	// the others; classes and quanta are in `pfc`. TESTER_RELEASE: pfc.enable
	uint16_t opcode; // 0x0101 PFC, 0x0001 PAUSE (its time is pfc.quanta[0]), or any other
	uint8_t dst[6];  // all 0: 01-80-C2-00-00-01
	struct pkt_pfc pfc;
};

// Kinds of frames that a tester tells apart.
enum tester_frame {
	TESTER_OURS,    // of a tester of this experiment
	TESTER_CONTROL, // MAC control: `number` is its place among the step's struct tester_control
	TESTER_OTHER,   // of somebody else
};

// A frame that left or arrived. Instants are the node's: of a frame that left its first bit, of one
// that arrived its last.
struct tester_seen {
	tstamp at;
	uint32_t number; // TESTER_OURS: of its source, from 0 on
	uint16_t source;
	uint16_t len;  // bytes without FCS
	uint8_t frame; // enum tester_frame
	uint8_t tos;
	bool sent;
	uint8_t pcp; // TESTER_UNTAGGED: it has no tag
};

struct tester_control {
	uint8_t src[6], dst[6];
	uint16_t opcode;
	struct pkt_pfc pfc;
};

// A step of one tester. The driver lends it by CTL_TESTER, and reads it when the step is over. Only
// the thread that runs the node touches it in between, but for `ended`.
struct tester_step {
	const struct tester_item *item;
	unsigned n;
	struct tester_seen *seen; // in the order of the node's calls
	uint32_t room, n_seen;
	struct tester_control *control;
	uint32_t control_room, n_control;
	uint64_t unseen;      // frames for which there was no room
	tstamp began;         // instant of the order, from which items count
	tstamp late;          // the most by which a frame with an instant of its own left late
	uint64_t asked, sent; // frames of finite items: due by now; that have left
	_Atomic tstamp ended; // last bit of the last finite item; TSTAMP_NEVER: not yet
};

// Whether a tester can send a list; there are `ports` testers. 0, or -EINVAL: an item without
// frames, a length or class out of range, an item after one that has no end or a higher number, or
// an unknown port.
int tester_check(const struct tester_item *item, unsigned n, unsigned ports);
