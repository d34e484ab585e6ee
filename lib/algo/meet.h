// SPDX-License-Identifier: BSD-3-Clause
// Parts of a scenario meet: each says hello on its cut links until it knows that all parts have
// heard their neighbours and run the same scenario. Then all start.
//
// A part is at level 0 until it agrees with the peer of each of its cut links, both ways. From then
// on its level is one more than the least of its peers', at most `top`. So a part at level k knows
// that all parts within k - 1 links agree with their peers, and where `top` is more than the
// longest way through the parts, one at that level knows it of all of them, whatever the graph is.
// It tells its peers when it starts, and who hears of an earlier start takes that.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "wire/hello.h"

// What may differ from a peer: a bit for each section, by its number, and these.
#define MEET_DIFFERS_SECTIONS (1u << 16) // it has another number of them
#define MEET_DIFFERS_DILATE   (1u << 17)
#define MEET_DIFFERS_START    (1u << 18)
#define MEET_DIFFERS_PORT     (1u << 19) // the cable leads to another port than the scenario says
#define MEET_DIFFERS_BEYOND   (1u << 21) // it does not start, because of another part, or of time
#define MEET_DIFFERS_TWICE    (1u << 20) // it is our own port: both run this node

#define MEET_GIVEN_UP UINT16_MAX // level of one that will not start

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
	uint16_t top;    // at least 1, and more than links on the longest way between parts
	tstamp retry;    // between two hellos on a link, at most
	tstamp deadline; // instant by which all must have agreed
	tstamp lead;     // from the instant at which a part knows that all agree to its start
	tstamp at;       // HELLO_START_AT: the instant at_ns by our clock
};

// One cut link. The caller sets what stands before the empty line, the rest zero.
struct meet_link {
	uint8_t mac[6], peer_mac[6];
	char port[HELLO_NAME], peer_port[HELLO_NAME]; // as the scenario names both ends

	uint32_t nonce; // the peer's; 0: it was not heard yet
	uint16_t level; // the peer's
	bool heard_us;
	uint32_t differs;      // bitmap of what does
	uint32_t dilate;       // the peer's
	char said[HELLO_NAME]; // the port that the peer says it is
	tstamp say_at;
	uint32_t number; // of the next hello

	// The peer's clock: what its last hello said, when that came, and the best of all
	// exchanges, which is the one with the shortest round trip.
	uint64_t peer_sent_ns, peer_starts_ns;
	tstamp heard_at;
	unsigned samples;
	uint64_t round_trip_ns; // less the time that the peer held it
	int64_t ahead_ns;       // the peer's clock less ours
	tstamp sampled_at;
};

// How far the clock that counts from a part's start is ahead of ours, as a peer's hellos tell.
struct meet_clock {
	int64_t ahead_ns;
	uint64_t bound_ns; // how far that may be off: half the round trip
	uint64_t round_trip_ns;
	tstamp sampled_at; // since then the two clocks may have drifted apart
};

struct meet {
	struct meet_params p;
	struct meet_link *link;
	unsigned n;
	uint16_t level;
	tstamp start_at; // where all agree; else TSTAMP_NEVER
};

// `link` has n links, at least one, and stays the caller's; each is to be asked at once.
void meet_init(struct meet *m, const struct meet_params *p, struct meet_link *link, unsigned n,
	tstamp now);

// A hello came on link i. One of our own, which came back, counts for nothing.
void meet_heard(struct meet *m, unsigned i, const struct hello *h, tstamp now);

// The hello that is due on link i, if any. It is due when the time has come, when our level has
// changed, and when the peer has not heard us yet.
bool meet_say(struct meet *m, unsigned i, struct hello *h, tstamp now);

// What is known of the clock of the peer of link i. False: no hello of ours has come back, or one
// of the two does not know its start.
bool meet_clock(const struct meet *m, unsigned i, struct meet_clock *c);

enum meet_state meet_state(const struct meet *m, tstamp now);
