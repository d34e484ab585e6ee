// SPDX-License-Identifier: BSD-3-Clause
// The section `ports` of the scenario: an entry for each run of neighbouring ports that differ from
// the switch in the same way.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "line.h"

// Writes the slots of a map that differ from the switch's: "dscp_map: {3: 4, 8..15: 1}".
static void put_slots(const struct yaml *y, const char *key, const uint8_t *map,
	const uint8_t *of_switch, unsigned n, const char *from)
{
	char text[64 * sizeof("63: 7, ")] = "";

	for (unsigned i = 0, end; i < n; i = end) {
		end = i + 1;
		if (map[i] == of_switch[i])
			continue;
		while (end < n && map[end] == map[i] && map[end] != of_switch[end])
			end++;
		append_text(text, sizeof(text), *text ? ", %u" : "{%u", i);
		if (end > i + 1)
			append_text(text, sizeof(text), "..%u", end - 1);
		append_text(text, sizeof(text), ": %u", map[i]);
	}
	if (!*text)
		return;
	append_text(text, sizeof(text), "}");
	yaml_line(y, 4, key, &(struct sonic_value){text, from ? from : "no such map, as in SONiC"});
}

static void put_maps(const struct yaml *y, const struct sonic *s, const struct sonic_port *p)
{
	uint8_t pcp[2][8];

	if (sonic_trusts_pcp(p) != sonic_trusts_pcp(s->base))
		yaml_line(y, 4, "trust",
			&(struct sonic_value){sonic_trusts_pcp(p) ? "pcp" : "dscp",
				"by the maps that PORT_QOS_MAP has"});
	put_slots(y, "dscp_map", p->dscp, s->base->dscp, 64, p->dscp_from);
	sonic_pcp_map(p, pcp[0]);
	sonic_pcp_map(s->base, pcp[1]);
	put_slots(y, "pcp_map", pcp[0], pcp[1], 8, p->pcp_from);
	put_slots(y, "queue_map", p->queue, s->base->queue, 8, p->queue_from);
	put_slots(y, "pg_map", p->pg, s->base->pg, 8, p->pg_from);
}

// The settings of a port; "": it differs in nothing. Not `sourced`: without comments, so that equal
// settings are equal texts.
static const char *settings(struct sonic *s, const struct sonic_port *p, bool sourced)
{
	struct sonic_value cls[PKT_CLASSES][SONIC_KEYS];
	const char *kept = NULL;
	char *text = NULL;
	size_t size = 0;
	struct yaml y = {open_memstream(&text, &size), sourced};
	bool any = false;

	if (y.f) {
		put_maps(&y, s, p);
		yaml_line(&y, 4, "pfc_watchdog", &p->watchdog);
		yaml_line(&y, 4, "pfc_asym", &p->pfc_asym);
		yaml_line(&y, 4, "max_rate", &p->max_rate);
		sonic_entry(s, p, cls);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			any |= yaml_has_class(cls[c]);
		if (any)
			fputs("    classes:\n", y.f);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			yaml_class(&y, c, cls[c], 6);
		if (!fclose(y.f))
			kept = arena_text(s->a, text, size);
		free(text);
	}
	s->no_memory |= !kept;
	return kept ? kept : "";
}

// The number at the end of a host's name, and the length of the text before it. 0: it has none that
// a range can count, as in h007.
static unsigned long end_number(const char *host, size_t *before)
{
	size_t n = strlen(host);

	while (n && isdigit((unsigned char)host[n - 1]))
		n--;
	*before = n;
	return host[n] == '0' || strlen(host + n) > 6 ? 0 : strtoul(host + n, NULL, 10);
}

// Returns whether the host of the second port follows that of the first one in a range.
static bool follows(const struct sonic_port *a, const struct sonic_port *b)
{
	size_t n, m;
	unsigned long i = end_number(a->host, &n), k = end_number(b->host, &m);

	return i && k == i + 1 && n == m && !strncmp(a->host, b->host, n);
}

static void put_entry(FILE *f, struct sonic *s, unsigned first, unsigned last)
{
	const struct sonic_port *p = &s->port[first], *q = &s->port[last];
	size_t n;

	if (first == last) {
		fprintf(f, "  \"s1:%s\": # %s\n", p->host, p->name);
	} else {
		end_number(q->host, &n);
		fprintf(f, "  \"s1:%s..%s\": # %s to %s; sources are those of %s\n", p->host,
			q->host + n, p->name, q->name, p->name);
	}
	fputs(settings(s, p, true), f);
}

void sonic_yaml_ports(FILE *f, struct sonic *s)
{
	bool any = false;

	for (unsigned i = 0, last; i < s->n_ports; i = last + 1) {
		const char *is = settings(s, &s->port[i], false);

		last = i;
		while (last + 1 < s->n_ports && *is &&
			follows(&s->port[last], &s->port[last + 1]) &&
			!strcmp(is, settings(s, &s->port[last + 1], false)))
			last++;
		if (!*is)
			continue;
		fputs(any ? "" : "\nports:\n", f);
		any = true;
		put_entry(f, s, i, last);
	}
}
