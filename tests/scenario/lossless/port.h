// SPDX-License-Identifier: BSD-3-Clause
// A port as PFC has it, by 802.1Qbb alone: what it may send, what it should tell. Knows nothing of
// lib/algo/pause.c.
#pragma once

#include "algo/pause.h"
#include "lossless.h"
#include "contract/contract.h"
#include "wire/pkt.h"

#define LL_LATE  2048 // most frames on their way to a slow peer
#define LL_AHEAD 4096 // changes that the model has seen before the events tell of them

struct ll_change {
	tstamp t;
	uint16_t quanta;
	uint8_t type, by; // EV_PAUSE_RX, or EV_RESUME_RX by an enum ev_resume
};

// One priority of one port.
struct ll_prio {
	tstamp until; // paused until then by the last frame in effect; 0: not
	bool paused;
	struct ll_change ahead[LL_AHEAD];
	unsigned first, n;
	bool told;                  // our last frame was an XOFF
	tstamp told_at;             // it left then
	tstamp refresh;             // no refresh comes sooner
	tstamp began;               // of the running pause
	struct pause_stats in, out; // as the record should count them; out: frames only
};

struct ll_late {
	tstamp at;
	uint8_t enable;
	uint16_t quanta[PKT_CLASSES];
};

struct ll_port {
	struct ll_prio prio[PKT_CLASSES];
	tstamp busy; // a frame is on the wire until then
	struct ll_late late[LL_LATE];
	unsigned first, n;
	tstamp response, quantum;
	uint8_t obey, storm; // storm: XOFF by command, whatever was told before
	uint8_t mask;        // of PFC frames: classes that they may speak of
	bool honour;         // 802.3x PAUSE
	bool pauses;         // sends PAUSE, not PFC
	byte_ps ps;
	tstamp slack;   // a refresh may be so much sooner after an XOFF that waited for the wire
	uint64_t trace; // of all its frames: FNV-1a
	const char *name;
};

// Faults go to the run under way; the first one is kept.
__attribute__((format(printf, 2, 3))) void ll_fault(enum ll_fault f, const char *fmt, ...);

// Frames that had to wait for a slow peer, and timers, up to now.
void ll_port_catch_up(struct ll_port *p, tstamp now);
// A frame was received; `pfc`: the PFC frame that is counted, NULL for PAUSE.
void ll_port_received(
	struct ll_port *p, const struct pkt_pfc *f, const struct pkt_pfc *pfc, tstamp now);
// A frame was sent to the peer; `pfc`: it counts as PFC, else as PAUSE.
void ll_port_sent(struct ll_port *p, const struct pkt_pfc *f, bool pfc, tstamp now);

// The node's pause events must be the ones that the model has foreseen, to the ps.
void ll_port_event(struct ll_port *p, const struct ev *e);
