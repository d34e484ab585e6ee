// SPDX-License-Identifier: BSD-3-Clause
// What `quench decode` says of a frame: a line of text, a JSON object, or a share of a summary.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "frame/frame.h"
#include "in.h"
#include "out/out.h"
#include "wire/ip6_chain.h"

enum decode_icrc {
	DECODE_ICRC_NONE, // not a RoCE frame
	DECODE_ICRC_OK,
	DECODE_ICRC_BAD,
	DECODE_ICRC_CUT, // the capture has not all bytes that it covers
};

// One frame, read.
struct decoded {
	uint64_t number; // from 1
	uint64_t ns;     // since 1970
	int64_t at_ns;   // since the first frame; below 0 where the capture's clock went back
	uint32_t len;    // bytes that the capture has
	uint32_t wire_len;
	bool headers_cut; // the capture ends before the headers do: f has tags and addresses alone
	enum decode_icrc icrc;
	struct frame f;
	// The extension headers of an IPv6 packet, and the ports of UDP or TCP that follow them.
	struct ip6_chain ext;
	bool ext_ports;
	uint16_t sport, dport;
	const char *port;    // where it was seen: "out s1:h3"; NULL: not told
	const char *comment; // about it, as the capture has it; NULL: none
};

struct decode {
	rate_t rate; // at which quanta are told as time; 0: not
	uint64_t n;
	uint64_t first_ns;
	int port_width;    // of the column that tells where a frame was seen; 0: none
	int addr_width[2]; // of the columns of source and destination: the widest address so far
	uint8_t whole[PKT_MAX_LEN]; // the frame; what the capture cut is filled up with zeros
};

void decode_init(struct decode *d, rate_t rate);

// Reads the next frame of the capture.
void decode_next(struct decode *d, const struct cap_frame *c, struct decoded *to);

// Heading and lines of the text form.
void decode_text_head(struct decode *d, const struct decoded *first, struct out *o);
void decode_text(struct decode *d, const struct decoded *x, struct out *o);

// One JSON object and a line feed. Keys that a frame has nothing for are left out.
void decode_json(const struct decoded *x, struct out *o);
