// SPDX-License-Identifier: BSD-3-Clause
// Memory for the distributions of a record, of which a run may have hundreds of thousands with a
// few values each: only the pages that values fall into are touched.
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "int.h"

#define SLAB       64 // distributions in it
#define SLAB_BYTES (SLAB * sizeof(struct hist))

// Gets a slab from mmap(): the kernel gives its pages, which are zero, one at a time. calloc()
// would clear most of the memory at once. With transparent huge pages for everybody, a single value
// would cost a whole huge page.
static bool add_slab(struct rec_dists *d)
{
	struct hist **slab = realloc(d->slab, (d->n_slabs + 1ul) * sizeof(struct hist *));
	void *mem;

	if (!slab)
		return false;
	d->slab = slab;
	mem = mmap(NULL, SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return false;
	(void)madvise(mem, SLAB_BYTES, MADV_NOHUGEPAGE); // a kernel without them has none to give
	d->slab[d->n_slabs++] = mem;
	d->used = 0;
	return true;
}

bool record_hist_make(struct record *r, struct hist **h)
{
	struct rec_dists *d = &r->dists_room;

	*h = NULL;
	if ((!d->n_slabs || d->used == SLAB) && !add_slab(d)) {
		record_fail(r, -ENOMEM, "no memory for a distribution");
		return false;
	}
	*h = &d->slab[d->n_slabs - 1][d->used++];
	return true;
}

void record_dists_free(struct record *r)
{
	struct rec_dists *d = &r->dists_room;

	for (unsigned i = 0; i < d->n_slabs; i++)
		(void)munmap(d->slab[i], SLAB_BYTES);
	free(d->slab);
}
