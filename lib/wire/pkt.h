// SPDX-License-Identifier: BSD-3-Clause
// The packet descriptor: 64 bytes that hold all the hot path touches, and the header it refers to.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/tstamp.h"

#define PKT_CLASSES 8
#define PKT_FCS     4  // queues, thresholds and byte counters count len + PKT_FCS
#define PKT_WIRE    24 // links, serializer and pacer count len + PKT_WIRE (FCS, preamble, gap)
#define PKT_MIN_LEN 60 // shortest frame without FCS
#define PKT_MAX_LEN 16380
#define PKT_NO_PORT 0xffff

enum pkt_kind {
	PKT_OTHER,  // any Ethernet frame that no row below claims: ARP, TCP, raw ...
	PKT_UDP,    // UDP, not RoCEv2
	PKT_DATA,   // RoCEv2 RC SEND and WRITE requests
	PKT_ACK,    // RoCEv2 RC acknowledge: ACK, RNR NAK, NAK
	PKT_CNP,    // RoCEv2 CNP, opcode 0x81
	PKT_ROCE,   // any other RoCEv2 opcode: READ, atomics, UC, UD
	PKT_PFC,    // 802.1Qbb, opcode 0x0101
	PKT_PAUSE,  // 802.3x, opcode 0x0001
	PKT_MACCTL, // another MAC control opcode, or one with a wrong destination address
	PKT_CNM,    // 802.1Qau congestion notification message
	PKT_GEN,    // the open-loop source's own frame (sequence number in u.gen)
	PKT_BAD,    // malformed; u.bad says why
	PKT_KINDS,
};

// ECN codepoints, the low two bits of tos.
enum { ECN_NOT_ECT, ECN_ECT1, ECN_ECT0, ECN_CE };

// hdr.flags
enum {
	HDR_VLAN = 1 << 0, // an outer VLAN tag
	HDR_CNTAG = 1 << 1,
	HDR_IPV4 = 1 << 2,
	HDR_IPV6 = 1 << 3,
	HDR_IP = HDR_IPV4 | HDR_IPV6,
	HDR_REGION = 1 << 4, // it begins a struct hdr_region
	HDR_STAG = 1 << 5,   // with HDR_VLAN: the outer tag is of 802.1ad (0x88a8), not of 802.1Q
	HDR_INNER = 1 << 6,  // with HDR_VLAN: a tag of 802.1Q stands behind the outer one
};

#define HDR_ID_NODE UINT32_MAX // a node's own constant header: its PFC frames

// The part that all frames of one flow and direction share. Numbers are in host order, addresses in
// wire order. A node's own flows have one shared, constant header each (id from 1); a frame that
// came from outside has its own (id 0), right behind its descriptor. For a switch that forgets
// headers it may stand elsewhere, and only until the switch has taken the frame (pkt.hdr).
struct hdr {
	_Alignas(uint64_t) uint8_t dst[6];
	uint8_t src[6];
	uint16_t vlan_tci; // with HDR_VLAN, of the outer tag: it gives class and VLAN
	uint16_t ethertype;
	uint8_t saddr[16]; // IPv4 in the first four bytes
	uint8_t daddr[16];
	uint16_t sport; // with ETH_P_MAC_CONTROL, of PKT_MACCTL of ours: the opcode; 0: PFC
	uint16_t dport;
	uint8_t flags; // HDR_*
	uint8_t proto; // IP protocol
	uint8_t ttl;
	uint8_t payload; // number of a struct payload in the scene; 0: zeros
	uint16_t cntag;  // CN-TAG flow ID, with HDR_CNTAG
	// Whoever makes a frame of a header writes all of its tags. The scene's own headers have no
	// second VLAN tag. The TCI of a second tag stands in place of the IPv4 identification,
	// which is 0 then (hdr_ip_id).
	union {
		uint16_t ip_id;     // without HDR_INNER
		uint16_t inner_tci; // with HDR_INNER
	};
	uint32_t id; // index of a shared header, from 1; 0: private to one packet; HDR_ID_NODE
};

// A shared header whose requests name memory of the peer, with HDR_REGION. Without it RETHs have
// address and key 0, which our own responders do not look at.
struct hdr_region {
	struct hdr hdr;
	uint64_t va;    // address of each message at the peer
	uint32_t rkey;  // and its remote key
	uint32_t bytes; // of each message: a READ that is asked for again begins further on
};

// The identification of the IPv4 packets that are made of a header.
static inline uint16_t hdr_ip_id(const struct hdr *h)
{
	return h->flags & HDR_INNER ? 0 : h->ip_id;
}

