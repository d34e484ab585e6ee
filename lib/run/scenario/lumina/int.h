// SPDX-License-Identifier: BSD-3-Clause
// The configuration on its way into a scenario; internal to the import.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "lumina.h"

// One side of the traffic.
struct lumina_side {
	bool rp, np, slow_restart;
	const char *cnp_us; // time between CNPs
	const char *nic;
};

struct lumina {
	struct lumina_import *to;
	struct err *err;
	const char *path;
	struct yamldoc_node *doc;
	const struct yamldoc_node *traffic;
	struct lumina_side requester, responder;
	const char *verb;
	uint64_t qps, messages, mtu, bytes, depth, timeout, retries;
	const char *speed; // of the ports: "100G"
};

#pragma GCC visibility push(hidden)

// read.c: the values of the file. 0, or -EINVAL with a line.
int lumina_read(struct lumina *l);
// A key of a map; where it is missing, an error that names it.
int lumina_need(struct lumina *l, const struct yamldoc_node *map, const char *key,
	const struct yamldoc_node **to);
// A whole number from `least` to `most`.
int lumina_number(struct lumina *l, const struct yamldoc_node *map, const char *key, uint64_t least,
	uint64_t most, uint64_t *to);

// event.c: writes `faults`. 0, or -EINVAL with a line.
int lumina_events(struct lumina *l, FILE *f);

#pragma GCC visibility pop
