// SPDX-License-Identifier: BSD-3-Clause
// Completion times of messages, of all together and by size (measuring.md M7): each row has about a
// tenth of the messages.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

#define MOST_ROWS 10

struct size {
	unsigned number;
	uint64_t from_bytes, to_bytes;
	double up_to_percent; // of all messages have these sizes or smaller ones
	struct host_messages messages;
};

struct host_messages host_messages(
	const struct hist *fct, const struct hist *posted, const struct hist *slowdown)
{
	return (struct host_messages){
		.fct_us = kind_dist(fct, 1e6),
		.fct_posted_us = kind_dist(posted, 1e6),
		.slowdown = kind_dist(slowdown, 1e3),
	};
}

struct host_split host_split(const struct rec_split *s, uint64_t messages)
{
	struct host_split to;

	for (unsigned i = 0; i < REC_CAUSES; i++)
		to.us[i] = messages && s->messages == messages
				   ? s->ps[i] / (double)messages / PS_PER_US
				   : NAN;
	return to;
}

// Ends a row: what its sizes have together.
static void end_row(struct set *to, struct hist *h, uint64_t below, uint64_t all)
{
	struct size *row = set_add(to);

	row->number = to->n - 1;
	row->messages = host_messages(&h[0], &h[1], &h[2]);
	row->messages.fct_us.from = row->messages.fct_posted_us.from = NULL;
	row->messages.slowdown.from = NULL;
	row->up_to_percent = 100 * (double)below / (double)all;
	for (unsigned i = 0; i < 3; i++)
		hist_init(&h[i]);
}

// Makes the rows of sizes. A row takes sizes, smallest first, until the messages so far pass the
// next tenth of all. A size is never divided: if all messages have one size, there is one row.
static void make_rows(struct set *to, const struct record *r, struct hist *h, uint64_t all)
{
	struct hist *each[] = {&h[0], &h[1], &h[2]};
	uint64_t below = 0, tenth = 1;

	for (unsigned i = 0; i < r->n_sizes; i++) {
		const struct rec_size *z = &r->size[i];
		struct size *row = set_at(to, to->n);
		uint64_t n = record_size_messages(z);

		if (!n)
			continue;
		if (!h[0].n)
			row->from_bytes = z->bytes;
		row->to_bytes = z->bytes;
		record_size_merge(z, each);
		below += n;
		if (10 * below < tenth * all)
			continue;
		end_row(to, h, below, all);
		tenth = 10 * below / all + 1;
	}
}

static int make_sizes(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;
	struct hist *h = calloc(3, sizeof(*h));
	uint64_t all = 0;

	if (!h || set_room(to, &kind_size, MOST_ROWS)) {
		free(h);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < r->n_sizes; i++)
		all += record_size_messages(&r->size[i]);
	make_rows(to, r, h, all);
	free(h);
	return 0;
}

static const char *name(const void *object, char *buf)
{
	snprintf(buf, KIND_NAME, "%u", ((const struct size *)object)->number);
	return buf;
}

static const struct figure figures[] = {
	ROW_COUNT(struct size, from_bytes, "from_bytes", "bytes", "smallest size in the row",
		.merge = FIGURE_SAME),
	ROW_COUNT(struct size, to_bytes, "to_bytes", "bytes", "largest size in the row",
		.merge = FIGURE_SAME),
	ROW_VALUE(struct size, up_to_percent, "up_to_percent", "%", 4,
		"of all messages have these sizes or smaller ones", .merge = FIGURE_SAME),
	HOST_MESSAGES(struct size, messages),
};

// There are at most as many rows as flows.
static void possible_sizes(struct kind_look *l)
{
	look_numbers(l, l->s->n_flows);
}

const struct kind kind_size = {
	.key = "messages_by_size",
	.path = "size",
	.title = "Messages by size",
	.about = "The sizes of messages of all flows together, smallest first, counted from 0. A "
		 "row takes sizes until the messages so far pass the next tenth of all.",
	.example = "0",
	.if_any = true,
	.one_by = {"from_bytes", "to_bytes"},
	.size = sizeof(struct size),
	KIND_FIGURES(figures),
	.make = make_sizes,
	.name = name,
	.could = possible_sizes,
};
