// SPDX-License-Identifier: BSD-3-Clause
// The device of these tests, by itself: what must come out of it is counted by hand.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "device.h"

static void frames_come_in_order_and_in_time(void **state)
{
	struct device_params par = device_usual();
	struct device *d = device_new(&par);
	struct probe *p = device_probe(d, 8);
	struct lab_sight s;
	tstamp f = probe_wire(p, PROBE_SHORT), first;
	const char *why;

	(void)state;
	probe_list_new(p, "three");
	probe_add(p, 0, probe_data(p, 0, 2, 3, 3));
	assert_int_equal(probe_do(p, &s, &why), 0);
	assert_int_equal(lab_sent(&s.port[0], 0, TSTAMP_NEVER), 3);
	assert_int_equal(lab_came(&s.port[2], 0, TSTAMP_NEVER), 3);
	first = 2 * f + par.forward + 2 * par.cable;
	for (unsigned k = 0; k < 3; k++) {
		assert_int_equal(s.port[0].entry[k].at, k * f);
		assert_int_equal(s.port[2].entry[k].at, first + k * f);
		assert_int_equal(s.port[2].entry[k].number, k);
	}
	assert_int_equal(s.took, 3 * f + probe_w(p));
	device_probe_free(p);
	device_free(d);
}

static void a_fill_brings_xoff_at_its_frame_and_is_released(void **state)
{
	struct device_params par = device_usual();
	struct device *d = device_new(&par);
	struct probe *p = device_probe(d, 8);
	struct lab_sight s;
	const struct tester_seen *x;
	uint32_t at = UINT32_MAX;
	const char *why;

	(void)state;
	probe_list_new(p, "fill");
	probe_fill(p, 3, (uint32_t[TESTER_PORTS]){1600}, 0);
	assert_int_equal(probe_do(p, &s, &why), 0);
	x = lab_pfc(&s.port[0], 3, true, &at);
	assert_non_null(x);
	// 1562 frames are 99 968 bytes; the next one is above
	assert_true(x->at >= probe_tb(p) + 1563 * probe_wire(p, PROBE_SHORT));
	assert_true(x->at < probe_tb(p) + 1563 * probe_wire(p, PROBE_SHORT) + PS_PER_US);
	assert_int_equal(lab_control(&s.port[0], x)->pfc.quanta[3], 65535);
	assert_int_equal(lab_came(&s.port[2], 0, TSTAMP_NEVER), 0);
	assert_int_equal(p->held, 8);
	assert_int_equal(probe_clear(p), 0);
	assert_int_equal(p->held, 0);
	assert_int_equal(p->inside, 0);
	device_probe_free(p);
	device_free(d);
}

static void a_step_with_lost_frames_is_done_again(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;
	struct lab_sight s;
	const char *why;

	(void)state;
	par.bad = 1;
	d = device_new(&par);
	p = device_probe(d, 8);
	probe_list_new(p, "fill");
	probe_fill(p, 3, (uint32_t[TESTER_PORTS]){10}, 0);
	assert_int_equal(probe_do(p, &s, &why), 0);
	assert_null(why);
	device_params(d)->bad = 10;
	assert_int_equal(probe_do(p, &s, &why), -11);
	assert_string_equal(why, "our own ports lost frames");
	device_probe_free(p);
	device_free(d);
}

static void a_ramp_ends_when_it_says(void **state)
{
	struct device_params par = device_usual();
	struct device *d;
	struct probe *p;
	struct lab_sight s;
	const char *why;
	tstamp end;
	unsigned ce = 0;

	(void)state;
	par.marks = DEVICE_AT_DEQUEUE;
	par.marked = 8;
	par.kmin = 50 * 64;
	par.kmax = 50 * 64;
	par.pmax = 1;
	d = device_new(&par);
	p = device_probe(d, 8);
	probe_list_new(p, "ramp");
	end = probe_ramp(p, 3, 200, 2, ECN_ECT0, 1, 0);
	assert_int_equal(probe_do(p, &s, &why), 0);
	assert_int_equal(lab_came(&s.port[2], 0, end), 100);
	assert_int_equal(lab_came(&s.port[2], 1, end), 100);
	for (uint32_t k = 0; k < s.port[2].n; k++)
		ce += !s.port[2].entry[k].sent && (s.port[2].entry[k].tos & 3) == ECN_CE;
	assert_int_equal(ce, 150);
	device_probe_free(p);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_in_order_and_in_time),
		cmocka_unit_test(a_fill_brings_xoff_at_its_frame_and_is_released),
		cmocka_unit_test(a_step_with_lost_frames_is_done_again),
		cmocka_unit_test(a_ramp_ends_when_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
