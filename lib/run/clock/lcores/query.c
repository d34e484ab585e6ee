// SPDX-License-Identifier: BSD-3-Clause
// A question from another thread to the lcore that runs a node: left in its box, taken at its next
// sweep.
#include <errno.h>
#include <time.h>

#include "query.h"

#define LOOK_NS 50000 // between two looks whether the answer is there

static bool is_answered(const struct query *q)
{
	return atomic_load_explicit(&q->answered, memory_order_acquire);
}

static void nap(void)
{
	const struct timespec t = {.tv_nsec = LOOK_NS};

	nanosleep(&t, NULL);
}

static int ask_lcore(struct rt_lcore *lc, struct query *q, unsigned timeout_ms)
{
	uint64_t looks = timeout_ms * 1000000ull / LOOK_NS;
	struct query *mine = q;

	atomic_store(&q->answered, false);
	atomic_store(&lc->query, q);
	while (!is_answered(q) && looks-- && !atomic_load(&lc->done))
		nap();
	if (is_answered(q))
		return 0;
	if (atomic_compare_exchange_strong(&lc->query, &mine, NULL))
		return atomic_load(&lc->done) ? -ESHUTDOWN : -ETIMEDOUT;
	while (!is_answered(q)) // the lcore has it already
		nap();
	return 0;
}

int rt_query_ask(struct rt_world *w, struct query *q, unsigned timeout_ms)
{
	unsigned shards = rt_world_node(w, q->node, 0)->shards;
	int rc = 0;

	for (unsigned k = 0; !rc && k < shards; k++) {
		q->shard = (uint16_t)k;
		rc = ask_lcore(w->lcore[rt_world_node(w, q->node, k)->lcore], q, timeout_ms);
	}
	return rc;
}

static struct rt_node *lcore_node(struct rt_lcore *lc, unsigned index)
{
	struct rt_node *n = lc->node;

	while (n->index != index)
		n++;
	return n;
}

void rt_query_answer(struct rt_lcore *lc, tstamp now)
{
	struct query *q = atomic_exchange(&lc->query, NULL);
	struct rt_node *n;

	if (!q)
		return;
	n = lcore_node(lc, q->node);
	query_answer(q, n->net, now);
	atomic_store_explicit(&q->answered, true, memory_order_release);
}
