// SPDX-License-Identifier: BSD-3-Clause
// Sources that start once others have ended: the memory in which hosts tell each other of these
// ends.
#include "follow.h"

#include <errno.h>
#include <stdlib.h>

// Whether a source waits for others, and this process runs all of them. Else it starts as planned.
static bool follows(const struct net *net, const struct scene_source *src)
{
	bool all = src->after.n && net_nic(net, src->from);

	for (unsigned i = 0; all && i < src->after.n; i++)
		all = net_nic(net, net->scene->source[src->after.first + i]->from) != NULL;
	return all;
}

static int tell(struct net *net, unsigned number)
{
	const struct scene_source *src = net->scene->source[number];

	if (atomic_load(&net->end[number]) == TSTAMP_NEVER)
		return 0;
	atomic_store(&net->end[number], src->gen.start < src->gen.stop ? TSTAMP_NEVER : 0);
	return nic_tell_end(net_nic(net, src->from), number, &net->end[number]);
}

static int follow(struct net *net, unsigned number)
{
	const struct scene_source *src = net->scene->source[number];
	struct nic_follow f = {.source = number,
		.end = net->end + src->after.first,
		.n = src->after.n,
		.offset = src->after.offset,
		.first = tstamp_since(src->gen.start, src->after.offset + 2 * src->after.look),
		.look = src->after.look};
	int rc = 0;

	for (unsigned i = 0; !rc && i < f.n; i++)
		rc = tell(net, src->after.first + i);
	return rc ? rc : nic_follow(net_nic(net, src->from), &f);
}

int follows_add(struct net *net)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < net->scene->n_sources; i++) {
		if (!follows(net, net->scene->source[i]))
			continue;
		if (!net->end)
			net->end = calloc(net->scene->n_sources, sizeof(*net->end));
		rc = net->end ? follow(net, i) : -ENOMEM;
	}
	return rc;
}
