// SPDX-License-Identifier: BSD-3-Clause
// Events of a scene: turns them into commands to nodes, each with its instant.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

int compile_add_event(
	struct draft *b, tstamp at, unsigned node, uint32_t line, const struct ctl *ctl)
{
	struct scene *s = b->s;

	if ((s->n_events & (s->n_events - 1)) == 0) {
		struct scene_event *more =
			draft_get(b, (s->n_events ? s->n_events * 2 : 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		if (s->n_events)
			memcpy(more, s->event, s->n_events * sizeof(*more));
		s->event = more;
	}
	s->event[s->n_events++] =
		(struct scene_event){.at = at, .node = (uint16_t)node, .ctl = *ctl, .line = line};
	return 0;
}

int compile_node_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_node *n, const struct ctl *ctl)
{
	// The node is behind a device, so no node of ours can execute the event.
	if (n->external) {
		if (ctl->type != CTL_LINK_DOWN && ctl->type != CTL_LINK_UP)
			draft_warn(b, at,
				"on the real clock this event does nothing: "
				"'%s' is behind a device, so it is not ours",
				n->name);
		return 0;
	}
	return compile_add_event(b, e->at, n->index, at->line, ctl);
}

static int link_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const char *key, enum ctl_type type)
{
	const struct yamldoc_node *value = opt_source(&scene_opts_event, e, key);
	struct draft_node *node;
	unsigned port;
	int rc = draft_find_port(b, &node, &port, value->text, value);

	if (rc)
		return rc;

	const struct draft_link *l = node->port[port]->link;

	for (unsigned end = 0; !rc && end < 2; end++)
		rc = compile_node_event(b, e, at, l->node[end],
			&(struct ctl){.type = type, .port = (uint16_t)l->port[end]});
	return rc;
}

// A load begins or ends: its streams at all that send of them, or the messages that are to come.
static int load_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_flow *f, enum ctl_type type)
{
	unsigned pair = 0;
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->s->n_loads; i++) {
		const struct scene_load *l = b->s->load[i];
		// A loop that is late starts it later, and loses none of its messages.
		const struct ctl ctl = {.type = type, .id = i | CTL_LOAD, .a = e->at ? e->at : 1};

		if (l->first < f->first_qp || l->first >= f->first_qp + f->n_qps)
			continue;
		for (unsigned k = 0; !rc && k < l->n_pairs; k++, pair++)
			if (!k || l->pair[k].from != l->pair[k - 1].from)
				rc = compile_node_event(b, e, at, f->pair[pair].from, &ctl);
	}
	if (type == CTL_FLOW_START && f->spec->qps == OPT_WORD(0))
		return yamldoc_err(b->err, at,
			"flow_start starts no messages that have queue pairs of their own; give "
			"qps of flow '%s' a number",
			f->name);
	for (unsigned i = 0; !rc && i < b->n_flows; i++)
		if (b->flow[i]->of == f)
			rc = compile_node_event(b, e, at, b->flow[i]->pair[0].from,
				&(struct ctl){.type = type, .id = b->flow[i]->first_qp});
	return rc;
}

int compile_flow_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_flow *f, enum ctl_type type)
{
	bool pauses = type == CTL_PAUSE || type == CTL_RESUME;
	int rc = 0;

	if (f->sizes)
		return load_event(b, e, at, f, type);
	for (unsigned i = 0; !rc && i < f->n_qps; i++) {
		unsigned each =
			f->is_open_loop ? f->spec->open_loop.sources : (unsigned)f->spec->qps;
		unsigned pair = i / each;
		unsigned id = (f->first_qp + i) | (f->is_open_loop ? CTL_SOURCE : 0);
		const struct ctl ctl = {.type = type, .id = id};

		// The side that requests a READ posts its messages. A pause holds both sides, so
		// that no timeout counts.
		bool asks = !f->is_open_loop && f->spec->verb == RC_READ;

		if (!asks || pauses)
			rc = compile_node_event(b, e, at, f->pair[pair].from, &ctl);
		if (!rc && asks)
			rc = compile_node_event(b, e, at, f->pair[pair].to, &ctl);
	}
	return rc;
}

