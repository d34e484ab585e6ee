// SPDX-License-Identifier: BSD-3-Clause
// Values that change while a run goes on: the scenario is compiled again with them, by the thread
// that answers, and the nodes that differ then adopt them by one order.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "compile/compile.h"
#include "int.h"
#include "world/world.h"

// The values of {"PATH": "VALUE", ...}, for free(). NULL: not such a text, or no memory.
static struct scene_set *sets_of(json_t *j, unsigned *n)
{
	struct scene_set *set = calloc(json_object_size(j) + 1, sizeof(*set));
	const char *path;
	json_t *value;

	*n = 0;
	json_object_foreach(j, path, value)
	{
		if (!set || !json_is_string(value)) {
			free(set);
			return NULL;
		}
		set[(*n)++] = (struct scene_set){path, json_string_value(value)};
	}
	return set;
}

// A mark with the values as one types them.
static unsigned mark_of(
	struct control *c, struct rt_order_cmd *mark, json_t *values, const struct control_peer *by)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	unsigned n = 0;
	const char *path;
	json_t *value;

	if (!f)
		return 0;
	json_object_foreach(values, path, value)
		fprintf(f, "%s%s=%s", n++ ? " " : "", path, json_string_value(value));
	n = !fclose(f) && !control_mark(c, mark, "set", text, by);
	free(text);
	return n;
}

// Gives the nodes what differs between the present scene and the next one.
static int adopt(struct control *c, const struct control_peer *by, json_t *values, struct scene *to,
	json_t *answer, tstamp *at, struct err *err)
{
	struct net_change *change;
	struct rt_order_cmd *cmd;
	unsigned marks;
	int rc = net_change_new(&change, c->run.world->net, control_present(c), to,
		c->run.scene->n_changes + c->n_sets + 1, err);

	if (rc)
		return rc;
	cmd = calloc(change->n + 1, sizeof(*cmd));
	for (unsigned i = 0; cmd && i < change->n; i++)
		cmd[i] = (struct rt_order_cmd){change->order[i].node, change->order[i].ctl};
	*at = control_now_of(c);
	marks = cmd ? mark_of(c, &cmd[change->n], values, by) : 0;
	if (!cmd)
		rc = err_set(err, -ENOMEM, "no memory");
	else if (change->n)
		rc = control_give(c, cmd, change->n + marks, marks, 0, answer, at, err);
	free(cmd);
	if (rc != -EINPROGRESS)
		net_change_free(change);
	return rc;
}

// The scenario may set values itself, later; each of its events sets all that there are.
static int check_later(const struct control *c, struct err *err)
{
	const struct scene *s = c->run.scene;
	const struct scene_change *last = s->n_changes ? &s->change[s->n_changes - 1] : NULL;

	if (!last || last->at <= control_now_of(c))
		return 0;
	return err_set(err, -EINVAL,
		"the scenario itself sets values, the last time at %.6f ms; set yours behind that",
		(double)last->at / PS_PER_MS);
}

int control_set(struct control *c, const struct control_peer *by, const char *text, json_t *answer,
	struct err *err)
{
	json_t *values = json_loads(text, 0, NULL);
	struct scene *to = NULL;
	unsigned n;
	struct scene_set *set = sets_of(values, &n);
	char *action = NULL;
	tstamp at = 0;
	int rc = check_later(c, err);

	if (!rc)
		rc = set && n ? compile_change(&to, control_present(c), "value", set, n, err)
			      : err_set(err, -EINVAL, "values are {\"PATH\": \"VALUE\", ...}");

	if (!rc) {
		control_put_warnings(answer, control_present(c), to);
		rc = adopt(c, by, values, to, answer, &at, err);
	}
	if (!rc) {
		scene_free(c->now);
		c->now = to;
		c->n_sets++;
		to = NULL;
		if (asprintf(&action, "{set: %s}", text) < 0)
			action = NULL;
		if (control_keep(c, at, action, by))
			rc = err_set(
				err, -ENOMEM, "it was done, but there is no memory to keep it");
		free(action);
	}
	scene_free(to);
	free(set);
	json_decref(values);
	return rc;
}
