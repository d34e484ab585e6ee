// SPDX-License-Identifier: BSD-3-Clause
// Network interfaces and PCI functions of this machine that a port could be.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "out/out.h"

#pragma GCC visibility push(hidden)

// A line for each, with what to write as `device`; or an array of objects.
void ifaces_print(const char *sys, FILE *f);
void ifaces_put(const char *sys, struct jw *w, const char *key);
// Writes the text for `device` for interface `name` of this network namespace; an interface of the
// kernel becomes AF_PACKET's device `number`. False: there is no such interface.
bool ifaces_device(const char *sys, const char *name, unsigned number, char *device, size_t size);

#pragma GCC visibility pop