static int flow_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const char *key, enum ctl_type type)
{
	const struct yamldoc_node *value = opt_source(&scene_opts_event, e, key);

	for (unsigned i = 0; i < b->n_flows; i++)
		if (strcmp(b->flow[i]->name, value->text) == 0)
			return compile_flow_event(b, e, at, b->flow[i], type);
	return yamldoc_err(b->err, value, "there is no flow '%.60s'", value->text);
}

// A switch, or one port of it.
static int find_switch(struct draft *b, const struct yamldoc_node *value, struct draft_node **node,
	unsigned *port, const char *what)
{
	int rc = strchr(value->text, ':') ? draft_find_port(b, node, port, value->text, value)
					  : draft_find_node(b, node, value->text, value);

	if (!rc && !(*node)->is_switch)
		return yamldoc_err(
			b->err, value, "'%s' is a host; switches have %s", (*node)->name, what);
	return rc;
}

static int flush_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const char *key, enum ctl_type type)
{
	const struct yamldoc_node *value = opt_source(&scene_opts_event, e, key);
	struct draft_node *node;
	unsigned port = PKT_NO_PORT;
	int rc = find_switch(b, value, &node, &port, "an FDB");

	if (rc)
		return rc;
	return compile_node_event(
		b, e, at, node, &(struct ctl){.type = type, .port = (uint16_t)port});
}

static int pfcwd_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const char *key, enum ctl_type type)
{
	const struct yamldoc_node *value = opt_source(&scene_opts_event, e, key);
	struct draft_node *node;
	unsigned port = PKT_NO_PORT;
	int rc = find_switch(b, value, &node, &port, "PFC watchdogs");
	bool any = false;

	if (rc || node->external)
		return rc;

	const struct sw_params *sw = &b->s->node[node->index].u.sw;

	for (unsigned i = 0; i < sw->n_ports; i++)
		any |= (port == PKT_NO_PORT || port == i) && sw->port[i].wd_classes;
	if (!any)
		return yamldoc_err(b->err, value,
			"'%s' has no pfc_watchdog for a class with PFC; give it one, with enable: "
			"false "
			"where it waits for this event",
			value->text);
	return compile_node_event(
		b, e, at, node, &(struct ctl){.type = type, .port = (uint16_t)port});
}

// Returns the first port of an event, which is for one port or all (PKT_NO_PORT), where a queue is
// strict; PKT_NO_PORT: none.
static unsigned strict_port(const struct sw_params *p, unsigned port, unsigned queue)
{
	for (unsigned i = 0; i < p->n_ports; i++)
		if ((port == PKT_NO_PORT || port == i) && sw_port_set(p, i)->cls[queue].strict)
			return i;
	return PKT_NO_PORT;
}

static int weight_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at)
{
	const struct opt_table *t = opt_row(&scene_opts_event, "dwrr_weight")->sub;
	const struct spec_weight *w = &e->dwrr_weight;
	struct draft_node *node;
	unsigned port = PKT_NO_PORT, strict;
	int rc = opt_require(t, w, opt_source(&scene_opts_event, e, "dwrr_weight"), b->err);

	if (!rc)
		rc = find_switch(b, opt_source(t, w, "port"), &node, &port,
			"weights that an event can change");
	if (rc || node->external)
		return rc;
	strict = strict_port(&b->s->node[node->index].u.sw, port, w->queue);
	if (strict != PKT_NO_PORT)
		return yamldoc_err(b->err, opt_source(&scene_opts_event, e, "dwrr_weight"),
			"queue %u of '%s' is strict and has no weight", w->queue,
			b->s->node[node->index].u.sw.n_sets > 1 ? node->port[strict]->name
								: node->name);
	return compile_node_event(b, e, at, node,
		&(struct ctl){.type = CTL_WEIGHT,
			.port = (uint16_t)port,
			.cls = w->queue,
			.a = w->weight});
}

