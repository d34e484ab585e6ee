// SPDX-License-Identifier: BSD-3-Clause
// MAC control frames: 802.1Qbb PFC and 802.3x PAUSE.
#pragma once

#include <stdint.h>

#include "base/rate.h"
#include "wire/pkt.h"

enum { MACCTL_PAUSE = 0x0001, MACCTL_PFC = 0x0101 };

// Bytes from the opcode on, without padding.
#define PFC_LEN   20
#define PAUSE_LEN 4

// 01:80:c2:00:00:01, which no bridge forwards.
extern const uint8_t pfc_dst[6];

struct pfc {
	uint16_t opcode; // MACCTL_*, or another
	struct pkt_pfc time;
};

// The request to the enabled classes.
enum pfc_sense {
	PFC_NOTHING, // no class enabled
	PFC_XOFF,    // all have quanta
	PFC_XON,     // all have 0
	PFC_MIXED,
};

enum pfc_sense pfc_sense(const struct pkt_pfc *p);

// Time of one quantum at `rate`: 512 bit times, ps, rounded to nearest.
static inline tstamp pfc_quantum_ps(rate_t rate)
{
	return rate ? (512 * PS_PER_S + rate / 2) / rate : 0;
}

// Returns the kind that receivers see in a MAC control frame to `dst` with this opcode: PKT_PFC,
// PKT_PAUSE or PKT_MACCTL (802.3 annex 31B.3.3).
enum pkt_kind pfc_kind(const uint8_t dst[6], unsigned opcode);

// Reads the opcode and its fields: PFC_LEN bytes for PFC, PAUSE_LEN for PAUSE, 2 for another
// opcode.
void pfc_parse(const uint8_t *bytes, struct pfc *p);

// Reads the times of a frame that is known to be PFC or PAUSE, without its opcode.
void pfc_parse_time(const uint8_t *bytes, struct pkt_pfc *t);

// Writes PFC_LEN bytes for PFC, PAUSE_LEN for PAUSE; returns them.
unsigned pfc_render(const struct pfc *p, uint8_t *bytes);
