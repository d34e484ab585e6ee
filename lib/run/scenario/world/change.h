// SPDX-License-Identifier: BSD-3-Clause
// A change of a net that runs: an order to each node whose values differ between two scenes.
#pragma once

#include "net.h"

struct net_order {
	uint16_t node;
	struct ctl ctl; // CTL_ADOPT; all shards of a cut switch get the same
};

struct net_change {
	const struct net *net;
	unsigned n;
	struct net_order order[];
};

// Compiles the orders that bring the nodes from the values of one scene to those of another, which
// was compiled from it (compile_change); in any thread. `number`: of the change, for its events.
// Each order is executed once, and the change lasts until all have been. -EINVAL with a line where
// nodes cannot change so; -ENOMEM.
int net_change_new(struct net_change **out, const struct net *net, const struct scene *from,
	const struct scene *to, uint32_t number, struct err *err);
void net_change_free(struct net_change *c);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// change_nic.c: what NICs adopt, by node; NULL: nothing.
struct change_nics {
	const struct net *net;
	struct nic_adopt **list; // [net->n_nodes]
};

// Makes the lists, which the caller frees, on error too.
int change_nics(
	struct change_nics *c, const struct scene *from, const struct scene *to, struct err *err);

// Changes of the scene's events `set`; net_free gives them back.
int net_changes_make(struct net *net, struct err *err);

#pragma GCC visibility pop
