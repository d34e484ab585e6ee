// SPDX-License-Identifier: BSD-3-Clause
// Parts of a scenario meet: each says hello on its cut links until it knows that all parts have
// heard their neighbours and run the same scenario. Then all start, and hellos go on: by them each
// part knows how far the clocks of the others are ahead of its own.
//
// A part is at level 0 until it agrees with the peer of each of its cut links, both ways. From then
// on its level is one more than the least of its peers', at most `top`. So a part at level k knows
// that all parts within k - 1 links agree with their peers, and where `top` is more than the
// longest way through the parts, one at that level knows it of all of them, whatever the graph is.
// It tells its peers when it starts, and who hears of an earlier start takes that.
//
// Strangers may say hello, too: they repeat old hellos, send ours back, or make some up. So a hello
// that contradicts ours counts only if nothing but such hellos comes for MEET_LASTS, and while
// parts run the peer lives only by hellos that are new (docs/algo/meet.md).
//
// All parts have the least of the numbers that they have drawn. A hello has the least that its
// sender knows, so that one of a part at level k has the least of all parts within k links, and at
// the start all have the same.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "wire/hello.h"

// The differences between a peer and us: a bit for each section, by its number, and these.
#define MEET_DIFFERS_SECTIONS (1u << 16) // it has another number of them
#define MEET_DIFFERS_DILATE   (1u << 17)
#define MEET_DIFFERS_START    (1u << 18)
#define MEET_DIFFERS_PORT     (1u << 19) // the cable leads to another port than the scenario says
#define MEET_DIFFERS_TWICE    (1u << 20) // it is our own port: both run this node
#define MEET_DIFFERS_BEYOND   (1u << 21) // it does not start, because of another part, or of time
#define MEET_DIFFERS_VERSION  (1u << 22) // its hellos have another layout
// Besides, of a link (hello_why.what):
#define MEET_UNHEARD (1u << 23) // nobody has answered
#define MEET_DEAF    (1u << 24) // the peer is heard, and does not hear us

#define MEET_GIVEN_UP UINT16_MAX // level of one that will not start
#define MEET_PARTS    32         // most that a part knows the clock of

// A peer refuses what contradicts it: this many hellos of one process, over this time, in which no
// hello agreed that answers ours.
#define MEET_SAID  3
#define MEET_LASTS (600 * PS_PER_MS)
// A peer that has said nothing new for this time is silent, and another process may take its place.
#define MEET_SILENCE (2 * PS_PER_S)

// Most that two clocks drift apart, each being within 50 ppm of the true second.
#define MEET_DRIFT_PPM 100

// How far another clock is ahead of ours: at least `low`, at most `high`.
struct meet_range {
	int64_t low_ns, high_ns;
};

// Instants of one exchange of hellos, in ns and in the order in which they happen. An instant of
// sending is not later than the frame left, an instant of arrival not earlier than it arrived.
struct meet_exchange {
	uint64_t sent_ns;    // by our clock
	uint64_t arrived_ns; // by the peer's
	uint64_t left_ns;    // by the peer's
	uint64_t back_ns;    // by ours
};

// The estimate of a peer's clock from exchanges. A hello that left at t0 by our clock and arrived
// at t1 by the peer's says that the peer is ahead by t1 - t0 at most, since the frame took some
// time. One that left at t2 by the peer's clock and arrived at t3 by ours says that the peer is
// ahead by t2 - t3 at least. The middle of both is the offset of RFC 5905 section 8, and half of
// their distance is half of the round trip, however the two directions share it. Each exchange cuts
// the range, so that the shortest round trip counts most; time widens it by the possible drift of
// the clocks.
struct meet_clock {
	struct meet_range range; // at `at_ns` of our clock
	uint64_t at_ns;
	uint64_t exchanges;     // 0: nothing is known
	uint64_t round_trip_ns; // the shortest, less the time that the peer held the hello
	// Exchanges that contradict what was known: a clock was set, or drifts by more than
	// MEET_DRIFT_PPM. Nothing is known from then on.
	uint64_t broken;
	// The drift is computed from two exchanges that are far apart: the first one, and the one
	// that leaves the smallest range for it.
	struct meet_range anchor;
	uint64_t anchor_ns;
	bool rate_known;
	struct meet_range rate_ppb;
};

