// SPDX-License-Identifier: BSD-3-Clause
// The rest of a queue pair without a place: most of its counters are 0, and only the others are
// kept.
#include <string.h>

#include "int.h"

bool nic_kept_put(struct nic_kept *k, const struct nic_rest *r)
{
	uint64_t word[NIC_REST_WORDS], has = 0;
	unsigned n = 0;

	memcpy(word, r, sizeof(word));
	for (unsigned i = 0; i < NIC_REST_WORDS; i++) {
		has |= (uint64_t)(word[i] != 0) << i;
		n += word[i] != 0;
	}
	if (n > NIC_KEPT)
		return false;
	k->has = has;
	for (n = 0; has; has &= has - 1)
		k->word[n++] = word[__builtin_ctzll(has)];
	return true;
}

void nic_kept_get(const struct nic_kept *k, struct nic_rest *r)
{
	uint64_t word[NIC_REST_WORDS] = {0};
	unsigned n = 0;

	for (uint64_t has = k->has; has; has &= has - 1)
		word[__builtin_ctzll(has)] = k->word[n++];
	memcpy(r, word, sizeof(*r));
}
