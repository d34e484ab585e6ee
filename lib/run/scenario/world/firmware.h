// SPDX-License-Identifier: BSD-3-Clause
// Firmware of a NIC: a shared object is loaded and bound to the NIC's registers.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "nic/nic.h"
#include "conf/conf.h"

struct firmware;

struct firmware_params {
	const char *file; // path of the shared object
	const char *args;
	const char *name; // of the host
	bool trusts;      // it is loaded, whoever could have written it
	// set where a call of it crashes, fw_init's among them; from the thread that runs
	// the NIC
	atomic_bool *crashed;
};

// The call in which it crashed, and the signal: "fw_event", "SIGSEGV".
struct firmware_crash {
	const char *host, *call, *signal;
	tstamp at; // the instant of that call, or of the last one that had one
};

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Loads, calls fw_init at instant 0 and lets the NIC call the rest. -errno and a line with the
// path. Firmware that crashes is not called again: to its NIC it is one that wants nothing.
int firmware_load(struct firmware **fw, const struct firmware_params *params, struct nic *nic,
	struct err *err);

// Calls fw_fini, once; registers are out of its reach by now. NULL: nothing.
void firmware_end(struct firmware *fw);
void firmware_free(struct firmware *fw); // before the NIC's end; ends it

// Returns whether firmware has crashed, and how; false also for NULL. Call it on the thread that
// runs the NIC, or after the run.
bool firmware_crash(const struct firmware *fw, struct firmware_crash *crash);

#pragma GCC visibility pop
