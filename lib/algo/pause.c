// SPDX-License-Identifier: BSD-3-Clause
// PFC and PAUSE: the pause timers of both directions, their counters, and refresh.
#include "algo/pause.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define QUANTUM_BYTES 64
#define PFC_BYTES     84 // on the wire: the shortest frame, preamble, start delimiter and gap

static const struct stat_row rows[] = {
	STAT_ROW(struct pause_stats, xoff_frames, "frames",
		"PFC with quanta above 0 for the priority"),
	STAT_ROW(struct pause_stats, xon_frames, "frames", "PFC with quanta 0 for the priority"),
	STAT_ROW(struct pause_stats, refresh_frames, "frames",
		"XOFFs that came while the priority was paused"),
	STAT_ROW(struct pause_stats, transitions_on, "events", "the priority became paused"),
	STAT_ROW(struct pause_stats, transitions_off, "events", "a pause of the priority ended"),
	STAT_ROW(struct pause_stats, expired, "events",
		"a pause of the priority ended because its time ran out"),
	STAT_ROW(struct pause_stats, pause_requested_ps, "ps", "sum of the quanta asked for"),
	STAT_ROW(struct pause_stats, pause_effective_ps, "ps", "the priority was paused"),
	STAT_WHOLE(struct pause_stats, longest_pause_ps, "ps", "longest pause"),
};

const struct stat_table pause_stat_table = {"pause", rows, sizeof(rows) / sizeof(rows[0])};

// The timers of one direction (measuring.md M1): of the frames received, or of those sent.
struct side {
	uint8_t *paused;
	tstamp *until, *since, *began, *next_expiry;
	struct pause_stats *stats;
};

static struct side rx_side(struct pause_rx *r)
{
	return (struct side){&r->paused, r->until, r->since, r->began, &r->next_expiry, r->stats};
}

static struct side tx_side(struct pause_tx *t)
{
	return (struct side){&t->paused, t->until, t->since, t->began, &t->next_expiry, t->stats};
}

// 512 bit times (standards.md 2.2), ps, to the nearest.
static tstamp quantum(rate_t rate)
{
	assert(rate);
	return (512 * PS_PER_S + rate / 2) / rate;
}

// Counts a running pause up to `at`.
static void count_time(const struct side *s, unsigned prio, tstamp at)
{
	struct pause_stats *st = &s->stats[prio];

	st->pause_effective_ps += tstamp_since(at, s->since[prio]);
	st->longest_pause_ps = tstamp_max(st->longest_pause_ps, tstamp_since(at, s->began[prio]));
	s->since[prio] = tstamp_max(at, s->since[prio]);
}

static void end(const struct side *s, unsigned prio, tstamp at)
{
	count_time(s, prio, at);
	*s->paused &= (uint8_t) ~(1u << prio);
	s->stats[prio].transitions_off++;
}

static void find_next_expiry(const struct side *s)
{
	*s->next_expiry = TSTAMP_NEVER;
	for (unsigned left = *s->paused; left; left &= left - 1)
		*s->next_expiry = tstamp_min(*s->next_expiry, s->until[__builtin_ctz(left)]);
}

static uint8_t run_out(const struct side *s, tstamp now)
{
	uint8_t before = *s->paused;

	if (now < *s->next_expiry)
		return 0;
	for (unsigned left = before; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);

		if (now < s->until[prio])
			continue;
		end(s, prio, s->until[prio]);
		s->stats[prio].expired++;
	}
	find_next_expiry(s);
	return before & (uint8_t) ~*s->paused;
}

// An XOFF whose time ends at `until`. The timer is overwritten.
static void begin_pause(const struct side *s, unsigned prio, tstamp until, tstamp now)
{
	if (!(*s->paused >> prio & 1)) {
		*s->paused |= (uint8_t)(1u << prio);
		s->stats[prio].transitions_on++;
		s->since[prio] = s->began[prio] = now;
	}
	s->until[prio] = until;
}

// Counts the request of a frame for one priority, whether or not it is obeyed.
static void count_frame(struct pause_stats *st, bool paused, tstamp asked_ps)
{
	st->xoff_frames += asked_ps != 0;
	st->xon_frames += asked_ps == 0;
	st->refresh_frames += asked_ps && paused;
	st->pause_requested_ps += asked_ps;
}

