// SPDX-License-Identifier: BSD-3-Clause
// The bytes between XOFF and XON, from events made by hand.
#include "net_each.h"

static int open_own(void **state)
{
	open_lab(state);
	record_warm(n.rec, 0);
	return 0;
}

// A PFC frame of s1 to h1, with the bytes and frames that s1 has received of the class so far.
static struct ev *pfc(
	enum ev_type type, uint64_t us, unsigned vector, uint32_t bytes, uint32_t frames)
{
	struct ev *e = net_event(&n, n.s1, us, type);

	e->pfc_tx.enable = (uint8_t)vector;
	e->pfc_tx.quanta = type == EV_XOFF_TX ? 65535 : 0;
	e->pfc_tx.rx_bytes = bytes;
	e->pfc_tx.rx_frames = frames;
	return e;
}

static const struct rec_answer *answer(unsigned prio)
{
	struct rec_port *p = record_obj_port(n.rec, n.s1, 0);

	assert_non_null(p->episodes);
	return &p->episodes[PAUSE_PRIOS + prio].answer;
}

static void between_xoff_and_xon(void **state)
{
	(void)state;
	pfc(EV_XOFF_TX, 10, 1 << 3, 1000, 10);
	pfc(EV_XOFF_TX, 20, 1 << 3, 1500, 15); // a refresh
	pfc(EV_XON_TX, 30, 1 << 3, 2000, 20);
	pfc(EV_XOFF_TX, 40, 1 << 3, 4294967000u, 4294967295u); // counters of 32 bits go round
	pfc(EV_XON_TX, 50, 1 << 3, 704, 9);
	pfc(EV_XON_TX, 60, 1 << 3, 9000, 90); // said again
	net_finish(&n, 100);
	assert_int_equal(answer(3)->n, 2);
	assert_int_equal(answer(3)->max_bytes, 1000);
	assert_true(hist_min(answer(3)->wire) == 1000 + 10 * 20);
	assert_true(answer(3)->wire->max == 1000 + 10 * 20);
}

// Each refresh adds what came since the XOFF before it, so that 32 bits hold a pause of any length.
static void more_than_32_bits_of_it(void **state)
{
	(void)state;
	for (uint64_t k = 0; k <= 4; k++)
		pfc(EV_XOFF_TX, 10 + k, 1 << 3, (uint32_t)(k * 3000000000),
			(uint32_t)(k * 2000000));
	assert_true(record_still_comes(record_obj_port(n.rec, n.s1, 0), 3, 100 * PS_PER_US) ==
		    0); // not heard yet
	net_finish(&n, 100);
	// The port's own counters are 0, so that they have gone round once more.
	assert_true(record_still_comes(record_obj_port(n.rec, n.s1, 0), 3, 100 * PS_PER_US) ==
		    12000000000 + (uint32_t) - (uint32_t)12000000000 + 4294967296ull * 20);
	assert_true(record_still_comes(record_obj_port(n.rec, n.s1, 0), 4, 100 * PS_PER_US) == 0);
}

static void only_in_the_window_and_alone(void **state)
{
	(void)state;
	n.rec->warm = 50 * PS_PER_US;
	pfc(EV_XOFF_TX, 10, 1 << 3, 0, 0);
	pfc(EV_XON_TX, 49, 1 << 3, 700, 7);
	pfc(EV_XOFF_TX, 60, 3 << 3, 0, 0); // two priorities in one frame
	pfc(EV_XON_TX, 70, 3 << 3, 0, 0);
	pfc(EV_XOFF_TX, 71, 1 << 3, 0, 0); // ended together with another
	pfc(EV_XON_TX, 72, 3 << 3, 0, 0);
	pfc(EV_XOFF_TX, 80, 1 << 4, 0, 0); // without an end
	net_finish(&n, 100);
	assert_false(answer(3)->asked);
	assert_int_equal(answer(3)->n, 0);
	assert_int_equal(answer(4)->n, 0);
	assert_true(answer(4)->asked);
}

// 100 quanta are 2.048 us at 25 Gb/s. A peer that goes on behind them has obeyed.
static void only_while_the_peer_was_asked(void **state)
{
	const struct rec_port *p = record_obj_port(n.rec, n.s1, 0);

	(void)state;
	pfc(EV_XOFF_TX, 10, 1 << 3, 1000, 10)->pfc_tx.quanta = 100;
	pfc(EV_XOFF_TX, 12, 1 << 3, 1500, 15)->pfc_tx.quanta = 100; // a refresh in time
	pfc(EV_XOFF_TX, 15, 1 << 3, 9000, 90)->pfc_tx.quanta = 100; // one that is late
	pfc(EV_XON_TX, 17, 1 << 3, 9700, 97);
	pfc(EV_XOFF_TX, 20, 1 << 3, 10000, 100)->pfc_tx.quanta = 100;
	pfc(EV_XON_TX, 23, 1 << 3, 19000, 190);
	pfc(EV_XOFF_TX, 30, 1 << 4, 0, 0)->pfc_tx.quanta = 100;
	net_finish(&n, 100);
	assert_int_equal(answer(3)->n, 1);
	assert_int_equal(answer(3)->max_bytes, 700);
	assert_true(answer(4)->asked);
	// Its counters are 0 now; below what the event says, they have gone round.
	((struct rec_answer *)answer(4))->bytes = (uint32_t)-500;
	assert_true(record_still_comes(p, 4, 32 * PS_PER_US) == 500);
	assert_true(record_still_comes(p, 4, 33 * PS_PER_US) == 0);
}

