// SPDX-License-Identifier: BSD-3-Clause
// Events that concern all senders, or the run: a quiesce, a pause, a mark and a stop.
#include <errno.h>
#include <string.h>

#include "int.h"

#define MARK_MOST 80 // bytes of a mark's text

// Whether a node of this process can take a command. Nodes behind devices cannot.
static bool is_ours(const struct draft_node *n)
{
	return !n->external;
}

static bool sends(const struct draft_node *n)
{
	return !n->is_switch && is_ours(n);
}

int compile_quiesce_event(
	struct draft *b, const struct spec_event *e, const struct yamldoc_node *at)
{
	const struct spec_quiesce *q = &e->quiesce;
	const struct ctl ctl = {.type = CTL_QUIESCE, .a = q->then == SPEC_GO_ON, .b = q->within};
	int rc = 0;

	if (!ctl.a && e->at < b->s->warmup)
		draft_warn(b, at, "the run stops in its warm-up, so its figures have no time");
	for (unsigned i = 0; !rc && i < b->n_nodes; i++)
		if (sends(b->node[i]))
			rc = compile_node_event(b, e, at, b->node[i], &ctl);
	return rc;
}

static const struct draft_node *node_at(const struct draft *b, unsigned index)
{
	for (unsigned i = 0; i < b->n_nodes; i++)
		if (b->node[i]->index == index)
			return b->node[i];
	return NULL;
}

// The receivers of the READs that a host serves count no timeout while the host is paused.
static int pause_readers(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_node *host, enum ctl_type type)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->s->n_flows; i++) {
		const struct scene_flow *f = b->s->flow[i];

		if (f->from == host->index && f->rc->p.verb == RC_READ)
			rc = compile_node_event(
				b, e, at, node_at(b, f->to), &(struct ctl){.type = type, .id = i});
	}
	return rc;
}

static int pause_host(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_node *host, enum ctl_type type)
{
	int rc = compile_node_event(b, e, at, host, &(struct ctl){.type = type, .id = CTL_HOST});

	return rc ? rc : pause_readers(b, e, at, host, type);
}

// A flow, a group of them, what a host sends, or all.
int compile_pause_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const char *key, enum ctl_type type)
{
	const struct yamldoc_node *value = opt_source(&scene_opts_event, e, key);
	bool all = strcmp(value->text, "all") == 0, found = all;
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->n_flows; i++) {
		const struct draft_flow *f = b->flow[i];
		const char *group = f->spec->group ? f->spec->group : f->name;

		if (all || f->of || (strcmp(f->name, value->text) && strcmp(group, value->text)))
			continue;
		found = true;
		rc = compile_flow_event(b, e, at, f, type);
	}
	for (unsigned i = 0; !rc && i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];

		if (n->is_switch || !(all ? sends(n) : !strcmp(n->name, value->text)))
			continue;
		found = true;
		rc = pause_host(b, e, at, n, type);
	}
	if (rc || found)
		return rc;
	return yamldoc_err(b->err, value,
		"there is no flow, group or host '%.60s'; 'all' means every source", value->text);
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

// The first node that is ours tells the mark.
int compile_mark_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const char *key, enum ctl_type type)
{
	const struct yamldoc_node *value = opt_source(&scene_opts_event, e, key);
	const char *text = arena_text(b->a, e->mark, strlen(e->mark));
	unsigned n = 0;

	if (!text)
		return -ENOMEM;
	if (!*e->mark || strlen(e->mark) > MARK_MOST || !is_printable(e->mark))
		return yamldoc_err(b->err, value,
			"a mark is a line of 1 to %u characters, as in 'Kmin is 400KB'", MARK_MOST);
	for (unsigned i = 0; i < b->s->n_events; i++)
		n += b->s->event[i].ctl.type == type;
	for (unsigned i = 0; i < b->n_nodes; i++)
		if (is_ours(b->node[i]))
			return compile_node_event(b, e, at, b->node[i],
				&(struct ctl){.type = type, .id = n, .with = text});
	return 0;
}

int compile_stop_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at)
{
	int rc = 0;

	if (e->at <= b->s->warmup)
		return yamldoc_err(b->err, at,
			"the run stops before its warm-up has ended, so its figures have no time");
	for (unsigned i = 0; !rc && i < b->n_nodes; i++)
		if (is_ours(b->node[i]))
			rc = compile_node_event(
				b, e, at, b->node[i], &(struct ctl){.type = CTL_STOP});
	return rc;
}
