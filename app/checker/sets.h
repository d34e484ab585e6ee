// SPDX-License-Identifier: BSD-3-Clause
// The ports of each switch that are alike, and the classes and maps that they have.
#pragma once

#include <stdio.h>

#include "scene/scene.h"

#pragma GCC visibility push(hidden)

// Prints the sets of each switch whose ports are not all alike: which ports have which, the classes
// that differ, or all classes (`all`), and the maps.
void sets_print(const struct scene *s, bool all, FILE *f);

#pragma GCC visibility pop
