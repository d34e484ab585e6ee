// SPDX-License-Identifier: BSD-3-Clause
// The lab of virtual time: a step gives all testers their lists at one instant, and runs the scene
// until the lists have ended.
#include <errno.h>
#include <string.h>

#include "int.h"

#include "lab/lab.h"
#include "wire/pfc.h"

// The end of a step is looked for that often: a share of the step so far, within bounds.
#define LOOK_SHARE 16
#define LOOK_LEAST PS_PER_US
#define LOOK_MOST  (10 * PS_PER_US)
#define LONGEST    (10 * PS_PER_S) // of a step that does not say

struct vt_lab {
	struct lab lab;
	struct vt *vt;
	struct lab_book book;
};

static struct vt_node *node_of(const struct vt_lab *l, unsigned port)
{
	return &l->vt->node[l->vt->scene->tester[port]];
}

// Gives all testers their steps, or ends them.
static int give(struct vt_lab *l, bool begins, struct err *err)
{
	int rc = 0;

	for (unsigned p = 0; p < l->book.ports && !rc; p++) {
		const struct ctl ctl = {
			.type = CTL_TESTER, .with = begins ? &l->book.step[p] : NULL};

		rc = vt_command(l->vt, node_of(l, p), &ctl, l->vt->course.now);
		if (rc)
			err_set(err, rc,
				"%s cannot send its list: it has MAC control frames of "
				"more than %u addresses and opcodes",
				l->lab.port[p].name, TESTER_CONTROLS);
	}
	return rc;
}

// The instant of the next look at a step that began at `began`.
static tstamp next_look(tstamp began, tstamp now)
{
	tstamp share = (now - began) / LOOK_SHARE;

	return now + tstamp_min(tstamp_max(share, LOOK_LEAST), LOOK_MOST);
}

static bool links_are_up(const struct vt_lab *l)
{
	for (unsigned p = 0; p < l->book.ports; p++)
		if (!tester_is_up(node_of(l, p)->n->u.tester))
			return false;
	return true;
}

// Runs the scene until all links are up, as long as the scenario waits for links.
static int await_links(struct vt_lab *l, const char *name, struct err *err)
{
	struct vt *vt = l->vt;
	const tstamp last = tstamp_add(vt->course.now, vt->scene->wait_link);

	while (!links_are_up(l)) {
		if (vt->course.now >= tstamp_min(last, vt->end))
			return err_set(err, -ENETDOWN, "%s: a link is down for good", name);
		if (!vt_go(vt, tstamp_min(vt->course.now + PS_PER_MS, vt->end)))
			return -EINTR;
	}
	return 0;
}

// Runs the scene until the step is over.
static int run_step(
	struct vt_lab *l, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	struct vt *vt = l->vt;
	const tstamp began = vt->course.now;
	const tstamp last = tstamp_add(began, step->longest ? step->longest : LONGEST);

	for (;;) {
		tstamp now = vt->course.now, ended = lab_book_ended(&l->book), end;

		end = ended == TSTAMP_NEVER ? next_look(began, now) : tstamp_add(ended, step->tail);
		sight->down = !links_are_up(l);
		if (sight->down || (ended != TSTAMP_NEVER && now >= end))
			return 0;
		if (now >= last) {
			sight->cut = true;
			return 0;
		}
		end = tstamp_min(end, last);
		if (end > vt->end)
			return err_set(err, -ETIME,
				"%s: the scenario's duration is over; make it longer", step->name);
		if (!vt_go(vt, end))
			return -EINTR;
	}
}

static int step(struct lab *lab, const struct lab_step *s, struct lab_sight *sight, struct err *err)
{
	struct vt_lab *l = (struct vt_lab *)lab;
	int rc = await_links(l, s->name, err);
	const tstamp began = l->vt->course.now;

	if (rc)
		return rc;
	lab_book_open(&l->book, s, lab->steps);
	rc = give(l, true, err);
	if (!rc)
		rc = run_step(l, s, sight, err);
	give(l, false, err);
	lab_book_close(&l->book, began, sight);
	sight->took = l->vt->course.now - began;
	return rc;
}

static void port_init(struct lab_port *to, const struct scene_node *n)
{
	const struct scene_port *p = &n->port[0];

	*to = (struct lab_port){
		.name = n->name, .rate = p->rate, .cable = p->delay + n->latency, .stamped = true};
	memcpy(to->mac, n->mac, sizeof(to->mac));
}

// Lets the device go on in all classes that testers still hold. A run that is interrupted goes on
// until the XONs have arrived.
static int let_go(struct vt_lab *l, struct err *err)
{
	struct tester_item item[TESTER_PORTS][2];
	struct lab_step s = {.name = "end"};
	struct lab_sight sight;
	bool any = false;

	l->vt->ending = true;

	for (unsigned p = 0; p < l->book.ports; p++) {
		struct net_node *n = node_of(l, p)->n;
		uint8_t holds = tester_holds(n->u.tester, l->vt->course.now);
		bool pauses = tester_stats(n->u.tester)->pause_tx_frames;

		item[p][0] = item[p][1] = (struct tester_item){
			.kind = TESTER_RELEASE, .after = TESTER_AT_START, .pfc = {.enable = holds}};
		item[p][1].opcode = MACCTL_PAUSE;
		s.tail = tstamp_max(s.tail, LOOK_LEAST + l->lab.port[p].cable);
		s.port[p] = (struct lab_list){item[p], holds ? pauses + 1u : 0};
		any |= holds;
	}
	return any ? lab_do(&l->lab, &s, &sight, err) : 0;
}

int vt_experiment(struct vt *vt, struct err *err)
{
	struct vt_lab l = {.vt = vt, .lab = {.ports = vt->scene->n_testers, .step = step}};
	struct err none;
	int rc = lab_book_init(&l.book, l.lab.ports), rc_end;

	if (rc)
		return err_set(err, rc, "no memory for the frames of an experiment");
	for (unsigned p = 0; p < l.lab.ports; p++)
		port_init(&l.lab.port[p], &vt->scene->node[vt->scene->tester[p]]);
	rc = vt->opts->experiment(vt->opts->experiment_arg, &l.lab, err);
	rc_end = vt->net->crashed ? 0 : let_go(&l, rc ? &none : err);
	lab_book_fini(&l.book);
	return rc ? rc : rc_end;
}
