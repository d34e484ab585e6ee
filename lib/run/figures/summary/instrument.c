// SPDX-License-Identifier: BSD-3-Clause
// How good the instrument was (measuring.md M9). In virtual time no loop is timed, so that equal
// runs write equal bytes.
#include <errno.h>

#include "int.h"

struct instrument {
	const char *clock, *timing;
	bool timing_broken;
	uint64_t dilate, packet_hops, imissed, rx_nombuf, ring_drops, events_lost, captures_lost;
	uint64_t taps_lost;
	uint64_t loop_gap_p50_ps, loop_gap_p99_ps, loop_gap_p9999_ps, loop_gap_max_ps;
	uint64_t pfc_late_mean_ps, pfc_late_max_ps;
	uint64_t lost_tx_ps;
	uint64_t xon_at_end;
};

// PFC and PAUSE frames that took effect, at all ports.
static void pfc_late(struct instrument *o, const struct record *r)
{
	uint64_t effects = 0;
	tstamp late = 0;

	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct pause_rx *rx = r->port[i].rx;

		if (!rx)
			continue;
		effects += rx->effects;
		late += rx->late_ps;
		o->pfc_late_max_ps = tstamp_max(o->pfc_late_max_ps, rx->late_max_ps);
	}
	o->pfc_late_mean_ps = effects ? late / effects : 0;
}

static int make_instrument(struct summary *s, struct set *to)
{
	const struct record_run *run = &s->run;
	struct instrument *o;

	if (set_room(to, &kind_instrument, 1))
		return -ENOMEM;
	o = set_add(to);
	*o = (struct instrument){
		.clock = run->clock,
		.timing = s->run.timing_text,
		.timing_broken = run->timing_broken,
		.dilate = run->dilate ? run->dilate : 1,
		.packet_hops = run->packet_hops,
		.imissed = run->imissed,
		.rx_nombuf = run->rx_nombuf,
		.ring_drops = run->ring_drops,
		.events_lost = run->events_lost,
		.captures_lost = run->captures_lost,
		.taps_lost = run->taps_lost,
		.loop_gap_p50_ps = run->loop_gap_p50_ps,
		.loop_gap_p99_ps = run->loop_gap_p99_ps,
		.loop_gap_p9999_ps = run->loop_gap_p9999_ps,
		.loop_gap_max_ps = run->loop_gap_max_ps,
		.lost_tx_ps = run->lost_tx_ps,
		.xon_at_end = run->xon_at_end,
	};
	pfc_late(o, s->rec);
	return 0;
}

#define N(field, name, unit, ...) \
	ROW_COUNT(struct instrument, field, name, unit, __VA_ARGS__, .merge = FIGURE_SUM)
// No loop was timed where it is 0, as in virtual time.
#define GAP(field, name, ...) \
	ROW_TIME_US_EVER(struct instrument, field, name, 3, __VA_ARGS__, .merge = FIGURE_MOST)

static const struct figure figures[] = {
	ROW_TEXT(struct instrument, clock, "clock", "`virtual` or `real`"),
	ROW_COUNT(struct instrument, dilate, "dilate", "",
		"real time runs slower than scene time by this factor", .merge = FIGURE_SAME),
	N(packet_hops, "packet_hops", "frames", "frames given to nodes"),
	ROW_BOOL(struct instrument, timing_broken, "timing_broken",
		"whether a loop of ours broke the run's timing"),
	ROW_TEXT(struct instrument, timing, "timing", "why, or how good it was"),
	GAP(loop_gap_p50_ps, "loop_gap_p50_us",
		"real clock: p50 of the time between two rounds of a loop"),
	GAP(loop_gap_p99_ps, "loop_gap_p99_us",
		"real clock: p99 of the time between two rounds of a loop"),
	GAP(loop_gap_p9999_ps, "loop_gap_p9999_us",
		"real clock: p99.99 of the time between two rounds of a loop"),
	GAP(loop_gap_max_ps, "loop_gap_max_us",
		"real clock: longest time between two rounds of a loop; `null` in virtual time"),
	GAP(pfc_late_mean_ps, "pfc_late_mean_us",
		"real clock: PFC and PAUSE took effect so much later than `pfc_response` says; "
		"mean"),
	GAP(pfc_late_max_ps, "pfc_late_max_us", "real clock: most that PFC or PAUSE was late"),
	N(imissed, "imissed", "frames", "frames that a device dropped for want of descriptors"),
	N(rx_nombuf, "rx_nombuf", "frames", "frames that a device dropped for want of buffers"),
	N(ring_drops, "ring_drops", "frames",
		"frames that found no room in a ring between our loops"),
	ROW_TIME_US(struct instrument, lost_tx_ps, "lost_tx_us", 3,
		"wire time that was given up, for a loop came too late", .merge = FIGURE_SUM),
	N(xon_at_end, "xon_at_end", "frames",
		"XON that ended at real ports what was paused when the run ended"),
	N(events_lost, "events_lost", "events", "events that found no room"),
	N(captures_lost, "captures_lost", "frames",
		"captured frames that found no room, so that capture.pcapng lacks them"),
	N(taps_lost, "taps_lost", "frames",
		"frames that `quench capture` lacks, for they found no room on their way to it"),
};

const struct kind kind_instrument = {
	.key = "instrument",
	.path = "instrument",
	.title = "Instrument",
	.about = "How good the instrument itself was.",
	.single = true,
	.size = sizeof(struct instrument),
	KIND_FIGURES(figures),
	.make = make_instrument,
};
