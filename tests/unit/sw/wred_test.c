// SPDX-License-Identifier: BSD-3-Clause
// Tests of WRED: drop curve apart from the marker, the three zones of docs/algo/red.md,
// averages, counters.
#include <errno.h>
#include <math.h>

#include "sw_box.h"

#define LEN 1000 // 1004 bytes in the queue
#define T   PS_PER_US

static struct box *wred(enum sw_wred w, enum sw_mark mark)
{
	struct box *b = box_new();
	struct sw_class_params *k = &b->set->cls[2];

	k->mark = mark;
	k->red = (struct red_params){.kmin_bytes = 5020, .kmax_bytes = 5020, .pmax = 1};
	k->wred = w;
	k->wred_drop = (struct red_params){.kmin_bytes = 3012, .kmax_bytes = 3012, .pmax = 1};
	return b;
}

static void start(struct box *b)
{
	box_start(b);
	box_learn(b);
}

static void send(struct box *b, unsigned ecn, tstamp now)
{
	struct pkt *p = box_pkt(b, 0, 1, 2, LEN);

	p->tos = (uint8_t)((p->tos & ~3u) | ecn);
	box_rx(b, 0, p, now);
}

static unsigned queued(const struct box *b)
{
	return sw_eport(b->sw, 1)->q[2].frames;
}

static unsigned take(struct box *b, tstamp now)
{
	struct pkt *p = box_tx(b, 1, now);
	unsigned ecn;

	assert_non_null(p);
	ecn = pkt_ecn(p);
	box_put(b, p);
	return ecn;
}

static struct sw_class_stats stats(const struct box *b)
{
	return sw_class_stats(b->sw, 1, 2);
}

