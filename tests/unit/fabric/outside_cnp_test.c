// SPDX-License-Identifier: BSD-3-Clause
// CNPs of a notification point as the switch in front of it sees them: the numbers that the
// notification point has itself.
#include "outside_run.h"

static double sum_of_hosts(const char *figure)
{
	char path[64];
	double sum = 0;

	for (unsigned h = 1; h <= 4; h++) {
		snprintf(path, sizeof(path), "cnp.ip_pair.r>h%u.%s", h, figure);
		sum += v(path);
	}
	return sum;
}

static void numbers_are_those_of_the_notification_point(void **state)
{
	(void)state;
	outside_run(OUTSIDE_CNPS);
	assert_true(v("cnp.port.r.cnp_tx") > 10);
	same("outside_cnp.port.s1:r.ce_tx", "cnp.port.r.ce_rx");
	same("outside_cnp.port.s1:r.cnp_rx", "cnp.port.r.cnp_tx");
	same("outside_cnp.port.s1:r.cnp_next_marked", "cnp.port.r.cnp_expected");
	same("outside_cnp.ip_pair.s1:r.ce_tx", "cnp.port.r.ce_rx");
	assert_true(v("outside_cnp.ip_pair.s1:r.cnp_next_marked") == sum_of_hosts("cnp_expected"));
	assert_true(v("outside_cnp.ip_pair.s1:r.off_next_marked") == 0);
	same("outside_cnp.port.s1:r.cnp_gap_min_us", "cnp.port.r.cnp_gap_min_us");
}

// One queue pair for each pair of addresses: both keys look the same, but the port does not.
static void keys_that_fit_are_those_of_the_notification_point(void **state)
{
	(void)state;
	outside_run(OUTSIDE_CNPS);
	assert_true(v("outside_cnp.qp.s1:r.fits") == 1);
	assert_true(v("outside_cnp.ip_pair.s1:r.fits") == 1);
	assert_true(v("outside_cnp.dst_ip.s1:r.fits") == 1);
	assert_true(v("outside_cnp.port.s1:r.fits") == 0);
	assert_true(v("outside_cnp.qp.s1:r.values") == 4);
	assert_true(isnan(v("outside_cnp.qp.s1:r.np_delay_max_us")));
	// The CNP is sent at once; it takes its time on the wire, 98 bytes with preamble and gap.
	assert_float_equal(v("outside_cnp.ip_pair.s1:r.np_delay_max_us"), 98 * 8 / 25e3, 1e-4);
}

// At the sender no CE has passed, and the hosts have several intervals.
static void without_ce_nothing_is_expected(void **state)
{
	(void)state;
	outside_run(OUTSIDE_CNPS);
	assert_true(v("outside_cnp.port.h1:s1.cnp_rx") > 0);
	assert_true(v("outside_cnp.port.h1:s1.ce_tx") == 0);
	assert_true(isnan(v("outside_cnp.port.h1:s1.cnp_next_marked")));
	assert_true(isnan(v("outside_cnp.port.h1:s1.fits")));
	assert_true(isnan(v("outside.h1:s1.np_interval_us")));
	assert_true(isnan(v("outside_cnp.port.r:s1.cnp_rx")));
}

#define EACH(test) cmocka_unit_test_teardown(test, outside_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(numbers_are_those_of_the_notification_point),
		EACH(keys_that_fit_are_those_of_the_notification_point),
		EACH(without_ce_nothing_is_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
