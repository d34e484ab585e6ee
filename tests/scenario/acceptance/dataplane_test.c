// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's snappi dataplane tests: the highest rate without loss for each frame size, latency
// by rate.
#include "dut.h"

#define FILE_NAME "acceptance/test_packet_drop_threshold.yaml"
#define STEPS     1000 // of the rate: 0.1 %

static const unsigned sizes[] = {64, 128, 256, 512, 1024, 1518, 4096, 8192};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static bool loses(unsigned size, unsigned permille, const char *from)
{
	char bytes[64], rate[64];
	struct scn s;
	bool lost;

	snprintf(bytes, sizeof(bytes), "flows.load.open_loop.size=%u", size);
	snprintf(rate, sizeof(rate), "flows.load.open_loop.rate=%u.%u%%", permille / 10,
		permille % 10);
	s = scn_run(FILE_NAME, "expect=[]", bytes, rate, from, NULL);
	lost = dut_sum(&s, "load", "rx_frames") < dut_sum(&s, "load", "tx_frames");
	scn_free(&s);
	return lost;
}

// Row 37. From one port the line rate, from two half of it: the binary search in steps of 0.1 %
// ends there for each size.
static void test_packet_drop_threshold(void **state)
{
	(void)state;
	acc_row("3.1 row 37", "test_packet_drop_threshold");
	for (unsigned i = 0; i < SIZES; i++) {
		unsigned pass = 0, fail = STEPS + 1;

		assert_false(loses(sizes[i], STEPS, "flows.load.from=h1"));
		while (fail - pass > 1) {
			unsigned mid = (pass + fail) / 2;

			if (loses(sizes[i], mid, "flows.load.from=h1..2"))
				fail = mid;
			else
				pass = mid;
		}
		printf("  %4u bytes: 1:1 100.0 %%, 2:1 %u.%u %%\n", sizes[i], pass / 10, pass % 10);
		assert_true(pass >= STEPS / 2 && pass <= STEPS / 2 + 1);
	}
}

// Row 38, reported. Without congestion every frame takes the same: twice its time on the wire,
// twice the cable; 2:1 above half of the line rate the queue adds its length.
static void test_latency(void **state)
{
	static const char *const rate[] = {"10", "50", "90", "100"};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		char set[64];
		struct scn s;

		snprintf(set, sizeof(set), "flows.load.open_loop.rate=%s%%", rate[i]);
		s = scn_run(FILE_NAME, "expect=[]", "flows.load.from=h1", set, NULL);
		acc_row("3.1 row 38, test_latency, 1:1, rate in %", rate[i]);
		acc_in(&s, 1167, 1168, "source.load[h1>r].min_latency");
		acc_in(&s, 1167, 1168, "source.load[h1>r].max_latency");
		scn_free(&s);
		s = scn_run(FILE_NAME, "expect=[]", "flows.load.from=h1..2", set, NULL);
		// Over half of the rate: at most as much more as two groups of 20 KB take to send.
		acc_in(&s, 1167, i < 2 ? 1167 + 85 : 1168 + 40e3 * 1.03 * 0.08 + 85,
			"source.load[h1>r].max_latency");
		scn_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packet_drop_threshold),
		cmocka_unit_test(test_latency),
	};

	return cmocka_run_group_tests_name("dataplane", tests, NULL, NULL);
}
