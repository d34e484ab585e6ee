// SPDX-License-Identifier: BSD-3-Clause
// Round trips of numbered frames: a ring of the instants at which they left, by number.
#include "trip.h"

#include <errno.h>
#include <stdlib.h>

static const struct stat_row rows[] = {
	STAT_ROW(struct trip_stats, echo_rx_frames, "frames", "came back, each once"),
	STAT_ROW(struct trip_stats, echo_rx_bytes, "bytes", "came back, with FCS"),
	STAT_ROW(struct trip_stats, echo_lost, "frames",
		"sent before one that came back, and not back so far"),
	STAT_ROW(struct trip_stats, echo_out_of_order, "frames", "came back after a later one"),
	STAT_ROW(struct trip_stats, echo_duplicates, "frames", "came back again"),
	STAT_ROW(struct trip_stats, echo_late, "frames",
		"came back when the sender no longer knew when they had left: not timed"),
	STAT_ROW(struct trip_stats, echo_ce_rx, "frames", "came back with CE"),
	STAT_WHOLE(struct trip_stats, rtt_min, "ps", "first bit out to last bit in"),
	STAT_WHOLE(struct trip_stats, rtt_max, "ps", "first bit out to last bit in"),
	STAT_ROW(struct trip_stats, rtt_sum, "ps", "over echo_rx_frames less echo_late"),
};

const struct stat_table trip_stat_table = {"trip", rows, sizeof(rows) / sizeof(rows[0])};

int trips_init(struct trips *t, uint32_t frames)
{
	uint32_t room = 1;

	*t = (struct trips){0};
	if (!frames || frames > TRIPS_MOST)
		return -EINVAL;
	while (room < frames)
		room *= 2;
	t->left = malloc(room * sizeof(*t->left));
	if (!t->left)
		return -ENOMEM;
	t->mask = room - 1;
	for (uint32_t i = 0; i < room; i++) // and no page of it is new later
		t->left[i] = TSTAMP_NEVER;
	return 0;
}

void trips_fini(struct trips *t)
{
	free(t->left);
	t->left = NULL;
}

void trips_left(struct trips *t, uint32_t seq, tstamp now)
{
	uint32_t skipped = seq - (uint32_t)t->next; // dropped before they left

	for (uint32_t i = 0; i < skipped && i <= t->mask; i++)
		t->left[(t->next + i) & t->mask] = TSTAMP_NEVER;
	t->next += skipped;
	t->left[t->next++ & t->mask] = now;
}

// Its place in the order of those that came back.
static void in_order(struct trips *t, uint64_t number)
{
	if (number >= t->back) {
		t->s.echo_lost += number - t->back;
		t->back = number + 1;
	} else {
		t->s.echo_out_of_order++;
		t->s.echo_lost -= t->s.echo_lost != 0;
	}
}

static void timed(struct trips *t, tstamp rtt)
{
	if (t->s.echo_rx_frames == t->s.echo_late) // the first
		t->s.rtt_min = rtt;
	t->s.rtt_min = tstamp_min(t->s.rtt_min, rtt);
	t->s.rtt_max = tstamp_max(t->s.rtt_max, rtt);
	t->s.rtt_sum += rtt;
	if (t->rtt)
		hist_count(t->rtt, rtt);
}

bool trips_came(struct trips *t, const struct pkt *p, tstamp now)
{
	uint32_t age = (uint32_t)t->next - p->u.gen.seq;
	uint64_t number = t->next - age;
	tstamp *left = &t->left[number & t->mask];

	if (!age || age > t->next)
		return false;
	if (age <= t->mask + 1 && *left == TSTAMP_NEVER) {
		t->s.echo_duplicates++;
		return true;
	}
	if (age <= t->mask + 1) {
		timed(t, tstamp_since(now, *left));
		*left = TSTAMP_NEVER;
	} else {
		t->s.echo_late++;
	}
	in_order(t, number);
	t->s.echo_rx_frames++;
	t->s.echo_rx_bytes += p->len + PKT_FCS;
	t->s.echo_ce_rx += pkt_ecn(p) == ECN_CE;
	return true;
}
