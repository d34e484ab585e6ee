// SPDX-License-Identifier: BSD-3-Clause
// Orders: commands of another thread that all lcores carry out at one instant, each at its first
// turn at or after it.
#pragma once

#include "world.h"

struct rt_order_cmd {
	uint16_t node; // of the scene; all shards of a cut switch carry it out
	struct ctl ctl;
};

// The result of a command at an lcore.
struct rt_order_result {
	tstamp at; // its turn; TSTAMP_NEVER: the command is for no node of this lcore
	int rc;    // of sw_ctl or nic_ctl
};

struct rt_order;

// An order that lcores have not seen yet. `cmd` is copied; what ctl.with names lasts until the
// order is done. A command to a host that concerns all of its lanes goes to each. NULL: no memory.
struct rt_order *rt_order_new(struct rt_world *w, const struct rt_order_cmd *cmd, unsigned n);

// Puts the order before the lcores. It is carried out at the scene time `due`, which moves to the
// earliest instant that all lcores can hear of beforehand; 0: that instant. Call it for one order
// at a time; -EBUSY: another one is not done.
int rt_order_post(struct rt_order *o, tstamp due);
// Looks how far a posted order is; does not wait. -EAGAIN: it is not done; 0: it is done;
// -ESHUTDOWN: some lcore has ended before it.
int rt_order_look(struct rt_order *o);
// Takes a posted order back, unless its instant has been announced. Returns whether it did and no
// lcore has the order any more: none carries it out, and it may be freed.
bool rt_order_cancel(struct rt_order *o);
// Posts an order and waits until it is done. -EBUSY, -ESHUTDOWN; -ETIMEDOUT: an lcore has not
// answered, and nothing was carried out; -EINPROGRESS: it has not, and still has the order, which
// is not freed: perhaps the lcore carries it out late.
int rt_order_give(struct rt_order *o, tstamp due, unsigned timeout_ms);

// The instant announced; TSTAMP_NEVER: none yet.
tstamp rt_order_due(const struct rt_order *o);
// The result of command i at node or shard k; false: there is no such shard, or it is not done.
bool rt_order_result(
	const struct rt_order *o, unsigned i, unsigned k, struct rt_order_result *result);
void rt_order_free(struct rt_order *o);

#pragma GCC visibility push(hidden)

// On the lcore: takes an order that stands before it.
void rt_order_take(struct rt_lcore *lc);
// On the lcore: carries out the order that it has taken, if its instant has come.
void rt_order_run(struct rt_lcore *lc, tstamp now);

#pragma GCC visibility pop
