// SPDX-License-Identifier: BSD-3-Clause
// The hello between parts of a scenario that run on several machines: a frame of EtherType 0x88b5
// over each link that is cut. docs/algo/meet.md has its layout.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HELLO_VERSION  5
#define HELLO_SECTIONS 16 // most
#define HELLO_DIGEST   16 // bytes of one
#define HELLO_NAME     56 // of a port, with its NUL
#define HELLO_HEAD     222
#define HELLO_PARTS    4                      // most
#define HELLO_NODES    1024                   // of a scenario that a part can name
#define HELLO_PART     (32 + HELLO_NODES / 8) // bytes of one
#define HELLO_TAG      16                     // bytes of the tag at its end
#define HELLO_MAX \
	(HELLO_HEAD + HELLO_SECTIONS * HELLO_DIGEST + HELLO_PARTS * HELLO_PART + HELLO_TAG)

enum hello_start { HELLO_START_LINK, HELLO_START_AT, HELLO_STARTS };

// While parts run one asks, the other answers at once, and so does the first: both have seen a
// round trip then.
enum hello_turn { HELLO_ASKS, HELLO_ANSWERS, HELLO_ENDS, HELLO_TURNS };

// Why not all parts agree, as far as the sender knows: what is wrong at a port, of the sender's or
// of a part behind it.
struct hello_why {
	uint32_t what;         // bitmap: lib/transport/meet.h; 0: nothing that it knows of
	uint8_t links;         // links between the fault and the sender
	char port[HELLO_NAME]; // where it is; empty without `what`
};

// A part, as the sender of the hello knows it; the sender itself is one.
struct hello_part {
	uint32_t nonce;          // of its process
	uint32_t number;         // number of the hello with its start
	uint64_t starts_ns;      // the instant at which it starts, by its clock; 0: it is not known
	int64_t low_ns, high_ns; // between which its clock is ahead of the sender's, at told_ns
	uint8_t nodes[HELLO_NODES / 8]; // that it runs: bit i % 8 of byte i / 8 is node i's
};

struct hello {
	uint8_t dst[6], src[6];
	uint8_t start;     // enum hello_start
	uint8_t sections;  // digests that follow
	uint8_t parts;     // that it tells of
	uint8_t turn;      // enum hello_turn
	uint16_t level;    // how far the sender has come: lib/transport/meet.h
	uint32_t nonce;    // of the sender's process, not 0
	uint32_t seen;     // the nonce of the receiver, as the sender has heard it; 0: it has not
	uint32_t number;   // of the frame, from 0 on
	uint32_t dilate;   // factor by which the nodes' time runs slower
	uint64_t at_ns;    // HELLO_START_AT: since 1970, UTC; else 0
	uint32_t start_us; // from the sending of this until the sender starts; 0: it does not know
	char port[HELLO_NAME]; // the sender's port, "s1:h3"
	// Instants in ns by a clock of the sender's own, and one of the receiver's that comes back
	// to it, as NTP has them (RFC 5905 section 8).
	uint64_t sent_ns; // of this hello
	uint64_t echo_ns; // sent_ns of the receiver's hello that the sender has heard last; 0: none
	uint64_t starts_ns; // at which the sender starts; 0: it does not know
	uint64_t heard_ns;  // at which that hello came
	uint64_t told_ns;   // for which it tells of parts; not after sent_ns
	struct hello_why why;
	uint64_t numbers; // least known number from which QPNs may be drawn; 0: none
	uint8_t digest[HELLO_SECTIONS][HELLO_DIGEST];
	struct hello_part part[HELLO_PARTS];
};

enum hello_verdict {
	HELLO_OK,
	HELLO_OTHER,        // it is no hello
	HELLO_SHORT,        // it ends within its fixed part
	HELLO_BAD_VERSION,  // it has another version of this layout
	HELLO_BAD_START,    // none of enum hello_start
	HELLO_BAD_SECTIONS, // none, or more than there can be
	HELLO_BAD_NONCE,    // 0
	HELLO_BAD_DILATE,   // 0
	HELLO_BAD_PORT,     // not printable, without an end, or empty
	HELLO_BAD_TURN,     // none of enum hello_turn
	HELLO_BAD_PARTS,    // more than there can be
	HELLO_BAD_WHY, // a port that is no name, or a reason without one, or one without a reason
	HELLO_VERDICTS
};

// Writes it, its tag zero; returns its length without FCS. `port` has its NUL within HELLO_NAME,
// `sections` is 1 to HELLO_SECTIONS, `parts` at most HELLO_PARTS. At most HELLO_MAX bytes.
size_t hello_render(const struct hello *h, uint8_t *bytes);

// Sets the instant of sending of one that was rendered before.
void hello_stamp(uint8_t *bytes, uint64_t sent_ns);

// Reads `len` bytes; what stands behind a hello is padding. *h is set where it is HELLO_OK. The
// tag is not looked at.
enum hello_verdict hello_parse(struct hello *h, const uint8_t *bytes, size_t len);

// The version that a hello of another layout says (HELLO_BAD_VERSION), and the nonce of its sender,
// which has one place in all layouts; 0: it is too short for one.
unsigned hello_version(const uint8_t *bytes);
uint32_t hello_nonce(const uint8_t *bytes, size_t len);

// Whether a frame may be one: its EtherType and its first bytes are a hello's.
int hello_is(const uint8_t *bytes, size_t len);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The length of a hello that was rendered or parsed, its tag included.
size_t hello_len(const uint8_t *bytes);

#pragma GCC visibility pop
