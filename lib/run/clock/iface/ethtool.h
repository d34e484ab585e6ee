// SPDX-License-Identifier: BSD-3-Clause
// The answers of an interface's driver to ethtool's questions (SIOCETHTOOL).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define IFACE_DRIVER 32 // bytes of a driver's name

// Name of the driver of an interface. False: the interface does not answer, and the name is "".
bool iface_driver(const char *interface, char driver[IFACE_DRIVER]);
// Speed in bit/s and duplex as the driver says them: veth and tun say 10 Gb/s, which means nothing,
// and others say nothing. 0: not known.
uint64_t iface_speed(const char *interface, bool *half_duplex);
