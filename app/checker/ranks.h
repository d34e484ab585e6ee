// SPDX-License-Identifier: BSD-3-Clause
// The jobs of a scene in words.
#pragma once

#include <stdio.h>

#include "scene/scene.h"

#pragma GCC visibility push(hidden)

// A line for each job: what its ranks do in one iteration.
void ranks_print(const struct scene *s, FILE *f);

#pragma GCC visibility pop
