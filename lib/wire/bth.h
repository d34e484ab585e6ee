// SPDX-License-Identifier: BSD-3-Clause
// InfiniBand transport headers over UDP port 4791: the BTH and the extension headers of each
// opcode.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/pkt.h"

#define BTH_UDP_PORT 4791
#define BTH_LEN      12
#define BTH_PSN_MASK 0xffffffu
#define BTH_PKEY     0xffff // of the default partition, full membership

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
	BTH_RC_SEND_LAST_INV = 0x16,
	BTH_RC_SEND_ONLY_INV = 0x17,
	BTH_RC_FLUSH = 0x1c,
	BTH_RC_ATOMIC_WRITE = 0x1d,
	BTH_CNP = 0x81,
	// Selective repeat (docs/algo/recovery.md), in the manufacturers' range: a WRITE of which
	// each packet names its memory has RC's opcodes plus BTH_TRANSPORT_VENDOR
	BTH_IRN_WRITE_FIRST = 0xc6,
	BTH_IRN_WRITE_ONLY_IMM = 0xcb,
	BTH_IRN_NACK = 0xd1, // an ACK, and the PSN that came
};

enum {
	BTH_TRANSPORT_RC = 0x00,
	BTH_TRANSPORT_UC = 0x20,
	BTH_TRANSPORT_RD = 0x40,
	BTH_TRANSPORT_UD = 0x60,
	BTH_TRANSPORT_CNP = 0x80,
	BTH_TRANSPORT_XRC = 0xa0,
	BTH_TRANSPORT_VENDOR = 0xc0, // and 0xe0: the manufacturer's own
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

// Queue pair i of a host of ours, from 1, has QPN BTH_QPN_BASE + i. QPNs 0 and 1 belong to subnet
// management and general services (SMI, GSI), and Linux's soft-RoCE gives its first queue pair 17,
// too.
#define BTH_QPN_BASE 16

// What follows the BTH, as bits in the order of the wire.
enum {
	BTH_EXT_RDETH = 1 << 0,
	BTH_EXT_DETH = 1 << 1,
	BTH_EXT_XRCETH = 1 << 2,
	BTH_EXT_FETH = 1 << 3,
	BTH_EXT_RETH = 1 << 4,
	BTH_EXT_ATOMIC = 1 << 5,
	BTH_EXT_AETH = 1 << 6,
	BTH_EXT_ATOMIC_ACK = 1 << 7,
	BTH_EXT_IMM = 1 << 8,
	BTH_EXT_IETH = 1 << 9,
	BTH_EXT_CNP = 1 << 10,  // 16 reserved bytes
	BTH_EXT_CAME = 1 << 11, // the PSN that came, 24 bits under 8 reserved
	BTH_EXT_KNOWN = 1 << 15,
};

#define BTH_EXT_MAX 48 // bytes of the longest set in the opcode table, rounded up
#define BTH_CNP_LEN 16

// The properties of an opcode, one row for each.
struct bth_op {
	const char *name;  // "RC_WRITE_ONLY"; NULL where the opcode is not assigned
	uint16_t ext;      // BTH_EXT_*; 0 where it is not assigned
	uint8_t transport; // BTH_TRANSPORT_*, the opcode's top three bits
	uint8_t len_off;   // bytes from the BTH's start to the RETH's DMA length; 0: no RETH
	// Parsing reads one word, which begins here; it is 0 if the opcode is not assigned.
	uint8_t ext_len; // bytes of all extension headers
	uint8_t kind;    // enum pkt_kind: PKT_DATA, PKT_ACK, PKT_CNP or PKT_ROCE
	// Bytes from the BTH's start to the word that each packet has for itself: AETH, or else
	// ImmDt; 0: none.
	uint8_t own_off;
	uint8_t arg_off; // to what pkt_rc.arg says beside that: len_off without such a word, else 0
};

extern const struct bth_op bth_ops[256];

// The base transport header (IBA vol. 1 cl. 9.2), host order.
struct bth {
	uint8_t opcode;
	uint8_t bits; // BTH_SE, BTH_ACKREQ, BTH_FECN, BTH_BECN, BTH_MIGREQ
	uint8_t pad;  // 0..3 bytes behind the payload
	uint8_t version;
	uint8_t resv6; // under FECN and BECN
	uint8_t resv7; // beside AckReq
	uint16_t pkey;
	uint32_t qpn; // destination QPN, 24 bits
	uint32_t psn; // 24 bits
};

// Extension headers; `bth_ops[opcode].ext` tells which are there.
struct bth_ext {
	uint32_t rdeth;  // EE context, 24 bits under 8 reserved
	uint32_t xrceth; // SRQ number, 24 bits under 8 reserved
	uint32_t feth;   // placement type and selectivity
	struct {
		uint32_t qkey;
		uint32_t sqpn; // source QPN, 24 bits under 8 reserved
	} deth;
	struct {
		uint64_t va;
		uint32_t rkey;
		uint32_t dma_len;
	} reth;
	struct {
		uint64_t va;
		uint32_t rkey;
		uint64_t swap_add;
		uint64_t compare;
	} atomic;
	struct {
		uint8_t syndrome; // AETH_*
		uint32_t msn;     // 24 bits
	} aeth;
	uint64_t atomic_ack; // the value before the operation
	uint32_t imm;
	uint32_t ieth; // R_Key to invalidate
	uint8_t cnp[BTH_CNP_LEN];
	uint32_t came; // PSN, 24 bits under 8 reserved
};

// The one-bit fields of a BTH as BTH_* bits.
static inline uint8_t bth_bits(const uint8_t *bytes)
{
	return (uint8_t)(bytes[1] >> 7 | bytes[8] >> 7 << 1 | bytes[4] >> 7 << 2 |
			 (bytes[4] >> 6 & 1) << 3 | (bytes[1] >> 6 & 1) << 4);
}

_Static_assert(BTH_SE == 1 && BTH_ACKREQ == 2 && BTH_FECN == 4 && BTH_BECN == 8 && BTH_MIGREQ == 16,
	"the shifts of bth_bits");

// The READs of quench end at this address. So a request for the rest of a message has the right
// address, whatever the message's length.
#define BTH_READ_END (1ull << 32)

static inline uint64_t bth_read_va(uint32_t dma_len)
{
	return BTH_READ_END - dma_len;
}

// UDP source port of two QPNs by a flow label of 20 bits, the same for both directions: 0xc000
// to 0xffff, as Linux has it (rdma_flow_label_to_udp_sport, rdma_calc_flow_label; standards.md
// 3.1).
uint16_t bth_source_port(uint32_t one, uint32_t two);

// Whether an opcode is one of selective repeat, which no standard has.
static inline bool bth_is_irn(uint8_t opcode)
{
	return (opcode >= BTH_IRN_WRITE_FIRST && opcode <= BTH_IRN_WRITE_ONLY_IMM) ||
	       opcode == BTH_IRN_NACK;
}

// "ACK", "RNR NAK", "NAK PSN sequence error" ...; "reserved" for the rest.
const char *bth_syndrome_name(uint8_t syndrome);

// Reads BTH_LEN bytes.
void bth_parse(const uint8_t *bytes, struct bth *b);

// Writes BTH_LEN bytes; returns that.
unsigned bth_render(const struct bth *b, uint8_t *bytes);

// Reads the extension headers of an assigned opcode: bth_ops[opcode].ext_len bytes. Others are 0.
void bth_ext_parse(const uint8_t *bytes, uint8_t opcode, struct bth_ext *e);

// Writes them; returns bth_ops[opcode].ext_len.
unsigned bth_ext_render(const struct bth_ext *e, uint8_t opcode, uint8_t *bytes);
