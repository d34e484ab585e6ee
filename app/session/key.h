// SPDX-License-Identifier: BSD-3-Clause
// The file with the key of the parts of a scenario.
#pragma once

#include "conf/conf.h"
#include "wire/hello_tag.h"

#pragma GCC visibility push(hidden)

// Makes the key of all bytes of a file but a line end behind them. -EINVAL or -errno with one line
// where others may read it, or where it holds nothing or too much.
int key_read(struct hello_key *key, const char *path, struct err *err);

#pragma GCC visibility pop
