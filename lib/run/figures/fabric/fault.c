// SPDX-License-Identifier: BSD-3-Clause
// The faults of the scenario: how often each has hit, and where.
#include <errno.h>

#include "int.h"

struct fault_object {
	unsigned number;
	const char *port, *action, *text;
	bool optional, never;
	uint64_t matched, missed;
};

static void fill_fault(struct fault_object *o, const struct summary *s, const struct scene_fault *f)
{
	struct fault_record_stats is = net_fault_record(s->rec->net, f);

	*o = (struct fault_object){.number = f->record.number,
		.port = s->rec->scene->node[f->node].port[f->port].name,
		.action = fault_action_name(f->record.action),
		.text = f->text,
		.optional = f->optional,
		.never = !is.matched,
		.matched = is.matched,
		.missed = is.missed};
}

static int make_faults(struct summary *s, struct set *to)
{
	const struct net *net = s->rec->net;
	const unsigned n = net_n_faults(net);

	if (set_room(to, &kind_fault, n))
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		const struct scene_fault *f = net_fault_at(net, i);

		if (scene_is_here(s->rec->scene, f->node))
			fill_fault(set_add(to), s, f);
	}
	return 0;
}

unsigned fabric_faults_never_hit(const struct summary *s)
{
	const struct set *faults = kind_objects(s, KIND_FAULT);
	unsigned n = 0;

	for (unsigned i = 0; i < faults->n; i++) {
		const struct fault_object *o = set_at(faults, i);

		n += o->never && !o->optional;
	}
	return n;
}

static const struct figure figures[] = {
	ROW_ID(struct fault_object, number, "number",
		"its number among the faults of the scenario, from 1"),
	ROW_TEXT(struct fault_object, port, "port", "the port where frames are hit as they arrive"),
	ROW_TEXT(struct fault_object, action, "action", "what becomes of these frames"),
	ROW_TEXT(struct fault_object, text, "fault", "the fault as the scenario has it"),
	ROW_BOOL(struct fault_object, optional, "optional",
		"whether the run may pass although no frame was hit"),
	ROW_BOOL(struct fault_object, never, "never_hit", "whether no frame was hit"),
	ROW_COUNT(struct fault_object, matched, "matched_total", "frames",
		"frames that it hit, or forged, whole run"),
	ROW_COUNT(struct fault_object, missed, "missed_total", "frames",
		"frames that it named and could not hit, whole run: the frame lacks the field, or "
		"there was no room to hold or to copy it"),
};

// The name is the number.
static const char *fault_name(const void *object, char *buf)
{
	snprintf(buf, KIND_NAME, "%u", ((const struct fault_object *)object)->number);
	return buf;
}

static void could_faults(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_faults && !l->enough; i++)
		look_tell(l, "%u", l->s->fault[i]->record.number);
}

const struct kind kind_fault = {
	.key = "faults",
	.path = "fault",
	.title = "Faults",
	.about = "Each fault of the scenario ([faults.md](faults.md)), by its number from 1.",
	.example = "1",
	.if_any = true,
	.size = sizeof(struct fault_object),
	KIND_FIGURES(figures),
	.make = make_faults,
	.name = fault_name,
	.could = could_faults,
};
