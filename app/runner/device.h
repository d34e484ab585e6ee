// SPDX-License-Identifier: BSD-3-Clause
// A port of this machine that a command line names: an interface of the kernel or a device of DPDK.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"

#pragma GCC visibility push(hidden)

struct device {
	char text[300]; // for `device` of a port
	char name[300]; // as the user gave it
	uint64_t speed; // bit/s by the kernel; 0: it does not know
	bool is_down;   // the interface is not up, so its link has no speed
	unsigned mtu;   // longest frame with FCS; 0: not known
	char mac[24];   // of the interface; "": not known
	char ip[64];    // its first IPv4 address; "": none
	char ip6[64];   // its first IPv6 address that is not link-local; "": none
};

// Finds out about a device. It becomes AF_PACKET's device `number` if the kernel drives it. False:
// there is no such interface, and the word is not a device of DPDK.
bool device_find(struct device *d, const char *word, unsigned number);

// The speed of the link: that of `speed` if it is given, else the kernel's. -EINVAL and a line.
int device_speed(const struct device *d, const char *speed, uint64_t *rate, struct err *err);

// Reads a rate, which may leave out "bps" and have a small letter: 25G, 100m.
bool device_rate(const char *word, uint64_t *rate);

#pragma GCC visibility pop