// Not-ECT up to 3012, ECT up to its own thresholds, which only mark.
static void drops_have_thresholds_of_their_own(void **state)
{
	struct box *b = wred(SW_WRED_NOT_ECT, SW_MARK_ENQUEUE);

	(void)state;
	start(b);
	for (unsigned i = 0; i < 5; i++)
		send(b, ECN_NOT_ECT, T);
	assert_int_equal(queued(b), 3);
	assert_int_equal(box_dropped(b, 0, SW_DROP_WRED), 2);
	for (unsigned i = 0; i < 4; i++)
		send(b, ECN_ECT0, T);
	assert_int_equal(queued(b), 7);
	send(b, ECN_CE, T); // no Not-ECT: no drop
	assert_int_equal(queued(b), 8);
	assert_int_equal(stats(b).wred_dropped_frames, 2);
	assert_int_equal(stats(b).ecn_marked_frames, 2);   // at 6024 and 7028
	assert_int_equal(stats(b).seen_frames[ECN_CE], 1); // that came with it
	assert_int_equal(box_ect(b, 1, 2), 4);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

#define BURST 8

// Frames of one codepoint, or of two in turn, behind `before` others.
static struct box *filled(unsigned before, const uint8_t ecn[2], uint64_t tail_limit, bool together)
{
	struct box *b = wred(SW_WRED_NOT_ECT, SW_MARK_ENQUEUE);
	struct pkt *burst[BURST];

	b->set->cls[2].tail_limit_bytes = tail_limit;
	start(b);
	for (unsigned i = 0; i < before; i++)
		send(b, ECN_CE, T);
	for (unsigned i = 0; i < BURST; i++) {
		if (!together) {
			send(b, ecn[i % 2], T);
			continue;
		}
		burst[i] = box_pkt(b, 0, 1, 2, LEN);
		burst[i]->tos = (uint8_t)((burst[i]->tos & ~3u) | ecn[i % 2]);
	}
	if (together)
		sw_rx(b->sw, 0, burst, BURST, T);
	return b;
}

// Drop curve, marker and tail limit begin before, at and behind each frame of a burst, and exactly
// at their thresholds; each frame fares as it does alone.
static void thresholds_are_met_within_a_burst(void **state)
{
	static const uint8_t ecn[][2] = {{ECN_ECT0, ECN_ECT0}, {ECN_NOT_ECT, ECN_NOT_ECT},
		{ECN_ECT1, ECN_NOT_ECT}, {ECN_NOT_ECT, ECN_ECT0}};
	unsigned dropped = 0, marked = 0;

	(void)state;
	for (unsigned i = 0; i < 4 * 2 * BURST; i++) {
		uint64_t limit = i / 4 % 2 ? 7 * (LEN + PKT_FCS) : 0;
		struct box *a = filled(i / 8, ecn[i % 4], limit, true);
		struct box *b = filled(i / 8, ecn[i % 4], limit, false);
		struct sw_class_stats x = stats(a), y = stats(b);

		assert_memory_equal(&x, &y, sizeof(x));
		assert_int_equal(queued(a), queued(b));
		dropped += (unsigned)x.wred_dropped_frames;
		marked += (unsigned)x.ecn_marked_frames;
		for (tstamp now = 2 * T; queued(a); now += T)
			assert_int_equal(take(a, now), take(b, now));
		box_free(a);
		box_free(b);
	}
	assert_true(dropped > BURST && marked > BURST);
}

// A queue without ECN: every codepoint is dropped, what lossy queues of WRED profiles do.
static void without_ecn_all_are_dropped(void **state)
{
	struct box *b = wred(SW_WRED_ALL, SW_MARK_NONE);

	(void)state;
	start(b);
	for (unsigned i = 0; i < 3; i++)
		send(b, ECN_NOT_ECT, T);
	for (unsigned ecn = 0; ecn < 4; ecn++)
		send(b, ecn, T);
	assert_int_equal(queued(b), 3);
	assert_int_equal(stats(b).wred_dropped_frames, 4);
	assert_int_equal(stats(b).ecn_marked_frames, 0);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// Frames of the four codepoints at a queue of `n` frames before them; the tail limit is 10 frames.
static void zone(enum sw_wred w, unsigned n, unsigned want_queued, const uint8_t want[4])
{
	struct box *b = wred(w, SW_MARK_DEQUEUE);
	struct sw_class_params *k = &b->set->cls[2];
	unsigned i = 0;
	tstamp now = T;

	k->red = (struct red_params){.kmin_bytes = 2008, .kmax_bytes = 6024, .pmax = 1};
	k->wred_drop = k->red;
	k->tail_limit_bytes = 10 * 1004;
	start(b);
	for (unsigned f = 0; f < n; f++)
		send(b, ECN_CE, now);
	for (unsigned ecn = 0; ecn < 4; ecn++)
		send(b, ecn, now);
	assert_int_equal(queued(b), n + want_queued);
	// Frames behind keep the length up while the four leave, so that all are in one zone.
	for (; i < n; i++, now += T) {
		send(b, ECN_CE, now);
		take(b, now);
	}
	for (i = 0; i < want_queued; i++, now += T)
		assert_int_equal(take(b, now), want[i]);
	box_drain(b, 1, now + T);
	box_free(b);
}

// Seed 003: below the lower limit nothing is looked at; between, at probability 1 here, ECT becomes
// CE, CE stays, Not-ECT is dropped; above, all leave as CE; the tail has a limit of its own.
static void the_zones_of_seed_003(void **state)
{
	static const uint8_t as_is[] = {ECN_NOT_ECT, ECN_ECT1, ECN_ECT0, ECN_CE};
	static const uint8_t ce[] = {ECN_CE, ECN_CE, ECN_CE, ECN_CE};
	struct box *b = wred(SW_WRED_H3C, SW_MARK_DEQUEUE);

	(void)state;
	for (enum sw_wred w = SW_WRED_OFF; w <= SW_WRED_H3C; w++) {
		static const uint8_t forward[] = {ECN_NOT_ECT, ECN_CE, ECN_CE, ECN_CE};

		zone(w, 4, w == SW_WRED_OFF ? 4 : 3, w == SW_WRED_OFF ? forward : ce);
		zone(w, 6, w == SW_WRED_NOT_ECT ? 3 : 4, w == SW_WRED_OFF ? forward : ce);
	}
	// Below: one frame that leaves an empty queue behind.
	b->set->cls[2].red.kmin_bytes = 2008;
	b->set->cls[2].wred_drop = b->set->cls[2].red;
	start(b);
	for (unsigned ecn = 0; ecn < 4; ecn++) {
		send(b, ecn, (1 + ecn) * T);
		assert_int_equal(take(b, (1 + ecn) * T), as_is[ecn]);
	}
	assert_int_equal(box_dropped(b, 0, SW_DROP_WRED), 0);
	box_free(b);
	zone(SW_WRED_H3C, 8, 2, ce); // above Kmax, up to the tail limit
}

// Seed 003: "all frames in the queue" get CE above the upper limit, those too that joined it below.
// A frame that joins later, below the limit, does not.
static void all_that_stands_above_kmax_leaves_as_ce(void **state)
{
	enum { LIMIT = 6, N = 200, LATE = LIMIT - 1 };

	(void)state;
	for (enum sw_mark mark = SW_MARK_ENQUEUE; mark <= SW_MARK_DEQUEUE; mark++) {
		struct box *b = wred(SW_WRED_H3C, mark);
		struct sw_class_params *k = &b->set->cls[2];
		tstamp now = T;

		k->red = (struct red_params){
			.kmin_bytes = LIMIT * 1004, .kmax_bytes = LIMIT * 1004, .pmax = 1};
		k->wred_drop = k->red;
		start(b);
		// Up to the limit nothing happens.
		for (unsigned i = 0; i < LIMIT; i++)
			send(b, i % 2 ? ECN_NOT_ECT : ECN_ECT0, now);
		for (unsigned i = 0; i < LIMIT; i++, now += T)
			assert_int_equal(take(b, now), i % 2 ? ECN_NOT_ECT : ECN_ECT0);
		for (unsigned i = 0; i < N; i++)
			send(b, i % 2 ? ECN_NOT_ECT : ECN_ECT0, now);
		for (unsigned i = 0; i < N; i++, now += T) {
			if (i >= N - LATE) // the queue is down to the limit, and below it
				send(b, ECN_ECT0, now);
			assert_int_equal(take(b, now), ECN_CE);
		}
		assert_int_equal(queued(b), LATE);
		for (; queued(b); now += T)
			assert_int_equal(take(b, now), ECN_ECT0);
		assert_int_equal(stats(b).ecn_marked_frames, N);
		assert_int_equal(stats(b).ecn_marked_not_ect_frames, N / 2);
		assert_int_equal(box_dropped(b, 0, SW_DROP_WRED), 0);
		box_free(b);
	}
}

// A queue that was emptied at once has no frames left that would leave as CE.
static void a_queue_that_is_flushed_is_above_nothing(void **state)
{
	struct box *b = wred(SW_WRED_H3C, SW_MARK_DEQUEUE);

	(void)state;
	b->set->cls[2].wred_drop = b->set->cls[2].red; // Kmax is 5 frames
	start(b);
	for (unsigned i = 0; i < 8; i++)
		send(b, ECN_ECT0, T);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 1}, 2 * T);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_UP, .port = 1}, 3 * T);
	box_learn(b);
	for (unsigned i = 0; i < 3; i++)
		send(b, ECN_ECT0, 4 * T);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(take(b, (4 + i) * T), ECN_ECT0);
	box_free(b);
}

