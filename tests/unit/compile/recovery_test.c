// SPDX-License-Identifier: BSD-3-Clause
// Keys of recovery that do not go together are refused, each by its place.
#include "scene_lab.h"

#define HEAD "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS

static void wrong_keys_are_refused(void **state)
{
	static const char *const told[][2] = {
		{"cap: 5", "flow 'f' goes back n, and has no use for cap; give it recovery: irn or "
			   "skip, or leave the key out"},
		{"rto_adaptive: {init_low: 3}", "flow 'f' has a fixed timeout, and no use for "},
		{"rto: adaptive, rto_adaptive: {time_base: 5us}",
			"flow 'f': time_base is 4 us or a power of two of it"},
		{"rto: adaptive, rto_adaptive: {init_low: 30, init_size: 3}",
			"flow 'f': the first values go up to 32: "},
		{"rto: adaptive, rto_adaptive: {ranges: [9..12, 12..13]}", "ranges: write 1 to 4 "},
		{"rto: adaptive, rto_adaptive: {ranges: [9..12x0]}", "ranges: write 1 to 4 "},
		{"rto: adaptive, rto_adaptive: {ranges: [1, 2, 3, 4, 5]}", "ranges: write 1 to 4 "},
		{"recovery: irn, nack_bytes: 64", "a NACK has 66 bytes, or 62 if it counts as "},
		{"recovery: skip, nack_threshold: 2",
			"flow 'f': recovery skip goes back at the first NACK; take recovery: irn, "
			"or leave nack_threshold out"},
		{"recovery: irn, rto_low: 2ms, rto_high: 1ms",
			"flow 'f': rto_low is 2000 us and rto_high 1000 us; "},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct scene *s = NULL;
		char text[2000];

		snprintf(
			text, sizeof(text), HEAD "flows: {f: {from: h1, to: r, %s}}\n", told[i][0]);
		assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
		if (!strstr(lab_err.text, told[i][1]))
			fail_msg("%s: told '%s'\nnot  '%s'", told[i][0], lab_err.text, told[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_keys_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
