// SPDX-License-Identifier: BSD-3-Clause
// Firmware for the NIC's own processor: a shared object of yours with these five functions.
#pragma once

#include <stdint.h>

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FW_NEVER QUENCH_NEVER

// A word or a field of it, as docs/registers.md has them.
struct fw_place {
	uint32_t address;
	uint8_t lsb, width; // 0, 64: the word
};

// The services that the firmware gets. Every call of `read`, `write` and `find` returns 0 or a
// negative errno: -ENXIO if there is no such queue pair or register, -EACCES if it cannot be
// written, -ENOENT for an unknown name, -ESHUTDOWN in fw_fini.
struct fw_host {
	void *nic;
	const char *name; // of the host
	const char *args; // of the scenario; "" where it has none
	uint32_t qps;     // queue pairs have numbers 1..qps, not all of them exist here
	int (*find)(void *nic, const char *name, uint32_t qp, struct fw_place *place);
	int (*read)(void *nic, const struct fw_place *place, uint64_t *value);
	int (*write)(void *nic, const struct fw_place *place, uint64_t value);
};

// The times are picoseconds since the start of the run, on either clock; there is no other. Nothing
// may block, and one firmware may run for many NICs at once: what it must remember belongs to the
// pointer that fw_init gives. A call that crashes ends the run: its results up to there are
// written, and the host and the call are named.

// NULL: it does not want to run, and no run starts. `host` stays valid.
void *fw_init(const struct fw_host *host, uint64_t now_ps);
// The interrupt for a CNP of a queue pair, while cnp_int_en is set.
void fw_event(void *fw, uint32_t qp, uint64_t now_ps);
// When fw_expire is to be called next; FW_NEVER: not at all. It is asked after every other call.
uint64_t fw_deadline(void *fw);
void fw_expire(void *fw, uint64_t now_ps);
void fw_fini(void *fw);

#ifdef __cplusplus
}
#endif
