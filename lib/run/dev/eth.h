// SPDX-License-Identifier: BSD-3-Clause
// DPDK's ethdev, whose <netinet/ip.h> has a struct ip of its own: here it bears another name than
// ours.
#pragma once

#define ip netinet_ip
#include <rte_ethdev.h>
#undef ip
