// SPDX-License-Identifier: BSD-3-Clause
// Tests of ports and nodes by name, and of a large run.
#include "lineage_lab.h"

static void a_port_has_its_peer(void **state)
{
	uint32_t a = port("s1:s2"), b = port("s1:s2.2");

	(void)state;
	assert_int_equal(port("s1:s2"), a);
	assert_int_not_equal(a, b);
	assert_string_equal(lineage_port_name(lin, lineage_peer(lin, a)), "s2:s1");
	assert_string_equal(lineage_port_name(lin, lineage_peer(lin, b)), "s2:s1.2");
	assert_int_equal(lineage_peer(lin, port("s2:s1.2")), b);
	assert_int_equal(lineage_counts(lin).ports, 4);
	// A port that leads back to itself is its own peer.
	assert_int_equal(lineage_peer(lin, port("s1:s1")), port("s1:s1"));
}

static void what_is_no_port_has_no_number(void **state)
{
	(void)state;
	assert_int_equal(lineage_port(lin, "s1"), LINEAGE_NONE);
	assert_int_equal(lineage_port(lin, ""), LINEAGE_NONE);
	assert_int_equal(lineage_counts(lin).ports, 0);
}

static void a_host_may_be_named_late(void **state)
{
	(void)state;
	port("s1:late");
	lineage_host(lin, "late");
	stop("late:s1.3", NULL, "s1:late.3", 0);
	finish(100);
	assert_string_equal(root_name(0), "host late");
}

// Hosts of 16 leaves stand all the time, behind a receiver that stops its switch again and again:
// their bills follow it although nothing is told of themselves.
static void a_large_run_sums_up(void **state)
{
	enum { LEAVES = 16, HOSTS = 4, ROUNDS = 100 };
	char from[64], who[64], by[64];
	tstamp t = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++, t += 1000) {
		stop("r:spine.3", NULL, "spine:r.3", t);
		for (unsigned i = 0; i < LEAVES; i++) {
			snprintf(from, sizeof(from), "spine:l%u.3", i);
			snprintf(who, sizeof(who), "l%u:spine.3", i);
			stop(from, "spine:r.3", who, t + 10);
			for (unsigned k = 0; k < HOSTS; k++) {
				snprintf(from, sizeof(from), "l%u:h%u-%u.3", i, i, k);
				snprintf(by, sizeof(by), "h%u-%u:l%u.3", i, k, i);
				if (!round)
					stop(from, who, by, t + 20);
			}
		}
		go("r:spine.3", "spine:r.3", t + 500);
		for (unsigned i = 0; i < LEAVES; i++) {
			snprintf(from, sizeof(from), "spine:l%u.3", i);
			snprintf(who, sizeof(who), "l%u:spine.3", i);
			go(from, who, t + 600);
		}
	}
	finish(t);
	// Hosts: the leaf is stopped by the receiver, then by the spine's egress; then it may send.
	assert_int_equal(owes("h3-2:l3.3", "host r"), 490 * ROUNDS - 10);
	assert_int_equal(owes("h3-2:l3.3", "egress spine:r.3"), 100 * ROUNDS);
	assert_int_equal(owes("h3-2:l3.3", "egress l3:spine.3"), 410 * ROUNDS - 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(a_port_has_its_peer),
		LIN_TEST(what_is_no_port_has_no_number),
		LIN_TEST(a_host_may_be_named_late),
		LIN_TEST(a_large_run_sums_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
