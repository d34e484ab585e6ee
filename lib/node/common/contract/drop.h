// SPDX-License-Identifier: BSD-3-Clause
// The fate of a discarded frame in the ledger of a run: lost, dropped by the watchdog, or filtered.
#pragma once

enum drop_fate {
	DROP_LOSS,
	DROP_EXEMPT,   // lost, but no breach of losslessness: the PFC watchdog dropped it
	DROP_FILTERED, // no loss: a bridge or a host discards such a frame ordinarily
	DROP_FATES,
};

// A reason to discard a frame.
struct drop_reason {
	const char *name;
	enum drop_fate fate;
};
