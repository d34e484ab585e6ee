// SPDX-License-Identifier: BSD-3-Clause
// A command to the instance, as `quench do` and `quench set` give it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "instance/instance.h"

#pragma GCC visibility push(hidden)

// Has the instance do it, and waits for its answer, which `told` gets as a line. False: it is not
// done, and the line says why.
bool top_control(struct instance *of, const char *verb, const char *text, char *told, size_t size);

#pragma GCC visibility pop
