// SPDX-License-Identifier: BSD-3-Clause
// The soonest of a few instants: making and freeing it.
#include "run/soon.h"

#include <errno.h>
#include <stdlib.h>

int soon_init(struct soon *s, uint32_t n)
{
	if (!n)
		return -EINVAL;
	*s = (struct soon){.n = n, .min = TSTAMP_NEVER, .key = malloc(n * sizeof(*s->key))};
	if (!s->key)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		s->key[i] = TSTAMP_NEVER;
	return 0;
}

void soon_fini(struct soon *s)
{
	free(s->key);
	*s = (struct soon){0};
}
