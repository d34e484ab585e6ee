// SPDX-License-Identifier: BSD-3-Clause
// Fields of a frame's bytes, and the checksums that cover them.
#pragma once

#include <stdbool.h>

#include "fault.h"
#include "wire/pkt.h"

#pragma GCC visibility push(hidden)

// The places of headers in a foreign packet, bytes from its start; 0: it does not have one.
struct field_place {
	unsigned ip, udp, bth;
	unsigned aeth;
	unsigned icrc; // with bth
	unsigned end;  // of the IP packet
	bool is_ipv6;
};

struct field_place field_layout(const struct pkt *p);

// Writes the field that a FAULT_REWRITE names into the bytes of a foreign packet, and mends the
// checksums that cover it by as much as it changes: right ones stay right and wrong ones stay
// wrong. Returns false, and writes nothing, if the packet does not have the field.
bool field_write(struct pkt *p, const struct fault_record *r);

#pragma GCC visibility pop
