// SPDX-License-Identifier: BSD-3-Clause
// A group: frames of a burst that share egress port and queue, and what is known of them together.
#pragma once

#include "int.h"

#include "base/hint.h"

#pragma GCC visibility push(hidden)

// Its frames are linked by `next`.
struct group {
	struct pkt *head, *tail;
	struct pkt *const *run; // where they stand in a row, if they agree in pkt_word; else NULL
	struct pkt *const *at;  // the first one in the burst, in whose order they are; NULL: none
	uint16_t out;
	uint8_t cls, pg;
	bool crossed; // another shard has received and admitted them
	// Of all frames that the group has had, also of those that have left it since:
	bool mixed;     // not all are of priority group `pg`
	uint16_t kinds; // bitmap
	uint16_t longest, shortest;
	// Of the frames that the group has now:
	uint32_t len;    // sum
	uint32_t held;   // as the buffer counts them: whole cells, where it has two sides
	uint32_t by_ecn; // frames by codepoint, 8 bits each
};

_Static_assert(SW_BURST < 256 && PKT_KINDS <= 16, "group.by_ecn, group.kinds");

static inline unsigned frames_of(const struct group *g)
{
	return g->by_ecn * 0x01010101u >> 24;
}

// Bytes of a frame as the buffer counts them, where it has two sides.
static inline uint32_t held_by(const struct sw *sw, const struct pkt *p)
{
	return sw->two_sided ? mmu_cells(&sw->pools_cfg, p->len + sw->queue_extra) : 0;
}

// Counts n frames like p, the last of which is `tail`.
INLINE void group_count(
	const struct sw *sw, struct group *g, const struct pkt *p, struct pkt *tail, unsigned n)
{
	g->tail = tail;
	g->len += n * p->len;
	g->by_ecn += n << 8 * pkt_ecn(p);
	g->longest = p->len > g->longest ? p->len : g->longest;
	g->shortest = p->len < g->shortest ? p->len : g->shortest;
	g->kinds |= (uint16_t)(1u << p->kind);
	if (UNLIKELY(!sw->mmu_alone)) {
		g->held += n * held_by(sw, p);
		g->mixed |= sw->mapped && p->pg != g->pg;
	}
}

// What the queue will hold of a group.
static inline uint32_t bytes_of(const struct sw *sw, const struct group *g)
{
	return g->len + frames_of(g) * sw->queue_extra;
}

// Where the frames of a group stand one behind the other in the burst; NULL: others are between
// them. They are found there sooner than by their links.
static inline struct pkt *const *group_row(const struct group *g)
{
	return g->at && g->at[frames_of(g) - 1] == g->tail ? g->at : NULL;
}

// group.c
// The first n frames leave the group, which has more, for one of their own. Bounds stay as they
// are.
struct group group_split(const struct sw *sw, struct group *g, unsigned n);
// How many frames of a group, the first ones, have no more than `room` bytes in the queue.
unsigned group_within(const struct sw *sw, const struct group *g, uint64_t room);
// A group's first n frames one behind the other: as they stand in the burst, where no others are
// between the group's, else in `room`.
struct pkt *const *group_first(const struct group *g, unsigned n, struct pkt *room[SW_BURST]);
// Writes a message to the shard of port `to` that has the group, which came in at `in`, but for its
// frames; their addresses come behind it (sw_msg_word).
struct sw_msg *group_message(struct sw *sw, const struct sw_port *to, const struct group *g,
	const struct sw_port *in, enum sw_msg_kind kind, tstamp now);
void group_addresses(struct pkt *const *p, unsigned n, uint64_t *word);
// The burst of a message as a group, whose n frames group_link links.
struct group group_of_message(const struct sw_msg *m);
void group_link(const struct sw *sw, struct group *g, struct pkt **burst, unsigned n);

// All frames of a group, as group_first gives them.
static inline struct pkt *const *group_frames(const struct group *g, struct pkt *room[SW_BURST])
{
	struct pkt *const *row = group_row(g);

	return LIKELY(row) ? row : group_first(g, frames_of(g), room);
}

// burst.c
// The port has received the group.
void sw_group_received(struct sw *sw, struct sw_port *in, struct group *g, tstamp now);
// Hands a group over to the shard of its ingress port, which decides about it. Its way goes along,
// if all of its frames have one.
void sw_group_hand_over(struct sw *sw, struct sw_port *in, const struct group *g, tstamp now);

#pragma GCC visibility pop
