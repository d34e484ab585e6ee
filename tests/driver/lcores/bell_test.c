// SPDX-License-Identifier: BSD-3-Clause
// Events and frames that wait for the main lcore wake it. After a long idle a burst at full rate
// fills the rings of events and of captured frames: the bell rings while most of a ring is free,
// and a reader that does nothing but wait for it loses nothing.
#include <pthread.h>
#include <sched.h>

#include "stash_lab.h"

#define FOREVER  (3600 * 1000000000ull) // ns: who has to be woken is not, and the test times out
#define SHARE    8192                   // of the pool
#define PART     (RT_SEEN / RT_CROWDED)
#define ROUNDS   20
#define OF_ROUND (RT_SEEN / 2) // frames, or events, that come while the reader has not come yet

static const char text[] =
	"duration: 1s\n"
	"switches: {s: {}}\n"
	"hosts: {a: {}, b: {}}\n"
	"links: [{between: [[a, b], s], rate: 100Gbps}]\n"
	"ports: {s:a: {device: net_ring0, capture: true}, s:b: {device: net_ring1}}\n";

static struct rt_bell bell;

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);

// Either device takes all.
unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	(void)d;
	(void)queue;
	for (unsigned i = 0; i < n; i++)
		rte_pktmbuf_free(m[i]);
	return n;
}

static int open_bell(void **state)
{
	(void)state;
	return rt_bell_open(&bell);
}

static int close_bell(void **state)
{
	(void)state;
	rt_bell_close(&bell);
	return 0;
}

static bool has_rung(void)
{
	return rt_bell_wait(&bell, -1, 0);
}

static void it_is_heard_once(void **state)
{
	(void)state;
	assert_false(has_rung());
	rt_bell_ring(&bell);
	rt_bell_ring(&bell);
	assert_true(has_rung());
	assert_false(has_rung());
	rt_bell_ring(&bell);
	assert_true(rt_bell_wait(&bell, -1, FOREVER)); // it has rung before
	rt_bell_ring(NULL);
}

static void news_end_the_sleep_too(void **state)
{
	int end[2];

	(void)state;
	assert_int_equal(pipe(end), 0);
	assert_int_equal(write(end[1], "", 1), 1);
	assert_false(rt_bell_wait(&bell, end[0], FOREVER));
	close(end[0]);
	close(end[1]);
}

static void *rings(void *arg)
{
	rt_bell_ring(arg);
	return NULL;
}

static void it_wakes_another_thread(void **state)
{
	pthread_t thread;

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		assert_int_equal(pthread_create(&thread, NULL, rings, &bell), 0);
		assert_true(rt_bell_wait(&bell, -1, FOREVER));
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
}

static void open_lab(void)
{
	open_world(text, NULL);
	rt_world_levels(lab.lc, SHARE);
	rt_lcore_level(lab.lc);
	lab.lc->bell = &bell;
}

static void close_lab(void)
{
	lab.lc->n_dev = 0;
	rt_lcore_step(lab.lc, lab.now += INSTANT);
	close_world();
}

static uint32_t captured(void)
{
	return rt_seen_waiting(atomic_load(&lab.lc->seen));
}

// A frame comes to the captured port.
static void frame_comes(void)
{
	struct rte_mbuf *m =
		outside_frame((uint8_t[]){2, 0, 0, 0, 9, 1}, (uint8_t[]){2, 0, 0, 0, 9, 0}, 0);

	assert_int_equal(rte_eth_tx_burst(lab.dev[0].id, 0, &m, 1), 1);
	rt_lcore_step(lab.lc, lab.now += INSTANT);
}

// Frames of both ports that found no room.
static uint64_t unseen(void)
{
	return rt_world_unseen(&lab.world, 0, 0) + rt_world_unseen(&lab.world, 0, 1);
}

// The recorder has them.
static void take_captured(void)
{
	struct rt_seen_ring *r = atomic_load(&lab.lc->seen);

	atomic_store(&r->tail, atomic_load(&r->given));
}

static void a_quarter_of_a_ring_of_frames_rings(void **state)
{
	(void)state;
	open_lab();
	while (captured() < PART) {
		frame_comes();
		rt_lcore_publish(lab.lc, lab.now);
		assert_false(has_rung());
	}
	frame_comes(); // without rt_lcore_publish
	assert_true(has_rung());
	frame_comes(); // nobody has come yet
	assert_true(has_rung());
	take_captured();
	frame_comes();
	assert_false(has_rung());
	assert_int_equal(unseen(), 0);
	take_captured();
	close_lab();
}

