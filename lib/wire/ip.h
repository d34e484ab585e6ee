// SPDX-License-Identifier: BSD-3-Clause
// IPv4, IPv6 and UDP headers and their checksums.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ip {
	uint8_t version; // 4, 6
};

struct udp {
	uint16_t sport, dport;
};
