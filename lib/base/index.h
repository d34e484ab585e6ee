// SPDX-License-Identifier: BSD-3-Clause
// An index: finds the number of an array's element by a hash of its key, without a search.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

// {0} is an empty one. It grows while it is filled, which is while a scene is made; nothing is ever
// taken out.
struct index {
	uint64_t *slot; // the hash above, the number plus one below; 0: free
	uint32_t mask, n;
};

// A hash of n bytes that goes on from another, at first from 0.
uint32_t index_hash(uint32_t from, const void *bytes, size_t n);

// Adds an element's number, below UINT32_MAX. 0, or -ENOMEM with the index as it was.
int index_add(struct index *ix, uint32_t hash, uint32_t number);

// Returns the next element with this hash, in the order of adding, or INDEX_NONE. The caller checks
// whether it is the right one. Set *at to the hash before the first call and leave it alone
// afterwards.
uint32_t index_next(const struct index *ix, uint32_t hash, uint32_t *at);

void index_fini(struct index *ix);
