// SPDX-License-Identifier: BSD-3-Clause
// Figures in Prometheus' text exposition format, 0.0.4.
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "summary/summary.h"

// Whether a figure counts what happens, so that its rate says something: frames, events and
// messages without decimals, bytes that were sent, received or dropped, and times that add up.
// Not those that can become less or tell which frame it was.
bool live_counts(const struct summary_row *row);

struct live_sample {
	const char *path;
	double value;
};

// Writes samples of figures, which summary_row() knows, each family with HELP and TYPE once. Labels
// are the object, the instance and the scenario. -ENOMEM.
int live_prometheus(FILE *f, const struct live_sample *list, unsigned n, const char *instance,
	const char *scenario);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

#define PROMETHEUS_NAME 128

// How a figure is called and told there.
struct prometheus {
	char name[PROMETHEUS_NAME]; // "quench_queue_length_bytes"
	double factor;              // of its value, to come to the base unit
	bool counter; // it only grows, until the window of figures begins; else a gauge
};

// Names have the kind, the figure without its unit, and the base unit: seconds for us, ns and ps;
// bytes_per_second for Gb/s and bit/s; ratio for percent; per_second for per_s. `_total` becomes
// `whole_run`, and a counter ends with `_total`.
void live_prometheus_of(const struct summary_row *row, struct prometheus *out);

#pragma GCC visibility pop
