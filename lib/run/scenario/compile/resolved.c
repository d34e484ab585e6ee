// SPDX-License-Identifier: BSD-3-Clause
// The scene in words: every option with its value, unit and source, as a scenario again.
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "schema/schema.h"

#define FEW_FLOWS 4096 // queue pairs and sources of which each row has all its options
#define FEW_ROWS  64   // rows that have them whatever the number of flows

// Returns the options of a switch as text, for free(). NULL: memory is out.
static char *switch_text(const struct text *t, const struct spec_switch *sw)
{
	struct text one = *t;
	char *text = NULL;
	size_t size;

	one.f = open_memstream(&text, &size);
	if (!one.f)
		return NULL;
	one.indent++;
	scene_text_table(&one, &scene_opts_switch, sw);
	if (!fclose(one.f))
		return text;
	free(text);
	return NULL;
}

// Switches that share their settings share their text; without memory for it, each writes it.
static void put_switches(struct text *t, struct draft *b)
{
	const struct spec_switch *last = NULL;
	char *text = NULL;

	for (unsigned i = 0; i < b->n_switches; i++) {
		const struct spec_switch *sw = b->node[i]->sw;

		if (sw != last) {
			free(text);
			text = switch_text(t, sw);
		}
		last = sw;
		scene_text_line(t, NULL, "%s:", b->node[i]->name);
		t->indent++;
		if (text)
			fputs(text, t->f);
		else
			scene_text_table(t, &scene_opts_switch, sw);
		t->indent--;
	}
	free(text);
}

// Returns whether two hosts fit into one range of names: the second has the next number, and
// nothing else differs.
static bool is_next(const struct draft_node *one, const struct draft_node *two)
{
	size_t n = near_number_at(one->name);
	char name[64];

	if (two->is_switch || hardware_replays(one) ||
		opt_source(&scene_opts_host, one->host, "mac") ||
		opt_source(&scene_opts_host, one->host, "ip"))
		return false;
	snprintf(name, sizeof(name), "%.*s%lu", (int)n, one->name,
		strtoul(one->name + n, NULL, 10) + 1);
	return one->name[n] && strcmp(name, two->name) == 0 &&
	       memcmp(one->host, two->host, sizeof(*one->host)) == 0;
}

static void host_run(struct text *t, struct draft_node **node, unsigned n)
{
	const char *first = node[0]->name,
		   *last = node[n - 1]->name + near_number_at(node[n - 1]->name);
	char address[INET6_ADDRSTRLEN] = "";
	struct opt_ip ip;
	uint8_t mac[6];

	if (n == 1) {
		scene_text_line(t, NULL, "%s:", first);
		hardware_address(node[0], node[0]->host->mac, &node[0]->host->ip);
	} else {
		hardware_address(node[0], mac, &ip);
		inet_ntop(ip.v6 ? AF_INET6 : AF_INET, ip.bytes, address, sizeof(address));
		scene_text_line(t, NULL, "# mac from %02x:%02x:%02x:%02x:%02x:%02x, ip from %s",
			mac[0], mac[1], mac[2], mac[3], mac[4], mac[5], address);
		scene_text_line(t, NULL, "%s..%s:", first, last);
		t->ranged = true;
	}
	t->indent++;
	scene_text_table(t, &scene_opts_host, node[0]->host);
	t->indent--;
	t->ranged = false;
}

static void put_hosts(struct text *t, struct draft *b)
{
	for (unsigned i = 0, n; i < b->n_nodes; i += n) {
		n = 1;
		if (b->node[i]->is_switch)
			continue;
		while (!t->bare && i + n < b->n_nodes &&
			is_next(b->node[i + n - 1], b->node[i + n]))
			n++;
		host_run(t, &b->node[i], n);
	}
}

static unsigned rates_of(const struct scene *s, const char *control)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_controls; i++)
		n += strcmp(s->control[i]->name, control) == 0;
	return n;
}

static void control_qcn(struct text *t, const struct draft_control *c)
{
	scene_text_line(t, NULL, "%s:", c->name);
	t->indent++;
	scene_text_line(t, NULL, "qcn:");
	t->indent++;
	scene_text_table(t, &scene_opts_qcn_rp, &c->spec.qcn);
	t->indent -= 2;
}

