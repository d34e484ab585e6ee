// SPDX-License-Identifier: BSD-3-Clause
// Room fault has the injector: it hits chosen frames on their way into a node's port.
//
// An injector stands between a link and the port where its frames arrive. A driver gives it each
// frame that has arrived (fault_put), and takes what goes on to the node (fault_get), now and at
// the instants that fault_deadline() says. A port without an injector costs nothing. Both clocks
// use it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "contract/contract.h"
#include "frame/payload.h"
#include "wire/pkt.h"

// Kinds of frames of a queue pair, as bits of fault_record.kinds.
enum {
	FAULT_DATA = 1 << 0,          // SEND and WRITE packets
	FAULT_ACK = 1 << 1,           // ACK, and RNR NAK
	FAULT_NAK = 1 << 2,           // NAK of any other code
	FAULT_CNP = 1 << 3,           // its PSN is its number among those to the queue pair, from 0
	FAULT_READ_REQUEST = 1 << 4,  //
	FAULT_READ_RESPONSE = 1 << 5, //
	FAULT_OTHER = 1 << 6,         // any other frame; only a record of all frames can name it
	FAULT_ALL = (1 << 7) - 1,
};

// Which PSNs a record names. They count from the first PSN of the queue pair, and go on behind
// 2^24.
enum fault_psn {
	FAULT_PSN_ANY,
	FAULT_PSN_RANGE, // from..to, both included
	FAULT_PSN_EVERY, // those that `from` divides, 0 among them
	FAULT_PSN_LAST,  // the last packet of each message; of a READ its last response
};

enum fault_action {
	FAULT_ECN,       // CE
	FAULT_DROP,      //
	FAULT_CORRUPT,   // one bit is flipped; the ICRC stays
	FAULT_DELAY,     //
	FAULT_REORDER,   // it goes on behind later frames of its queue pair
	FAULT_DUPLICATE, //
	FAULT_REWRITE,   // a field gets another value
	FAULT_WATCH,     // it goes on as it came, and is told
	FAULT_FORGE,     // a frame that nobody has sent
	FAULT_ACTIONS,
};

// Fields that FAULT_REWRITE writes.
enum fault_field {
	FAULT_DST_MAC,
	FAULT_SRC_MAC,
	FAULT_ETHERTYPE,
	FAULT_VLAN, // VLAN ID of the outer tag
	FAULT_PCP,
	FAULT_SRC_IP,
	FAULT_DST_IP,
	FAULT_DSCP,
	FAULT_IP_ECN,
	FAULT_TTL,
	FAULT_IP_ID,
	FAULT_UDP_SPORT,
	FAULT_UDP_DPORT,
	FAULT_OPCODE,
	FAULT_SE,
	FAULT_MIGREQ,
	FAULT_PKEY,
	FAULT_QPN,
	FAULT_ACKREQ,
	FAULT_PSN,
	FAULT_SYNDROME, // of the AETH
	FAULT_MSN,
	FAULT_FIELDS,
};

// Of a FAULT_CORRUPT: the last bit of the payload, or of the ICRC.
#define FAULT_NO_BIT UINT32_MAX

// A fault by chance. Each has a share of millionths of a million: 10^12 is always.
struct fault_chance {
	uint64_t share; // of the frames; 0: none is hit by this rule
	// Gilbert-Elliott, by frame: share with which a good state turns bad, and a bad one good.
	// In a bad state `bad_share` of the frames are hit, in a good one `share`. `to_bad` 0: it
	// is always good.
	uint64_t to_bad, to_good, bad_share;
	double bit_error_rate; // of each bit of the frame with FCS; 0: this rule has none
};

struct fault_record {
	uint32_t number; // among the records of the run, from 1
	tstamp begins;   // frames that arrive earlier are not hit, but counted as transmissions
	uint8_t kinds;   // FAULT_*
	uint8_t classes; // bitmap, of the class that the port maps the frame to; 0: all
	enum fault_psn psn;
	uint64_t from, to;
	// Which transmissions of that PSN by the queue pair, from 1, both included; 0: each. Those
	// of a PSN behind the target's window are not counted, and no such record names the frame.
	uint32_t nth_from, nth_to;
	// Lumina's `iter`: a counter of the queue pair, 1 at first, one more wherever a data PSN
	// does not follow the one before, and 1 again at a first packet of a message that follows;
	// 0: each.
	uint32_t pass_from, pass_to;
	bool by_chance;
	struct fault_chance chance;
	enum fault_action action;
	union {
		uint32_t bit;    // FAULT_CORRUPT: of the frame, bit 0 is the first byte's highest
		tstamp delay;    // FAULT_DELAY
		uint32_t copies; // FAULT_DUPLICATE
		struct {
			// Frames of its queue pair; of a record of all frames, of the port.
			uint32_t behind;
			tstamp within; // it goes on then at the latest
		} reorder;
		struct {
			uint8_t field;   // enum fault_field
			bool keeps_icrc; // else it is right again where it was
			bool adds;       // the number is added to the field's
			uint64_t value;  // of a field of up to 48 bits
			uint8_t ip[16];  // of an IP address
		} rewrite;
		struct {
			const uint8_t *bytes; // of the frame, whole but for the FCS
			uint16_t len;
			tstamp start, every;
			uint64_t count; // 0: no end
		} forge;
	};
};