static void count_running(const struct side *s, tstamp now)
{
	run_out(s, now);
	for (unsigned left = *s->paused; left; left &= left - 1)
		count_time(s, (unsigned)__builtin_ctz(left), now);
}

void pause_rx_init(struct pause_rx *r, rate_t rate, uint8_t obey, bool no_expiry)
{
	memset(r, 0, sizeof(*r));
	r->obey = obey;
	r->no_expiry = no_expiry;
	r->quantum_ps = quantum(rate);
	r->next_expiry = TSTAMP_NEVER;
}

void pause_rx_count(
	struct pause_rx *r, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now)
{
	for (unsigned left = enable; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);
		bool paused = r->paused >> prio & 1 && now < r->until[prio];

		count_frame(&r->stats[prio], paused, quanta[prio] * r->quantum_ps);
	}
}

// The timers of the priorities in `enable`; one that is not paused has none.
static void set_timers(const struct side *s, unsigned enable, const uint16_t quanta[PAUSE_PRIOS],
	tstamp quantum_ps, bool no_expiry, tstamp now)
{
	for (unsigned left = enable; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);
		tstamp asked = quanta[prio] * quantum_ps;

		if (asked)
			begin_pause(s, prio, no_expiry ? TSTAMP_NEVER : now + asked, now);
		else if (*s->paused >> prio & 1)
			end(s, prio, now);
	}
	find_next_expiry(s);
}

uint8_t pause_rx_set(
	struct pause_rx *r, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now)
{
	struct side s = rx_side(r);
	uint8_t before = r->paused;

	run_out(&s, now);
	set_timers(&s, enable & r->obey, quanta, r->quantum_ps, r->no_expiry, now);
	return before ^ r->paused;
}

bool pause_rx_obey(struct pause_rx *r, unsigned prio, bool obey, tstamp now)
{
	struct side s = rx_side(r);
	uint8_t bit = (uint8_t)(1u << prio);
	bool ends = !obey && r->paused & bit;

	r->obey = obey ? r->obey | bit : r->obey & (uint8_t)~bit;
	if (ends) {
		end(&s, prio, now);
		find_next_expiry(&s);
	}
	return ends;
}

uint8_t pause_rx_expire(struct pause_rx *r, tstamp now)
{
	struct side s = rx_side(r);

	return run_out(&s, now);
}

void pause_rx_account(struct pause_rx *r, tstamp now)
{
	struct side s = rx_side(r);

	count_running(&s, now);
}

int pause_response_init(struct pause_response *l, rate_t rate, uint16_t quanta)
{
	*l = (struct pause_response){.delay_ps = quanta * quantum(rate), .due = TSTAMP_NEVER};
	if (!quanta)
		return 0;
	// Two more: a frame that comes when the first one is due, and one for the rounding.
	l->size = quanta * QUANTUM_BYTES / PFC_BYTES + 2;
	l->frame = malloc(l->size * sizeof(*l->frame));
	return l->frame ? 0 : -ENOMEM;
}

void pause_response_fini(struct pause_response *l)
{
	free(l->frame);
	l->frame = NULL;
}

void pause_response_put(
	struct pause_response *l, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp came)
{
	struct pause_response_frame *f;

	if (l->n == l->size) {
		f = &l->frame[(l->first + l->n - 1) % l->size];
	} else {
		f = &l->frame[(l->first + l->n++) % l->size];
		*f = (struct pause_response_frame){.at = came + l->delay_ps};
	}
	f->enable |= enable;
	for (unsigned left = enable; left; left &= left - 1)
		f->quanta[__builtin_ctz(left)] = quanta[__builtin_ctz(left)];
	l->due = l->frame[l->first].at;
}

void pause_response_clear(struct pause_response *l)
{
	l->first = l->n = 0;
	l->due = TSTAMP_NEVER;
}

// Once empty it begins anew, so that few frames touch little memory.
const struct pause_response_frame *pause_response_get(struct pause_response *l, tstamp now)
{
	const struct pause_response_frame *f;

	if (now < l->due)
		return NULL;
	f = &l->frame[l->first];
	l->first = --l->n ? (l->first + 1) % l->size : 0;
	l->due = l->n ? l->frame[l->first].at : TSTAMP_NEVER;
	return f;
}

