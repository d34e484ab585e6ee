// SPDX-License-Identifier: BSD-3-Clause
// Frames of a queue pair from a template: the common bytes are copied, the differing fields are
// written over them, and the ICRC is the sum of the parts' shares.
//
// A frame has two sources. The template belongs to its header: addresses, tags, ports, destination
// QPN. The shape belongs to its form: opcode, lengths, flags, the fields of a RETH, and a payload
// that is always the same. PSN, AckReq, AETH and the ToS are the frame's own. Any template and
// shape fit together if their IP version is the same.
#pragma once

#include "frame/frame.h"

#define FRAME_TMPL_IP4  64 // bytes of a template, a cache line or two
#define FRAME_TMPL_IP6  128
#define FRAME_TMPL_HEAD 46 // Ethernet with tags, IPv4, UDP ports
#define FRAME_TMPL_UDP  4  // bytes of the UDP header that a template has: lengths differ

struct frame_tmpl {
	const struct hdr *hdr; // the header of the template; NULL: it is free
	uint32_t before;       // icrc_before_word of a frame with lengths, opcode and flags 0
	uint32_t qpn;          // destination
	// from 54 on it is behind an IPv6 header, below that behind an IPv4 one
	uint8_t udp_off : 7;
	uint8_t has_region : 1;        // a RETH has more than a shape knows
	uint8_t payload;               // hdr->payload
	uint8_t head[FRAME_TMPL_HEAD]; // with IPv6 longer; IPv4's checksum is a partial sum
};

_Static_assert(sizeof(struct frame_tmpl) == FRAME_TMPL_IP4, "a template is one cache line");
_Static_assert(offsetof(struct frame_tmpl, head) + 22 + IP6_LEN + FRAME_TMPL_UDP <= FRAME_TMPL_IP6,
	"with IPv6 it is two");

// The fields by which shapes differ.
struct frame_form {
	uint64_t what; // opcode, flags, lengths, IP version
	uint64_t arg;  // of a RETH
};

struct frame_shape {
	struct frame_form form;
	const struct icrc_table *word; // the share of the BTH's last word in the ICRC
	const struct icrc_table *own;  // the share of AETH or ImmDt; NULL: the frame has neither
	uint32_t icrc;                 // what it adds
	uint32_t bth;                  // the BTH's first word, in the order of the wire
	uint16_t udp_len;
	uint16_t body;   // payload and pad
	uint8_t bits;    // FECN and BECN, as the BTH has them
	uint8_t ext_len; // bytes of the extension headers
	bool has_arg;    // a RETH's DMA length, which the form has
	bool has_va;     // and the address that follows from it
	uint8_t number;  // the caller's, and so is what stands in the payload
	uint8_t fill[4];
	uint8_t own_off; // from the BTH to AETH or ImmDt; 0: there is none
	uint8_t len_off; // to the DMA length; 0: there is none
};

_Static_assert(sizeof(struct frame_shape) <= 64, "a shape is one cache line");

// Whether a packet of ours can be made from a template: RoCEv2 with a shared header that has all
// its tags still.
static inline bool frame_tmpl_fits(const struct pkt *p)
{
	return pkt_is_roce(p->kind) && p->hdr != (const struct hdr *)(p + 1) &&
	       !(p->flags & (PKT_F_FOREIGN | PKT_F_UNTAG_CN));
}

static inline bool frame_tmpl_is_v6(const struct frame_tmpl *t)
{
	return t->udp_off >= 14 + IP6_LEN;
}

// The first part of a packet's form: its IP version is 6 or 4, `payload` its header's.
static inline uint64_t frame_form_what(const struct pkt *p, bool is_v6, unsigned payload)
{
	const struct pkt_rc *rc = &p->u.rc;

	return (uint64_t)rc->opcode | (rc->bth & ~(uint64_t)BTH_ACKREQ) << 8 |
	       (uint64_t)rc->pad << 16 | (uint64_t)payload << 24 | (uint64_t)rc->payload << 32 |
	       (uint64_t)is_v6 << 48 | (uint64_t)p->kind << 56;
}

// The form of a packet that fits.
static inline struct frame_form frame_form_of(const struct pkt *p)
{
	return (struct frame_form){frame_form_what(p, p->hdr->flags & HDR_IPV6, p->hdr->payload),
		bth_ops[p->u.rc.opcode].arg_off ? p->u.rc.arg : 0};
}

// Whether a packet is of the shape's form.
static inline bool frame_shape_is_of(
	const struct frame_shape *s, const struct pkt *p, uint64_t what)
{
	return s->form.what == what && (!s->has_arg || s->form.arg == p->u.rc.arg);
}

static inline bool frame_form_equal(const struct frame_form *a, const struct frame_form *b)
{
	return a->what == b->what && a->arg == b->arg;
}

// Bytes of a frame of this shape from its start to its ICRC's end.
static inline unsigned frame_tmpl_len(const struct frame_tmpl *t, const struct frame_shape *s)
{
	return t->udp_off + s->udp_len;
}

// The bytes behind BTH and behind AETH or ImmDt up to the ICRC in a frame of this packet: a shape
// has a table for each. Returns how many there are, 1 or 2.
unsigned frame_shape_tails(const struct pkt *p, unsigned tail[2]);
// Whether a template has room for the packet's headers, which may have no second VLAN tag and no
// opcode of selective repeat. It also has room for the payload (in framing hpcc_sim perhaps not).
bool frame_tmpl_has_room(const struct pkt *p);

// Makes a template of `bytes`, a whole frame that frame_with_payload() has made of p. `t` has
// FRAME_TMPL_IP4 bytes, or FRAME_TMPL_IP6 for an IPv6 header.
void frame_tmpl_init(struct frame_tmpl *t, const struct pkt *p, const uint8_t *bytes);
// Makes a shape of the same bytes. `t`: the template of p's header; `table`: the tables for the
// tails that frame_shape_tails() gave.
void frame_shape_init(struct frame_shape *s, const struct frame_tmpl *t, const struct pkt *p,
	const uint8_t *bytes, const struct icrc_table *const table[2]);

// Writes the headers of p, its ICRC and the zeros behind that, but no payload and no pad, which the
// shape's ICRC covers. `t` is the template of p's header and QPN, `s` the shape of its form; p->len
// is at least frame_tmpl_len(). Returns the offset of the payload.
unsigned frame_from_tmpl(const struct frame_tmpl *t, const struct frame_shape *s,
	const struct pkt *p, uint8_t *bytes);
