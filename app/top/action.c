// SPDX-License-Identifier: BSD-3-Clause
// Actions that are offered for a row, and the commands that do them.
#include "action.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 4, 5))) static unsigned add_action(
	struct top_action *a, const char *label, const char *verb, const char *fmt, ...)
{
	va_list ap;

	*a = (struct top_action){.label = label, .verb = verb};
	va_start(ap, fmt);
	vsnprintf(a->text, sizeof(a->text), fmt, ap);
	va_end(ap);
	return 1;
}

static unsigned of_port(struct top_action *a, const struct top_row *row)
{
	unsigned n = add_action(&a[0], "take the link down", "do", "link_down: %s", row->name);

	return n + add_action(&a[n], "bring the link up", "do", "link_up: %s", row->name);
}

// Sets thresholds of a class of `of`, "switches.s1" or "ports.s1:r".
static unsigned set_thresholds(struct top_action *a, const struct top_row *row, const char *label,
	const char *of, bool out)
{
	const char *dot = strrchr(row->name, '.');
	int cls = (int)strcspn(dot + 1, " ");

	if (!out)
		return add_action(a, label, "set", "%s.classes.%.*s.pfc.xoff=%.0fB", of, cls,
			dot + 1, row->value[QUEUE_HIGH]);
	return add_action(a, label, "set",
		"%s.classes.%.*s.wred.min=%.0fB %s.classes.%.*s.wred.max=%.0fB", of, cls, dot + 1,
		row->value[QUEUE_LOW], of, cls, dot + 1, row->value[QUEUE_HIGH]);
}

// "s1:r.3 out": the switch, whose values are for all ports without their own, or the port. A host's
// queue has no thresholds to change.
static unsigned of_queue(struct top_action *a, const struct top_row *row)
{
	int node = (int)strcspn(row->name, ":");
	const char *dot = strrchr(row->name, '.');
	bool out = strlen(row->name) > 4 && !strcmp(row->name + strlen(row->name) - 4, " out");
	char of[128];
	unsigned n;

	if (!dot || isnan(row->value[QUEUE_HIGH]))
		return 0;
	snprintf(of, sizeof(of), "switches.%.*s", node, row->name);
	n = set_thresholds(&a[0], row,
		out ? "set Kmin and Kmax of the switch's class" : "set XOFF of the switch's class",
		of, out);
	snprintf(of, sizeof(of), "ports.%.*s", (int)(dot - row->name), row->name);
	return n + set_thresholds(&a[n], row,
			   out ? "set Kmin and Kmax of this port" : "set XOFF of this port", of,
			   out);
}

// "incast[h1>r.0]": the flow of the scenario is what stands before the bracket.
static unsigned of_flow(struct top_action *a, const struct top_row *row)
{
	int n = (int)strcspn(row->name, "[");
	unsigned k = add_action(&a[0], "stop its flow", "do", "flow_stop: %.*s", n, row->name);

	return k + add_action(&a[k], "start its flow", "do", "flow_start: %.*s", n, row->name);
}

unsigned top_actions(
	struct top_action list[static TOP_ACTIONS], enum top_section s, const struct top_row *row)
{
	switch (s) {
	case TOP_PORTS:
		return of_port(list, row);
	case TOP_QUEUES:
		return of_queue(list, row);
	case TOP_FLOWS:
		return of_flow(list, row);
	default:
		return 0;
	}
}

const char *top_action_typed(char *buf, size_t size, const char *verb, const char *text)
{
	const char *quote = strcmp(verb, "do") ? "" : "'";

	snprintf(buf, size, "quench %s %s%s%s", verb, quote, text, quote);
	return buf;
}
