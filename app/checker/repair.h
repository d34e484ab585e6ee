// SPDX-License-Identifier: BSD-3-Clause
// The selective repeat of a scene's queue pairs as a table.
#pragma once

#include <stdio.h>

#include "scene/scene.h"

#pragma GCC visibility push(hidden)

// Prints the packets in flight and the timeouts that each queue pair with recovery irn or skip came
// to: a line for all that are alike. Without such queue pairs it prints nothing.
void repair_print(const struct scene *s, FILE *f);

#pragma GCC visibility pop