// A clock that waits has the recorder on the worker itself, which is told by rt_lcore_publish.
static void nobody_is_woken_where_the_clock_waits(void **state)
{
	(void)state;
	open_lab();
	lab.lc->timing.slip_limit = PS_PER_US;
	while (captured() < 2 * PART)
		frame_comes();
	assert_true(rt_lcore_publish(lab.lc, lab.now));
	assert_false(has_rung());
	take_captured();
	close_lab();
}

static struct ev_ring *events(void)
{
	return &lab.lc->node[0].net->events;
}

static void event_comes(void)
{
	events()->want |= 1ull << EV_MSG_DONE;
	ev_put(events(), EV_MSG_DONE, lab.now);
}

// Takes the events that have been handed over.
static void take_events(void)
{
	struct rt_node *n = &lab.lc->node[0];

	atomic_store(&n->ev_taken, atomic_load(&n->ev_given));
}

static void a_quarter_of_a_ring_of_events_rings(void **state)
{
	uint32_t slots;

	(void)state;
	open_lab();
	slots = events()->mask + 1;
	for (unsigned i = 0; i < slots / RT_CROWDED - 1; i++)
		event_comes();
	assert_false(rt_lcore_publish(lab.lc, lab.now));
	assert_false(has_rung());
	event_comes();
	assert_true(rt_lcore_publish(lab.lc, lab.now));
	assert_true(has_rung());
	take_events();
	assert_false(rt_lcore_publish(lab.lc, lab.now));
	assert_false(has_rung());
	assert_int_equal(events()->lost, 0);
	close_lab();
}

static atomic_bool ended;

// A main lcore that has nothing else to do, and so sleeps until it is woken.
static void *reads(void *arg)
{
	(void)arg;
	while (!atomic_load(&ended)) {
		rt_bell_wait(&bell, -1, FOREVER);
		take_events();
		take_captured();
	}
	return NULL;
}

// Frames come, and as many times events in proportion to the size of their ring, until half of
// either is full unless the reader has come; then the lcore stands still until he has.
static void burst(void)
{
	uint32_t slots = events()->mask + 1, each = slots / RT_SEEN;

	for (unsigned i = 0; i < OF_ROUND; i++) {
		for (unsigned k = 0; k < each; k++)
			event_comes();
		frame_comes();
		if (i % RT_SWEEP == 0)
			rt_lcore_publish(lab.lc, lab.now);
	}
	while (rt_lcore_publish(lab.lc, lab.now))
		sched_yield();
}

static void a_burst_after_a_long_idle_loses_nothing(void **state)
{
	pthread_t reader;

	(void)state;
	atomic_store(&ended, false);
	open_lab();
	assert_int_equal(pthread_create(&reader, NULL, reads, NULL), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned k = 0; k < RT_SWEEP; k++) // idle
			rt_lcore_step(lab.lc, lab.now += INSTANT);
		burst();
	}
	atomic_store(&ended, true);
	rt_bell_ring(&bell);
	assert_int_equal(pthread_join(reader, NULL), 0);
	take_captured();
	assert_int_equal(atomic_load(&lab.lc->seen)->head, ROUNDS * OF_ROUND);
	assert_int_equal(unseen(), 0);
	assert_int_equal(events()->lost, 0);
	close_lab();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_heard_once, open_bell, close_bell),
		cmocka_unit_test_setup_teardown(news_end_the_sleep_too, open_bell, close_bell),
		cmocka_unit_test_setup_teardown(it_wakes_another_thread, open_bell, close_bell),
		cmocka_unit_test_setup_teardown(
			a_quarter_of_a_ring_of_frames_rings, open_bell, close_bell),
		cmocka_unit_test_setup_teardown(
			nobody_is_woken_where_the_clock_waits, open_bell, close_bell),
		cmocka_unit_test_setup_teardown(
			a_quarter_of_a_ring_of_events_rings, open_bell, close_bell),
		cmocka_unit_test_setup_teardown(
			a_burst_after_a_long_idle_loses_nothing, open_bell, close_bell),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
