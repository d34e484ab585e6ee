// SPDX-License-Identifier: BSD-3-Clause
// A SONiC switch written as a scenario: a line for each value, with where it came from.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define COMMENT_COLUMN 40

// "key: text   # from", nothing for a value that is not given.
static void line(FILE *f, int indent, const char *key, const struct sonic_value *v)
{
	if (!v->text)
		return;

	int n = fprintf(f, "%*s%s: %s", indent, "", key, v->text);

	fprintf(f, "%*s# %s\n", n < COMMENT_COLUMN ? COMMENT_COLUMN - n : 1, "", v->from);
}

static bool is_lossless(const struct sonic *s, unsigned cls)
{
	const char *text = s->cls[cls][SONIC_LOSSLESS].text;

	return text && !strcmp(text, "true");
}

// Returns whether a class can have the options of a map: a lossless class has no drop thresholds,
// and a lossy one no pfc.
static bool is_meant(const struct sonic *s, unsigned cls, const char *map)
{
	if (map && !strcmp(map, "pfc"))
		return is_lossless(s, cls);
	return !map || strcmp(map, "drop") || !is_lossless(s, cls);
}

// Writes the options of one class; false: it has none. `f` NULL: only finds out whether there are
// any.
static bool write_class(
	FILE *f, const struct sonic *s, unsigned cls, const struct sonic_value *v, int indent)
{
	const char *open = NULL;
	bool any = false;

	for (unsigned key = 0; key < SONIC_KEYS; key++) {
		const char *map = sonic_keys[key].map;

		if (!v[key].text || !is_meant(s, cls, map))
			continue;
		if (f && !any)
			fprintf(f, "%*s%u:\n", indent, "", cls);
		any = true;
		if (!f)
			return true;
		if (map && (!open || strcmp(map, open)))
			fprintf(f, "%*s%s:\n", indent + 2, "", map);
		open = map;
		line(f, map ? indent + 4 : indent + 2, sonic_keys[key].key, &v[key]);
	}
	return any;
}

static void write_map(FILE *f, const char *key, const uint8_t *map, unsigned n, const char *from)
{
	fprintf(f, "    %s: # %s\n      {", key, from ? from : "none: TC 0, as in SONiC");
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%u: %u%s", i, map[i],
			i + 1 == n     ? "}\n"
			: i % 16 == 15 ? ",\n      "
				       : ", ");
}

static bool leads_elsewhere(const uint8_t map[PKT_CLASSES])
{
	for (unsigned tc = 0; tc < PKT_CLASSES; tc++) {
		if (map[tc] != tc)
			return true;
	}
	return false;
}

static void write_switch(FILE *f, const struct sonic *s)
{
	static const char *const pool_names[] = {
		"ingress", "headroom", "egress", "egress_lossless", "egress_lossy"};
	bool any = false;

	fputs("\nswitches:\n  s1:\n", f);
	line(f, 4, "buffer", &s->buffer);
	for (unsigned i = 0; i < SONIC_POOLS; i++) {
		if (s->pool[i].text && !any)
			fputs("    pools:\n", f);
		any |= s->pool[i].text != NULL;
		line(f, 6, pool_names[i], &s->pool[i]);
	}
	if (s->base->pcp_from && !s->base->dscp_from)
		line(f, 4, "trust",
			&(struct sonic_value){"pcp", "PORT_QOS_MAP has dot1p_to_tc_map only"});
	write_map(f, "dscp_map", s->base->dscp, 64, s->base->dscp_from);
	if (s->base->pcp_from || !s->base->dscp_from)
		write_map(f, "pcp_map", s->base->pcp, 8, s->base->pcp_from);
	if (leads_elsewhere(s->base->queue))
		write_map(f, "queue_map", s->base->queue, 8, s->base->queue_from);
	if (leads_elsewhere(s->base->pg))
		write_map(f, "pg_map", s->base->pg, 8, s->base->pg_from);
	line(f, 4, "shaper_burst", &s->burst);
	line(f, 4, "pfc_watchdog", &s->watchdog);
	fputs("    classes: # pfc and drop are of the group of this number, all else of the "
	      "queue; values are those of most ports\n",
		f);
	for (unsigned cls = 0; cls < PKT_CLASSES; cls++)
		write_class(f, s, cls, s->cls[cls], 6);
}

