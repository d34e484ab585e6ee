// SPDX-License-Identifier: BSD-3-Clause
// The invariant CRC of RoCEv2 and RoCEv1: of a whole packet, or from the bytes that changed since
// the last frame of a template.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ICRC_LEN 4

// The least significant byte comes first on the wire.
static inline uint32_t icrc_get(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void icrc_put(uint8_t *p, uint32_t icrc)
{
	p[0] = (uint8_t)icrc;
	p[1] = (uint8_t)(icrc >> 8);
	p[2] = (uint8_t)(icrc >> 16);
	p[3] = (uint8_t)(icrc >> 24);
}

// The share of each value of the BTH's last four bytes (AckReq and PSN) in the ICRC of a frame that
// has `tail` bytes behind its BTH. A CRC is linear: crc(a ^ b) = crc(a) ^ crc(b) ^ crc(0).
struct icrc_table {
	uint32_t add[4][256];
};

// The BTH's last word, as icrc_update counts it.
static inline uint32_t icrc_word(uint32_t ackreq, uint32_t psn)
{
	return ackreq << 31 | psn;
}

// ICRC of a frame that differs from one with ICRC `icrc` in the BTH's last word alone; `change` is
// the old word ^ the new one. A template's base is the ICRC of its frame with word 0, `change` is
// then the word.
static inline uint32_t icrc_update(const struct icrc_table *t, uint32_t icrc, uint32_t change)
{
	return icrc ^ t->add[0][change >> 24] ^ t->add[1][change >> 16 & 255] ^
	       t->add[2][change >> 8 & 255] ^ t->add[3][change & 255];
}

void icrc_table_init(struct icrc_table *t, unsigned tail);

// Returns the ICRC of a packet. `l3`: its IP header, of `ip_len` bytes (20..60, or 40 for IPv6).
// `len`: bytes from `l3` up to the ICRC, with IP, UDP and BTH whole. Fields that may change on the
// way count as ones; the packet's bytes stay as they are.
uint32_t icrc_compute(const uint8_t *l3, unsigned ip_len, size_t len);

// The ICRC of RoCEv1, whose BTH stands right behind its GRH at `grh` (IBA annex A16, vol. 1 cl.
// 7.8.1).
uint32_t icrc_compute_rocev1(const uint8_t *grh, size_t len);

// The register as it stands before the BTH's last word, its bytes in the order of the wire: that
// word ^ this is the `change` from a register of 0, so that what stands before the word adds
// icrc_update(t, 0, icrc_before_word ^ word) to the ICRC. The BTH's last word is not read.
uint32_t icrc_before_word(const uint8_t *l3, unsigned ip_len);
