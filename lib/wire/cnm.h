// SPDX-License-Identifier: BSD-3-Clause
// The congestion notification message of 802.1Qau: its 24 fixed bytes.
#pragma once

#include <stdint.h>

#define CNM_LEN      24
#define CNM_MSDU_MAX 64

// Host order. Flow ID and VLAN stand in the frame's tags, the encapsulated MSDU behind these
// bytes.
struct cnm {
	uint8_t version; // 0
	uint8_t resv;    // ReservedV, 6 bits
	uint8_t qntzfb;  // quantized feedback, 0..63
	uint8_t cpid[8];
	int16_t qoffset;   // Q_eq - Q, 64-byte units: negative when congested
	int16_t qdelta;    // Q - Q_old, 64-byte units
	uint16_t priority; // encapsulated priority: PCP in the three top bits
	uint8_t dst[6];    // encapsulated destination address
	uint16_t msdu_len; // bytes that follow, 0..64
};

// Bytes in the CNM's units of 64, towards zero, saturated to 16 bits.
static inline int16_t cnm_units(int64_t bytes)
{
	bytes /= 64;
	return (int16_t)(bytes > INT16_MAX ? INT16_MAX : bytes < INT16_MIN ? INT16_MIN : bytes);
}

// Reads CNM_LEN bytes.
void cnm_parse(const uint8_t *bytes, struct cnm *c);

// Writes CNM_LEN bytes; returns that.
unsigned cnm_render(const struct cnm *c, uint8_t *bytes);