// A frame without an IP header has no codepoint to set.
static void only_ip_gets_ce(void **state)
{
	struct box *b = wred(SW_WRED_H3C, SW_MARK_ENQUEUE);
	struct pkt *p;

	(void)state;
	b->set->cls[0] = b->set->cls[2];
	b->set->cls[0].red = b->set->cls[0].wred_drop =
		(struct red_params){.kmin_bytes = 0, .kmax_bytes = 0, .pmax = 1};
	start(b);
	p = box_pkt(b, 0, 1, 0, LEN);
	p->tos = 0;
	p->kind = PKT_OTHER;
	*pkt_own_hdr(p) = *p->hdr;
	pkt_own_hdr(p)->id = 0;
	pkt_own_hdr(p)->flags = 0;
	p->hdr = pkt_own_hdr(p);
	box_rx(b, 0, p, T);
	assert_int_equal(take(b, T), ECN_NOT_ECT);
	box_free(b);
}

// Drops at each length against the curve: ten seeds, none beyond 5 sigma, one in a hundred beyond
// 3.
static void the_drop_curve_is_the_formula(void **state)
{
	enum { MIN = 4, MAX = 24, N = 4000 };
	const double pmax = 0.4;
	unsigned beyond = 0, bins = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct box *b = wred(SW_WRED_NOT_ECT, SW_MARK_NONE);

		b->params.seed = seed;
		b->set->cls[2].wred_drop = (struct red_params){
			.kmin_bytes = MIN * 1004, .kmax_bytes = MAX * 1004, .pmax = pmax};
		start(b);
		for (unsigned len = 1; len <= MAX + 2; len++) { // with the frame decided about
			double p = len <= MIN  ? 0
				   : len > MAX ? 1
					       : pmax * (len - MIN) / (MAX - MIN);
			unsigned dropped = 0;

			while (queued(b) < len - 1)
				send(b, ECN_ECT0, 0);
			for (unsigned i = 0; i < N; i++) {
				unsigned before = queued(b);

				send(b, ECN_NOT_ECT, 0);
				dropped += queued(b) == before;
				if (queued(b) > before) { // back to the length that is tried
					tstamp now = tstamp_max(sw_deadline(b->sw, 1), T);

					take(b, now);
				}
			}
			double sigma = sqrt(N * p * (1 - p)), off = fabs(dropped - N * p);

			if (off > 5 * sigma)
				fail_msg("seed %u, %u frames: %u of %u dropped, p %g", seed, len,
					dropped, N, p);
			bins += sigma > 0;
			beyond += off > 3 * sigma;
		}
		box_drain(b, 1, PS_PER_S);
		box_free(b);
	}
	assert_true(beyond * 100 <= bins);
}

