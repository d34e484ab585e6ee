// SPDX-License-Identifier: BSD-3-Clause
// The manual page of the scenario's options.
#pragma once

#include <stdio.h>

#pragma GCC visibility push(hidden)

// quench-scenario(5), from the option tables.
void scenario_man(FILE *f);

#pragma GCC visibility pop
