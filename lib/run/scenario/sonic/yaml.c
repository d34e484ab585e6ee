// SPDX-License-Identifier: BSD-3-Clause
// A SONiC switch written as a scenario: a line for each value, with where it came from.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "line.h"

#define COMMENT_COLUMN 40
#define CNP_DSCP       48u // of a ConnectX

void yaml_line(const struct yaml *y, int indent, const char *key, const struct sonic_value *v)
{
	if (!v->text)
		return;

	int n = fprintf(y->f, "%*s%s: %s", indent, "", key, v->text);

	if (y->sourced)
		fprintf(y->f, "%*s# %s", n < COMMENT_COLUMN ? COMMENT_COLUMN - n : 1, "", v->from);
	fputc('\n', y->f);
}

bool yaml_has_class(const struct sonic_value *v)
{
	for (unsigned key = 0; key < SONIC_KEYS; key++) {
		if (v[key].text)
			return true;
	}
	return false;
}

void yaml_class(const struct yaml *y, unsigned cls, const struct sonic_value *v, int indent)
{
	const char *open = NULL;

	if (yaml_has_class(v))
		fprintf(y->f, "%*s%u:\n", indent, "", cls);
	for (unsigned key = 0; key < SONIC_KEYS; key++) {
		const char *map = sonic_keys[key].map;

		if (!v[key].text)
			continue;
		if (map && (!open || strcmp(map, open)))
			fprintf(y->f, "%*s%s:\n", indent + 2, "", map);
		open = map;
		yaml_line(y, map ? indent + 4 : indent + 2, sonic_keys[key].key, &v[key]);
	}
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
	const struct yaml y = {f, true};
	static const char *const pool_names[] = {
		"ingress", "headroom", "egress", "egress_lossless", "egress_lossy"};
	bool any = false;

	fputs("\nswitches:\n  s1:\n", f);
	yaml_line(&y, 4, "buffer", &s->buffer);
	for (unsigned i = 0; i < SONIC_POOLS; i++) {
		if (s->pool[i].text && !any)
			fputs("    pools:\n", f);
		any |= s->pool[i].text != NULL;
		yaml_line(&y, 6, pool_names[i], &s->pool[i]);
	}
	if (sonic_trusts_pcp(s->base))
		yaml_line(&y, 4, "trust",
			&(struct sonic_value){"pcp", "PORT_QOS_MAP has dot1p_to_tc_map only"});
	write_map(f, "dscp_map", s->base->dscp, 64, s->base->dscp_from);
	if (sonic_has_pcp_map(s->base))
		write_map(f, "pcp_map", s->base->pcp, 8, s->base->pcp_from);
	if (leads_elsewhere(s->base->queue))
		write_map(f, "queue_map", s->base->queue, 8, s->base->queue_from);
	if (leads_elsewhere(s->base->pg))
		write_map(f, "pg_map", s->base->pg, 8, s->base->pg_from);
	yaml_line(&y, 4, "shaper_burst", &s->burst);
	yaml_line(&y, 4, "pfc_watchdog", &s->watchdog);
	fputs("    classes: # pfc and drop are of the group of this number, all else of the "
	      "queue; ports that differ are under ports\n",
		f);
	for (unsigned cls = 0; cls < PKT_CLASSES; cls++)
		yaml_class(&y, cls, s->cls[cls], 6);
}

// A host at a port that puts DSCP 48 into another class than the switch's other ports.
static void write_host(FILE *f, const struct sonic *s, const struct sonic_port *p)
{
	fprintf(f, "  %s:", p->host);
	if (p->dscp[CNP_DSCP] != s->base->dscp[CNP_DSCP])
		fprintf(f, " {cnp_class: %u, cnp_dscp: %u}", p->dscp[CNP_DSCP], CNP_DSCP);
	fprintf(f, " # at %s\n", p->name);
}

static void write_links(FILE *f, const struct sonic *s)
{
	const struct yaml y = {f, true};

	fputs("\nhosts:\n", f);
	for (unsigned i = 0; i < s->n_ports; i++)
		write_host(f, s, &s->port[i]);
	fputs("\nlinks:\n", f);
	for (unsigned i = 0; i < s->n_ports; i++) {
		const struct sonic_port *p = &s->port[i];

		fprintf(f, "  - between: [%s, s1] # %s\n", p->host, p->name);
		yaml_line(&y, 4, "rate", &p->rate);
		yaml_line(&y, 4, "delay", &p->delay);
		yaml_line(&y, 4, "mtu", &p->mtu);
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
	if (s->base->dscp[CNP_DSCP] != 6)
		fprintf(f, "    cnp_class: %u # %s %u\n    cnp_dscp: %u\n", s->base->dscp[CNP_DSCP],
			s->base->dscp_from ? s->base->dscp_from : "no map: every DSCP, also",
			CNP_DSCP, CNP_DSCP);
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
	sonic_yaml_ports(f, s);
	write_flow(f, s);
	if (fclose(f) == 0)
		kept = arena_text(s->a, text, size);
	free(text);
	return kept;
}
