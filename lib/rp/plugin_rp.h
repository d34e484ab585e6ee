// SPDX-License-Identifier: BSD-3-Clause
// The reaction point of a plug-in: an algorithm that users bring. The owner, who knows how the
// plug-in is called, provides its verbs as functions. Their results are kept here.
#pragma once

#include <stdalign.h>
#include <stddef.h>

#include "base/rate.h"
#include "base/tstamp.h"
#include "rp_step.h"

struct plugin_rp;
struct rp_ack;

// The plug-in's functions. Each sets rate, window and deadline, and returns the event of the
// plug-in; RP_NONE: none. A function that the plug-in did not ask for is never called.
struct plugin_rp_ops {
	void (*init)(struct plugin_rp *rp); // before the run
	enum rp_event (*cnp)(struct plugin_rp *rp, tstamp now);
	enum rp_event (*ack)(struct plugin_rp *rp, const struct rp_ack *ack, tstamp now);
	enum rp_event (*nak)(struct plugin_rp *rp, tstamp now);
	enum rp_event (*sent)(struct plugin_rp *rp, uint32_t bytes, tstamp now);
	enum rp_event (*expire)(struct plugin_rp *rp, tstamp now); // leaves a later deadline
};

struct plugin_rp_cfg {
	const struct plugin_rp_ops *ops;
	const void *control; // the owner's
	size_t state_size;   // bytes of the owner's for each reaction point
	unsigned asks;       // bitmap of enum rp_asks
	bool counts;         // it asks for the bytes that are sent
	rate_t line_rate;    // bit/s, of the sender
};

struct plugin_rp {
	const struct plugin_rp_cfg *cfg;
	rate_t rate;      // bit/s
	uint64_t window;  // bytes; 0: none
	tstamp deadline;  // TSTAMP_NEVER: none
	tstamp at;        // nominal instant of the last expiry
	uint64_t clamped; // rates that were out of range, which the owner counts
	bool fell;        // the last verb lowered rate or window
	alignas(max_align_t) char state[];
};

// The rest is for rp.c only.
#pragma GCC visibility push(hidden)

// Bytes that one takes, the owner's among them.
size_t plugin_rp_size(const struct plugin_rp_cfg *cfg);

// Initialises the reaction point. `rp`: plugin_rp_size() zeroed bytes.
void plugin_rp_init(struct plugin_rp *rp, const struct plugin_rp_cfg *cfg);

// Like the verbs of rp.h. If the plug-in reports nothing, a rate or window that fell counts as a
// decrease, and one that rose as written. A window that moves with an ACK is no event.
enum rp_event plugin_rp_expire(struct plugin_rp *rp, tstamp now);
enum rp_event plugin_rp_cnp(struct plugin_rp *rp, tstamp now);
enum rp_event plugin_rp_ack(struct plugin_rp *rp, const struct rp_ack *ack, tstamp now);
enum rp_event plugin_rp_nak(struct plugin_rp *rp, tstamp now);
enum rp_event plugin_rp_sent(
	struct plugin_rp *rp, uint32_t bytes, tstamp now); // of one that counts

#pragma GCC visibility pop
