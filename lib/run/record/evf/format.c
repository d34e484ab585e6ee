// SPDX-License-Identifier: BSD-3-Clause
// The head of a block of events.
#include "format.h"

void evf_block_put(uint8_t *p, const struct evf_block *b)
{
	p = evf_put32(p, EVF_BLOCK);
	p = evf_put32(p, b->stored);
	p = evf_put32(p, b->n);
	p = evf_put32(p, b->numbers);
	p = evf_put64(p, b->first);
	p = evf_put64(p, b->last);
	evf_put64(p, b->types);
}

bool evf_block_get(struct evf_block *b, const uint8_t *p, uint64_t at)
{
	*b = (struct evf_block){
		.at = at,
		.stored = evf_get32(p + 4),
		.n = evf_get32(p + 8),
		.numbers = evf_get32(p + 12),
		.first = evf_get64(p + 16),
		.last = evf_get64(p + 24),
		.types = evf_get64(p + 32),
	};
	return evf_get32(p) == EVF_BLOCK;
}
