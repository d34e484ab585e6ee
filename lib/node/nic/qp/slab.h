// SPDX-License-Identifier: BSD-3-Clause
// Many zeroed objects of one size, in a few pieces of memory that double in size. No object moves,
// and objects that nobody has touched cost addresses, but no memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NIC_SLAB_LARGE  (4ul << 20) // bytes of a piece of which `large` is told
#define NIC_SLAB_PIECES 28 // as many as there are, a piece having twice the objects of the last

// An empty slab is {0} but for `size` and `least`.
struct nic_slab {
	uint32_t size; // of an object, bytes
	uint32_t n;    // objects that were given
	uint32_t pieces;
	uint32_t least; // the first piece has 2^least objects
	void *piece[NIC_SLAB_PIECES];
	void (*large)(void *memory, size_t bytes); // NULL: nobody
};

void nic_slab_fini(struct nic_slab *s);
