// SPDX-License-Identifier: BSD-3-Clause
// Parts of the simulator's files that no scenario takes, with the reason.
#include <errno.h>
#include <string.h>

#include "int.h"

void hpcc_left(struct hpcc *h, const char *who, const char *why)
{
	if (h->n_left == h->max_left) {
		unsigned room = h->max_left ? 2 * h->max_left : 32;
		struct hpcc_left *more = arena_get(h->a, room * sizeof(*more));

		h->no_memory |= !more;
		if (!more)
			return;
		if (h->n_left)
			memcpy(more, h->left, h->n_left * sizeof(*more));
		h->left = more;
		h->max_left = room;
	}
	h->left[h->n_left++] = (struct hpcc_left){who, why};
}

int hpcc_left_lines(struct hpcc *h, struct hpcc_import *to)
{
	to->left = arena_get(h->a, (h->n_left + 1) * sizeof(*to->left));
	if (!to->left)
		return -ENOMEM;
	for (unsigned i = 0; i < h->n_left; i++) {
		const char *why = h->left[i].why, *who = h->left[i].who;
		bool told = false;

		for (unsigned k = 0; k < i && !told; k++)
			told = strcmp(h->left[k].why, why) == 0;
		for (unsigned k = i + 1; !told && k < h->n_left; k++)
			if (strcmp(h->left[k].why, why) == 0)
				who = arena_format(h->a, "%s, %s", who ? who : "", h->left[k].who);
		if (told)
			continue;
		to->left[to->n_left] = who ? arena_format(h->a, "%s: %s", who, why) : NULL;
		if (!to->left[to->n_left++])
			return -ENOMEM;
	}
	return 0;
}
