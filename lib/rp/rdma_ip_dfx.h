// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP's debugging window: 64 rate events of a queue pair with rate and time, and three
// counters (standards.md 11, 6.12.5).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rp_step.h"
#include "base/tstamp.h"

#define RDMA_IP_DFX_ENTRIES  64u
#define RDMA_IP_DFX_RESERVED 4u // code that no event has; read where the window is empty

struct rdma_ip_dfx_entry {
	uint32_t us;   // since the start of the run
	uint16_t rate; // units
	uint8_t code;
};

struct rdma_ip_dfx {
	struct rdma_ip_dfx_entry entry[RDMA_IP_DFX_ENTRIES];
	uint8_t n;    // recorded since the start
	uint8_t read; // of them
	bool busy;    // recording; ends with the last entry
	uint16_t decrease, byte_increase, timer_increase;
};

// The name of an entry's code.
const char *rdma_ip_dfx_name(unsigned code); // "decrease", "bytecounter.fast_recovery", ...

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The code of an event. Bit 2: the source is the timer; low bits: 1 fast recovery, 2 hyper, 3
// additive increase; 0: decrease (standards.md 6.1 item 8). -1: it is not recorded.
int rdma_ip_dfx_code(enum rp_event e);

// rdma_ip_dfx_start() empties the window and begins to record; rdma_ip_dfx_stop() stops.
void rdma_ip_dfx_start(struct rdma_ip_dfx *d);
void rdma_ip_dfx_stop(struct rdma_ip_dfx *d);

void rdma_ip_dfx_note(struct rdma_ip_dfx *d, enum rp_event e, uint32_t rate, tstamp at);

// Reads the oldest entry that was not read yet; false: there is none. rdma_ip_dfx_pop() also
// removes it.
bool rdma_ip_dfx_peek(const struct rdma_ip_dfx *d, struct rdma_ip_dfx_entry *entry);
void rdma_ip_dfx_pop(struct rdma_ip_dfx *d);

#pragma GCC visibility pop
