// SPDX-License-Identifier: BSD-3-Clause
// timeseries.csv of a run's folder: values of each queue and flow for each sampling period.
#pragma once

#include <stdbool.h>

#include "base/tstamp.h"

struct saved;

enum saved_kind { SAVED_QUEUE, SAVED_RXBUF, SAVED_FLOW, SAVED_KINDS };

// Columns behind time, kind and object, in the order of the file.
enum saved_col {
	SAVED_QLEN,
	SAVED_QLEN_MEAN,
	SAVED_QLEN_MAX,
	SAVED_TX_GBPS,
	SAVED_MARKED,
	SAVED_DROPPED,
	SAVED_PAUSED_US,
	SAVED_GOODPUT_GBPS,
	SAVED_RC_GBPS,
	SAVED_RT_GBPS,
	SAVED_ALPHA,
	SAVED_CNP_RX,
	SAVED_COLS
};

struct saved_sample {
	tstamp t; // end of the period
	enum saved_kind kind;
	unsigned object;          // a number of saved_line()
	double value[SAVED_COLS]; // NAN: the object has none
};

// Like saved_events() and saved_next() for events.
bool saved_series(struct saved *s);
const struct saved_sample *saved_sample(struct saved *s);

// Names of objects of samples: "s1:r.3", "r:s1.rxbuf", a flow; numbered as they are met.
const char *saved_line(const struct saved *s, unsigned i);
