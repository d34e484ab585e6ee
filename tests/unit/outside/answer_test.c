// SPDX-License-Identifier: BSD-3-Clause
// A peer that sends at the line rate and answers to XOFF after known times.
#include "outside_lab.h"

#define CABLE  (300 * LAB_NS)
#define XOFF   ((PKT_MIN_LEN + PKT_WIRE) * LAB_BYTE)
#define FRAMES 400

// The peer's frames come back to back from instant 0. It stops with the frame that leaves it
// `response` after XOFF has arrived, and its next frame leaves at `again`.
struct peer {
	struct outside *o;
	struct hdr hdr;
	tstamp at; // the last bit of its newest frame came here
};

static void comes_until(struct peer *p, tstamp end)
{
	struct pkt f = lab_frame(PKT_OTHER, &p->hdr);

	while (p->at + LAB_WIRE <= end)
		outside_came(p->o, &f, p->at += LAB_WIRE);
}

static void told(struct peer *p, unsigned quanta, tstamp now)
{
	struct pkt f = lab_pfc(3, quanta, &p->hdr);

	outside_left(p->o, &f, now);
}

static struct peer peer_new(tstamp cable)
{
	return (struct peer){.o = lab_new(cable), .hdr = lab_hdr(9, 0)};
}

// XOFF leaves when frame 100 has come. The peer's last frame ends 11 frames later.
static void stop_is_from_xoff_to_the_last_frame(void **state)
{
	struct peer p = peer_new(CABLE);
	const struct outside_answer *a = outside_answer(p.o, 3);
	tstamp x, again;

	(void)state;
	comes_until(&p, 100 * LAB_WIRE);
	told(&p, 65535, p.at);
	x = p.at + XOFF;
	comes_until(&p, 111 * LAB_WIRE);
	again = x + 10 * PS_PER_US;
	told(&p, 0, again - 700 * LAB_NS - 2 * CABLE - XOFF);
	assert_int_equal(a->after.n, 1);
	assert_int_equal(a->after.max, 11 * LAB_LEN);
	p.at = again;
	comes_until(&p, again + LAB_WIRE);
	assert_int_equal(a->xoffs, 1);
	assert_int_equal(a->stop.max, 111 * LAB_WIRE - x - 2 * CABLE);
	assert_int_equal(a->silence.max, again - 111 * LAB_WIRE);
	assert_int_equal(a->resume.max, 700 * LAB_NS);
	assert_int_equal(a->ignored + a->idle + a->holds, 0);
	assert_int_equal(outside_answer(p.o, 0)->xoffs, 0);
	outside_free(p.o);
}

// The peer counts 1000 quanta from its stop and is 30 ns late; b_after ends with the silence.
static void hold_is_judged_where_no_xon_comes(void **state)
{
	struct peer p = peer_new(CABLE);
	const struct outside_answer *a = outside_answer(p.o, 3);
	tstamp again;

	(void)state;
	comes_until(&p, 100 * LAB_WIRE);
	told(&p, 1000, p.at);
	comes_until(&p, 111 * LAB_WIRE);
	again = p.at + 1000 * LAB_QUANTUM + 30 * LAB_NS;
	p.at = again;
	comes_until(&p, again + 3 * LAB_WIRE);
	assert_int_equal(a->holds, 1);
	assert_int_equal(a->hold_sum, 30 * LAB_NS + LAB_WIRE / 2);
	assert_int_equal(a->hold_least, a->hold_most);
	assert_int_equal(a->after.max, 11 * LAB_LEN);
	assert_int_equal(a->silence.max, 1000 * LAB_QUANTUM + 30 * LAB_NS);
	assert_int_equal(a->resume.n, 0);
	outside_free(p.o);
}

