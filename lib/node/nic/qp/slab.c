// SPDX-License-Identifier: BSD-3-Clause
// Objects in pieces of memory that double.
#include "int.h"

#include <stdlib.h>
#include <string.h>

#define LINE 64ul

// Piece k begins with object 2^least * (2^k - 1).
static unsigned piece_of(const struct nic_slab *s, uint32_t i)
{
	return 31u - (unsigned)__builtin_clz((i >> s->least) + 1);
}

void *nic_slab_at(const struct nic_slab *s, uint32_t i)
{
	unsigned k = piece_of(s, i);
	uintptr_t first = ((uintptr_t)s->piece[k] + LINE - 1) & ~(LINE - 1);
	size_t in_piece = i - (((1ul << k) - 1) << s->least);

	return (char *)first + in_piece * s->size;
}

void *nic_slab_get(struct nic_slab *s)
{
	unsigned k = piece_of(s, s->n);

	if (k == NIC_SLAB_PIECES)
		return NULL;
	if (k == s->pieces) {
		// calloc has large pieces from the system, which need not be written to be zero.
		size_t bytes = ((size_t)1 << (k + s->least)) * s->size + LINE - 1;
		void *piece = calloc(1, bytes);

		if (!piece)
			return NULL;
		if (s->large && bytes >= NIC_SLAB_LARGE)
			s->large(piece, bytes);
		s->piece[s->pieces++] = piece;
	}
	return nic_slab_at(s, s->n++);
}

void nic_slab_unget(struct nic_slab *s)
{
	memset(nic_slab_at(s, --s->n), 0, s->size);
}

void nic_slab_fini(struct nic_slab *s)
{
	while (s->pieces)
		free(s->piece[--s->pieces]);
	s->n = 0;
}
