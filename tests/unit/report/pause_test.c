// SPDX-License-Identifier: BSD-3-Clause
// Response times from bytes, against worked numbers, and what 802.3 allows.
#include "record_lab.h"

#include <math.h>

#include "report/summary.h"

// In quanta; in time 3.43, 1.64, 1.51, 1.51, 2.02, 1.16 and 1.16 us from 10 Gb/s on.
static void limits_of_the_standard(void **state)
{
	static const struct {
		unsigned gbps, quanta;
		double us;
	} want[] = {{10, 67, 3.43}, {25, 80, 1.64}, {40, 118, 1.51}, {50, 147, 1.51},
		{100, 394, 2.02}, {200, 453, 1.16}, {400, 905, 1.16}};

	(void)state;
	assert_true(summary_pfc_limit(RATE_GBPS) == 2);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		double q = summary_pfc_limit(want[i].gbps * RATE_GBPS);

		assert_true(q == want[i].quanta);
		assert_float_equal(q * 512 / (want[i].gbps * 1e3), want[i].us, 0.006);
	}
	assert_true(isnan(summary_pfc_limit(30 * RATE_GBPS)));
}

// At 100 Gb/s and 1 us of cable 25,000 bytes come while a frame goes there and back, 84 while XOFF
// leaves; then 8000 more are 640 ns, 125 quanta.
static void bytes_are_time(void **state)
{
	struct hist h;
	struct scene_port port = {.rate = 100 * RATE_GBPS, .delay = PS_PER_US};
	struct rec_port rp = {.scene = &port};
	struct scene scene = {.max_frame = 1500, .framing.queue_extra = 4};
	struct record r = {.scene = &scene};
	struct rec_answer a = {.n = 1, .max_bytes = 32000, .wire = &h};
	struct summary_pause o = {.port = &rp};

	(void)state;
	hist_init(&h);
	hist_add(&h, 25000 + 84 + 8000, 1);
	summary_pfc(&o, &r, &a);
	assert_true(o.t_resp_us.n == 1);
	assert_float_equal(o.t_resp_us.max, 0.64, 1e-9);
	assert_float_equal(o.quanta_resp, 125, 1e-6);
	assert_true(o.quanta_limit == 394);
	assert_int_equal(o.headroom_needed_bytes, 32000 + 2 * 1504);

	hist_init(&h);
	hist_add(&h, 100, 1); // it had nothing to send
	summary_pfc(&o, &r, &a);
	assert_true(o.t_resp_us.max == 0);
}

static void nothing_known(void **state)
{
	struct summary_pause o = {0};
	struct rec_answer a = {0};
	struct record r = {0};

	(void)state;
	summary_pfc(&o, &r, &a);
	assert_true(isnan(o.quanta_resp) && !o.t_resp_us.n);
	summary_pfc(&o, &r, NULL);
	assert_true(isnan(o.quanta_limit) && !o.t_resp_us.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_of_the_standard),
		cmocka_unit_test(bytes_are_time),
		cmocka_unit_test(nothing_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
