// SPDX-License-Identifier: BSD-3-Clause
// Tests of the switch's PFC watchdog: polls through the deadline, drop, forward and alert,
// restoration.
#include <errno.h>

#include "sw_box.h"

#define POLL (10 * PS_PER_US)
#define D    1 // the port whose peer storms
#define C    3 // the class

static struct box *start(enum pfcwd_action action)
{
	struct box *b = box_new();

	for (unsigned i = 0; i < b->params.n_ports; i++) {
		b->port[i].wd_classes = 1u << C;
		b->port[i].wd = (struct pfcwd_params){.poll = POLL,
			.detection = 2 * POLL,
			.restoration = 3 * POLL,
			.action = action};
	}
	box_start(b);
	box_learn(b);
	return b;
}

// Lets port D act at its deadlines until `end`; gives how many frames left.
static unsigned pass(struct box *b, tstamp end)
{
	return box_drain(b, D, end);
}

// PFC of the whole pause time, every poll from now on until `end`, with one frame queued before.
static void storm(struct box *b, tstamp end)
{
	for (tstamp t = 1; t < end; t += POLL / 2) {
		pass(b, t - 1);
		box_rx(b, D, box_pfc(b, 1u << C, 65535), t);
	}
	pass(b, end - 1);
}

static const struct sw_wd_stats *stats(const struct box *b)
{
	return sw_wd_stats(b->sw, D, C);
}

static void a_storm_shuts_the_queue(void **state)
{
	struct box *b = start(PFCWD_DROP);
	const struct ev *e;

	(void)state;
	assert_int_equal(sw_deadline(b->sw, D), POLL);
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 0);
	for (unsigned i = 0; i < 5; i++)
		box_send(b, 0, D, C, 500, 1);
	box_send(b, 0, D, 0, 500, 1); // another class goes on
	// The first poll reads, two more find it standing still: at 30 us.
	storm(b, 3 * POLL);
	assert_int_equal(stats(b)->storms, 0);
	assert_int_equal(
		sw_class_stats(b->sw, D, 0).tx_frames, 2); // with the frame that it learned from
	pass(b, 3 * POLL);
	assert_int_equal(stats(b)->storms, 1);
	assert_int_equal(stats(b)->tx_dropped_frames, 5);
	assert_int_equal(box_dropped(b, 0, SW_DROP_PFCWD), 5);
	assert_int_equal(sw_eport(b->sw, D)->q[C].frames, 0);
	assert_int_equal(sw_pause_rx(b->sw, D)->paused, 0);
	e = box_event(b, EV_PFCWD_STORM);
	assert_non_null(e);
	assert_int_equal(e->t, 3 * POLL);
	assert_int_equal(e->port, D);
	assert_int_equal(e->cls, C);
	assert_int_equal(e->storm.queue_bytes, 5 * 504);
	// Both ways, this class of this port is dropped; others are not.
	box_send(b, 0, D, C, 500, 3 * POLL);
	assert_int_equal(stats(b)->tx_dropped_frames, 6);
	box_send(b, D, 2, C, 500, 3 * POLL);
	assert_int_equal(stats(b)->rx_dropped_frames, 1);
	assert_int_equal(box_dropped(b, D, SW_DROP_PFCWD), 1);
	box_send(b, 0, 2, C, 500, 3 * POLL);
	box_send(b, 0, D, 0, 500, 3 * POLL);
	assert_int_equal(box_drain(b, 2, 4 * POLL - 1), 1);
	assert_int_equal(pass(b, 4 * POLL - 1), 1);
	// Frames of that class that the driver still had are dropped and reported, too.
	assert_int_equal(sw_shut(b->sw, D), 1u << C);
	assert_int_equal(sw_shut(b->sw, 2), 0);
	sw_shut_dropped(b->sw, D, C, 2);
	assert_int_equal(stats(b)->tx_dropped_frames, 8);
	assert_int_equal(box_dropped(b, 0, SW_DROP_PFCWD), 6);
	// PFC is counted and does nothing.
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 4 * POLL - 1);
	assert_int_equal(sw_pause_rx(b->sw, D)->paused, 0);
	box_free(b);
}

