// SPDX-License-Identifier: BSD-3-Clause
// Files of the HPCC simulator as a scenario; internal to the command `import`.
#pragma once

#include "hpcc/hpcc.h"

#pragma GCC visibility push(hidden)

// Imports them, writes the scenario (without `out` to standard output) and returns the exit status.
int hpcc_main(const struct hpcc_files *files, bool force);

#pragma GCC visibility pop