// A control that runs at several line rates leaves to its profile what the file does not say.
static void put_controls(struct text *t, struct draft *b)
{
	for (unsigned i = 0; i < b->n_controls; i++) {
		const struct draft_control *c = b->control[i];
		char line[32], note[80];

		if (hardware_control_is_qcn(c)) {
			control_qcn(t, c);
			continue;
		}
		if (c->profile) {
			scene_text_line(t, NULL, "%s:", c->name);
			t->indent++;
			scene_text_table(t, traffic_control_table(c), traffic_control_spec(c));
			t->indent--;
			continue;
		}

		snprintf(note, sizeof(note), "profile %s at %s",
			scene_opts_profiles[c->spec.profile],
			units_format(UNITS_RATE, c->spec.p.line_rate, line, sizeof(line)));
		scene_text_line(t, NULL, "%s:", c->name);
		t->indent++;
		for (unsigned r = 0; r < scene_opts_control.n; r++) {
			const struct opt *row = &scene_opts_control.row[r];
			const struct yamldoc_node *src = scene_text_source(&c->spec, r);
			bool varies = !src && r && rates_of(b->s, c->name) > 1;
			char value[64], from[80];

			if (row->flags & t->hide ||
				!opt_format(row, &c->spec, value, sizeof(value)))
				continue;
			scene_text_line(t,
				src || !r ? scene_text_origin(t, src, from, sizeof(from)) : note,
				"%s%s: %s", varies ? "# " : "", row->key, value);
		}
		t->indent--;
	}
}

// One line of the file may describe many links.
static void put_links(struct text *t, struct draft *b)
{
	const struct yamldoc_node *last = NULL;

	for (unsigned i = 0; i < b->n_links; i++) {
		struct spec_link spec = b->link[i]->spec;
		char between[512], value[64], note[80];

		if (b->link[i]->at == last)
			continue;
		last = b->link[i]->at;
		opt_format(&scene_opts_link.row[0], &spec, between, sizeof(between));
		scene_text_line(t, scene_text_origin(t, last, note, sizeof(note)), "- between: %s",
			between);
		t->indent++;
		for (unsigned r = 1; r < scene_opts_link.n; r++) {
			const struct opt *row = &scene_opts_link.row[r];
			const struct yamldoc_node *src = scene_text_source(&spec, r);

			opt_format(row, &spec, value, sizeof(value));
			scene_text_line(t, scene_text_origin(t, src, note, sizeof(note)), "%s: %s",
				row->key, value);
		}
		t->indent--;
	}
}

// Puts the layers of a port over each other, the first one lowest.
static void apply_layers(struct spec_port *own, const struct draft_layer *layer)
{
	struct err err;

	if (!layer)
		return;
	apply_layers(own, layer->before);
	opt_apply(&scene_opts_port, own, layer->value, &err);
}

// A map is shown as a whole, with the slots that are the switch's.
static void fill_maps(struct spec_port *own, const struct spec_port *all)
{
	memcpy(own->dscp_map, all->dscp_map, sizeof(own->dscp_map));
	memcpy(own->pcp_map, all->pcp_map, sizeof(own->pcp_map));
	memcpy(own->queue_map, all->queue_map, sizeof(own->queue_map));
	memcpy(own->pg_map, all->pg_map, sizeof(own->pg_map));
}

// Writes only the port's own options: the others belong to its switch and its link.
static void port_text(struct text *t, struct draft *b, const struct draft_port *port)
{
	struct spec_port *own = draft_scrap(b, sizeof(*own));

	if (!own)
		return;
	opt_init(&scene_opts_port, own);
	apply_layers(own, port->layer);
	fill_maps(own, port->spec);
	t->given_only = true;
	if (!t->bare || scene_text_any(t, &scene_opts_port, own)) {
		scene_text_line(t, NULL, "\"%s\":", port->name);
		t->indent++;
		scene_text_table(t, &scene_opts_port, own);
		t->indent--;
	}
	t->given_only = false;
}

static void put_port_texts(struct text *t, struct draft *b)
{
	for (unsigned i = 0; i < b->n_nodes; i++) {
		for (unsigned p = 0; p < b->node[i]->n_ports; p++) {
			if (b->node[i]->port[p]->layer)
				port_text(t, b, b->node[i]->port[p]);
		}
	}
}