// Bytes of a frame with these HDR_* up to the end of its EtherType, 14 to 26.
static inline unsigned hdr_eth_len(unsigned flags)
{
	return 14 + (flags & HDR_VLAN ? 4u : 0) + (flags & HDR_INNER ? 4u : 0) +
	       (flags & HDR_CNTAG ? 4u : 0);
}

// A TCI of the same VLAN with this priority; DEI is 0.
static inline uint16_t hdr_tci(uint16_t tci, unsigned pcp)
{
	return (uint16_t)(pcp << 13 | (tci & 0xfff));
}

// pkt.flags
enum {
	PKT_F_FOREIGN = 1 << 0,  // came as bytes; leaves as those bytes, patched
	PKT_F_CE = 1 << 1,       // marked here: the exit writes CE and mends the IPv4 checksum
	PKT_F_UNTAG_CN = 1 << 2, // without its CN-TAG from here on; foreign: the exit strips it
	PKT_F_RETX = 1 << 3,     // sent again by go-back-N
	PKT_F_COPY = 1 << 4,     // PFC or PAUSE for one more thread of its NIC: obeyed, not counted
	PKT_F_FIRST = 1 << 5,    // first frame of a message
	PKT_F_LAST = 1 << 6,     // last frame of a message
	PKT_F_INTACT =
		1 << 7, // foreign: the driver's buffer still says where the bytes are and how many
};

// BTH bits kept in rc.bth
enum {
	BTH_SE = 1 << 0,
	BTH_ACKREQ = 1 << 1,
	BTH_FECN = 1 << 2,
	BTH_BECN = 1 << 3,
	BTH_MIGREQ = 1 << 4
};

struct pkt_rc {
	uint8_t opcode;   // BTH opcode
	uint8_t bth;      // BTH_*
	uint8_t syndrome; // AETH, on an ACK; the high byte of immediate data
	uint8_t pad;      // 0..3
	uint32_t psn;     // 24 bits
	uint32_t qpn;     // destination QPN, 24 bits
	// AETH: MSN. Immediate data: its low 24 bits (a RETH beside them has the payload's length).
	// RETH: DMA length. A CNP of ours: ns that it waited at its NIC
	uint32_t arg;
	uint16_t payload; // bytes without pad. Of a NACK (BTH_IRN_NACK): PSN that came, less psn
	uint16_t kept;    // see PKT_KEPT
};

// The last two bytes of every descriptor are its buffer's, whatever kind of packet has it: they say
// what payload of an earlier frame still stands there (the renderer knows how,
// lib/run/clock/mbuf/tmpl.c); 0: nothing that is known. Who makes a packet leaves them as they are,
// or 0, and who writes
// bytes into its buffer makes them 0. No other part of `u` reaches that far.
#define PKT_KEPT 18

// Immediate data, of an opcode that has them.
static inline void pkt_set_imm(struct pkt_rc *rc, uint32_t imm)
{
	rc->syndrome = (uint8_t)(imm >> 24);
	rc->arg = imm & 0xffffff;
}

static inline uint32_t pkt_imm(const struct pkt_rc *rc)
{
	return (uint32_t)rc->syndrome << 24 | (rc->arg & 0xffffff);
}

struct pkt_pfc {
	uint16_t quanta[PKT_CLASSES]; // PAUSE: quanta[0]
	uint8_t enable;               // low byte of the class-enable vector
	uint8_t enable_high;          // high byte: ignored, shown
};

// The classes that a PFC frame stops.
static inline uint8_t pkt_pfc_off(const struct pkt_pfc *f)
{
	uint8_t off = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		off |= (uint8_t)((f->quanta[c] != 0) << c);
	return off & f->enable;
}

// Returns which of these classes of a PFC frame have the same pause time as the lowest of them, as
// a bitmap. At least one class must be given.
static inline uint8_t pkt_pfc_alike(const struct pkt_pfc *f, uint8_t classes)
{
	uint16_t quanta = f->quanta[__builtin_ctz(classes)];
	uint8_t alike = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		alike |= (uint8_t)((f->quanta[c] == quanta) << c);
	return alike & classes;
}

struct pkt_gen {
	uint32_t seq;      // modulo 2^32
	uint32_t source;   // number of the open-loop source, as the scenario counts them
	uint32_t stamped;  // 1: its bytes say when it left, by its sender's clock; else 0
	uint32_t stamp_ns; // foreign: that instant, modulo 2^32 ns. Of ours it is `born`
};

