// SPDX-License-Identifier: BSD-3-Clause
// A run with its files, and the IPv4 frames in a receiver's capture: their TOS bytes in order of
// arrival.
#pragma once

#include <stdint.h>

#include "acc.h"

#define SNIFF_FRAMES 8192

struct sniff {
	char dir[40];
	char out[48]; // setting for scn_run
	unsigned n;
	uint8_t tos[SNIFF_FRAMES];
};

// Makes a folder; `out` goes to scn_run.
void sniff_open(struct sniff *f);

// Reads capture.pcapng. Frames beyond SNIFF_FRAMES fail the test.
void sniff_read(struct sniff *f);

// Removes the folder.
void sniff_close(struct sniff *f);

static inline bool sniff_is_ce(const struct sniff *f, unsigned i)
{
	return (f->tos[i] & 3) == 3;
}

static inline unsigned sniff_ce(const struct sniff *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; i++)
		n += sniff_is_ce(f, i);
	return n;
}
