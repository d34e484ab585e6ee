// SPDX-License-Identifier: BSD-3-Clause
// Groups of flows: those of one name in the scenario and one destination, or that the scenario
// pools; what a group is called.
#include <errno.h>
#include <stdlib.h>

#include "base/index.h"
#include "int.h"

static uint32_t group_hash(const struct record *r, const struct scene_flow *s)
{
	return index_hash(
		s->pooled ? 0 : scene_host_of(r->scene, s->to), s->group, strlen(s->group));
}

static bool same_end(const struct record *r, const struct scene_flow *a, const struct scene_flow *b)
{
	return a->to == b->to || scene_host_of(r->scene, a->to) == scene_host_of(r->scene, b->to);
}

static bool same_group(
	const struct record *r, const struct scene_flow *a, const struct scene_flow *b)
{
	return a->pooled == b->pooled && (a->pooled || same_end(r, a, b)) &&
	       !strcmp(a->group, b->group);
}

// The group that a flow is of, or a new one; INDEX_NONE where memory is out.
static uint32_t find_group(struct record *r, unsigned i, struct index *known)
{
	const struct scene_flow *s = r->scene->flow[i];
	uint32_t hash = group_hash(r, s), at = hash, g;

	while ((g = index_next(known, hash, &at)) != INDEX_NONE)
		if (same_group(r, r->scene->flow[r->group[g].first], s))
			return g;
	if (index_add(known, hash, r->n_groups))
		return INDEX_NONE;
	r->group[r->n_groups] =
		(struct rec_group){.first = i, .to = scene_host_of(r->scene, s->to)};
	return r->n_groups++;
}

// Puts a flow into the group of an earlier flow, in most cases of the one before it, or into a new
// one.
static int join_group(struct record *r, unsigned i, struct index *known)
{
	const struct scene_flow *s = r->scene->flow[i];
	uint32_t g = i && same_group(r, r->scene->flow[i - 1], s) ? r->flow[i - 1].group
								  : find_group(r, i, known);

	if (g == INDEX_NONE)
		return -ENOMEM;
	r->group[g].n++;
	r->group[g].several |= r->group[g].to != scene_host_of(r->scene, s->to);
	r->flow[i].group = g;
	return 0;
}

static const struct scene_flow *group_flow(const struct record *r, unsigned g)
{
	return r->scene->flow[r->group[g].first];
}

static int by_name(const void *a, const void *b, void *record)
{
	const unsigned *x = a, *y = b;
	int order = strcmp(group_flow(record, *x)->group, group_flow(record, *y)->group);

	return order ? order : (*x > *y) - (*x < *y);
}

// Names the groups. If the scenario uses one name for several destinations, the destination is
// added to it.
static int name_groups(struct record *r)
{
	unsigned *sorted = calloc(r->n_groups + 1ul, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (unsigned g = 0; g < r->n_groups; g++)
		sorted[g] = g;
	qsort_r(sorted, r->n_groups, sizeof(*sorted), by_name, r);
	for (unsigned i = 0; i < r->n_groups; i++) {
		const struct scene_flow *s = group_flow(r, sorted[i]);
		struct rec_group *g = &r->group[sorted[i]];
		bool alike = (i && !strcmp(group_flow(r, sorted[i - 1])->group, s->group)) ||
			     (i + 1 < r->n_groups &&
				     !strcmp(group_flow(r, sorted[i + 1])->group, s->group));

		snprintf(g->name, sizeof(g->name), "%s%s%s", s->group, alike ? ">" : "",
			alike ? r->scene->node[scene_host_of(r->scene, s->to)].name : "");
	}
	free(sorted);
	return 0;
}

int record_groups_build(struct record *r)
{
	struct index known = {0};
	int code = 0;

	r->group = calloc(r->n_flows + 1ul, sizeof(*r->group));
	if (!r->group)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_flows && !code; i++)
		code = join_group(r, i, &known);
	index_fini(&known);
	return code ? code : name_groups(r);
}
