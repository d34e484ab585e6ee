// SPDX-License-Identifier: BSD-3-Clause
// The player: finds the next frame, and counts frames that should have left, frames that left, and
// their lateness.
#include "player.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"

#define LOOK_AGAIN PS_PER_US // at a ring that was empty

static const struct stat_row rows[] = {
	STAT_ROW(struct replay_stats, wanted_frames, "frames", "due so far"),
	STAT_ROW(struct replay_stats, tx_frames, "frames", "sent by the replay"),
	STAT_ROW(struct replay_stats, tx_bytes, "bytes", "sent, with FCS"),
	STAT_ROW(struct replay_stats, rx_frames, "frames", "received by this host"),
	STAT_ROW(struct replay_stats, rx_bytes, "bytes", "received, with FCS"),
	STAT_ROW(struct replay_stats, rx_ce_frames, "frames", "received with CE"),
	STAT_ROW(struct replay_stats, late_frames, "frames", "left later than wanted"),
	STAT_WHOLE(struct replay_stats, late_max_ps, "ps", "worst lateness"),
	STAT_ROW(struct replay_stats, late_sum_ps, "ps", "over late_frames"),
	STAT_WHOLE(struct replay_stats, first_tx, "ps", "instant of the first frame"),
	STAT_WHOLE(struct replay_stats, last_tx, "ps", "instant of the last frame"),
	STAT_ROW(struct replay_stats, no_desc, "events", "a frame waited for a descriptor"),
	STAT_ROW(struct replay_stats, malformed_frames, "frames", "sent, though malformed"),
	STAT_ROW(struct replay_stats, starved, "events",
		"the next frame had not been read from the file yet"),
};

const struct stat_table replay_stat_table = {"replay", rows, sizeof(rows) / sizeof(rows[0])};

static tstamp round_time(const struct player *p)
{
	return tstamp_add(p->p.took, p->p.gap);
}

static void next_mark(struct player *p)
{
	if (!p->p.n_marks || p->loop == p->p.loops)
		p->due = TSTAMP_NEVER;
	else
		p->due = tstamp_add(p->base, p->p.mark[p->mark]);
}

// Takes the next frame from the ring. If the ring is empty at `now`, tries again a little later.
static void next_frame(struct player *p, tstamp now)
{
	p->rec = replay_ring_look(p->p.ring);
	if (p->rec) {
		p->at = tstamp_add(p->p.start, p->rec->at);
		return;
	}

	bool ended = replay_ring_ended(p->p.ring);

	atomic_store_explicit(&p->ended, ended, memory_order_relaxed);
	p->at = ended ? TSTAMP_NEVER : tstamp_add(now, LOOK_AGAIN);
	p->s.starved += !ended;
}

int player_init(struct player *p, const struct player_params *params)
{
	*p = (struct player){.p = *params, .at = TSTAMP_NEVER, .due = TSTAMP_NEVER};
	if (!params->ring)
		return 0;
	if (!params->frames || !params->loops || (!params->untimed && !params->n_marks) ||
		(params->n_marks && !params->mark_step))
		return -EINVAL;
	for (uint32_t i = 1; i < params->n_marks; i++)
		if (params->mark[i] < params->mark[i - 1])
			return -EINVAL;
	p->late = malloc(sizeof(*p->late));
	if (!p->late)
		return -ENOMEM;
	hist_init(p->late);
	p->base = params->start;
	next_mark(p);
	next_frame(p, params->start);
	return 0;
}

void player_fini(struct player *p)
{
	free(p->late);
	p->late = NULL;
}

const struct replay_rec *player_look(struct player *p, tstamp now)
{
	if (p->at > now)
		return NULL;
	if (!p->rec)
		next_frame(p, now);
	return p->at <= now ? p->rec : NULL;
}

void player_take(struct player *p, struct pkt *to, uint16_t data_off, tstamp now)
{
	const struct replay_rec *rec = p->rec;

	*to = (struct pkt){
		.when = p->at,
		.born = now,
		.len = (uint16_t)rec->len,
		.in_port = PKT_NO_PORT,
		.data_off = data_off,
	};
	memcpy(pkt_bytes(to), rec->bytes, rec->len);
	p->s.malformed_frames += frame_to_pkt(to, PKT_MAX_LEN) == PKT_BAD;
	replay_ring_drop(p->p.ring, rec);
	p->taken++;
	next_frame(p, now);
}

void player_sent(struct player *p, uint32_t len, tstamp due, tstamp now)
{
	tstamp late = p->p.untimed ? 0 : tstamp_since(now, due);

	if (!p->s.tx_frames++)
		p->s.first_tx = now;
	p->s.last_tx = now;
	p->s.tx_bytes += len + PKT_FCS;
	p->s.late_frames += late != 0;
	p->s.late_sum_ps += late;
	p->s.late_max_ps = tstamp_max(p->s.late_max_ps, late);
	hist_add(p->late, late, 1);
}

static void wanted(struct player *p, uint64_t frames)
{
	if (frames > p->s.wanted_frames)
		p->s.wanted_frames = frames;
}

// Skips rounds of which all frames are due before `until`. There may be any number of them, all at
// one instant if capture and gap take no time. False: the next round is not of these.
static bool rounds_due(struct player *p, tstamp until)
{
	tstamp last = tstamp_add(p->base, p->p.took), each = round_time(p);
	uint64_t rounds = p->p.loops - p->loop;

	if (p->mark || last >= until)
		return false;
	if (each && (until - 1 - last) / each + 1 < rounds)
		rounds = (until - 1 - last) / each + 1;
	p->base += rounds * each;
	p->loop += (uint32_t)rounds;
	wanted(p, p->loop * p->p.frames);
	next_mark(p);
	return true;
}

// The mark that is due says that all frames up to its own are.
static void mark_due(struct player *p)
{
	uint64_t before = p->loop * p->p.frames;

	if (p->mark + 1 < p->p.n_marks) {
		wanted(p, before + (uint64_t)p->mark * p->p.mark_step + 1);
		p->mark++;
	} else {
		wanted(p, before + p->p.frames);
		p->mark = 0;
		p->loop++;
		p->base = tstamp_add(p->base, round_time(p));
	}
	next_mark(p);
}

void player_want(struct player *p, tstamp until)
{
	while (p->due < until)
		if (!rounds_due(p, until))
			mark_due(p);
	// A frame that was taken was wanted, and so is the next one, if it is due.
	wanted(p, p->taken + (p->rec && p->at < until && !p->p.untimed));
}

static tstamp later(tstamp at, tstamp by)
{
	return at == TSTAMP_NEVER ? at : tstamp_add(at, by);
}

void player_hold(struct player *p, bool on, tstamp now)
{
	tstamp held = tstamp_since(now, p->held_since);

	if (!p->p.ring || on == p->held)
		return;
	p->held = on;
	if (on) {
		player_want(p, now);
		p->held_since = now;
		p->held_at = p->at;
		p->held_due = p->due;
		p->at = p->due = TSTAMP_NEVER;
		return;
	}
	p->p.start = tstamp_add(p->p.start, held);
	p->base = tstamp_add(p->base, held);
	p->at = later(p->held_at, held);
	p->due = later(p->held_due, held);
}

uint64_t player_unsent(const struct player *p, tstamp now, tstamp busy)
{
	if (!p->p.ring)
		return 0;
	if (player_ended(p))
		return p->p.frames * p->p.loops - p->s.tx_frames;
	if (p->p.untimed || tstamp_since(now, p->at) <= busy)
		return 0;
	return p->s.wanted_frames - p->s.tx_frames;
}
