// SPDX-License-Identifier: BSD-3-Clause
// The network of a run, as far as its manifest says it: how long a bit is on its way, and which CE
// a notification point answers.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/tstamp.h"

#pragma GCC visibility push(hidden)

struct wires;

// Reads `resolved` of manifest.json. What it does not say, or `manifest` being NULL, is a network
// without delays. NULL: no memory.
struct wires *wires_new(const json_t *manifest);
void wires_free(struct wires *w);

// Delays of the links on the shortest way out of a port, NODE:PEER, to the node of another port:
// no frame takes less. 0 where there is no way.
tstamp wires_way(struct wires *w, const char *port, const char *to);

// The same from the node of a port, by whichever of its ports is nearest.
tstamp wires_between(struct wires *w, const char *from, const char *to);

// Whether the notification point of a port's node answers the first CE since its last CNP, and not
// the latest one.
bool wires_answers_first(const struct wires *w, const char *port);

#pragma GCC visibility pop
