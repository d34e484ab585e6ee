// SPDX-License-Identifier: BSD-3-Clause
// What `quench reg` was asked, and its steps.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "args.h"
#include "algo/rdma_ip_reg.h"
#include "instance.h"

struct reg {
	const char *host, *qp, *instance; // host and qp: "" where not given; instance: NULL
	bool raw, start, stop, csv;
	struct instance to;
};

// --instance, of a command whose struct is a struct reg.
extern const struct args_option reg_instance;

// A register's answer.
struct reg_word {
	char node[64];
	uint32_t qpn;
	struct rdma_ip_place place;
	uint64_t value, clock_hz;
};

// The error on stderr. Exit status.
int reg_tell(const struct err *err);

// A number of an answer, which may be written as a string; 0 where there is none.
uint64_t reg_number(const json_t *answer, const char *key);

// Where the next page of a list begins whose page began at `from`; 0 at the end.
uint64_t reg_next(const json_t *answer, uint64_t from);

// Reads a register or field; writes it first where `value` is not NULL. 0, or what instance_ask
// returns.
int reg_ask(const struct reg *r, struct reg_word *w, struct err *err, const char *name,
	const char *value);

// The same, and prints the answer. Exit status.
int reg_show(const struct reg *r, const char *name, const char *value);

// Prints hosts with registers where an instance `runs`, and all registers. Exit status.
int reg_list(struct reg *r, bool runs);

// Begins, ends or prints the debugging window. Exit status.
int reg_dfx(const struct reg *r);
