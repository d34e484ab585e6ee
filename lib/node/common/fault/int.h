// SPDX-License-Identifier: BSD-3-Clause
// The inside of an injector.
#pragma once

#include "chance.h"
#include "fault.h"
#include "held.h"
#include "pair.h"
#include "rules.h"

#pragma GCC visibility push(hidden)

// A record that forges frames.
struct forge {
	uint32_t record;
	tstamp at;     // of its next frame; TSTAMP_NEVER: there is none
	uint64_t made; // frames so far
};

struct fault {
	struct fault_params p;
	struct fault_stats stats;
	struct fault_record_stats *record; // by record
	struct rules *rules;               // of each target, then those of all frames
	uint32_t n_rules;
	const struct rules *all;
	struct chance *chance; // by record
	bool *of_all;          // records of all frames of the port
	bool has_addresses;    // a target names all queue pairs of its address
	uint8_t seen_counts; // kinds that are counted for pairs that only `all` or an address names
	uint16_t *seen_times;
	struct pairs pairs;
	struct holds holds;
	struct line waits;        // frames that go on behind later ones of the port
	struct pkt *on, *on_last; // frames that go on now
	uint32_t n_on;
	uint64_t seq;        // of the frame that came last
	struct work *work;   // where bytes are changed; NULL: no record changes any
	struct forge *forge; // records that forge frames
	uint32_t n_forges;
	tstamp forges; // the earliest instant at which one does
	uint32_t *found;
};

// A frame on its way through the injector.
struct passage {
	struct pkt *pkt;
	struct pair *pair; // NULL: none is kept
	uint32_t psn;      // as it came; 0: it has none
	uint32_t qpn;
	tstamp now;
	tstamp until;  // it stays until then
	tstamp within; // with `behind`: it goes on then at the latest
	uint32_t behind;
	struct line *line;
	uint32_t hdr;   // id of its header, as it came
	uint16_t bytes; // of it, as it came
	struct facts facts;
};

// The class that the port maps a frame to.
uint8_t fault_class(const struct fault *f, const struct pkt *p);

// Carries a record out. Returns whether it could; a frame that it dropped is NULL then.
bool action_do(struct fault *f, struct passage *a, uint32_t record);

// Sends a frame or its copy on, or holds it.
void action_end(struct fault *f, const struct passage *a, struct pkt *p);

// A frame goes on, and behind it the frames that have waited for it only. `seq`: by its arrival.
void exit_go_on(struct fault *f, struct pkt *p, struct pair *pair, uint64_t seq, tstamp now);

// Frames that are due go on: held frames and forged ones.
void exit_release(struct fault *f, tstamp now);

// Tells of a record that has hit the frame.
void fault_tell(struct fault *f, const struct passage *a, uint32_t record);

// Memory of the records that forge frames. 0 or -ENOMEM.
int forge_init(struct fault *f);

// Makes the frame that is due first, and lets it go on.
void forge_next(struct fault *f);

// Goes on where the records of another injector are.
void forge_adopt(struct fault *f, const struct fault *from);

// Flips a bit of a frame, or writes a field. The frame becomes a foreign one. Returns false, and
// leaves it as it is, if it has no such bit or field, or no room for its bytes.
bool bytes_corrupt(struct fault *f, struct pkt *p, const struct fault_record *r);
bool bytes_rewrite(struct fault *f, struct pkt *p, const struct fault_record *r);

// The rules of the records that name all queue pairs of the key's address; NULL: there are none.
const struct rules *seen_address(const struct fault *f, const struct pair_key *key);

// Adds a queue pair that no target names; NULL: no record needs it, or there is no room.
struct pair *seen_add(struct fault *f, const struct pair_key *key, const struct rules *address);

#pragma GCC visibility pop
