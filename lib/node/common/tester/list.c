// SPDX-License-Identifier: BSD-3-Clause
// Items of a step under way: begun, served, ended.
#include "list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

struct tester_line {
	tstamp next; // instant of its next frame as planned, once it has begun
	uint32_t sent;
	// Items that begin at its end, as a list.
	int32_t first_after, next_after;
};

static bool is_mac(const struct tester_item *i)
{
	return i->kind != TESTER_DATA;
}

// Frames of an item; 0: it has no end. A hold sends its first frame as an item.
static uint32_t frames_of(const struct tester_item *i)
{
	return i->kind == TESTER_HOLD || i->kind == TESTER_RELEASE ? 1 : i->count;
}

static bool is_finite(const struct tester_item *i)
{
	return i->kind != TESTER_HOLD && frames_of(i);
}

int tester_list_init(struct tester_list *l)
{
	*l = (struct tester_list){.line = calloc(TESTER_ITEMS, sizeof(*l->line)),
		.begun = calloc(TESTER_ITEMS, sizeof(*l->begun))};
	return l->line && l->begun ? 0 : -ENOMEM;
}

void tester_list_fini(struct tester_list *l)
{
	free(l->line);
	free(l->begun);
}

// Puts an item among those that have begun, behind those that are served before it.
static void start(struct tester_list *l, unsigned k, tstamp base)
{
	bool mac = is_mac(&l->item[k]);
	unsigned at = mac ? 0 : l->n_mac, end = mac ? l->n_mac : l->n_begun;

	while (at < end && l->begun[at] < k)
		at++;
	memmove(&l->begun[at + 1], &l->begun[at], (l->n_begun - at) * sizeof(*l->begun));
	l->begun[at] = (uint16_t)k;
	l->n_begun++;
	l->n_mac += mac;
	l->line[k].next = tstamp_add(base, l->item[k].at);
}

static void stop(struct tester_list *l, unsigned k)
{
	unsigned at = 0;

	while (l->begun[at] != k)
		at++;
	l->n_begun--;
	l->n_mac -= is_mac(&l->item[k]);
	memmove(&l->begun[at], &l->begun[at + 1], (l->n_begun - at) * sizeof(*l->begun));
}

void tester_list_begin(
	struct tester_list *l, const struct tester_item *item, unsigned n, tstamp now)
{
	l->item = item;
	l->n = n;
	l->n_begun = l->n_mac = l->finite = 0;
	l->end = now;
	for (unsigned k = 0; k < n; k++) {
		struct tester_line *line = &l->line[k];

		*line = (struct tester_line){.first_after = NONE, .next_after = NONE};
		l->finite += is_finite(&item[k]);
		if (item[k].after == TESTER_AT_START) {
			start(l, k, now);
			continue;
		}
		line->next_after = l->line[item[k].after].first_after;
		l->line[item[k].after].first_after = (int32_t)k;
	}
}

int tester_list_pick(const struct tester_list *l, bool mac, tstamp now)
{
	for (unsigned i = 0; i < (mac ? l->n_mac : l->n_begun); i++)
		if (l->line[l->begun[i]].next <= now)
			return l->begun[i];
	return NONE;
}

tstamp tester_list_next(const struct tester_list *l, bool mac)
{
	tstamp next = TSTAMP_NEVER;

	for (unsigned i = 0; i < (mac ? l->n_mac : l->n_begun); i++)
		next = tstamp_min(next, l->line[l->begun[i]].next);
	return next;
}

tstamp tester_list_due(const struct tester_list *l, unsigned k, bool *own)
{
	*own = l->item[k].gap || !l->line[k].sent;
	return l->line[k].next;
}

uint32_t tester_list_sent(const struct tester_list *l, unsigned k)
{
	return l->line[k].sent;
}

void tester_list_left(struct tester_list *l, unsigned k, tstamp end)
{
	const struct tester_item *i = &l->item[k];
	struct tester_line *line = &l->line[k];

	line->sent++;
	line->next += i->gap;
	if (is_finite(i))
		l->end = tstamp_max(l->end, end);
	if (!frames_of(i) || line->sent < frames_of(i))
		return;
	stop(l, k);
	l->finite -= is_finite(i);
	for (int32_t after = line->first_after; after != NONE; after = l->line[after].next_after)
		start(l, (unsigned)after, end);
}
