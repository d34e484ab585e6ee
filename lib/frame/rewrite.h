// SPDX-License-Identifier: BSD-3-Clause
// Fields of a recorded frame that are to have other values, with the checksums that cover them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum rewrite_field {
	REWRITE_MAC, // either address
	REWRITE_SRC_MAC,
	REWRITE_DST_MAC,
	REWRITE_IP, // either address
	REWRITE_SRC_IP,
	REWRITE_DST_IP,
	REWRITE_VLAN,    // VLAN ID of the outer tag, of 802.1Q or 802.1ad
	REWRITE_DSCP,    // of IPv4 and IPv6
	REWRITE_DST_QPN, // of the BTH, RoCEv2
};

#define REWRITE_UNTAGGED UINT32_MAX // a VLAN ID: there is no tag; of two the outer one goes

struct rewrite_value {
	uint8_t bytes[16]; // a MAC address, or an IP address (IPv4 in the first four)
	uint32_t number;   // of the other fields; REWRITE_UNTAGGED
};

struct rewrite_rule {
	enum rewrite_field field;
	bool any; // any value; else `from`
	bool v6;  // of the IP addresses: a rule changes addresses of one version only
	struct rewrite_value from, to;
	uint64_t hits; // times that it has changed or confirmed a field
};

// Applies rules to the frame of `len` bytes, which has room for `room`. Returns its length: an
// added tag makes it 4 bytes longer, a removed one shorter. Each rule sees the recorded value of a
// field, and the first rule that fits counts. The PCP of a tag stays. An added tag is of 802.1Q and
// has PCP 0; without room for it none is added. The IPv4 checksum, the checksums of UDP, TCP and
// ICMPv6, and the ICRC change by as much as their fields change (RFC 1624; a CRC is linear): right
// ones stay right and wrong ones stay wrong. A UDP checksum of 0 stays 0.
unsigned rewrite_frame(
	struct rewrite_rule *rule, unsigned n_rules, uint8_t *bytes, unsigned len, unsigned room);

// Writes the ICRC of a RoCEv2 frame of which the capture has only the first `had` bytes, if the
// ICRC is among the missing bytes.
void rewrite_seal(uint8_t *bytes, unsigned len, unsigned had);
