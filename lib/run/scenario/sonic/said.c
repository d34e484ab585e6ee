// SPDX-License-Identifier: BSD-3-Clause
// The end of an import in a few lines: ports, groups, classes, thresholds, and the decisions.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define LINES 16
#define NAMED 3 // groups that are told one by one

static void say(struct sonic *s, struct sonic_import *to, const char *text)
{
	if (to->n_said < LINES)
		to->said[to->n_said++] = arena_text(s->a, text, strlen(text));
}

static void say_ports(struct sonic *s, struct sonic_import *to)
{
	const struct sonic_counts *n = &s->counts;
	const char *text = sonic_text(s, "ports      %u of %u taken: %s .. %s", s->n_ports, n->all,
		s->port[0].name, s->port[s->n_ports - 1].name);

	if (n->down)
		text = sonic_text(s, "%s; %u not in service", text, n->down);
	if (n->inner)
		text = sonic_text(s, "%s; %u of the backplane", text, n->inner);
	if (n->other)
		text = sonic_text(s, "%s; %u of other groups", text, n->other);
	if (n->unnamed)
		text = sonic_text(s, "%s; %u not in --port-map", text, n->unnamed);
	say(s, to, text);
}

static void say_groups(struct sonic *s, struct sonic_import *to)
{
	const char *text = "groups     all ports that may be taken are equal in maps, markers, "
			   "weights and PFC";

	if (s->n_groups > 1)
		text = "groups     of equal ports";
	for (unsigned i = 0; s->n_groups > 1 && i < s->n_groups && i < NAMED; i++)
		text = sonic_text(s, "%s%s %u: %u port%s%s%s%s%s", text, i ? ";" : "", i + 1,
			s->group[i].n, s->group[i].n == 1 ? "" : "s",
			i == s->of_switch ? " (the switch's values)" : "",
			s->group[i].differs ? ", " : "",
			s->group[i].differs ? s->group[i].differs : "",
			i + 1 < NAMED || i + 1 == s->n_groups ? "" : "; and more");
	if (s->n_groups > 1 && !s->opts->port_map && !s->opts->group)
		text = sonic_text(s, "%s; --group takes one alone", text);
	say(s, to, text);
}

// "DSCP 3, 26", a few of all.
static const char *dscps(struct sonic *s, unsigned cls)
{
	const char *text = "";
	unsigned n = 0;

	for (unsigned i = 0; i < 64; i++) {
		if (s->base->dscp[i] != cls)
			continue;
		if (n++ < NAMED)
			text = sonic_text(s, "%s%s%u", text, n > 1 ? ", " : "", i);
	}
	if (!n)
		return "no DSCP";
	return sonic_text(s, "DSCP %s%s", text, n > NAMED ? " ..." : "");
}

static const char *class_kind(struct sonic *s, unsigned cls)
{
	const struct sonic_value *v = s->cls[s->base->pg[cls]];

	if (!sonic_is_true(&v[SONIC_LOSSLESS]))
		return NULL;
	return sonic_text(s, "class %u (%s%s)", cls, dscps(s, cls),
		sonic_is_true(&v[SONIC_PFC_ENABLE]) ? "" : ", without PFC");
}

static void say_lossless(struct sonic *s, struct sonic_import *to)
{
	const char *text = NULL;

	for (unsigned cls = 0; cls < PKT_CLASSES; cls++) {
		const char *kind = class_kind(s, cls);

		if (kind)
			text = sonic_text(s, "%s%s%s", text ? text : "", text ? ", " : "", kind);
	}
	say(s, to,
		sonic_text(s, "lossless   %s",
			text ? text : "no class: no BUFFER_PG has a profile with xoff"));
}

// One line for all classes with the same text: "class 3, 4: ...".
static void say_of_classes(struct sonic *s, struct sonic_import *to, const char *head,
	const char *(*of)(struct sonic *s, unsigned cls), const char *none)
{
	const char *text = NULL, *last = NULL;

	for (unsigned cls = 0; cls < PKT_CLASSES; cls++) {
		const char *one = of(s, cls);

		if (!one)
			continue;
		if (last && !strcmp(one, last))
			text = sonic_text(s, "%s; class %u likewise", text, cls);
		else
			text = sonic_text(s, "%s%sclass %u: %s", text ? text : "", text ? "; " : "",
				cls, one);
		last = one;
	}
	say(s, to, sonic_text(s, "%-10s %s", head, text ? text : none));
}