// Frames to one queue pair: an address and a QPN. The scene's own queue pairs are two of them, one
// for each direction.
struct fault_target {
	bool ipv6;
	uint8_t daddr[16]; // IPv4 in the first four bytes
	uint32_t qpn;      // 0: all queue pairs of the address
	// Of the first packet; FAULT_PSN_SEEN: by the connection's messages that were heard, else
	// the first that is seen
	uint32_t psn;
	uint32_t window;        // PSNs behind the newest for which transmissions are counted
	const uint32_t *record; // indices of the records that name it, rising
	uint32_t n_records;
};

#define FAULT_PSN_SEEN UINT32_MAX

struct fault_params {
	const struct fault_record *record;
	uint32_t n_records;
	const struct fault_target *target;
	uint32_t n_targets;
	// Records of all frames of the port, and records that forge frames. Indices, rising.
	const uint32_t *all;
	uint32_t n_all;
	uint32_t seen_pairs;  // room for queue pairs that only `all` or an address names
	uint32_t seen_window; // their `window`
	uint32_t held;        // most frames that wait in it
	uint16_t port;        // of its node, for events
	uint8_t dscp_to_class[64], pcp_to_class[8];
	bool by_pcp; // the class of a tagged frame follows from its PCP
	uint64_t seed;
	const char *name;              // of the port, for the seed
	const struct payload *payload; // of our frames, by its number
	struct fault_heard *heard;     // of the network's injectors; NULL: none is kept
	struct pkt_stack *stack;       // that dropped frames go to and copies come from
	struct ev_ring *events;
};

// The connections of which the injectors of a network have heard. A REQ or REP of the communication
// manager that passes one of them tells the first PSN of queue pairs that have FAULT_PSN_SEEN, if
// it comes before the first frame. NULL: no memory.
struct fault_heard *fault_heard_new(void);
void fault_heard_free(struct fault_heard *h);

struct fault_record_stats {
	uint64_t matched; // frames that it hit
	uint64_t missed;  // hits not done: no room to hold, no descriptor, no such field
};

// Frames. in + copied + forged = on + dropped + held.
struct fault_stats {
	uint64_t in_frames, on_frames;
	uint64_t marked_frames, dropped_frames, corrupted_frames, delayed_frames, reordered_frames,
		rewritten_frames;
	uint64_t copied_frames, forged_frames;
	uint64_t dropped_bytes; // with FCS
	uint64_t unknown_pairs; // frames for whose queue pair it had no room
};

struct fault;

// Makes an injector. -ENOMEM; -EINVAL: a record is impossible, or two targets are the same. The
// records, payloads, stack and ring of events must outlive it. It copies `target`, `all` and the
// lists of records.
int fault_new(struct fault **out, const struct fault_params *p);
void fault_free(struct fault *f);

// A frame has arrived: `now` is that instant. The injector owns it. Its descriptor pool must have
// as many free places as frames are dropped.
void fault_put(struct fault *f, struct pkt *p, tstamp now);

// Gives the next frame that goes on to the node at `now`; NULL: no further one is due. To be called
// until it gives none.
struct pkt *fault_get(struct fault *f, tstamp now);

// The earliest instant at which a frame that it holds, or forges, goes on; TSTAMP_NEVER: none. It
// holds once fault_get() has given NULL.
tstamp fault_deadline(const struct fault *f);

// Frames that wait in it.
uint32_t fault_held(const struct fault *f);
// Calls fn for each of them.
void fault_each_held(const struct fault *f, void (*fn)(void *arg, const struct pkt *p), void *arg);

const struct fault_stats *fault_stats(const struct fault *f);
// Of record i.
struct fault_record_stats fault_record_stats(const struct fault *f, uint32_t i);

// `to` is a second injector of the same port. It has the records of `from` and others behind them,
// and at least as much room. It takes over all that `from` has: the state of queue pairs, frames
// that wait, and counts. Nothing is allocated. `from` is empty afterwards, and is to be freed.
void fault_adopt(struct fault *to, struct fault *from);

// "data" ... of one of FAULT_*.
const char *fault_kind_name(unsigned kind);
// "drop" ...
const char *fault_action_name(enum fault_action a);
// "dst_mac" ..., as the scenario has it.
const char *fault_field_name(enum fault_field f);
