// SPDX-License-Identifier: BSD-3-Clause
// The section `probe`: its hosts, DSCPs and classes, checked and compiled.
#include <errno.h>
#include <string.h>

#include "int.h"

static const struct yamldoc_node *section_place(const struct draft *b)
{
	return draft_given(&scene_opts_scene, &b->top, "probe", b->doc);
}

// The switch that a host's link leads to. A host has one link.
static const struct draft_node *switch_of(const struct draft_node *host)
{
	return host->n_ports ? draft_peer(host, 0) : NULL;
}

// Adds the host of a name to a list of ports. All of them are at one switch, which is the device.
static int add_port(struct draft *b, struct scene_probe *p, struct scene_probe_ports *to,
	const char *key, const char *name, const struct yamldoc_node *at)
{
	struct draft_node *host;
	const struct draft_node *sw;
	int rc = draft_find_node(b, &host, name, at);

	if (rc)
		return rc;
	if (host->is_switch)
		return yamldoc_err(b->err, at,
			"probe: %s: %s is a switch; name hosts, which are the ports of the probe",
			key, name);
	if (to->n == SCENE_PROBE_PORTS)
		return yamldoc_err(b->err, at, "probe: %s: more than %u hosts; name fewer", key,
			SCENE_PROBE_PORTS);
	for (unsigned i = 0; i < to->n; i++)
		if (!strcmp(to->name[i], name))
			return yamldoc_err(b->err, at,
				"probe: %s: %s stands here twice; name it once", key, name);
	sw = switch_of(host);
	if (!sw || !sw->is_switch)
		return yamldoc_err(b->err, at,
			"probe: %s: %s has no link to a switch; the device stands as a switch "
			"between the hosts",
			key, name);
	if (p->device && strcmp(p->device, sw->name) != 0)
		return yamldoc_err(b->err, at,
			"probe: %s: %s is at %s, and another port at %s; all ports of a probe are "
			"at one device",
			key, name, sw->name, p->device);
	p->device = sw->name;
	to->name[to->n++] = host->name;
	return 0;
}

static int read_ports(struct draft *b, struct scene_probe *p, struct scene_probe_ports *to,
	const char *key, const struct yamldoc_node *from)
{
	struct draft_names names = {0};
	int rc = draft_names(b, &names, from);

	for (unsigned i = 0; !rc && i < names.n; i++)
		rc = add_port(b, p, to, key, names.name[i], names.at[i]);
	return rc;
}

static bool is_auto(const struct yamldoc_node *n)
{
	return !n || (n->type == YAMLDOC_SCALAR && !strcmp(n->text, "auto"));
}

// A map of a DSCP, or PCP, of each class: `key` names it, and the greatest is `most`. Classes that
// the map does not have keep their value.
static int read_map(struct draft *b, const char *key, const struct yamldoc_node *map, unsigned most,
	uint8_t to[PKT_CLASSES])
{
	uint8_t given = 0;

	if (map->type != YAMLDOC_MAP || !map->n)
		return yamldoc_err(b->err, map,
			"probe: %s: write a %s of each class, as in {0: 0, 3: %u}, or auto", key,
			most > 7 ? "DSCP" : "PCP", most > 7 ? 24 : 3);
	for (unsigned i = 0; i < map->n; i++) {
		const struct yamldoc_node *name = map->item[i].key, *value = map->item[i].value;
		uint64_t cls, x;

		if (units_parse(UNITS_COUNT, name->text, &cls) || cls >= PKT_CLASSES)
			return yamldoc_err(b->err, name,
				"probe: %s: the class '%.60s' is not right; a class is 0..7", key,
				name->text);
		if (value->type != YAMLDOC_SCALAR || units_parse(UNITS_COUNT, value->text, &x) ||
			x > most)
			return yamldoc_err(b->err, value,
				"probe: %s: class %u: write one %s, 0..%u", key, (unsigned)cls,
				most > 7 ? "DSCP" : "PCP", most);
		for (unsigned k = 0; k < PKT_CLASSES; k++)
			if (given >> k & 1 && to[k] == x)
				return yamldoc_err(b->err, value,
					"probe: %s: %u is of class %u and of class %u; a %s is of "
					"one class",
					key, (unsigned)x, k, (unsigned)cls,
					most > 7 ? "DSCP" : "PCP");
		to[cls] = (uint8_t)x;
		given |= (uint8_t)(1u << cls);
	}
	return 0;
}

