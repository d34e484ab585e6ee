// SPDX-License-Identifier: BSD-3-Clause
// Actions and values in a run: the scenario is compiled again with them, by the thread that
// answers. The lcores get one order: the commands of the actions, and the values that nodes adopt.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>

#include "compile/compile.h"
#include "int.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "world/world.h"

#define TIMEOUT_MS 2000
#define AHEAD      (2 * PS_PER_MS)  // wall time until an action whose instants are absolute
#define EARLY      (20 * PS_PER_MS) // wall time by which a later command is given before its time
#define WHERE      "the action"
#define OPEN_MS    100 // between looks at an order that some lcore still has

tstamp control_now_of(const struct control *c)
{
	tstamp now = 0;

	for (unsigned i = 0; i < c->run.world->n_lcores; i++)
		now = tstamp_max(now, atomic_load(&c->run.world->lcore[i]->now));
	return now;
}

const struct scene *control_present(const struct control *c)
{
	const struct scene *s = c->run.scene, *now = s;

	if (c->now)
		return c->now;
	for (unsigned i = 0; i < s->n_changes && s->change[i].at <= control_now_of(c); i++)
		now = s->change[i].to;
	return now;
}

static unsigned dilate_of(const struct control *c)
{
	return c->run.world->lcore[0]->clock->dilate;
}

// Keeps each action of a text that was compiled. A word is an action without a value.
static int keep(struct control *c, tstamp at, const char *text, const struct control_peer *by)
{
	struct yamldoc_node *root = NULL;
	struct arena a = {0};
	struct err err;
	int rc = yamldoc_parse(&a, &root, WHERE, text, strlen(text), &err);
	unsigned n = rc ? 0 : root->type == YAMLDOC_LIST ? root->n : 1;

	for (unsigned i = 0; !rc && i < n; i++) {
		const struct yamldoc_node *of =
			root->type == YAMLDOC_LIST ? root->item[i].value : root;
		char *action = of->type == YAMLDOC_SCALAR ? arena_format(&a, "{%s: }", of->text)
							  : scene_text_value(&a, of);

		rc = control_keep(c, at, action, by);
	}
	arena_free(&a);
	return rc;
}

static void put_warnings(json_t *answer, const struct scene *was, const struct scene *is)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < is->n_warnings; i++) {
		bool had = false;

		for (unsigned k = 0; !had && k < was->n_warnings; k++)
			had = !strcmp(is->warning[i].text, was->warning[k].text);
		if (!had)
			json_array_append_new(list, json_string(is->warning[i].text));
	}
	json_object_set_new(answer, "warnings", list);
}

static int why_not(struct err *err, int rc)
{
	if (rc == -ESHUTDOWN)
		return err_set(err, rc, "the run is over");
	if (rc == -ETIMEDOUT)
		return err_set(err, rc,
			"some lcore has not answered for 2 s: it is held up; nothing was done");
	if (rc == -EINPROGRESS)
		return err_set(err, rc,
			"some lcore has not answered for 2 s: it is held up, and may still do it");
	return err_set(err, rc, rc == -EBUSY ? "another order is being carried out" : "no memory");
}

// The instants at which nodes did what was asked, and the first that refused. *at: the first turn.
static int put_nodes(json_t *answer, const struct control *c, const struct rt_order *o,
	const struct rt_order_cmd *cmd, unsigned n, tstamp *at, struct err *err)
{
	const struct scene *s = c->run.scene;
	json_t *list = json_array();
	struct rt_order_result r;
	int rc = 0;

	*at = TSTAMP_NEVER;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; rt_order_result(o, i, k, &r); k++) {
			json_array_append_new(
				list, json_pack("{s:s, s:I}", "node", s->node[cmd[i].node].name,
					      "at_ps", (json_int_t)r.at));
			*at = tstamp_min(*at, r.at);
			if (r.rc && !rc)
				rc = err_set(err, r.rc, "%s refuses it: %s",
					s->node[cmd[i].node].name,
					r.rc == -EACCES ? "it is read only" : strerror(-r.rc));
		}
	if (rt_order_due(o))
		*at = rt_order_due(o);
	json_object_set_new(answer, "nodes", list);
	json_object_set_new(answer, "at_ps", json_integer((json_int_t)*at));
	return rc;
}

