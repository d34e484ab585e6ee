// SPDX-License-Identifier: BSD-3-Clause
// Management datagrams of the general services: the 24 bytes that each begins with, and the
// RoCEv2 frame that carries one to queue pair 1.
#pragma once

#include <stdint.h>

#include "wire/pkt.h"

#define MAD_LEN     256 // bytes of every MAD (IBA vol. 1 cl. 13.4.2)
#define MAD_HDR_LEN 24
#define MAD_QPN     1          // of the general services, of the sender and of the receiver
#define MAD_QKEY    0x80010000 // of queue pair 1

#define MAD_BASE_VERSION 1

enum { MAD_CLASS_CM = 0x07 };
enum { MAD_METHOD_SEND = 0x03 };

// Longest frame of a MAD: two VLAN tags, IPv6, UDP, BTH, DETH, ICRC. Over IPv4 without a tag it has
// 322 bytes.
#define MAD_FRAME_MAX 350

// Why bytes are not a message of the communication manager. MAD_OK is 0.
enum mad_error {
	MAD_OK,
	MAD_NOT_GSI,           // not UD SEND only to queue pair 1
	MAD_BAD_SOURCE,        // from another queue pair than 1
	MAD_BAD_QKEY,          // Q_Key other than MAD_QKEY
	MAD_BAD_LENGTH,        // payload other than 256 bytes
	MAD_BAD_BASE_VERSION,  // other than 1
	MAD_BAD_CLASS,         // other than communication management
	MAD_BAD_CLASS_VERSION, // other than 2
	MAD_BAD_METHOD,        // other than Send
	MAD_BAD_ATTRIBUTE,     // none of REQ, MRA, REJ, REP, RTU, DREQ, DREP
	MAD_ERRORS,
};

// The head of a MAD, host order.
struct mad {
	uint8_t base_version;
	uint8_t mgmt_class;
	uint8_t class_version;
	uint8_t method;
	uint16_t status;
	uint16_t class_specific;
	uint64_t tid; // transaction ID: a reply has its request's
	uint16_t attr_id;
	uint32_t attr_mod;
};

// Finds the MAD in a foreign packet: *mad is then its MAD_LEN bytes, in place. MAD_NOT_GSI for any
// packet that is not for queue pair 1. The ICRC is not looked at (frame_pkt_icrc_ok).
enum mad_error mad_of_pkt(const struct pkt *p, const uint8_t **mad);

// The packet of such a frame (mad_frame): its bytes are written `data_off` behind the descriptor,
// where it has room for MAD_FRAME_MAX, and `p` is what frame_to_pkt makes of them, so that the exit
// sends them as they are. The fields that frame_to_pkt leaves alone (class, ports, instants) are
// the caller's.
void mad_to_pkt(struct pkt *p, uint16_t data_off, const struct hdr *h, uint8_t tos, uint32_t psn,
	const uint8_t *mad);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// "bad_qkey" ... for counters and text.
const char *mad_error_name(enum mad_error e);

// Reads MAD_HDR_LEN bytes.
void mad_parse(const uint8_t *bytes, struct mad *m);

// Writes MAD_HDR_LEN bytes; returns that.
unsigned mad_render(const struct mad *m, uint8_t *bytes);

// Writes the frame that carries a MAD of MAD_LEN bytes from queue pair 1 to queue pair 1 of the
// host that `h` addresses: `h` has Ethernet, VLAN tags, IP, ttl, ip_id and the UDP source port; the
// destination port, protocol and P_Key ffff are written as they must be, IPv4 has DF set, the ICRC
// is right. `psn` has 24 bits. `bytes` has room for MAD_FRAME_MAX. Returns the frame's bytes.
unsigned mad_frame(
	const struct hdr *h, uint8_t tos, uint32_t psn, const uint8_t *mad, uint8_t *bytes);

#pragma GCC visibility pop
