// SPDX-License-Identifier: BSD-3-Clause
// The pause frames that the MAC of an interface counts, by the names that drivers of the kernel
// give their counters (ETHTOOL_GSTATS).
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

#pragma GCC visibility push(hidden)
// Adds a counter of a driver, if it is one of pause frames. False: it is none. Feed it all counters
// of one interface in any order, and then call iface_mac_end().
bool iface_mac_add(struct record_mac *mac, const char *name, uint64_t value);
void iface_mac_end(struct record_mac *mac);
#pragma GCC visibility pop
// Reads the counters of an interface. mac->known is false if its driver counts no pause frames.
void iface_mac(const char *interface, struct record_mac *mac);
// Writes the counts of `now` less those of `from` into *to. A counter that went back counts from 0.
void iface_mac_since(
	const struct record_mac *now, const struct record_mac *from, struct record_mac *to);
// The interface of the kernel on a PCI function, "3b:00.0" with its domain. False: it has none,
// as with vfio-pci. `sys` is /sys.
bool iface_of_pci(const char *sys, const char *pci, char name[IFNAMSIZ]);
