// SPDX-License-Identifier: BSD-3-Clause
// The faults of a scene in words.
#pragma once

#include <stdio.h>

#include "scene/scene.h"

#pragma GCC visibility push(hidden)

// A line for each record: its number, its port, the frames that it names, and its action. Nothing
// where there are no faults.
void faults_print(const struct scene *s, FILE *f);

#pragma GCC visibility pop
