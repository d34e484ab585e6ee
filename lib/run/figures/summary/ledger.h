// SPDX-License-Identifier: BSD-3-Clause
// The ledger of the frames that nodes discarded: how many, for which reason, and whether they are
// lost. The table of a run, its totals and its verdict read it.
#pragma once

#include "kind/kind.h"

// The frames that all switches, or all NICs, discarded for one reason.
struct ledger_row {
	bool nic; // of NICs, else of switches
	const char *reason;
	enum drop_fate fate;
	uint64_t window, whole; // in the window, and in the whole run
};

// Gives row i of the ledger; false: there are no more.
bool summary_ledger(const struct summary *s, unsigned i, struct ledger_row *row);
// Frames that the nodes of a record have lost since the run began, filtered ones left out.
uint64_t summary_lost(const struct record *r);
