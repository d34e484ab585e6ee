// SPDX-License-Identifier: BSD-3-Clause
// Registers of the RDMA IP as people name them: names mistyped, values out of range, a place's
// name.
#pragma once

#include "rp/rp.h"
#include "conf/conf.h"

// Like rdma_ip_reg_find(), with a line: -ENOENT tells the nearest name, -ENXIO that a queue pair is
// needed.
int reg_name_find(struct rdma_ip_place *place, const char *text, uint32_t qpn, struct err *err);

// Reads a whole number that the register can hold, as 512 or 0x200. -EINVAL and a line.
int reg_name_value(
	uint64_t *value, const char *text, const struct rdma_ip_place *place, struct err *err);

// Finds a register that a scenario names, and the value to write. 0, or -EINVAL with a line that
// names the place in the file.
int reg_name_write(struct rdma_ip_place *place, uint64_t *value, const struct yamldoc_node *name,
	const struct yamldoc_node *number, uint32_t qpn, struct err *err);

// The name of a place, "RATE_MEM" or "RATE_MEM.target_rate", into buf; returns buf.
char *reg_name_of(const struct rdma_ip_place *place, char *buf, size_t size);

// Returns whether a place covers a field: the place is a whole register, or exactly this field.
bool reg_name_covers(const struct rdma_ip_place *place, const struct rdma_ip_field *field);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The word or field whose name is nearest to `text`, in any case; NULL: none is near.
const char *reg_name_near(const char *text);

#pragma GCC visibility pop
