// SPDX-License-Identifier: BSD-3-Clause
// Storms on purpose: which events and captures of a scene pause the devices behind a real port, and
// for how long.
#include "storm.h"

#include <errno.h>
#include <stdio.h>

// A storm that `port` is about to send: the user's word for it, and how long it lasts.
struct storm {
	const char *what;
	const struct scene_port *port;
	tstamp span;
};

static int refuse_storm(const struct storm *s, const char *where, tstamp allowed, struct err *err)
{
	char span[32], most[32];

	units_format(UNITS_TIME, s->span, span, sizeof(span));
	if (!allowed)
		return err_set(err, -EPERM,
			"%s: %s at port %s leaves by device \"%s\" and stops what is behind it for "
			"%s: "
			"--allow-storm T lets out storms of T at most",
			where, s->what, s->port->name, s->port->device, span);
	units_format(UNITS_TIME, allowed, most, sizeof(most));
	return err_set(err, -EPERM,
		"%s: %s at port %s leaves by device \"%s\" and lasts %s: "
		"--allow-storm %s lets out storms of %s at most",
		where, s->what, s->port->name, s->port->device, span, most, most);
}

static int event_check(
	const struct scene *s, const struct scene_event *e, tstamp allowed, struct err *err)
{
	const struct scene_node *node = &s->node[e->node];
	bool storm = e->ctl.type == CTL_PFC_STORM;
	struct storm it = {.what = storm       ? "pfc_storm"
				   : e->ctl.id ? "pulse"
					       : "mac_frames",
		.port = &node->port[storm ? e->ctl.port : 0]};
	char where[400];

	if ((!storm && e->ctl.type != CTL_MAC_FRAMES) || !it.port->device || e->at >= s->duration)
		return 0;
	it.span = tstamp_min(scene_storm_span(s, e), s->duration - e->at); // the end lets go
	if (it.span <= allowed)
		return 0;
	snprintf(where, sizeof(where), "%.300s:%u", s->path ? s->path : "", e->line);
	return refuse_storm(&it, where, allowed, err);
}

// A capture that goes straight onto a device. What stops the peer in it does so until its end.
static int replay_check(
	const struct scene *s, const struct scene_node *node, tstamp allowed, struct err *err)
{
	const struct scene_replay *r = node->replay;
	struct storm it = {.what = "a MAC control frame of the capture", .port = &node->port[0]};
	tstamp round;

	if (!r || !r->scan->first_macctl)
		return 0;
	round = tstamp_add(r->player.took, r->player.gap);
	it.span = tstamp_min(tstamp_max(scene_periods(round, r->player.loops), 1), s->duration);
	return it.span <= allowed ? 0 : refuse_storm(&it, r->play.path[0], allowed, err);
}

int rt_storm_check(const struct scene *s, tstamp allowed, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < s->n_events; i++)
		rc = event_check(s, &s->event[i], allowed, err);
	for (unsigned i = 0; !rc && i < s->n_nodes; i++)
		if (s->node[i].replay && s->node[i].port[0].device)
			rc = replay_check(s, &s->node[i], allowed, err);
	return rc;
}
