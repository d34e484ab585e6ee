// SPDX-License-Identifier: BSD-3-Clause
// The network of a run, as far as its manifest describes it: how long a bit is on its way, and
// which CE a notification point answers.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/tstamp.h"

#pragma GCC visibility push(hidden)

struct wires;

// Reads `resolved` of manifest.json. A delay that is not there is 0; without a manifest (NULL) all
// are. NULL: no memory.
struct wires *wires_new(const json_t *manifest);
void wires_free(struct wires *w);

// Sum of the delays of the links on the shortest path out of a port, NODE:PEER, to the node of
// another port: no frame takes less. 0 if there is no path.
tstamp wires_way(struct wires *w, const char *port, const char *to);

// Returns the least of these times over all ports of the node of port `from`.
tstamp wires_between(struct wires *w, const char *from, const char *to);

// Whether the notification point of a port's node answers the first CE since its last CNP, and not
// the latest one.
bool wires_answers_first(const struct wires *w, const char *port);

#pragma GCC visibility pop
