// SPDX-License-Identifier: BSD-3-Clause
// Where each header of a frame starts, which kind of frame it is, and the fault of a bad one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame/frame.h"
#include "wire/eth.h"

// Offsets are bytes from the frame's start; 0: the header is not there.
struct frame_walk {
	uint8_t kind;       // enum pkt_kind
	uint8_t error;      // enum frame_error; other than FRAME_OK with PKT_BAD only
	uint8_t tags;       // HDR_*: tags, and the IP version once its header is known to be whole
	uint8_t pad;        // of the BTH
	uint16_t vlan_tci;  // with HDR_VLAN
	uint16_t inner_tci; // with HDR_INNER
	uint16_t cntag;     // with HDR_CNTAG
	uint16_t ethertype; // after the tags
	uint16_t l3_off;    // of what follows the EtherType
	uint16_t udp_off;   // a first fragment has it, later ones have not
	uint16_t bth_off;   // RoCEv2
	uint16_t payload_off; // of the bytes behind the last known header
	uint16_t payload_end; // without pad and ICRC
	uint16_t trailer_off; // first byte after what the headers account for
};

// The open-loop source's mark: GEN_MAGIC, source, sequence number, each 32 bits big endian. With
// GEN_MAGIC + 1 ("qncI") the instant of sending follows.
#define GEN_MAGIC 0x716e6348u // "qncH"

// Reads a mark that is known to be whole.
static inline void gen_parse(const uint8_t *o, struct pkt_gen *g)
{
	g->source = get_be32(o + 4);
	g->seq = get_be32(o + 8);
	g->stamped = get_be32(o) - GEN_MAGIC;
	g->stamp_ns = g->stamped ? get_be32(o + FRAME_GEN_LEN) : 0;
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Walks through one frame of `len` bytes; reads nothing behind them.
void frame_walk(struct frame_walk *w, const uint8_t *bytes, size_t len);

// Reads a frame, for which frame_walk() found another protocol, as RoCEv1 if its EtherType and its
// GRH say so: version 6, next header IBA transport. HDR_IPV6 is set for the GRH, which has the same
// form. Our nodes do not use RoCEv1.
void frame_walk_rocev1(struct frame_walk *w, const uint8_t *bytes);

#pragma GCC visibility pop
