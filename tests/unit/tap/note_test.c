// SPDX-License-Identifier: BSD-3-Clause
// Comments of frames: what the switch has decided about them, from the events of their port.
#include "tap_lab.h"

#include "fault/fault.h"

static int open_tap(void **state)
{
	(void)state;
	tap_lab_open("ports s1:r");
	return 0;
}

static int close_tap(void **state)
{
	(void)state;
	tap_lab_close();
	return 0;
}

// The comment of a frame that the port sends or receives now.
static const char *comment(int dir, tstamp t, const struct pkt *p)
{
	static struct tap_stream s;

	s = (struct tap_stream){0};
	tap_lab_frame(dir, t, p);
	tap_lab_read(&s, SIZE_MAX);
	assert_int_equal(s.frames, 1);
	return s.comment;
}

static void marked(enum ev_type type, tstamp t, uint32_t psn, uint64_t queue_bytes)
{
	tap_lab_event((struct ev){.t = t,
		.type = (uint8_t)type,
		.cls = 3,
		.mark = {.hdr = 7, .psn = psn, .queue_bytes = queue_bytes}});
}

static void a_queue_is_told_of_each_frame(void **state)
{
	struct pkt p = tap_lab_data(1);

	(void)state;
	assert_string_equal(comment(1, PS_PER_US, &p), "queue 3: 12345 bytes behind it");
	assert_string_equal(comment(0, PS_PER_US, &p), "");
}

static void a_mark_is_told_of_its_frame(void **state)
{
	struct pkt plain = tap_lab_data(1), ce = tap_lab_data(2);

	(void)state;
	pkt_mark_ce(&ce);
	marked(EV_MARK, PS_PER_US, 2, 40000);
	marked(EV_MARK, PS_PER_US, 3, 50000);
	assert_string_equal(comment(1, 2 * PS_PER_US, &plain), "queue 3: 12345 bytes behind it");
	assert_string_equal(comment(1, 3 * PS_PER_US, &ce),
		"queue 3: 12345 bytes behind it; marked here at 40000 bytes");
	// Its next mark is of another frame, or the frame came marked.
	assert_string_equal(comment(1, 4 * PS_PER_US, &ce), "queue 3: 12345 bytes behind it");
	ce.u.rc.psn = 3;
	assert_string_equal(comment(1, 5 * PS_PER_US, &ce),
		"queue 3: 12345 bytes behind it; marked here at 50000 bytes");
}

// All ports tell a mark, and all ports of a node tell its change; each tells it once.
static void the_next_frame_tells_marks_and_changes(void **state)
{
	struct pkt p = tap_lab_data(1);

	(void)state;
	tap_mark(tl.tap, 2 * PS_PER_US, "Kmin is 400KB");
	tap_lab_event((struct ev){.t = 3 * PS_PER_US, .type = EV_SET});
	assert_string_equal(comment(0, PS_PER_US, &p), "");
	assert_string_equal(comment(0, 2 * PS_PER_US, &p), "mark: Kmin is 400KB");
	assert_string_equal(
		comment(1, 4 * PS_PER_US, &p), "values changed; queue 3: 12345 bytes behind it");
	assert_string_equal(comment(0, 5 * PS_PER_US, &p), "");
}

static void the_probability_is_the_curves(void **state)
{
	const struct red_params params = {.kmin_bytes = 1000, .kmax_bytes = 5000, .pmax = 0.5};
	struct pkt ce = tap_lab_data(2);
	struct tap_stream s = {0};
	struct red_cfg red;
	struct tap_frame f = {.node = (uint16_t)tl.s1,
		.port = (uint16_t)tl.port_r,
		.dir = 1,
		.pkt = &ce,
		.red = &red};

	(void)state;
	red_cfg_init(&red, &params);
	pkt_mark_ce(&ce);
	marked(EV_MARK, 0, 2, 3000);
	tap_frame(tl.tap, &f);
	tap_lab_read(&s, SIZE_MAX);
	assert_string_equal(s.comment, "marked here at 3000 bytes, probability 0.250000");
	marked(EV_MARK, 0, 2, 5001);
	tap_frame(tl.tap, &f);
	tap_lab_read(&s, SIZE_MAX);
	assert_string_equal(s.comment, "marked here at 5001 bytes, probability 1.000000");
	marked(EV_MARK, 0, 2, 1000); // by something else than the curve
	tap_frame(tl.tap, &f);
	tap_lab_read(&s, SIZE_MAX);
	assert_string_equal(s.comment, "marked here at 1000 bytes");
}

static void a_cnp_is_told_beside_a_mark(void **state)
{
	struct pkt ce = tap_lab_data(2), plain = tap_lab_data(4);

	(void)state;
	pkt_mark_ce(&ce);
	marked(EV_FAST_CNP_TX, PS_PER_US, 2, 40000);
	marked(EV_MARK, PS_PER_US, 2, 40000);
	marked(EV_FAST_CNP_TX, PS_PER_US, 4, 41000);
	assert_string_equal(comment(1, PS_PER_US, &ce),
		"queue 3: 12345 bytes behind it; CNP sent for it at 40000 bytes; "
		"marked here at 40000 bytes");
	assert_string_equal(comment(1, PS_PER_US, &plain),
		"queue 3: 12345 bytes behind it; CNP sent for it at 41000 bytes");
}

