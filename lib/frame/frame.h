// SPDX-License-Identifier: BSD-3-Clause
// Whole frames: every header that quench knows, parsed and rendered, and the names of faults.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame/payload.h"
#include "wire/bth.h"
#include "wire/cnm.h"
#include "wire/eth.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/pfc.h"
#include "wire/pkt.h"

// Why a frame is malformed. FRAME_OK is 0.
enum frame_error {
	FRAME_OK,
	FRAME_SHORT_ETH, // under 14 bytes
	FRAME_SHORT_VLAN,
	FRAME_SHORT_CNTAG,
	FRAME_SHORT_IP,
	FRAME_BAD_IP_VERSION,
	FRAME_BAD_IHL,       // IPv4 header length under 20 bytes or over the frame
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

// Whether the fault lies behind addresses and tags, where a bridge does not look: it forwards such
// a frame. MAC control is layer 2's own.
bool frame_error_is_above_l2(enum frame_error e);

// Oddities of a frame that do not make it malformed, as bits.
enum {
	FRAME_NOTE_MACCTL_DST = 1 << 0,    // PFC or PAUSE to another address: not obeyed
	FRAME_NOTE_MACCTL_TAGGED = 1 << 1, // PFC or PAUSE behind a tag: not obeyed
	FRAME_NOTE_PFC_HIGH = 1 << 2,      // high byte of the class-enable vector
	FRAME_NOTE_MACCTL_PAD = 1 << 3,    // padding other than zeros
	FRAME_NOTE_CNP_FIELDS = 1 << 4,    // CNP whose BECN is 0, or another field is not
	FRAME_NOTE_CNM_VERSION = 1 << 5,   // version other than 0: not read
	FRAME_NOTE_IP_CHECKSUM_0 = 1 << 6, // left to the NIC (frame_parse_captured)
	FRAME_NOTE_IRN = 1 << 7,           // an opcode of selective repeat, which is not standard
	FRAME_NOTES = 8,
};

// "macctl_dst" ... for text; `bit` is one of the above.
const char *frame_note_name(unsigned bit);

// The open-loop source's payload, behind UDP (or behind the EtherType of a raw frame): a magic
// number, the source's number and the sequence number, 32 bits big endian each; where the magic
// number says so the instant of sending in ns, modulo 2^32; then zeros or what the flow says.
#define FRAME_GEN_LEN   12
#define FRAME_GEN_STAMP 4

// All of that before the zeros.
static inline unsigned frame_gen_head(const struct pkt_gen *g)
{
	return FRAME_GEN_LEN + g->stamped * FRAME_GEN_STAMP;
}

// Everything one frame says, in host order; `kind` tells which parts are set.
struct frame {
	enum pkt_kind kind;
	enum frame_error error;
	struct eth eth;   // addresses, VLAN, CN-TAG, EtherType
	struct ip_hdr ip; // with eth.ethertype IPv4 or IPv6, or RoCEv1 (frame_parse_captured)
	struct udp udp;
	struct bth bth;     // RoCE
	struct bth_ext ext; // headers that follow the BTH by the opcode
	struct pfc pfc;     // PFC and PAUSE
	struct cnm cnm;
	uint32_t icrc;   // as read, RoCE
	uint16_t l3_off; // bytes from the frame's start
	uint16_t bth_off;
	uint16_t payload_off; // of the bytes behind the last known header
	uint16_t payload_len; // without pad and ICRC
	uint16_t trailer_off; // first byte after what the headers account for (Ethernet padding)
	uint16_t notes;       // FRAME_NOTE_*
	struct pkt_gen gen;   // with PKT_GEN; also part of the payload
};

// Reads one frame of a capture, of `len` bytes without FCS, and nothing behind them. Returns
// f->error, which is FRAME_OK with kind PKT_OTHER for an unknown protocol. It does two things that
// the fast path does not do. A host's own capture has frames whose IPv4 header checksum is 0, since
// its NIC computes it later: such a checksum is put right in `bytes` and noted. And RoCEv1 is read:
// its GRH stands in f->ip, and kind, bth, ext, payload and ICRC are as in RoCEv2, without UDP.
enum frame_error frame_parse_captured(uint8_t *bytes, size_t len, struct frame *f);

static inline bool frame_is_rocev1(const struct frame *f)
{
	return f->eth.ethertype == ETH_P_ROCEV1;
}

// Whether the ICRC of a parsed RoCE frame is right; `bytes` are the parsed ones.
bool frame_icrc_ok(const struct frame *f, const uint8_t *bytes);

// Fast path in: fills descriptor and header, which stands right behind it, from the bytes at
// pkt_bytes(p); p->len and p->data_off are set by the caller. Sets hdr, kind, tos, l3_off, u,
// flags = PKT_F_FOREIGN. A malformed frame gets PKT_BAD and u.bad; so does one longer than max_len
// bytes. Returns kind.
enum pkt_kind frame_to_pkt(struct pkt *p, uint16_t max_len);

// The place of a frame: its length, and the distance from its descriptor to its first byte.
struct frame_place {
	uint16_t len;
	uint16_t data_off;
};

// Does the work of frame_to_pkt() for n packets, and sets len and data_off, too: at[i] is the frame
// of burst[i]. The header is written to burst[i]->hdr, which is behind the descriptor or elsewhere.
// All packets also get `flags`. cls, in_port, and the fields of u that the kind does not have, are
// undefined afterwards. Returns the kinds that were found, as bits.
typedef uint32_t frame_burst_fn(struct pkt *const *burst, const struct frame_place *at, unsigned n,
	uint16_t max_len, uint8_t flags);
frame_burst_fn frame_burst_to_pkt;
#if defined(__x86_64__)
frame_burst_fn frame_burst_to_pkt_avx2; // for processors that have AVX2
#endif

// Whether the ICRC of a foreign RoCEv2 packet (pkt_is_roce) is right. Bytes that may change on the
// way do not count, so a CE mark or a CN-TAG that is to be stripped does no harm.
bool frame_pkt_icrc_ok(const struct pkt *p);

// Reads from the bytes of a foreign packet what Ethernet says: addresses, tags, EtherType, and as
// HDR_* which tags and what IP there are. All else of *h becomes 0. A CN-TAG that is to be stripped
// is still there.
void frame_pkt_eth(const struct pkt *p, struct hdr *h);

// The flow of a packet: where its addresses stand, in its header or in its bytes, and its UDP
// source port.
struct frame_flow {
	const uint8_t *src, *dst;     // MAC
	const uint8_t *saddr, *daddr; // IP
	uint16_t sport;
	bool ipv4; // else IPv6
};

static inline struct frame_flow frame_hdr_flow(const struct hdr *h)
{
	return (struct frame_flow){
		h->src, h->dst, h->saddr, h->daddr, h->sport, h->flags & HDR_IPV4};
}

// The flow of a RoCEv2 packet, from its header, or from the bytes of a packet that came from
// outside and whose header has been forgotten.
static inline struct frame_flow frame_pkt_flow(const struct pkt *p)
{
	const uint8_t *o = (const uint8_t *)p + p->data_off, *ip = o + p->l3_off;
	unsigned len;

	if (p->hdr)
		return frame_hdr_flow(p->hdr);
	assert(p->flags & PKT_F_FOREIGN && pkt_is_roce(p->kind));
	len = ip_len_at(ip);
	if (ip[0] >> 4 == 6)
		return (struct frame_flow){o + 6, o, ip + 8, ip + 24, get_be16(ip + len), false};
	return (struct frame_flow){o + 6, o, ip + 12, ip + 16, get_be16(ip + len), true};
}

// The RETH of a foreign RoCEv2 packet, whose opcode has one.
void frame_pkt_reth(const struct pkt *p, uint64_t *va, uint32_t *rkey, uint32_t *bytes);

// The PSN that a foreign NACK names (BTH_IRN_NACK).
uint32_t frame_pkt_came(const struct pkt *p);

// The P_Key of a foreign RoCEv2 packet's BTH (IBA 9.2).
uint16_t frame_pkt_pkey(const struct pkt *p);

// Bytes that a PKT_GEN frame with header `h` needs at least (26..74), without a stamp.
unsigned frame_gen_min_len(const struct hdr *h);

// Fast path out, a packet of ours: writes headers from *p->hdr and p->u, payload zeros, ICRC, zeros
// up to p->len. `bytes` has room for p->len. Returns p->len. IPv4 has DF set and the header's id
// (RFC 6864: no meaning with DF); P_Key is ffff, a READ's address bth_read_va, a CNP's BECN 1.
// R_Key, a WRITE's address and all fields that a descriptor does not have are 0. The UDP checksum
// is 0, but for PKT_GEN over IPv6. A CNM has the CN-TAG u.cnm.flow_id and no encapsulated MSDU; its
// encapsulated destination address comes from the first bytes of hdr->daddr, where frame_to_pkt()
// puts it, too. PKT_MACCTL is a PFC frame to a wrong address, hdr->dst, or has the opcode
// hdr->sport and the fields of PFC. A packet whose len is less than its headers need (hpcc_sim) is
// cut there.
unsigned frame_from_pkt(const struct pkt *p, uint8_t *bytes);
// Does the same with this payload, which only PKT_DATA, READ responses and PKT_GEN have; NULL:
// zeros.
unsigned frame_with_payload(const struct pkt *p, const struct payload *payload, uint8_t *bytes);

// Whether a foreign PKT_DATA, READ response or PKT_GEN has this payload.
bool frame_pkt_payload_holds(const struct pkt *p, const struct payload *payload);

// Fast path out, a foreign packet, in place: CE into ToS (IPv4 checksum by RFC 1624, nothing else
// changes) and the CN-TAG stripped, as its flags say; a second call changes nothing. Stripping
// moves the frame's start (data_off, l3_off, len), or the rest of a frame that must stay
// PKT_MIN_LEN long.
void frame_patch(struct pkt *p);

#define FRAME_SHOWN (sizeof(struct pkt) + sizeof(struct hdr) + PKT_MAX_LEN + 64)

// Gives the bytes with which a packet leaves, for a capture: renders one of ours with its payload,
// which is one of `payload` by its number, and copies and patches a foreign one. `room` has
// FRAME_SHOWN bytes and is aligned as a packet is. Returns their number.
unsigned frame_shown(
	const struct pkt *p, const struct payload *payload, uint8_t *room, const uint8_t **bytes);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// frame_to_pkt with the header where p->hdr says.
enum pkt_kind frame_to_pkt_there(struct pkt *p, uint16_t max_len);

// Reads one frame of `len` bytes (no FCS). Never reads past len. Returns f->error; a frame of an
// unknown protocol is FRAME_OK with kind PKT_OTHER. With PKT_BAD the headers before the bad one are
// set, and an IP header that is whole but says a wrong length or checksum. IP options are kept,
// IPv6 extension headers are payload of PKT_OTHER; of fragments only the first has its UDP header
// read, and is PKT_UDP. A third VLAN tag is an EtherType like any other: PKT_OTHER.
enum frame_error frame_parse(const uint8_t *bytes, size_t len, struct frame *f);

// Writes the frame: headers from `f`, `payload` of f->payload_len bytes, pad, ICRC (computed) and
// padding to `min_len` (PKT_MIN_LEN, or 0 for none). Lengths and the IPv4 checksum are computed.
// The UDP length of PKT_UDP is f->udp.len unless that is 0, because a first fragment has the length
// of the whole datagram. A parsed frame comes back byte by byte, but for padding, which is zeros.
// Returns the length, or -EMSGSIZE if `size` is too small, -EINVAL if f is inconsistent.
int frame_render(const struct frame *f, const uint8_t *payload, uint8_t *bytes, size_t size,
	unsigned min_len);

#pragma GCC visibility pop
