// SPDX-License-Identifier: BSD-3-Clause
// A scene's notification points in words: what each host does with CE, and who listens.
#pragma once

#include <stdio.h>

#include "run/scene.h"

// A line for each host that queue pairs send to; nothing where there is none.
void np_print(const struct scene *s, FILE *f);