static int give(struct control *c, const struct rt_order_cmd *cmd, unsigned n, unsigned n_mute,
	tstamp due, json_t *answer, tstamp *at, struct err *err)
{
	struct rt_order *o = rt_order_new(c->run.world, cmd, n);
	int rc = o ? rt_order_give(o, due, TIMEOUT_MS) : -ENOMEM;

	// While a quiesce goes on, the main lcore gives many short orders.
	for (unsigned i = 0; rc == -EBUSY && i < TIMEOUT_MS; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		rc = rt_order_give(o, due, TIMEOUT_MS);
	}
	if (rc)
		why_not(err, rc);
	else
		rc = put_nodes(answer, c, o, cmd, n - n_mute, at, err);
	if (rc != -EINPROGRESS)
		rt_order_free(o);
	else
		c->left = o;
	return rc;
}

// The commands of events at one instant, from number `first` on. Returns where the next instant
// begins. `shift`: by how much later they are carried out than they were compiled for.
static unsigned commands_of(const struct control *c, const struct scene *s, unsigned first,
	tstamp shift, struct rt_order_cmd *cmd)
{
	unsigned i = first;

	for (; i < s->n_events && s->event[i].at == s->event[first].at; i++) {
		struct rt_order_cmd *to = &cmd[i - first];

		*to = (struct rt_order_cmd){s->event[i].node, s->event[i].ctl};
		if (to->ctl.type == CTL_FLOW_START) // from its turn on
			to->ctl.a = 0;
		if (to->ctl.type == CTL_PFC_STORM) // its end is an instant
			to->ctl.a += shift;
		if (to->ctl.type == CTL_USER_MARK)
			to->ctl.id = record_mark(c->run.record, to->ctl.with);
	}
	return i;
}

static bool has_event(const struct scene *s, enum ctl_type type)
{
	for (unsigned i = 0; s && i < s->n_events; i++)
		if (s->event[i].ctl.type == type)
			return true;
	return false;
}

static void later_free(struct control_later *l)
{
	if (!l->is_kept)
		scene_free(l->scene);
	free(l);
}

// Commands that come later are kept with their scene, which is taken then unless it is kept anyway.
static int keep_later(
	struct control *c, struct scene **to, unsigned next, tstamp shift, bool is_kept)
{
	struct control_later *l;

	if (next == (*to)->n_events)
		return 0;
	l = malloc(sizeof(*l));
	if (!l)
		return -ENOMEM;
	for (unsigned i = next; i < (*to)->n_events; i++) {
		(*to)->event[i].at += shift;
		if ((*to)->event[i].ctl.type == CTL_PFC_STORM)
			(*to)->event[i].ctl.a += shift;
	}
	*l = (struct control_later){*to, next, is_kept, c->later};
	c->later = l;
	*to = NULL;
	return 0;
}

// A mark of the user is in the record already; all else that is done gets a mark.
static unsigned mark_of(struct control *c, const struct control_wish *wish, bool other,
	const struct scene *to, struct rt_order_cmd *mark, const struct control_peer *by)
{

	for (unsigned i = 0; to && i < to->n_events; i++)
		other |= to->event[i].ctl.type != CTL_USER_MARK;
	return other && !control_mark(c, mark, wish->verb, wish->text, by);
}

// Writes the orders of a change, returns how many there are.
static unsigned orders_of(const struct net_change *change, struct rt_order_cmd *cmd)
{
	unsigned n = change ? change->n : 0;

	for (unsigned i = 0; cmd && i < n; i++)
		cmd[i] = (struct rt_order_cmd){change->order[i].node, change->order[i].ctl};
	return n;
}

