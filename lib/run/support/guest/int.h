// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of room guest.
#pragma once

#include "guest.h"

#pragma GCC visibility push(hidden)

enum guest_verb {
	GUEST_INIT,
	GUEST_CNP,
	GUEST_ACK,
	GUEST_NAK,
	GUEST_SENT,
	GUEST_EXPIRE,
	GUEST_DEADLINE,
	GUEST_VERBS,
};

// A compiled control: const, shared by its reaction points.
struct guest_cfg {
	const struct quench_plugin *plugin;
	const char *name;
	tstamp base_rtt;
	double param[GUEST_PARAMS];
};

enum guest_fault {
	GUEST_SOUND,
	GUEST_CRASH,     // by a signal
	GUEST_REFUSES,   // init, in the run
	GUEST_RATE,      // no number
	GUEST_WINDOW,    // no number, or negative
	GUEST_NOT_LATER, // deadline, after expire
};

// Our part of one reaction point, in front of the plug-in's own state.
struct guest_rp {
	struct quench_rp rp; // the plug-in's view
	atomic_bool *failed;
	enum guest_fault fault;
	enum guest_verb verb; // of the last call
	tstamp at;            // its instant
	const char *signal;   // that ended it
	double value;         // that was wrong
	alignas(max_align_t) char own[];
};

extern const struct plugin_rp_ops guest_ops;

#pragma GCC visibility pop
