// SPDX-License-Identifier: BSD-3-Clause
// The self-test of real ports: what a device reports about itself, and how it treats test frames.
#pragma once

#include <stdatomic.h>

#include "dev/dev.h"
#include "record/record.h"
#include "watch/watch.h"

// The surroundings of a port: who watches its link, and where its neighbours in memory are.
struct selftest_place {
	const struct watch *watch; // which has just looked
	unsigned number;           // of the device, there
	unsigned lcore;
	int lcore_node, pool_node; // -1: not known, or any node
};

// Looks at a device that is started and adds a line for each thing.
void selftest_check(
	const struct dev *d, const struct selftest_place *at, struct record_findings *f);
// Sends frames from every port whose `selftest` asks for it, and adds what came of them. All of
// them are started, and nobody else polls them. Frames that come meanwhile are lost. Every port
// ends with an XON. Takes some tenths of a second a port at most, or until *stop.
void selftest_probe(
	struct dev *dev, unsigned n, const atomic_bool *stop, struct record_findings *f);