static void quiet_restores_the_queue(void **state)
{
	struct box *b = start(PFCWD_DROP);
	const struct ev *e;

	(void)state;
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 0);
	box_send(b, 0, D, C, 500, 1);
	storm(b, 5 * POLL);
	assert_int_equal(stats(b)->storms, 1);
	// PFC until 45 us: the poll at 50 is the last that sees it grow, 60, 70 and 80 are quiet.
	pass(b, 8 * POLL - 1);
	assert_int_equal(stats(b)->restored, 0);
	pass(b, 8 * POLL);
	assert_int_equal(stats(b)->restored, 1);
	assert_int_equal(stats(b)->storm_ps, 5 * POLL);
	e = box_event(b, EV_PFCWD_RESTORE);
	assert_non_null(e);
	assert_int_equal(e->restore.storm_ps, 5 * POLL);
	assert_int_equal(sw_shut(b->sw, D), 0);
	box_send(b, 0, D, C, 500, 8 * POLL);
	box_send(b, D, 2, C, 500, 8 * POLL);
	assert_int_equal(pass(b, 9 * POLL), 1);
	assert_int_equal(box_drain(b, 2, 9 * POLL), 1);
	// And PFC is obeyed again.
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 9 * POLL);
	assert_int_equal(sw_pause_rx(b->sw, D)->paused, 1u << C);
	box_free(b);
}

static void forward_ignores_pfc_and_sends(void **state)
{
	struct box *b = start(PFCWD_FORWARD);

	(void)state;
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 0);
	for (unsigned i = 0; i < 5; i++)
		box_send(b, 0, D, C, 500, 1);
	storm(b, 4 * POLL);
	assert_int_equal(stats(b)->storms, 1);
	assert_int_equal(sw_class_stats(b->sw, D, C).tx_frames, 5);
	assert_int_equal(sw_shut(b->sw, D), 0);
	assert_int_equal(stats(b)->tx_dropped_frames + stats(b)->rx_dropped_frames, 0);
	box_send(b, 0, D, C, 500, 4 * POLL);
	assert_int_equal(pass(b, 5 * POLL), 1);
	pass(b, 8 * POLL);
	assert_int_equal(stats(b)->restored, 1);
	box_free(b);
}

// The watched queue has another number than the priority whose PFC stops it.
static void a_storm_of_a_mapped_priority_shuts_its_queue(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->set->queue_map[C] = 5;
	b->port[D].wd_classes = 1u << 5;
	b->port[D].wd = (struct pfcwd_params){
		.poll = POLL, .detection = 2 * POLL, .restoration = 3 * POLL, .action = PFCWD_DROP};
	box_start(b);
	box_learn(b);
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 0);
	box_send(b, 0, D, C, 500, 1);
	storm(b, 4 * POLL);
	assert_int_equal(sw_wd_stats(b->sw, D, 5)->storms, 1);
	assert_int_equal(sw_wd_stats(b->sw, D, 5)->tx_dropped_frames, 1);
	assert_int_equal(sw_pause_rx(b->sw, D)->paused, 0);
	assert_int_equal(sw_shut(b->sw, D), 1u << 5);
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 4 * POLL);
	assert_int_equal(sw_pause_rx(b->sw, D)->paused, 0);
	pass(b, 8 * POLL);
	assert_int_equal(sw_wd_stats(b->sw, D, 5)->restored, 1);
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 8 * POLL);
	assert_int_equal(sw_pause_rx(b->sw, D)->paused, 1u << C);
	box_free(b);
}

static void alert_only_tells(void **state)
{
	struct box *b = start(PFCWD_ALERT);

	(void)state;
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 0);
	box_send(b, 0, D, C, 500, 1);
	storm(b, 4 * POLL);
	assert_int_equal(stats(b)->storms, 1);
	assert_non_null(box_event(b, EV_PFCWD_STORM));
	assert_int_equal(sw_eport(b->sw, D)->q[C].frames, 1);
	assert_int_equal(sw_pause_rx(b->sw, D)->paused, 1u << C);
	// XON: the frame leaves, the next poll ends the alert.
	box_rx(b, D, box_pfc(b, 1u << C, 0), 4 * POLL);
	assert_int_equal(pass(b, 5 * POLL), 1);
	assert_int_equal(stats(b)->restored, 1);
	assert_non_null(box_event(b, EV_PFCWD_RESTORE));
	box_free(b);
}

// Storms shorter than the detection time, again and again: nothing is dropped.
static void short_storms_do_nothing(void **state)
{
	struct box *b = start(PFCWD_DROP);

	(void)state;
	for (unsigned i = 0; i < 15; i++) {
		tstamp t = i * 2 * POLL;

		box_rx(b, D, box_pfc(b, 1u << C, 65535), t);
		box_send(b, 0, D, C, 500, t);
		pass(b, t + POLL);
		box_rx(b, D, box_pfc(b, 1u << C, 0), t + POLL + 1);
		assert_int_equal(pass(b, t + 2 * POLL - 1), 1);
	}
	assert_int_equal(stats(b)->storms, 0);
	assert_int_equal(box_dropped(b, 0, SW_DROP_PFCWD), 0);
	box_free(b);
}

