// SPDX-License-Identifier: BSD-3-Clause
// The inside of an observer.
#pragma once

#include <string.h>

#include "outside.h"

#define PASSED 256 // frames of a queue pair whose passing is kept, a power of two

#pragma GCC visibility push(hidden)

// An answer that has begun and not ended.
struct asking {
	bool open;
	bool longest_known;
	tstamp begin;   // the first bit of XOFF left
	tstamp x;       // and the last one
	tstamp until;   // the quanta run out, without the way to the peer
	tstamp asked;   // of the first XOFF alone
	unsigned xoffs; // refreshes among them
	tstamp xon;     // last bit of XON; TSTAMP_NEVER: none has left
	uint64_t came;  // bytes on the wire
	// The longest gap between two frames of the class, and `came` at its begin.
	tstamp gap_from, gap_to;
	uint64_t gap_came;
	tstamp before; // wire time of the frame before it
};

struct row {
	struct outside_asked asked;
	struct outside_answer answer;
	// received
	tstamp xoff_at, until;
	uint8_t source[OUTSIDE_SOURCES][6];
	// sent
	uint64_t sent_frames, sent_bytes;
	// frames that came
	tstamp last, last_wire; // last bit of the newest one; TSTAMP_NEVER: none has come
	tstamp longest_wire;    // wire time of the longest
	struct asking asking;
};

enum stream_kind { STREAM_NONE, STREAM_DATA_IN, STREAM_GEN_IN, STREAM_DATA_OUT, STREAM_ACK_IN };

struct stream {
	struct outside_stream is; // addresses and number are the key
	uint8_t kind;             // enum stream_kind
	tstamp last;              // last bit of the newest frame
	uint64_t index;           // of it in its burst
	bool ce_in_burst;
	bool begun;
	uint32_t next; // number that follows the highest one so far
	// Data: the last bits of the newest frames, by PSN.
	tstamp passed[PASSED];
	tstamp nak_at; // our NAK left; 0: none is open
	uint32_t nak_psn;
	struct stream *data; // of STREAM_ACK_IN: that it acknowledges; NULL: not known
};

// One value of a key. Values of NP_KEY_QP have CE or CNPs, never both.
struct np_value {
	bool used, ipv6;
	uint8_t key; // enum np_key
	uint8_t ours[16], theirs[16];
	uint32_t qpn;
	struct np_due greedy, window;
	uint64_t ce, cnps;
	tstamp last;  // CNP; TSTAMP_NEVER: none
	tstamp asked; // CE that asked for a CNP that has not come; TSTAMP_NEVER: none
};

struct np_view {
	uint64_t close_gaps;
	struct hist gap, delay;
};

struct outside {
	struct outside_params p;
	byte_ps ps;
	tstamp quantum, slack;
	tstamp free_at; // the port's last frame has left
	struct outside_totals totals;
	struct outside_repair repair;
	struct row row[OUTSIDE_ROWS];
	struct np_view np[OUTSIDE_NP_KEYS];
	struct stream *newest;
	unsigned n_streams, n_values;
	struct stream stream[OUTSIDE_STREAMS];
	uint16_t shown[OUTSIDE_STREAMS]; // numbers of streams that came, in their order
	unsigned n_shown;
	uint16_t stream_at[2 * OUTSIDE_STREAMS]; // number plus one, by hash; 0: free
	struct np_value value[OUTSIDE_KEYS];
};

static inline tstamp outside_wire(const struct outside *o, const struct pkt *p)
{
	return rate_time(o->ps, p->len + o->p.wire_extra);
}

// The addresses of a frame, 16 bytes each with zeros behind an IPv4 address.
struct ends {
	bool ipv6;
	uint8_t saddr[16], daddr[16];
};

// Reads them from the header, or from the bytes of a frame whose header has been forgotten. False:
// it has neither.
static inline bool outside_ends(struct ends *e, const struct pkt *p)
{
	const uint8_t *ip = (const uint8_t *)p + p->data_off + p->l3_off, *from, *to;
	unsigned n;

	*e = (struct ends){.ipv6 = false};
	if (!p->hdr && !(p->data_off && p->l3_off))
		return false;
	e->ipv6 = p->hdr ? (p->hdr->flags & HDR_IP) == HDR_IPV6 : *ip >> 4 == 6;
	n = e->ipv6 ? 16 : 4;
	from = p->hdr ? p->hdr->saddr : ip + (e->ipv6 ? 8 : 12);
	to = p->hdr ? p->hdr->daddr : from + n;
	memcpy(e->saddr, from, n);
	memcpy(e->daddr, to, n);
	return true;
}

// FNV-1a over both addresses, a number and a kind.
uint32_t outside_hash(const uint8_t a[16], const uint8_t b[16], uint32_t number, unsigned kind);

// asked.c: PFC and PAUSE that came, frames of ours that leave
void asked_pfc(struct outside *o, const struct pkt *p, tstamp now);
void asked_own(struct outside *o, const struct pkt *p, tstamp now);

// answer.c: PFC and PAUSE that leave, frames that came
void answer_pfc(struct outside *o, const struct pkt *p, tstamp begin, tstamp end);
void answer_frame(struct outside *o, const struct pkt *p, unsigned cls, tstamp now);

// cnp.c: CE that left (last bit), CNPs that came
void cnp_ce(struct outside *o, const struct pkt *p, tstamp now);
void cnp_came(struct outside *o, const struct pkt *p, tstamp now);

// stream.c
// The stream of a frame, which is made if there is room. NULL: there is none.
struct stream *stream_of(struct outside *o, const struct pkt *p, enum stream_kind kind);
void stream_came(struct outside *o, const struct pkt *p, tstamp now);

// repair.c: data, and acknowledgements in both directions; instants of the last bits
void repair_data_left(struct outside *o, const struct pkt *p, tstamp now);
void repair_data_came(struct outside *o, struct stream *s, const struct pkt *p, tstamp now);
void repair_ack_came(struct outside *o, const struct pkt *p, tstamp now);
void repair_ack_left(struct outside *o, const struct pkt *p, tstamp now);

#pragma GCC visibility pop
