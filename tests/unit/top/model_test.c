// SPDX-License-Identifier: BSD-3-Clause
// Rows from looks: rates over scene time, counters that begin anew, rows that come later, pasts.
#include "top/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "top_lab.h"

static struct top_model m;

static int made(void **state)
{
	(void)state;
	return top_model_init(&m, 4);
}

static int freed(void **state)
{
	(void)state;
	top_model_free(&m);
	return 0;
}

static double value(enum top_section s, const char *name, unsigned v)
{
	const struct top_row *row = top_model_row(&m, s, name);

	assert_non_null(row);
	return row->value[v];
}

static void is_near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-9);
}

static void rates_are_of_scene_time(void **state)
{
	(void)state;
	top_lab_take(&m, 10 * PS_PER_MS,
		"total.marks 100 link.s1:r.rate_bps 25000000000 port.s1:r.tx_bytes 1000000 "
		"port.s1:r.tx_frames 1000 flow.f.rx_bytes 5");
	assert_true(isnan(value(TOP_PORTS, "s1:r", PORT_OUT)));
	assert_true(isnan(m.goodput_gbps));
	is_near(value(TOP_PORTS, "s1:r", PORT_RATE), 25);
	top_lab_take(&m, 12 * PS_PER_MS,
		"total.marks 120 link.s1:r.rate_bps 25000000000 port.s1:r.tx_bytes 3000000 "
		"port.s1:r.tx_frames 3000 flow.f.rx_bytes 1000005");
	is_near(m.of[TOP_ALL].row[0].value[ALL_MARKS], 10000);
	is_near(value(TOP_PORTS, "s1:r", PORT_OUT), (2e6 + 2000 * 20) * 8 / 2e-3 / 1e9);
	is_near(value(TOP_FLOWS, "f", FLOW_RATE), 4);
	is_near(m.goodput_gbps, 4);
	is_near(m.fastest_gbps, 25);
}

static void a_look_at_the_same_instant_is_no_news(void **state)
{
	(void)state;
	top_lab_take(&m, PS_PER_MS, "total.marks 0");
	top_lab_take(&m, 2 * PS_PER_MS, "total.marks 5");
	top_lab_take(&m, 2 * PS_PER_MS, "total.marks 5");
	is_near(m.of[TOP_ALL].row[0].value[ALL_MARKS], 5000);
	assert_int_equal(m.looks, 2);
}

static void a_counter_that_begins_anew_has_no_rate(void **state)
{
	(void)state;
	top_lab_take(&m, PS_PER_MS, "total.marks 50 total.cnp_rx 1");
	top_lab_take(&m, 2 * PS_PER_MS, "total.marks 3 total.cnp_rx 2");
	assert_true(isnan(m.of[TOP_ALL].row[0].value[ALL_MARKS]));
	is_near(m.of[TOP_ALL].row[0].value[ALL_CNPS], 1000);
}

// The list of figures grows in its midst, and the figures behind are found all the same.
static void figures_that_come_later_shift_none(void **state)
{
	(void)state;
	top_lab_take(
		&m, PS_PER_MS, "queue.s1:r.3.length_bytes 7 pfc.h1:s1.3.pauses 1 total.marks 1");
	top_lab_take(&m, 2 * PS_PER_MS,
		"queue.s1:a.3.length_bytes 9 queue.s1:r.3.length_bytes 8 "
		"queue.s1:r.3.ecn_marked_frames 4 pfc.h1:s1.3.pauses 2 total.marks 3");
	is_near(value(TOP_QUEUES, "s1:a.3 out", QUEUE_LENGTH), 9);
	is_near(value(TOP_QUEUES, "s1:r.3 out", QUEUE_LENGTH), 8);
	is_near(value(TOP_QUEUES, "s1:r.3 out", QUEUE_MARKS), 4000); // it counts from 0
	is_near(m.of[TOP_ALL].row[0].value[ALL_MARKS], 2000);
}

static void a_host_has_one_port(void **state)
{
	(void)state;
	top_lab_take(&m, PS_PER_MS,
		"link.h1:s1.rate_bps 1000000000 link.h10:s1.rate_bps 1000000000 nic.h1.tx_bytes 0 "
		"nic.h10.tx_bytes 0 nic.h1.drop_rxbuf 2");
	top_lab_take(&m, 2 * PS_PER_MS,
		"link.h1:s1.rate_bps 1000000000 link.h10:s1.rate_bps 1000000000 nic.h1.tx_bytes "
		"1000 nic.h10.tx_bytes 2000 nic.h1.drop_rxbuf 2");
	is_near(value(TOP_PORTS, "h1:s1", PORT_OUT), 0.008);
	is_near(value(TOP_PORTS, "h10:s1", PORT_OUT), 0.016);
	is_near(value(TOP_PORTS, "h1:s1", PORT_DROPS), 2);
}

