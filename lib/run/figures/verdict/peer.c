// SPDX-License-Identifier: BSD-3-Clause
// Who caused a loss: a peer that did not stop after XOFF.
#include <string.h>

#include "verdict.h"

static bool is_in(const struct scene_node *n, unsigned port, unsigned prio, unsigned pg)
{
	return sw_port_set(&n->u.sw, port)->pg_map[prio] == pg;
}

// Whether frames of a priority that came by a port were lost: in its buffer, or before it by others
// than the instrument.
static bool has_lost(const struct summary *s, const struct rec_port *p, unsigned prio)
{
	const struct scene_node *n = &s->rec->scene->node[p->node];

	for (unsigned i = 0; i < s->set[KIND_PG].n; i++)
		if (fabric_pg_port(s, i) == p && is_in(n, p->port, prio, fabric_pg_number(s, i)) &&
			summary_count(s, KIND_PG, i, "dropped_frames_total"))
			return true;
	for (unsigned i = 0; i < s->set[KIND_DEVICE].n; i++) {
		const struct fabric_device *d = fabric_device(s, i);

		if (d->is.node == p->node && d->is.port == p->port && d->lossless &&
			d->lost_rx > d->own)
			return true;
	}
	return false;
}

bool verdict_went_on(const struct summary *s, unsigned i, char *text, size_t size)
{
	struct fabric_answer a;
	bool pause;

	// An XON that was not recorded would leave its XOFF without an end.
	if (s->run.events_lost || !fabric_went_on(s, i, &a) || !has_lost(s, a.port, a.prio))
		return false;
	pause = s->rec->scene->node[a.port->node].u.sw.pause;
	if (pause && a.prio) // PAUSE is of the whole link
		return false;
	if (pause)
		snprintf(text, size, "%s: PAUSE", a.port->scene->name);
	else
		snprintf(text, size, "%s class %u: XOFF", a.port->scene->name, a.prio);
	snprintf(text + strlen(text), size - strlen(text),
		" was sent, and the peer went on: %.1f KB came after it, where one that stops in "
		"time sends %.1f KB at most; see whether it obeys %s",
		(double)a.after_bytes / 1e3, (double)a.limit_bytes / 1e3,
		pause ? "PAUSE" : "PFC of this class");
	return true;
}
