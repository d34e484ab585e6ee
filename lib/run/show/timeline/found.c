// SPDX-License-Identifier: BSD-3-Clause
// Entries about events, sorted by their numbers and walked along with them.
#include "found.h"

#include <stdlib.h>

void found_add(struct found *f, uint64_t event, enum found_what what, uint32_t id)
{
	if (f->n == f->room) {
		size_t room = f->room ? 2 * f->room : 1024;
		struct found_entry *more = realloc(f->entry, room * sizeof(*more));

		if (!more) {
			f->no_memory = true;
			return;
		}
		f->entry = more;
		f->room = room;
	}
	f->entry[f->n++] = (struct found_entry){.event = event, .what = what, .id = id};
}

static int compare_entries(const void *x, const void *y)
{
	const struct found_entry *a = x, *b = y;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

void found_sort(struct found *f)
{
	if (f->n)
		qsort(f->entry, f->n, sizeof(*f->entry), compare_entries);
	f->at = 0;
}

size_t found_of(struct found *f, uint64_t event, const struct found_entry **first)
{
	size_t n = 0;

	while (f->at < f->n && f->entry[f->at].event < event)
		f->at++;
	*first = f->entry + f->at;
	while (f->at + n < f->n && f->entry[f->at + n].event == event)
		n++;
	return n;
}

void found_fini(struct found *f)
{
	free(f->entry);
	*f = (struct found){0};
}
