// SPDX-License-Identifier: BSD-3-Clause
// The sender and receiver of a frame, as far as the captured bytes show them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Whether the sender asks or answers by this frame.
enum head_role { HEAD_UNKNOWN, HEAD_ASKS, HEAD_ANSWERS };

struct head {
	const uint8_t *dst, *src;     // MAC; NULL: the frame is shorter than its addresses
	uint16_t vid;                 // of the outer tag; 0: none
	const uint8_t *saddr, *daddr; // IP, of ARP too; NULL: neither
	bool v6;
	bool has_ports; // TCP or UDP, and not a later fragment
	uint16_t sport, dport;
	enum head_role role;
};

void head_read(struct head *h, const uint8_t *bytes, unsigned len);

// Returns whether a MAC address belongs to one station, not to a group.
static inline bool head_is_station(const uint8_t mac[6])
{
	return !(mac[0] & 1);
}
// Returns whether an IP address belongs to one host: it is not zero, a group's or the broadcast.
bool head_is_host(const uint8_t *addr, bool v6);

#pragma GCC visibility pop
