// SPDX-License-Identifier: BSD-3-Clause
// What the files of room cn call of each other.
#pragma once

#include "cn.h"

#pragma GCC visibility push(hidden)

// iqcn.c
void sw_iqcn_learn(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp now);

#pragma GCC visibility pop