// The DSCPs and PCPs that the section tells.
static int read_maps(struct draft *b, struct scene_probe *p, const struct spec_probe *spec)
{
	int rc = 0;

	p->dscp_auto = is_auto(spec->dscp);
	p->has_pcp = spec->pcp != NULL;
	memset(p->dscp, SCENE_NO_DSCP, sizeof(p->dscp));
	memset(p->pcp, SCENE_NO_PCP, sizeof(p->pcp));
	if (!p->dscp_auto)
		rc = read_map(b, "dscp", spec->dscp, 63, p->dscp);
	if (!rc && !is_auto(spec->pcp))
		rc = read_map(b, "pcp", spec->pcp, 7, p->pcp);
	return rc;
}

static int add_classes(struct draft *b, struct scene_probe *p, const struct yamldoc_node *n)
{
	uint64_t low, high;

	if (n->type != YAMLDOC_SCALAR || units_parse_range(UNITS_COUNT, n->text, &low, &high) ||
		low > high || high >= PKT_CLASSES)
		return yamldoc_err(b->err, n,
			"probe: classes: write classes from 0 to 7, as in [3, 4], or auto");
	for (; low <= high; low++)
		p->classes |= (uint8_t)(1u << low);
	return 0;
}

static int read_classes(struct draft *b, struct scene_probe *p, const struct yamldoc_node *n)
{
	int rc = 0;

	if (is_auto(n))
		return 0;
	if (n->type == YAMLDOC_SCALAR)
		return add_classes(b, p, n);
	for (unsigned i = 0; !rc && i < n->n; i++)
		rc = add_classes(b, p, n->item[i].value);
	return rc;
}

int compile_probe(struct draft *b)
{
	const struct spec_probe *spec = &b->top.probe;
	struct scene_probe *p;
	int rc = 0;

	if (!opt_source(&scene_opts_scene, &b->top, "probe"))
		return 0;
	p = draft_get(b, sizeof(*p));
	if (!p)
		return -ENOMEM;
	rc = opt_require(&scene_opts_probe, spec, section_place(b), b->err);
	if (!rc)
		rc = read_ports(b, p, &p->in, "in", spec->in);
	if (!rc)
		rc = read_ports(b, p, &p->out, "out", spec->out);
	if (!rc && p->in.n == 1 && p->out.n == 1 && !strcmp(p->in.name[0], p->out.name[0]))
		rc = yamldoc_err(b->err, opt_source(&scene_opts_probe, spec, "out"),
			"probe: out: %s is the only port of `in`, too; a switch sends no frame "
			"back where it came from, so name another port",
			p->out.name[0]);
	if (!rc)
		rc = read_maps(b, p, spec);
	if (!rc)
		rc = read_classes(b, p, spec->classes);
	p->accuracy = spec->accuracy;
	p->device_dilate = spec->device_dilate;
	p->hold = spec->most.hold;
	p->step = spec->most.step;
	p->time = spec->most.time;
	p->frames = spec->most.frames;
	p->buffer = spec->most.buffer;
	p->seed = spec->seed;
	p->line = section_place(b)->line;
	b->s->probe = p;
	return rc;
}

void compile_probe_duration(struct draft *b)
{
	static const struct yamldoc_node by_probe = {.where = "probe.most.time"};
	struct spec_scene *t = &b->top;

	if (!opt_source(&scene_opts_scene, t, "probe") ||
		opt_source(&scene_opts_scene, t, "duration"))
		return;
	t->duration = t->probe.most.time;
	t->src.node[opt_row(&scene_opts_scene, "duration") - scene_opts_scene.row] = &by_probe;
}
