// SPDX-License-Identifier: BSD-3-Clause
// The links of real ports, watched: up, down, or gone with the device.
//
// DPDK calls the link of a port over a kernel's interface up whatever happens to that; so the
// kernel is asked for those. Other devices are asked by DPDK, every few ms.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dev/dev.h"

enum watch_link {
	WATCH_UP,
	WATCH_DOWN,
	WATCH_GONE, // its interface was removed: down for good
};

struct watch;

// Watches n devices that are started, and looks once. -ENOMEM: *out is NULL. Another -errno: the
// kernel tells nothing of interfaces, and links are what DPDK says.
int watch_new(struct watch **out, const struct dev *dev, unsigned n);
void watch_free(struct watch *w);
// Looks again, without waiting.
void watch_look(struct watch *w);
// A descriptor that can be read when the kernel has news of interfaces, until watch_look; -1: none.
int watch_news(const struct watch *w);

// The state of device i's link, as last seen.
enum watch_link watch_link(const struct watch *w, unsigned i);
// Says why a link is not up: "interface sa has no carrier". Returns buf.
char *watch_why(const struct watch *w, unsigned i, char *buf, size_t size);
// Returns the MTU of the interface behind the device (the least, if there are two), and its name;
// 0: not known.
uint32_t watch_mtu(const struct watch *w, unsigned i, const char **name);
// Speed of its link in bit/s and whether it is half duplex; 0: there is none, or it is not known.
uint64_t watch_speed(const struct watch *w, unsigned i, bool *half_duplex);
