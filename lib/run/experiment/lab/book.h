// SPDX-License-Identifier: BSD-3-Clause
// The steps of a lab's testers, and memory for the frames that they see: for labs of either clock.
#pragma once

#include <stddef.h>

struct lab_step;
struct lab_sight;

struct lab_book {
	unsigned ports;
	struct tester_step step[TESTER_PORTS];
	uint32_t most; // entries that a port has address space for
	struct tester_seen *seen[TESTER_PORTS];
};

// Address space is reserved, and memory is taken as it is used. -ENOMEM.
int lab_book_init(struct lab_book *b, unsigned ports);
void lab_book_fini(struct lab_book *b);
// Makes the steps of all ports, for CTL_TESTER. `number`: of the step.
void lab_book_open(struct lab_book *b, const struct lab_step *step, unsigned number);
// The last bit of the last finite item of all ports; TSTAMP_NEVER: one goes on.
tstamp lab_book_ended(const struct lab_book *b);
// Tells what was seen, once no tester has its step any more: instants count from `began`, and
// entries are by time. The sight refers to the book until it is opened again.
void lab_book_close(struct lab_book *b, tstamp began, struct lab_sight *sight);