static const struct rec_episodes *pauses(unsigned prio)
{
	return &record_obj_port(n.rec, n.s1, 0)->episodes[PAUSE_PRIOS + prio];
}

// 100 quanta are 2.048 us at 25 Gb/s. A pause ends at XON or when its time has run out, which may
// be found late; a refresh makes it longer; the last one goes on.
static void sent_pauses_end_with_their_time(void **state)
{
	const struct hist *h;

	(void)state;
	pfc(EV_XOFF_TX, 10, 1 << 3, 0, 0)->pfc_tx.quanta = 100; // 2.048 us
	pfc(EV_XOFF_TX, 20, 1 << 3, 0, 0)->pfc_tx.quanta = 100;
	pfc(EV_XOFF_TX, 22, 1 << 3, 0, 0)->pfc_tx.quanta = 100; // a refresh: 4.048 us
	pfc(EV_XON_TX, 30, 1 << 3, 0, 0);                       // too late to end anything
	pfc(EV_XOFF_TX, 40, 1 << 3, 0, 0)->pfc_tx.quanta = 100;
	pfc(EV_XON_TX, 41, 1 << 3, 0, 0); // 1 us
	pfc(EV_XOFF_TX, 90, 1 << 3, 0, 0)->pfc_tx.quanta = 1000;
	pfc(EV_XOFF_TX, 90, 1 << 4, 0, 0)->pfc_tx.quanta = 100; // over before the end
	net_finish(&n, 100);
	h = pauses(3)->length;
	assert_int_equal(h->n, 3);
	assert_true(hist_min(h) == 1 * PS_PER_US && h->max == 4048000);
	assert_true(h->sum == 1000000 + 2048000 + 4048000);
	assert_true(pauses(3)->began == 90 * PS_PER_US);
	assert_int_equal(pauses(4)->length->n, 1);
	assert_true(pauses(4)->began == TSTAMP_NEVER);
}

// A pause that begins before the window counts with its whole length, if it ends in the window.
static void sent_pauses_that_end_before_the_window(void **state)
{
	(void)state;
	n.rec->warm = 50 * PS_PER_US;
	pfc(EV_XOFF_TX, 10, 3 << 3, 0, 0)->pfc_tx.quanta = 100; // over at 12 us
	pfc(EV_XOFF_TX, 49, 1 << 3, 0, 0)->pfc_tx.quanta = 100; // over at 51 us
	net_finish(&n, 100);
	assert_int_equal(pauses(3)->length->n, 1);
	assert_true(pauses(3)->length->max == 2048000);
	assert_null(pauses(4)->length);
}

// A peer forgets what it was asked when the link goes down, and is asked again.
static void a_link_that_goes_down_ends_it(void **state)
{
	(void)state;
	pfc(EV_XOFF_TX, 10, 1 << 3, 1000, 10);
	net_event(&n, n.s1, 20, EV_LINK_DOWN);
	net_event(&n, n.s1, 30, EV_LINK_UP);
	pfc(EV_XOFF_TX, 31, 1 << 3, 5000, 50);
	pfc(EV_XON_TX, 40, 1 << 3, 5600, 56);
	pfc(EV_XOFF_TX, 50, 1 << 3, 7000, 70);
	net_event(&n, n.s1, 60, EV_LINK_DOWN);
	pfc(EV_XON_TX, 70, 1 << 3, 9000, 90);
	net_finish(&n, 100);
	assert_int_equal(answer(3)->n, 1);
	assert_int_equal(answer(3)->max_bytes, 600);
}

// 802.3x: what came of all classes stands for each.
static void the_whole_link(void **state)
{
	(void)state;
	pfc(EV_XOFF_TX, 10, 0xff, 1000, 10)->pfc_tx.whole_link = true;
	pfc(EV_XON_TX, 30, 0xff, 3000, 30)->pfc_tx.whole_link = true;
	net_finish(&n, 100);
	for (unsigned c = 0; c < PAUSE_PRIOS; c++) {
		assert_int_equal(answer(c)->n, 1);
		assert_int_equal(answer(c)->max_bytes, 2000);
	}
	assert_int_equal(record_obj_port(n.rec, n.s1, 0)->pfc_seen[3], 0); // no PFC frame
}

#define EACH(t) cmocka_unit_test_setup_teardown(t, open_own, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(between_xoff_and_xon),
		EACH(more_than_32_bits_of_it),
		EACH(only_in_the_window_and_alone),
		EACH(only_while_the_peer_was_asked),
		EACH(sent_pauses_end_with_their_time),
		EACH(sent_pauses_that_end_before_the_window),
		EACH(a_link_that_goes_down_ends_it),
		EACH(the_whole_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