static void put_flow_table(struct text *t, const struct spec_flow *spec, bool is_open_loop)
{
	const unsigned hide = t->hide;

	t->indent++;
	t->hide = hide | (is_open_loop ? OPT_F_ROCE : 0);
	scene_text_table(t, &scene_opts_flow, spec);
	t->hide = hide;
	t->indent--;
}

static bool same_repair(const struct rc_params *a, const struct rc_params *b)
{
	return a->window == b->window && a->rto_ps == b->rto_ps && a->rto_low_ps == b->rto_low_ps;
}

static void came_to(struct spec_flow *own, const char *key, uint64_t *value, uint64_t is)
{
	static const struct yamldoc_node automatic = {.where = "auto"};

	if (*value != OPT_AUTO)
		return;
	*value = is;
	own->src.node[opt_row(&scene_opts_flow, key) - scene_opts_flow.row] = &automatic;
}

// Shows what `auto` came to for the window and the timeouts of selective repeat, if it is the same
// for all queue pairs of the flow.
static void put_flow(struct text *t, const struct draft *b, const struct draft_flow *f)
{
	bool shows =
		!t->bare && !f->is_open_loop && f->spec->recovery != SPEC_GO_BACK_N && f->n_qps;
	const struct rc_params *p = shows ? &b->s->flow[f->first_qp]->rc->p : NULL;
	struct spec_flow own = *f->spec;

	for (unsigned i = 1; shows && i < f->n_qps; i++)
		shows = same_repair(p, &b->s->flow[f->first_qp + i]->rc->p);
	if (shows) {
		came_to(&own, "cap", &own.cap, p->window);
		came_to(&own, "rto_low", &own.rto_low, p->rto_low_ps);
		came_to(&own, "rto_high", &own.rto_high, p->rto_ps);
	}
	put_flow_table(t, &own, f->is_open_loop);
}

// Writes the fields of a flow that come from a list, on one line. All other fields are the same for
// all flows of the list.
static void put_listed(struct text *t, const struct draft_flow *f)
{
	const struct draft_pair *p = f->pair;

	scene_text_line(t, NULL, "%s: %s %s %u %u %llu %llu", f->name, p->from->name, p->to->name,
		f->cls, f->dport, (unsigned long long)f->message, (unsigned long long)f->start.low);
}

// Flows that are neither lines of a list nor of a job.
static unsigned count_rows(const struct draft *b)
{
	unsigned n = 0;

	while (n < b->n_flows && !b->flow[n]->listed && !b->flow[n]->job)
		n++;
	return n;
}

// If there are many flows, the first show every option, and the others only the options in the
// file. A list of flows has a file of its own.
static void put_flows(struct text *t, struct draft *b)
{
	bool many =
		!t->bare && b->n_flows > FEW_ROWS && b->s->n_flows + b->s->n_sources > FEW_FLOWS;
	unsigned rows = 0;

	if (t->bare && b->listed) {
		scene_text_line(t, NULL, "defaults:");
		put_flow_table(t, b->listed, false);
	}
	for (unsigned i = 0; i < b->n_flows; i++) {
		if (b->flow[i]->of || b->flow[i]->job) // a load or a job has a row
			continue;
		if (b->flow[i]->listed) {
			if (t->bare)
				put_listed(t, b->flow[i]);
			continue;
		}
		if (many && rows++ == FEW_ROWS) {
			scene_text_line(t, NULL,
				"# Of the %u flow%s below only what is given stands here; all else "
				"has the defaults.",
				count_rows(b) - i, plural(count_rows(b) - i));
			t->given_only = true;
		}
		scene_text_line(t, NULL, "%s:", b->flow[i]->name);
		put_flow(t, b, b->flow[i]);
	}
	t->given_only = false;
}

static void put_jobs(struct text *t, struct draft *b)
{
	for (unsigned i = 0; i < b->n_jobs; i++) {
		scene_text_line(t, NULL, "%s:", b->job[i]->name);
		t->indent++;
		scene_text_table(t, &scene_opts_job, b->job[i]->spec);
		t->indent--;
	}
}

// What hosts send by queue pairs and open loops.
static void put_traffic(struct text *t, struct draft *b)
{
	put_flows(t, b);
	put_jobs(t, b);
}