static int storm_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at)
{
	const struct opt_table *t = opt_row(&scene_opts_event, "pfc_storm")->sub;
	const struct spec_storm *storm = &e->pfc_storm;
	struct draft_node *node;
	unsigned port;
	int rc = opt_require(t, storm, opt_source(&scene_opts_event, e, "pfc_storm"), b->err);

	if (!rc)
		rc = draft_find_port(b, &node, &port, storm->port, opt_source(t, storm, "port"));
	if (rc)
		return rc;
	if (node->is_switch ? node->sw->flow_control == SPEC_PAUSE : hardware_peer_pauses(node, 0))
		return yamldoc_err(b->err, opt_source(t, storm, "port"),
			"'%s' has flow_control: pause on its link and sends no PFC; "
			"mac_frames at a host sends PAUSE again and again",
			storm->port);
	if (storm->count > 1 && (storm->every == OPT_NONE || storm->every <= storm->span))
		return yamldoc_err(b->err, opt_source(t, storm, "count"),
			"a storm ends before the next begins; give `every`, longer than `for`");
	for (unsigned i = 0; !rc && i < storm->count; i++) {
		struct spec_event one = {.at = e->at + i * storm->every};

		rc = compile_node_event(b, &one, at, node,
			&(struct ctl){.type = CTL_PFC_STORM,
				.port = (uint16_t)port,
				.quanta = storm->quanta,
				.cls = storm->cls,
				.a = one.at + storm->span});
	}
	return rc;
}

// Adds writes to one queue pair of a node, or to each queue pair that the RDMA IP has there.
static int reg_writes(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_node *n, struct ctl ctl)
{
	const uint32_t base = ctl.id;
	bool any = false, per_qp = rdma_ip_reg_qpn(base) && e->reg.qp == OPT_NONE;
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->s->n_flows; i++) {
		const struct scene_flow *f = b->s->flow[i];

		if (f->from != n->index || !rp_registers(f->rp) || (any && !per_qp))
			continue;
		if (per_qp)
			ctl.id = base + (f->src_qp - 1) * RDMA_IP_REG_QP_STRIDE;
		rc = compile_node_event(b, e, at, n, &ctl);
		any = true;
	}
	if (rc || any || n->external)
		return rc;
	return yamldoc_err(b->err,
		opt_source(opt_row(&scene_opts_event, "reg")->sub, &e->reg, "node"),
		"host '%s' sends nothing with a control of profile rdma_ip", n->name);
}

static int reg_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at)
{
	const struct opt_table *t = opt_row(&scene_opts_event, "reg")->sub;
	struct draft_names names = {0};
	struct rdma_ip_place place;
	uint64_t value;
	int rc = opt_require(t, &e->reg, opt_source(&scene_opts_event, e, "reg"), b->err);

	if (!rc)
		rc = reg_name_write(&place, &value, opt_source(t, &e->reg, "name"),
			opt_source(t, &e->reg, "value"),
			e->reg.qp == OPT_NONE ? 1 : (uint32_t)e->reg.qp, b->err);
	if (!rc)
		rc = draft_names(b, &names, e->reg.node);
	for (unsigned i = 0; !rc && i < names.n; i++) {
		struct draft_node *node;

		rc = draft_find_node(b, &node, names.name[i], names.at[i]);
		if (!rc)
			rc = reg_writes(b, e, at, node,
				(struct ctl){.type = CTL_REG,
					.id = place.address,
					.lsb = place.lsb,
					.width = place.width,
					.a = value});
	}
	return rc;
}

static int action(
	struct draft *b, const struct spec_event *e, const struct yamldoc_node *at, const char *key)
{
	static const struct {
		const char *key;
		int (*make)(struct draft *, const struct spec_event *, const struct yamldoc_node *,
			const char *, enum ctl_type);
		enum ctl_type type;
	} named[] = {
		{"link_down", link_event, CTL_LINK_DOWN},
		{"link_up", link_event, CTL_LINK_UP},
		{"flow_start", flow_event, CTL_FLOW_START},
		{"flow_stop", flow_event, CTL_FLOW_STOP},
		{"fdb_flush", flush_event, CTL_FDB_FLUSH},
		{"pfcwd_start", pfcwd_event, CTL_PFCWD_START},
		{"pfcwd_stop", pfcwd_event, CTL_PFCWD_STOP},
		{"pause", compile_pause_event, CTL_PAUSE},
		{"resume", compile_pause_event, CTL_RESUME},
		{"mark", compile_mark_event, CTL_USER_MARK},
	};

