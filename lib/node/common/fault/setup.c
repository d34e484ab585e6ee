// SPDX-License-Identifier: BSD-3-Clause
// An injector is made: rules of its targets, its queue pairs, memory for all that it counts.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "int.h"
#include "work.h"

static struct pair_key target_key(const struct fault_target *t)
{
	struct pair_key key = {.qpn = t->qpn ? t->qpn : PAIR_ANY_QPN, .ipv6 = t->ipv6};

	memcpy(key.daddr, t->daddr, t->ipv6 ? 16 : 4);
	return key;
}

static bool is_possible(const struct fault_record *r)
{
	return (r->psn != FAULT_PSN_RANGE || r->from <= r->to) &&
	       (r->psn != FAULT_PSN_EVERY || r->from) && r->nth_from <= r->nth_to &&
	       r->pass_from <= r->pass_to && (r->action != FAULT_REORDER || r->reorder.behind);
}

static int init_records(struct fault *f)
{
	for (uint32_t i = 0; i < f->p.n_records; i++) {
		const struct fault_record *r = &f->p.record[i];

		if (!is_possible(r))
			return -EINVAL;
		if (r->by_chance && chance_init(&f->chance[i], r, f->p.seed, f->p.name))
			return -EINVAL;
	}
	for (uint32_t i = 0; i < f->p.n_all; i++)
		f->of_all[f->p.all[i]] = true;
	return 0;
}

static bool has_same_list(const struct fault_target *a, const struct fault_target *b)
{
	return a->n_records == b->n_records &&
	       memcmp(a->record, b->record, a->n_records * sizeof(*a->record)) == 0;
}

// Makes the rules of each target, by target in `of`. Many targets have the same list of records,
// and share its rules.
static int init_rules(struct fault *f, uint32_t *of, struct index *lists)
{
	const struct fault_target *target = f->p.target;

	for (uint32_t i = 0; i < f->p.n_targets; i++) {
		const struct fault_target *t = &target[i];
		uint32_t at = index_hash(0, t->record, t->n_records * sizeof(*t->record));
		uint32_t hash = at, same;
		int err;

		while ((same = index_next(lists, hash, &at)) != INDEX_NONE)
			if (has_same_list(t, &target[same]))
				break;
		if (same != INDEX_NONE) {
			of[i] = of[same];
			continue;
		}
		err = rules_init(&f->rules[f->n_rules], f->p.record, t->record, t->n_records);
		if (!err)
			of[i] = f->n_rules++;
		err = err ? err : index_add(lists, hash, i);
		if (err)
			return err;
	}
	f->all = &f->rules[f->n_rules];
	return rules_init(&f->rules[f->n_rules++], f->p.record, f->p.all, f->p.n_all);
}

// Adds the pairs of all targets. Whole addresses come first, because single queue pairs look
// for their address.
static int init_pairs(struct fault *f, const uint32_t *of, bool of_addresses)
{
	for (uint32_t i = 0; i < f->p.n_targets; i++) {
		const struct fault_target *t = &f->p.target[i];
		struct pair_key key = target_key(t);
		const struct pair *address;
		struct pair *q;

		if (!t->qpn != of_addresses)
			continue;
		if (pairs_find(&f->pairs, &key))
			return -EINVAL;
		q = pairs_add(&f->pairs, &key, t->psn);
		q->own = &f->rules[of[i]];
		if (of_addresses) {
			f->has_addresses = true;
			f->seen_counts |= q->own->counts;
			continue;
		}
		key.qpn = PAIR_ANY_QPN;
		address = pairs_find(&f->pairs, &key);
		q->address = address ? address->own : NULL;
		q->window = pairs_window(t->window);
	}
	return 0;
}

static uint8_t counts_of(const struct fault *f, const struct pair *q)
{
	return q->own->counts | f->all->counts | (q->address ? q->address->counts : 0);
}

// Memory of transmissions: first of the queue pairs that targets name, then of others.
static int init_counts(struct fault *f)
{
	uint64_t n = (uint64_t)f->p.seen_pairs * pair_counts(f->seen_counts) *
		     pairs_window(f->p.seen_window);
	uint16_t *times;

	for (uint32_t i = 0; i < f->pairs.n; i++)
		n += (uint64_t)pair_counts(counts_of(f, &f->pairs.pair[i])) *
		     f->pairs.pair[i].window;
	times = f->pairs.times = calloc(n + 1, sizeof(*times));
	if (!times)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->pairs.n; i++) {
		struct pair *q = &f->pairs.pair[i];

		if (q->window)
			times = pair_count(q, counts_of(f, q), q->window, times);
	}
	f->seen_times = times;
	return 0;
}

// The place where bytes are changed, if a record changes any. 0 or -ENOMEM.
static int init_work(struct fault *f)
{
	bool changes = false;

	for (uint32_t i = 0; i < f->p.n_records; i++)
		changes |= f->p.record[i].action == FAULT_CORRUPT ||
			   f->p.record[i].action == FAULT_REWRITE;
	if (changes)
		f->work = aligned_alloc(_Alignof(struct work), sizeof(*f->work));
	return changes && !f->work ? -ENOMEM : 0;
}

static int init_memory(struct fault *f)
{
	uint32_t n = f->p.n_records;
	int err = pairs_init(&f->pairs, f->p.n_targets + f->p.seen_pairs);

	if (!err)
		err = holds_init(&f->holds, f->p.held);
	if (!err)
		err = init_work(f);
	if (!err)
		err = forge_init(f);
	f->record = calloc(n + 1ul, sizeof(*f->record));
	f->chance = calloc(n + 1ul, sizeof(*f->chance));
	f->of_all = calloc(n + 1ul, sizeof(*f->of_all));
	f->found = calloc(n + 1ul, sizeof(*f->found));
	f->rules = calloc(f->p.n_targets + 1ul, sizeof(*f->rules));
	if (!f->record || !f->chance || !f->of_all || !f->found || !f->rules)
		return -ENOMEM;
	return err;
}

static int init_targets(struct fault *f)
{
	uint32_t *of = calloc(f->p.n_targets + 1ul, sizeof(*of));
	struct index lists = {0};
	int err = of ? init_rules(f, of, &lists) : -ENOMEM;

	if (!err)
		err = init_pairs(f, of, true);
	if (!err)
		err = init_pairs(f, of, false);
	f->seen_counts |= err ? 0 : f->all->counts;
	if (!err)
		err = init_counts(f);
	index_fini(&lists);
	free(of);
	return err;
}

int fault_new(struct fault **out, const struct fault_params *p)
{
	struct fault *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->p = *p;
	err = init_memory(f);
	if (!err)
		err = init_records(f);
	if (!err)
		err = init_targets(f);
	if (err) {
		fault_free(f);
		return err;
	}
	f->p.target = NULL;
	f->p.all = NULL;
	*out = f;
	return 0;
}

void fault_free(struct fault *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->n_rules; i++)
		rules_fini(&f->rules[i]);
	pairs_fini(&f->pairs);
	holds_fini(&f->holds);
	free(f->record);
	free(f->chance);
	free(f->of_all);
	free(f->found);
	free(f->rules);
	free(f->forge);
	free(f->work);
	free(f);
}
