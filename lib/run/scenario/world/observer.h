// SPDX-License-Identifier: BSD-3-Clause
// The observers of a world's ports, and the class that a port maps a frame to.
#pragma once

#include "net.h"

#pragma GCC visibility push(hidden)

// Makes the observers of the ports that the scene names; net_free gives them back. -ENOMEM with a
// line.
int observers_make(struct net *net, const struct net_opts *opts, struct err *err);
void observers_free(struct net *net);

// The maps by which a port tells the class of a frame that comes. Returns whether the PCP of a
// tagged frame decides.
bool net_class_maps(const struct scene_node *n, unsigned port, uint8_t dscp_to_class[64],
	uint8_t pcp_to_class[8]);

#pragma GCC visibility pop