	for (unsigned i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (strcmp(named[i].key, key) == 0)
			return named[i].make(b, e, at, key, named[i].type);
	}
	if (strcmp(key, "set") == 0)
		return compile_change_note(b, e->at, at->line, e->set);
	if (strcmp(key, "fault") == 0)
		return compile_fault(b, e->fault, e->at, b->live);
	if (strcmp(key, "quiesce") == 0)
		return compile_quiesce_event(b, e, at);
	if (strcmp(key, "stop") == 0)
		return compile_stop_event(b, e, at);
	if (strcmp(key, "mac_frames") == 0)
		return compile_mac_event(b, e, at);
	if (strcmp(key, "pulse") == 0)
		return compile_pulse_event(b, e, at);
	if (strcmp(key, "reg") == 0)
		return reg_event(b, e, at);
	return strcmp(key, "dwrr_weight") == 0 ? weight_event(b, e, at) : storm_event(b, e, at);
}

static int event_line(struct draft *b, const struct yamldoc_node *at)
{
	struct spec_event e = {0};

	opt_init(&scene_opts_event, &e);

	int rc = opt_apply(&scene_opts_event, &e, at, b->err);

	if (!rc)
		rc = opt_require(&scene_opts_event, &e, at, b->err);
	if (rc)
		return rc;
	if (at->n != 2)
		return yamldoc_err(b->err, at,
			"an event has `at` and one action: link_down, link_up, flow_start, "
			"flow_stop, quiesce, pause, resume, mark, stop, "
			"fdb_flush, pfcwd_start, pfcwd_stop, dwrr_weight, pfc_storm, mac_frames, "
			"pulse, reg, set or fault");
	if (e.at >= b->s->duration)
		draft_warn(b, at, "an event at or after the end of the run never happens");
	for (unsigned i = 0; i < at->n; i++) {
		if (strcmp(at->item[i].key->text, "at") != 0)
			return action(b, &e, at, at->item[i].key->text);
	}
	return 0;
}

// Orders pointers into the list of the file by time; events at one instant keep their order.
static int by_time(const void *one, const void *two)
{
	const struct scene_event *a = *(struct scene_event *const *)one;
	const struct scene_event *b = *(struct scene_event *const *)two;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a > b) - (a < b);
}

int compile_sort_events(struct draft *b)
{
	struct scene *s = b->s;
	unsigned n = s->n_events;
	struct scene_event **at = draft_get(b, (n + 1) * sizeof(struct scene_event *));
	struct scene_event *sorted = draft_get(b, (n + 1) * sizeof(*sorted));

	if (!at || !sorted)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		at[i] = &s->event[i];
	qsort(at, n, sizeof(*at), by_time);
	for (unsigned i = 0; i < n; i++)
		sorted[i] = *at[i];
	s->event = sorted;
	return 0;
}

static int event_list(struct draft *b, const struct yamldoc_node *list, bool faults_only)
{
	int rc = 0;

	for (unsigned i = 0; !rc && list && i < list->n; i++)
		if (!faults_only || yamldoc_get(list->item[i].value, "fault"))
			rc = event_line(b, list->item[i].value);
	return rc;
}

int compile_events(struct draft *b)
{
	const bool acts = b->again && b->again->actions;
	int rc = event_list(b, acts ? b->replaced : b->top.events, acts);

	b->live = acts;
	if (!rc)
		rc = compile_live_faults(b);
	if (!rc && acts)
		rc = event_list(b, b->top.events, false);
	return rc ? rc : compile_sort_events(b);
}
