// SPDX-License-Identifier: BSD-3-Clause
// The summary: a window that begins in the run.
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

// The same run with and without warm-up: a sum over the whole is the sum before plus the sum in the
// window.
static void window_begins_with_warm_up(void **state)
{
	static const char *const sums[] = {"marks", "cnp_rx", "total.ect_frames", "total.xoff_tx",
		"flow.incast[h1>r.0].rx_bytes", "flow.incast[h2>r.0].data_frames_tx", "pauses",
		"queue.s1:r.3.tx_bytes", "total.messages", "pfc.h1:s1.3.xoff_frames"};
	struct scene_set whole[] = {{"warmup", "0us"}};
	struct scene_set before[] = {{"warmup", "0us"}, {"duration", "500us"}};
	double all[16], early[16], late[16], max;
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, whole, 1, true), 0);
	max = report_value(l.rec, "queue.s1:r.3.max_bytes");
	for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		all[i] = report_value(l.rec, sums[i]);
	lab_end(&l);
	assert_int_equal(lab_run(&l, before, 2, true), 0);
	for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		early[i] = report_value(l.rec, sums[i]);
	lab_end(&l);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		late[i] = report_value(l.rec, sums[i]);
		if (all[i] != early[i] + late[i] || all[i] <= 0)
			fail_msg("%s: %g is not %g + %g", sums[i], all[i], early[i], late[i]);
	}
	// The transient's peak is not the window's.
	assert_true(report_value(l.rec, "queue.s1:r.3.max_bytes") < max);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(window_begins_with_warm_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
