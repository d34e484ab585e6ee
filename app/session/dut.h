// SPDX-License-Identifier: BSD-3-Clause
// A switch that is judged as a device.
#pragma once

#include "session.h"

#pragma GCC visibility push(hidden)

// Checks what is known of the device's counters before the run. False: a line says what is wrong.
bool dut_check(const struct session *s);

// Tells which criteria only the device itself could judge.
void dut_tell(const struct scene *s);

void dut_free(struct session *s);

#pragma GCC visibility pop