static void a_ports_pause_is_its_most_paused_class(void **state)
{
	(void)state;
	top_lab_take(&m, PS_PER_MS,
		"link.s1:r.rate_bps 1 pfc.s1:r.3.pause_effective_us 0 "
		"pfc.s1:r.4.pause_effective_us 0 pfc_tx.s1:r.3.pause_effective_us 0");
	top_lab_take(&m, 2 * PS_PER_MS,
		"link.s1:r.rate_bps 1 pfc.s1:r.3.pause_effective_us 250 "
		"pfc.s1:r.4.pause_effective_us 100 pfc_tx.s1:r.3.pause_effective_us 500");
	is_near(value(TOP_PORTS, "s1:r", PORT_PAUSED), 25);
	is_near(value(TOP_PORTS, "s1:r", PORT_PAUSING), 50);
}

static void losses_have_names_and_filtered_frames_are_none(void **state)
{
	(void)state;
	top_lab_take(&m, PS_PER_MS,
		"drop.headroom 12 drop.same_port 5 drop.tail 3 drop.wred 0 nic_drop.not_for_us 9 "
		"port.s1:r.tx_bytes 0 port.s1:r.drop_tail 3 port.s1:r.drop_same_port 5 "
		"total.lossless_drops_total 12");
	assert_string_equal(m.losses, "headroom 12, tail 3");
	is_near(value(TOP_PORTS, "s1:r", PORT_DROPS), 3);
	is_near(m.of[TOP_ALL].row[0].value[ALL_LOSSES], 12);
}

static void where_nobody_here_receives_the_rate_is_the_rate_sent(void **state)
{
	(void)state;
	top_lab_take(&m, PS_PER_MS, "source.x.tx_bytes 0 flow.f.rx_bytes 0 flow.f.tx_bytes 0");
	top_lab_take(&m, 2 * PS_PER_MS,
		"source.x.tx_bytes 1000 flow.f.rx_bytes 500 flow.f.tx_bytes 1000");
	is_near(value(TOP_FLOWS, "x", FLOW_RATE), 0.008);
	is_near(value(TOP_FLOWS, "f", FLOW_RATE), 0.004);
	is_near(m.goodput_gbps, 0.004);
}

static void pasts_keep_some_looks_with_their_gaps(void **state)
{
	const struct top_row *row;

	(void)state;
	for (unsigned i = 1; i <= 5; i++) {
		char line[64];

		snprintf(line, sizeof(line), "queue.q.3.length_bytes %u", i);
		top_lab_take(&m, i * PS_PER_MS, line);
		if (i == 4)
			top_model_gap(&m);
	}
	row = top_model_row(&m, TOP_QUEUES, "q.3 out");
	is_near(top_model_past(&m, row, QUEUE_LENGTH, 0), 5);
	assert_true(isnan(top_model_past(&m, row, QUEUE_LENGTH, 1)));
	is_near(top_model_past(&m, row, QUEUE_LENGTH, 2), 4);
	is_near(top_model_past(&m, row, QUEUE_LENGTH, 3), 3);
	assert_true(isnan(top_model_past(&m, row, QUEUE_LENGTH, 4)));
	assert_int_equal(top_model_ago(&m, 2), PS_PER_MS);
	assert_int_equal(top_model_ago(&m, 1), 0);
}

// A thousand rows: each is found by its name, and another look finds the same ones.
static void many_rows_are_found(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct metrics look = {.at_ps = 1 + k};

		look.list = calloc(1000, sizeof(*look.list));
		for (; look.n < 1000; look.n++) {
			char path[64];

			snprintf(path, sizeof(path), "queue.s%u:r.3.length_bytes", look.n);
			look.list[look.n] = (struct metric){strdup(path), look.n, 0};
		}
		top_model_take(&m, &look);
	}
	assert_int_equal(m.of[TOP_QUEUES].n, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		char name[64];

		snprintf(name, sizeof(name), "s%u:r.3 out", i);
		is_near(value(TOP_QUEUES, name, QUEUE_LENGTH), i);
	}
	assert_null(top_model_row(&m, TOP_QUEUES, "s1000:r.3 out"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rates_are_of_scene_time, made, freed),
		cmocka_unit_test_setup_teardown(a_look_at_the_same_instant_is_no_news, made, freed),
		cmocka_unit_test_setup_teardown(
			a_counter_that_begins_anew_has_no_rate, made, freed),
		cmocka_unit_test_setup_teardown(figures_that_come_later_shift_none, made, freed),
		cmocka_unit_test_setup_teardown(a_host_has_one_port, made, freed),
		cmocka_unit_test_setup_teardown(
			a_ports_pause_is_its_most_paused_class, made, freed),
		cmocka_unit_test_setup_teardown(
			losses_have_names_and_filtered_frames_are_none, made, freed),
		cmocka_unit_test_setup_teardown(
			where_nobody_here_receives_the_rate_is_the_rate_sent, made, freed),
		cmocka_unit_test_setup_teardown(pasts_keep_some_looks_with_their_gaps, made, freed),
		cmocka_unit_test_setup_teardown(many_rows_are_found, made, freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
