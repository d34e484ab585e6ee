// SPDX-License-Identifier: BSD-3-Clause
// The counters that the kernel keeps of each network interface (RTM_GETSTATS).
#pragma once

#include <linux/if_link.h>
#include <stdbool.h>

// Asks the kernel for the counters of the interface with this number. False: it does not answer.
bool iface_counters(unsigned index, struct rtnl_link_stats64 *to);