// A part as far as it is known: the nodes that it runs, and its clock.
struct meet_part {
	uint32_t nonce;          // of its process
	uint32_t number;         // number of the hello with its start
	uint64_t starts_ns;      // by its clock; 0: it is not known
	struct meet_range ahead; // at `at_ns` of our clock
	uint64_t at_ns;
	bool broken; // the reports about its clock contradict each other
	uint8_t nodes[HELLO_NODES / 8];
};

enum meet_state {
	MEET_ASKS,
	MEET_STARTS,  // all parts agree
	MEET_REFUSES, // one differs
	MEET_LATE,    // not all have been heard within the time
};

struct meet_params {
	uint32_t nonce; // of this process, not 0
	uint32_t dilate;
	enum hello_start start;
	uint64_t at_ns;
	uint8_t sections; // 1 .. HELLO_SECTIONS
	const uint8_t (*digest)[HELLO_DIGEST];
	uint64_t numbers; // that this part has drawn; 0: none has
	uint16_t top;     // at least 1, and more than links on the longest way between parts
	tstamp retry;     // between two hellos on a link, at most
	tstamp deadline;  // instant by which all must have agreed
	tstamp lead;      // from the instant at which a part knows that all agree to its start
	tstamp at;        // HELLO_START_AT: the instant at_ns by our clock
	uint8_t nodes[HELLO_NODES / 8]; // that this part runs, as struct hello_part has them
};

// Another process than the peer, whose hello came: what an answer to it says of that hello.
struct meet_voice {
	uint32_t nonce; // 0: there is none
	uint64_t sent_ns, heard_ns;
	bool waits;    // it came after the last answer
	unsigned rank; // a waiting sender with a higher rank is answered first
};

// Hellos of one process contradict ours.
struct meet_doubt {
	uint32_t nonce;
	unsigned said;    // such hellos; 0: there is no doubt
	tstamp since, at; // the first and the last
};

// One cut link. The caller sets the members before the empty line, and zeroes the rest.
struct meet_link {
	uint8_t mac[6], peer_mac[6];
	char port[HELLO_NAME], peer_port[HELLO_NAME]; // as the scenario names both ends

	uint32_t nonce;   // the peer's; 0: it was not heard yet
	uint16_t level;   // the peer's
	tstamp level_at;  // when it was said last
	bool heard_us;    // the peer has answered us
	uint32_t newest;  // number of the peer's newest hello
	uint64_t echo_ns; // instant of our newest hello that the peer has answered
	tstamp alive_at;  // when the peer's last new hello came
	struct meet_voice other;
	bool named_other;  // by our last hello
	uint64_t stranger; // hellos that were nobody's: old ones, our own, contradicting ones

	struct meet_doubt doubt;
	uint32_t differs;      // bitmap of what does in these hellos
	uint32_t dilate;       // in these hellos
	unsigned version;      // of these hellos, where that is another
	char said[HELLO_NAME]; // the port that they say they are of
	struct hello_why why;  // the peer's reason, if it is not about our own ports
	tstamp say_at;
	uint32_t number;    // of the next hello
	uint8_t turn;       // enum hello_turn, of the next hello
	uint8_t first_part; // of the parts that the next hello tells of, besides ours

	// The peer's clock: what its last hello said, and when that came.
	uint64_t peer_sent_ns, peer_starts_ns;
	uint64_t heard_ns;
	struct meet_clock clock;
};

