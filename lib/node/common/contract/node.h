// SPDX-License-Identifier: BSD-3-Clause
// The services that a driver gives every node, and the commands of the world.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"
#include "ev.h"
#include "wire/pkt.h"

#define NODE_PORTS      512 // most ports of one node
#define NODE_PORT_WORDS (NODE_PORTS / 64)

// Ports whose deadline may have changed by a call; the driver reads and clears. rx and ctl touch
// every such port; tx every one but the port it was called for, which the driver asks again anyway.
struct node_touched {
	uint64_t word[NODE_PORT_WORDS];
};

static inline void node_touch(struct node_touched *t, unsigned port)
{
	t->word[port / 64] |= 1ull << (port % 64);
}

// Commands: the scenario's events and the live control (sw_ctl, nic_ctl).
enum ctl_type {
	CTL_LINK_DOWN, // port
	CTL_LINK_UP,   // port
	// nic; id: flow; of a load a: instant from which on its messages count; 0: from now on
	CTL_FLOW_START,
	CTL_FLOW_STOP,   // nic; id: flow
	CTL_PFC_STORM,   // nic or sw; port, cls, quanta; a: instant of its end
	CTL_FDB_FLUSH,   // sw; port or PKT_NO_PORT for all
	CTL_REG,         // nic; id: address of a register of the RDMA IP, lsb, width, a: value
	CTL_WEIGHT,      // sw; port or PKT_NO_PORT for all; cls: egress queue; a: DWRR weight
	CTL_PFCWD_START, // sw; port or PKT_NO_PORT for all that have a watchdog
	CTL_PFCWD_STOP,  // the same
	// nic; with: struct ctl_mac; a: period, ps; b: frames; id: 1: they are a pulse. It
	// replaces the frames of one before that are still to come
	CTL_MAC_FRAMES,
	// nic, replay; senders begin nothing new: no message, no open-loop frame, no frame of a
	// capture. Posted messages go on to their end. a: 1: until CTL_GO_ON, 0: for good
	CTL_QUIESCE,
	CTL_GO_ON, // nic, replay; senders begin messages and frames again
	// nic, replay; a source stands still, with its messages under way, and goes on. id: as of
	// CTL_FLOW_*, or CTL_HOST
	CTL_PAUSE,
	CTL_RESUME,
	CTL_USER_MARK, // any node tells EV_USER_MARK; id: number of the text; with: the text
	CTL_STOP,      // each node: the run ends now, as its driver sees to
	CTL_IS_QUIET,  // any node; changes nothing, and its result says so: net_ctl
	CTL_ADOPT,     // with: what the node takes of a configuration that was compiled beside it
	CTL_FAULT,     // with: the injector of the port, which takes over from the one of before
	CTL_TESTER,    // tester; with: its next step (tester/tester.h); NULL: its step ends
};

// A MAC control frame made to order. It stays as it is until the run ends, as the frames on links
// refer to its header.
struct ctl_mac {
	struct hdr hdr;
	struct pkt_pfc f;
	uint16_t len; // without FCS
	uint8_t kind; // PKT_PFC, PKT_PAUSE or PKT_MACCTL
};

#define CTL_SOURCE 0x80000000u // id of CTL_FLOW_*: with this bit the number of an open-loop source
#define CTL_LOAD   0x40000000u // with this bit the number of a load
#define CTL_HOST   0x20000000u // CTL_PAUSE, CTL_RESUME: all sources of the host

struct ctl {
	enum ctl_type type;
	uint16_t port;
	uint16_t quanta;
	uint32_t id;
	uint8_t cls;
	uint64_t a, b;
	uint8_t lsb, width;
	const void *with;
};
