// SPDX-License-Identifier: BSD-3-Clause
// The free descriptors of a driver: those that nobody has had yet, in a range of reserved memory.
#include "wire/pkt.h"

void pkt_stack_range(struct pkt_stack *s, void *first, uint32_t n, uint32_t stride, uint32_t kept)
{
	s->n = 0;
	s->cap = s->n_fresh = n;
	s->stride = stride;
	s->fresh = first;
	s->kept = kept;
	s->reserve = n < kept ? kept - n : 0;
}

// While enough are fresh, they are the reserve; from then on it is what they lack, so that data
// frames find one exactly while more than `kept` are free.
struct pkt *pkt_fresh(struct pkt_stack *s, uint32_t keep)
{
	uint8_t *p = s->fresh;

	if (s->n_fresh <= keep)
		return NULL;
	s->fresh += s->stride;
	s->n_fresh--;
	if (s->n_fresh < s->kept)
		s->reserve = s->kept - s->n_fresh;
	return (struct pkt *)p;
}
