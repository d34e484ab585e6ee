// SPDX-License-Identifier: BSD-3-Clause
// Tests of XOFFs: what holds their bytes, refreshes, and which of them stopped a queue.
#include "lineage_lab.h"

static void a_refresh_tells_anew(void **state)
{
	(void)state;
	stop("s1:h1.3", "s1:r.3", "h1:s1.3", 100);
	xoff("s1:h1.3", 400);
	held("s1:h1.3", "s1:h2.3", 500, 500);
	go("s1:h1.3", "h1:s1.3", 1000);
	finish(2000);
	assert_int_equal(owes("h1:s1.3", "egress s1:r.3"), 300);
	assert_int_equal(owes("h1:s1.3", "egress s1:h2.3"), 600);
	assert_int_equal(lineage_pause(lin, 0)->renewed, 1);
}

static void bytes_nobody_is_told_to_hold_are_others(void **state)
{
	(void)state;
	xoff("s1:h1.3", 100);
	held("s1:h1.3", "s1:r.3", 600, 1000);
	paused("h1:s1.3", 100);
	finish(1100);
	assert_in_range(owes("h1:s1.3", "egress s1:r.3"), 599, 601);
	assert_in_range(owes("h1:s1.3", "other"), 399, 401);
	assert_int_equal(lineage_root(lin, 1)->kind, LINEAGE_OTHER);
}

// A frame that stops two groups tells of each by its lowest class.
static void classes_of_a_group_share_its_holders(void **state)
{
	(void)state;
	lineage_xoff(lin, port("s1:h1"), 0x78, 100);
	held("s1:h1.3", "s1:r.3", 10, 10);
	held("s1:h1.5", "s1:h2.5", 10, 10);
	for (unsigned c = 3; c < 7; c++)
		lineage_paused(lin, port("h1:s1"), c, 100);
	finish(200);
	assert_int_equal(owes("h1:s1.3", "egress s1:r.3"), 100);
	assert_int_equal(owes("h1:s1.4", "egress s1:r.3"), 100);
	assert_int_equal(owes("h1:s1.5", "egress s1:h2.5"), 100);
	assert_int_equal(owes("h1:s1.6", "egress s1:h2.5"), 100);
}

static void pause_stops_all_classes(void **state)
{
	(void)state;
	lineage_xoff(lin, port("s1:h1"), 0xff, 100);
	held("s1:h1.0", "s1:r.3", 10, 10);
	for (unsigned c = 0; c < 8; c++)
		lineage_paused(lin, port("h1:s1"), c, 110);
	lineage_xon(lin, port("s1:h1"), 0xff);
	for (unsigned c = 0; c < 8; c++)
		lineage_resumed(lin, port("h1:s1"), c, LINEAGE_XON, 210);
	finish(300);
	assert_int_equal(lineage_counts(lin).ps, 800);
	assert_int_equal(lineage_counts(lin).roots, 1);
	assert_int_equal(owes("h1:s1.7", "egress s1:r.3"), 100);
}

static void a_switch_that_holds_nothing_was_told_to(void **state)
{
	(void)state;
	stop("s1:h1.3", NULL, "h1:s1.3", 100);
	finish(300);
	assert_string_equal(root_name(0), "switch s1");
	assert_int_equal(lineage_root(lin, 0)->kind, LINEAGE_SWITCH);
}

static void holders_are_not_recorded(void **state)
{
	(void)state;
	lineage_free(lin);
	lin = lineage_new(false);
	lineage_host(lin, "h2");
	stop("s1:h1.3", NULL, "h1:s1.3", 100);
	stop("h2:s1.3", NULL, "s1:h2.3", 100);
	finish(300);
	assert_int_equal(owes("h1:s1.3", "not recorded"), 200);
	assert_int_equal(owes("s1:h2.3", "host h2"), 200);
}

static void xoff_itself_is_not_recorded(void **state)
{
	(void)state;
	paused("h1:s1.3", 100);
	paused("s1:h1.3", 100);
	finish(300);
	assert_int_equal(owes("h1:s1.3", "not recorded"), 200);
	assert_int_equal(owes("s1:h1.3", "host h1"), 200);
}