static void a_refresh_belongs_to_its_answer(void **state)
{
	struct peer p = peer_new(CABLE);
	const struct outside_answer *a = outside_answer(p.o, 3);

	(void)state;
	comes_until(&p, 100 * LAB_WIRE);
	told(&p, 1000, p.at);
	comes_until(&p, 111 * LAB_WIRE);
	told(&p, 1000, 100 * LAB_WIRE + 500 * LAB_QUANTUM);
	p.at += 1500 * LAB_QUANTUM;
	comes_until(&p, p.at + 3 * LAB_WIRE);
	assert_int_equal(a->xoffs, 1);
	assert_int_equal(a->silence.max, 1500 * LAB_QUANTUM);
	assert_int_equal(a->holds, 0);
	outside_free(p.o);
}

static void a_peer_that_does_not_stop_ignores(void **state)
{
	struct peer p = peer_new(CABLE);
	const struct outside_answer *a = outside_answer(p.o, 3);

	(void)state;
	comes_until(&p, 100 * LAB_WIRE);
	told(&p, 100, p.at);
	comes_until(&p, FRAMES * LAB_WIRE);
	told(&p, 100, p.at);
	comes_until(&p, p.at + 2 * LAB_WIRE);
	told(&p, 0, p.at);
	comes_until(&p, 2 * FRAMES * LAB_WIRE);
	assert_int_equal(a->xoffs, 2);
	assert_int_equal(a->ignored, 2);
	assert_int_equal(a->stop.n + a->silence.n + a->resume.n, 0);
	outside_free(p.o);
}

// The class was quiet when XOFF left, so that nobody can say when its sender stopped.
static void a_quiet_class_has_no_times(void **state)
{
	struct peer p = peer_new(CABLE);
	const struct outside_answer *a = outside_answer(p.o, 3);

	(void)state;
	comes_until(&p, 100 * LAB_WIRE);
	told(&p, 1000, 300 * LAB_WIRE);
	told(&p, 0, 310 * LAB_WIRE);
	p.at = 400 * LAB_WIRE;
	comes_until(&p, 402 * LAB_WIRE);
	assert_int_equal(a->idle, 1);
	assert_int_equal(a->after.max, 0);
	assert_int_equal(a->stop.n + a->silence.n + a->resume.n, 0);
	outside_free(p.o);
}

// A peer without a frame before XOFF, and one whose quanta run out unseen.
static void an_answer_without_frames_is_idle(void **state)
{
	struct peer p = peer_new(0);

	(void)state;
	told(&p, 10, PS_PER_US);
	told(&p, 10, 2 * PS_PER_MS);
	assert_int_equal(outside_answer(p.o, 3)->xoffs, 2);
	assert_int_equal(outside_answer(p.o, 3)->idle, 1);
	outside_free(p.o);
}

static void pause_stops_all_classes(void **state)
{
	struct peer p = peer_new(CABLE);
	const struct outside_answer *a = outside_answer(p.o, OUTSIDE_LINK);
	struct pkt off = lab_pause(1000, &p.hdr);

	(void)state;
	comes_until(&p, 100 * LAB_WIRE);
	outside_left(p.o, &off, p.at);
	comes_until(&p, 105 * LAB_WIRE);
	p.at += 1000 * LAB_QUANTUM;
	comes_until(&p, p.at + 2 * LAB_WIRE);
	assert_int_equal(a->xoffs, 1);
	assert_int_equal(a->silence.max, 1000 * LAB_QUANTUM);
	assert_int_equal(outside_answer(p.o, 3)->xoffs, 0);
	outside_free(p.o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stop_is_from_xoff_to_the_last_frame),
		cmocka_unit_test(hold_is_judged_where_no_xon_comes),
		cmocka_unit_test(a_refresh_belongs_to_its_answer),
		cmocka_unit_test(a_peer_that_does_not_stop_ignores),
		cmocka_unit_test(a_quiet_class_has_no_times),
		cmocka_unit_test(an_answer_without_frames_is_idle),
		cmocka_unit_test(pause_stops_all_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
