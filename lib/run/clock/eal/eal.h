// SPDX-License-Identifier: BSD-3-Clause
// Starting the EAL, and cleaning up after it.
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "pool.h"
#include "visit.h"
#include "scene/scene.h"

#define EAL_LCORES "-l -c --lcores" // options by which the user gives EAL its lcores

struct eal_params {
	const char *program;
	const struct scene *scene;
	bool no_huge; // asked for, or found necessary
	uint64_t need_bytes;
	char **user; // EAL arguments of the user, behind ours
	int n_user;
	const unsigned *cpu; // allowed processors
	unsigned n_cpus;
	unsigned
		n_workers; // lcores that work, up to n_cpus; 0: as many as leave the main lcore one
	unsigned pid;
	bool no_telemetry; // there is no folder for its socket
};

// Whether the user gave EAL one of the options in `names`, which blanks part ("-l" also as
// "-l0,1").
bool eal_given(const struct eal_params *p, const char *names);
// Free hugepage memory, bytes.
uint64_t eal_hugepages(void);
// Processors this process may use, ascending; returns how many.
unsigned eal_cpus(unsigned *cpu, unsigned max);
int eal_start(const struct eal_params *params, struct err *err);
// The processors that the thread which called eal_start had before DPDK bound it to one; NULL: they
// are not known.
const cpu_set_t *eal_cpus_before(void);
void eal_stop(void);
// Call it instead of eal_stop() if an lcore does not return, because EAL would wait for it. The
// memory is not freed.
void eal_abandon(void);
// Whether DPDK can have its runtime folder, where the socket of telemetry is; its parent into dir.
bool eal_runtime(char *dir, size_t size);
// Removes the folders there of runs that were killed.
void eal_sweep(const char *parent);
// Whether `device` names a PCI function ("0000:3b:00.0", "3b:00.0,arg=..."); its full address into
// name.
bool eal_pci(const char *device, char *name, size_t size);
// eal_log_begin() collects DPDK's log and the standard error. eal_log_end() returns the line that
// says why a step failed ("": no such line), which is valid until the next step. If the step
// failed, it prints all other lines on the standard error.
void eal_log_begin(void);
const char *eal_log_end(bool failed);
