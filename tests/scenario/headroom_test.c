// SPDX-License-Identifier: BSD-3-Clause
// Headroom in its own worst case: the egress stands still, the peer takes all the time that 802.3
// allows it, a longest frame has just begun on the way back to it, and the frame that crosses XOFF
// is a longest one, too.
#include <inttypes.h>

#include "scn.h"

#define PFC_BYTES 84 // 64 and preamble, start delimiter, gap
#define GAP_BYTES 20
#define XOFFS     8
#define STORMS    12 // as the scenario has them

// 802.3 31B.3.7
static const struct speed {
	unsigned gbps, quanta;
} speeds[] = {{10, 67}, {25, 80}, {100, 394}, {400, 905}};
static const unsigned delays_us[] = {1, 10};
static const unsigned mtus[] = {1514, 4214, 9230}; // without FCS

#define SPEEDS       (sizeof(speeds) / sizeof(speeds[0]))
#define DELAYS       (sizeof(delays_us) / sizeof(delays_us[0]))
#define MTUS         (sizeof(mtus) / sizeof(mtus[0]))
#define COMBINATIONS (SPEEDS * DELAYS * MTUS)
#define AUTO         "switches.s1.classes.3.pfc.headroom=auto"

struct combination {
	const struct speed *speed;
	unsigned delay_us, mtu;
};

// Bytes that pass a link of this speed in so many us.
static uint64_t in_flight(const struct combination *c, uint64_t us)
{
	return us * c->speed->gbps * 125;
}

// 802.1Qbb's sum, which begins when XOFF has been decided: a longest frame each way, the PFC frame,
// the cable both ways and the peer's response.
static uint64_t sum_after_xoff(const struct combination *c)
{
	return 2 * (c->mtu + 4 + GAP_BYTES) + PFC_BYTES + in_flight(c, 2 * c->delay_us) +
	       c->speed->quanta * 64;
}

static uint64_t dropped(struct scn s)
{
	uint64_t frames = (uint64_t)scn_value(&s, "pg.s1:h1.3.dropped_frames");

	if (!scn_value(&s, "pfc_tx.s1:h1.3.xoff_frames"))
		fail_msg("no XOFF\n%s", s.command);
	scn_free(&s);
	return frames;
}

// Storms that last until the peer has stopped, and whose period is no multiple of a frame, so that
// each finds the frames on the way back elsewhere. `room` and `more` are settings.
static uint64_t lost_at(const struct combination *c, unsigned i, const char *room, const char *more)
{
	uint64_t xoff = (16 + 3 * i) * (c->mtu + 4ull) + 1000 * i;
	double us = (double)(xoff + 2 * sum_after_xoff(c)) * 8 / c->speed->gbps / 1e3;
	char rate[48], delay[48], response[48], out[48], back[48], limit[64], span[64], every[64],
		duration[48];

	snprintf(rate, sizeof(rate), "links.0.rate=%uGbps", c->speed->gbps);
	snprintf(delay, sizeof(delay), "links.0.delay=%uus", c->delay_us);
	snprintf(response, sizeof(response), "hosts.h1.pfc_response=%u", c->speed->quanta);
	snprintf(out, sizeof(out), "flows.out.open_loop.size=%u", c->mtu + 4);
	snprintf(back, sizeof(back), "flows.back.open_loop.size=%u", c->mtu + 4);
	snprintf(limit, sizeof(limit), "switches.s1.classes.3.pfc.xoff=%" PRIu64, xoff);
	snprintf(span, sizeof(span), "events.0.pfc_storm.for=%.3fus", us);
	snprintf(every, sizeof(every), "events.0.pfc_storm.every=%.3fus", 2.6457 * us);
	snprintf(duration, sizeof(duration), "duration=%.3fus", 30 + STORMS * 2.6457 * us);
	return dropped(scn_run_lossy("headroom.yaml", rate, delay, response, out, back, limit, span,
		every, duration, room, more, NULL));
}

// Frames lost at all values of XOFF.
static uint64_t lost(const struct combination *c, const char *room, const char *more)
{
	uint64_t frames = 0;

	for (unsigned i = 0; i < XOFFS; i++)
		frames += lost_at(c, i, room, more);
	return frames;
}

static uint64_t lost_with(const struct combination *c, uint64_t headroom)
{
	char room[64];

	snprintf(room, sizeof(room), "switches.s1.classes.3.pfc.headroom=%" PRIu64, headroom);
	return lost(c, room, NULL);
}

static struct combination combination(unsigned i)
{
	return (struct combination){
		&speeds[i / (DELAYS * MTUS)], delays_us[i / MTUS % DELAYS], mtus[i % MTUS]};
}

static void the_worst_case_fits_just_so(void **state)
{
	unsigned bare = 0, less = 0;

	(void)state;
	printf("  frames lost:              auto   after XOFF only   a frame less\n");
	for (unsigned i = 0; i < COMBINATIONS; i++) {
		struct combination c = combination(i);
		uint64_t sum = sum_after_xoff(&c), with_auto = lost(&c, AUTO, NULL);
		uint64_t with_bare = lost_with(&c, sum), with_less = lost_with(&c, sum - c.mtu - 4);

		printf("  %3u Gb/s %2u us %4u: %10" PRIu64 " %17" PRIu64 " %14" PRIu64 "\n",
			c.speed->gbps, c.delay_us, c.mtu, with_auto, with_bare, with_less);
		assert_int_equal(with_auto, 0);
		bare += with_bare > 0;
		less += with_less > 0;
	}
	printf("  combinations that lose: %u and %u of %zu\n", bare, less, COMBINATIONS);
	assert_in_range(bare, 9, COMBINATIONS);
	assert_in_range(less, 18, COMBINATIONS);
}

// The scenario as it stands: eleven frames do not fit into what comes after XOFF.
static void the_frame_that_crosses_xoff_has_room(void **state)
{
	static const struct combination c = {&speeds[0], 1, 9230};
	char bare[64];

	(void)state;
	snprintf(bare, sizeof(bare), "switches.s1.classes.3.pfc.headroom=%" PRIu64,
		sum_after_xoff(&c));
	assert_int_equal(dropped(scn_run_lossy("headroom.yaml", bare, NULL)), 11);
	assert_int_equal(dropped(scn_run("headroom.yaml", AUTO, NULL)), 0);
}

// Whole cells, and a pool that has no more than one group's headroom.
static void cells_and_pools_hold_it_too(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COMBINATIONS; i++) {
		struct combination c = combination(i);
		char pool[64];

		snprintf(pool, sizeof(pool), "switches.s1.pools={headroom: %" PRIu64 "}",
			sum_after_xoff(&c) + c.mtu + 4);
		assert_int_equal(lost(&c, AUTO, pool), 0);
		assert_int_equal(lost(&c, AUTO, "switches.s1.cell=256"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_frame_that_crosses_xoff_has_room),
		cmocka_unit_test(the_worst_case_fits_just_so),
		cmocka_unit_test(cells_and_pools_hold_it_too),
	};

	return cmocka_run_group_tests_name("headroom", tests, NULL, NULL);
}
