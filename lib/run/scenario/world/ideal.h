// SPDX-License-Identifier: BSD-3-Clause
// The ideal completion time of a message: alone on its way, held back by nothing but its links.
#pragma once

#include "base/index.h"
#include "route.h"

// The part of a link in the ideal time of a message, ps.
struct ideal_hop {
	uint64_t pace;     // ps of a byte, Q44.20; with whole_ns: bit/s
	tstamp middle;     // wire time of a frame between the first and the last
	tstamp longer;     // by which the first of several frames takes longer
	uint64_t stripped; // bytes that the frame lacks here: its CN-TAG
};

// Everything that the ideal times of a flow's messages follow from, except their sizes and the
// delays of the way. Flows with the same bytes here may share it: it has no padding.
struct ideal {
	uint32_t hops;
	uint32_t mtu;
	uint32_t ack_every; // 0: of a READ, whose data have no ACKs
	struct nic_frame frame;
	uint8_t wire_extra, whole_ns;
	// The frame lengths at which the sender's limiter paces, bytes on the wire. The limiter
	// runs at the rate of its link and keeps fractions of a ps. The serializer drops them, so
	// the limiter decides when frames leave.
	uint32_t first_bytes, middle_bytes;
	tstamp ack;         // wire times of an ACK, or READ request, on all links of its way
	tstamp slowest_ack; // the longest of them
	// When the first frame that asks for an ACK is through, if it is not the last.
	tstamp first_asked;
	struct ideal_hop hop[ROUTE_HOPS];
};

// Prepares the ideal times of a flow's messages. The data goes by `there`, the answers go by
// `back`; both have a hop.
void ideal_init(struct ideal *d, const struct scene *s, const struct scene_flow *f,
	const struct route *there, const struct route *back);

// Returns the delays of links and the latencies of nodes on a route, ps.
tstamp ideal_travel(const struct scene *s, const struct route *r);

// Returns the ideal completion time of a message of `bytes`, ps: from its first bit to its end at
// the host that posted it. `travel`: ideal_travel() of both routes. The routes carry nothing else.
// No rate, window, depth of READs or loss holds the message back.
//
// The frames leave one behind the other and are stored and forwarded on each hop, with the rounding
// of the serializers. The end is the ACK of the last frame, which may wait behind ACKs of the same
// message (`ack_every`). The requests of a READ go `back` first, and its end is the last response.
tstamp ideal_completion(const struct ideal *d, tstamp travel, uint64_t bytes);

// Ideal times that flows share.
struct ideals {
	struct ideal **all;
	unsigned n;
	struct index by_bytes;
};

// Returns the shared copy of `d`, which is made where there is none. NULL: memory is out.
const struct ideal *ideal_share(struct ideals *all, const struct ideal *d);
void ideals_fini(struct ideals *all);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Returns the ideal time of a message of `bytes`, from its first bit until its last bit leaves the
// sender.
tstamp ideal_leaving(const struct ideal *d, uint64_t bytes);

// Returns the ideal time from its first bit until its last bit is at the receiver. `travel`:
// ideal_travel() of the way of the data.
tstamp ideal_arrival(const struct ideal *d, tstamp travel, uint64_t bytes);

#pragma GCC visibility pop
