// SPDX-License-Identifier: BSD-3-Clause
// The parts of completion times, from events made by hand: each cause takes what is its own, and
// they sum to the time.
#include "net_each.h"

static int open_own(void **state)
{
	open_lab(state);
	record_warm(n.rec, 0);
	return 0;
}

static void message(uint64_t begun_us, uint64_t done_us)
{
	struct ev *e = net_event(&n, n.h1, done_us, EV_MSG_DONE);

	e->message.begun = e->message.posted = begun_us * PS_PER_US;
	e->message.bytes = 100000;
}

static void resent(uint64_t us)
{
	net_event(&n, n.h1, us, EV_RESENT)->resent.bytes = 1082;
}

static void stop(uint64_t from_us, uint64_t to_us)
{
	net_event(&n, n.h1, from_us, EV_PAUSE_RX)->cls = 3;
	net_event(&n, n.h1, to_us, EV_RESUME_RX)->cls = 3;
}

#define FRAME_PS ((1082 + 24) * 320.0) // at 25 Gb/s

static const double *parts(void)
{
	const struct rec_flow *f = &n.rec->flow[0];
	double sum = 0;

	for (unsigned i = 0; i < REC_CAUSES; i++) {
		assert_true(f->split.ps[i] >= 0);
		sum += f->split.ps[i];
	}
	assert_true(sum > 0);
	return f->split.ps;
}

static void each_cause_takes_its_own(void **state)
{
	const double *ps;
	const struct rec_flow *f = &n.rec->flow[0];
	double waited, ideal = (double)f->standalone_ps;
	uint32_t mtu = f->scene->rc->p.mtu;

	(void)state;
	resent(10);
	resent(11);
	net_event(&n, n.h1, 50, EV_TIMEOUT)->retry.active_at = 20 * PS_PER_US;
	stop(60, 70);
	message(5, 200);
	record_drain(n.rec, n.h1);
	waited = 30e6 - (nic_frame_len(&f->ideal->frame, mtu, false, 0) + 24) * 320.0;
	ps = parts();
	assert_int_equal(f->split.messages, 1);
	assert_true(ps[REC_WIRE] == ideal);
	assert_true(ps[REC_PAUSE] == 10e6);
	assert_true(ps[REC_CUT] == 0);
	assert_true(ps[REC_RESEND] == 2 * FRAME_PS + waited);
	assert_float_equal(ps[REC_QUEUE], 195e6 - ideal - 10e6 - 2 * FRAME_PS - waited, 1);
	assert_int_equal(f->loss->resent_frames, 2);
	assert_int_equal(f->loss->timeouts, 1);
	assert_true(f->loss->resent_ps == 2 * FRAME_PS && f->loss->waited_ps == waited);
}

// A pause that begins when the last frame is on its way delays nothing.
static void a_pause_behind_the_last_frame_is_none(void **state)
{
	const struct rec_flow *f = &n.rec->flow[0];
	double last_left = 200e6 - (double)f->packet_ps;

	(void)state;
	stop(190, 210);
	message(100, 200);
	record_drain(n.rec, n.h1);
	assert_float_equal(parts()[REC_PAUSE], last_left - 190e6, 1);
}

static void a_pause_that_lasts_counts_so_far(void **state)
{
	(void)state;
	net_event(&n, n.h1, 180, EV_PAUSE_RX)->cls = 3;
	message(100, 200);
	record_drain(n.rec, n.h1);
	assert_float_equal(parts()[REC_PAUSE], 20e6 - (double)n.rec->flow[0].packet_ps, 1);
}

static void messages_one_after_the_other(void **state)
{
	const double *ps;

	(void)state;
	resent(10);
	message(5, 100);
	resent(150);
	resent(151);
	message(100, 200);
	message(200, 300);
	record_drain(n.rec, n.h1);
	ps = parts();
	assert_float_equal(ps[REC_RESEND], 3 * FRAME_PS, 1);
	assert_int_equal(n.rec->flow[0].split.messages, 3);
	assert_true(n.rec->group[n.rec->flow[0].group].split.ps[REC_RESEND] == ps[REC_RESEND]);
}

// A reaction point that holds half of the rate makes the sender take twice as long.
static void a_cut_takes_what_its_rate_withholds(void **state)
{
	struct ev *e = net_event(&n, n.h1, 100, EV_RP);
	const struct rec_flow *f = &n.rec->flow[0];

	(void)state;
	e->reaction = RP_DECREASE;
	e->rp.rc = 12500000000;
	e->rp.rt = 25000000000;
	message(100, 200);
	record_drain(n.rec, n.h1);
	assert_float_equal(parts()[REC_CUT], (100e6 - (double)f->packet_ps) / 2, 1);
}

// Where causes overlap nothing is counted twice.
static void parts_never_exceed_the_time(void **state)
{
	const struct rec_flow *f = &n.rec->flow[0];
	double time = 60e6;

	(void)state;
	stop(100, 160);
	for (unsigned i = 0; i < 100; i++)
		resent(110);
	message(100, 160);
	record_drain(n.rec, n.h1);
	assert_true(parts()[REC_RESEND] == time - (double)f->standalone_ps);
	assert_true(parts()[REC_PAUSE] == 0 && parts()[REC_QUEUE] == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_cause_takes_its_own, open_own, close_lab),
		cmocka_unit_test_setup_teardown(
			a_pause_behind_the_last_frame_is_none, open_own, close_lab),
		cmocka_unit_test_setup_teardown(
			a_pause_that_lasts_counts_so_far, open_own, close_lab),
		cmocka_unit_test_setup_teardown(messages_one_after_the_other, open_own, close_lab),
		cmocka_unit_test_setup_teardown(
			a_cut_takes_what_its_rate_withholds, open_own, close_lab),
		cmocka_unit_test_setup_teardown(parts_never_exceed_the_time, open_own, close_lab),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