// A command to all ports skips the ports without a watchdog.
static void it_begins_and_ends_by_command(void **state)
{
	struct box *b = box_new();
	struct ctl ctl = {.type = CTL_PFCWD_START, .port = PKT_NO_PORT};

	(void)state;
	b->port[D].wd_classes = 1u << C;
	b->port[D].wd = (struct pfcwd_params){
		.poll = POLL, .detection = 2 * POLL, .restoration = 3 * POLL, .action = PFCWD_DROP};
	b->port[D].wd_off = true;
	box_start(b);
	box_learn(b);
	assert_int_equal(sw_deadline(b->sw, D), TSTAMP_NEVER);
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 0);
	box_send(b, 0, D, C, 500, 1);
	storm(b, 6 * POLL);
	assert_int_equal(stats(b)->storms, 0);
	// The first poll reads, two more find it standing still.
	*sw_touched(b->sw) = (struct node_touched){0};
	assert_int_equal(sw_ctl(b->sw, &ctl, 6 * POLL), 0);
	assert_int_equal(sw_touched(b->sw)->word[0], 1u << D);
	pass(b, 9 * POLL - 1);
	assert_int_equal(stats(b)->storms, 0);
	pass(b, 9 * POLL);
	assert_int_equal(stats(b)->storms, 1);
	assert_int_equal(stats(b)->tx_dropped_frames, 1);
	// A second start does nothing; the stop opens the queue, and PFC is obeyed again.
	assert_int_equal(sw_ctl(b->sw, &ctl, 9 * POLL), 0);
	assert_int_equal(stats(b)->restored, 0);
	ctl = (struct ctl){.type = CTL_PFCWD_STOP, .port = D};
	assert_int_equal(sw_ctl(b->sw, &ctl, 9 * POLL + POLL / 2), 0);
	assert_int_equal(stats(b)->restored, 1);
	assert_int_equal(stats(b)->storm_ps, POLL / 2);
	assert_int_equal(sw_deadline(b->sw, D), TSTAMP_NEVER);
	box_send(b, 0, D, C, 500, 10 * POLL);
	assert_int_equal(pass(b, 11 * POLL), 1);
	box_rx(b, D, box_pfc(b, 1u << C, 65535), 11 * POLL);
	assert_int_equal(sw_pause_rx(b->sw, D)->paused, 1u << C);
	ctl.port = 0;
	assert_int_equal(sw_ctl(b->sw, &ctl, 11 * POLL), -EINVAL);
	box_free(b);
}

// A machine that was suspended: the next poll is the first nominal instant behind the jump.
static void a_jump_of_time_takes_one_poll(void **state)
{
	const tstamp jump = 1ull << 62;
	struct box *b = start(PFCWD_DROP);

	(void)state;
	pass(b, POLL);
	assert_null(box_tx(b, D, jump));
	assert_int_equal(sw_deadline(b->sw, D), jump / POLL * POLL + POLL);
	assert_null(box_tx(b, D, TSTAMP_NEVER - 1));
	assert_true(sw_deadline(b->sw, D) == TSTAMP_NEVER);
	box_free(b);
}

static void only_what_is_asked_for_is_watched(void **state)
{
	struct box *b = start(PFCWD_DROP);

	(void)state;
	assert_non_null(sw_wd_stats(b->sw, 0, C));
	assert_null(sw_wd_stats(b->sw, 0, C + 1));
	box_free(b);
	b = box_new();
	box_start(b);
	assert_null(sw_wd_stats(b->sw, 0, C));
	assert_int_equal(sw_deadline(b->sw, 0), TSTAMP_NEVER);
	box_free(b);
	b = box_new();
	b->port[2].wd_classes = 1u << C;
	assert_int_equal(box_try(b), -EINVAL);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_storm_shuts_the_queue),
		cmocka_unit_test(quiet_restores_the_queue),
		cmocka_unit_test(forward_ignores_pfc_and_sends),
		cmocka_unit_test(a_storm_of_a_mapped_priority_shuts_its_queue),
		cmocka_unit_test(alert_only_tells),
		cmocka_unit_test(short_storms_do_nothing),
		cmocka_unit_test(it_begins_and_ends_by_command),
		cmocka_unit_test(a_jump_of_time_takes_one_poll),
		cmocka_unit_test(only_what_is_asked_for_is_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
