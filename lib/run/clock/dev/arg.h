// SPDX-License-Identifier: BSD-3-Clause
// Words of a device string: "net_af_packet0,iface=sa".
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Reads the value of key= in a device string. False: the string has no such key.
bool dev_arg(const char *device, const char *key, char *value, size_t size);
