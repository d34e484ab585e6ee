// SPDX-License-Identifier: BSD-3-Clause
// The switch's forwarding at its start: static entries of the FDB, ECMP sets.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define FDB_AGE_PS (300 * PS_PER_S) // 802.1Q cl. 8.8.3, the recommended ageing time
// Most ways of shared headers that are remembered, a power of two. With more headers, some share a
// place, and the FDB is asked again when they take turns.
#define FWD_PLACES   65536u
#define REFRESH_PART 16 // a known source is written to the FDB this often per ageing time

static bool put_fixed(struct table *t, const struct sw_params *p)
{
	for (unsigned i = 0; i < p->n_fdb; i++) {
		const struct sw_fdb_params *f = &p->fdb[i];

		if (table_put(t, eth_key(f->mac, f->vid), sw_fdb_value(f), true, 0) == TABLE_NONE)
			return false;
	}
	return true;
}

static int init_table(struct sw *sw, const struct sw_params *p)
{
	uint32_t n = sw_fdb_room(p);
	tstamp age = p->fdb_age_ps ? p->fdb_age_ps : FDB_AGE_PS;
	int rc;

	if (!n)
		return -EINVAL;
	sw->gen = 1;
	sw->refresh_ps = age / REFRESH_PART;
	rc = table_init(&sw->fdb, n, age, p->fixed ? p->fixed->at.salt : 0);
	if (!rc && !p->fixed)
		rc = sw_fixed_salt(&sw->fdb, p);
	if (rc)
		return rc;
	if (p->large)
		table_have(&sw->fdb, p->large);
	sw->fixed = p->fixed;
	sw->fixed_fdb = p->fdb;
	return p->fixed || put_fixed(&sw->fdb, p) ? 0 : -ENOSPC;
}

// The sets as lists.
static int init_lists(struct sw *sw)
{
	uint16_t *port;

	sw->ecmp_set = calloc(sw->n_ecmp, sizeof(*sw->ecmp_set));
	sw->ecmp_list = port = calloc((size_t)sw->n_ecmp * NODE_PORTS, sizeof(*port));
	if (!sw->ecmp_set || !port)
		return -ENOMEM;
	for (unsigned i = 0; i < sw->n_ecmp; i++) {
		struct sw_ecmp_set *s = &sw->ecmp_set[i];

		s->port = port;
		for (unsigned p = 0; p < NODE_PORTS; p++)
			if (sw->ecmp[i].port[p / 64] >> p % 64 & 1)
				*port++ = (uint16_t)p;
		s->n = (unsigned)(port - s->port);
	}
	return 0;
}

// Sets of equal ways: at least one port each, and none that is not there.
static int init_ecmp(struct sw *sw, const struct sw_params *p)
{
	if (!p->n_ecmp)
		return 0;
	for (unsigned i = 0; i < p->n_ecmp; i++) {
		unsigned top = NODE_PORTS;

		while (top && !(p->ecmp[i].port[(top - 1) / 64] >> (top - 1) % 64 & 1))
			top--;
		if (!top || top > p->n_ports)
			return -EINVAL;
	}
	sw->ecmp = calloc(p->n_ecmp, sizeof(*sw->ecmp));
	if (!sw->ecmp)
		return -ENOMEM;
	memcpy(sw->ecmp, p->ecmp, p->n_ecmp * sizeof(*sw->ecmp));
	sw->n_ecmp = p->n_ecmp;
	sw->ecmp_salt = sw_ecmp_salt(p->seed, p->name);
	return init_lists(sw);
}

int sw_fdb_init(struct sw *sw, const struct sw_params *p)
{
	int rc;

	sw->n_ids = p->shared_hdrs ? p->shared_hdrs - 1 : 0;
	while (sw->fwd_mask < sw->n_ids && sw->fwd_mask < FWD_PLACES - 1)
		sw->fwd_mask = 2 * sw->fwd_mask + 1;
	sw->fwd = calloc(sw->fwd_mask + 1ul, sizeof(*sw->fwd));
	if (!sw->fwd)
		return -ENOMEM;
	rc = init_table(sw, p);
	return rc ? rc : init_ecmp(sw, p);
}

void sw_fdb_fini(struct sw *sw)
{
	table_fini(&sw->fdb);
	free(sw->ecmp);
	free(sw->ecmp_set);
	free(sw->ecmp_list);
	free(sw->fwd);
}
