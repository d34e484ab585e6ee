// SPDX-License-Identifier: BSD-3-Clause
// How the machine affects the real clock: clock source, hugepages, isolation, governor, siblings.
#pragma once

#include <stdbool.h>

#include "record/record.h"

struct eal_machine {
	const char *root;    // "": the machine's own /sys; tests have one of their own
	const unsigned *cpu; // of the workers
	unsigned n_cpus;
	bool pci; // a PCI device is among the ports: it wants hugepages
};

// Looks at it and adds a line for each thing.
void eal_machine_look(const struct eal_machine *m, struct record_findings *f);
// Adds how far the scene's clock has run from CLOCK_MONOTONIC_RAW, parts per million.
void eal_machine_drift(struct record_findings *f, double ppm, double ms);