struct pkt_cnm {
	uint8_t cpid[8];
	int16_t qoffset; // 64-byte units
	int16_t qdelta;
	uint16_t flow_id;
	uint8_t qntzfb; // 0..63
	uint8_t priority;
};

// Who owns a descriptor: rx takes it, tx gives it up; nobody else frees.
struct pkt {
	struct pkt *next;      // the queue or link that it stands in
	const struct hdr *hdr; // a shared header, or its own; NULL: it has been forgotten
	tstamp when; // on a link: instant its last bit arrives; in a node: instant it came
	// When it left who made it; TSTAMP_NEVER: it came as bytes, and these do not say it.
	tstamp born;
	uint16_t len;      // bytes without FCS
	uint8_t kind;      // enum pkt_kind
	uint8_t flags;     // PKT_F_*
	uint8_t tos;       // DSCP << 2 | ECN, as it will leave; 0 where there is no IP
	uint8_t cls;       // traffic class 0..7, by the node that holds it
	uint16_t in_port;  // of the node that holds it; PKT_NO_PORT: made here
	uint16_t data_off; // from the descriptor to the frame's first byte; 0: no bytes
	uint8_t l3_off;    // from the first byte to the IP header; 0: none
	uint8_t pg;        // priority group, in a switch whose maps tell it apart from cls
	union {
		struct pkt_rc rc;   // PKT_DATA, PKT_ACK, PKT_CNP, PKT_ROCE
		struct pkt_pfc pfc; // PKT_PFC, PKT_PAUSE; of ours PKT_MACCTL, too
		struct pkt_gen gen;
		struct pkt_cnm cnm;
		uint32_t bad; // enum frame_error, PKT_BAD
		uint8_t byte[20];
	} u;
};

_Static_assert(sizeof(struct hdr) == 64, "a header is one cache line");
_Static_assert(sizeof(struct pkt) == 64, "a descriptor is one cache line");
_Static_assert(offsetof(struct pkt_rc, kept) == PKT_KEPT && sizeof(struct pkt_pfc) <= PKT_KEPT &&
		       sizeof(struct pkt_gen) <= PKT_KEPT && sizeof(struct pkt_cnm) <= PKT_KEPT,
	"the last two bytes are the buffer's");
_Static_assert(offsetof(struct pkt, data_off) - offsetof(struct pkt, len) == 8, "pkt_word");

// The bytes from len to in_port as one word: two packets that agree in it are alike to a switch.
static inline uint64_t pkt_word(const struct pkt *p)
{
	uint64_t w;

	memcpy(&w, &p->len, sizeof(w));
	return w;
}

static inline void pkt_word_set(struct pkt *p, uint64_t w)
{
	memcpy(&p->len, &w, sizeof(w));
}

// The bits of pkt_word that are the length.
static inline uint64_t pkt_word_len(void)
{
	const struct pkt p = {.len = 0xffff};

	return pkt_word(&p);
}

// The private header behind a descriptor. A pool gives its descriptors room for it where frames
// come as bytes or a switch makes some of its own.
static inline struct hdr *pkt_own_hdr(struct pkt *p)
{
	return (struct hdr *)(p + 1);
}

// The place where a parser writes the header of a received frame: p->hdr, which is the frame's own
// then.
static inline struct hdr *pkt_hdr_place(const struct pkt *p)
{
	return (struct hdr *)(uintptr_t)p->hdr;
}

// The id of a packet's header; 0: it is its own, or has been forgotten.
static inline uint32_t pkt_hdr_id(const struct pkt *p)
{
	return p->hdr ? p->hdr->id : 0;
}

// Returns whether a packet is IP. For a frame from outside, the descriptor says it, so the header
// need not be read.
static inline bool pkt_is_ip(const struct pkt *p)
{
	return p->flags & PKT_F_FOREIGN ? p->l3_off != 0 : (p->hdr->flags & HDR_IP) != 0;
}

// Flags that decide whether a frame leaves unchanged.
#define PKT_F_AS_CAME (PKT_F_INTACT | PKT_F_CE | PKT_F_UNTAG_CN)

// Returns whether a frame from outside leaves without any change, from the same buffer.
static inline bool pkt_is_as_came(const struct pkt *p)
{
	return (p->flags & PKT_F_AS_CAME) == PKT_F_INTACT;
}

// Returns whether a packet of this kind uses u.rc.
static inline bool pkt_is_roce(unsigned kind)
{
	return kind >= PKT_DATA && kind <= PKT_ROCE;
}

