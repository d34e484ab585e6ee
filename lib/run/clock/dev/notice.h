// SPDX-License-Identifier: BSD-3-Clause
// Properties of the frames that a device receives which their sender probably did not intend.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "dev.h"

#pragma GCC visibility push(hidden)

struct dev_notice;
// NULL: no memory.
struct dev_notice *dev_notice_new(const struct dev *d);
void dev_notice_free(struct dev_notice *n);

#pragma GCC visibility pop
