// SPDX-License-Identifier: BSD-3-Clause
// Questions to a running world.
#pragma once

#include "world.h"

// Lets the lcore of q->node answer, or the lcores of its shards one after the other. Any thread may
// call it, with one question at a time. -ETIMEDOUT; -ESHUTDOWN once an lcore is done.
int rt_query_ask(struct rt_world *w, struct query *q, unsigned timeout_ms);

#pragma GCC visibility push(hidden)

// Answers the question in the lcore's box, on the lcore.
void rt_query_answer(struct rt_lcore *lc, tstamp now);

#pragma GCC visibility pop
