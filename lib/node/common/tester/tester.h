// SPDX-License-Identifier: BSD-3-Clause
// Room tester has the port of an instrument: the lists of frames that it sends in the steps of an
// experiment, and its entries of the frames that left and arrived.
//
// In a step a tester sends the frames of a list of items, and keeps an entry for each frame that
// leaves or arrives. It obeys no pause.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "algo/pause.h"
#include "base/rate.h"
#include "base/stat.h"
#include "base/tstamp.h"
#include "contract/contract.h"
#include "wire/pkt.h"

struct eport;

enum tester_kind {
	TESTER_DATA, // frames of a source, which the receiver knows by its number
	TESTER_MAC,  // MAC control frames
	TESTER_HOLD, // MAC control frames each `gap`, in later steps, too, until they are released
	// One frame that ends holds: PFC with XON for the classes of pfc.enable, or PAUSE of
	// time 0.
	TESTER_RELEASE,
};

#define TESTER_UNTAGGED 8 // tester_item.pcp of a frame without a VLAN tag
#define TESTER_AT_START (-1)
#define TESTER_PORTS    64
#define TESTER_ITEMS    4096 // of a list
// Addresses and opcodes of MAC control frames, as pairs, that a tester sends in a run.
#define TESTER_CONTROLS 64
// Numbers of frames count modulo this.
#define TESTER_NUMBERS (1u << 28)

// Frames of one kind, `gap` apart. Of several that are due, MAC control frames leave first, then
// frames of the item with the lowest number.
struct tester_item {
	enum tester_kind kind;
	// `at` counts from the last bit of the last frame of this item, which has a lower number
	// in the same list; TESTER_AT_START: from the step's start.
	int32_t after;
	tstamp at;      // of the first frame: its first bit leaves
	uint32_t count; // frames; 0: until the step ends. TESTER_HOLD and TESTER_RELEASE: 0
	tstamp gap;     // from first bit to first bit, as planned; 0: as the wire takes them
	uint16_t len;   // bytes without FCS, 60..PKT_MAX_LEN; of MAC control at least 60, too

	// TESTER_DATA
	uint8_t to;       // number of the tester that is to get them (struct tester_params)
	uint8_t tos;      // DSCP and ECN of the first frame; each further one has `tos_step` more
	uint8_t tos_step; // modulo 256
	uint8_t pcp;      // TESTER_UNTAGGED, or 0..7: with a tag of VLAN 0 and this priority
	uint16_t source;  // its frames have numbers from 0 on, also in later items of a step

	// The others; classes and quanta are in `pfc`. A hold is PFC or PAUSE, a release PAUSE or,
	// with any other opcode, PFC.
	uint16_t opcode; // 0x0101 PFC, 0x0001 PAUSE (its time is pfc.quanta[0]), or any other
	uint8_t dst[6];  // all 0: 01-80-C2-00-00-01
	struct pkt_pfc pfc;
};

// Kinds of frames that a tester tells apart.
enum tester_frame {
	TESTER_OURS,    // of a tester of this experiment
	TESTER_CONTROL, // MAC control: `number` is its place among the step's struct tester_control
	TESTER_OTHER,   // of somebody else
	TESTER_EARLIER, // of a tester of this experiment, in an earlier step
};

// A frame that left or arrived. Instants are the node's: of a frame that left its first bit, of a
// frame that arrived its last.
struct tester_seen {
	tstamp at;
	uint32_t number; // TESTER_OURS, TESTER_EARLIER: of its source, from 0 on
	uint16_t source;
	uint16_t len;  // bytes without FCS
	uint8_t frame; // enum tester_frame
	uint8_t tos;
	bool sent;
	uint8_t pcp; // TESTER_UNTAGGED: it has no tag
};

struct tester_control {
	uint8_t src[6], dst[6];
	uint16_t opcode;
	struct pkt_pfc pfc;
};