// 2^-1: averages of 1004, 2008, 3012, ... are 502, 1255, 2133, 3075 bytes.
static void an_average_lags(void **state)
{
	struct box *b = wred(SW_WRED_NOT_ECT, SW_MARK_DEQUEUE);

	(void)state;
	b->set->cls[2].wred_exponent = 1;
	b->set->cls[2].red = (struct red_params){.kmin_bytes = 2133, .kmax_bytes = 2133};
	b->set->cls[2].wred_drop = (struct red_params){.kmin_bytes = 2134, .kmax_bytes = 2134};
	start(b);
	for (unsigned i = 0; i < 3; i++)
		send(b, ECN_NOT_ECT, T);
	assert_int_equal(queued(b), 3);
	assert_int_equal(take(b, T), ECN_NOT_ECT); // 2133: not above
	send(b, ECN_ECT0, T);                      // 3012: 2572
	send(b, ECN_NOT_ECT, T);                   // 4016: 3294, dropped
	assert_int_equal(queued(b), 3);
	take(b, 2 * T);
	take(b, 3 * T);
	// The last leaves a queue of 1004 bytes, but the average is that of the last arrival.
	assert_int_equal(take(b, 4 * T), ECN_CE);
	assert_int_equal(box_event(b, EV_MARK)->mark.queue_bytes, 3294);
	// Ten frame times later 2^-10 of it is left: 3 and half of 1004.
	send(b, ECN_NOT_ECT, 4 * T + 10 * 81920);
	assert_int_equal(stats(b).wred_dropped_frames, 1);
	send(b, ECN_ECT0, 4 * T + 10 * 81920); // 503 and 2008: 1255
	take(b, 6 * T);
	assert_int_equal(take(b, 7 * T), ECN_ECT0);
	box_free(b);
}

static void a_flush_empties_the_queue(void **state)
{
	struct box *b = wred(SW_WRED_ALL, SW_MARK_NONE);
	struct ctl down = {.type = CTL_LINK_DOWN, .port = 1}, up = {.type = CTL_LINK_UP, .port = 1};

	(void)state;
	b->set->cls[2].wred_exponent = 1;
	start(b);
	for (unsigned i = 0; i < 4; i++)
		send(b, ECN_ECT0, T); // 3075: the fourth is dropped
	assert_int_equal(queued(b), 3);
	assert_int_equal(sw_ctl(b->sw, &down, 2 * T), 0);
	assert_int_equal(sw_ctl(b->sw, &up, 3 * T), 0);
	box_learn(b);
	for (unsigned i = 0; i < 3; i++)
		send(b, ECN_ECT0, 9 * T);
	assert_int_equal(queued(b), 3);
	box_drain(b, 1, PS_PER_S);
	box_free(b);
}

static void bad_params_are_refused(void **state)
{
	struct box *b = wred(SW_WRED_ALL, SW_MARK_NONE);

	(void)state;
	b->set->cls[2].wred_exponent = 16;
	assert_int_equal(box_try(b), -EINVAL);
	b->set->cls[2].wred_exponent = 0;
	b->set->cls[2].wred_drop.kmin_bytes = 4000;
	assert_int_equal(box_try(b), -EINVAL);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drops_have_thresholds_of_their_own),
		cmocka_unit_test(thresholds_are_met_within_a_burst),
		cmocka_unit_test(without_ecn_all_are_dropped),
		cmocka_unit_test(the_zones_of_seed_003),
		cmocka_unit_test(all_that_stands_above_kmax_leaves_as_ce),
		cmocka_unit_test(a_queue_that_is_flushed_is_above_nothing),
		cmocka_unit_test(only_ip_gets_ce),
		cmocka_unit_test(the_drop_curve_is_the_formula),
		cmocka_unit_test(an_average_lags),
		cmocka_unit_test(a_flush_empties_the_queue),
		cmocka_unit_test(bad_params_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
