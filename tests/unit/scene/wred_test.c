// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_wred: what a class's WRED profile comes to, and what is refused.
#include "scene_lab.h"

#define WRED(map)                                                              \
	"duration: 1ms\nswitches: {s1: {buffer: 4MB, classes: {3: {wred: " map \
	"}}}}\n" LAB_HOSTS LAB_LINKS LAB_FLOWS

static struct sw_class_params of(const char *text)
{
	struct scene *s = lab(text);
	struct sw_class_params c = lab_node(s, "s1")->u.sw.cls[3];

	scene_free(s);
	return c;
}

static void assert_curve(const struct red_params *p, uint64_t min, uint64_t max, double pmax)
{
	assert_int_equal(p->kmin_bytes, min);
	assert_int_equal(p->kmax_bytes, max);
	assert_true(p->pmax == pmax);
}

static void a_marker_drops_nothing_by_itself(void **state)
{
	struct sw_class_params c = of(WRED("{min: 100KB, max: 10%, probability: 20%}"));

	(void)state;
	assert_curve(&c.red, 100000, 400000, 0.2);
	assert_int_equal(c.mark, SW_MARK_DEQUEUE);
	assert_int_equal(c.wred, SW_WRED_OFF);
	assert_int_equal(c.wred_exponent, 0);
}

static void not_ect_is_dropped_by_the_same_thresholds_or_its_own(void **state)
{
	struct sw_class_params c =
		of(WRED("{min: 100KB, max: 400KB, probability: 20%, not_ect: drop}"));

	(void)state;
	assert_int_equal(c.wred, SW_WRED_NOT_ECT);
	assert_curve(&c.wred_drop, 100000, 400000, 0.2);
	c = of(WRED("{min: 100KB, max: 400KB, probability: 20%, drop_min: 5%, drop_max: 1MB}"));
	assert_int_equal(c.wred, SW_WRED_NOT_ECT);
	assert_curve(&c.red, 100000, 400000, 0.2);
	assert_curve(&c.wred_drop, 200000, 1000000, 0.2);
	c = of(WRED("{min: 100KB, max: 400KB, not_ect: drop, drop_probability: 5%}"));
	assert_curve(&c.wred_drop, 100000, 400000, 0.05);
	assert_true(c.red.pmax == 0.01);
	c = of(WRED("{min: 100KB, max: 400KB, not_ect: h3c, weight: 9}"));
	assert_int_equal(c.wred, SW_WRED_H3C);
	assert_int_equal(c.wred_exponent, 9);
}

static void without_ecn_there_is_no_marker(void **state)
{
	struct sw_class_params c = of(WRED("{ecn: false, min: 100KB, max: 400KB}"));

	(void)state;
	assert_int_equal(c.mark, SW_MARK_NONE);
	assert_int_equal(c.wred, SW_WRED_ALL);
	assert_curve(&c.wred_drop, 100000, 400000, 0.01);
	c = of(WRED("{ecn: false, drop_min: 1KB, drop_max: 2KB, drop_probability: 100%}"));
	assert_curve(&c.wred_drop, 1000, 2000, 1);
}

static void what_does_not_go_together_is_refused(void **state)
{
	(void)state;
	lab_refuse(
		WRED("{min: 1KB, max: 2KB, drop_min: 1KB}"), "lab.yaml:2:50: wred has no drop_max");
	lab_refuse(WRED("{min: 1KB, max: 2KB, drop_min: 3KB, drop_max: 2KB}"),
		"lab.yaml:2:81: wred drop_min 3000 is above drop_max 2000");
	lab_refuse(WRED("{drop_min: 1KB, drop_max: 2KB}"),
		"lab.yaml:2:50: wred has neither min nor max");
	lab_refuse(WRED("{ecn: false}"), "lab.yaml:2:50: wred has neither min nor max");
	lab_refuse(WRED("{min: 1KB, max: 2KB, not_ect: forward, drop_min: 1KB, drop_max: 2KB}"),
		"lab.yaml:2:80: not_ect: forward does not go with drop thresholds");
	lab_refuse(WRED("{min: 1KB, max: 2KB, ecn: false, not_ect: h3c}"),
		"lab.yaml:2:92: not_ect: h3c does not go with ecn: false");
	lab_refuse(WRED("{min: 1KB, max: 2KB, weight: 16}"), "lab.yaml:2:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_marker_drops_nothing_by_itself),
		cmocka_unit_test(not_ect_is_dropped_by_the_same_thresholds_or_its_own),
		cmocka_unit_test(without_ecn_there_is_no_marker),
		cmocka_unit_test(what_does_not_go_together_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
