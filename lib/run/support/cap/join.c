// SPDX-License-Identifier: BSD-3-Clause
// A merge of captures: of the next frames of all files it gives the earliest.
#include "join.h"

#include <errno.h>
#include <stdlib.h>

struct joined {
	struct cap_in *in;
	struct cap_frame next;
	bool wanted; // `next` was given away
	bool ended;
};

struct cap_join {
	const char *const *path; // outlive it
	unsigned n;
	struct joined file[];
};

static int open_one(struct cap_join *j, unsigned i, struct err *err)
{
	j->file[i].wanted = true;
	j->file[i].ended = false;
	return cap_in_open(&j->file[i].in, j->path[i], err);
}

int cap_join_open(struct cap_join **out, const char *const *path, unsigned n, struct err *err)
{
	struct cap_join *j = calloc(1, sizeof(*j) + n * sizeof(j->file[0]));
	int rc = 0;

	if (!j)
		return err_set(err, -ENOMEM, "%s: no memory", path[0]);
	j->path = path;
	j->n = n;
	for (unsigned i = 0; !rc && i < n; i++)
		rc = open_one(j, i, err);
	if (rc) {
		cap_join_close(j);
		return rc;
	}
	*out = j;
	return 0;
}

int cap_join_next(struct cap_join *j, struct cap_frame *f, struct err *err)
{
	struct joined *first = NULL;

	if (j->n == 1) // a frame takes less time to read than to compare
		return cap_in_next(j->file[0].in, f, err);
	for (unsigned i = 0; i < j->n; i++) {
		struct joined *x = &j->file[i];

		if (x->wanted && !x->ended) {
			int got = cap_in_next(x->in, &x->next, err);

			if (got < 0)
				return got;
			x->ended = !got;
			x->wanted = false;
		}
		if (!x->ended && (!first || x->next.ns < first->next.ns))
			first = x;
	}
	if (!first)
		return 0;
	first->wanted = true;
	*f = first->next;
	return 1;
}

int cap_join_rewind(struct cap_join *j, struct err *err)
{
	for (unsigned i = 0; i < j->n; i++) {
		struct joined *x = &j->file[i];
		int rc = 0;

		x->wanted = true;
		x->ended = false;
		if (cap_in_rewind(x->in))
			continue;
		cap_in_close(x->in);
		x->in = NULL;
		rc = open_one(j, i, err);
		if (rc)
			return rc;
	}
	return 0;
}

void cap_join_close(struct cap_join *j)
{
	if (!j)
		return;
	for (unsigned i = 0; i < j->n; i++)
		cap_in_close(j->file[i].in);
	free(j);
}
