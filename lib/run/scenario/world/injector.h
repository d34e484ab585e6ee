// SPDX-License-Identifier: BSD-3-Clause
// The injectors of a world's ports, made from the faults of its scene.
#pragma once

#include "change.h"

#define NET_FAULTS_LIVE 256 // that come while a run goes on

// The faults of a run: the scene's, and behind them those that have come since. Any thread may ask.
unsigned net_n_faults(const struct net *net);
const struct scene_fault *net_fault_at(const struct net *net, unsigned i);
// How often a fault has hit; zero where another process runs its node.
struct fault_record_stats net_fault_record(const struct net *net, const struct scene_fault *f);
// Frames of all injectors together.
struct fault_stats net_fault_stats(const struct net *net);

// Compiles the orders that add the faults of `to` without a line, which come while the run goes on
// and get the next numbers. `to` lasts until net_free(). -EINVAL, -ENOSPC, -ENOMEM with a line.
int net_faults_add(struct net_change **out, struct net *net, struct scene *to, struct err *err);
// All nodes have executed these orders. Nobody else adds faults meanwhile.
void net_faults_done(struct net_change *c);

#pragma GCC visibility push(hidden)

// Makes the injectors for the QPNs and first PSNs that the scene has now; net_free gives them back.
// -EINVAL, -ENOMEM with a line.
int injectors_make(struct net *net, struct err *err);
void injectors_free(struct net *net);
// Makes them again with other QPNs, before the run. -EINVAL, -ENOMEM.
int injectors_number(struct net *net);
// Executes CTL_FAULT in the thread of the node.
int injector_adopt(struct net_node *n, const void *with);
void injector_change_free(void *with);
// Conservation of each: 0, or -EPROTO with the line.
int injectors_conserve(const struct net *net, struct err *err);

#pragma GCC visibility pop
