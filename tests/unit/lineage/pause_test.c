// SPDX-License-Identifier: BSD-3-Clause
// Tests of pauses and their debts: one cause, chains, shares, and pauses that end in odd ways.
#include "lineage_lab.h"

static void one_xoff_has_one_root(void **state)
{
	(void)state;
	xoff("s1:h1.3", 100);
	held("s1:h1.3", "s1:r.3", 5000, 5000);
	paused("h1:s1.3", 110);
	xon("s1:h1.3");
	resumed("h1:s1.3", LINEAGE_XON, 210);
	finish(1000);
	assert_int_equal(lineage_counts(lin).pauses, 1);
	assert_int_equal(lineage_counts(lin).roots, 1);
	assert_int_equal(owes("h1:s1.3", "egress s1:r.3"), 100);
	assert_int_equal(part(0, "egress s1:r.3"), 100);
	assert_int_equal(lineage_root(lin, 0)->kind, LINEAGE_EGRESS);
	assert_int_equal(lineage_root(lin, 0)->queue, queue("s1:r.3"));
	assert_int_equal(lineage_peer(lin, port("h1:s1")), port("s1:h1"));
}

// The receiver stops s3, which stops s2, which stops s1, which stops the host.
static void a_chain_goes_back_to_its_end(void **state)
{
	(void)state;
	stop("r:s3.3", NULL, "s3:r.3", 100);
	stop("s3:s2.3", "s3:r.3", "s2:s3.3", 200);
	stop("s2:s1.3", "s2:s3.3", "s1:s2.3", 300);
	stop("s1:h1.3", "s1:s2.3", "h1:s1.3", 400);
	go("r:s3.3", "s3:r.3", 1000);
	go("s3:s2.3", "s2:s3.3", 1000);
	go("s2:s1.3", "s1:s2.3", 1000);
	go("s1:h1.3", "h1:s1.3", 1000);
	finish(2000);
	assert_int_equal(lineage_counts(lin).roots, 1);
	assert_string_equal(root_name(0), "host r");
	assert_int_equal(lineage_root(lin, 0)->kind, LINEAGE_HOST);
	assert_int_equal(lineage_root(lin, 0)->ps, 900 + 800 + 700 + 600);
	assert_int_equal(part(3, "s1:s2.3"), 600);
	assert_int_equal(part(2, "s2:s3.3"), 700);
	assert_int_equal(part(0, "host r"), 900);
}

static void bytes_share_a_pause(void **state)
{
	(void)state;
	stop("s2:s1.3", "s2:r.3", "s1:s2.3", 0);
	xoff("s1:h1.3", 100);
	held("s1:h1.3", "s1:s2.3", 7000, 10000);
	held("s1:h1.3", "s1:h2.3", 3000, 10000);
	paused("h1:s1.3", 100);
	go("s1:h1.3", "h1:s1.3", 1100);
	go("s2:s1.3", "s1:s2.3", 1200);
	finish(2000);
	assert_in_range(owes("h1:s1.3", "egress s2:r.3"), 699, 701);
	assert_in_range(owes("h1:s1.3", "egress s1:h2.3"), 299, 301);
	assert_in_range(part(1, "s1:s2.3"), 699, 701);
	assert_in_range(part(1, "egress s1:h2.3"), 299, 301);
}

// The trunk stops and goes on while the host stands: each period is billed to the queue that caused
// the wait in it.
static void a_holder_stops_and_goes_on(void **state)
{
	(void)state;
	stop("s1:h1.3", "s1:s2.3", "h1:s1.3", 100);
	stop("s2:s1.3", "s2:r.3", "s1:s2.3", 300);
	go("s2:s1.3", "s1:s2.3", 700);
	stop("s2:s1.3", "s2:h2.3", "s1:s2.3", 800);
	go("s2:s1.3", "s1:s2.3", 850);
	go("s1:h1.3", "h1:s1.3", 1000);
	finish(2000);
	assert_int_equal(owes("h1:s1.3", "egress s1:s2.3"), 200 + 100 + 150);
	assert_int_equal(owes("h1:s1.3", "egress s2:r.3"), 400);
	assert_int_equal(owes("h1:s1.3", "egress s2:h2.3"), 50);
	assert_int_equal(part(0, "s1:s2.3"), 450);
	assert_int_equal(part(0, "egress s1:s2.3"), 450);
	assert_int_equal(lineage_pause(lin, 2)->previous, 1);
	assert_int_equal(lineage_pause(lin, 1)->previous, LINEAGE_NONE);
}

static void a_pause_runs_out_without_xon(void **state)
{
	(void)state;
	stop("s1:h1.3", "s1:r.3", "h1:s1.3", 100);
	resumed("h1:s1.3", LINEAGE_EXPIRED, 400);
	// A refresh stops it again.
	xoff("s1:h1.3", 500);
	held("s1:h1.3", "s1:h2.3", 10, 10);
	paused("h1:s1.3", 510);
	resumed("h1:s1.3", LINEAGE_WATCHDOG, 610);
	finish(2000);
	assert_int_equal(lineage_pause(lin, 0)->end, LINEAGE_EXPIRED);
	assert_int_equal(lineage_pause(lin, 1)->end, LINEAGE_WATCHDOG);
	assert_int_equal(owes("h1:s1.3", "egress s1:r.3"), 300);
	assert_int_equal(owes("h1:s1.3", "egress s1:h2.3"), 100);
	assert_int_equal(lineage_counts(lin).odd, 0);
}

static void the_run_ends_first(void **state)
{
	(void)state;
	stop("s1:h1.3", "s1:r.3", "h1:s1.3", 100);
	finish(1500);
	assert_int_equal(lineage_pause(lin, 0)->end, LINEAGE_RUNNING);
	assert_int_equal(lineage_pause(lin, 0)->to, 1500);
	assert_int_equal(owes("h1:s1.3", "egress s1:r.3"), 1400);
}

static void what_does_not_fit_is_counted(void **state)
{
	(void)state;
	resumed("h1:s1.3", LINEAGE_XON, 50);
	stop("s1:h1.3", "s1:r.3", "h1:s1.3", 100);
	paused("h1:s1.3", 200);
	held("s1:h1.3", "s1:r.3", 10, 10);
	lineage_paused(lin, LINEAGE_NONE, 3, 250);
	lineage_resumed(lin, LINEAGE_NONE, 3, LINEAGE_XON, 250);
	finish(300);
	assert_int_equal(lineage_counts(lin).odd, 3);
	assert_int_equal(lineage_pause(lin, 0)->end, LINEAGE_UNTOLD);
	assert_int_equal(lineage_pause(lin, 0)->to, 200);
	assert_int_equal(lineage_counts(lin).ps, 200);
}

static void no_time_has_no_part(void **state)
{
	(void)state;
	stop("s1:h1.3", "s1:r.3", "h1:s1.3", 100);
	go("s1:h1.3", "h1:s1.3", 100);
	finish(300);
	assert_int_equal(lineage_pause(lin, 0)->part, LINEAGE_NONE);
	assert_int_equal(lineage_counts(lin).roots, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(one_xoff_has_one_root),
		LIN_TEST(a_chain_goes_back_to_its_end),
		LIN_TEST(bytes_share_a_pause),
		LIN_TEST(a_holder_stops_and_goes_on),
		LIN_TEST(a_pause_runs_out_without_xon),
		LIN_TEST(the_run_ends_first),
		LIN_TEST(what_does_not_fit_is_counted),
		LIN_TEST(no_time_has_no_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
