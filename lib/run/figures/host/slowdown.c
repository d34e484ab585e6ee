// SPDX-License-Identifier: BSD-3-Clause
// Slowdown of messages by their size: the bins of groups (measuring.md M7).
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define UNFINISHED_PERMILLE 1 // of a bin's messages, above which its percentiles are not known
#define BEYOND              3 // messages that a percentile needs beyond itself

struct bin {
	const char *group;
	unsigned number;
	uint64_t from_bytes, to_bytes;
	double posted, unfinished; // NAN: of a run that goes on
	struct kind_dist fct, slowdown;
};

// Forgets the percentiles that n messages do not tell; `all`: all of them.
static void forget(struct kind_dist *d, bool all)
{
	const struct {
		double *value;
		unsigned beyond; // of 10,000 messages
	} percentile[] = {{&d->p1, 9900}, {&d->p50, 5000}, {&d->p90, 1000}, {&d->p95, 500},
		{&d->p99, 100}, {&d->p999, 10}};

	for (unsigned i = 0; i < sizeof(percentile) / sizeof(percentile[0]); i++)
		if (all || d->n * percentile[i].beyond < BEYOND * 10000)
			*percentile[i].value = NAN;
}

static void make_bin(struct bin *o, const struct rec_group *g, unsigned i, bool live)
{
	const struct rec_bin *b = &g->bin[i];
	uint64_t unfinished = b->unfinished, posted;
	bool unknown;

	o->group = g->name;
	o->number = i;
	o->from_bytes = i ? g->bins->bound[i - 1] + 1ull : 0;
	o->to_bytes = g->bins->bound[i];
	o->fct = kind_dist(b->fct, 1e6);
	o->slowdown = kind_dist(b->slowdown, 1e3);
	posted = o->fct.n + unfinished;
	o->posted = live ? NAN : (double)posted;
	o->unfinished = live ? NAN : (double)unfinished;
	unknown = unfinished * 1000 > posted * UNFINISHED_PERMILLE;
	forget(&o->fct, unknown);
	forget(&o->slowdown, unknown);
}

static int make_bins(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;
	size_t n = 0;

	for (unsigned i = 0; i < r->n_groups; i++)
		n += r->group[i].bin ? r->group[i].bins->n : 0;
	if (set_room(to, &kind_slowdown, n))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_groups; i++)
		for (unsigned k = 0; r->group[i].bin && k < r->group[i].bins->n; k++)
			make_bin(set_add(to), &r->group[i], k, s->live);
	return 0;
}

#define DIST(field, before, after, unit, of)                        \
	ROW_SPREAD(struct bin, field, before, after, unit, of, ""), \
		ROW_DIST(struct bin, field, p95, before "_p95" after, unit, "p95 of " of)

#define HOST_SLOWDOWN_POSTED "the slowdown from posting"

static const struct figure figures[] = {
	ROW_TEXT(struct bin, group, "group", "its group"),
	ROW_ID(struct bin, number, "number", "its number in the group, from 0"),
	ROW_COUNT(struct bin, from_bytes, "from_bytes", "bytes", "smallest size of the bin",
		.merge = FIGURE_SAME),
	ROW_COUNT(struct bin, to_bytes, "to_bytes", "bytes", "largest size of the bin",
		.merge = FIGURE_SAME),
	ROW_VALUE(struct bin, posted, "posted", "messages", 0,
		"messages of these sizes that were posted from the start of the window to the "
		"drain; `null` while the run goes on",
		.merge = FIGURE_SUM),
	ROW_VALUE(struct bin, unfinished, "unfinished", "messages", 0,
		"of them, those that had not ended at the end of the run, or that a failure lost. "
		"If they are more than 0.1 % of `posted`, the percentiles are `null`",
		.merge = FIGURE_SUM),
	ROW_COUNT(struct bin, fct.n, "messages", "messages", "of them, those that have ended",
		.merge = FIGURE_SUM),
	ROW_MEAN(struct bin, fct, "messages", "fct_posted_mean_us", "us",
		"mean of " HOST_FCT_POSTED " to the last acknowledgement, of the messages that "
		"have ended. A percentile is `null` where fewer than three of them lie beyond it"),
	DIST(fct, "fct_posted", "_us", "us", HOST_FCT_POSTED),
	ROW_MEAN(struct bin, slowdown, "messages", "slowdown_mean", "",
		"mean of " HOST_SLOWDOWN_POSTED ": the completion time from posting over the time "
		"that the message would have taken alone"),
	DIST(slowdown, "slowdown", "", "", HOST_SLOWDOWN_POSTED),
};

static void tell_bins(struct kind_look *l, const struct scene_flow *f, const char *group)
{
	for (unsigned i = 0; f->bins && i < f->bins->n; i++)
		look_tell(l, "%s.%u", group, i);
}

static void possible_bins(struct kind_look *l)
{
	host_look_groups(l, tell_bins);
}

const struct kind kind_slowdown = {
	.key = "slowdown_by_size",
	.path = "slowdown",
	.title = "Slowdown by size",
	.about = "The ranges of message sizes of each group that has `bins`, by the group's name "
		 "and the number of the range from 0.",
	.example = "web.3",
	.if_any = true,
	.one_by = {"group", "number"},
	.size = sizeof(struct bin),
	KIND_FIGURES(figures),
	.make = make_bins,
	.name_at = offsetof(struct bin, group),
	.number_at = offsetof(struct bin, number),
	.could = possible_bins,
};
