// SPDX-License-Identifier: BSD-3-Clause
// Figures of a device that is judged from outside (scene.dut), as far as our ports or its own
// counters tell them.
#pragma once

#include "counters.h"

#pragma GCC visibility push(hidden)

// A figure is in low..high. `why` says why nothing is known of it; NULL: the range is known.
// `text`: the figure at our ports, or the counter of the device, that tells it; "": none does.
struct seen {
	double low, high;
	const char *why;
	char text[VERDICT_SEEN];
};

// False: the figure is not the device's, and `to` is not written.
bool seen_figure(const struct summary *s, struct counters *c, const char *figure, struct seen *to);

#pragma GCC visibility pop