static void put_list_defaults(struct text *t, struct draft *b)
{
	scene_text_line(t, NULL, "flows:");
	put_flow_table(t, b->listed, false);
}

static void section(struct text *t, struct draft *b, unsigned n, const char *key,
	void (*write)(struct text *, struct draft *))
{
	if (!n)
		return;
	scene_text_line(t, NULL, "%s:", key);
	t->indent++;
	write(t, b);
	t->indent--;
}

static void put_scene_keys(struct text *t, struct draft *b)
{
	for (unsigned i = 0; i < scene_opts_scene.n; i++) {
		const struct opt *row = &scene_opts_scene.row[i];
		const struct yamldoc_node *src = scene_text_source(&b->top, i);
		char value[4096], note[80];

		if (row->flags & t->hide || row->type == OPT_SECTION ||
			!opt_format(row, &b->top, value, sizeof(value)))
			continue;
		scene_text_line(t, scene_text_origin(t, src, note, sizeof(note)), "%s: %s",
			row->key, value);
	}
}

static void put_record(struct text *t, struct draft *b)
{
	scene_text_table(t, &scene_opts_record, &b->top.record);
}

static void put_probe(struct text *t, struct draft *b)
{
	scene_text_table(t, &scene_opts_probe, &b->top.probe);
}

static void command_line(struct draft *b)
{
	static const struct yamldoc_node given = {.where = "command line"};

	b->top.name = b->s->name;
	if (b->opts && b->opts->duration) {
		b->top.duration = b->s->duration;
		b->top.src.node[opt_row(&scene_opts_scene, "duration") - scene_opts_scene.row] =
			&given;
	}
	if (b->opts && b->opts->seed) {
		b->top.seed = b->s->seed;
		b->top.src.node[opt_row(&scene_opts_scene, "seed") - scene_opts_scene.row] = &given;
	}
}

static void put_events(struct text *t, struct draft *b)
{
	scene_text_list(t, opt_row(&scene_opts_scene, "events"), b->top.events);
	scene_text_list(t, opt_row(&scene_opts_scene, "faults"), b->top.faults);
}

void compile_section_put(struct text *t, struct draft *b, enum scene_section section)
{
	static void (*const put[])(struct text *, struct draft *) = {
		[SCENE_SECTION_TIMES] = put_scene_keys,
		[SCENE_SECTION_CONTROLS] = put_controls,
		[SCENE_SECTION_SWITCHES] = put_switches,
		[SCENE_SECTION_HOSTS] = put_hosts,
		[SCENE_SECTION_LINKS] = put_links,
		[SCENE_SECTION_PORTS] = put_port_texts,
		[SCENE_SECTION_FLOWS] = put_traffic,
		[SCENE_SECTION_EVENTS] = put_events,
	};

	put[section](t, b);
}

int compile_resolve_text(struct draft *b)
{
	const char *slash = strrchr(b->s->path, '/');
	struct text t = {.file = slash ? slash + 1 : b->s->path, .value = "default"};
	char *text = NULL;
	size_t size = 0;

	t.f = open_memstream(&text, &size);
	if (!t.f)
		return err_set(b->err, -ENOMEM, "out of memory");
	command_line(b);
	put_scene_keys(&t, b);
	section(&t, b, 1, "record", put_record);
	section(&t, b, b->s->probe != NULL, "probe", put_probe);
	section(&t, b, b->listed != NULL, "defaults", put_list_defaults);
	section(&t, b, b->n_controls, "controls", put_controls);
	section(&t, b, b->n_switches, "switches", put_switches);
	section(&t, b, b->n_hosts, "hosts", put_hosts);
	section(&t, b, b->n_links, "links", put_links);
	section(&t, b, b->top.ports ? b->top.ports->n : 0, "ports", put_port_texts);
	section(&t, b, count_rows(b), "flows", put_flows);
	section(&t, b, b->n_jobs, "jobs", put_jobs);
	put_events(&t, b);
	scene_text_list(&t, opt_row(&scene_opts_scene, "expect"), b->top.expect);

	bool whole = fclose(t.f) == 0;

	b->s->resolved = whole ? arena_text(b->a, text, size) : NULL;
	free(text);
	return b->s->resolved ? 0 : err_set(b->err, -ENOMEM, "out of memory");
}
