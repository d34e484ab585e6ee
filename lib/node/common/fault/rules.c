// SPDX-License-Identifier: BSD-3-Clause
// Rules: an exact PSN is found by a hash, a range in a tree, and the rest one by one.
#include "rules.h"

#include <errno.h>
#include <stdlib.h>

// Kinds whose transmissions have to be counted for a record. They are counted for one PSN or a
// range, too, because events tell them.
static uint8_t record_counts(const struct fault_record *r)
{
	return r->nth_from || r->psn == FAULT_PSN_RANGE ? r->kinds : 0;
}

static bool record_needs_pair(const struct fault_record *r)
{
	return r->psn == FAULT_PSN_RANGE || r->psn == FAULT_PSN_EVERY || r->nth_from ||
	       r->pass_from || r->action == FAULT_REORDER;
}

static int range_order(const void *a, const void *b)
{
	const struct rules_range *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

// Returns the last PSN of the ranges lo..hi-1.
static uint64_t range_most(struct rules_range *range, uint32_t lo, uint32_t hi)
{
	uint32_t mid = lo + (hi - lo) / 2;
	uint64_t most, below;

	if (lo == hi)
		return 0;
	most = range[mid].to;
	below = range_most(range, lo, mid);
	most = below > most ? below : most;
	below = range_most(range, mid + 1, hi);
	most = below > most ? below : most;
	range[mid].most = most;
	return most;
}

static int rules_add(struct rules *s, uint32_t i)
{
	const struct fault_record *r = &s->record[i];

	if (r->action == FAULT_FORGE)
		return 0; // it names no frame
	s->counts |= record_counts(r);
	s->needs_pair |= record_needs_pair(r);
	if (r->psn != FAULT_PSN_RANGE) {
		s->rest[s->n_rest++] = i;
		return 0;
	}
	if (r->from != r->to) {
		s->range[s->n_ranges++] =
			(struct rules_range){.from = r->from, .to = r->to, .record = i};
		return 0;
	}
	s->single[s->n_single] = i;
	return index_add(&s->exact, index_hash(0, &r->from, sizeof(r->from)), s->n_single++);
}

int rules_init(
	struct rules *s, const struct fault_record *record, const uint32_t *which, uint32_t n)
{
	int err = 0;

	*s = (struct rules){.record = record};
	s->single = calloc(n + 1ul, sizeof(*s->single));
	s->rest = calloc(n + 1ul, sizeof(*s->rest));
	s->range = calloc(n + 1ul, sizeof(*s->range));
	if (!s->single || !s->rest || !s->range)
		err = -ENOMEM;
	for (uint32_t i = 0; i < n && !err; i++)
		err = rules_add(s, which[i]);
	if (err) {
		rules_fini(s);
		return err;
	}
	qsort(s->range, s->n_ranges, sizeof(*s->range), range_order);
	range_most(s->range, 0, s->n_ranges);
	return 0;
}

void rules_fini(struct rules *s)
{
	free(s->single);
	free(s->rest);
	free(s->range);
	index_fini(&s->exact);
	*s = (struct rules){0};
}

static bool is_within(uint32_t is, uint32_t from, uint32_t to)
{
	return !from || (is >= from && is <= to);
}

static bool record_names_psn(const struct fault_record *r, const struct facts *a)
{
	switch (r->psn) {
	case FAULT_PSN_ANY:
		return true;
	case FAULT_PSN_RANGE:
		return a->has_psn && a->psn >= r->from && a->psn <= r->to;
	case FAULT_PSN_EVERY:
		return a->has_psn && a->psn % r->from == 0;
	case FAULT_PSN_LAST:
		return a->last;
	}
	return false;
}

static bool record_names(const struct fault_record *r, const struct facts *a)
{
	return a->now >= r->begins && r->kinds & a->kind &&
	       (!r->classes || r->classes >> a->cls & 1) &&
	       is_within(a->nth, r->nth_from, r->nth_to) &&
	       is_within(a->pass, r->pass_from, r->pass_to) && record_names_psn(r, a);
}

// Keeps what was found in rising order; few records name one frame.
static void rules_ask(const struct rules *s, uint32_t record, struct facts *a)
{
	uint32_t at = a->n_found;

	if (!record_names(&s->record[record], a))
		return;
	for (; at && a->found[at - 1] > record; at--)
		a->found[at] = a->found[at - 1];
	a->found[at] = record;
	a->n_found++;
}

static void range_find(const struct rules *s, uint32_t lo, uint32_t hi, struct facts *a)
{
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct rules_range *r = &s->range[mid];

		if (r->most < a->psn)
			return;
		range_find(s, lo, mid, a);
		if (r->from > a->psn)
			return;
		if (r->to >= a->psn)
			rules_ask(s, r->record, a);
		lo = mid + 1;
	}
}

void rules_find(const struct rules *s, struct facts *a)
{
	if (a->has_psn && s->n_single) {
		uint32_t at = index_hash(0, &a->psn, sizeof(a->psn)), hash = at, i;

		while ((i = index_next(&s->exact, hash, &at)) != INDEX_NONE)
			rules_ask(s, s->single[i], a);
	}
	if (a->has_psn)
		range_find(s, 0, s->n_ranges, a);
	for (uint32_t i = 0; i < s->n_rest; i++)
		rules_ask(s, s->rest[i], a);
}
