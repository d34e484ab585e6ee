// SPDX-License-Identifier: BSD-3-Clause
// The user's selection from a file of events, in the names of that file.
#include "pick.h"

#include <errno.h>

static bool has_flow(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return !strncmp(name, wanted, n) && (!name[n] || name[n] == '[');
}

// Returns whether a field of the event names the wanted flow.
static bool is_of_flow(const struct evf_names *n, const struct ev *e, const char *wanted)
{
	const struct ev_row *row = n->type[e->type].row;

	for (unsigned i = 0; i < row->n_fields; i++) {
		const struct ev_field *f = &row->field[i];
		uint32_t v = (uint32_t)ev_get_field(e, f);

		if (f->form == EV_FORM_FLOW && has_flow(evf_text(&n->flow, v)->s, wanted))
			return true;
		if (f->form == EV_FORM_HDR && has_flow(evf_owner_name(n, v)->s, wanted))
			return true;
	}
	return false;
}

bool evf_pick_has(const struct evf_pick *p, const struct evf_names *n, const struct ev *e)
{
	return e->t >= p->from && e->t < p->to && p->types >> e->type & 1 &&
	       (!p->by_port || (e->node == p->node && e->port == p->port)) &&
	       (!p->flow || is_of_flow(n, e, p->flow));
}

// Reports that the file has no such name, with the nearest one. `near` has seen all names.
static int unknown(struct err *err, const char *what, const char *text, const struct near *near)
{
	char hint[NEAR_NAME + 32];

	return err_set(err, -ENOENT, "there is no %s '%.200s' in the file%s", what, text,
		near_hint(near, "", hint, sizeof(hint)));
}

static int pick_type(
	struct evf_pick *p, const struct evf_names *n, const char *name, struct err *err)
{
	struct near near = near_to(name);

	for (unsigned i = 0; i < n->n_types; i++) {
		if (!strcmp(n->type[i].row->name, name)) {
			p->types |= 1ull << i;
			return 0;
		}
		near_see(&near, n->type[i].row->name);
	}
	return unknown(err, "type of event", name, &near);
}

int evf_pick_types(struct evf_pick *p, const struct evf_names *n, const char *text, struct err *err)
{
	int code = 0;

	p->types = 0;
	for (const char *next = text; next && !code; text = next + 1) {
		char name[NEAR_NAME];

		next = strchr(text, ',');
		snprintf(name, sizeof(name), "%.*s", next ? (int)(next - text) : NEAR_NAME - 1,
			text);
		code = pick_type(p, n, name, err);
	}
	return code;
}

int evf_pick_port(struct evf_pick *p, const struct evf_names *n, const char *text, struct err *err)
{
	struct near near = near_to(text);

	for (unsigned i = 0; i < n->n_nodes; i++)
		for (unsigned k = 0; k < n->node[i].n_ports; k++) {
			const char *name = evf_port_name(n, i, k)->s;

			near_see(&near, name);
			if (strcmp(name, text) != 0)
				continue;
			p->by_port = true;
			p->node = i;
			p->port = (uint16_t)k;
			return 0;
		}
	return unknown(err, "port", text, &near);
}

int evf_pick_flow(struct evf_pick *p, const struct evf_names *n, const char *text, struct err *err)
{
	struct near near = near_to(text);

	for (uint64_t i = 0; i < (uint64_t)n->flow.n + n->source.n; i++) {
		const char *name = i < n->flow.n ? evf_text(&n->flow, i)->s
						 : evf_text(&n->source, i - n->flow.n)->s;
		char before[sizeof(struct fmt_text)];

		if (has_flow(name, text)) {
			p->flow = text;
			return 0;
		}
		snprintf(before, sizeof(before), "%.*s", (int)strcspn(name, "["), name);
		near_see(&near, before);
		near_see(&near, name);
	}
	return unknown(err, "flow", text, &near);
}
