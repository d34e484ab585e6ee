// SPDX-License-Identifier: BSD-3-Clause
// An injector takes over the state of the one that it replaces.
#include <assert.h>
#include <string.h>

#include "int.h"

// The same queue pair in `to`, which has room for all that `from` has.
static struct pair *pair_of(struct fault *to, const struct pair *from)
{
	struct pair *q = pairs_find(&to->pairs, &from->key);

	if (!q)
		q = seen_add(to, &from->key, seen_address(to, &from->key));
	assert(q);
	return q;
}

static void adopt_pairs(struct fault *to, const struct fault *from)
{
	for (uint32_t i = 0; i < from->pairs.n; i++)
		pair_adopt(pair_of(to, &from->pairs.pair[i]), &from->pairs.pair[i]);
}

static void adopt_held(struct fault *to, struct fault *from)
{
	assert(to->holds.room >= from->holds.n);
	to->holds.order = from->holds.order;
	while (from->holds.n) {
		const struct line *line = from->holds.heap[0]->line;
		struct held it = holds_take(&from->holds, from->holds.heap[0]);

		it.pair = it.pair ? pair_of(to, it.pair) : NULL;
		holds_put(&to->holds, &it,
			!line                  ? NULL
			: line == &from->waits ? &to->waits
					       : &it.pair->waits);
	}
}

void fault_adopt(struct fault *to, struct fault *from)
{
	assert(to->p.n_records >= from->p.n_records);
	to->stats = from->stats;
	to->seq = from->seq;
	memcpy(to->record, from->record, from->p.n_records * sizeof(*to->record));
	memcpy(to->chance, from->chance, from->p.n_records * sizeof(*to->chance));
	adopt_pairs(to, from);
	adopt_held(to, from);
	forge_adopt(to, from);
	to->on = from->on;
	to->on_last = from->on_last;
	to->n_on = from->n_on;
	from->on = NULL;
	from->n_on = 0;
}