static void a_drop_is_told_where_its_frame_came(void **state)
{
	struct pkt p = tap_lab_data(9), next = tap_lab_data(10);

	(void)state;
	tap_lab_event((struct ev){.t = 2 * PS_PER_US,
		.type = EV_DROP,
		.drop = {.reason = SW_DROP_TAIL,
			.out = tl.port_r,
			.held_bytes = 777,
			.bytes = p.len,
			.number = pkt_number(&next)}});
	assert_string_equal(comment(0, PS_PER_US, &p), "");
	assert_string_equal(comment(0, PS_PER_US, &next),
		"dropped here: tail, on its way to s1:r, 777 bytes held");
	assert_string_equal(comment(0, PS_PER_US, &next), "");
}

static void a_pause_is_told_of_the_frame_after_it(void **state)
{
	struct pkt p = tap_lab_data(9), other = tap_lab_data(10);
	const struct ev stop = {.t = PS_PER_US, .type = EV_PAUSE_RX, .cls = 3},
			go = {.t = 5 * PS_PER_US, .type = EV_RESUME_RX, .cls = 3};

	(void)state;
	other.cls = 0;
	tap_lab_event(stop);
	tap_lab_event(go);
	assert_string_equal(comment(1, 6 * PS_PER_US, &other), "queue 0: 12345 bytes behind it");
	assert_string_equal(comment(1, 6 * PS_PER_US, &p),
		"queue 3: 12345 bytes behind it; class 3 was paused for 4.000 us before it");
	assert_string_equal(comment(1, 7 * PS_PER_US, &p), "queue 3: 12345 bytes behind it");
}

static void an_xoff_names_the_queues_behind_it(void **state)
{
	struct pkt pfc = {.hdr = &tl.hdr, .kind = PKT_PFC, .len = 60};

	(void)state;
	tap_lab_event((struct ev){.t = PS_PER_US,
		.type = EV_XOFF_HOLDER,
		.cls = 3,
		.holder = {.out = (uint16_t)tl.port_r,
			.out_cls = 3,
			.bytes = 900,
			.group_bytes = 1000}});
	assert_string_equal(
		comment(1, PS_PER_US, &pfc), "s1:r.3 holds 900 of the group's 1000 bytes");
	assert_string_equal(comment(1, 2 * PS_PER_US, &pfc), "");
}

static void hit(enum ev_type type, tstamp t, uint32_t record, enum fault_action action,
	uint32_t psn, uint32_t qpn)
{
	tap_lab_event((struct ev){.t = t,
		.type = (uint8_t)type,
		.fault = {.record = record,
			.action = (uint8_t)action,
			.psn = psn,
			.qpn = qpn,
			.bytes = 1082}});
}

// A frame is known by its PSN, QPN and length. Its faults stand in their order.
static void a_frame_tells_the_faults_that_hit_it(void **state)
{
	struct pkt one = tap_lab_data(1), two = tap_lab_data(2);

	(void)state;
	hit(EV_FAULT, PS_PER_US, 3, FAULT_DROP, 2, 0x12);
	hit(EV_FAULT, PS_PER_US, 1, FAULT_ECN, 2, 0x11);
	hit(EV_FAULT, PS_PER_US, 3, FAULT_DROP, 2, 0x11);
	hit(EV_FAULT, 2 * PS_PER_US, 3, FAULT_DROP, 2, 0x11);
	assert_string_equal(comment(0, PS_PER_US, &one), "");
	assert_string_equal(comment(1, PS_PER_US, &two), "queue 3: 12345 bytes behind it");
	assert_string_equal(comment(0, PS_PER_US, &two),
		"marked with CE here by fault 1; dropped here by fault 3");
	assert_string_equal(comment(0, 2 * PS_PER_US, &two), "dropped here by fault 3");
	assert_string_equal(comment(0, 3 * PS_PER_US, &two), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_queue_is_told_of_each_frame, open_tap, close_tap),
		cmocka_unit_test_setup_teardown(a_mark_is_told_of_its_frame, open_tap, close_tap),
		cmocka_unit_test_setup_teardown(
			the_next_frame_tells_marks_and_changes, open_tap, close_tap),
		cmocka_unit_test_setup_teardown(the_probability_is_the_curves, open_tap, close_tap),
		cmocka_unit_test_setup_teardown(a_cnp_is_told_beside_a_mark, open_tap, close_tap),
		cmocka_unit_test_setup_teardown(
			a_drop_is_told_where_its_frame_came, open_tap, close_tap),
		cmocka_unit_test_setup_teardown(
			a_pause_is_told_of_the_frame_after_it, open_tap, close_tap),
		cmocka_unit_test_setup_teardown(
			an_xoff_names_the_queues_behind_it, open_tap, close_tap),
		cmocka_unit_test_setup_teardown(
			a_frame_tells_the_faults_that_hit_it, open_tap, close_tap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