static void write_links(FILE *f, const struct sonic *s)
{
	fputs("\nhosts:\n", f);
	for (unsigned i = 0; i < s->n_ports; i++)
		fprintf(f, "  %s: # at %s\n", s->port[i].host, s->port[i].name);
	fputs("\nlinks:\n", f);
	for (unsigned i = 0; i < s->n_ports; i++) {
		const struct sonic_port *p = &s->port[i];

		fprintf(f, "  - between: [%s, s1] # %s\n", p->host, p->name);
		line(f, 4, "rate", &p->rate);
		line(f, 4, "delay", &p->delay);
		line(f, 4, "mtu", &p->mtu);
	}
}

// Writes the values in which ports differ from most ports.
static void write_ports(FILE *f, const struct sonic *s)
{
	bool any_port = false;

	for (unsigned i = 0; i < s->n_ports; i++) {
		const struct sonic_port *p = &s->port[i];
		bool any = false;

		for (unsigned cls = 0; cls < PKT_CLASSES; cls++)
			any |= write_class(NULL, s, cls, p->cls[cls], 0);
		if (!any && !p->watchdog.text && !p->pfc_asym.text && !p->max_rate.text)
			continue;
		fprintf(f, "%s  \"s1:%s\": # %s\n", any_port ? "" : "\nports:\n", p->host, p->name);
		any_port = true;
		line(f, 4, "pfc_watchdog", &p->watchdog);
		line(f, 4, "pfc_asym", &p->pfc_asym);
		line(f, 4, "max_rate", &p->max_rate);
		if (any)
			fputs("    classes:\n", f);
		for (unsigned cls = 0; cls < PKT_CLASSES; cls++)
			write_class(f, s, cls, p->cls[cls], 6);
	}
}

static void write_flow(FILE *f, const struct sonic *s)
{
	const struct sonic_flow *flow = &s->flow;

	fputs("\n# Not SONiC's: something to see, to be replaced by the traffic in question.\n", f);
	if (flow->silent)
		fprintf(f, "# A run has neither marks nor PFC: %s.\n", flow->silent);
	fputs("flows:\n  incast:\n    from: [", f);
	for (unsigned i = 0; i < flow->n; i++)
		fprintf(f, "%s%s", i ? ", " : "", s->port[flow->from[i]].host);
	fprintf(f, "]\n    to: %s\n    class: %u\n    dscp: %u\n    mtu: %u\n    control: dcqcn\n",
		s->port[flow->to].host, flow->cls, flow->dscp, flow->mtu);
}

static void write_head(FILE *f, struct sonic *s, const struct sonic_import *to)
{
	const json_t *host = sonic_db_row(s, "DEVICE_METADATA", "localhost");
	const char *name = json_string_value(json_object_get(host, "hostname"));
	const char *sku = json_string_value(json_object_get(host, "hwsku"));
	const char *path = strrchr(s->path, '/');

	// sonic_text: a name with a line feed must not end the comment.
	fprintf(f, "%s\n",
		sonic_text(s, "# SONiC switch %s (%s), imported by quench from %s.",
			name ? name : "without a name", sku ? sku : "no hwsku",
			path ? path + 1 : s->path));
	for (unsigned i = 0; i < to->n_said; i++)
		fprintf(f, "# %s\n", to->said[i]);
	fputs("# A comment behind each value says its source. Not taken, and why:\n", f);
	for (unsigned i = 0; i < to->n_left; i++)
		fprintf(f, "# - %s\n", to->left[i]);
	fputs("duration: 10ms\nwarmup: auto\n\ncontrols:\n"
	      "  dcqcn: {profile: connectx} # not SONiC's: the hosts'\n",
		f);
}

// Reaction points and notification points are of one kind: a ConnectX forgets a CNP within
// microseconds, so it wants many. It sends them with DSCP 48 (standards.md 3.2); hosts must know
// which class that is here.
static void write_hosts(FILE *f, const struct sonic *s)
{
	fputs("\ndefaults:\n  hosts:\n    np: {interval: 4us} # not SONiC's: as the profile wants "
	      "it\n",
		f);
	if (s->base->dscp[48] != 6)
		fprintf(f, "    cnp_class: %u # %s 48\n    cnp_dscp: 48\n", s->base->dscp[48],
			s->base->dscp_from ? s->base->dscp_from : "no map: every DSCP, also");
}

char *sonic_yaml(struct sonic *s, const struct sonic_import *to)
{
	char *text = NULL, *kept = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	write_head(f, s, to);
	write_hosts(f, s);
	write_switch(f, s);
	write_links(f, s);
	write_ports(f, s);
	write_flow(f, s);
	if (fclose(f) == 0)
		kept = arena_text(s->a, text, size);
	free(text);
	return kept;
}
