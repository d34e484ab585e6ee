// SPDX-License-Identifier: BSD-3-Clause
// A frame that is sent back to its sender: addresses of Ethernet and IP, and UDP ports, change
// places. All else stays as it came, checksums too: a sum does not know the order of its words.
#pragma once

#include <stdbool.h>

#include "wire/pkt.h"

// Turns a header around, for frames in the other direction; its id stays.
void turn_hdr(struct hdr *h);

// A foreign frame (PKT_GEN or PKT_UDP), in place: its header and its bytes.
void turn_frame(struct pkt *p);

// Whether a foreign frame may be sent back: it is whole, and comes from a host that can be named:
// neither address of the sender is a group's or zero, nor is either this host's own. (RFC 1122
// 3.2.1.3; an answer to such an address would reach others, or go round for ever.)
bool turn_may(const struct pkt *p);