// Returns whether a RoCE packet of ours can have payload: a SEND, a WRITE or a response of a READ.
// ACKs and CNPs have none, and a READ request has 0 bytes.
static inline bool pkt_has_payload(const struct pkt *p)
{
	return p->kind == PKT_DATA || p->kind == PKT_ROCE;
}

// Returns a number by which a report of a frame is known to be of this one: its PSN, with the low
// byte of its header's id above it, or its sequence number; 0: it has neither.
static inline uint32_t pkt_number(const struct pkt *p)
{
	if (p->kind == PKT_GEN)
		return p->u.gen.seq;
	if (p->kind != PKT_DATA && p->kind != PKT_ACK && p->kind != PKT_ROCE)
		return 0;
	return p->u.rc.psn | (pkt_hdr_id(p) & 0xff) << 24;
}

// The frame's bytes, or NULL for a packet that has none.
static inline uint8_t *pkt_bytes(struct pkt *p)
{
	return p->data_off ? (uint8_t *)p + p->data_off : NULL;
}

static inline unsigned pkt_ecn(const struct pkt *p)
{
	return p->tos & 3;
}

static inline unsigned pkt_dscp(const struct pkt *p)
{
	return p->tos >> 2;
}

// Whether the frame has a CN-TAG here and now.
static inline bool pkt_has_cntag(const struct pkt *p)
{
	return p->hdr->flags & HDR_CNTAG && !(p->flags & PKT_F_UNTAG_CN);
}

// Sets CE in the descriptor; the exit patches the bytes.
static inline void pkt_mark_ce(struct pkt *p)
{
	p->tos |= ECN_CE;
	p->flags |= PKT_F_CE;
}

// Copies a packet for flooding: descriptor, bytes, and the header if that is its own. `data_off` is
// where packets of this pool have room for bytes (struct pkt_stack); `to` comes from that pool.
static inline void pkt_clone(struct pkt *to, const struct pkt *from, uint16_t data_off)
{
	*to = *from;
	to->u.rc.kept = 0;
	to->flags &= (uint8_t)~PKT_F_INTACT;
	if (from->hdr == (const struct hdr *)(from + 1)) {
		*pkt_own_hdr(to) = *from->hdr;
		to->hdr = pkt_own_hdr(to);
	}
	if (from->data_off) {
		to->data_off = data_off;
		memcpy((uint8_t *)to + data_off, (const uint8_t *)from + from->data_off, from->len);
	}
}

// Free descriptors of one driver loop: filled before, drained after a node's call. The last
// `reserve` are for control frames (PFC, CNP, ACK, CNM) only. A driver that has reserved address
// space gives the descriptors that nobody has had yet as a range: none of their memory is touched
// before it is needed.
struct pkt_stack {
	struct pkt **slot;
	uint32_t n;
	uint32_t cap;
	uint32_t reserve;
	uint16_t data_off; // where the pool's packets have room for bytes; 0: nowhere
	uint16_t room;     // bytes of that room
	// Packets with room for every frame, where these have none for long ones; else NULL.
	struct pkt_stack *longer;
	uint8_t *fresh;   // the first buffer that nobody has had yet
	uint32_t n_fresh; // how many, each `stride` bytes behind the one before
	uint32_t stride;
	// free ones of either kind that only control frames may use; 0 where none are fresh
	uint32_t kept;
};

// Makes all `n` descriptors from `first` on, `stride` bytes apart, free and fresh. The slots have
// room for n; `kept` of the descriptors are for control frames only.
void pkt_stack_range(struct pkt_stack *s, void *first, uint32_t n, uint32_t stride, uint32_t kept);

// A descriptor that nobody has had yet, while more than `keep` of them are left, or NULL.
struct pkt *pkt_fresh(struct pkt_stack *s, uint32_t keep);

// A descriptor for data, or NULL. Its fields are not cleared.
static inline struct pkt *pkt_get(struct pkt_stack *s)
{
	return s->n > s->reserve ? s->slot[--s->n] : pkt_fresh(s, s->kept);
}

// A descriptor with room for a copy of `p`, or NULL.
static inline struct pkt *pkt_get_like(struct pkt_stack *s, const struct pkt *p)
{
	return pkt_get(p->data_off && p->len > s->room && s->longer ? s->longer : s);
}

// A descriptor for a control frame, or NULL.
static inline struct pkt *pkt_get_ctl(struct pkt_stack *s)
{
	return s->n ? s->slot[--s->n] : pkt_fresh(s, 0);
}

// Gives a descriptor back. The driver keeps cap large enough for all that a call can free.
static inline void pkt_put(struct pkt_stack *s, struct pkt *p)
{
	s->slot[s->n++] = p;
}