// Gives the orders of changes and the first commands of `*to`, where they are not NULL, as one
// order. *at: its instant.
static int carry_out(struct control *c, const struct control_peer *by,
	const struct control_wish *wish, const struct wish_changes *change, struct scene **to,
	tstamp compiled, json_t *answer, tstamp *at, struct err *err)
{
	const unsigned sets = orders_of(change->values, NULL) + orders_of(change->faults, NULL);
	struct rt_order_cmd *cmd = calloc(sets + (*to ? (*to)->n_events : 0) + 1, sizeof(*cmd));
	tstamp shift = 0, due = 0;
	unsigned marks, next = 0;
	int rc;

	if (!cmd)
		return err_set(err, -ENOMEM, "no memory");
	orders_of(change->faults, cmd + orders_of(change->values, cmd));
	if (*to && has_event(*to, CTL_PFC_STORM)) {
		due = control_now_of(c) + AHEAD / dilate_of(c);
		shift = due - compiled;
	}
	if (*to)
		next = commands_of(c, *to, 0, shift, cmd + sets);
	marks = mark_of(c, wish, wish->n_set || change->faults, *to, &cmd[sets + next], by);
	*at = control_now_of(c);
	rc = sets + next ? give(c, cmd, sets + next + marks, marks, due, answer, at, err) : 0;
	free(cmd);
	if (!rc && *to && keep_later(c, to, next, shift, change->keeps))
		rc = err_set(err, -ENOMEM, "no memory");
	return rc;
}

// The scenes of a wish: its values, then its actions with these values; NULL: it has none.
static int compile(struct control *c, const struct control_wish *wish, tstamp now,
	struct scene **next, struct scene **to, struct err *err)
{
	int rc = wish->n_set ? control_set_later(c, err) : 0;

	if (!rc && wish->n_set)
		rc = compile_change(next, control_present(c), "value", wish->set, wish->n_set, err);
	if (!rc && wish->actions)
		rc = compile_actions(
			to, *next ? *next : control_present(c), wish->actions, now, err);
	if (!rc && *to)
		rc = rt_storm_check(*to, c->run.allow_storm, err);
	return rc;
}

// A port whose node forgets headers holds no frames (struct hdr).
static int check_held(const struct control *c, const struct scene *to, struct err *err)
{
	for (unsigned i = 0; i < to->n_faults; i++) {
		const struct scene_fault *f = to->fault[i];

		if (f->line || !f->held || !scene_is_here(c->run.scene, f->node) ||
			!rt_world_end(c->run.world, f->node, f->port)->forgets)
			continue;
		return err_set(err, -EINVAL,
			"%s: the switch keeps no headers of frames; a fault of its port in the "
			"scenario makes it keep them",
			f->text);
	}
	return 0;
}

static bool has_new_faults(const struct scene *s)
{
	for (unsigned i = 0; s && i < s->n_faults; i++)
		if (!s->fault[i]->line)
			return true;
	return false;
}

