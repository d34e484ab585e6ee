// SPDX-License-Identifier: BSD-3-Clause
// The answers of an interface's driver to ethtool's questions (SIOCETHTOOL).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define IFACE_DRIVER 32 // bytes of a driver's name
#define IFACE_STAT   33 // the same of a driver's counter, with the 0 at its end

// The driver's own counters of an interface, as `ethtool -S` shows them.
struct iface_stats {
	unsigned n;
	char (*name)[IFACE_STAT]; // each ends with 0
	uint64_t *value;
};

// Name of the driver of an interface. False: the interface does not answer, and the name is "".
bool iface_driver(const char *interface, char driver[IFACE_DRIVER]);
// Speed in bit/s and duplex as the driver says them: veth and tun say 10 Gb/s, which means nothing,
// and others say nothing. 0: not known.
uint64_t iface_speed(const char *interface, bool *half_duplex);
#pragma GCC visibility push(hidden)
// Reads all counters of an interface's driver. Returns 0, and iface_stats_free() frees them, or
// -errno: the interface has none (-EOPNOTSUPP), is not there, or their number changes too fast.
int iface_stats_read(const char *interface, struct iface_stats *s);
void iface_stats_free(struct iface_stats *s);
#pragma GCC visibility pop
