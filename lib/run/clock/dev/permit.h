// SPDX-License-Identifier: BSD-3-Clause
// The capabilities that a driver needs of its process.
#pragma once

#include <stddef.h>

#pragma GCC visibility push(hidden)

// The capabilities that the device's driver needs and this process lacks, as "CAP_NET_RAW,
// CAP_BPF"; "" for none. Returns `text`.
const char *dev_not_permitted(const char *device, char *text, size_t size);

#pragma GCC visibility pop
