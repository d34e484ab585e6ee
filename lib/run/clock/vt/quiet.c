// SPDX-License-Identifier: BSD-3-Clause
// The end of a run before its duration, as the scenario has it: a stop, or a quiesce after which
// all is at rest.
#include "int.h"

#define LOOK (10 * PS_PER_US) // looks are at whole multiples, whatever else the run does then

// The look behind `now` at a quiesce.
static tstamp next_look(const struct scene_event *e, tstamp now)
{
	return tstamp_min((now / LOOK + 1) * LOOK, tstamp_add(e->at, e->ctl.b));
}

// The next quiesce from event `next` on.
static void await(struct vt_quiet *q, const struct scene *s)
{
	q->of = NULL;
	q->look = TSTAMP_NEVER;
	while (q->next < s->n_events && s->event[q->next].ctl.type != CTL_QUIESCE)
		q->next++;
	if (q->next < s->n_events)
		q->look = next_look(&s->event[q->next], s->event[q->next].at);
}

void vt_quiet_init(struct vt *vt)
{
	const struct scene *s = vt->scene;

	vt->end = scene_end(s);
	await(&vt->quiet, s);
}

// Takes the quiesce that came last. All nodes of one have one event each.
static void take(struct vt_quiet *q, const struct scene *s, tstamp now)
{
	for (; q->next < s->n_events && s->event[q->next].at < now; q->next++)
		if (s->event[q->next].ctl.type == CTL_QUIESCE)
			q->of = &s->event[q->next];
}

static bool links_are_empty(const struct vt *vt)
{
	for (unsigned i = 0; i < vt->scene->n_nodes; i++)
		for (unsigned p = 0; p < vt->node[i].ports; p++)
			if (vt->node[i].in[p].frames)
				return false;
	return true;
}

static void go_on(struct vt *vt, tstamp now)
{
	static const struct ctl ctl = {.type = CTL_GO_ON};

	for (unsigned i = 0; i < vt->scene->n_nodes; i++)
		if (vt->node[i].n->kind != SCENE_SW)
			vt_command(vt, &vt->node[i], &ctl, now);
}

bool vt_quiet_over(struct vt *vt, tstamp now)
{
	struct vt_quiet *q = &vt->quiet;

	take(q, vt->scene, now);
	if (now < tstamp_add(q->of->at, q->of->ctl.b) &&
		!(net_is_quiet(vt->net) && links_are_empty(vt))) {
		q->look = next_look(q->of, now);
		return false;
	}
	if (!q->of->ctl.a)
		return true;
	go_on(vt, now);
	await(q, vt->scene);
	return false;
}
