// SPDX-License-Identifier: BSD-3-Clause
// How long the events of a scene stop the peers behind its ports.
#include "scene.h"
#include "wire/pfc.h"

tstamp scene_periods(tstamp period, uint64_t n)
{
	return n && period > TSTAMP_NEVER / n ? TSTAMP_NEVER : period * n;
}

// The longest pause time that a frame gives a class.
static tstamp longest_pause(const struct ctl_mac *m, rate_t rate)
{
	uint16_t most = m->f.quanta[0];

	for (unsigned c = 0; m->kind != PKT_PAUSE && c < PKT_CLASSES; c++)
		if (m->f.enable >> c & 1 && m->f.quanta[c] > most)
			most = m->f.quanta[c];
	return pfc_quantum_ps(rate) * most;
}

tstamp scene_storm_span(const struct scene *s, const struct scene_event *e)
{
	const struct ctl *c = &e->ctl;
	tstamp span;

	if (c->type == CTL_PFC_STORM)
		return c->a - e->at;
	if (c->type != CTL_MAC_FRAMES)
		return 0;
	span = scene_periods(c->a, c->b);
	return c->id ? span
		     : tstamp_max(span, longest_pause(c->with, s->node[e->node].port[0].rate));
}