void pause_tx_init(struct pause_tx *t, rate_t rate)
{
	memset(t, 0, sizeof(*t));
	t->quantum_ps = quantum(rate);
	t->next_refresh = t->next_expiry = TSTAMP_NEVER;
	for (unsigned i = 0; i < PAUSE_PRIOS; i++)
		pause_tx_set(t, i, UINT16_MAX, 500);
}

void pause_tx_set(struct pause_tx *t, unsigned prio, uint16_t quanta, unsigned refresh_permille)
{
	tstamp period = quanta * t->quantum_ps * refresh_permille / 1000;

	t->quanta[prio] = quanta;
	t->refresh_ps[prio] = period ? period : TSTAMP_NEVER;
}

void pause_tx_whole(struct pause_tx *t)
{
	t->whole = true;
}

void pause_tx_no_expiry(struct pause_tx *t)
{
	t->no_expiry = true;
}

// The priorities that go into and out of XOFF together with `prio`.
static uint8_t together(const struct pause_tx *t, unsigned prio)
{
	return t->whole ? 0xff : (uint8_t)(1u << prio);
}

// A priority is refreshed while it is in XOFF and the peer was told so.
static void find_next_refresh(struct pause_tx *t)
{
	t->next_refresh = TSTAMP_NEVER;
	for (unsigned left = t->xoff & t->told; left; left &= left - 1)
		t->next_refresh = tstamp_min(t->next_refresh, t->refresh_at[__builtin_ctz(left)]);
}

void pause_tx_xoff(struct pause_tx *t, unsigned prio, tstamp now)
{
	(void)now;
	t->xoff |= together(t, prio);
	t->pending = t->xoff ^ t->told;
	find_next_refresh(t);
}

void pause_tx_xon(struct pause_tx *t, unsigned prio, tstamp now)
{
	(void)now;
	t->xoff &= (uint8_t)~together(t, prio);
	t->pending = t->xoff ^ t->told;
	find_next_refresh(t);
}

static uint8_t due(const struct pause_tx *t, tstamp now)
{
	uint8_t bits = t->pending;

	if (now < t->next_refresh)
		return bits;
	for (unsigned left = t->xoff & t->told; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);

		if (now >= t->refresh_at[prio])
			bits |= (uint8_t)(1u << prio);
	}
	return bits;
}

// Accounts for a frame that leaves: the pauses that run at the peer and, for a PFC frame, the
// counters of each priority.
static void frame_sent(struct pause_tx *t, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS],
	bool pfc, tstamp now)
{
	struct side s = tx_side(t);

	run_out(&s, now);
	t->pfc_frames += pfc;
	for (unsigned left = pfc ? enable : 0; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);

		count_frame(&t->stats[prio], t->paused >> prio & 1, quanta[prio] * t->quantum_ps);
	}
	set_timers(&s, enable, quanta, t->quantum_ps, t->no_expiry, now);
}

void pause_tx_count(
	struct pause_tx *t, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now)
{
	frame_sent(t, enable, quanta, true, now);
}

void pause_tx_count_whole(struct pause_tx *t, const uint16_t quanta[PAUSE_PRIOS], tstamp now)
{
	frame_sent(t, 0xff, quanta, false, now);
}

bool pause_tx_get(struct pause_tx *t, uint8_t *enable, uint16_t quanta[PAUSE_PRIOS], tstamp now)
{
	uint8_t bits = due(t, now);

	if (!bits)
		return false;
	memset(quanta, 0, PAUSE_PRIOS * sizeof(quanta[0]));
	for (unsigned left = bits; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);

		quanta[prio] = t->xoff >> prio & 1 ? t->quanta[prio] : 0;
		t->refresh_at[prio] = tstamp_add(now, t->refresh_ps[prio]);
	}
	*enable = bits;
	t->told = t->xoff;
	t->pending = 0;
	frame_sent(t, bits, quanta, !t->whole, now);
	find_next_refresh(t);
	return true;
}

void pause_tx_account(struct pause_tx *t, tstamp now)
{
	struct side s = tx_side(t);

	count_running(&s, now);
}