// The run has faults or frames of this scene, which lasts until its end.
static int keep_scene(struct control *c, struct scene *s)
{
	struct scene **more = realloc(c->kept, (c->n_kept + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	c->kept = more;
	c->kept[c->n_kept++] = s;
	return 0;
}

// Compiles what nodes take.
static int changes(struct control *c, struct scene *next, struct scene *to,
	struct wish_changes *change, struct err *err)
{
	struct net *net = c->run.world->net;
	int rc = 0;

	if (next)
		rc = net_change_new(&change->values, net, control_present(c), next,
			c->run.scene->n_changes + c->n_sets + 1, err);
	if (rc || !has_new_faults(to))
		return rc;
	rc = check_held(c, to, err);
	return rc ? rc : net_faults_add(&change->faults, net, to, err);
}

// The values and faults are the run's now.
static void take_over(struct control *c, struct scene **next, const struct wish_changes *change)
{
	if (change->faults)
		net_faults_done(change->faults);
	if (!*next)
		return;
	scene_free(c->now);
	c->now = *next;
	c->n_sets++;
	*next = NULL;
}

static void open_free(struct control_open *o)
{
	net_change_free(o->change.values);
	net_change_free(o->change.faults);
	scene_free(o->next);
	scene_free(o->to);
	rt_order_free(o->order);
	free(o);
}

// Keeps a change that may still be carried out. If there is no memory for it, the change is never
// freed.
static void keep_open(
	struct control *c, struct wish_changes *change, struct scene *next, struct scene *to)
{
	struct control_open *o = malloc(sizeof(*o));

	if (!o)
		return;
	*o = (struct control_open){c->left, *change, next, to, c->open};
	c->open = o;
}

// Takes over the changes that lcores have carried out late.
static void look_at_open(struct control *c)
{
	for (struct control_open **at = &c->open, *o; (o = *at);) {
		// An order that was taken back is never done, though some lcore may look at it.
		if (rt_order_due(o->order) == TSTAMP_NEVER || rt_order_look(o->order)) {
			at = &o->following;
			continue;
		}
		take_over(c, &o->next, &o->change);
		*at = o->following;
		open_free(o);
	}
}

int control_steer(struct control *c, const struct control_peer *by, const struct control_wish *wish,
	json_t *answer, struct err *err)
{
	tstamp now = control_now_of(c), at = now;
	struct scene *next = NULL, *to = NULL;
	struct wish_changes change = {0};
	bool kept;
	int rc;

	look_at_open(c);
	rc = compile(c, wish, now, &next, &to, err);
	if (!rc)
		rc = changes(c, next, to, &change, err);
	change.keeps = change.faults || has_event(to, CTL_MAC_FRAMES);
	kept = !rc && change.keeps && !keep_scene(c, to);
	if (!rc && change.keeps && !kept)
		rc = err_set(err, -ENOMEM, "no memory");
	if (!rc) {
		put_warnings(answer, control_present(c), to ? to : next);
		rc = carry_out(c, by, wish, &change, &to, now, answer, &at, err);
	}
	if (!rc)
		take_over(c, &next, &change);
	if (rc == -EINPROGRESS) {
		keep_open(c, &change, next, kept ? NULL : to);
		return rc;
	}
	net_change_free(change.values);
	net_change_free(change.faults);
	if (!rc && keep(c, at, wish->event, by))
		rc = err_set(err, -ENOMEM, "it was done, but there is no memory to keep it");
	scene_free(next);
	if (!kept)
		scene_free(to);
	return rc;
}

// The wall time until a scene time, less EARLY, ms.
static int until(const struct control *c, tstamp at)
{
	tstamp wall = tstamp_since(at, control_now_of(c)) * dilate_of(c);

	return wall > EARLY ? (int)tstamp_min((wall - EARLY) / PS_PER_MS, 1000) : 0;
}

// Gives the next commands of a kept scene if their time has nearly come. Returns the ms until the
// ones that follow.
static int go_on_with(struct control *c, struct control_later *l)
{
	tstamp due = l->scene->event[l->next].at, done;
	struct rt_order_cmd *cmd;
	json_t *nobody;
	struct err err;
	int ms = until(c, due);

	if (ms)
		return ms;
	nobody = json_object();
	cmd = calloc(l->scene->n_events, sizeof(*cmd));
	if (cmd) {
		unsigned next = commands_of(c, l->scene, l->next, 0, cmd);

		give(c, cmd, next - l->next, 0, due, nobody, &done, &err);
		l->next = next;
	}
	free(cmd);
	json_decref(nobody);
	return 1;
}

int control_go_on(struct control *c)
{
	struct control_later **at = &c->later, *l;
	int wait;

	look_at_open(c);
	wait = c->open ? OPEN_MS : -1;
	while ((l = *at)) {
		int ms = go_on_with(c, l);

		if (l->next == l->scene->n_events) {
			*at = l->following;
			later_free(l);
			continue;
		}
		wait = wait < 0 || ms < wait ? ms : wait;
		at = &l->following;
	}
	return wait;
}

void control_steer_end(struct control *c)
{
	look_at_open(c);
	while (c->open) {
		struct control_open *o = c->open;

		c->open = o->following;
		if (rt_order_due(o->order) == TSTAMP_NEVER) // else nodes may use it until they end
			open_free(o);
	}
	while (c->later) {
		struct control_later *l = c->later;

		c->later = l->following;
		later_free(l);
	}
	scene_free(c->now);
	c->now = NULL;
}
