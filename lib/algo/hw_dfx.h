// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP's debugging window: 64 rate events of a queue pair with rate and time, and three counters (standards.md 11, 6.12.5).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "algo/rp.h"
#include "base/tstamp.h"

#define HW_DFX_ENTRIES  64u
#define HW_DFX_RESERVED 4u // code that no event has; read where the window is empty

struct hw_dfx_entry {
	uint32_t us;   // since the start of the run
	uint16_t rate; // units
	uint8_t code;
};

struct hw_dfx {
	struct hw_dfx_entry entry[HW_DFX_ENTRIES];
	uint8_t n;    // recorded since the start
	uint8_t read; // of them
	bool busy;    // recording; ends with the last entry
	uint16_t decrease, byte_increase, timer_increase;
};

// Bit 2: the source is the timer; low bits: 1 fast recovery, 2 hyper, 3 additive increase; 0: decrease
// (standards.md 6.1 item 8). -1: not recorded.
int hw_dfx_code(enum rp_event e);
const char *hw_dfx_name(unsigned code); // "decrease", "bytecounter.fast_recovery", ...

// Empties the window and records from here on.
void hw_dfx_start(struct hw_dfx *d);
void hw_dfx_stop(struct hw_dfx *d);

void hw_dfx_note(struct hw_dfx *d, enum rp_event e, uint32_t rate, tstamp at);

// The oldest entry that was not read yet; false where there is none.
bool hw_dfx_peek(const struct hw_dfx *d, struct hw_dfx_entry *entry);
void hw_dfx_pop(struct hw_dfx *d);
