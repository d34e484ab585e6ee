// SPDX-License-Identifier: BSD-3-Clause
// quench check --migrate: a scenario file is rewritten in place.
#pragma once

#pragma GCC visibility push(hidden)

// Gives words and figures of older versions in a scenario file their present names, and says which.
// The file is replaced at once, or stays as it was. Returns the exit status.
int migrate_file(const char *scenario);

#pragma GCC visibility pop
