// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that no target names, but records of their address or of all frames do.
#include "int.h"

const struct rules *seen_address(const struct fault *f, const struct pair_key *key)
{
	struct pair_key address = *key;
	const struct pair *q;

	if (!f->has_addresses)
		return NULL;
	address.qpn = PAIR_ANY_QPN;
	q = pairs_find(&f->pairs, &address);
	return q ? q->own : NULL;
}

struct pair *seen_add(struct fault *f, const struct pair_key *key, const struct rules *address)
{
	struct pair *q;

	if (!f->all->needs_pair && !(address && address->needs_pair))
		return NULL;
	q = pairs_add(&f->pairs, key, FAULT_PSN_SEEN);
	if (!q) {
		f->stats.unknown_pairs++;
		return NULL;
	}
	q->address = address;
	f->seen_times =
		pair_count(q, f->seen_counts, pairs_window(f->p.seen_window), f->seen_times);
	return q;
}
