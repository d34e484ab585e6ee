// SPDX-License-Identifier: BSD-3-Clause
// The rows of the suites that `quench verify` is given: their files, the ports that each row wants,
// and whether there are so many.
#pragma once

#include "bench.h"
#include "session/session.h"
#include "suite/suite.h"

#pragma GCC visibility push(hidden)

struct verify_args {
	struct session s; // the first
	const char *bench, *ports, *rate, *against, *only;
	unsigned jobs; // at once in virtual time; 0: one for each processor
	bool list, resume, schema, json;
};

// The ports of ours.
struct suites_ports {
	struct scene *scene; // of the bench; NULL: there is none
	struct bench bench;
	const char *device[TESTER_PORTS]; // NULL: a port in virtual time
	unsigned n;                       // 0: any number, in virtual time
	bool real;
	uint64_t rate; // bit/s of all links; 0: as the rows say
	char *names;   // room for the names of --ports
};

#define SUITES_BENCH "probe/device" // of steps in virtual time, where none is named

// The switch of the scenarios that stands for the device: as --dut names it, or s1.
const char *suites_device(const struct verify_args *a);

// Adds the rows of a suite of config/verify, or of a folder. -EINVAL with a line: there is no such
// suite, with the nearest name.
int suites_add(struct suite_sheet *sheet, const char *suite, const char *only, struct err *err);

// Prints the suites that come with quench: ports, pauses and scene time, and the rows. Exit status.
int suites_list(void);

// Reads --bench or --ports. -errno and a line.
int suites_ports(struct suites_ports *p, const struct verify_args *a, struct err *err);
void suites_ports_free(struct suites_ports *p);

// Finds the ports, the pause and the duration of each row, and refuses the rows that want more
// ports than there are. -errno and a line about a row that cannot be read.
int suites_plan(struct suite_sheet *sheet, const struct suites_ports *p,
	const struct verify_args *a, struct err *err);

// Returns the settings of a row: of the user, of the links' rate and of the devices. The texts are
// in the arena of the sheet. -E2BIG.
int suites_settings(struct suite_sheet *sheet, const struct suite_row *r,
	const struct suites_ports *p, const struct verify_args *a, const char **set, unsigned room);

#pragma GCC visibility pop
