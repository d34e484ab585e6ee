// SPDX-License-Identifier: BSD-3-Clause
// The hello between parts of a scenario that run on several machines: a frame of EtherType 0x88b5
// over each link that is cut. docs/real-time.md has its layout.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HELLO_VERSION  2
#define HELLO_SECTIONS 16 // most
#define HELLO_DIGEST   16 // bytes of one
#define HELLO_NAME     56 // of a port, with its NUL
#define HELLO_HEAD     142
#define HELLO_MAX      (HELLO_HEAD + HELLO_SECTIONS * HELLO_DIGEST)

#define HELLO_HOLD_MAX UINT32_MAX

enum hello_start { HELLO_START_LINK, HELLO_START_AT, HELLO_STARTS };

struct hello {
	uint8_t dst[6], src[6];
	uint8_t start;     // enum hello_start
	uint8_t sections;  // digests that follow
	uint16_t level;    // how far the sender has come: lib/algo/meet.h
	uint32_t nonce;    // of the sender's process, not 0
	uint32_t seen;     // the nonce of the receiver, as the sender has heard it; 0: it has not
	uint32_t number;   // of the frame, from 0 on
	uint32_t dilate;   // time of the nodes runs so many times slower
	uint64_t at_ns;    // HELLO_START_AT: since 1970, UTC; else 0
	uint32_t start_us; // from the sending of this until the sender starts; 0: it does not know
	char port[HELLO_NAME]; // the sender's port, "s1:h3"
	// Instants in ns by a clock of the sender's own, and one of the receiver's that comes back
	// to it, as NTP has them (RFC 5905 section 8).
	uint64_t sent_ns; // of this hello
	uint64_t echo_ns; // sent_ns of the receiver's hello that the sender has heard last; 0: none
	uint64_t starts_ns; // at which the sender starts; 0: it does not know
	uint32_t hold_ns;   // from the coming of that hello to sent_ns; HELLO_HOLD_MAX: longer
	uint8_t digest[HELLO_SECTIONS][HELLO_DIGEST];
};

enum hello_verdict {
	HELLO_OK,
	HELLO_OTHER,        // it is no hello
	HELLO_SHORT,        // it ends within what it must have
	HELLO_BAD_VERSION,  // it has another version of this layout
	HELLO_BAD_START,    // none of enum hello_start
	HELLO_BAD_SECTIONS, // none, or more than there can be
	HELLO_BAD_NONCE,    // 0
	HELLO_BAD_DILATE,   // 0
	HELLO_BAD_PORT,     // not printable, without an end, or empty
	HELLO_VERDICTS
};

// Writes it; returns its length without FCS. `port` has its NUL within HELLO_NAME, `sections` is 1
// to HELLO_SECTIONS. At most HELLO_MAX bytes.
size_t hello_render(const struct hello *h, uint8_t *bytes);

// Reads `len` bytes; what stands behind a hello is padding. *h is set where it is HELLO_OK.
enum hello_verdict hello_parse(struct hello *h, const uint8_t *bytes, size_t len);

// Whether a frame may be one: its EtherType and its first bytes are a hello's.
int hello_is(const uint8_t *bytes, size_t len);