struct meet {
	struct meet_params p;
	struct meet_link *link;
	unsigned n;
	uint16_t level;
	bool runs;
	tstamp start_at;  // where all agree; else TSTAMP_NEVER
	uint64_t numbers; // once all agree those of all parts
	struct meet_part part[MEET_PARTS];
	unsigned n_parts;
};

// Initialises the state. `link` has n links (at least one) and stays the caller's; a hello is due
// on each link at once.
void meet_init(struct meet *m, const struct meet_params *p, struct meet_link *link, unsigned n,
	tstamp now);

// A hello came on link i, not after `now`. One of our own, which came back, counts for nothing.
void meet_heard(struct meet *m, unsigned i, const struct hello *h, tstamp now);
// A hello of another version came, from the process `nonce`.
void meet_heard_version(struct meet *m, unsigned i, unsigned version, uint32_t nonce, tstamp now);

// The hello that is due on link i, if any. It is due when the time has come, when our level has
// changed, when the peer has not heard us yet, and while parts run where the peer wants an answer.
bool meet_say(struct meet *m, unsigned i, struct hello *h, tstamp now);

enum meet_state meet_state(const struct meet *m, tstamp now);
// Returns whether contradicting hellos have come on this link for long enough to count.
bool meet_link_refuses(const struct meet_link *l, tstamp now);
// Whether anybody was heard on this link but ourselves.
static inline bool meet_link_heard(const struct meet_link *l)
{
	return l->nonce || l->other.nonce;
}

// Says why not all parts agree: a fault of one of our links, or one that a neighbour reports of
// parts behind it. False: no fault is known.
bool meet_why(const struct meet *m, struct hello_why *why);

// The nodes run, from `start_at` on, which may be later than all have agreed to. From `now` on only
// new hellos of the peers say that these live.
void meet_runs(struct meet *m, tstamp start_at, tstamp now);

// Computes how far the peer of link i is ahead of us, comparing the time since each one's start.
// False: no hello of ours has been answered, a start is not known, or the clocks contradict each
// other.
bool meet_link_ahead(const struct meet *m, unsigned i, tstamp now, struct meet_range *ahead);
// Like meet_link_ahead(), for the part that runs a node. `node`: its number in the scenario.
bool meet_node_ahead(const struct meet *m, unsigned node, tstamp now, struct meet_range *ahead);

// Computes by how much the peer's clock is faster than ours, in parts per 10^9, and the bound of
// the error. False: it is not known.
bool meet_clock_rate(const struct meet_clock *c, int64_t *ppb, uint64_t *bound_ppb);

static inline int64_t meet_range_middle(struct meet_range r)
{
	return r.low_ns + (r.high_ns - r.low_ns) / 2;
}

// How far the middle may be off.
static inline uint64_t meet_range_bound(struct meet_range r)
{
	return (uint64_t)(r.high_ns - r.low_ns + 1) / 2;
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// False: no two clocks tell such instants, and nothing changes.
bool meet_clock_take(struct meet_clock *c, const struct meet_exchange *x);
// Sets *range to how far the peer's clock is ahead at an instant of our clock. False: nothing is
// known.
bool meet_clock_at(const struct meet_clock *c, uint64_t now_ns, struct meet_range *range);

// The range `ns` later, widened by the possible drift.
struct meet_range meet_range_aged(struct meet_range r, uint64_t ns);
// The range from a to c, from the ranges a to b and b to c.
struct meet_range meet_range_joined(struct meet_range ab, struct meet_range bc);
// Cuts *r by another range of the same offset. False: they contradict, and *r stays.
bool meet_range_cut(struct meet_range *r, struct meet_range by);

// Takes over what the peer of link i reports about other parts. An exchange with it, with this
// round trip, has just ended.
void meet_part_heard(
	struct meet *m, unsigned i, const struct hello *h, uint64_t now_ns, uint64_t round_trip_ns);
// Writes what is known into a hello for link i, as of `now_ns`.
void meet_part_say(struct meet *m, unsigned i, struct hello *h, uint64_t now_ns);

#pragma GCC visibility pop
