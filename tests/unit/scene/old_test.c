// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_old: the words of older versions mean what the new ones mean, and a warning
// names those.
#include "scene_lab.h"

#define FRAMING "framing: 'hpcc' is the old word for hpcc_sim; write hpcc_sim"
#define PROFILE "profile: 'hpcc' is the old word for hpcc_sim_dcqcn; write hpcc_sim_dcqcn"

#define SCENE(framing, profile)                                          \
	"framing: " framing "\ncontrols: {c: {profile: " profile         \
	"}, unused: }\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {incast: {from: h1..2, to: r, mtu: 1000, ack_every: 1, control: c}}\n"

static void old_words_mean_the_new_ones(void **state)
{
	struct scene *old = lab(SCENE("hpcc", "hpcc"));
	struct scene *now = lab(SCENE("hpcc_sim", "hpcc_sim_dcqcn"));

	(void)state;
	assert_true(old->hpcc_sim);
	assert_int_equal(old->n_controls, 1);
	assert_string_equal(old->control[0]->profile, "hpcc_sim_dcqcn");
	assert_true(lab_warns(old, FRAMING));
	assert_true(lab_warns(old, PROFILE));
	assert_int_equal(old->n_warnings, now->n_warnings + 2);
	assert_false(lab_warns(now, "old word"));
	assert_non_null(strstr(old->resolved, "framing: hpcc_sim "));
	assert_non_null(strstr(old->resolved, "profile: hpcc_sim_dcqcn "));
	scene_free(old);
	scene_free(now);
}

static void the_line_is_told_and_a_setting_has_none(void **state)
{
	struct scene *s = lab(SCENE("hpcc", "paper"));

	(void)state;
	assert_int_equal(s->warning[0].line, 1);
	scene_free(s);
	s = lab_with(LAB, "framing", "hpcc");
	assert_true(s->hpcc_sim);
	assert_true(lab_warns(s, FRAMING));
	scene_free(s);
}

// The algorithm of that name is not built; where the word never stood it is none.
static void elsewhere_the_word_is_wrong(void **state)
{
	(void)state;
	lab_refuse("framing: [hpcc]\n" LAB, "lab.yaml:1:10: framing cannot be a list");
	lab_refuse("controls: {c: {profile: hpcc_dcqcn}}\n" LAB,
		"lab.yaml:1:25: profile: 'hpcc_dcqcn' is not right; write one of paper, "
		"hpcc_sim_dcqcn");
	lab_refuse("controls: [hpcc]\n" LAB, "lab.yaml:1:11: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_words_mean_the_new_ones),
		cmocka_unit_test(the_line_is_told_and_a_setting_has_none),
		cmocka_unit_test(elsewhere_the_word_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
