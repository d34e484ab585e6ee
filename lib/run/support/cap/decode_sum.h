// SPDX-License-Identifier: BSD-3-Clause
// A capture in one table: kinds, opcodes, ECN codepoints, ICRC verdicts, PFC per priority, queue
// pairs.
#pragma once

#include "decode.h"

struct decode_count {
	uint64_t frames;
	uint64_t bytes; // without FCS, as on the wire
};

// The frames to one queue pair: the address and QPN that they name as their destination.
struct decode_qp {
	uint8_t daddr[16];
	uint8_t version; // of IP; 0: a free place
	uint32_t qpn;
	uint64_t requests, payload_bytes, ce; // data and other requests; ce: of all frames
	uint64_t acks, naks, cnps, bad_icrc;
};

struct decode_sum {
	uint64_t frames, bytes;
	int64_t last_ns; // greatest instant since the first frame
	struct decode_count kind[PKT_KINDS], opcode[256], ecn[4];
	uint64_t cut, icrc[4]; // by enum decode_icrc
	uint64_t error[FRAME_ERRORS], note[FRAME_NOTES];
	uint64_t vlan, inner, cntag, rocev1;
	uint64_t xoff[PKT_CLASSES], xon[PKT_CLASSES];
	struct decode_qp *qp; // hashed by address and number, a power of two of places
	uint32_t n_qps, places;
};

void decode_sum_init(struct decode_sum *s);
void decode_sum_fini(struct decode_sum *s);

// Counts one frame. -ENOMEM where a queue pair has no place; the other counts are made all the
// same.
int decode_sum_add(struct decode_sum *s, const struct decoded *x);

void decode_sum_print(const struct decode_sum *s, const char *name, struct out *o);
