// SPDX-License-Identifier: BSD-3-Clause
// The faults of a scene as a table.
#include "faults.h"

#include <inttypes.h>
#include <string.h>

static void append_kinds(char *buf, size_t size, uint8_t kinds)
{
	static const struct {
		uint8_t kind;
		const char *name;
	} names[] = {
		{FAULT_DATA | FAULT_READ_RESPONSE, "data"},
		{FAULT_READ_RESPONSE, "READ responses"},
		{FAULT_ACK, "ACKs"},
		{FAULT_NAK, "NAKs"},
		{FAULT_CNP, "CNPs"},
		{FAULT_READ_REQUEST, "READ requests"},
	};
	const char *comma = "";

	if (kinds == FAULT_ALL) {
		append_text(buf, size, "all frames");
		return;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((kinds & names[i].kind) != names[i].kind)
			continue;
		append_text(buf, size, "%s%s", comma, names[i].name);
		kinds &= (uint8_t)~names[i].kind;
		comma = ", ";
	}
}

static void append_pairs(char *buf, size_t size, const struct scene *s, const struct scene_fault *f)
{
	const struct scene_fault_pair *p = f->pair;

	if (!f->n_pairs)
		return;
	if (p->flow == SCENE_FAULT_GIVEN && p->qpn)
		append_text(buf, size, " to QPN 0x%x", p->qpn);
	else if (p->flow == SCENE_FAULT_GIVEN)
		append_text(buf, size, " to an address");
	else
		append_text(buf, size, " of %s", s->flow[p->flow]->name);
	if (f->n_pairs > 1)
		append_text(buf, size, " and %u more", f->n_pairs - 1);
}

// "2..3", "2.." or "2"; UINT32_MAX and UINT64_MAX: no end.
static void append_range(
	char *buf, size_t size, const char *what, uint64_t from, uint64_t to, uint64_t end)
{
	append_text(buf, size, ", %s %" PRIu64, what, from);
	if (to == end)
		append_text(buf, size, "..");
	else if (to != from)
		append_text(buf, size, "..%" PRIu64, to);
}

static void append_psn(char *buf, size_t size, const struct fault_record *r)
{
	if (r->psn == FAULT_PSN_RANGE)
		append_range(buf, size, "PSN", r->from, r->to, UINT64_MAX);
	if (r->psn == FAULT_PSN_EVERY)
		append_text(buf, size, ", every %" PRIu64 "th PSN", r->from);
	if (r->psn == FAULT_PSN_LAST)
		append_text(buf, size, ", last of a message");
	if (r->nth_from)
		append_range(buf, size, "transmission", r->nth_from, r->nth_to, UINT32_MAX);
	if (r->pass_from)
		append_range(buf, size, "pass", r->pass_from, r->pass_to, UINT32_MAX);
	if (r->by_chance)
		append_text(buf, size, ", by chance");
	if (r->begins)
		append_text(buf, size, ", from %s",
			units_format(UNITS_TIME, r->begins, (char[32]){0}, 32));
}

static void append_action(char *buf, size_t size, const struct fault_record *r)
{
	append_text(buf, size, "%s", fault_action_name(r->action));
	if (r->action == FAULT_DELAY)
		append_text(
			buf, size, " %s", units_format(UNITS_TIME, r->delay, (char[32]){0}, 32));
	if (r->action == FAULT_REORDER)
		append_text(buf, size, " behind %u", r->reorder.behind);
	if (r->action == FAULT_DUPLICATE)
		append_text(buf, size, " %u", r->copies);
	if (r->action == FAULT_REWRITE)
		append_text(buf, size, " %s", fault_field_name(r->rewrite.field));
}

void faults_print(const struct scene *s, FILE *f)
{
	if (s->n_faults)
		fprintf(f, "\nFaults (record, port where the frames come in, frames, action)\n");
	for (unsigned i = 0; i < s->n_faults; i++) {
		const struct scene_fault *one = s->fault[i];
		char frames[400] = "", action[80] = "";

		if (one->record.action != FAULT_FORGE) {
			append_kinds(frames, sizeof(frames), one->record.kinds);
			append_pairs(frames, sizeof(frames), s, one);
			append_psn(frames, sizeof(frames), &one->record);
		}
		append_action(action, sizeof(action), &one->record);
		fprintf(f, "%5u  %-16s  %s%s%s%s\n", one->record.number,
			s->node[one->node].port[one->port].name, frames, *frames ? ": " : "",
			action, one->optional ? " (optional)" : "");
	}
}
