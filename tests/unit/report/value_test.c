// SPDX-License-Identifier: BSD-3-Clause
// Figures by path: each kind of object, the short names, and NAN for what is not there.
#include "record_lab.h"

#include <math.h>

#include "report/summary.h"

static struct lab l;

static int run(void **state)
{
	struct scene_set set = {"warmup", "0us"}; // the transient has every kind of event

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	return lab_run(&l, &set, 1, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static void every_kind(void **state)
{
	static const char *const paths[] = {"total.goodput_gbps", "goodput_gbps", "jain", "drops",
		"marks", "cnps", "pauses", "pause_ps", "utilization", "drop.tail", "nic_drop.rxbuf",
		"queue.s1:r.3.mean_bytes", "queue.s1:r.3.p99_bytes", "queue.s1:r.3.max_bytes",
		"pfc.h1:s1.3.pauses", "pfc.h1:s1.3.mean_ps", "pfc_tx.s1:h1.3.xoff_frames",
		"pg.s1:h1.3.max_bytes_total", "group.incast.mean_gbps", "link.s1:r.goodput_percent",
		"flow.incast[h1>r.0].goodput_gbps", "flow.incast[h1>r.0].data_rx_rate",
		"source.noise[h2>r].rx_frames", "total.fct_p50_us", "main.fct_p50_us",
		"bottleneck.mean_bytes"};

	(void)state;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (isnan(report_value(l.rec, paths[i])))
			fail_msg("%s: no value", paths[i]);
}

static void nothing_there(void **state)
{
	static const char *const paths[] = {"", ".", "..", "totals", "total.", "total.nothing",
		"drop.x", "queue.s1:r.4.mean_bytes", "queue.s1:r.3.nothing",
		"queue.s1:r.mean_bytes", "queue..", "pfc.s1:r.3.pauses", "group.nobody.jain",
		"link.x:y.tx_gbps", "flow.incast.goodput_gbps", "kind.s1:r.tx_gbps",
		"replay.h1.tx_frames", "rxbuf.r.max_bytes_total", "main.", "main.nothing",
		"bottleneck.nothing"};

	(void)state;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!isnan(report_value(l.rec, paths[i])))
			fail_msg("%s: %g", paths[i], report_value(l.rec, paths[i]));
}

static void the_same_by_other_names(void **state)
{
	(void)state;
	assert_true(report_value(l.rec, "marks") == report_value(l.rec, "total.marks"));
	assert_true(report_value(l.rec, "main.jain") == report_value(l.rec, "jain"));
	assert_true(report_value(l.rec, "bottleneck.p99_bytes") ==
		    report_value(l.rec, "queue.s1:r.3.p99_bytes"));
	assert_true(report_value(l.rec, "jain") == report_value(l.rec, "group.incast.jain"));
	assert_true(report_value(l.rec, "utilization") ==
		    report_value(l.rec, "link.s1:r.utilization_percent"));
	assert_true(report_value(l.rec, "flow.incast[h1>r.0].goodput_gbps") ==
		    l.rec->sum->flow[0].goodput_gbps);
	assert_float_equal(report_value(l.rec, "goodput_gbps"),
		l.rec->sum->flow[0].goodput_gbps + l.rec->sum->flow[1].goodput_gbps, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind),
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(the_same_by_other_names),
	};

	return cmocka_run_group_tests(tests, run, end);
}
