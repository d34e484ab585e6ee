// SPDX-License-Identifier: BSD-3-Clause
// The links of real ports, watched: up, down, or gone with the device.
//
// DPDK calls the link of a port over a kernel's interface up whatever happens to that; so the
// kernel is asked for those. Other devices are asked by DPDK, every few ms.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dev_link {
	DEV_LINK_UP,
	DEV_LINK_DOWN,
	DEV_LINK_GONE, // its interface was removed: down for good
};

struct dev;
struct dev_watch;

// Watches n devices that are started, and looks once. -ENOMEM: *out is NULL. Another -errno: the
// kernel tells nothing of interfaces, and links are what DPDK says.
int dev_watch_new(struct dev_watch **out, const struct dev *dev, unsigned n);
void dev_watch_free(struct dev_watch *w);
// Looks again, without waiting.
void dev_watch_look(struct dev_watch *w);

// Of device i, as last seen:
enum dev_link dev_watch_link(const struct dev_watch *w, unsigned i);
// What a link that is not up lacks: "interface sa has no carrier". Returns buf.
char *dev_watch_why(const struct dev_watch *w, unsigned i, char *buf, size_t size);
// MTU of the interface behind it (the least, where there are two), and its name; 0: not known.
uint32_t dev_watch_mtu(const struct dev_watch *w, unsigned i, const char **name);
// Speed of its link in bit/s and whether it is half duplex; 0: there is none, or it is not known.
uint64_t dev_watch_speed(const struct dev_watch *w, unsigned i, bool *half_duplex);
