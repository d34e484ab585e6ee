// SPDX-License-Identifier: BSD-3-Clause
// Round trips of numbered frames, counted as they come back.
#include "trip.h"

static const struct stat_row rows[] = {
	STAT_ROW(struct trip_stats, echo_rx_frames, "frames", "came back, each once"),
	STAT_ROW(struct trip_stats, echo_rx_bytes, "bytes", "came back, with FCS"),
	STAT_ROW(struct trip_stats, echo_lost, "frames",
		"sent before one that came back, and not back so far"),
	STAT_ROW(struct trip_stats, echo_out_of_order, "frames", "came back after a later one"),
	STAT_ROW(struct trip_stats, echo_duplicates, "frames", "came back again"),
	STAT_ROW(struct trip_stats, echo_late, "frames",
		"came back after the sender had forgotten when they left: not timed"),
	STAT_ROW(struct trip_stats, echo_ce_rx, "frames", "came back with CE"),
	STAT_WHOLE(struct trip_stats, rtt_min, "ps", "first bit out to last bit in"),
	STAT_WHOLE(struct trip_stats, rtt_max, "ps", "first bit out to last bit in"),
	STAT_ROW(struct trip_stats, rtt_sum, "ps", "over echo_rx_frames less echo_late"),
};

const struct stat_table trip_stat_table = {"trip", rows, sizeof(rows) / sizeof(rows[0])};

int trips_init(struct trips *t, uint32_t frames)
{
	*t = (struct trips){0};
	return departures_init(&t->left, frames);
}

void trips_fini(struct trips *t)
{
	departures_fini(&t->left);
}

// Counts order and loss of a frame that came back.
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
	uint32_t seq = p->u.gen.seq;
	uint64_t age = departures_age(&t->left, seq);
	bool kept = age <= t->left.mask + 1ull;
	tstamp left = departures_find(&t->left, seq);

	if (!age)
		return false;
	if (kept && left == TSTAMP_NEVER) {
		t->s.echo_duplicates++;
		return true;
	}
	if (kept) {
		timed(t, tstamp_since(now, left));
		departures_clear(&t->left, seq);
	} else {
		t->s.echo_late++;
	}
	in_order(t, t->left.next - age);
	t->s.echo_rx_frames++;
	t->s.echo_rx_bytes += p->len + PKT_FCS;
	t->s.echo_ce_rx += pkt_ecn(p) == ECN_CE;
	return true;
}
