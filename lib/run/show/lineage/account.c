// SPDX-License-Identifier: BSD-3-Clause
// Accounts: times by root. An account that somebody else still reads is copied before it changes.
#include "int.h"

#include <stdlib.h>
#include <string.h>

struct account *account_get(struct account *a)
{
	if (a)
		a->refs++;
	return a;
}

void account_put(struct account *a)
{
	if (a && !--a->refs)
		free(a);
}

// Makes the account the caller's own, with room for another entry. False: no memory.
static bool make_room(struct lineage *l, struct account **account)
{
	struct account *a = *account, *own;
	uint32_t n = a ? a->n : 0, room = n < 4 ? 4 : 2 * n;

	if (a && a->refs == 1 && a->n < a->room)
		return true;
	own = malloc(sizeof(*own) + room * sizeof(own->time[0]));
	if (!own) {
		l->failed = true;
		return false;
	}
	*own = (struct account){.refs = 1, .n = n, .room = room};
	if (n)
		memcpy(own->time, a->time, n * sizeof(own->time[0]));
	account_put(a);
	*account = own;
	return true;
}

// The place of a root in the list, if it has one; with too many roots it becomes ROOT_OTHER.
static uint32_t root_place(const struct account *a, uint32_t *root)
{
	uint32_t i = 0, other = 0;

	for (; i < a->n && a->time[i].root != *root; i++)
		other = a->time[i].root == ROOT_OTHER ? i : other;
	if (i < ACCOUNT_ROOTS || i < a->n)
		return i;
	*root = ROOT_OTHER;
	return a->time[other].root == ROOT_OTHER ? other : i;
}

void account_add(struct lineage *l, struct account **account, uint32_t root, tstamp ps)
{
	struct account *a;
	uint32_t i;

	if (!ps || !make_room(l, account))
		return;
	a = *account;
	i = root_place(a, &root);
	if (i == a->n)
		a->time[a->n++] = (struct account_time){.root = root};
	a->time[i].ps += ps;
}
