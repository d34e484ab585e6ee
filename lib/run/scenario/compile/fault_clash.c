// SPDX-License-Identifier: BSD-3-Clause
// Faults that cannot both be right: one drops the frames that another one names.
#include <stdio.h>
#include <string.h>

#include "fault_int.h"

#define MANY 4096 // records, of which the time to compare each with each grows with the square

// Whether all frames that `b` names are also named by `a`, or some of them, by counters from 1 on;
// 0: all.
static bool count_covers(uint32_t a_from, uint32_t a_to, uint32_t b_from, uint32_t b_to)
{
	return !a_from || (b_from && a_from <= b_from && a_to >= b_to);
}

static bool count_meets(uint32_t a_from, uint32_t a_to, uint32_t b_from, uint32_t b_to)
{
	return !a_from || !b_from || (a_from <= b_to && b_from <= a_to);
}

static bool psn_covers(const struct fault_record *a, const struct fault_record *b)
{
	if (a->psn == FAULT_PSN_ANY)
		return true;
	if (a->psn == FAULT_PSN_RANGE && b->psn == FAULT_PSN_RANGE)
		return a->from <= b->from && a->to >= b->to;
	if (a->psn == FAULT_PSN_EVERY && b->psn == FAULT_PSN_RANGE)
		return b->from == b->to && b->from % a->from == 0;
	if (a->psn == FAULT_PSN_EVERY && b->psn == FAULT_PSN_EVERY)
		return b->from % a->from == 0;
	return a->psn == FAULT_PSN_LAST && b->psn == FAULT_PSN_LAST;
}

// Whether two ranges have PSNs in common, and each has others.
static bool psn_crosses(const struct fault_record *a, const struct fault_record *b)
{
	return a->psn == FAULT_PSN_RANGE && b->psn == FAULT_PSN_RANGE && a->from <= b->to &&
	       b->from <= a->to && !psn_covers(a, b) && !psn_covers(b, a);
}

static bool has_pair(const struct scene_fault *f, const struct scene_fault_pair *p)
{
	for (unsigned i = 0; i < f->n_pairs; i++)
		if (f->pair[i].flow == p->flow && f->pair[i].back == p->back &&
			(p->flow != SCENE_FAULT_GIVEN ||
				(f->pair[i].qpn == p->qpn &&
					!memcmp(f->pair[i].daddr, p->daddr, sizeof(p->daddr)))))
			return true;
	return false;
}

static bool pairs_cover(const struct scene_fault *a, const struct scene_fault *b)
{
	if (!a->n_pairs)
		return true;
	for (unsigned i = 0; i < b->n_pairs; i++)
		if (!has_pair(a, &b->pair[i]))
			return false;
	return b->n_pairs;
}

static bool pairs_meet(const struct scene_fault *a, const struct scene_fault *b)
{
	for (unsigned i = 0; i < b->n_pairs; i++)
		if (has_pair(a, &b->pair[i]))
			return true;
	return !a->n_pairs || !b->n_pairs;
}

static uint8_t classes_of(const struct fault_record *r)
{
	return r->classes ? r->classes : 0xff;
}

static bool covers(const struct scene_fault *fa, const struct scene_fault *fb)
{
	const struct fault_record *a = &fa->record, *b = &fb->record;

	return !(b->kinds & ~a->kinds) && !(classes_of(b) & ~classes_of(a)) &&
	       a->begins <= b->begins && psn_covers(a, b) &&
	       count_covers(a->nth_from, a->nth_to, b->nth_from, b->nth_to) &&
	       count_covers(a->pass_from, a->pass_to, b->pass_from, b->pass_to) &&
	       pairs_cover(fa, fb);
}

static bool crosses(const struct scene_fault *fa, const struct scene_fault *fb)
{
	const struct fault_record *a = &fa->record, *b = &fb->record;

	return a->kinds & b->kinds && classes_of(a) & classes_of(b) && psn_crosses(a, b) &&
	       count_meets(a->nth_from, a->nth_to, b->nth_from, b->nth_to) &&
	       count_meets(a->pass_from, a->pass_to, b->pass_from, b->pass_to) &&
	       pairs_meet(fa, fb);
}

// "fault 1 (line 7)"; an event's or a live one's place is its own.
static char *called(const struct scene_fault *f, char *buf, size_t size)
{
	snprintf(buf, size, f->line ? "fault %u (line %u)" : "fault %u", f->record.number, f->line);
	return buf;
}

static int compare(struct fault_make *m, const struct scene_fault *was)
{
	const struct scene_fault *f = m->f;
	const struct fault_record *a = &was->record, *b = &f->record;
	bool drops = a->action == FAULT_DROP && !a->by_chance;
	bool one_drops = (a->action == FAULT_DROP) != (b->action == FAULT_DROP);
	char name[48], one[48], two[48];

	if (b->action == FAULT_FORGE || a->action == FAULT_FORGE)
		return 0;
	called(was, name, sizeof(name));
	if (drops && covers(was, f))
		return yamldoc_err(m->b->err, m->at,
			"%s drops all frames that this one is for; name others, or put this one "
			"first",
			name);
	if (a->action == FAULT_WATCH || b->action == FAULT_WATCH)
		return 0;
	if (a->by_chance || b->by_chance || !one_drops || !crosses(was, f))
		return 0;
	return yamldoc_err(m->b->err, m->at,
		"its PSNs %s and %s of %s overlap, and one of the two drops them; part the ranges",
		fault_range(b->from, b->to, one, sizeof(one)),
		fault_range(a->from, a->to, two, sizeof(two)), name);
}

int fault_clash(struct fault_make *m)
{
	const struct scene *s = m->b->s;
	int rc = 0;

	for (unsigned i = 0; !rc && s->n_faults <= MANY && i + 1 < s->n_faults; i++)
		if (s->fault[i]->node == m->f->node && s->fault[i]->port == m->f->port)
			rc = compare(m, s->fault[i]);
	return rc;
}
