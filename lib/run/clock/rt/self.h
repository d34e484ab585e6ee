// SPDX-License-Identifier: BSD-3-Clause
// The self-test before a run: its devices, their lcores and the machine.
#pragma once

#include "run.h"

#pragma GCC visibility push(hidden)

// The NUMA node of the scene's PCI devices, which EAL has found; -1: there is none, or they are on
// several, which is said.
int rt_self_node(const struct rt *rt);
// Looks at everything, into rt->self. The devices are started, the clock is calibrated, and the
// workers stand still.
void rt_self_test(struct rt *rt, const struct watch *links);
// Says what is not well, a line each, and how many notes there are.
void rt_self_say(const struct rt *rt);

#pragma GCC visibility pop
