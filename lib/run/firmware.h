// SPDX-License-Identifier: BSD-3-Clause
// Firmware of a NIC: a shared object is loaded and bound to the NIC's registers.
#pragma once

#include "node/nic.h"
#include "run/err.h"

struct firmware;

struct firmware_params {
	const char *file; // path of the shared object
	const char *args;
	const char *name; // of the host
};

// Loads, calls fw_init at instant 0 and lets the NIC call the rest. -errno and a line with the path.
int firmware_load(struct firmware **fw, const struct firmware_params *params, struct nic *nic,
	struct err *err);
void firmware_free(struct firmware *fw); // before the NIC's end
