// SPDX-License-Identifier: BSD-3-Clause
// Whole frames: every header quench knows, both directions, and the name of what is wrong with a bad one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/bth.h"
#include "wire/cnm.h"
#include "wire/eth.h"
#include "wire/ip.h"
#include "wire/pfc.h"
#include "wire/pkt.h"

// Why a frame is malformed. FRAME_OK is 0.
enum frame_error {
	FRAME_OK,
	FRAME_SHORT_ETH, // under 14 octets
	FRAME_SHORT_VLAN,
	FRAME_SHORT_CNTAG,
	FRAME_SHORT_IP,
	FRAME_BAD_IP_VERSION,
	FRAME_BAD_IHL,
	FRAME_BAD_IP_LENGTH, // total length under the header or over the frame
	FRAME_BAD_IP_CHECKSUM,
	FRAME_SHORT_UDP,
	FRAME_BAD_UDP_LENGTH,
	FRAME_SHORT_BTH,
	FRAME_BAD_BTH_VERSION,
	FRAME_BAD_OPCODE,
	FRAME_SHORT_EXT, // RETH, AETH, ImmDt, DETH, AtomicETH ... cut off
	FRAME_BAD_PAD,   // pad count over the payload
	FRAME_SHORT_ICRC,
	FRAME_SHORT_PFC,
	FRAME_SHORT_CNM,
	FRAME_BAD_CNM,  // encapsulated length over 64 or over the frame
	FRAME_TOO_LONG, // over PKT_MAX_LEN or the port's MTU
	FRAME_ERRORS,
};

// "short_eth", "bad_ip_checksum" ... for counters and text.
const char *frame_error_name(enum frame_error e);

// Everything one frame says, in host order; `kind` tells which parts are set.
struct frame {
	enum pkt_kind kind;
	enum frame_error error;
	struct eth eth; // addresses, VLAN, CN-TAG, EtherType
	struct ip ip;   // with eth.ethertype IPv4 or IPv6
	struct udp udp;
	struct bth bth;     // RoCEv2
	struct bth_ext ext; // what the opcode says follows the BTH
	struct pfc pfc;     // PFC and PAUSE
	struct cnm cnm;
	uint32_t icrc;   // as read, RoCEv2
	uint16_t l3_off; // octets from the frame's start
	uint16_t bth_off;
	uint16_t payload_off; // of what follows the last known header
	uint16_t payload_len; // without pad and ICRC
	uint16_t trailer_off; // first octet after what the headers account for (Ethernet padding)
};

// Reads one frame of `len` octets (no FCS). Never reads past len. Returns f->error; a frame of an
// unknown protocol is FRAME_OK with kind PKT_OTHER.
enum frame_error frame_parse(const uint8_t *octets, size_t len, struct frame *f);

// Writes the frame: headers from `f`, `payload` of f->payload_len octets, pad, ICRC (computed) and
// padding to `min_len` (PKT_MIN_LEN, or 0 for none). Lengths and the IPv4 checksum are computed.
// Returns the length, or -EMSGSIZE where `size` is too small, -EINVAL where f is inconsistent.
int frame_render(const struct frame *f, const uint8_t *payload, uint8_t *octets, size_t size,
	unsigned min_len);

// Fast path in: fills descriptor and private header from the bytes at pkt_bytes(p); p->len and
// p->data_off are set by the caller. Sets hdr, kind, tos, l3_off, u, flags = PKT_F_FOREIGN. A malformed
// frame gets PKT_BAD and u.bad; so does one longer than max_len octets. Returns kind.
enum pkt_kind frame_to_pkt(struct pkt *p, uint16_t max_len);

// Fast path out, a packet of ours: writes headers from *p->hdr and p->u, payload zeros, ICRC. `octets`
// has room for p->len. Returns p->len.
unsigned frame_from_pkt(const struct pkt *p, uint8_t *octets);

// Fast path out, a foreign packet, in place: CE into ToS (IPv4 checksum by RFC 1624, nothing else
// changes) and the CN-TAG stripped, as its flags say. May move the frame's start: data_off, len.
void frame_patch(struct pkt *p);