// A step of one tester. The driver lends it by CTL_TESTER, and reads it when the step is over. Only
// the thread that runs the node touches it in between, except for `ended`.
struct tester_step {
	const struct tester_item *item;
	unsigned n;
	uint8_t number;           // of the step, modulo 16: the same for all testers
	struct tester_seen *seen; // in the order of the node's calls
	uint32_t room, n_seen;
	struct tester_control *control;
	uint32_t control_room, n_control;
	uint64_t unseen; // frames for which there was no room
	tstamp began;    // instant from which items count; 0 before: that of the command
	// The most by which a frame with an instant of its own left late although the wire was
	// free.
	tstamp late;
	tstamp busy; // wire time of the frames that have left
	tstamp idle; // wire time without a frame, while frames of items without a gap were due
	_Atomic tstamp ended; // last bit of the last finite item; TSTAMP_NEVER: not yet
};

// Whether a tester can send a list; there are `ports` testers. 0, or -EINVAL: more than
// TESTER_ITEMS, a release without classes, a length out of range, an item after one that has no end
// or a higher number, a hold without a gap or of another opcode, or an unknown port.
int tester_check(const struct tester_item *item, unsigned n, unsigned ports);

struct tester_params {
	const char *name;
	rate_t rate; // of the port
	uint8_t mac[6];
	// Shared headers of its data frames: to tester k without a tag, and with each priority,
	// they are hdr[k * (TESTER_UNTAGGED + 1) + pcp].
	const struct hdr *hdr;
	unsigned ports; // testers of the experiment
	// Tells frames of this experiment: the upper half of pkt_gen.source. The upper four bits of
	// pkt_gen.seq are the number of the step.
	uint16_t salt;
	tstamp tolerance_ps; // of the serializer: 0 in virtual time
};

struct tester_stats {
	uint64_t rx_frames, rx_bytes; // bytes with FCS
	uint64_t tx_frames, tx_bytes;
	uint64_t pause_rx_frames, pause_tx_frames; // 802.3x
	uint64_t unseen_frames;                    // in a step without room for their entry
	uint64_t no_desc;
};

extern const struct stat_table tester_stat_table;

struct tester;

// -EINVAL: no rate, or too many ports.
int tester_init(struct tester **t, const struct tester_params *params, struct pkt_stack *stack,
	struct ev_ring *events);
void tester_fini(struct tester *t);
void tester_rx(struct tester *t, unsigned port, struct pkt **burst, unsigned n, tstamp now);
unsigned tester_tx(struct tester *t, unsigned port, struct pkt **burst, unsigned max, tstamp now);
tstamp tester_deadline(const struct tester *t, unsigned port);
// Like sw_urgent().
tstamp tester_urgent(const struct tester *t, unsigned port);
// CTL_TESTER: `with` is the struct tester_step that begins now, with a list that tester_check()
// takes; NULL: the step ends, its holds go on, and the driver gets back its memory. CTL_QUIESCE,
// CTL_PAUSE: data frames wait. -EINVAL: another command; -ENOSPC: more than TESTER_CONTROLS.
int tester_ctl(struct tester *t, const struct ctl *ctl, tstamp now);
struct node_touched *tester_touched(struct tester *t);
// Whether its link is up.
bool tester_is_up(const struct tester *t);
// Whether no data frame is due, now or later, or they wait.
bool tester_is_quiet(const struct tester *t);
// The classes that the peer still keeps in XOFF for this port, by frames of any kind of item.
uint8_t tester_holds(struct tester *t, tstamp now);
const struct tester_stats *tester_stats(const struct tester *t);
const struct eport *tester_eport(const struct tester *t);
const struct pause_rx *tester_pause_rx(
	const struct tester *t); // of received frames: none is obeyed
const struct pause_tx *tester_pause_tx(const struct tester *t);
// Brings pause times up to `now`.
void tester_account(struct tester *t, tstamp now);
