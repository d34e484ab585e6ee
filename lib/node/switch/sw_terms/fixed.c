// SPDX-License-Identifier: BSD-3-Clause
// The static entries of an FDB: a hash by which they fit, and a table of addresses for several
// switches.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sw_terms.h"

#include "wire/eth.h"

#define SALT_TRIES 4096

// Whether each set has room for the static entries that fall into it. `in_set` is room to count.
static bool fits(const struct table *t, const struct sw_params *p, uint8_t *in_set)
{
	memset(in_set, 0, t->set_mask + 1ul);
	for (unsigned i = 0; i < p->n_fdb; i++) {
		const struct sw_fdb_params *f = &p->fdb[i];

		if (++in_set[table_set_of(t, eth_key(f->mac, f->vid)) - t->set] > TABLE_WAYS)
			return false;
	}
	return true;
}

// Thousands of static entries take many tries, so none fills the table. Entries of one address and
// VLAN share a place, which is not seen here: then, after all tries, putting them in says whether
// they fit.
int sw_fixed_salt(struct table *t, const struct sw_params *p)
{
	uint8_t *in_set = malloc(t->set_mask + 1ul);
	struct prng rng;

	if (!in_set)
		return -ENOMEM;
	prng_init(&rng, p->seed, p->name);
	for (unsigned i = 0; i < SALT_TRIES; i++) {
		t->salt = prng_u64(&rng);
		if (fits(t, p, in_set))
			break;
	}
	free(in_set);
	return 0;
}

int sw_fixed_init(struct sw_fixed *f, const struct sw_params *p)
{
	uint32_t room = sw_fdb_room(p);
	int rc = room ? table_init(&f->at, room, TSTAMP_NEVER, 0) : -EINVAL;

	if (rc)
		return rc;
	rc = sw_fixed_salt(&f->at, p);
	for (unsigned i = 0; !rc && i < p->n_fdb; i++) {
		uint64_t key = eth_key(p->fdb[i].mac, p->fdb[i].vid);

		rc = table_put(&f->at, key, i, true, 0) == TABLE_NONE ? -ENOSPC : 0;
	}
	if (rc)
		table_fini(&f->at);
	return rc;
}

void sw_fixed_fini(struct sw_fixed *f)
{
	table_fini(&f->at);
}

bool sw_fixed_alike(const struct sw_params *a, const struct sw_params *b)
{
	bool alike = a->n_fdb == b->n_fdb && sw_fdb_room(a) == sw_fdb_room(b);

	for (unsigned i = 0; alike && i < a->n_fdb; i++)
		alike = !memcmp(
			&a->fdb[i], &b->fdb[i], offsetof(struct sw_fdb_params, port)); // MAC, VLAN
	return alike;
}