static const char *marks_of(struct sonic *s, unsigned cls)
{
	const struct sonic_value *v = s->cls[s->base->queue[cls]];

	if (!v[SONIC_WRED_MAX].text || v[SONIC_WRED_ECN].text)
		return NULL;
	return sonic_text(s, "%s to %s bytes, %s (%.*s)", v[SONIC_WRED_MIN].text,
		v[SONIC_WRED_MAX].text, v[SONIC_WRED_PROBABILITY].text,
		(int)strcspn(v[SONIC_WRED_MAX].from, " "), v[SONIC_WRED_MAX].from);
}

static const char *xoff_of(struct sonic *s, unsigned cls)
{
	const struct sonic_value *v = s->cls[s->base->pg[cls]];

	if (!sonic_is_true(&v[SONIC_LOSSLESS]))
		return NULL;
	if (v[SONIC_PFC_XOFF].text)
		return sonic_text(
			s, "at %s bytes (%s)", v[SONIC_PFC_XOFF].text, v[SONIC_PFC_XOFF].from);
	if (v[SONIC_PFC_DYNAMIC_TH].text)
		return sonic_text(s, "at 2^%s free (%s)", v[SONIC_PFC_DYNAMIC_TH].text,
			v[SONIC_PFC_DYNAMIC_TH].from);
	return "a scenario's own: no profile has dynamic_th or static_th";
}

static bool has_other_headroom(const struct sonic_port *p, unsigned pg, const char *than)
{
	const char *text = p->cls[pg][SONIC_PFC_HEADROOM].text;

	return text && strcmp(text, than) != 0;
}

static const char *headroom_of(struct sonic *s, unsigned cls)
{
	const unsigned pg = s->base->pg[cls];
	const struct sonic_value *v = s->cls[pg];
	unsigned n = 0;

	if (!sonic_is_true(&v[SONIC_LOSSLESS]) || !v[SONIC_PFC_HEADROOM].text)
		return NULL;
	for (unsigned i = 0; i < s->n_ports; i++)
		n += has_other_headroom(&s->port[i], pg, v[SONIC_PFC_HEADROOM].text);
	return sonic_text(s, "%s (%s)%s", v[SONIC_PFC_HEADROOM].text, v[SONIC_PFC_HEADROOM].from,
		n ? sonic_text(s, ", other at %u port%s", n, n == 1 ? "" : "s") : "");
}

static void say_pools(struct sonic *s, struct sonic_import *to)
{
	static const char *const name[SONIC_POOLS] = {
		"ingress", "headroom", "one egress", "egress lossless", "egress lossy"};
	const char *text = NULL;

	for (unsigned i = 0; i < SONIC_POOLS; i++) {
		if (s->pool[i].text)
			text = sonic_text(s, "%s%s%s %s", text ? text : "", text ? ", " : "",
				name[i], s->pool[i].text);
	}
	say(s, to,
		sonic_text(s, "pools      %s",
			text ? sonic_text(s, "%s bytes (BUFFER_POOL)", text)
			     : "no BUFFER_POOL has a size: the scenario's default buffer"));
}

static void say_decisions(struct sonic *s, struct sonic_import *to)
{
	const char *text = "decided    ";

	if (s->counts.template)
		text = sonic_text(s,
			"%sports with a speed are in service, for no port has admin_status; ",
			text);
	if (s->counts.owned)
		text = sonic_text(s,
			"%sthe ingress pool is larger by the %llu bytes that groups own; ", text,
			(unsigned long long)s->counts.owned);
	say(s, to,
		sonic_text(s,
			"%scell 1, marks at dequeue, storms by rule mellanox: "
			"the file does not say them",
			text));
}

static void say_flow(struct sonic *s, struct sonic_import *to)
{
	const struct sonic_flow *f = &s->flow;

	say(s, to,
		sonic_text(s, "flow       %u host%s to %s, DSCP %u, class %u%s%s", f->n,
			f->n == 1 ? "" : "s", s->port[f->to].host, f->dscp, f->cls,
			f->silent ? "; a run has neither marks nor PFC: " : "",
			f->silent ? f->silent : ""));
}

int sonic_said(struct sonic *s, struct sonic_import *to)
{
	to->said = arena_get(s->a, LINES * sizeof(*to->said));
	if (!to->said)
		return -ENOMEM;
	say_ports(s, to);
	say_groups(s, to);
	say_lossless(s, to);
	say_of_classes(
		s, to, "marked", marks_of, "no class: no QUEUE has a wred_profile that marks");
	say_of_classes(s, to, "XOFF", xoff_of, "no class");
	say_of_classes(s, to, "headroom", headroom_of, "no class");
	say_pools(s, to);
	say_decisions(s, to);
	say_flow(s, to);
	for (unsigned i = 0; i < to->n_said; i++) {
		if (!to->said[i])
			return -ENOMEM;
	}
	return s->no_memory ? -ENOMEM : 0;
}
