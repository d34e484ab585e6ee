// SPDX-License-Identifier: BSD-3-Clause
// Faults of a scenario: each record of `faults` and each event `fault`, resolved to a port, queue
// pairs and values.
#include <errno.h>
#include <string.h>

#include "fault_int.h"

const struct yamldoc_node *fault_place(const struct fault_make *m, const char *key)
{
	return draft_given(&scene_opts_fault, &m->spec, key, m->at);
}

static bool is_forged(const struct yamldoc_node *action)
{
	const char *forge = fault_action_name(FAULT_FORGE);

	return action->type == YAMLDOC_SCALAR
		       ? !strcmp(action->text, forge)
		       : action->type == YAMLDOC_MAP && yamldoc_get(action, forge);
}

// The classes that frames of hosts have, as a bitmap. Frames of the MAC have class 0.
static uint8_t classes_in_use(const struct scene *s)
{
	uint8_t classes = 1;

	for (unsigned i = 0; i < s->n_flows; i++)
		classes |= (uint8_t)(1 << s->flow[i]->req.cls | 1 << s->flow[i]->rsp.ack_cls);
	for (unsigned i = 0; i < s->n_sources; i++)
		classes |= (uint8_t)(1 << s->source[i]->gen.cls);
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].kind == SCENE_NIC)
			classes |= (uint8_t)(1 << s->node[i].u.nic.cnp_class);
	return classes;
}

static bool has_address(const struct scene *s, const struct scene_fault_pair *p)
{
	bool has = false;

	for (unsigned i = 0; i < s->n_flows && !has; i++)
		has = !memcmp(s->flow[i]->hdr_data.daddr, p->daddr, sizeof(p->daddr)) ||
		      !memcmp(s->flow[i]->hdr_ack.daddr, p->daddr, sizeof(p->daddr));
	return has;
}

// A record that names a class or an address that no frame of the scenario has.
static void warn_idle(struct fault_make *m)
{
	const struct scene *s = m->b->s;
	const struct scene_fault *f = m->f;
	const uint8_t classes = f->record.classes;

	if (m->forges || s->n_loads || compile_has_other_frames(s))
		return;
	if (classes && !(classes & classes_in_use(s)))
		draft_warn(m->b, fault_place(m, "class"),
			"fault %u hits no frame: no flow or source has its class; name another one",
			f->record.number);
	for (unsigned i = 0; i < f->n_pairs; i++)
		if (f->pair[i].flow == SCENE_FAULT_GIVEN && !has_address(s, &f->pair[i]))
			draft_warn(m->b, m->at,
				"fault %u hits no frame: no flow has a queue pair at its address; "
				"name another one",
				f->record.number);
}

static int make(struct fault_make *m)
{
	int rc;

	opt_init(&scene_opts_fault, &m->spec);
	rc = opt_apply(&scene_opts_fault, &m->spec, m->at, m->b->err);
	if (!rc)
		rc = opt_require(&scene_opts_fault, &m->spec, m->at, m->b->err);
	if (!rc)
		m->forges = is_forged(m->spec.action);
	if (!rc)
		rc = fault_words(m);
	if (!rc)
		rc = fault_pairs(m);
	if (!rc)
		rc = fault_action(m);
	if (!rc)
		warn_idle(m);
	return rc ? rc : fault_clash(m);
}

int compile_fault(struct draft *b, const struct yamldoc_node *at, tstamp begins, bool live)
{
	struct fault_make m = {.b = b, .at = at, .live = live};
	void **place;

	m.f = draft_get(b, sizeof(*m.f));
	place = m.f ? draft_push(b, &b->s->fault, &b->s->n_faults) : NULL;
	if (!place)
		return -ENOMEM;
	*place = m.f;
	m.f->line = live ? 0 : at->line;
	m.f->where = at->line ? arena_format(b->a, "%s:%u:%u", at->where, at->line, at->column)
			      : at->where;
	m.f->text = scene_text_value(b->a, at);
	if (!m.f->where || !m.f->text)
		return err_set(b->err, -ENOMEM, "out of memory");
	m.f->record.number = b->s->n_faults;
	m.f->record.begins = begins;
	return make(&m);
}

int compile_faults(struct draft *b)
{
	const struct yamldoc_node *list = b->top.faults;
	int rc = 0;

	for (unsigned i = 0; !rc && list && i < list->n; i++)
		rc = compile_fault(b, list->item[i].value, 0, false);
	return rc;
}

int compile_live_faults(struct draft *b)
{
	const struct scene *from = b->again ? b->again->from : NULL;
	int rc = 0;

	for (unsigned i = 0; !rc && from && i < from->n_faults; i++) {
		const struct scene_fault *f = from->fault[i];
		struct yamldoc_node *tree;

		if (f->line)
			continue;
		rc = yamldoc_parse(b->a, &tree, "do", f->text, strlen(f->text), b->err);
		if (!rc)
			rc = compile_fault(b, tree, f->record.begins, true);
	}
	return rc;
}
