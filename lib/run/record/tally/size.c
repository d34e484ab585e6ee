// SPDX-License-Identifier: BSD-3-Clause
// Messages of one size. A list of flows may have as many sizes as flows, and histograms take 25 KB
// of memory, so a size has some only once many of its messages have come.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define FEW_MOST 64 // messages of a size without histograms

static void add_to(struct hist *h[3], const struct rec_times *t)
{
	hist_add(h[0], t->fct, 1);
	hist_add(h[1], t->posted, 1);
	if (t->slowdown != REC_NO_SLOWDOWN)
		hist_add(h[2], t->slowdown, 1);
}

// Adds the messages of the list; another thread may add one meanwhile.
static void add_few(const struct rec_size *z, struct hist *h[3])
{
	const struct rec_few *f = __atomic_load_n(&z->few, __ATOMIC_ACQUIRE);

	for (; f; f = f->next)
		for (unsigned i = __atomic_load_n(&f->n, __ATOMIC_ACQUIRE); i--;)
			add_to(h, &f->of[i]);
}

static void keep_few(struct record *r, struct rec_size *z, const struct rec_times *t)
{
	struct rec_few *f = z->few;

	if (!f || f->n == REC_FEW) {
		f = calloc(1, sizeof(*f));
		if (!f) {
			record_fail(r, -ENOMEM, "no memory for the messages of a size");
			return;
		}
		f->next = z->few;
		__atomic_store_n(&z->few, f, __ATOMIC_RELEASE);
	}
	f->of[f->n] = *t;
	__atomic_store_n(&f->n, f->n + 1, __ATOMIC_RELEASE);
	z->n_few++;
}

// Makes the histograms; readers see them once they have the list's messages.
static bool make_hists(struct record *r, struct rec_size *z)
{
	struct hist *h[3] = {NULL};

	for (unsigned i = 0; i < 3; i++)
		if (!record_hist_make(r, &h[i]))
			return false;
	add_few(z, h);
	z->fct_posted = h[1];
	z->slowdown = h[2];
	__atomic_store_n(&z->fct, h[0], __ATOMIC_RELEASE);
	return true;
}

void record_size_done(struct record *r, struct rec_size *z, const struct rec_times *t)
{
	struct hist *h[3];

	if (!z->fct && z->n_few < FEW_MOST)
		keep_few(r, z, t);
	else if (z->fct || make_hists(r, z)) {
		h[0] = z->fct;
		h[1] = z->fct_posted;
		h[2] = z->slowdown;
		add_to(h, t);
	}
}

uint64_t record_size_messages(const struct rec_size *z)
{
	const struct hist *fct = __atomic_load_n(&z->fct, __ATOMIC_ACQUIRE);

	return fct ? fct->n : z->n_few;
}

void record_size_merge(const struct rec_size *z, struct hist *h[3])
{
	const struct hist *fct = __atomic_load_n(&z->fct, __ATOMIC_ACQUIRE);

	if (!fct) {
		add_few(z, h);
		return;
	}
	hist_merge(h[0], fct);
	hist_merge(h[1], z->fct_posted);
	hist_merge(h[2], z->slowdown);
}

void record_sizes_free(struct record *r)
{
	for (unsigned i = 0; r->size && i < r->n_sizes; i++)
		while (r->size[i].few) {
			struct rec_few *f = r->size[i].few;

			r->size[i].few = f->next;
			free(f);
		}
	free(r->size);
}
