// SPDX-License-Identifier: BSD-3-Clause
// The loads of a scene in words, and its messages as a list.
#pragma once

#include <stdio.h>

#include "scene/scene.h"

#pragma GCC visibility push(hidden)

// A line for each flow that is a load: what it is likely to bring, and within which bounds.
void load_print(const struct scene *s, FILE *f);

// Prints the messages that are known before the run in the form of the HPCC simulator's flow.txt.
// Returns the exit status.
int load_dump(const struct scene *s, FILE *f);

#pragma GCC visibility pop
