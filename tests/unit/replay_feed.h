// SPDX-License-Identifier: BSD-3-Clause
// Frames of a test in the ring that a player takes them from, round by round.
#pragma once

#include <stdlib.h>

#include "load/load.h"

struct replay_feed {
	struct replay_ring ring;
	const struct replay_frame *frame;
	unsigned n, i;
	uint32_t loop;
	tstamp base, *mark;
	struct player_params p;
};

static inline void replay_feed_fill(void *arg, struct replay_ring *r)
{
	struct replay_feed *f = arg;

	while (f->loop < f->p.loops) {
		struct replay_frame next = f->frame[f->i];

		next.at += f->base;
		if (!replay_ring_put(r, &next))
			break;
		if (++f->i < f->n)
			continue;
		f->i = 0;
		f->loop++;
		f->base += f->p.took + f->p.gap;
	}
	if (f->loop < f->p.loops)
		replay_ring_show(r);
	else
		replay_ring_end(r);
}

// A round of n frames; who wants more, a gap or a start sets them.
static inline struct player_params replay_feed_params(const struct replay_frame *frame, unsigned n)
{
	struct player_params p = {.frames = n, .loops = 1, .mark_step = 1, .n_marks = n};

	for (unsigned i = 0; i < n; i++)
		p.longest = frame[i].len > p.longest ? frame[i].len : p.longest;
	p.took = n ? frame[n - 1].at : 0;
	return p;
}

// Gives `p` the ring and the marks of these frames.
static inline void replay_feed_open(
	struct replay_feed *f, struct player_params *p, const struct replay_frame *frame)
{
	*f = (struct replay_feed){.frame = frame, .n = (unsigned)p->frames};
	if (!f->n || replay_ring_init(&f->ring, 0))
		return;
	f->mark = calloc(f->n, sizeof(*f->mark));
	for (unsigned i = 0; f->mark && i < f->n; i++)
		f->mark[i] = frame[i].at;
	p->mark = f->mark;
	p->ring = &f->ring;
	f->p = *p;
	f->ring.refill = replay_feed_fill;
	f->ring.arg = f;
}

static inline void replay_feed_close(struct replay_feed *f)
{
	replay_ring_fini(&f->ring);
	free(f->mark);
}
