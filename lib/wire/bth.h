// SPDX-License-Identifier: BSD-3-Clause
// InfiniBand transport headers over UDP port 4791: BTH and what each opcode puts behind it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BTH_UDP_PORT 4791
#define BTH_LEN      12
#define BTH_PSN_MASK 0xffffffu

enum bth_opcode {
	BTH_RC_SEND_FIRST = 0x00,
	BTH_RC_SEND_MIDDLE = 0x01,
	BTH_RC_SEND_LAST = 0x02,
	BTH_RC_SEND_LAST_IMM = 0x03,
	BTH_RC_SEND_ONLY = 0x04,
	BTH_RC_SEND_ONLY_IMM = 0x05,
	BTH_RC_WRITE_FIRST = 0x06,
	BTH_RC_WRITE_MIDDLE = 0x07,
	BTH_RC_WRITE_LAST = 0x08,
	BTH_RC_WRITE_LAST_IMM = 0x09,
	BTH_RC_WRITE_ONLY = 0x0a,
	BTH_RC_WRITE_ONLY_IMM = 0x0b,
	BTH_RC_READ_REQUEST = 0x0c,
	BTH_RC_READ_FIRST = 0x0d,
	BTH_RC_READ_MIDDLE = 0x0e,
	BTH_RC_READ_LAST = 0x0f,
	BTH_RC_READ_ONLY = 0x10,
	BTH_RC_ACK = 0x11,
	BTH_RC_ATOMIC_ACK = 0x12,
	BTH_RC_CMP_SWAP = 0x13,
	BTH_RC_FETCH_ADD = 0x14,
	BTH_CNP = 0x81,
};

enum {
	BTH_TRANSPORT_RC = 0x00,
	BTH_TRANSPORT_UC = 0x20,
	BTH_TRANSPORT_RD = 0x40,
	BTH_TRANSPORT_UD = 0x60
};

// AETH syndromes
enum {
	AETH_ACK = 0x1f, // no credits given
	AETH_RNR_NAK = 0x20,
	AETH_NAK_PSN = 0x60,
	AETH_NAK_INVALID = 0x61,
	AETH_NAK_ACCESS = 0x62,
	AETH_NAK_OPERATION = 0x63,
};

// What follows the BTH, as bits in the order of the wire.
enum {
	BTH_EXT_DETH = 1 << 0,
	BTH_EXT_RETH = 1 << 1,
	BTH_EXT_ATOMIC = 1 << 2,
	BTH_EXT_AETH = 1 << 3,
	BTH_EXT_ATOMIC_ACK = 1 << 4,
	BTH_EXT_IMM = 1 << 5,
	BTH_EXT_IETH = 1 << 6,
	BTH_EXT_CNP = 1 << 7, // 16 reserved octets
	BTH_EXT_KNOWN = 1 << 15,
};