// A clock of another core told the XOFF late: from then on the cause is known.
static void xoff_comes_behind_its_pause(void **state)
{
	(void)state;
	paused("h1:s1.3", 100);
	xoff("s1:h1.3", 101);
	held("s1:h1.3", "s1:r.3", 1, 1);
	finish(300);
	assert_int_equal(owes("h1:s1.3", "not recorded"), 1);
	assert_int_equal(owes("h1:s1.3", "egress s1:r.3"), 199);
}

// Three episodes leave before the first one's pause is seen; each pause has its own.
static void xoffs_are_on_their_way(void **state)
{
	static const char *const by[] = {"s1:r.3", "s1:h2.3", "s1:h3.3"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		xoff("s1:h1.3", 100 + 100 * i);
		held("s1:h1.3", by[i], 1, 1);
		xon("s1:h1.3");
	}
	for (unsigned i = 0; i < 3; i++) {
		paused("h1:s1.3", 1100 + 100 * i);
		resumed("h1:s1.3", LINEAGE_XON, 1110 + 100 * i);
	}
	finish(2000);
	assert_int_equal(owes("h1:s1.3", "egress s1:r.3"), 10);
	assert_int_equal(owes("h1:s1.3", "egress s1:h2.3"), 10);
	assert_int_equal(owes("h1:s1.3", "egress s1:h3.3"), 10);
}

// The second XOFF was lost on the wire: the third one's pause is not taken for its.
static void an_xoff_is_lost(void **state)
{
	static const char *const by[] = {"s1:r.3", "s1:h2.3", "s1:h3.3"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		xoff("s1:h1.3", 1000 * i);
		held("s1:h1.3", by[i], 1, 1);
		if (i != 1)
			paused("h1:s1.3", 1000 * i + 50);
		xon("s1:h1.3");
		if (i != 1)
			resumed("h1:s1.3", LINEAGE_XON, 1000 * i + 60);
	}
	finish(3000);
	assert_int_equal(owes("h1:s1.3", "egress s1:r.3"), 10);
	assert_int_equal(owes("h1:s1.3", "egress s1:h2.3"), 0);
	assert_int_equal(owes("h1:s1.3", "egress s1:h3.3"), 10);
}

// A peer that does not honour PFC: nothing piles up.
static void nobody_obeys(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		xoff("s1:h1.3", i);
		held("s1:h1.3", "s1:r.3", 1, 1);
		xon("s1:h1.3");
	}
	finish(3000);
	assert_int_equal(lineage_counts(lin).pauses, 0);
	assert_int_equal(lineage_counts(lin).odd, 0);
}

static void impossible_holders_are_counted(void **state)
{
	(void)state;
	xoff("s1:h1.3", 100);
	for (unsigned i = 0; i < 5; i++)
		held("s1:h1.3", "s1:r.3", 1, 0);
	held("s1:h1.4", "s1:r.4", 1, 0);
	lineage_held(lin, port("s1:h1"), 3, LINEAGE_NONE, 3, 1, 1);
	lineage_xoff(lin, LINEAGE_NONE, 8, 100);
	lineage_xon(lin, LINEAGE_NONE, 8);
	finish(300);
	assert_int_equal(lineage_counts(lin).odd, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(a_refresh_tells_anew),
		LIN_TEST(bytes_nobody_is_told_to_hold_are_others),
		LIN_TEST(classes_of_a_group_share_its_holders),
		LIN_TEST(pause_stops_all_classes),
		LIN_TEST(a_switch_that_holds_nothing_was_told_to),
		LIN_TEST(holders_are_not_recorded),
		LIN_TEST(xoff_itself_is_not_recorded),
		LIN_TEST(xoff_comes_behind_its_pause),
		LIN_TEST(xoffs_are_on_their_way),
		LIN_TEST(an_xoff_is_lost),
		LIN_TEST(nobody_obeys),
		LIN_TEST(impossible_holders_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
